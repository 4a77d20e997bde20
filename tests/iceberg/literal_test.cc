// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/literal.h"

#include <limits>

#include "frazil/base/uuid.h"
#include "frazil/iceberg/calendar.h"
#include "frazil/iceberg/type.h"
#include "support/support.h"

namespace frazil::iceberg {
namespace {

using test::ErrorOf;
using ::testing::HasSubstr;

std::string Hex(std::string_view bytes) {
  std::string text;
  for (char byte : bytes) text += fmt::format("{:02x}", static_cast<uint8_t>(byte));
  return text;
}

std::string Bytes(std::string_view hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

Literal Dec(int64_t unscaled) { return static_cast<__int128>(unscaled); }
Literal Str(std::string text) { return Literal(std::move(text)); }

constexpr char kUuidText[] = "f79c3e09-677c-4bbd-a479-3f349cb785e7";
std::string UuidBytes() { return Bytes("f79c3e09677c4bbda4793f349cb785e7"); }

const Type kTimestampNs(TypeId::kTimestampNs);
const Type kTimestampTzNs(TypeId::kTimestampTzNs);

TEST(LiteralTest, BinarySingleValuesOfEveryType) {
  struct Case {
    Type type;
    Literal value;
    std::string hex;
  };
  const std::vector<Case> cases = {
      {Type::Boolean(), true, "01"},
      {Type::Boolean(), false, "00"},
      {Type::Int(), int32_t{-2}, "feffffff"},
      {Type::Long(), int64_t{34}, "2200000000000000"},
      {Type::Float(), 1.0F, "0000803f"},
      {Type::Double(), -0.0, "0000000000000080"},
      {Type::Decimal(9, 2), Dec(1420), "058c"},
      {Type::Decimal(9, 2), Dec(0), "00"},
      {Type::Decimal(9, 2), Dec(-1), "ff"},
      {Type::Decimal(9, 2), Dec(-128), "80"},
      {Type::Decimal(9, 2), Dec(128), "0080"},
      {Type::Decimal(9, 2), Dec(-129), "ff7f"},
      {Type::Decimal(9, 2), Dec(-32768), "8000"},
      {Type::Decimal(38, 0), std::numeric_limits<__int128>::min(), "80000000000000000000000000000000"},
      {Type::Date(), int32_t{17486}, "4e440000"},
      {Type::Time(), int64_t{81068000000}, "008307e012000000"},
      {Type::Timestamp(), int64_t{-1}, "ffffffffffffffff"},
      {Type::TimestampTz(), int64_t{1}, "0100000000000000"},
      {kTimestampNs, int64_t{2}, "0200000000000000"},
      {kTimestampTzNs, int64_t{3}, "0300000000000000"},
      {Type::String(), Str("icebeé"), "69636562 65c3a9"},
      {Type::Uuid(), UuidBytes(), "f79c3e09677c4bbda4793f349cb785e7"},
      {Type::Fixed(4), Bytes("00010203"), "00010203"},
      {Type::Binary(), Bytes("ff00"), "ff00"},
      {Type(TypeId::kGeometry), Bytes("0101"), "0101"},
  };
  for (const Case& c : cases) {
    std::string hex = c.hex;
    std::erase(hex, ' ');
    EXPECT_EQ(Hex(ToBinary(c.type, c.value)), hex) << c.type.ToString();
    EXPECT_EQ(FromBinary(c.type, Bytes(hex)), c.value) << c.type.ToString();
  }
}

TEST(LiteralTest, FromBinaryReadsWhatPromotedColumnsLeftBehind) {
  EXPECT_EQ(FromBinary(Type::Long(), Bytes("feffffff")), Literal(int64_t{-2}));
  EXPECT_EQ(FromBinary(Type::Double(), Bytes("0000803f")), Literal(1.0));
  EXPECT_EQ(FromBinary(Type::Decimal(20, 2), Bytes("ffffffff")), Dec(-1));
  EXPECT_EQ(FromBinary(Type::Timestamp(), Bytes("01000000")), Literal(kMicrosPerDay));
  EXPECT_EQ(FromBinary(kTimestampNs, Bytes("ffffffff")), Literal(-kNanosPerDay));
  EXPECT_EQ(FromBinary(Type::Fixed(4), Bytes("0001")), Str(Bytes("0001")));
  EXPECT_EQ(FromBinary(Type::Boolean(), Bytes("07")), Literal(true));
}

TEST(LiteralTest, FromBinaryRefusesWrongLengths) {
  for (const Type& type : {Type::Boolean(), Type::Int(), Type::Long(), Type::Float(), Type::Double(), Type::Date(),
                           Type::Time(), Type::Timestamp(), kTimestampNs, Type::Uuid()}) {
    EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { FromBinary(type, "abc"); }), HasSubstr("3 bytes"));
  }
  ErrorOf(ErrorKind::kCorrupt, [] { FromBinary(Type::Decimal(9, 2), ""); });
  ErrorOf(ErrorKind::kCorrupt, [] { FromBinary(Type::Decimal(9, 2), std::string(17, 'x')); });
  ErrorOf(ErrorKind::kCorrupt, [] { FromBinary(Type::Fixed(2), "abc"); });
  ErrorOf(ErrorKind::kCorrupt, [] { FromBinary(Type::Long(), ""); });
  ErrorOf(ErrorKind::kCorrupt, [] { FromBinary(kTimestampNs, Bytes("ffffff7f")); });
}

TEST(LiteralTest, BinaryRefusesNestedTypesNullsAndOtherKinds) {
  Type list = Type::List(NestedField::Optional(1, "element", Type::Int()));
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { ToBinary(list, Str("[]")); }), HasSubstr("list<int>"));
  ErrorOf(ErrorKind::kUnsupported, [&] { FromBinary(Type(TypeId::kVariant), "x"); });
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [] { ToBinary(Type::Int(), Literal()); }), HasSubstr("null"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [] { ToBinary(Type::Int(), Literal(int64_t{1})); }),
              HasSubstr("type int"));
}

