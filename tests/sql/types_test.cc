// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/types.h"

#include <arrow/type.h>

#include "frazil/sql/parser.h"
#include "support/support.h"

namespace frazil::sql {
namespace {

using ::testing::HasSubstr;

TEST(Types, PrintAsFlinkDoes) {
  const std::pair<LogicalType, std::string_view> kTypes[] = {
      {NullType(), "NULL"},
      {BooleanType().NotNull(), "BOOLEAN NOT NULL"},
      {TinyIntType(), "TINYINT"},
      {SmallIntType(), "SMALLINT"},
      {IntType(), "INT"},
      {BigIntType(), "BIGINT"},
      {FloatType(), "FLOAT"},
      {DoubleType(), "DOUBLE"},
      {DecimalType(10, 2), "DECIMAL(10, 2)"},
      {CharType(3), "CHAR(3)"},
      {VarCharType(3), "VARCHAR(3)"},
      {StringType(), "STRING"},
      {BinaryType(3), "BINARY(3)"},
      {VarBinaryType(3), "VARBINARY(3)"},
      {BytesType(), "BYTES"},
      {DateType(), "DATE"},
      {TimeType(), "TIME(0)"},
      {TimestampType(3), "TIMESTAMP(3)"},
      {TimestampTzType(3), "TIMESTAMP(3) WITH TIME ZONE"},
      {TimestampLtzType(3), "TIMESTAMP_LTZ(3)"},
      {IntervalType(TimeUnit::kYear, TimeUnit::kMonth), "INTERVAL YEAR(2) TO MONTH"},
      {IntervalType(TimeUnit::kQuarter, TimeUnit::kQuarter), "INTERVAL MONTH"},
      {IntervalType(TimeUnit::kDay, TimeUnit::kSecond, 3, 3), "INTERVAL DAY(3) TO SECOND(3)"},
      {IntervalType(TimeUnit::kHour, TimeUnit::kMinute), "INTERVAL HOUR TO MINUTE"},
      {IntervalType(TimeUnit::kSecond, TimeUnit::kSecond, 2, 3), "INTERVAL SECOND(3)"},
      {ArrayType(IntType().NotNull()), "ARRAY<INT NOT NULL>"},
      {MultisetType(StringType()), "MULTISET<STRING>"},
      {MapType(StringType().NotNull(), RowType({{"a`b", IntType(), "it's"}, {"c", DateType(), ""}})),
       "MAP<STRING NOT NULL, ROW<`a``b` INT 'it''s', `c` DATE>>"},
      {RowType({}), "ROW<>"},
  };
  for (const auto& [type, text] : kTypes) {
    EXPECT_EQ(type.ToString(), text);
    if (type.Is(TypeRoot::kNull)) continue;
    EXPECT_EQ(ParseType(text), type) << text;
  }
  EXPECT_EQ(IntType().NotNull().ToStringWithoutNullability(), "INT");
}

TEST(Types, RefuseSizesOutOfRange) {
  const auto error = [](auto make) { return test::ErrorOf(ErrorKind::kInvalidArgument, make); };
  EXPECT_EQ(error([] { DecimalType(39, 0); }), "the precision of DECIMAL must be between 1 and 38, not 39");
  EXPECT_EQ(error([] { DecimalType(5, 6); }), "the scale of DECIMAL must be between 0 and 5, not 6");
  EXPECT_EQ(error([] { CharType(0); }), "the length of CHAR must be between 1 and 2147483647, not 0");
  EXPECT_EQ(error([] { BinaryType(0); }), "the length of BINARY must be between 1 and 2147483647, not 0");
  EXPECT_EQ(error([] { VarBinaryType(-1); }), "the length of VARBINARY must be between 1 and 2147483647, not -1");
  EXPECT_EQ(error([] { TimeType(10); }), "the precision of TIME must be between 0 and 9, not 10");
  EXPECT_EQ(error([] { TimestampType(10); }), "the precision of TIMESTAMP must be between 0 and 9, not 10");
  EXPECT_EQ(error([] { TimestampLtzType(-1); }), "the precision of TIMESTAMP_LTZ must be between 0 and 9, not -1");
  EXPECT_EQ(error([] { IntervalType(TimeUnit::kMonth, TimeUnit::kDay); }),
            "an interval of MONTH TO DAY does not exist");
  EXPECT_EQ(error([] { IntervalType(TimeUnit::kYear, TimeUnit::kMonth, 5); }),
            "the precision of YEAR in an interval must be between 1 and 4, not 5");
}

TEST(Types, CompareByValue) {
  EXPECT_EQ(RowType({{"a", IntType(), ""}}), RowType({{"a", IntType(), ""}}));
  EXPECT_FALSE(RowType({{"a", IntType(), ""}}) == RowType({{"b", IntType(), ""}}));
  EXPECT_FALSE(IntType() == IntType().NotNull());
  EXPECT_FALSE(DecimalType(10, 2) == DecimalType(10, 3));
  EXPECT_EQ(MapType(IntType(), StringType()).value(), StringType());
  EXPECT_EQ(MapType(IntType(), StringType()).key(), IntType());
  EXPECT_EQ(ArrayType(IntType()).element(), IntType());
  EXPECT_TRUE(DecimalType().IsExactNumeric());
  EXPECT_TRUE(TimestampLtzType().IsTimestamp());
  EXPECT_FALSE(DateType().IsTimestamp());
  EXPECT_TRUE(DateType().IsDatetime());
}

TEST(TimeUnits, AreFoundByEveryName) {
  EXPECT_EQ(ParseTimeUnit("day"), TimeUnit::kDay);
  EXPECT_EQ(ParseTimeUnit("Hours"), TimeUnit::kHour);
  EXPECT_EQ(ParseTimeUnit("SQL_TSI_MONTH"), TimeUnit::kMonth);
  EXPECT_EQ(ParseTimeUnit("FRAC_SECOND"), TimeUnit::kMicrosecond);
  EXPECT_EQ(ParseTimeUnit("EPOCH"), TimeUnit::kEpoch);
  for (std::string_view none : {"", "fortnight", "SQL_TSI_", "d"}) EXPECT_EQ(ParseTimeUnit(none), std::nullopt) << none;
  EXPECT_EQ(ToString(TimeUnit::kIsoYear), "ISOYEAR");
}

// ---- Arrow

TEST(Arrow, CarriesEveryType) {
  const std::pair<std::string_view, std::shared_ptr<arrow::DataType>> kTypes[] = {
      {"BOOLEAN", arrow::boolean()},
      {"TINYINT", arrow::int8()},
      {"SMALLINT", arrow::int16()},
      {"INT", arrow::int32()},
      {"BIGINT", arrow::int64()},
      {"FLOAT", arrow::float32()},
      {"DOUBLE", arrow::float64()},
      {"DECIMAL(38, 9)", arrow::decimal128(38, 9)},
      {"CHAR(3)", arrow::utf8()},
      {"VARCHAR(3)", arrow::utf8()},
      {"STRING", arrow::utf8()},
      {"BINARY(16)", arrow::fixed_size_binary(16)},
      {"VARBINARY(3)", arrow::binary()},
      {"BYTES", arrow::binary()},
      {"DATE", arrow::date32()},
      {"TIME(0)", arrow::time32(arrow::TimeUnit::MILLI)},
      {"TIME(3)", arrow::time32(arrow::TimeUnit::MILLI)},
      {"TIME(6)", arrow::time64(arrow::TimeUnit::MICRO)},
      {"TIME(9)", arrow::time64(arrow::TimeUnit::NANO)},
      {"TIMESTAMP(0)", arrow::timestamp(arrow::TimeUnit::SECOND)},
      {"TIMESTAMP(1)", arrow::timestamp(arrow::TimeUnit::MILLI)},
      {"TIMESTAMP(3)", arrow::timestamp(arrow::TimeUnit::MILLI)},
      {"TIMESTAMP(4)", arrow::timestamp(arrow::TimeUnit::MICRO)},
      {"TIMESTAMP(6)", arrow::timestamp(arrow::TimeUnit::MICRO)},
      {"TIMESTAMP(7)", arrow::timestamp(arrow::TimeUnit::NANO)},
      {"TIMESTAMP_LTZ(9)", arrow::timestamp(arrow::TimeUnit::NANO, "UTC")},
      {"INTERVAL YEAR TO MONTH", arrow::month_interval()},
      {"INTERVAL DAY TO SECOND", arrow::duration(arrow::TimeUnit::MILLI)},
      {"ARRAY<INT NOT NULL>", arrow::list(arrow::field("element", arrow::int32(), false))},
      {"MAP<STRING, INT>", arrow::map(arrow::utf8(), arrow::int32())},
      {"MULTISET<STRING>", arrow::map(arrow::utf8(), arrow::field("value", arrow::int32(), false))},
      {"ROW<a INT, b STRING NOT NULL>",
       arrow::struct_({arrow::field("a", arrow::int32()), arrow::field("b", arrow::utf8(), false)})},
  };
  for (const auto& [text, type] : kTypes) {
    EXPECT_TRUE(ToArrow(ParseType(text))->Equals(*type)) << text << ": " << ToArrow(ParseType(text))->ToString();
  }
  EXPECT_TRUE(ToArrow(NullType())->Equals(*arrow::null()));
  EXPECT_EQ(test::ErrorOf(ErrorKind::kUnsupported, [] { ToArrow(TimestampTzType(3)); }),
            "the type TIMESTAMP(3) WITH TIME ZONE is not supported: use TIMESTAMP_LTZ(3)");
}

TEST(Arrow, ComesBack) {
  for (std::string_view text : {"BOOLEAN",
                                "TINYINT",
                                "SMALLINT",
                                "INT",
                                "BIGINT",
                                "FLOAT",
                                "DOUBLE",
                                "DECIMAL(38, 9)",
                                "STRING",
                                "BINARY(16)",
                                "BYTES",
                                "DATE",
                                "TIME(3)",
                                "TIME(6)",
                                "TIMESTAMP(0)",
                                "TIMESTAMP(3)",
                                "TIMESTAMP(6)",
                                "TIMESTAMP(9)",
                                "TIMESTAMP_LTZ(6)",
                                "INTERVAL YEAR(2) TO MONTH",
                                "ARRAY<INT NOT NULL>",
                                "ROW<`a` INT, `b` ARRAY<STRING>>"}) {
    EXPECT_EQ(FromArrow(*ToArrow(ParseType(text))).ToString(), text);
  }
  EXPECT_EQ(FromArrow(*arrow::map(arrow::utf8(), arrow::int32()), false).ToString(),
            "MAP<STRING NOT NULL, INT> NOT NULL");
  EXPECT_EQ(FromArrow(*arrow::uint32()).ToString(), "BIGINT");
  EXPECT_EQ(FromArrow(*arrow::large_utf8()).ToString(), "STRING");
  EXPECT_EQ(FromArrow(*arrow::dictionary(arrow::int32(), arrow::utf8())).ToString(), "STRING");
  EXPECT_EQ(FromArrow(*arrow::timestamp(arrow::TimeUnit::MICRO, "+02:00")).ToString(), "TIMESTAMP_LTZ(6)");
  EXPECT_EQ(FromArrow(*arrow::fixed_size_list(arrow::int8(), 2)).ToString(), "ARRAY<TINYINT>");
  EXPECT_EQ(test::ErrorOf(ErrorKind::kUnsupported, [] { FromArrow(*arrow::uint64()); }),
            "the Arrow type uint64 has no Flink SQL type");
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [] { FromArrow(*arrow::decimal256(50, 2)); }),
              HasSubstr("0 ≤ s ≤ p ≤ 38"));

