// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/transform.h"

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_decimal.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/uuid.h"
#include "frazil/iceberg/arrow_schema.h"
#include "frazil/iceberg/murmur3.h"
#include "support/support.h"

namespace frazil::iceberg {
namespace {

using test::ErrorOf;
using ::testing::HasSubstr;

const Type kTimestampNs(TypeId::kTimestampNs);
const Type kTimestampTzNs(TypeId::kTimestampTzNs);

Literal Dec(int64_t unscaled) { return static_cast<__int128>(unscaled); }
Literal Str(std::string text) { return Literal(std::move(text)); }
Literal UuidOf(std::string_view text) {
  Uuid uuid = ParseUuid(text);
  return std::string(uuid.begin(), uuid.end());
}

template <typename Builder, typename T>
void AppendAs(arrow::ArrayBuilder& builder, const Literal& value) {
  Check(static_cast<Builder&>(builder).Append(std::get<T>(value)), "test");
}

void AppendValue(arrow::ArrayBuilder& builder, const Literal& value) {
  switch (builder.type()->id()) {
    case arrow::Type::INT32: return AppendAs<arrow::Int32Builder, int32_t>(builder, value);
    case arrow::Type::DATE32: return AppendAs<arrow::Date32Builder, int32_t>(builder, value);
    case arrow::Type::INT64: return AppendAs<arrow::Int64Builder, int64_t>(builder, value);
    case arrow::Type::TIME64: return AppendAs<arrow::Time64Builder, int64_t>(builder, value);
    case arrow::Type::TIMESTAMP: return AppendAs<arrow::TimestampBuilder, int64_t>(builder, value);
    case arrow::Type::STRING: return AppendAs<arrow::StringBuilder, std::string>(builder, value);
    case arrow::Type::BINARY: return AppendAs<arrow::BinaryBuilder, std::string>(builder, value);
    case arrow::Type::FIXED_SIZE_BINARY: return AppendAs<arrow::FixedSizeBinaryBuilder, std::string>(builder, value);
    case arrow::Type::DECIMAL128: {
      auto unscaled = std::get<__int128>(value);
      arrow::Decimal128 decimal(static_cast<int64_t>(unscaled >> 64), static_cast<uint64_t>(unscaled));
      return Check(static_cast<arrow::Decimal128Builder&>(builder).Append(decimal), "test");
    }
    default: FAIL() << builder.type()->ToString();
  }
}

std::shared_ptr<arrow::Array> Column(const Type& type, const std::vector<Literal>& values) {
  auto builder = Unwrap(arrow::MakeBuilder(ToArrowType(type)), "test");
  for (const Literal& value : values) {
    if (IsNull(value)) {
      Check(builder->AppendNull(), "test");
    } else {
      AppendValue(*builder, value);
    }
  }
  return Unwrap(builder->Finish(), "test");
}

/// The transform of each value, alone and as a column: whole, sliced at an odd offset, with nulls.
void ExpectTransform(const std::string& transform_text, const Type& source, const std::vector<Literal>& values,
                     const std::vector<Literal>& expected) {
  Transform transform = ParseTransform(transform_text);
  ASSERT_NE(transform.kind, TransformKind::kUnknown);
  const Type result = ResultType(transform, source);
  for (size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(ApplyTransform(transform, source, values[i]), expected[i])
        << transform_text << " " << source.ToString() << " " << ToHumanString(source, values[i]);
  }
  std::vector<Literal> with_nulls = {Literal()};
  std::vector<Literal> expected_with_nulls = {Literal()};
  for (size_t i = 0; i < values.size(); ++i) {
    with_nulls.insert(with_nulls.end(), {values[i], Literal()});
    expected_with_nulls.insert(expected_with_nulls.end(), {expected[i], Literal()});
  }
  auto column = ApplyTransform(transform, source, Column(source, values));
  EXPECT_TRUE(column->Equals(*Column(result, expected))) << transform_text << " " << column->ToString();
  EXPECT_TRUE(column->ValidateFull().ok());
  for (int64_t offset : {0, 1, 2}) {
    auto sliced = ApplyTransform(transform, source, Column(source, with_nulls)->Slice(offset));
    EXPECT_TRUE(sliced->Equals(*Column(result, expected_with_nulls)->Slice(offset)))
        << transform_text << " " << sliced->ToString();
    EXPECT_TRUE(sliced->ValidateFull().ok());
  }
}

TEST(Murmur3Test, VectorsOfTheSpec) {
  EXPECT_EQ(static_cast<int32_t>(Murmur3(int64_t{34})), 2017239379);
  EXPECT_EQ(static_cast<int32_t>(Murmur3Decimal(1420)), -500754589);
  EXPECT_EQ(static_cast<int32_t>(Murmur3(int64_t{17486})), -653330422);
  EXPECT_EQ(static_cast<int32_t>(Murmur3(int64_t{81068000000})), -662762989);
  EXPECT_EQ(static_cast<int32_t>(Murmur3(int64_t{1510871468000000})), -2047944441);
  EXPECT_EQ(static_cast<int32_t>(Murmur3(int64_t{1510871468000001})), -1207196810);
  EXPECT_EQ(static_cast<int32_t>(Murmur3(std::string_view("iceberg"))), 1210000089);
  EXPECT_EQ(static_cast<int32_t>(Murmur3(std::string_view("34"))), -427558391);
  EXPECT_EQ(static_cast<int32_t>(Murmur3(std::get<std::string>(UuidOf("f79c3e09-677c-4bbd-a479-3f349cb785e7")))),
            1488055340);
  EXPECT_EQ(static_cast<int32_t>(Murmur3(std::string_view("\0\1\2\3", 4))), -188683207);
  EXPECT_EQ(static_cast<int32_t>(Murmur3(int64_t{1})), 1392991556);
}

TEST(Murmur3Test, DecimalsHashTheirShortestBytes) {
  const std::vector<std::pair<int64_t, int32_t>> hashes = {{-1, -43192051},   {-128, 267099677},  {-32768, 1659329203},
                                                           {128, 1544076949}, {-129, -435537839}, {0, 1364076727},
                                                           {255, -582037868}, {-256, -1309567588}};
  for (const auto& [unscaled, hash] : hashes)
    EXPECT_EQ(static_cast<int32_t>(Murmur3Decimal(unscaled)), hash) << unscaled;
  for (int bits = 0; bits < 128; ++bits) {
    for (__int128 value : {static_cast<__int128>(1) << bits, -(static_cast<__int128>(1) << bits),
                           (static_cast<__int128>(1) << bits) - 1}) {
      EXPECT_EQ(Murmur3Decimal(value), Murmur3(std::string_view(ToBinary(Type::Decimal(38, 0), value)))) << bits;
    }
  }
}

TEST(TransformTest, TextAndBack) {
  for (const char* text : {"identity", "bucket[16]", "truncate[4]", "year", "month", "day", "hour", "void"}) {
    Transform transform = ParseTransform(text);
    EXPECT_NE(transform.kind, TransformKind::kUnknown);
    EXPECT_EQ(ToString(transform), text);
  }
  EXPECT_EQ(ParseTransform("bucket[16]"), (Transform{TransformKind::kBucket, 16, ""}));
  EXPECT_EQ(ParseTransform("Day").kind, TransformKind::kDay);
  for (const char* text : {"zorder-ish[4]", "bucket", "bucket[0]", "bucket[-1]", "bucket[x]", "bucket[16", "bucket16]",
                           "truncate[99999999999]", "", "buckets[4]"}) {
    EXPECT_EQ(ParseTransform(text), (Transform{TransformKind::kUnknown, 0, text}));
    EXPECT_EQ(ToString(ParseTransform(text)), text);
  }
}

TEST(TransformTest, ResultTypes) {
  auto result = [](const char* transform, const Type& source) { return ResultType(ParseTransform(transform), source); };
  EXPECT_EQ(result("identity", Type::Decimal(9, 2)), Type::Decimal(9, 2));
  EXPECT_EQ(result("bucket[4]", Type::String()), Type::Int());
  EXPECT_EQ(result("truncate[4]", Type::Binary()), Type::Binary());
  EXPECT_EQ(result("year", Type::Date()), Type::Int());
  EXPECT_EQ(result("month", kTimestampNs), Type::Int());
  EXPECT_EQ(result("day", Type::TimestampTz()), Type::Date());
  EXPECT_EQ(result("hour", Type::Timestamp()), Type::Int());
  EXPECT_EQ(result("void", Type(TypeId::kVariant)), Type(TypeId::kVariant));
  EXPECT_EQ(result("zorder[2]", Type::Int()), Type());

  const Type list = Type::List(NestedField::Optional(1, "element", Type::Int()));
  const std::vector<std::pair<const char*, Type>> misfits = {{"identity", list},
                                                             {"identity", Type(TypeId::kVariant)},
                                                             {"identity", Type(TypeId::kGeometry)},
                                                             {"bucket[4]", Type::Boolean()},
                                                             {"bucket[4]", Type::Float()},
                                                             {"bucket[4]", Type::Double()},
                                                             {"truncate[4]", Type::Uuid()},
                                                             {"truncate[4]", Type::Fixed(4)},
                                                             {"truncate[4]", Type::Date()},
                                                             {"year", Type::Int()},
                                                             {"month", Type::Time()},
                                                             {"day", Type::String()},
                                                             {"hour", Type::Date()}};
  for (const auto& [transform, source] : misfits) {
    EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { result(transform, source); }), HasSubstr(transform));
    EXPECT_THAT(
        ErrorOf(ErrorKind::kInvalidArgument, [&] { ApplyTransform(ParseTransform(transform), source, Literal()); }),
        HasSubstr(source.ToString()));
  }
}