TEST(LiteralTest, FloatsHaveATotalOrder) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> ascending = {-nan, -inf, -1e30, -1.0, -0.0, 0.0, 1.0, inf, nan};
  for (size_t i = 0; i < ascending.size(); ++i) {
    for (size_t j = 0; j < ascending.size(); ++j) {
      int sign = Compare(Type::Double(), ascending[i], ascending[j]);
      EXPECT_EQ(sign < 0, i < j) << i << " " << j;
      EXPECT_EQ(sign > 0, i > j) << i << " " << j;
      sign = Compare(Type::Float(), static_cast<float>(ascending[i]), static_cast<float>(ascending[j]));
      EXPECT_EQ(sign < 0, i < j) << i << " " << j;
    }
  }
}

TEST(LiteralTest, OtherTypesCompareByValueOrUnsignedBytes) {
  EXPECT_LT(Compare(Type::Boolean(), false, true), 0);
  EXPECT_LT(Compare(Type::Int(), int32_t{-1}, int32_t{0}), 0);
  EXPECT_GT(Compare(Type::Timestamp(), int64_t{5}, int64_t{-5}), 0);
  EXPECT_LT(Compare(Type::Decimal(9, 2), Dec(-129), Dec(-128)), 0);
  EXPECT_EQ(Compare(Type::String(), Str("a"), Str("a")), 0);
  EXPECT_LT(Compare(Type::String(), Str("a"), Str("ab")), 0);
  EXPECT_LT(Compare(Type::String(), Str("z"), Str("é")), 0);
  EXPECT_LT(Compare(Type::String(), Str("\uFFFD"), Str("\U0001F600")), 0);
  EXPECT_LT(Compare(Type::Binary(), Bytes("7f"), Bytes("80")), 0);
  EXPECT_LT(Compare(Type::Uuid(), Bytes("00000000000000000000000000000001"), UuidBytes()), 0);
  ErrorOf(ErrorKind::kUnsupported, [] { Compare(Type(TypeId::kGeometry), Str("a"), Str("b")); });
  ErrorOf(ErrorKind::kInvalidArgument, [] { Compare(Type::Int(), Literal(), int32_t{1}); });
}

TEST(LiteralTest, HumanStringsAreJavas) {
  struct Case {
    Type type;
    Literal value;
    std::string text;
  };
  const std::vector<Case> cases = {
      {Type::Int(), Literal(), "null"},
      {Type::Boolean(), true, "true"},
      {Type::Int(), int32_t{-7}, "-7"},
      {Type::Long(), int64_t{1} << 40, "1099511627776"},
      {Type::Float(), 0.1F, "0.1"},
      {Type::Float(), 1.0E10F, "1.0E10"},
      {Type::Float(), 16777216.0F, "1.6777216E7"},
      {Type::Double(), 0.0, "0.0"},
      {Type::Double(), -0.0, "-0.0"},
      {Type::Double(), 1.0, "1.0"},
      {Type::Double(), 100.0, "100.0"},
      {Type::Double(), -1234.5, "-1234.5"},
      {Type::Double(), 9999999.0, "9999999.0"},
      {Type::Double(), 1e7, "1.0E7"},
      {Type::Double(), 0.001, "0.001"},
      {Type::Double(), 0.00123, "0.00123"},
      {Type::Double(), 0.0009, "9.0E-4"},
      {Type::Double(), 1.5e300, "1.5E300"},
      {Type::Double(), std::numeric_limits<double>::quiet_NaN(), "NaN"},
      {Type::Double(), -std::numeric_limits<double>::infinity(), "-Infinity"},
      {Type::Decimal(9, 2), Dec(1420), "14.20"},
      {Type::Decimal(9, 2), Dec(-5), "-0.05"},
      {Type::Decimal(9, 0), Dec(-5), "-5"},
      {Type::Decimal(20, 10), Dec(0), "0E-10"},
      {Type::Decimal(20, 10), Dec(-12), "-1.2E-9"},
      {Type::Decimal(20, 7), Dec(10), "0.0000010"},
      {Type::Date(), int32_t{17486}, "2017-11-16"},
      {Type::Date(), int32_t{-1}, "1969-12-31"},
      {Type::Time(), int64_t{81068000000}, "22:31:08"},
      {Type::Time(), int64_t{81060000000}, "22:31"},
      {Type::Time(), int64_t{81068000100}, "22:31:08.000100"},
      {Type::Time(), int64_t{-1}, "-1"},
      {Type::Timestamp(), int64_t{1510871468000000}, "2017-11-16T22:31:08"},
      {Type::Timestamp(), int64_t{-1}, "1969-12-31T23:59:59.999999"},
      {Type::Timestamp(), int64_t{0}, "1970-01-01T00:00"},
      {Type::TimestampTz(), int64_t{1510871468500000}, "2017-11-16T22:31:08.500Z"},
      {Type::Timestamp(), std::numeric_limits<int64_t>::min(), "-290308-12-21T19:59:05.224192"},
      {kTimestampNs, int64_t{-1}, "1969-12-31T23:59:59.999999999"},
      {kTimestampTzNs, int64_t{1500}, "1970-01-01T00:00:00.000001500Z"},
      {Type::String(), Str("a/b=c"), "a/b=c"},
      {Type::Uuid(), UuidBytes(), kUuidText},
      {Type::Fixed(4), Bytes("00010203"), "AAECAw=="},
      {Type::Binary(), Bytes("fffefd"), "//79"},
      {Type::Binary(), Str(""), ""},
      {Type(), int32_t{5}, "5"},
      {Type(), Str("eu"), "eu"},
      {Type(), Literal(), "null"},
  };
  for (const Case& c : cases) EXPECT_EQ(ToHumanString(c.type, c.value), c.text) << c.type.ToString();
  ErrorOf(ErrorKind::kUnsupported, [] { ToHumanString(Type(TypeId::kVariant), Str("x")); });
  EXPECT_EQ(DecimalText(-12, 10), "-0.0000000012");
  EXPECT_EQ(DecimalText(std::numeric_limits<__int128>::min(), 0), "-170141183460469231731687303715884105728");
}