  const std::vector<RowField> fields = {{"a", IntType().NotNull(), ""}, {"b", StringType(), ""}};
  EXPECT_EQ(FromArrowSchema(*ToArrowSchema(fields)), fields);
  EXPECT_FALSE(ToArrowSchema(fields)->field(0)->nullable());
}

// ---- Rules

bool Implicit(std::string_view from, std::string_view to) { return CanImplicitlyCast(ParseType(from), ParseType(to)); }
bool Explicit(std::string_view from, std::string_view to) { return CanExplicitlyCast(ParseType(from), ParseType(to)); }

TEST(Casts, AreImplicitWhereFlinkDoesThem) {
  const std::pair<std::string_view, std::string_view> kYes[] = {
      {"TINYINT", "BIGINT"},
      {"INT", "DECIMAL(5, 2)"},
      {"BIGINT", "FLOAT"},
      {"DECIMAL(10, 2)", "DOUBLE"},
      {"FLOAT", "DOUBLE"},
      {"DOUBLE", "DECIMAL(5, 2)"},
      {"CHAR(3)", "STRING"},
      {"STRING", "VARCHAR(3)"},
      {"BINARY(3)", "BYTES"},
      {"TIMESTAMP(3)", "TIMESTAMP_LTZ(3)"},
      {"TIMESTAMP_LTZ(3)", "TIMESTAMP(6)"},
      {"TIMESTAMP(3)", "DATE"},
      {"INT", "INT NOT NULL"},
      {"ARRAY<INT>", "ARRAY<BIGINT>"},
      {"ROW<a INT>", "ROW<b BIGINT>"},
      {"MAP<STRING, INT>", "MAP<STRING, BIGINT>"},
  };
  for (const auto& [from, to] : kYes) EXPECT_TRUE(Implicit(from, to)) << from << " → " << to;
  const std::pair<std::string_view, std::string_view> kNo[] = {
      {"BIGINT", "INT"},
      {"STRING", "INT"},
      {"INT", "STRING"},
      {"STRING", "CHAR(3)"},
      {"DOUBLE", "FLOAT"},
      {"DOUBLE", "BIGINT"},
      {"BOOLEAN", "INT"},
      {"STRING", "DATE"},
      {"DATE", "INT"},
      {"BYTES", "STRING"},
      {"DATE", "TIMESTAMP(3)"},
      {"ROW<a INT>", "ROW<a INT, b INT>"},
      {"ARRAY<STRING>", "ARRAY<INT>"},
      {"ARRAY<INT>", "MAP<INT, INT>"},
  };
  for (const auto& [from, to] : kNo) EXPECT_FALSE(Implicit(from, to)) << from << " → " << to;
  EXPECT_TRUE(CanImplicitlyCast(NullType(), ParseType("ROW<a INT>")));
}