TEST(TransformTest, Bucket) {
  ExpectTransform("bucket[16]", Type::Int(), {int32_t{34}}, {int32_t{2017239379 % 16}});
  ExpectTransform("bucket[16]", Type::Long(), {int64_t{34}}, {int32_t{2017239379 % 16}});
  ExpectTransform("bucket[1000]", Type::Date(), {int32_t{17486}}, {int32_t{(-653330422 & 0x7fffffff) % 1000}});
  ExpectTransform("bucket[1000]", Type::Time(), {int64_t{81068000000}}, {int32_t{(-662762989 & 0x7fffffff) % 1000}});
  for (const Type& type : {Type::Timestamp(), Type::TimestampTz()}) {
    ExpectTransform("bucket[1000]", type, {int64_t{1510871468000000}}, {int32_t{(-2047944441 & 0x7fffffff) % 1000}});
  }
  for (const Type& type : {kTimestampNs, kTimestampTzNs}) {
    ExpectTransform("bucket[16]", type, {int64_t{-1}, int64_t{-1500}, int64_t{1510871468000001001}},
                    {int32_t{8}, int32_t{5}, int32_t{6}});
  }
  ExpectTransform("bucket[16]", Type::Decimal(9, 2),
                  {Dec(-1), Dec(-128), Dec(-32768), Dec(128), Dec(-129), Dec(0), Dec(255), Dec(-256)},
                  {int32_t{13}, int32_t{13}, int32_t{3}, int32_t{5}, int32_t{1}, int32_t{7}, int32_t{4}, int32_t{12}});
  ExpectTransform("bucket[100]", Type::String(), {Str("iceberg"), Str("34")},
                  {int32_t{1210000089 % 100}, int32_t{(-427558391 & 0x7fffffff) % 100}});
  ExpectTransform("bucket[16]", Type::Uuid(), {UuidOf("f79c3e09-677c-4bbd-a479-3f349cb785e7")}, {int32_t{12}});
  ExpectTransform("bucket[128]", Type::Fixed(4), {Str(std::string("\0\1\2\3", 4))},
                  {int32_t{(-188683207 & 0x7fffffff) % 128}});
  ExpectTransform("bucket[128]", Type::Binary(), {Str(std::string("\0\1\2\3", 4))},
                  {int32_t{(-188683207 & 0x7fffffff) % 128}});
}