TEST(CalendarTest, DaysAndCivilDatesAreInverse) {
  for (int64_t days : {int64_t{-1000000000}, int64_t{-719529}, int64_t{-719528}, int64_t{-1}, int64_t{0}, int64_t{59},
                       int64_t{11016}, int64_t{19782}, int64_t{2932896}, int64_t{106751991}}) {
    CivilDate date = CivilFromDays(days);
    EXPECT_EQ(DaysFromCivil(date.year, date.month, date.day), days);
  }
  int64_t days = DaysFromCivil(1899, 12, 31);
  for (int year = 1900; year < 2101; ++year) {
    for (int month = 1; month <= 12; ++month) {
      int length = month == 2 ? (year % 4 == 0 && year % 100 != 0) || year % 400 == 0 ? 29 : 28
                   : month == 4 || month == 6 || month == 9 || month == 11 ? 30
                                                                           : 31;
      for (int day = 1; day <= length; ++day) {
        CivilDate date = CivilFromDays(++days);
        ASSERT_TRUE(date.year == year && date.month == month && date.day == day) << FormatIsoDate(days);
      }
    }
  }
}

TEST(CalendarTest, ParsesIsoTexts) {
  EXPECT_EQ(ParseIsoDate("2017-11-16"), 17486);
  EXPECT_EQ(ParseIsoDate("0000-01-01"), -719528);
  EXPECT_EQ(FormatIsoDate(*ParseIsoDate("+12345-06-07")), "+12345-06-07");
  EXPECT_EQ(FormatIsoDate(*ParseIsoDate("-0001-12-31")), "-0001-12-31");
  for (const char* bad : {"", "2017-11-1", "2017-02-29", "2017-13-01", "2017-00-01", "2017/11/16", "17-11-16",
                          "x017-11-16", "2017-11-16 "}) {
    EXPECT_EQ(ParseIsoDate(bad), std::nullopt) << bad;
  }
  EXPECT_EQ(ParseIsoTime("22:31", kMicrosPerDay), 81060000000);
  EXPECT_EQ(ParseIsoTime("22:31:08.5", kMicrosPerDay), 81068500000);
  EXPECT_EQ(ParseIsoTime("00:00:00.000000001", kNanosPerDay), 1);
  for (const char* bad : {"", "24:00", "22:60", "22:31:61", "22:31:", "22:31:08.", "22:31:08.0000001", "22:31:08,5"}) {
    EXPECT_EQ(ParseIsoTime(bad, kMicrosPerDay), std::nullopt) << bad;
  }
  EXPECT_EQ(ParseIsoTimestamp("1969-12-31T23:59:59.999999", kMicrosPerDay), -1);
  EXPECT_EQ(ParseIsoTimestamp("1969-12-31T23:59:59.999999999", kNanosPerDay), -1);
  EXPECT_EQ(ParseIsoTimestamp("1969-12-31 23:59:59", kMicrosPerDay), std::nullopt);
  EXPECT_EQ(ParseIsoTimestamp("+99999-12-31T23:59:59", kNanosPerDay), std::nullopt);
}

}  // namespace
}  // namespace frazil::iceberg