TEST(Casts, AreExplicitWhereFlinkKnowsThem) {
  const std::pair<std::string_view, std::string_view> kYes[] = {
      {"STRING", "INT"},         {"BIGINT", "TINYINT"},
      {"DOUBLE", "INT"},         {"BOOLEAN", "INT"},
      {"INT", "BOOLEAN"},        {"STRING", "BOOLEAN"},
      {"STRING", "DATE"},        {"DATE", "TIMESTAMP(3)"},
      {"TIME", "TIMESTAMP"},     {"STRING", "BYTES"},
      {"BYTES", "STRING"},       {"ROW<a INT>", "STRING"},
      {"TIMESTAMP_LTZ", "DATE"}, {"INTERVAL DAY", "BIGINT"},
      {"STRING", "CHAR(3)"},     {"ARRAY<STRING>", "ARRAY<INT>"},
      {"INT", "INTERVAL YEAR"},  {"INTERVAL SECOND", "DECIMAL(5, 2)"},
  };
  for (const auto& [from, to] : kYes) EXPECT_TRUE(Explicit(from, to)) << from << " → " << to;
  const std::pair<std::string_view, std::string_view> kNo[] = {
      {"DATE", "INT"},
      {"INT", "DATE"},
      {"TIMESTAMP", "BIGINT"},
      {"BYTES", "INT"},
      {"DOUBLE", "BOOLEAN"},
      {"STRING", "ARRAY<INT>"},
      {"DATE", "BOOLEAN"},
      {"ROW<a INT>", "ROW<a INT, b INT>"},
      {"BIGINT", "TIMESTAMP"},
      {"INT", "BYTES"},
      {"INTERVAL YEAR TO MONTH", "INT"},
      {"INT", "INTERVAL DAY TO SECOND"},
  };
  for (const auto& [from, to] : kNo) EXPECT_FALSE(Explicit(from, to)) << from << " → " << to;
}