TEST(TransformTest, Truncate) {
  ExpectTransform("truncate[10]", Type::Int(), {int32_t{1}, int32_t{-1}, int32_t{-10}, int32_t{-11}, int32_t{0}},
                  {int32_t{0}, int32_t{-10}, int32_t{-10}, int32_t{-20}, int32_t{0}});
  ExpectTransform("truncate[10]", Type::Long(), {int64_t{5000000001}, int64_t{-5000000001}},
                  {int64_t{5000000000}, int64_t{-5000000010}});
  ExpectTransform("truncate[50]", Type::Decimal(9, 2), {Dec(1065), Dec(-5), Dec(-105), Dec(7)},
                  {Dec(1050), Dec(-50), Dec(-150), Dec(0)});
  ExpectTransform("truncate[50]", Type::Decimal(38, 2), {static_cast<__int128>(-7) << 70},
                  {(static_cast<__int128>(-7) << 70) - ((static_cast<__int128>(-7) << 70) % 50 + 50) % 50});
  ExpectTransform("truncate[2]", Type::String(), {Str("harbor"), Str("h"), Str(""), Str("üäö"), Str("a\U0001F600b")},
                  {Str("ha"), Str("h"), Str(""), Str("üä"), Str("a\U0001F600")});
  ExpectTransform("truncate[3]", Type::Binary(), {Str(std::string("\0\1\2\3", 4)), Str("ab"), Str("üü")},
                  {Str(std::string("\0\1\2", 3)), Str("ab"), Str("ü\xc3")});
}

