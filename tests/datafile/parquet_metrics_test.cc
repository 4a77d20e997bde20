// SPDX-License-Identifier: Apache-2.0
// The figures that go into manifests, byte by byte.
#include <cmath>
#include <limits>

#include <arrow/builder.h>

#include "data_files.h"

namespace frazil::datafile {
namespace {

using iceberg::ColumnMetrics;
using iceberg::NestedField;
using iceberg::Schema;
using iceberg::Type;
using iceberg::TypeId;
using test::ScratchDir;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

std::string Hex(const std::string& bytes) {
  std::string hex;
  for (unsigned char c : bytes) hex += fmt::format("{:02x}", c);
  return hex;
}

ColumnMetrics MetricsFor(const Type& type, const std::string& json, const OptionMap& properties = {}) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "c", type)});
  return WriteFile(dir / "f.parquet", schema, {Rows(schema, {json})}, properties).metrics;
}

/// "<lower hex> <upper hex>", "-" for a bound that isn't there.
std::string BoundsFor(const Type& type, const std::string& json, const OptionMap& properties = {}) {
  ColumnMetrics metrics = MetricsFor(type, json, properties);
  auto bound = [](const std::map<int32_t, std::string>& bounds) {
    return bounds.contains(1) ? Hex(bounds.at(1)) : std::string("-");
  };
  return bound(metrics.lower_bounds) + " " + bound(metrics.upper_bounds);
}

std::string TextBounds(const std::string& json, const OptionMap& properties = {}) {
  ColumnMetrics metrics = MetricsFor(Type::String(), json, properties);
  auto bound = [](const std::map<int32_t, std::string>& bounds) { return bounds.contains(1) ? bounds.at(1) : "-"; };
  return bound(metrics.lower_bounds) + ".." + bound(metrics.upper_bounds);
}

TEST(ParquetBounds, AreBinarySingleValues) {
  EXPECT_EQ(BoundsFor(Type::Boolean(), "[true, true]"), "01 01");
  EXPECT_EQ(BoundsFor(Type::Boolean(), "[true, false]"), "00 01");
  EXPECT_EQ(BoundsFor(Type::Int(), "[-1, 5]"), "ffffffff 05000000");
  EXPECT_EQ(BoundsFor(Type::Long(), "[-1, 1]"), "ffffffffffffffff 0100000000000000");
  EXPECT_EQ(BoundsFor(Type::Float(), "[1.0]"), "0000803f 0000803f");
  EXPECT_EQ(BoundsFor(Type::Double(), "[1.0, 2.0]"), "000000000000f03f 0000000000000040");
  EXPECT_EQ(BoundsFor(Type::Date(), "[-1, 1]"), "ffffffff 01000000");
  EXPECT_EQ(BoundsFor(Type::Time(), "[1]"), "0100000000000000 0100000000000000");
  EXPECT_EQ(BoundsFor(Type::Timestamp(), "[-1]"), "ffffffffffffffff ffffffffffffffff");
  EXPECT_EQ(BoundsFor(Type::TimestampTz(), "[256]"), "0001000000000000 0001000000000000");
  EXPECT_EQ(BoundsFor(Type(TypeId::kTimestampNs), "[-1]"), "ffffffffffffffff ffffffffffffffff");
  EXPECT_EQ(BoundsFor(Type::Fixed(3), R"(["abc", "abd"])"), "616263 616264");
}

TEST(ParquetBounds, OfDecimalsAreMinimalBigEndian) {
  EXPECT_EQ(BoundsFor(Type::Decimal(9, 2), R"(["14.20", "-0.01"])"), "ff 058c");
  EXPECT_EQ(BoundsFor(Type::Decimal(18, 2), R"(["14.20", "-0.01"])"), "ff 058c");
  EXPECT_EQ(BoundsFor(Type::Decimal(38, 2), R"(["14.20", "-0.01"])"), "ff 058c");
  EXPECT_EQ(BoundsFor(Type::Decimal(19, 0), R"(["-9999999999999999999", "128"])"), "ff7538dcfb76180001 0080");
}

TEST(ParquetBounds, OfUuidsAreUnsignedAndWhole) {
  EXPECT_EQ(BoundsFor(Type::Uuid(), R"(["0123456789abcdef", "ÿ123456789abcde"])"),
            Hex("0123456789abcdef") + " " + Hex("ÿ123456789abcde"));
}

TEST(ParquetBounds, OfFloatsOrderMinusZeroFirst) {
  EXPECT_EQ(BoundsFor(Type::Double(), "[0.0]"), "0000000000000000 0000000000000000");
  EXPECT_EQ(BoundsFor(Type::Double(), "[0.0, -0.0]"), "0000000000000080 0000000000000000");
  EXPECT_EQ(BoundsFor(Type::Double(), "[-0.0]"), "0000000000000080 0000000000000080");
  EXPECT_EQ(BoundsFor(Type::Float(), "[-0.0, 0.0]"), "00000080 00000000");
  EXPECT_EQ(BoundsFor(Type::Float(), "[Inf, -Inf]"), "000080ff 0000807f");
}