std::string Common(std::string_view left, std::string_view right) {
  const auto type = CommonType(ParseType(left), ParseType(right));
  const auto swapped = CommonType(ParseType(right), ParseType(left));
  const auto text = [](const std::optional<LogicalType>& found) { return found ? found->ToString() : "none"; };
  EXPECT_EQ(text(type), text(swapped));
  return text(type);
}

TEST(CommonTypes, AreTheLeastRestrictive) {
  EXPECT_EQ(Common("INT", "BIGINT NOT NULL"), "BIGINT");
  EXPECT_EQ(Common("INT NOT NULL", "SMALLINT NOT NULL"), "INT NOT NULL");
  EXPECT_EQ(Common("INT", "DECIMAL(5, 2)"), "DECIMAL(12, 2)");
  EXPECT_EQ(Common("DECIMAL(10, 2)", "DECIMAL(8, 6)"), "DECIMAL(14, 6)");
  EXPECT_EQ(Common("DECIMAL(38, 0)", "DECIMAL(38, 10)"), "DECIMAL(38, 0)");
  EXPECT_EQ(Common("FLOAT", "BIGINT"), "FLOAT");
  EXPECT_EQ(Common("FLOAT", "DECIMAL(5, 2)"), "DOUBLE");
  EXPECT_EQ(Common("DOUBLE", "INT"), "DOUBLE");
  EXPECT_EQ(Common("CHAR(3)", "CHAR(3)"), "CHAR(3)");
  EXPECT_EQ(Common("CHAR(1)", "CHAR(3)"), "VARCHAR(3)");
  EXPECT_EQ(Common("CHAR(1)", "STRING"), "STRING");
  EXPECT_EQ(Common("BINARY(1)", "VARBINARY(3)"), "VARBINARY(3)");
  EXPECT_EQ(Common("DATE", "TIMESTAMP(3)"), "TIMESTAMP(3)");
  EXPECT_EQ(Common("TIMESTAMP(3)", "TIMESTAMP(6)"), "TIMESTAMP(6)");
  EXPECT_EQ(Common("TIMESTAMP(3)", "TIMESTAMP_LTZ(0)"), "TIMESTAMP_LTZ(3)");
  EXPECT_EQ(Common("INTERVAL DAY", "INTERVAL HOUR TO SECOND(3)"), "INTERVAL DAY(2) TO SECOND(6)");
  EXPECT_EQ(Common("ARRAY<INT>", "ARRAY<BIGINT>"), "ARRAY<BIGINT>");
  EXPECT_EQ(Common("ROW<a INT, b CHAR(1)>", "ROW<a BIGINT, b STRING>"), "ROW<`a` BIGINT, `b` STRING>");
  EXPECT_EQ(Common("MAP<STRING, INT>", "MAP<STRING, DOUBLE>"), "MAP<STRING, DOUBLE>");
  for (const auto& [left, right] : {std::pair{"INT", "STRING"},
                                    {"BOOLEAN", "INT"},
                                    {"TIME", "TIMESTAMP"},
                                    {"DATE", "STRING"},
                                    {"ARRAY<INT>", "ARRAY<STRING>"},
                                    {"ROW<a INT>", "ROW<a INT, b INT>"},
                                    {"INTERVAL DAY", "INTERVAL YEAR"}}) {
    EXPECT_EQ(Common(left, right), "none") << left << ", " << right;
  }
  EXPECT_EQ(CommonType({NullType(), IntType().NotNull(), BigIntType().NotNull()})->ToString(), "BIGINT");
  EXPECT_EQ(CommonType(NullType(), NullType())->ToString(), "NULL");
  EXPECT_EQ(CommonType(std::vector<LogicalType>{}), std::nullopt);
  EXPECT_EQ(CommonType({IntType(), StringType(), IntType()}), std::nullopt);
}

