// SPDX-License-Identifier: Apache-2.0
#include "frazil/serde/json.h"

#include "decode.h"
#include "frazil/serde/type_name.h"
#include "support/support.h"

namespace frazil::serde {
namespace {

using arrow::field;
using test::DecodeColumn;
using test::Decoder;
using test::kIgnoreErrors;
using test::kIso;
using test::Values;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string kAdvice = "; fix the record or set 'json.ignore-parse-errors' = 'true'";

std::string DecodeError(const test::Fields& fields, std::string_view text, const OptionMap& options = {}) {
  Decoder decoder(fields, options);
  return frazil::test::ErrorOf(ErrorKind::kCorrupt, [&] { decoder.Decode(text); });
}

std::string ColumnError(std::shared_ptr<arrow::DataType> type, std::string_view text, const OptionMap& options = {}) {
  return DecodeError({field("v", std::move(type))}, text, options);
}

// --- Numbers ---

TEST(JsonNumbers, ExactAtTheLimits) {
  Decoder decoder({field("i", arrow::int32()), field("b", arrow::int64()), field("d", arrow::decimal128(38, 9)),
                   field("e", arrow::decimal128(5, 2))});
  auto batch = decoder.Decode(R"({"i":1,"b":9223372036854775807,"d":12345678901234567.123456789,"e":1.005})").Take();
  EXPECT_THAT(Values(*batch, "i"), ElementsAre("1"));
  EXPECT_THAT(Values(*batch, "b"), ElementsAre("9223372036854775807"));
  EXPECT_THAT(Values(*batch, "d"), ElementsAre("12345678901234567.123456789"));
  EXPECT_THAT(Values(*batch, "e"), ElementsAre("1.01"));
}

TEST(JsonNumbers, OutOfRangeIsAnErrorOrNull) {
  EXPECT_EQ(ColumnError(arrow::int32(), R"({"v":2147483648})"),
            "events-0.json:1:6: column 'v' INT: '2147483648' is out of range" + kAdvice);
  EXPECT_THAT(ColumnError(arrow::int64(), R"({"v":9223372036854775808})"),
              HasSubstr("'9223372036854775808' is out of"));
  EXPECT_THAT(DecodeColumn(arrow::int32(), R"({"v":2147483648})", kIgnoreErrors), ElementsAre("null"));
  EXPECT_THAT(DecodeColumn(arrow::int64(), R"({"v":9223372036854775808})", kIgnoreErrors), ElementsAre("null"));
  EXPECT_THAT(DecodeColumn(arrow::int64(), R"({"v":-9223372036854775808})"), ElementsAre("-9223372036854775808"));
  EXPECT_THAT(DecodeColumn(arrow::int8(), "{\"v\":127}\n{\"v\":-128}"), ElementsAre("127", "-128"));
  EXPECT_THAT(ColumnError(arrow::int8(), R"({"v":128})"), HasSubstr("column 'v' TINYINT: '128' is out of range"));
  EXPECT_THAT(DecodeColumn(arrow::int16(), "{\"v\":32767}\n{\"v\":-32768}"), ElementsAre("32767", "-32768"));
  EXPECT_THAT(ColumnError(arrow::int16(), R"({"v":-32769})"), HasSubstr("column 'v' SMALLINT: '-32769' is out of"));
}

TEST(JsonNumbers, TextIsTrimmedAndParsed) {
  EXPECT_THAT(DecodeColumn(arrow::int32(), "{\"v\":\"42\"}\n{\"v\":\" 7 \"}\n{\"v\":\"+5\"}\n{\"v\":\"\\u0031\"}"),
              ElementsAre("42", "7", "5", "1"));
  EXPECT_THAT(DecodeColumn(arrow::decimal128(5, 2), R"({"v":" 1.5 "})"), ElementsAre("1.50"));
  EXPECT_THAT(DecodeColumn(arrow::float64(), R"({"v":" 1.5 "})"), ElementsAre("1.5"));
  EXPECT_THAT(ColumnError(arrow::int32(), R"({"v":"12a"})"), HasSubstr("column 'v' INT: '12a' is not a number"));
  EXPECT_THAT(ColumnError(arrow::int32(), R"({"v":""})"), HasSubstr("column 'v' INT: '' is not a number"));
}

TEST(JsonNumbers, WholeNumbersOnly) {
  for (const char* text : {"1.5", "1.0", "1e3", "\"1.5\""}) {
    EXPECT_THAT(ColumnError(arrow::int64(), fmt::format("{{\"v\":{}}}", text)), HasSubstr("is not a whole number"));
  }
  for (const char* text : {"true", "{}", "[1]"}) {
    EXPECT_THAT(ColumnError(arrow::int64(), fmt::format("{{\"v\":{}}}", text)), HasSubstr("is not a number"));
  }
}

TEST(JsonNumbers, DecimalsAreRoundedHalfUpAndNullOnOverflow) {
  EXPECT_THAT(
      DecodeColumn(arrow::decimal128(5, 2), "{\"v\":12345.6}\n{\"v\":999.994}\n{\"v\":999.995}\n{\"v\":-1.005}"),
      ElementsAre("null", "999.99", "null", "-1.01"));
  EXPECT_THAT(DecodeColumn(arrow::decimal128(38, 9), "{\"v\":1e-9}\n{\"v\":12E2}\n{\"v\":4.9e-10}\n{\"v\":5e-10}"),
              ElementsAre("1E-9", "1200.000000000", "0E-9", "1E-9"));
  EXPECT_THAT(DecodeColumn(arrow::decimal128(38, 0), "{\"v\":99999999999999999999999999999999999999}\n{\"v\":1e38}"),
              ElementsAre("99999999999999999999999999999999999999", "null"));
  EXPECT_THAT(DecodeColumn(arrow::decimal128(18, 2), "{\"v\":9999999999999999.99}\n{\"v\":10000000000000000}"),
              ElementsAre("9999999999999999.99", "null"));
  Decoder decoder({field("v", arrow::decimal128(5, 2))}, kIgnoreErrors);
  EXPECT_THAT(Values(*decoder.Decode("{\"v\":12345.6}\n{\"v\":\"x\"}").Take()->column(0)), ElementsAre("null", "null"));
  EXPECT_EQ(decoder->num_nulled_fields(), 1);
  EXPECT_THAT(DecodeError({field("v", arrow::decimal128(5, 2), false)}, R"({"v":12345.6})"),
              HasSubstr("column 'v' DECIMAL(5,2) NOT NULL: '12345.6' has too many digits"));
}

TEST(JsonNumbers, FloatsAreRoundedOnce) {
  Decoder decoder({field("f", arrow::float32()), field("d", arrow::float64())});
  auto batch = decoder
                   .Decode(
                       "{\"f\":0.1,\"d\":0.1}\n"
                       "{\"f\":16777217,\"d\":9007199254740993}\n"
                       "{\"f\":1e39,\"d\":-1e400}\n"
                       "{\"f\":1e-60,\"d\":1e-400}\n"
                       "{\"f\":\"NaN\",\"d\":\"-Infinity\"}\n"
                       "{\"f\":1.17549435e-38,\"d\":2.2250738585072014e-308}\n")
                   .Take();
  auto f = std::static_pointer_cast<arrow::FloatArray>(batch->column(0));
  auto d = std::static_pointer_cast<arrow::DoubleArray>(batch->column(1));
  EXPECT_EQ(f->Value(0), 0.1f);
  EXPECT_EQ(d->Value(0), 0.1);
  EXPECT_EQ(f->Value(1), 16777216.0f);
  EXPECT_EQ(d->Value(1), 9007199254740992.0);
  EXPECT_EQ(f->Value(2), std::numeric_limits<float>::infinity());
  EXPECT_EQ(d->Value(2), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(f->Value(3), 0.0f);
  EXPECT_EQ(d->Value(3), 0.0);
  EXPECT_NE(f->Value(4), f->Value(4));
  EXPECT_EQ(d->Value(4), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(f->Value(5), std::numeric_limits<float>::min());
  EXPECT_EQ(d->Value(5), std::numeric_limits<double>::min());
  EXPECT_THAT(ColumnError(arrow::float64(), R"({"v":"1.5f"})"), HasSubstr("column 'v' DOUBLE: '1.5f' is not a number"));
  EXPECT_THAT(ColumnError(arrow::float32(), R"({"v":false})"), HasSubstr("column 'v' FLOAT: 'false' is not a number"));
}

TEST(JsonNumbers, MalformedNumbersAreNotJson) {
  for (const char* text : {"01", "-", "+1", "1.", ".5", "1e", "0x1", "NaN", "1 2", "--1", "12a"}) {
    SCOPED_TRACE(text);
    for (const auto& type : {arrow::int64(), arrow::float64(), arrow::decimal128(9, 2), arrow::utf8()}) {
      EXPECT_THAT(ColumnError(type, fmt::format("{{\"v\":{}}}", text)), HasSubstr("not a JSON record: expected"));
    }
    EXPECT_THAT(ColumnError(arrow::int64(), fmt::format("{{\"other\":{}}}", text)), HasSubstr("not a JSON record"));
  }
}

TEST(JsonBooleans, LiteralsAndTexts) {
  EXPECT_THAT(DecodeColumn(arrow::boolean(),
                           "{\"v\":true}\n{\"v\":false}\n{\"v\":\"TRUE\"}\n{\"v\":\" false \"}\n{\"v\":null}"),
              ElementsAre("true", "false", "true", "false", "null"));
  EXPECT_THAT(ColumnError(arrow::boolean(), R"({"v":"yes"})"), HasSubstr("column 'v' BOOLEAN: 'yes' is neither true"));
  EXPECT_THAT(ColumnError(arrow::boolean(), R"({"v":1})"), HasSubstr("'1' is neither true nor false"));
  EXPECT_THAT(ColumnError(arrow::boolean(), R"({"v":truex})"), HasSubstr("not a JSON record: expected ',' or '}'"));
  EXPECT_THAT(ColumnError(arrow::boolean(), R"({"v":tru})"), HasSubstr("not a JSON record: expected a value"));
}

// --- Dates and times ---

TEST(JsonTimes, StandardSql) {
  auto t = arrow::timestamp(arrow::TimeUnit::MILLI);
  auto z = arrow::timestamp(arrow::TimeUnit::MILLI, "UTC");
  EXPECT_THAT(DecodeColumn(t, "{\"v\":\"2020-12-30 12:13:14.123\"}\n{\"v\":\"2020-12-30 12:13:14\"}"),
              ElementsAre("2020-12-30 12:13:14.123", "2020-12-30 12:13:14.000"));
  EXPECT_THAT(
      ColumnError(t, R"({"v":"2020-12-30T12:13:14"})"),
      HasSubstr("column 'v' TIMESTAMP(3): '2020-12-30T12:13:14' is not a timestamp such as 2020-12-30 12:13:14.123"));
  EXPECT_THAT(ColumnError(t, R"({"v":"2020-12-30 12:13:14Z"})"), HasSubstr("(standard 'SQL')"));
  EXPECT_THAT(DecodeColumn(z, R"({"v":"2020-12-30 12:13:14.123Z"})"), ElementsAre("2020-12-30 12:13:14.123Z"));
  EXPECT_THAT(ColumnError(z, R"({"v":"2020-12-30 12:13:14"})"),
              HasSubstr("column 'v' TIMESTAMP_LTZ(3): '2020-12-30 12:13:14' is not a timestamp such as"));
  EXPECT_THAT(ColumnError(t, R"({"v":"2020-12-30 12:13"})"), HasSubstr("is not a timestamp"));
}

TEST(JsonTimes, StandardIso8601) {
  auto t = arrow::timestamp(arrow::TimeUnit::MILLI);
  auto z = arrow::timestamp(arrow::TimeUnit::MILLI, "UTC");
  EXPECT_THAT(DecodeColumn(t, "{\"v\":\"2020-12-30T12:13:14\"}\n{\"v\":\"2020-12-30T12:13\"}", kIso),
              ElementsAre("2020-12-30 12:13:14.000", "2020-12-30 12:13:00.000"));
  EXPECT_THAT(DecodeColumn(z, R"({"v":"2020-12-30T12:13:14Z"})", kIso), ElementsAre("2020-12-30 12:13:14.000Z"));
  EXPECT_THAT(ColumnError(z, R"({"v":"2020-12-30T12:13:14+02:00"})", kIso),
              HasSubstr("(standard 'ISO-8601', with 'Z')"));
  EXPECT_THAT(ColumnError(t, R"({"v":"2020-12-30 12:13:14"})", kIso), HasSubstr("(standard 'ISO-8601', without zone)"));
  OptionMap ignoring = kIso;
  ignoring.merge(OptionMap(kIgnoreErrors));
  EXPECT_THAT(DecodeColumn(t, "{\"v\":\"2020-12-30 12:13:14\"}\n{\"v\":\"2020-12-30T12:13:14\"}", ignoring),
              ElementsAre("null", "2020-12-30 12:13:14.000"));
}

TEST(JsonTimes, UnitsAndFractions) {
  std::string fractions;
  for (const char* f : {"", ".1", ".1234567", ".12345678", ".123456789"}) {
    fractions += fmt::format("{{\"v\":\"1969-12-31 23:59:59{}\"}}\n", f);
  }
  EXPECT_THAT(
      DecodeColumn(arrow::timestamp(arrow::TimeUnit::NANO), fractions),
      ElementsAre("1969-12-31 23:59:59.000000000", "1969-12-31 23:59:59.100000000", "1969-12-31 23:59:59.123456700",
                  "1969-12-31 23:59:59.123456780", "1969-12-31 23:59:59.123456789"));
  EXPECT_THAT(DecodeColumn(arrow::timestamp(arrow::TimeUnit::MICRO), fractions),
              ElementsAre("1969-12-31 23:59:59.000000", "1969-12-31 23:59:59.100000", "1969-12-31 23:59:59.123456",
                          "1969-12-31 23:59:59.123456", "1969-12-31 23:59:59.123456"));
  EXPECT_THAT(DecodeColumn(arrow::timestamp(arrow::TimeUnit::SECOND), fractions),
              ElementsAre("1969-12-31 23:59:59", "1969-12-31 23:59:59", "1969-12-31 23:59:59", "1969-12-31 23:59:59",
                          "1969-12-31 23:59:59"));
  EXPECT_THAT(ColumnError(arrow::timestamp(arrow::TimeUnit::NANO), R"({"v":"2300-01-01 00:00:00"})"),
              HasSubstr("column 'v' TIMESTAMP(9): '2300-01-01 00:00:00' is out of range"));
  EXPECT_THAT(ColumnError(arrow::timestamp(arrow::TimeUnit::NANO), R"({"v":"2020-01-01 00:00:00.1234567890"})"),
              HasSubstr("is not a timestamp"));
}

TEST(JsonTimes, DatesAndTimes) {
  EXPECT_THAT(DecodeColumn(arrow::date32(), "{\"v\":\"2024-02-29\"}\n{\"v\":\"0000-01-01\"}\n{\"v\":\"1970-01-01\"}"),
              ElementsAre("2024-02-29", "0000-01-01", "1970-01-01"));
  EXPECT_THAT(ColumnError(arrow::date32(), R"({"v":"2023-02-29"})"),
              HasSubstr("column 'v' DATE: '2023-02-29' is not a date of the calendar"));
  EXPECT_THAT(ColumnError(arrow::date32(), R"({"v":20230229})"), HasSubstr("'20230229' is not a date in quotes"));
  EXPECT_THAT(DecodeColumn(arrow::time32(arrow::TimeUnit::MILLI), "{\"v\":\"23:59:59.999\"}\n{\"v\":\"00:00:00\"}"),
              ElementsAre("23:59:59.999", "00:00:00.000"));
  EXPECT_THAT(DecodeColumn(arrow::time64(arrow::TimeUnit::MICRO), R"({"v":"12:13:14.123456789"})"),
              ElementsAre("12:13:14.123456"));
  EXPECT_THAT(ColumnError(arrow::time32(arrow::TimeUnit::MILLI), R"({"v":"24:00:00"})"),
              HasSubstr("column 'v' TIME(3): '24:00:00' is not a time"));
}

// --- Missing, null, NOT NULL ---

TEST(JsonMissing, NullUnlessToldToFail) {
  test::Fields fields = {field("a", arrow::int32()), field("r", arrow::struct_({field("b", arrow::int32())}))};
  OptionMap fail = {{"json.fail-on-missing-field", "true"}};
  auto batch = Decoder(fields).Decode("{\"a\":1}\n{\"a\":null,\"r\":{}}\n").Take();
  EXPECT_THAT(Values(*batch, "a"), ElementsAre("1", "null"));
  EXPECT_TRUE(batch->column(1)->IsNull(0));
  EXPECT_FALSE(batch->column(1)->IsNull(1));
  EXPECT_TRUE(std::static_pointer_cast<arrow::StructArray>(batch->column(1))->field(0)->IsNull(1));
  EXPECT_EQ(DecodeError(fields, R"({"a":1})", fail),
            "events-0.json:1:1: column 'r' ROW<b INT>: the key is missing and 'json.fail-on-missing-field' is true" +
                kAdvice);
  EXPECT_THAT(DecodeError(fields, R"({"a":null,"r":{}})", fail),
              StartsWith("events-0.json:1:15: column 'r.b' INT: the key is missing"));
  EXPECT_THAT(Values(*Decoder(fields, fail).Decode(R"({"a":null,"r":null})").Take(), "a"), ElementsAre("null"));
}

TEST(JsonMissing, NotNullColumnsNeedAValue) {
  test::Fields fields = {field("a", arrow::int32(), false), field("s", arrow::utf8())};
  EXPECT_EQ(DecodeError(fields, R"({"a":null})"),
            "events-0.json:1:6: column 'a' INT NOT NULL: the value is null and the column is NOT NULL" + kAdvice);
  EXPECT_THAT(DecodeError(fields, R"({"s":"x"})"), HasSubstr("the key is missing and the column is NOT NULL"));
  Decoder decoder(fields, kIgnoreErrors);
  auto batch = decoder.Decode("{\"a\":1}\n{\"a\":null,\"s\":\"x\"}\n{\"s\":\"y\"}\n{\"a\":\"?\"}\n{\"a\":5}\n").Take();
  EXPECT_THAT(Values(*batch, "a"), ElementsAre("1", "5"));
  EXPECT_EQ(decoder->num_skipped(), 3);
}

TEST(JsonMissing, NullRowsHideNotNullFields) {
  Decoder decoder({field("r", arrow::struct_({field("b", arrow::int32(), false), field("s", arrow::utf8(), false)}))});
  auto batch = decoder.Decode("{\"r\":null}\n{\"r\":{\"b\":1,\"s\":\"x\"}}\n{}\n").Take();
  EXPECT_TRUE(batch->column(0)->IsNull(0));
  EXPECT_TRUE(batch->column(0)->IsNull(2));
  auto rows = std::static_pointer_cast<arrow::StructArray>(batch->column(0));
  EXPECT_EQ(rows->field(0)->null_count(), 0);
  EXPECT_EQ(std::static_pointer_cast<arrow::StringArray>(rows->field(1))->GetString(1), "x");
}

// --- Options ---

TEST(JsonOptions, RefusesWhatItDoesNotKnow) {
  auto error = [](const OptionMap& options) {
    return frazil::test::ErrorOf(ErrorKind::kInvalidArgument,
                                 [&] { Decoder decoder({field("v", arrow::int32())}, options); });
  };
  EXPECT_EQ(error({{"json.foo", "1"}}),
            "table 't': unknown option 'json.foo'; supported options are: "
            "json.fail-on-missing-field, json.ignore-parse-errors, "
            "json.timestamp-format.standard");
  EXPECT_THAT(error({{"json.ignore-parse-error", "true"}}), HasSubstr("did you mean 'json.ignore-parse-errors'?"));
  EXPECT_THAT(error({{"json.encode.decimal-as-plain-number", "true"}}), HasSubstr("'json.encode.decimal-as-plain"));
  EXPECT_THAT(error({{"json.timestamp-format.standard", "iso"}}),
              HasSubstr("option 'json.timestamp-format.standard' is 'iso': expected one of 'SQL', 'ISO-8601'"));
  EXPECT_THAT(error({{"json.ignore-parse-errors", "yes"}}), HasSubstr("expected true or false"));
  EXPECT_THAT(error({{"json.ignore-parse-errors", "true"}, {"json.fail-on-missing-field", "true"}}),
              HasSubstr("'json.fail-on-missing-field' and 'json.ignore-parse-errors' can't both be true"));
}

TEST(JsonOptions, RefusesTypesWithoutJsonForm) {
  auto error = [](std::shared_ptr<arrow::DataType> type) {
    return frazil::test::ErrorOf(ErrorKind::kUnsupported,
                                 [&] { Decoder decoder({field("r", arrow::struct_({field("v", type)}))}); });
  };
  EXPECT_EQ(error(arrow::uint32()), "column 'r.v': the format 'json' has no form for the type uint32");
  EXPECT_EQ(error(arrow::map(arrow::int32(), arrow::utf8())),
            "column 'r.v' MAP<INT, STRING>: the format 'json' reads maps with STRING keys only");
}

// --- Strings and structure ---

TEST(JsonStrings, EveryValueHasAText) {
  Decoder decoder({field("s", arrow::utf8()), field("n", arrow::int32())});
  auto batch = decoder
                   .Decode(
                       "{\"s\":{\"b\":1,\"a\":[2,null]},\"n\":1}\n"
                       "{\"s\":true,\"n\":2}\n"
                       "{\"n\":3,\"s\":5}\n"
                       "[{\"s\":\"p\",\"n\":4},{\"s\":\"q\",\"n\":5}]\n"
                       "{\"extra\":{\"deep\":[1,{\"x\":\"}\"}]},\"n\":6,\"n\":7,\"s\":null}\n"
                       "{\"s\": { \"k \" : [ 1.50 , \"a \\\" b\" ] } }\n")
                   .Take();
  EXPECT_THAT(Values(*batch, "s"),
              ElementsAre(R"({"b":1,"a":[2,null]})", "true", "5", "p", "q", "null", R"({"k ":[1.50,"a \" b"]})"));
  EXPECT_THAT(Values(*batch, "n"), ElementsAre("1", "2", "3", "4", "5", "7", "null"));
}

TEST(JsonStrings, EscapesBecomeUtf8) {
  EXPECT_THAT(DecodeColumn(arrow::utf8(), R"({"v":"\ud83d\ude00 \u00e9\u20AC\u0041 \"\\\/\b\f\n\r\t"})"),
              ElementsAre("😀 é€A \"\\/\b\f\n\r\t"));
  EXPECT_THAT(DecodeColumn(arrow::utf8(), R"({"v":"x\ud83d"})"), ElementsAre("x\uFFFD"));
  EXPECT_THAT(DecodeColumn(arrow::utf8(), R"({"v":"\ude00\ud83d\u0041"})"), ElementsAre("\uFFFD\uFFFDA"));
  EXPECT_THAT(DecodeColumn(arrow::utf8(), R"({"v":"a\u0000b"})")[0].size(), 3);
  EXPECT_THAT(DecodeColumn(arrow::utf8(), R"({"\u0076":"key"})"), ElementsAre("key"));
  for (const char* bad : {R"("\x")", R"("\u12g4")", R"("\u12")", "\"\t\"", "\"\x01\"", "\"abc", "\"abc\\\""}) {
    EXPECT_THAT(ColumnError(arrow::utf8(), fmt::format("{{\"v\":{}}}", bad)), HasSubstr("not a JSON record: expected"));
  }
}

TEST(JsonStrings, EveryLengthAndAlignment) {
  Decoder decoder({field("v", arrow::utf8())});
  std::string text;
  std::vector<std::string> expected;
  for (size_t length = 0; length < 200; ++length) {
    expected.push_back(std::string(length, static_cast<char>('a' + length % 26)) + "é");
    text += "{\"v\":\"" + expected.back() + "\"}\n";
  }
  EXPECT_EQ(Values(*decoder.Decode(text).Take()->column(0)), expected);
}

TEST(JsonStrings, InvalidUtf8IsNeverLetThrough) {
  std::string text = "{\"v\":\"good é\"}\n{\"v\":\"bad \xC3\"}\n{\"v\":\"good 2\"}\n{\"x\":\"\xFF\"}\n";
  EXPECT_EQ(ColumnError(arrow::utf8(), text),
            "events-0.json:2:11: not a JSON record: expected UTF-8, found '?\"}'" + kAdvice);
  Decoder decoder({field("v", arrow::utf8())}, kIgnoreErrors);
  EXPECT_THAT(Values(*decoder.Decode(text).Take()->column(0)), ElementsAre("good é", "good 2"));
  EXPECT_EQ(decoder->num_skipped(), 2);
  EXPECT_THAT(Values(*decoder.Decode("{\"v\":\"é\"}").Take()->column(0)), ElementsAre("é"));
}

TEST(JsonStrings, BinaryIsBase64) {
  EXPECT_THAT(DecodeColumn(arrow::binary(), "{\"v\":\"AQID/w==\"}\n{\"v\":\"\"}\n{\"v\":null}\n{\"v\":\"\\u0041Q==\"}"),
              ElementsAre("\x01\x02\x03\xFF", "", "null", "\x01"));
  EXPECT_THAT(ColumnError(arrow::binary(), R"({"v":"AQI"})"), HasSubstr("column 'v' BYTES: 'AQI' is not base64 text"));
  EXPECT_THAT(DecodeColumn(arrow::fixed_size_binary(3), "{\"v\":\"AQID\"}\n{}"), ElementsAre("\x01\x02\x03", "null"));
  EXPECT_THAT(ColumnError(arrow::fixed_size_binary(4), R"({"v":"AQID"})"),
              HasSubstr("column 'v' BINARY(4): 'AQID' has another number of bytes"));
}

TEST(JsonStructure, NestedTypes) {
  auto item = arrow::struct_({field("sku", arrow::utf8()), field("qty", arrow::int32())});
  Decoder decoder({field("items", arrow::list(item)), field("attrs", arrow::map(arrow::utf8(), arrow::int64())),
                   field("matrix", arrow::list(arrow::list(arrow::int32())))});
  auto batch =
      decoder
          .Decode(
              "{\"items\":[{\"sku\":\"a\",\"qty\":1},{\"qty\":2}],\"attrs\":{\"x\":1,\"y\":null},\"matrix\":[[1],[]]}\n"
              "{\"items\":[],\"attrs\":{},\"matrix\":[null,[2,3]]}\n"
              "{\"items\":null,\"attrs\":{\"k\":1,\"m\":2,\"k\":3}}\n"
              "{\"items\":[null]}\n")
          .Take();
  auto items = std::static_pointer_cast<arrow::ListArray>(batch->column(0));
  EXPECT_EQ(items->value_length(0), 2);
  EXPECT_EQ(items->value_length(1), 0);
  EXPECT_TRUE(items->IsNull(2));
  EXPECT_EQ(items->value_length(3), 1);
  auto rows = std::static_pointer_cast<arrow::StructArray>(items->values());
  EXPECT_THAT(Values(*rows->field(0)), ElementsAre("a", "null", "null"));
  EXPECT_THAT(Values(*rows->field(1)), ElementsAre("1", "2", "null"));
  EXPECT_TRUE(rows->IsNull(2));
  auto attrs = std::static_pointer_cast<arrow::MapArray>(batch->column(1));
  EXPECT_THAT(Values(*attrs->keys()), ElementsAre("x", "y", "k", "m"));
  EXPECT_THAT(Values(*attrs->items()), ElementsAre("1", "null", "3", "2"));
  EXPECT_EQ(attrs->value_length(1), 0);
  EXPECT_TRUE(attrs->IsNull(3));
  auto matrix = std::static_pointer_cast<arrow::ListArray>(batch->column(2));
  auto lines = std::static_pointer_cast<arrow::ListArray>(matrix->values());
  EXPECT_EQ(matrix->value_length(0), 2);
  EXPECT_TRUE(lines->IsNull(2));
  EXPECT_THAT(Values(*lines->values()), ElementsAre("1", "2", "3"));
}

TEST(JsonStructure, MapsOfManyKeysKeepTheLastDuplicate) {
  std::string text = "{\"v\":{";
  for (int i = 0; i < 40; ++i) text += fmt::format("\"k{}\":{},", i % 30, i);
  text.back() = '}';
  Decoder decoder({field("v", arrow::map(arrow::utf8(), arrow::int32()))});
  auto map = std::static_pointer_cast<arrow::MapArray>(decoder.Decode(text + "}").Take()->column(0));
  ASSERT_EQ(map->keys()->length(), 30);
  EXPECT_EQ(Values(*map->items())[0], "30");
  EXPECT_EQ(Values(*map->items())[9], "39");
  EXPECT_EQ(Values(*map->items())[10], "10");
}

TEST(JsonStructure, WrongShapesNameTheNestedColumn) {
  auto row = arrow::struct_({field("b", arrow::list(arrow::int32()))});
  EXPECT_THAT(DecodeError({field("r", row)}, R"({"r":5})"),
              HasSubstr("column 'r' ROW<b ARRAY<INT>>: '5' is not an object"));
  EXPECT_THAT(DecodeError({field("r", row)}, R"({"r":{"b":"x"}})"),
              HasSubstr("column 'r.b' ARRAY<INT>: 'x' is not an array"));
  EXPECT_THAT(DecodeError({field("r", row)}, R"({"r":{"b":[1,"x"]}})"),
              StartsWith("events-0.json:1:14: column 'r.b.element' INT: 'x' is not a number"));
  EXPECT_THAT(ColumnError(arrow::map(arrow::utf8(), arrow::int32()), R"({"v":{"k":"x"}})"),
              HasSubstr("column 'v.value' INT: 'x' is not a number"));
  EXPECT_THAT(ColumnError(arrow::map(arrow::utf8(), arrow::int32()), R"({"v":{k:1}})"),
              HasSubstr("expected a key in double quotes, found 'k:1}}'"));
  Decoder decoder({field("r", row)}, kIgnoreErrors);
  auto rows =
      std::static_pointer_cast<arrow::StructArray>(decoder.Decode(R"({"r":{"b":[1,"x",3]}})").Take()->column(0));
  EXPECT_THAT(Values(*std::static_pointer_cast<arrow::ListArray>(rows->field(0))->values()),
              ElementsAre("1", "null", "3"));
}

TEST(JsonStructure, KeysInAnyOrderWithExtrasAndDuplicates) {
  Decoder decoder({field("a", arrow::utf8()), field("long_key_name_beyond_one_block", arrow::int32()),
                   field("long_key_name_beyond_one_blocks", arrow::int32())});
  auto batch =
      decoder
          .Decode(
              "{\"a\":\"1\",\"long_key_name_beyond_one_block\":1,\"long_key_name_beyond_one_blocks\":2}\n"
              "{\"long_key_name_beyond_one_blocks\":4,\"zz\":0,\"a\":\"2\",\"long_key_name_beyond_one_block\":3}\n"
              " { \"a\" : \"3\" , \"long_key_name_beyond_one_block\" : 5 } \r\n"
              "{\"a\":\"x\",\"a\":null,\"a\":\"4\",\"long_key_name_beyond_one_block\":1,\"a\":null}\n"
              "{\"a\":\"5\",\"A\":\"no\"}\n{}\n")
          .Take();
  EXPECT_THAT(Values(*batch, "a"), ElementsAre("1", "2", "3", "null", "5", "null"));
  EXPECT_THAT(Values(*batch, "long_key_name_beyond_one_block"), ElementsAre("1", "3", "5", "1", "null", "null"));
  EXPECT_THAT(Values(*batch, "long_key_name_beyond_one_blocks"), ElementsAre("2", "4", "null", "null", "null", "null"));
}

TEST(JsonStructure, MoreUnknownKeysThanAreRemembered) {
  Decoder decoder({field("v", arrow::int32())});
  std::string text;
  for (int i = 0; i < 6000; ++i) text += fmt::format("{{\"k{}\":1,\"j{}\":{{}},\"v\":{}}}\n", i, i, i);
  auto values = std::static_pointer_cast<arrow::Int32Array>(decoder.Decode(text).Take()->column(0));
  ASSERT_EQ(values->length(), 6000);
  for (int i = 0; i < 6000; ++i) ASSERT_EQ(values->Value(i), i);
}

TEST(JsonStructure, NoColumnsStillCountRows) {
  Decoder decoder({});
  auto batch = decoder.Decode("{\"a\":1}\n\n{}\n").Take();
  EXPECT_EQ(batch->num_rows(), 2);
  EXPECT_EQ(batch->num_columns(), 0);
}

TEST(JsonStructure, TopLevelArrays) {
  test::Fields fields = {field("v", arrow::int32(), false)};
  auto batch = Decoder(fields).Decode("[]\n[{\"v\":1}]\n [ {\"v\":2} , {\"v\":3} ] \nnull\n[null]\n").Take();
  EXPECT_THAT(Values(*batch, "v"), ElementsAre("1", "2", "3"));
  EXPECT_EQ(DecodeError(fields, "[{\"v\":1},7]"),
            "events-0.json:1:10: not a JSON record: expected an object, found '7]'" + kAdvice);
  EXPECT_THAT(DecodeError(fields, "[{\"v\":1}{\"v\":2}]"), HasSubstr("expected ',' or ']', found '{"));
  Decoder decoder(fields, kIgnoreErrors);
  batch = decoder.Decode("[{\"v\":1},{\"v\":\"x\"},{\"v\":3}]\n[{\"v\":4},{\"v\":5]\n{\"v\":6}").Take();
  EXPECT_THAT(Values(*batch, "v"), ElementsAre("1", "3", "6"));
  EXPECT_EQ(decoder->num_skipped(), 2);
}

// --- Records, chunks and errors ---

TEST(JsonRecords, ABadRecordLeavesItsNeighboursAlone) {
  for (const char* bad : {"{",
                          "}",
                          "{\"v\":",
                          "{\"v\":9",
                          "{\"v\":9,",
                          "{\"v\":9}}",
                          "{\"v\":9} {\"v\":8}",
                          "{\"v\":9,}",
                          "[",
                          "[{\"v\":9}",
                          "{\"v\":\"9",
                          "{\"v\":9,\"s\":\"\\\"}",
                          "{\"v\" 9}",
                          "{v:9}",
                          "{'v':9}",
                          "5",
                          "\"v\"",
                          "tru",
                          "{\"v\":9,\"s\":[1,2}",
                          "{\"v\":9,\"x\":{\"y\":nul}}",
                          "{\"v\":9 \"s\":1}",
                          "\v"}) {
    SCOPED_TRACE(bad);
    test::Fields fields = {field("v", arrow::int32()), field("s", arrow::utf8()),
                           field("l", arrow::list(arrow::int8()))};
    std::string text = fmt::format("{{\"v\":1,\"s\":\"a\",\"l\":[1]}}\n{}\n{{\"v\":2,\"s\":\"b\",\"l\":[2]}}\n", bad);
    Decoder ignoring(fields, kIgnoreErrors);
    auto batch = ignoring.Decode(text).Take();
    EXPECT_THAT(Values(*batch, "v"), ElementsAre("1", "2"));
    EXPECT_THAT(Values(*batch, "s"), ElementsAre("a", "b"));
    EXPECT_EQ(ignoring->num_skipped(), 1);

    Decoder strict(fields);
    std::string error = frazil::test::ErrorOf(ErrorKind::kCorrupt, [&] { strict.Decode(text); });
    EXPECT_THAT(error, StartsWith("events-0.json:2:"));
    EXPECT_THAT(error, HasSubstr("not a JSON record: expected"));
    EXPECT_EQ(strict->buffered_rows(), 1);
    EXPECT_THAT(Values(*strict.Decode("{\"v\":3}").Take(), "v"), ElementsAre("1", "3"));
  }
}

TEST(JsonRecords, TheLastLineNeedsNoNewline) {
  Decoder decoder({field("v", arrow::int32())});
  EXPECT_EQ(decoder.Decode("").Take()->num_rows(), 0);
  EXPECT_EQ(decoder.Decode("\n \n\r\n").Take()->num_rows(), 0);
  EXPECT_THAT(Values(*decoder.Decode("{\"v\":1}").Decode("{\"v\":2}\n{\"v\":3}").Decode("{\"v\":4}\n").Take(), "v"),
              ElementsAre("1", "2", "3", "4"));
  // What lies behind the chunk is not part of its last record.
  for (const char* cut : {"{\"v\":1", "{\"v\":", "{\"v\":\"1", "{\"v", "{\"v\":1,"}) {
    std::string error = frazil::test::ErrorOf(ErrorKind::kCorrupt, [&] { decoder.Decode(cut); });
    EXPECT_THAT(error, HasSubstr("the line ends"));
  }
  EXPECT_EQ(decoder->buffered_rows(), 0);
}

TEST(JsonRecords, AByteOrderMarkOpensAFileOnly) {
  Decoder decoder({field("v", arrow::int32())});
  EXPECT_THAT(Values(*decoder.Decode("\xEF\xBB\xBF{\"v\":1}\n").Take(), "v"), ElementsAre("1"));
  EXPECT_THAT(Values(*decoder.Decode("\xEF\xBB\xBF{\"v\":1}").Take(), "v"), ElementsAre("1"));
  EXPECT_EQ(decoder.Decode("\xEF\xBB\xBF").Take()->num_rows(), 0);
  EXPECT_THAT(frazil::test::ErrorOf(ErrorKind::kCorrupt,
                                    [&] {
                                      decoder.Decode("\xEF\xBB\xBF{\"v\":1}\n", {"f", 9, 100});
                                    }),
              StartsWith("f:9:1: not a JSON record: expected a value"));
}

TEST(JsonRecords, ErrorsNameLineColumnAndValue) {
  test::Fields fields = {field("id", arrow::int64()), field("amount", arrow::decimal128(5, 2))};
  std::string lines;
  for (int i = 0; i < 16; ++i) lines += fmt::format("{{\"id\":{},\"amount\":1}}\n", i);
  EXPECT_EQ(DecodeError(fields, lines + R"({"id":123456789012,"xxxxxxxxx":0,"amount":"12a"})" + "\n"),
            "events-0.json:17:43: column 'amount' DECIMAL(5,2): '12a' is not a number" + kAdvice);
  Decoder decoder(fields);
  auto error = [&](std::string_view text, const ChunkPosition& position) {
    return frazil::test::ErrorOf(ErrorKind::kCorrupt, [&] { decoder.Decode(text, position); });
  };
  EXPECT_THAT(error("{\"id\":1}\n\n{\"id\":[1]}", {"part-3.json", 1000, 5000}),
              StartsWith("part-3.json:1002:7: column 'id' BIGINT: '[1]' is not a number"));
  EXPECT_THAT(error("{\"id\":1}\n{\"id\":[1]}\n", {"part-3.json", 0, 5000}), StartsWith("part-3.json at byte 5015: "));
  EXPECT_THAT(error("{\"id\":1}\n{\"id\":[1]}", {"clicks-4", 0, 0}), StartsWith("clicks-4 at byte 15: "));
  EXPECT_THAT(error("{\"id\":\"" + std::string(100, 'x') + "\"}", {"f", 1, 0}),
              HasSubstr("'" + std::string(40, 'x') + "…' is not a number"));
  EXPECT_THAT(error("{\"id\":1 \"amount\":2}", {"f", 1, 0}),
              StartsWith("f:1:9: not a JSON record: expected ',' or '}', "
                         "found '\"amount\":2}'"));
  EXPECT_EQ(decoder->buffered_rows(), 3);
}

TEST(JsonRecords, IgnoringCountsFieldsAndRecords) {
  Decoder decoder({field("a", arrow::int32()), field("b", arrow::date32())}, kIgnoreErrors);
  auto batch =
      decoder.Decode("{\"a\":\"x\",\"b\":\"y\"}\n{\"a\":\"x\",\"b\":\n{\"a\":1,\"b\":\"2020-01-01\"}\n").Take();
  EXPECT_THAT(Values(*batch, "a"), ElementsAre("null", "1"));
  EXPECT_THAT(Values(*batch, "b"), ElementsAre("null", "2020-01-01"));
  EXPECT_EQ(decoder->num_nulled_fields(), 2);
  EXPECT_EQ(decoder->num_skipped(), 1);
}

TEST(JsonRecords, GoodRecordsAreNeverSkipped) {
  Decoder decoder({field("v", arrow::int32())}, kIgnoreErrors);
  std::string text;
  for (int i = 0; i < 100; ++i) text += fmt::format("{{\"v\":{}}}\n", i);
  EXPECT_EQ(decoder.Decode(text).Take()->num_rows(), 100);
  EXPECT_EQ(decoder->num_skipped(), 0);
  EXPECT_EQ(decoder->num_nulled_fields(), 0);
}

TEST(JsonRecords, TakenBatchesStayAsTheyAre) {
  Decoder decoder({field("v", arrow::int32()), field("s", arrow::utf8()), field("b", arrow::boolean())});
  auto first = decoder.Decode("{\"v\":1,\"s\":\"one\",\"b\":true}\n{\"v\":null}\n").Take();
  auto second = decoder.Decode("{\"v\":2,\"s\":\"two\",\"b\":false}\n{\"v\":3}\n{\"v\":4}\n").Take();
  EXPECT_THAT(Values(*first, "v"), ElementsAre("1", "null"));
  EXPECT_THAT(Values(*first, "s"), ElementsAre("one", "null"));
  EXPECT_THAT(Values(*first, "b"), ElementsAre("true", "null"));
  EXPECT_THAT(Values(*second, "v"), ElementsAre("2", "3", "4"));
  EXPECT_THAT(Values(*second, "b"), ElementsAre("false", "null", "null"));
  EXPECT_EQ(second->column(0)->null_count(), 0);
  EXPECT_EQ(second->column(1)->null_count(), 2);
  EXPECT_EQ(decoder.Take()->num_rows(), 0);
}

TEST(JsonRecords, DepthIsLimited) {
  auto nested = [](int depth) { return "{\"x\":" + std::string(depth, '[') + std::string(depth, ']') + "}"; };
  EXPECT_EQ(Decoder({}).Decode(nested(1000)).Take()->num_rows(), 1);
  EXPECT_THAT(DecodeError({}, nested(1001)), HasSubstr("expected at most 1000 nested arrays and objects"));
  EXPECT_THAT(DecodeError({}, "{\"x\":" + std::string(1'000'000, '[')), HasSubstr("expected at most 1000 nested"));
}

TEST(TypeName, FlinkSqlNames) {
  EXPECT_EQ(FlinkTypeName(*arrow::timestamp(arrow::TimeUnit::MICRO, "UTC")), "TIMESTAMP_LTZ(6)");
  EXPECT_EQ(FlinkTypeName(*arrow::struct_(
                {field("b", arrow::int32(), false), field("t", arrow::time32(arrow::TimeUnit::SECOND))})),
            "ROW<b INT NOT NULL, t TIME(0)>");
  EXPECT_EQ(FlinkTypeName(*arrow::map(arrow::utf8(), arrow::list(arrow::binary()))), "MAP<STRING, ARRAY<BYTES>>");
  EXPECT_EQ(FlinkTypeName(*arrow::large_utf8()), "large_string");
}

}  // namespace
}  // namespace frazil::serde