TEST(ParquetBounds, LeaveOutNaN) {
  ColumnMetrics metrics = MetricsFor(Type::Double(), "[NaN, 1.0, 2.0, null]");
  EXPECT_THAT(metrics.value_counts, ElementsAre(Pair(1, 4)));
  EXPECT_THAT(metrics.null_value_counts, ElementsAre(Pair(1, 1)));
  EXPECT_THAT(metrics.nan_value_counts, ElementsAre(Pair(1, 1)));
  EXPECT_EQ(Hex(metrics.lower_bounds.at(1)), "000000000000f03f");
  EXPECT_EQ(Hex(metrics.upper_bounds.at(1)), "0000000000000040");
  EXPECT_EQ(BoundsFor(Type::Float(), "[NaN, NaN, null]"), "- -");
  EXPECT_THAT(MetricsFor(Type::Float(), "[NaN, NaN, null]").nan_value_counts, ElementsAre(Pair(1, 2)));
}

TEST(ParquetBounds, AreMissingWithoutValues) {
  for (const Type& type : {Type::Int(), Type::Double(), Type::String(), Type::Decimal(30, 2)}) {
    ColumnMetrics metrics = MetricsFor(type, "[null, null]");
    EXPECT_THAT(metrics.null_value_counts, ElementsAre(Pair(1, 2)));
    EXPECT_THAT(metrics.lower_bounds, IsEmpty());
    EXPECT_THAT(metrics.upper_bounds, IsEmpty());
  }
  EXPECT_EQ(TextBounds(R"([""])"), "..");
}

TEST(ParquetBounds, OfStringsAreCutAt16CodePoints) {
  EXPECT_EQ(TextBounds(R"(["0123456789abcdef"])"), "0123456789abcdef..0123456789abcdef");
  EXPECT_EQ(TextBounds(R"(["0123456789abcdefg"])"), "0123456789abcdef..0123456789abcdeg");
  EXPECT_EQ(TextBounds(R"(["0123456789abcde😀x", "b"])"), "0123456789abcde😀..b");
  EXPECT_EQ(TextBounds(R"(["0123456789abcde😀x"])"), "0123456789abcde😀..0123456789abcde😁");
  EXPECT_EQ(TextBounds(R"(["b", "a", null, "ä"])"), "a..ä");
}

TEST(ParquetBounds, FollowTheMode) {
  const std::string kDefault = "write.metadata.metrics.default";
  const std::string json = R"(["aaaa", "bbbb"])";
  EXPECT_EQ(TextBounds(json, {{kDefault, "truncate(2)"}}), "aa..bc");
  EXPECT_EQ(TextBounds(json, {{kDefault, "full"}}), "aaaa..bbbb");
  EXPECT_EQ(TextBounds(json, {{kDefault, "counts"}}), "-..-");
  EXPECT_EQ(TextBounds(json, {{kDefault, "none"}, {"write.metadata.metrics.column.c", "truncate(3)"}}), "aaa..bbc");
  EXPECT_EQ(TextBounds("[\"\U0010FFFF\U0010FFFFx\"]", {{kDefault, "truncate(2)"}}), "\U0010FFFF\U0010FFFF..-");
  EXPECT_EQ(MetricsFor(Type::String(), json, {{kDefault, "none"}}), ColumnMetrics());
  EXPECT_THAT(MetricsFor(Type::String(), json, {{kDefault, "counts"}}).value_counts, ElementsAre(Pair(1, 2)));
}

TEST(ParquetBounds, OfBinaryAreCutByByte) {
  OptionMap two = {{"write.metadata.metrics.default", "truncate(2)"}};
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "c", Type::Binary())});
  auto bounds = [&](const std::vector<std::string>& values) {
    arrow::BinaryBuilder builder;
    for (const std::string& value : values) EXPECT_TRUE(builder.Append(value).ok());
    auto array = builder.Finish().ValueOrDie();
    auto batch = arrow::RecordBatch::Make(iceberg::ToArrowSchema(schema), array->length(), {array});
    static int n = 0;
    ColumnMetrics metrics = WriteFile(dir / fmt::format("f{}.parquet", n++), schema, {batch}, two).metrics;
    return Hex(metrics.lower_bounds.at(1)) + " " +
           (metrics.upper_bounds.contains(1) ? Hex(metrics.upper_bounds.at(1)) : "-");
  };
  EXPECT_EQ(bounds({"\xff\xff\x01"}), "ffff -");
  EXPECT_EQ(bounds({"\x01\xff\x01"}), "01ff 02");
  EXPECT_EQ(bounds({std::string("\0\0\0", 3), "\x80"}), "0000 80");
}