std::string Arithmetic(std::string_view left, ArithmeticOp op, std::string_view right) {
  const auto type = NumericArithmeticType(op, ParseType(left), ParseType(right));
  return type ? type->ToString() : "none";
}

TEST(Arithmetic, FollowsFlinksDecimalRules) {
  using enum ArithmeticOp;
  EXPECT_EQ(Arithmetic("DECIMAL(10, 2)", kAdd, "DECIMAL(8, 4)"), "DECIMAL(13, 4)");
  EXPECT_EQ(Arithmetic("DECIMAL(10, 2)", kSubtract, "INT"), "DECIMAL(13, 2)");
  EXPECT_EQ(Arithmetic("DECIMAL(10, 2)", kMultiply, "DECIMAL(8, 4)"), "DECIMAL(19, 6)");
  EXPECT_EQ(Arithmetic("DECIMAL(10, 2)", kDivide, "DECIMAL(8, 4)"), "DECIMAL(23, 11)");
  EXPECT_EQ(Arithmetic("DECIMAL(3, 1)", kDivide, "DECIMAL(2, 1)"), "DECIMAL(9, 6)");
  EXPECT_EQ(Arithmetic("DECIMAL(10, 2)", kModulo, "DECIMAL(8, 4)"), "DECIMAL(8, 4)");
  EXPECT_EQ(Arithmetic("DECIMAL(10, 0)", kModulo, "DECIMAL(5, 0)"), "DECIMAL(5, 0)");
  EXPECT_EQ(Arithmetic("DECIMAL(10, 0)", kModulo, "DECIMAL(11, 0)"), "DECIMAL(10, 0)");
  // Beyond 38 digits the scale gives way, down to six.
  EXPECT_EQ(Arithmetic("DECIMAL(38, 10)", kAdd, "DECIMAL(38, 10)"), "DECIMAL(38, 9)");
  EXPECT_EQ(Arithmetic("DECIMAL(38, 18)", kMultiply, "DECIMAL(38, 18)"), "DECIMAL(38, 6)");
  EXPECT_EQ(Arithmetic("DECIMAL(38, 2)", kMultiply, "DECIMAL(38, 2)"), "DECIMAL(38, 4)");
  EXPECT_EQ(Arithmetic("DECIMAL(38, 10)", kDivide, "DECIMAL(38, 10)"), "DECIMAL(38, 6)");
  EXPECT_EQ(DecimalArithmeticType(kAdd, DecimalType(5, 2).NotNull(), BigIntType().NotNull()).ToString(),
            "DECIMAL(22, 2) NOT NULL");
}

