// SPDX-License-Identifier: Apache-2.0
// Scalar expressions from text to value: binder, evaluator, casts and every function.
#include <arrow/builder.h>
#include <arrow/record_batch.h>
#include <arrow/scalar.h>

#include "frazil/base/arrow_status.h"
#include "frazil/sql/cast.h"
#include "frazil/sql/evaluator.h"
#include "frazil/sql/expression_binder.h"
#include "frazil/sql/functions.h"
#include "frazil/sql/parser.h"
#include "support/support.h"

namespace frazil::sql {
namespace {

using ::testing::HasSubstr;

EvalContext Context(const std::string& zone = "UTC") {
  EvalContext context;
  context.time_zone = zone;
  context.now_micros = 1'714'554'123'456'789;  // 2024-05-01 09:02:03.456789 UTC
  return context;
}

/// The value as CAST to STRING prints it, NULL as "NULL".
std::string TextOf(const BoundExpression& bound, const EvalContext& context) {
  auto scalar = EvaluateConstant(bound.type.Is(TypeRoot::kNull) ? bound : MakeCast(bound, StringType()), context);
  if (!scalar->is_valid) return "NULL";
  return static_cast<const arrow::StringScalar&>(*scalar).view().data() == nullptr
             ? ""
             : std::string(static_cast<const arrow::StringScalar&>(*scalar).view());
}

std::string Eval(std::string_view text, const std::string& zone = "UTC") {
  EvalContext context = Context(zone);
  Scope scope;
  ExpressionPtr parsed = ParseExpression(text);
  return TextOf(ExpressionBinder(scope, context).Bind(*parsed), context);
}

std::string TypeOf(std::string_view text) {
  EvalContext context = Context();
  Scope scope;
  ExpressionPtr parsed = ParseExpression(text);
  return ExpressionBinder(scope, context).Bind(*parsed).type.ToString();
}

std::string ErrorFor(std::string_view text) {
  try {
    return "no error, but " + Eval(text);
  } catch (const Error& e) {
    return e.what();
  }
}

struct Expected {
  const char* expression;
  const char* value;
};

class Values : public ::testing::TestWithParam<Expected> {};

TEST_P(Values, Evaluates) { EXPECT_EQ(Eval(GetParam().expression), GetParam().value) << GetParam().expression; }

INSTANTIATE_TEST_SUITE_P(
    Operators, Values,
    ::testing::Values(
        Expected{"1 + 2 * 3", "7"}, Expected{"7 / 2", "3"}, Expected{"-7 / 2", "-3"}, Expected{"7 % 3", "1"},
        Expected{"-7 % 3", "-1"}, Expected{"7 / 2.0", "3.500000"}, Expected{"1.5 + 2.25", "3.75"},
        Expected{"0.1 * 0.1", "0.01"}, Expected{"10.5 % 3", "1.5"}, Expected{"-2147483648", "-2147483648"},
        Expected{"2147483647 + 1", "-2147483648"}, Expected{"2147483648 + 1", "2147483649"},
        Expected{"1e0 / 0e0", "Infinity"}, Expected{"1 + NULL", "NULL"}, Expected{"'a' || 'b' || 'c'", "abc"},
        Expected{"'a' || CAST(NULL AS STRING)", "NULL"}, Expected{"1 < 2", "TRUE"}, Expected{"1 = 1.0", "TRUE"},
        Expected{"'a' < 'b'", "TRUE"}, Expected{"NULL = NULL", "NULL"}, Expected{"1 IS DISTINCT FROM NULL", "TRUE"},
        Expected{"NULL IS NOT DISTINCT FROM NULL", "TRUE"}, Expected{"TRUE AND NULL", "NULL"},
        Expected{"FALSE AND NULL", "FALSE"}, Expected{"TRUE OR NULL", "TRUE"}, Expected{"NOT (1 > 2)", "TRUE"},
        Expected{"NULL IS NULL", "TRUE"}, Expected{"(1 > NULL) IS UNKNOWN", "TRUE"},
        Expected{"(1 > 0) IS NOT TRUE", "FALSE"}, Expected{"2 BETWEEN 1 AND 3", "TRUE"},
        Expected{"2 NOT BETWEEN 1 AND 3", "FALSE"}, Expected{"2 BETWEEN SYMMETRIC 3 AND 1", "TRUE"},
        Expected{"2 IN (1, 2, 3)", "TRUE"}, Expected{"5 IN (1, NULL)", "NULL"}, Expected{"1 NOT IN (2, 3)", "TRUE"},
        Expected{"'abc' LIKE 'a%'", "TRUE"}, Expected{"'abc' LIKE '_b_'", "TRUE"},
        Expected{"'a%c' LIKE 'a!%c' ESCAPE '!'", "TRUE"}, Expected{"'abc' LIKE 'a!%c' ESCAPE '!'", "FALSE"},
        Expected{"'äöü' LIKE '_ö_'", "TRUE"}, Expected{"'abc' NOT LIKE '%d%'", "TRUE"},
        Expected{"CASE WHEN 1 > 2 THEN 'a' WHEN 2 > 1 THEN 'b' ELSE 'c' END", "b"},
        Expected{"CASE 3 WHEN 1 THEN 'a' END", "NULL"}, Expected{"CASE WHEN 1 = 1 THEN 1 ELSE 2.5 END", "1.0"},
        Expected{"ROW(1, 'a', NULL)", "(1, a, NULL)"}, Expected{"ARRAY[1, 2, 3][2]", "2"},
        Expected{"ARRAY[1, 2][5]", "NULL"}, Expected{"MAP['a', 1, 'b', 2]['b']", "2"},
        Expected{"MAP['a', 1]['z']", "NULL"}, Expected{"ARRAY[1, NULL]", "[1, NULL]"},
        Expected{"MAP['k', 1.5]", "{k=1.5}"}, Expected{"CARDINALITY(ARRAY[1, 2, 3])", "3"},
        Expected{"MAP_KEYS(MAP['a', 1, 'b', 2])", "[a, b]"}, Expected{"MAP_VALUES(MAP['a', 1, 'b', 2])", "[1, 2]"}));

INSTANTIATE_TEST_SUITE_P(Conditional, Values,
                         ::testing::Values(Expected{"COALESCE(NULL, 'x', 'y')", "x"}, Expected{"IFNULL(NULL, 3)", "3"},
                                           Expected{"IF(1 < 2, 'yes', 'no')", "yes"}, Expected{"NULLIF(1, 1)", "NULL"},
                                           Expected{"NULLIF(1, 2)", "1"}, Expected{"GREATEST(1, 3, 2)", "3"},
                                           Expected{"LEAST(1, NULL, 2)", "NULL"}, Expected{"IF(FALSE, 1 / 0, 7)", "7"},
                                           Expected{"CASE WHEN 1 = 2 THEN CAST('x' AS INT) ELSE 5 END", "5"}));

INSTANTIATE_TEST_SUITE_P(
    Text, Values,
    ::testing::Values(
        Expected{"UPPER('aé')", "AÉ"}, Expected{"LOWER('AÉ')", "aé"}, Expected{"REVERSE('abc')", "cba"},
        Expected{"TRIM('  a ')", "a"}, Expected{"TRIM(LEADING 'x' FROM 'xxaxx')", "axx"},
        Expected{"TRIM(TRAILING 'x' FROM 'xxaxx')", "xxa"}, Expected{"LTRIM('  a')", "a"},
        Expected{"RTRIM('axx', 'x')", "a"}, Expected{"BTRIM('xax', 'x')", "a"},
        Expected{"SUBSTRING('hello', 2)", "ello"}, Expected{"SUBSTRING('hello' FROM 2 FOR 3)", "ell"},
        Expected{"SUBSTR('hello', -3)", "llo"}, Expected{"SUBSTRING('héllo', 2, 1)", "é"},
        Expected{"LEFT('hello', 2)", "he"}, Expected{"RIGHT('hello', 2)", "lo"}, Expected{"CHAR_LENGTH('héllo')", "5"},
        Expected{"CHARACTER_LENGTH('')", "0"}, Expected{"POSITION('l' IN 'hello')", "3"},
        Expected{"INSTR('hello', 'lo')", "4"}, Expected{"LOCATE('l', 'hello', 4)", "4"},
        Expected{"LOCATE('z', 'hello')", "0"}, Expected{"ASCII('A')", "65"}, Expected{"CHR(65)", "A"},
        Expected{"CONCAT('a', 'b', 'c')", "abc"}, Expected{"CONCAT_WS('-', 'a', NULL, 'b')", "a-b"},
        Expected{"REPLACE('banana', 'an', 'x')", "bxxa"}, Expected{"LPAD('7', 3, '0')", "007"},
        Expected{"RPAD('hello', 3, ' ')", "hel"}, Expected{"REPEAT('ab', 3)", "ababab"},
        Expected{"INITCAP('hello wORLD')", "Hello World"}, Expected{"SPLIT_INDEX('a,b,c', ',', 1)", "b"},
        Expected{"SPLIT_INDEX('a,b', ',', 5)", "NULL"}, Expected{"OVERLAY('abcdef' PLACING 'XY' FROM 2)", "aXYdef"},
        Expected{"STARTSWITH('hello', 'he')", "TRUE"}, Expected{"ENDSWITH('hello', 'he')", "FALSE"},
        Expected{"REGEXP('hello', 'l+')", "TRUE"}, Expected{"REGEXP_EXTRACT('foothebar', 'foo(.*?)(bar)', 2)", "bar"},
        Expected{"REGEXP_REPLACE('foobar', 'oo|ar', '')", "fb"}, Expected{"TO_BASE64('hello')", "aGVsbG8="},
        Expected{"CHAR_LENGTH(UUID())", "36"}));

INSTANTIATE_TEST_SUITE_P(
    Math, Values,
    ::testing::Values(Expected{"ABS(-3)", "3"}, Expected{"ABS(-2.5)", "2.5"}, Expected{"SIGN(-4)", "-1"},
                      Expected{"MOD(7, 3)", "1"}, Expected{"FLOOR(-2.5)", "-3"}, Expected{"CEIL(2.1)", "3"},
                      Expected{"CEILING(2.0)", "2"}, Expected{"FLOOR(2.7e0)", "2.0"},
                      Expected{"ROUND(2.345, 2)", "2.350"}, Expected{"ROUND(9.95)", "10"},
                      Expected{"ROUND(1250, -2)", "1300"}, Expected{"TRUNCATE(2.349, 2)", "2.340"},
                      Expected{"SQRT(9)", "3.0"}, Expected{"POWER(2, 10)", "1024.0"}, Expected{"EXP(0)", "1.0"},
                      Expected{"LN(1)", "0.0"}, Expected{"LOG10(1000)", "3.0"}, Expected{"LOG2(8)", "3.0"},
                      Expected{"SIN(0)", "0.0"}, Expected{"COS(0)", "1.0"}, Expected{"TAN(0)", "0.0"},
                      Expected{"ASIN(0)", "0.0"}, Expected{"ACOS(1)", "0.0"}, Expected{"ATAN(0)", "0.0"},
                      Expected{"ATAN2(0, 1)", "0.0"}, Expected{"DEGREES(PI())", "180.0"},
                      Expected{"ROUND(RADIANS(180), 4)", "3.1416"}, Expected{"ROUND(E(), 3)", "2.718"},
                      Expected{"RAND() BETWEEN 0 AND 1", "TRUE"}));

INSTANTIATE_TEST_SUITE_P(
    Time, Values,
    ::testing::Values(
        Expected{"DATE '2024-02-29'", "2024-02-29"},
        Expected{"TIMESTAMP '2024-01-01 12:30:45.123'", "2024-01-01 12:30:45.123"},
        Expected{"TIME '12:30:45'", "12:30:45"}, Expected{"CURRENT_TIMESTAMP", "2024-05-01 09:02:03.456"},
        Expected{"CURRENT_DATE", "2024-05-01"}, Expected{"LOCALTIMESTAMP", "2024-05-01 09:02:03.456"},
        Expected{"LOCALTIME", "09:02:03"}, Expected{"NOW()", "2024-05-01 09:02:03.456"},
        Expected{"EXTRACT(YEAR FROM DATE '2024-05-01')", "2024"},
        Expected{"EXTRACT(HOUR FROM TIMESTAMP '2024-01-01 12:30:45')", "12"},
        Expected{"YEAR(DATE '1969-12-31')", "1969"}, Expected{"QUARTER(DATE '2024-05-01')", "2"},
        Expected{"MONTH(DATE '2024-05-01')", "5"}, Expected{"WEEK(DATE '2021-01-03')", "53"},
        Expected{"DAYOFYEAR(DATE '2024-12-31')", "366"}, Expected{"DAYOFMONTH(DATE '2024-05-09')", "9"},
        Expected{"DAYOFWEEK(DATE '2024-05-05')", "1"}, Expected{"MINUTE(TIMESTAMP '2024-01-01 12:30:45')", "30"},
        Expected{"SECOND(TIMESTAMP '1969-12-31 23:59:58')", "58"},
        Expected{"FLOOR(TIMESTAMP '2024-05-17 12:30:45' TO MONTH)", "2024-05-01 00:00:00"},
        Expected{"CEIL(TIMESTAMP '2024-05-17 12:30:45' TO HOUR)", "2024-05-17 13:00:00"},
        Expected{"FLOOR(DATE '2024-05-17' TO YEAR)", "2024-01-01"},
        Expected{"TIMESTAMPADD(DAY, 3, DATE '2024-02-27')", "2024-03-01"},
        Expected{"TIMESTAMPADD(MONTH, 1, DATE '2024-01-31')", "2024-02-29"},
        Expected{"TIMESTAMPDIFF(DAY, DATE '2024-01-01', DATE '2024-03-01')", "60"},
        Expected{"TIMESTAMPDIFF(MONTH, DATE '2024-01-31', DATE '2024-02-29')", "0"},
        Expected{"TIMESTAMP '2024-01-31 10:00:00' + INTERVAL '1' MONTH", "2024-02-29 10:00:00"},
        Expected{"TIMESTAMP '2024-01-01 00:00:00' - INTERVAL '1 02:03:04' DAY TO SECOND", "2023-12-30 21:56:56.000"},
        Expected{"DATE '2024-01-01' + INTERVAL '1' DAY", "2024-01-02"},
        Expected{"INTERVAL '1' YEAR + DATE '2024-02-29'", "2025-02-28"},
        Expected{"DATE_FORMAT(TIMESTAMP '2024-05-01 09:02:03', 'yyyy/MM/dd HH:mm')", "2024/05/01 09:02"},
        Expected{"DATE_FORMAT(TIMESTAMP '2024-05-01 21:02:03', 'EEE d MMM h a')", "Wed 1 May 9 PM"},
        Expected{"TO_DATE('2024-05-01')", "2024-05-01"}, Expected{"TO_DATE('01.05.2024', 'dd.MM.yyyy')", "2024-05-01"},
        Expected{"TO_DATE('no')", "NULL"}, Expected{"TO_TIMESTAMP('2024-05-01 09:02:03')", "2024-05-01 09:02:03.000"},
        Expected{"TO_TIMESTAMP('20240501090203', 'yyyyMMddHHmmss')", "2024-05-01 09:02:03.000"},
        Expected{"TO_TIMESTAMP_LTZ(1000, 3)", "1970-01-01 00:00:01.000"},
        Expected{"UNIX_TIMESTAMP('1970-01-02 00:00:00')", "86400"},
        Expected{"FROM_UNIXTIME(86400)", "1970-01-02 00:00:00"},
        Expected{"DATE '2024-01-01' < TIMESTAMP '2024-01-01 00:00:01'", "TRUE"},
        Expected{"TIMESTAMP '2024-01-01 00:00:00' = '2024-01-01 00:00:00'", "TRUE"}));

// Cases SQL-07 of the public reports, and Flink's casting rules.
INSTANTIATE_TEST_SUITE_P(
    Casts, Values,
    ::testing::Values(Expected{"TRY_CAST('2024-02-30' AS DATE)", "NULL"}, Expected{"TRY_CAST('12a' AS INT)", "NULL"},
                      Expected{"CAST('2010-10-14 12:22:22.123456' AS TIMESTAMP(6))", "2010-10-14 12:22:22.123456"},
                      Expected{"CAST(DATE '2024-03-10' AS STRING)", "2024-03-10"},
                      Expected{"CAST(' 42 ' AS INT)", "42"}, Expected{"CAST('12.9' AS INT)", "12"},
                      Expected{"CAST('1.005' AS DECIMAL(5, 2))", "1.01"},
                      Expected{"CAST('12345.6' AS DECIMAL(5, 2))", "NULL"},
                      Expected{"CAST('1e-9' AS DECIMAL(38, 9))", "0.000000001"},
                      Expected{"CAST(3000000000 AS INT)", "-1294967296"}, Expected{"CAST(1e30 AS INT)", "2147483647"},
                      Expected{"CAST(CAST('NaN' AS DOUBLE) AS INT)", "0"}, Expected{"CAST(2.7 AS INT)", "2"},
                      Expected{"CAST(-2.7 AS BIGINT)", "-2"}, Expected{"CAST(1.5 AS DOUBLE)", "1.5"},
                      Expected{"CAST(0.1 AS FLOAT)", "0.1"}, Expected{"CAST(1e0 AS DECIMAL(10, 2))", "1.00"},
                      Expected{"CAST(123456789 AS DOUBLE)", "1.23456789E8"},
                      Expected{"CAST(0.0001e0 AS STRING)", "1.0E-4"}, Expected{"CAST(TRUE AS STRING)", "TRUE"},
                      Expected{"CAST('yes' AS BOOLEAN)", "TRUE"}, Expected{"CAST(1 AS BOOLEAN)", "TRUE"},
                      Expected{"CAST(TRUE AS INT)", "1"}, Expected{"CAST('hello' AS VARCHAR(3))", "hel"},
                      Expected{"CAST('a' AS CHAR(3)) || '|'", "a  |"}, Expected{"CAST(12345 AS CHAR(3))", "123"},
                      Expected{"CAST(TIMESTAMP '2024-01-01 12:30:45.6789' AS TIMESTAMP(2))", "2024-01-01 12:30:45.67"},
                      Expected{"CAST(TIMESTAMP '1969-12-31 23:59:59.9' AS DATE)", "1969-12-31"},
                      Expected{"CAST(TIMESTAMP '2024-01-01 12:30:45.678' AS TIME(0))", "12:30:45"},
                      Expected{"CAST(DATE '2024-01-01' AS TIMESTAMP(3))", "2024-01-01 00:00:00.000"},
                      Expected{"CAST(ARRAY[1, 2] AS ARRAY<STRING>)", "[1, 2]"},
                      Expected{"CAST(ROW(1, 'x') AS ROW<a BIGINT, b STRING>)", "(1, x)"},
                      Expected{"CAST(X'48656C6C6F' AS STRING)", "Hello"}, Expected{"CAST(NULL AS INT)", "NULL"}));

TEST(Expression, FailingCastsSayWhatAndWhereToGo) {
  EXPECT_THAT(ErrorFor("CAST('2024-02-30' AS DATE)"),
              HasSubstr("'2024-02-30' can't be cast to DATE; TRY_CAST gives NULL instead"));
  EXPECT_THAT(ErrorFor("CAST('12a' AS INT)"), HasSubstr("'12a' can't be cast to INT"));
  EXPECT_THAT(ErrorFor("CAST('9223372036854775808' AS BIGINT)"), HasSubstr("can't be cast to BIGINT"));
  EXPECT_THAT(ErrorFor("1 / 0"), HasSubstr("division by zero"));
  EXPECT_THAT(ErrorFor("1.5 / 0"), HasSubstr("division by zero"));
  EXPECT_THAT(ErrorFor("CAST(DATE '2024-01-01' AS INT)"), HasSubstr("CAST from DATE to INT doesn't exist"));
}

TEST(Expression, BindingErrorsPointAtTheNode) {
  EXPECT_THAT(ErrorFor("UPPR('x')"), HasSubstr("column 1: unknown function UPPR (did you mean 'UPPER'?)"));
  EXPECT_THAT(ErrorFor("UPPER(1)"), HasSubstr("UPPER(INT) doesn't exist; supported: UPPER(STRING)"));
  EXPECT_THAT(ErrorFor("1 + 'a'"), HasSubstr("operator + can't be applied to INT and CHAR(1); add a CAST"));
  EXPECT_THAT(ErrorFor("1 = 'a'"), HasSubstr("operator = can't be applied"));
  EXPECT_THAT(ErrorFor("NOT 1"), HasSubstr("NOT needs a BOOLEAN"));
  EXPECT_THAT(ErrorFor("SUM(1)"), HasSubstr("the aggregate function SUM is not allowed here"));
  EXPECT_THAT(ErrorFor("a + 1"), HasSubstr("unknown column 'a'"));
  EXPECT_THAT(ErrorFor("INTERVAL 'x' DAY"), HasSubstr("'x' is not an interval of DAY"));
  EXPECT_THAT(ErrorFor("CASE WHEN TRUE THEN 1 ELSE 'a' END"), HasSubstr("no common type"));
}

TEST(Expression, TypesFollowFlink) {
  EXPECT_EQ(TypeOf("1 + 1"), "INT NOT NULL");
  EXPECT_EQ(TypeOf("1 + CAST(1 AS BIGINT)"), "BIGINT NOT NULL");
  EXPECT_EQ(TypeOf("1.5 * 2.25"), "DECIMAL(6, 3)");
  EXPECT_EQ(TypeOf("'abc'"), "CHAR(3) NOT NULL");
  EXPECT_EQ(TypeOf("UPPER('abc')"), "STRING NOT NULL");
  EXPECT_EQ(TypeOf("CASE WHEN TRUE THEN 1 END"), "INT");
  EXPECT_EQ(TypeOf("CURRENT_TIMESTAMP"), "TIMESTAMP_LTZ(3) NOT NULL");
  EXPECT_EQ(TypeOf("TIMESTAMP '2024-01-01 00:00:00.123456'"), "TIMESTAMP(6) NOT NULL");
}

// Cases SQL-04: the date of an instant depends on the session's zone.
TEST(Expression, LocalTimeZone) {
  EXPECT_EQ(Eval("CAST(TO_TIMESTAMP_LTZ(1704122999000, 3) AS DATE)", "Asia/Tokyo"), "2024-01-02");  // 15:29:59Z
  EXPECT_EQ(Eval("CAST(TO_TIMESTAMP_LTZ(1704122999000, 3) AS DATE)", "UTC"), "2024-01-01");
  EXPECT_EQ(Eval("CAST(TO_TIMESTAMP_LTZ(0, 3) AS STRING)", "GMT+08:00"), "1970-01-01 08:00:00.000");
  EXPECT_EQ(Eval("CAST(TIMESTAMP '1970-01-01 08:00:00' AS TIMESTAMP_LTZ(3)) = TO_TIMESTAMP_LTZ(0, 3)", "Asia/Shanghai"),
            "TRUE");
  EXPECT_EQ(Eval("HOUR(TO_TIMESTAMP_LTZ(0, 3))", "Asia/Shanghai"), "8");
}

TEST(Expression, SeesOnlyTheRowsThatReachABranch) {
  arrow::Int32Builder builder;
  ASSERT_TRUE(builder.AppendValues({2, 0, 5}).ok());
  auto batch =
      arrow::RecordBatch::Make(arrow::schema({arrow::field("x", arrow::int32())}), 3, {builder.Finish().ValueOrDie()});
  Scope scope{{{"t", "x", IntType()}}};
  EvalContext context = Context();
  auto eval = [&](std::string_view text) {
    ExpressionPtr parsed = ParseExpression(text);
    return Evaluate(ExpressionBinder(scope, context).Bind(*parsed), *batch, context);
  };
  auto quotients = eval("CASE WHEN x = 0 THEN -1 ELSE 10 / t.x END");
  EXPECT_EQ(quotients->ToString(), "[\n  5,\n  -1,\n  2\n]");
  EXPECT_EQ(eval("x <> 0 AND 10 / x > 3")->ToString(), "[\n  true,\n  false,\n  false\n]");
  EXPECT_EQ(eval("x = 0 OR 10 / x > 3")->ToString(), "[\n  true,\n  true,\n  false\n]");
  ExpressionPtr failing = ParseExpression("10 / x");
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument, [&] { eval("10 / x"); }), HasSubstr("division by zero"));
}