TEST(ParquetBounds, SurviveValuesThatParquetsStatisticsDrop) {
  std::string longest(10'000, 'z');
  EXPECT_EQ(TextBounds(fmt::format(R"(["{}", "a"])", longest)), "a..zzzzzzzzzzzzzzz{");
}

TEST(ParquetBounds, CoverAllRowGroups) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "i", Type::Int()), NestedField::Optional(2, "s", Type::String())});
  OptionMap tiny = {{"write.parquet.row-group-size-bytes", "1"},
                    {"write.parquet.row-group-check-min-record-count", "2"},
                    {"write.parquet.row-group-check-max-record-count", "2"}};
  auto file = WriteFile(dir / "f.parquet", schema,
                        {Rows(schema, {"[5, 6, null, null, -3, 4]", R"(["m", "n", null, null, "a", "z"])"})}, tiny);
  EXPECT_EQ(file.split_offsets.size(), 3u);
  EXPECT_EQ(Hex(file.metrics.lower_bounds.at(1)), "fdffffff");
  EXPECT_EQ(Hex(file.metrics.upper_bounds.at(1)), "06000000");
  EXPECT_EQ(file.metrics.lower_bounds.at(2), "a");
  EXPECT_EQ(file.metrics.upper_bounds.at(2), "z");
  EXPECT_THAT(file.metrics.value_counts, ElementsAre(Pair(1, 6), Pair(2, 6)));
  EXPECT_THAT(file.metrics.null_value_counts, ElementsAre(Pair(1, 2), Pair(2, 2)));
}

TEST(ParquetMetrics, OfNestedFieldsCountAndBoundOnlyWhatIsNotRepeated) {
  ScratchDir dir;
  Schema schema(0, {NestedField::Optional(1, "s",
                                          Type::Struct({NestedField::Optional(2, "a", Type::Int()),
                                                        NestedField::Optional(3, "d", Type::Double())})),
                    NestedField::Optional(4, "l", Type::List(NestedField::Optional(5, "element", Type::Double()))),
                    NestedField::Optional(6, "m",
                                          Type::Map(NestedField::Required(7, "key", Type::String()),
                                                    NestedField::Optional(8, "value", Type::Int())))});
  auto file = WriteFile(dir / "f.parquet", schema,
                        {Rows(schema, {R"([{"a": 1, "d": NaN}, null, {"a": 3, "d": 2.0}])",
                                       "[[1.0, NaN, null], [], null]", R"([[["k", 1], ["l", null]], null, []])"})});
  const ColumnMetrics& metrics = file.metrics;
  EXPECT_THAT(metrics.value_counts, ElementsAre(Pair(2, 3), Pair(3, 3), Pair(5, 5), Pair(7, 4), Pair(8, 4)));
  EXPECT_THAT(metrics.null_value_counts, ElementsAre(Pair(2, 1), Pair(3, 1), Pair(5, 3), Pair(7, 2), Pair(8, 3)));
  EXPECT_THAT(metrics.nan_value_counts, ElementsAre(Pair(3, 1), Pair(5, 1)));
  EXPECT_EQ(Hex(metrics.lower_bounds.at(2)), "01000000");
  EXPECT_EQ(Hex(metrics.upper_bounds.at(2)), "03000000");
  EXPECT_EQ(metrics.lower_bounds.at(3), metrics.upper_bounds.at(3));
  EXPECT_EQ(metrics.lower_bounds.size(), 2u);
  EXPECT_EQ(metrics.upper_bounds.size(), 2u);
  EXPECT_EQ(metrics.column_sizes.size(), 5u);
}

TEST(ParquetMetrics, StopAfterTheFirstHundredColumns) {
  ScratchDir dir;
  std::vector<NestedField> fields;
  std::vector<std::string> json;
  fields.push_back(
      NestedField::Optional(1000, "nested", Type::Struct({NestedField::Optional(1001, "x", Type::Int())})));
  json.push_back(R"([{"x": 1}])");
  for (int i = 1; i <= 100; ++i) {
    fields.push_back(NestedField::Optional(i, fmt::format("c{}", i), Type::Int()));
    json.push_back("[1]");
  }
  Schema schema(0, fields);
  auto metrics = WriteFile(dir / "f.parquet", schema, {Rows(schema, json)}).metrics;
  EXPECT_EQ(metrics.value_counts.size(), 100u);
  EXPECT_TRUE(metrics.value_counts.contains(100));
  EXPECT_FALSE(metrics.value_counts.contains(1001));
  auto fewer = WriteFile(dir / "g.parquet", schema, {Rows(schema, json)},
                         {{"write.metadata.metrics.max-inferred-column-defaults", "2"},
                          {"write.metadata.metrics.column.nested.x", "counts"}})
                   .metrics;
  EXPECT_THAT(fewer.value_counts, ElementsAre(Pair(1, 1), Pair(2, 1), Pair(1001, 1)));
  EXPECT_EQ(fewer.lower_bounds.size(), 2u);
}

TEST(ParquetMetrics, AreOnlyTheSizeWithoutStatistics) {
  ColumnMetrics metrics = MetricsFor(Type::Int(), "[1, 2]", {{"write.parquet.stats-enabled.column.c", "false"}});
  EXPECT_THAT(metrics.value_counts, IsEmpty());
  EXPECT_THAT(metrics.lower_bounds, IsEmpty());
  EXPECT_EQ(metrics.column_sizes.size(), 1u);
}

}  // namespace
}  // namespace frazil::datafile