TEST(Arithmetic, OfOtherNumbers) {
  using enum ArithmeticOp;
  EXPECT_EQ(Arithmetic("INT", kDivide, "INT"), "INT");
  EXPECT_EQ(Arithmetic("TINYINT NOT NULL", kAdd, "SMALLINT NOT NULL"), "SMALLINT NOT NULL");
  EXPECT_EQ(Arithmetic("BIGINT", kModulo, "INT"), "INT");
  EXPECT_EQ(Arithmetic("INT", kModulo, "BIGINT"), "BIGINT");
  EXPECT_EQ(Arithmetic("FLOAT", kMultiply, "INT"), "FLOAT");
  EXPECT_EQ(Arithmetic("FLOAT", kMultiply, "DECIMAL(5, 2)"), "DOUBLE");
  EXPECT_EQ(Arithmetic("DOUBLE", kAdd, "DECIMAL(5, 2)"), "DOUBLE");
  EXPECT_EQ(Arithmetic("STRING", kAdd, "INT"), "none");
  EXPECT_EQ(AsDecimal(BigIntType().NotNull()).ToString(), "DECIMAL(19, 0) NOT NULL");
  EXPECT_EQ(test::ErrorOf(ErrorKind::kInternal, [] { AsDecimal(DoubleType()); }), "DOUBLE is no exact number");
}

TEST(Arithmetic, OfAggregates) {
  EXPECT_EQ(SumType(IntType().NotNull()).ToString(), "INT");
  EXPECT_EQ(SumType(DecimalType(10, 2)).ToString(), "DECIMAL(38, 2)");
  EXPECT_EQ(SumType(DoubleType()).ToString(), "DOUBLE");
  EXPECT_EQ(AvgType(DecimalType(10, 2)).ToString(), "DECIMAL(38, 6)");
  EXPECT_EQ(AvgType(DecimalType(10, 8)).ToString(), "DECIMAL(38, 8)");
  EXPECT_EQ(AvgType(IntType()).ToString(), "INT");
}

}  // namespace
}  // namespace frazil::sql