TEST(Expression, FilterAndProject) {
  arrow::Int32Builder numbers;
  ASSERT_TRUE(numbers.AppendValues({1, 2, 3}).ok());
  ASSERT_TRUE(numbers.AppendNull().ok());
  auto schema = arrow::schema({arrow::field("x", arrow::int32())});
  auto batch = arrow::RecordBatch::Make(schema, 4, {numbers.Finish().ValueOrDie()});
  Scope scope{{{"", "x", IntType()}}};
  EvalContext context = Context();
  ExpressionPtr condition = ParseExpression("x >= 2");
  auto kept = Filter(ExpressionBinder(scope, context).BindCondition(*condition, "WHERE"), batch, context);
  EXPECT_EQ(kept->num_rows(), 2);
  ExpressionPtr all = ParseExpression("x IS NULL OR x > 0");
  EXPECT_EQ(Filter(ExpressionBinder(scope, context).BindCondition(*all, "WHERE"), batch, context).get(), batch.get());
  std::vector<BoundExpression> outputs;
  outputs.push_back(MakeInputColumn(0, "x", IntType(), {}));
  auto projected = Project(outputs, schema, batch, context);
  EXPECT_EQ(projected->column(0).get(), batch->column(0).get()) << "an input column is not copied";
}

TEST(Expression, EveryFunctionHasANameInTheList) {
  EXPECT_TRUE(IsScalarFunction("upper"));
  EXPECT_FALSE(IsScalarFunction("nope"));
  EXPECT_THAT(ScalarFunctionNames(), ::testing::Contains("DATE_FORMAT"));
  EXPECT_THAT(ScalarFunctionNames(), ::testing::Not(::testing::Contains("||")));
}

}  // namespace
}  // namespace frazil::sql