TEST(TransformTest, TimeUnitsRoundDownBelow1970) {
  const std::vector<Literal> micros = {
      int64_t{-1}, int64_t{-3661000000},     int64_t{-2678400000000}, int64_t{-2203934400000000},
      int64_t{0},  int64_t{1635646500000000}};
  const std::vector<std::vector<Literal>> expected = {
      {int32_t{-1}, int32_t{-1}, int32_t{-1}, int32_t{-70}, int32_t{0}, int32_t{51}},
      {int32_t{-1}, int32_t{-1}, int32_t{-1}, int32_t{-839}, int32_t{0}, int32_t{621}},
      {int32_t{-1}, int32_t{-1}, int32_t{-31}, int32_t{-25509}, int32_t{0}, int32_t{18931}},
      {int32_t{-1}, int32_t{-2}, int32_t{-744}, int32_t{-612204}, int32_t{0}, int32_t{454346}}};
  const char* units[] = {"year", "month", "day", "hour"};
  std::vector<Literal> nanos;
  for (const Literal& value : micros) nanos.push_back(std::get<int64_t>(value) * 1000);
  for (int unit = 0; unit < 4; ++unit) {
    ExpectTransform(units[unit], Type::Timestamp(), micros, expected[unit]);
    ExpectTransform(units[unit], Type::TimestampTz(), micros, expected[unit]);
    ExpectTransform(units[unit], kTimestampNs, nanos, expected[unit]);
    ExpectTransform(units[unit], kTimestampTzNs, nanos, expected[unit]);
    if (unit < 3) ExpectTransform(units[unit], Type::Date(), expected[2], expected[unit]);
  }
  ExpectTransform("hour", kTimestampNs, {int64_t{-1}}, {int32_t{-1}});
}

TEST(TransformTest, IdentityAndVoid) {
  ExpectTransform("identity", Type::String(), {Str("a/b")}, {Str("a/b")});
  ExpectTransform("void", Type::String(), {Str("a/b"), Str("c")}, {Literal(), Literal()});
  ExpectTransform("void", Type::Long(), {int64_t{1}}, {Literal()});
}

TEST(TransformTest, RefusesUnknownTransformsAndOtherLayouts) {
  Transform unknown = ParseTransform("zorder[2]");
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { ApplyTransform(unknown, Type::Int(), int32_t{1}); }),
              HasSubstr("zorder[2]"));
  auto ints = Column(Type::Int(), {int32_t{1}});
  ErrorOf(ErrorKind::kUnsupported, [&] { ApplyTransform(unknown, Type::Int(), ints); });
  EXPECT_THAT(
      ErrorOf(ErrorKind::kInvalidArgument, [&] { ApplyTransform(ParseTransform("bucket[4]"), Type::Long(), ints); }),
      HasSubstr("int64, not int32"));
  auto nanos = Column(kTimestampNs, {int64_t{1}});
  ErrorOf(ErrorKind::kInvalidArgument, [&] { ApplyTransform(ParseTransform("day"), Type::Timestamp(), nanos); });
  auto other_zone =
      Unwrap(Column(Type::TimestampTz(), {int64_t{1}})->View(arrow::timestamp(arrow::TimeUnit::MICRO, "Z")), "test");
  EXPECT_EQ(ApplyTransform(ParseTransform("day"), Type::TimestampTz(), other_zone)->length(), 1);
}

TEST(TransformTest, PathStrings) {
  auto text = [](const char* transform, const Type& source, const Literal& value) {
    return ToPathString(ParseTransform(transform), source, value);
  };
  EXPECT_EQ(text("identity", Type::String(), Str("a/b=c")), "a/b=c");
  EXPECT_EQ(text("identity", Type::String(), Literal()), "null");
  EXPECT_EQ(text("identity", Type::Timestamp(), int64_t{-1}), "1969-12-31T23:59:59.999999");
  EXPECT_EQ(text("bucket[16]", Type::String(), int32_t{7}), "7");
  EXPECT_EQ(text("truncate[50]", Type::Decimal(9, 2), Dec(-50)), "-0.50");
  EXPECT_EQ(text("truncate[3]", Type::Binary(), Str(std::string("\0\1\2", 3))), "AAEC");
  EXPECT_EQ(text("year", Type::Date(), int32_t{54}), "2024");
  EXPECT_EQ(text("year", Type::Date(), int32_t{-1}), "1969");
  EXPECT_EQ(text("month", Type::Date(), int32_t{-1}), "1969-12");
  EXPECT_EQ(text("month", Type::Date(), int32_t{648}), "2024-01");
  EXPECT_EQ(text("day", Type::Timestamp(), int32_t{19723}), "2024-01-01");
  EXPECT_EQ(text("hour", Type::Timestamp(), int32_t{19723 * 24 + 3}), "2024-01-01-03");
  EXPECT_EQ(text("hour", Type::Timestamp(), int32_t{-1}), "1969-12-31-23");
  EXPECT_EQ(text("void", Type::Int(), int32_t{1}), "null");
  EXPECT_EQ(text("zorder[2]", Type::Int(), int32_t{5}), "5");
}

}  // namespace
}  // namespace frazil::iceberg
