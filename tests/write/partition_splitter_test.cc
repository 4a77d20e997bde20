// SPDX-License-Identifier: Apache-2.0
#include "frazil/write/partition_splitter.h"

#include <bit>
#include <cmath>
#include <limits>

#include <arrow/builder.h>

#include "frazil/iceberg/arrow_schema.h"
#include "support/rows.h"
#include "support/support.h"

namespace frazil::write {
namespace {

using iceberg::Literal;
using iceberg::NestedField;
using iceberg::PartitionSpec;
using iceberg::PartitionValues;
using iceberg::Schema;
using iceberg::Type;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

PartitionSpec Spec(const std::vector<std::pair<int32_t, std::string>>& fields) {
  PartitionSpec spec;
  int32_t id = 1000;
  for (const auto& [source, transform] : fields) {
    spec.fields.push_back({{source}, id, fmt::format("p{}", id), iceberg::ParseTransform(transform)});
    ++id;
  }
  return spec;
}

struct Part {
  PartitionValues values;
  std::vector<std::string> rows;
};

std::vector<Part> Split(const Schema& schema, const PartitionSpec& spec, const arrow::RecordBatch& rows) {
  std::vector<Part> parts;
  PartitionSplitter(schema, spec).Split(rows, [&](const PartitionValues& values, const arrow::RecordBatch& part) {
    parts.push_back({values, test::RowLines(part)});
  });
  return parts;
}

Literal Text(std::string text) { return text; }

Schema OrdersSchema() {
  return {0, {NestedField::Required(1, "id", Type::Long()), NestedField::Optional(2, "region", Type::String())}};
}

TEST(PartitionSplitter, PassesABatchOfOnePartitionOnAsItIs) {
  const Schema schema = OrdersSchema();
  const auto rows = test::RowsFromJson(ToArrowSchema(schema), R"([[1, "eu"], [2, "eu"], [3, "eu"]])");
  int calls = 0;
  PartitionSplitter(schema, Spec({{2, "identity"}})).Split(*rows, [&](const PartitionValues& values, const auto& part) {
    ++calls;
    EXPECT_THAT(values, ElementsAre(Text("eu")));
    EXPECT_EQ(&part, rows.get());
  });
  EXPECT_EQ(calls, 1);
}

TEST(PartitionSplitter, GathersInterleavedRowsInOrder) {
  const Schema schema = OrdersSchema();
  const auto rows = test::RowsFromJson(
      ToArrowSchema(schema), R"([[1, "eu"], [2, "us"], [3, null], [4, "eu"], [5, ""], [6, null], [7, "us"]])");
  const auto parts = Split(schema, Spec({{2, "identity"}}), *rows);
  ASSERT_EQ(parts.size(), 4);
  EXPECT_THAT(parts[0].values, ElementsAre(Text("eu")));
  EXPECT_THAT(parts[0].rows, ElementsAre("1|eu", "4|eu"));
  EXPECT_THAT(parts[1].values, ElementsAre(Text("us")));
  EXPECT_THAT(parts[1].rows, ElementsAre("2|us", "7|us"));
  EXPECT_THAT(parts[2].values, ElementsAre(Literal()));
  EXPECT_THAT(parts[2].rows, ElementsAre("3|null", "6|null"));
  EXPECT_THAT(parts[3].values, ElementsAre(Text("")));
  EXPECT_THAT(parts[3].rows, ElementsAre("5|"));
}

TEST(PartitionSplitter, CutsSortedRowsWithoutCopying) {
  const Schema schema = OrdersSchema();
  const auto rows = test::RowsFromJson(ToArrowSchema(schema), R"([[1, "us"], [2, "us"], [3, "eu"]])");
  const auto* values = rows->column_data(0)->buffers[1].get();
  std::vector<std::vector<std::string>> parts;
  PartitionSplitter(schema, Spec({{2, "identity"}})).Split(*rows, [&](const auto&, const arrow::RecordBatch& part) {
    EXPECT_EQ(part.column_data(0)->buffers[1].get(), values);
    parts.push_back(test::RowLines(part));
  });
  EXPECT_THAT(parts, ElementsAre(ElementsAre("1|us", "2|us"), ElementsAre("3|eu")));
}

TEST(PartitionSplitter, CombinesSeveralFields) {
  const Schema schema = OrdersSchema();
  const auto rows = test::RowsFromJson(ToArrowSchema(schema),
                                       R"([[10, "eu"], [11, "us"], [20, "eu"], [12, "eu"], [21, null], [13, "us"]])");
  const auto parts = Split(schema, Spec({{2, "identity"}, {1, "truncate[10]"}, {1, "void"}}), *rows);
  ASSERT_EQ(parts.size(), 4);
  EXPECT_THAT(parts[0].values, ElementsAre(Text("eu"), int64_t{10}, Literal()));
  EXPECT_THAT(parts[0].rows, ElementsAre("10|eu", "12|eu"));
  EXPECT_THAT(parts[1].values, ElementsAre(Text("us"), int64_t{10}, Literal()));
  EXPECT_THAT(parts[1].rows, ElementsAre("11|us", "13|us"));
  EXPECT_THAT(parts[2].values, ElementsAre(Text("eu"), int64_t{20}, Literal()));
  EXPECT_THAT(parts[2].rows, ElementsAre("20|eu"));
  EXPECT_THAT(parts[3].values, ElementsAre(Literal(), int64_t{20}, Literal()));
  EXPECT_THAT(parts[3].rows, ElementsAre("21|null"));
}

TEST(PartitionSplitter, AppliesTransforms) {
  const Schema schema(0,
                      {NestedField::Optional(1, "ts", Type::Timestamp()), NestedField::Optional(2, "id", Type::Int())});
  const auto rows = test::RowsFromJson(
      ToArrowSchema(schema), R"([["1970-01-02T00:00:00", 34], ["1969-12-31T23:59:59.999999", 34], [null, null]])");
  const auto parts =
      Split(schema, Spec({{1, "day"}, {1, "hour"}, {1, "month"}, {1, "year"}, {2, "bucket[16]"}}), *rows);
  ASSERT_EQ(parts.size(), 3);
  EXPECT_THAT(parts[0].values, ElementsAre(int32_t{1}, int32_t{24}, int32_t{0}, int32_t{0}, int32_t{2017239379 % 16}));
  EXPECT_THAT(parts[1].values,
              ElementsAre(int32_t{-1}, int32_t{-1}, int32_t{-1}, int32_t{-1}, int32_t{2017239379 % 16}));
  EXPECT_THAT(parts[2].values, ElementsAre(Literal(), Literal(), Literal(), Literal(), Literal()));
}

TEST(PartitionSplitter, ReadsEveryTypeOfValue) {
  const Schema schema(
      0, {NestedField::Optional(1, "b", Type::Boolean()), NestedField::Optional(2, "i", Type::Int()),
          NestedField::Optional(3, "d", Type::Date()), NestedField::Optional(4, "l", Type::Long()),
          NestedField::Optional(5, "t", Type::Time()), NestedField::Optional(6, "z", Type::TimestampTz()),
          NestedField::Optional(7, "f", Type::Float()), NestedField::Optional(8, "g", Type::Double()),
          NestedField::Optional(9, "s", Type::String()), NestedField::Optional(10, "y", Type::Binary()),
          NestedField::Optional(11, "x", Type::Fixed(2)), NestedField::Optional(12, "m", Type::Decimal(38, 2))});
  std::vector<std::pair<int32_t, std::string>> fields;
  for (int32_t id = 1; id <= 12; ++id) fields.emplace_back(id, "identity");
  const auto rows = test::RowsFromJson(
      ToArrowSchema(schema),
      R"([[true, -1, 2, 3, 4, 5, 0.5, -0.5, "ü", "bin", "fx", "-123456789012345678901234567890123456.78"],
          [null, null, null, null, null, null, null, null, null, null, null, null]])");
  const auto parts = Split(schema, Spec(fields), *rows);
  ASSERT_EQ(parts.size(), 2);
  __int128 unscaled = 0;
  for (char digit : std::string("12345678901234567890123456789012345678")) unscaled = unscaled * 10 + (digit - '0');
  const PartitionValues expected = {true, int32_t{-1}, int32_t{2}, int64_t{3},  int64_t{4}, int64_t{5},
                                    0.5F, -0.5,        Text("ü"),  Text("bin"), Text("fx"), Literal(-unscaled)};
  EXPECT_EQ(parts[0].values, expected);
  EXPECT_EQ(parts[1].values, PartitionValues(12));
}

TEST(PartitionSplitter, NansAreOneValueAndZerosTwo) {
  const Schema schema(0, {NestedField::Optional(1, "f", Type::Double())});
  const double nan = std::numeric_limits<double>::quiet_NaN();
  arrow::DoubleBuilder builder;
  for (double value : {nan, 0.0, -nan, -0.0, nan, 0.0}) ASSERT_TRUE(builder.Append(value).ok());
  const auto rows = arrow::RecordBatch::Make(ToArrowSchema(schema), 6, {*builder.Finish()});
  std::vector<int64_t> sizes;
  std::vector<double> values;
  PartitionSplitter(schema, Spec({{1, "identity"}})).Split(*rows, [&](const PartitionValues& v, const auto& part) {
    values.push_back(std::get<double>(v.front()));
    sizes.push_back(part.num_rows());
  });
  EXPECT_THAT(sizes, ElementsAre(2, 2, 1, 1));
  EXPECT_TRUE(std::isnan(values[0]));
  EXPECT_FALSE(std::signbit(values[1]));
  EXPECT_EQ(std::bit_cast<uint64_t>(values[2]), std::bit_cast<uint64_t>(values[0]));
  EXPECT_TRUE(std::signbit(values[3]));
}

TEST(PartitionSplitter, TakesSourcesOutOfStructs) {
  const Schema schema(
      0, {NestedField::Optional(1, "place", Type::Struct({NestedField::Optional(2, "city", Type::String())})),
          NestedField::Optional(3, "n", Type::Int())});
  const auto rows =
      test::RowsFromJson(ToArrowSchema(schema), R"([[["Rome"], 1], [null, 2], [[null], 3], [["Rome"], 4]])");
  std::vector<int64_t> sizes;
  std::vector<PartitionValues> values;
  PartitionSplitter(schema, Spec({{2, "identity"}})).Split(*rows, [&](const PartitionValues& v, const auto& part) {
    values.push_back(v);
    sizes.push_back(part.num_rows());
  });
  EXPECT_THAT(values, ElementsAre(PartitionValues{Text("Rome")}, PartitionValues{Literal()}));
  EXPECT_THAT(sizes, ElementsAre(2, 2));
}

// More pairs of values than fit a table: the way through a hash table.
TEST(PartitionSplitter, GroupsManyValues) {
  const Schema schema(0, {NestedField::Required(1, "a", Type::Int()), NestedField::Required(2, "b", Type::Int())});
  constexpr int kRows = 5000;
  arrow::Int32Builder a;
  arrow::Int32Builder b;
  for (int i = 0; i < kRows; ++i) {
    ASSERT_TRUE(a.Append(i * 7919 % kRows).ok());
    ASSERT_TRUE(b.Append(-(i * 7919 % kRows)).ok());
  }
  for (int i = 0; i < kRows; ++i) {
    ASSERT_TRUE(a.Append(i).ok());
    ASSERT_TRUE(b.Append(-i).ok());
  }
  const auto rows = arrow::RecordBatch::Make(ToArrowSchema(schema), 2 * kRows, {*a.Finish(), *b.Finish()});
  std::set<int32_t> seen;
  PartitionSplitter(schema, Spec({{1, "identity"}, {2, "identity"}}))
      .Split(*rows, [&](const PartitionValues& v, const arrow::RecordBatch& part) {
        const int32_t value = std::get<int32_t>(v[0]);
        EXPECT_EQ(std::get<int32_t>(v[1]), -value);
        EXPECT_TRUE(seen.insert(value).second);
        EXPECT_THAT(test::RowLines(part),
                    ElementsAre(fmt::format("{}|{}", value, -value), fmt::format("{}|{}", value, -value)));
      });
  EXPECT_EQ(seen.size(), kRows);
}

TEST(PartitionSplitter, SplitsASliceOfABatch) {
  const Schema schema = OrdersSchema();
  const auto rows =
      test::RowsFromJson(ToArrowSchema(schema), R"([[1, "eu"], [2, "us"], [3, "eu"], [4, "us"], [5, "eu"]])");
  const auto parts = Split(schema, Spec({{2, "identity"}}), *rows->Slice(1, 3));
  ASSERT_EQ(parts.size(), 2);
  EXPECT_THAT(parts[0].rows, ElementsAre("2|us", "4|us"));
  EXPECT_THAT(parts[1].rows, ElementsAre("3|eu"));
  EXPECT_TRUE(Split(schema, Spec({{2, "identity"}}), *rows->Slice(0, 0)).empty());
}

TEST(PartitionSplitter, RefusesWhatCantBeWritten) {
  const Schema schema = OrdersSchema();
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported,
                            [&] {
                              PartitionSplitter(schema, Spec({{1, "zorder"}}));
                            }),
              HasSubstr("'zorder'"));
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument,
                            [&] {
                              PartitionSplitter(schema, Spec({{9, "identity"}}));
                            }),
              HasSubstr("column id 9"));
  PartitionSpec several = Spec({{1, "identity"}});
  several.fields[0].source_ids = {1, 2};
  test::ErrorOf(ErrorKind::kUnsupported, [&] { PartitionSplitter(schema, several); });
}

}  // namespace
}  // namespace frazil::write
