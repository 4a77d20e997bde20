// SPDX-License-Identifier: Apache-2.0
#include "frazil/serde/text_values.h"

#include <cmath>

#include "support/support.h"

namespace frazil::serde {
namespace {

constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

TEST(TextValues, Booleans) {
  bool value = false;
  EXPECT_EQ(ParseBoolean(" True ", &value), "");
  EXPECT_TRUE(value);
  EXPECT_EQ(ParseBoolean("false", &value), "");
  EXPECT_FALSE(value);
  EXPECT_EQ(ParseBoolean("t", &value), "is neither true nor false");
}

TEST(TextValues, Integers) {
  int64_t value = 0;
  EXPECT_EQ(ParseInteger("-9223372036854775808", kMin, kMax, &value), "");
  EXPECT_EQ(value, kMin);
  EXPECT_EQ(ParseInteger("\t007 ", kMin, kMax, &value), "");
  EXPECT_EQ(value, 7);
  EXPECT_EQ(ParseInteger("128", -128, 127, &value), "is out of range");
  EXPECT_EQ(ParseInteger(std::string(60, '9'), kMin, kMax, &value), "is out of range");
  EXPECT_EQ(ParseInteger("1.", kMin, kMax, &value), "is not a whole number");
  for (const char* bad : {"", "-", "+-1", "1 2", "0x1", "١"}) {
    EXPECT_EQ(ParseInteger(bad, kMin, kMax, &value), "is not a number") << bad;
  }
}

TEST(TextValues, Floats) {
  double d = 0;
  EXPECT_EQ(ParseFloating("+1.5e3", &d), "");
  EXPECT_EQ(d, 1500);
  EXPECT_EQ(ParseFloating(".5", &d), "");
  EXPECT_EQ(d, 0.5);
  EXPECT_EQ(ParseFloating("0.0000001e400", &d), "");
  EXPECT_EQ(d, std::numeric_limits<double>::infinity());
  EXPECT_EQ(ParseFloating("-1000000e-400", &d), "");
  EXPECT_EQ(d, 0);
  EXPECT_TRUE(std::signbit(d));
  EXPECT_EQ(ParseFloating("NaN", &d), "");
  EXPECT_TRUE(std::isnan(d));
  float f = 0;
  EXPECT_EQ(ParseFloating("-Infinity", &f), "");
  EXPECT_EQ(f, -std::numeric_limits<float>::infinity());
  // Rounded once: through double it would become 1.00000012.
  EXPECT_EQ(ParseFloating("1.00000005960464477540", &f), "");
  EXPECT_EQ(f, std::nextafter(1.0f, 2.0f));
  for (const char* bad : {"", ".", "inf", "nan", "1e", "1d", "0x1p3", "- 1"}) {
    EXPECT_EQ(ParseFloating(bad, &d), "is not a number") << bad;
  }
}

TEST(TextValues, Decimals) {
  auto parse = [](std::string_view text, int precision, int scale) -> std::string {
    __int128 value = 0;
    bool overflow = false;
    Problem problem = ParseDecimal(text, precision, scale, &value, &overflow);
    if (!problem.empty()) return std::string(problem);
    if (overflow) return "overflow";
    bool negative = value < 0;
    std::string digits;
    for (; value != 0; value /= 10) digits.insert(digits.begin(), static_cast<char>('0' + std::abs(int(value % 10))));
    return (negative ? "-" : "") + (digits.empty() ? "0" : digits);
  };
  EXPECT_EQ(parse("1.005", 5, 2), "101");
  EXPECT_EQ(parse("-1.005", 5, 2), "-101");
  EXPECT_EQ(parse("1.00499999", 5, 2), "100");
  EXPECT_EQ(parse("0.5", 5, 0), "1");
  EXPECT_EQ(parse("0.49", 5, 0), "0");
  EXPECT_EQ(parse("0.05", 5, 0), "0");
  EXPECT_EQ(parse("999.995", 5, 2), "overflow");
  EXPECT_EQ(parse("1e2", 5, 2), "10000");
  EXPECT_EQ(parse("1e3", 5, 2), "overflow");
  EXPECT_EQ(parse("12345e-3", 5, 2), "1235");
  EXPECT_EQ(parse("0e999999999999", 5, 2), "0");
  EXPECT_EQ(parse("1e999999999999", 5, 2), "overflow");
  EXPECT_EQ(parse("1e-999999999999", 5, 2), "0");
  EXPECT_EQ(parse("0000000000000000000000000000000000000000001", 1, 0), "1");
  EXPECT_EQ(parse("0.00000000000000000000000000000000000001", 38, 38), "1");
  EXPECT_EQ(parse("-99999999999999999999999999999999999999", 38, 0), "-99999999999999999999999999999999999999");
  EXPECT_EQ(parse("99999999999999999999999999999999999999.5", 38, 0), "overflow");
  EXPECT_EQ(parse(" +.5 ", 5, 2), "50");
  for (const char* bad : {"", ".", "1,5", "e5", "1e", "NaN", "--1"})
    EXPECT_EQ(parse(bad, 5, 2), "is not a number") << bad;
}

TEST(TextValues, Dates) {
  int32_t days = 0;
  EXPECT_EQ(ParseDate("1970-01-01", &days), "");
  EXPECT_EQ(days, 0);
  EXPECT_EQ(ParseDate("2000-02-29", &days), "");
  EXPECT_EQ(days, 11016);
  EXPECT_EQ(ParseDate("0000-01-01", &days), "");
  EXPECT_EQ(days, -719528);
  EXPECT_EQ(ParseDate("9999-12-31", &days), "");
  EXPECT_EQ(days, 2932896);
  for (const char* bad : {"1900-02-29", "2023-13-01", "2023-00-01", "2023-04-31", "2023-04-00"}) {
    EXPECT_EQ(ParseDate(bad, &days), "is not a date of the calendar") << bad;
  }
  for (const char* bad : {"", "2023-1-01", "2023/01/01", "2023-01-01 ", "+2023-01-0"}) {
    EXPECT_EQ(ParseDate(bad, &days), "is not a date such as 2020-12-30") << bad;
  }
}

TEST(TextValues, EveryDayFollowsTheOneBefore) {
  int32_t expected = -719528;
  for (int year = 0; year < 2500; ++year) {
    for (int month = 1; month <= 12; ++month) {
      for (int day = 1; IsDate(year, month, day); ++day) ASSERT_EQ(DaysFromCivil(year, month, day), expected++);
    }
  }
}

TEST(TextValues, Times) {
  int64_t nanos = 0;
  EXPECT_EQ(ParseTime("23:59:59.123456789", &nanos), "");
  EXPECT_EQ(nanos, 86399123456789);
  EXPECT_EQ(ParseTime("00:00:00.5", &nanos), "");
  EXPECT_EQ(nanos, 500000000);
  for (const char* bad : {"", "12:13", "24:00:00", "12:60:00", "12:00:60", "12:00:00.", "12:00:00.1234567890",
                          "12:00:00Z", "1:00:00", "12-00-00"}) {
    EXPECT_EQ(ParseTime(bad, &nanos), "is not a time such as 12:13:14.123") << bad;
  }
}

TEST(TextValues, Timestamps) {
  int64_t seconds = 0;
  int32_t nanos = 0;
  auto sql = TimestampStandard::kSql;
  auto iso = TimestampStandard::kIso8601;
  EXPECT_EQ(ParseTimestamp("1969-12-31 23:59:59.999999999", sql, false, &seconds, &nanos), "");
  EXPECT_EQ(seconds, -1);
  EXPECT_EQ(nanos, 999999999);
  EXPECT_EQ(ParseTimestamp("2026-01-01T00:00Z", iso, true, &seconds, &nanos), "");
  EXPECT_EQ(seconds, 1767225600);
  EXPECT_EQ(ParseTimestamp("2023-02-30 00:00:00", sql, false, &seconds, &nanos), "is not a date of the calendar");
  for (const char* bad : {"", "Z", "2026-01-01", "2026-01-01 ", "2026-01-01 00:00", "2026-01-01 00:00:00z"}) {
    EXPECT_THAT(std::string(ParseTimestamp(bad, sql, false, &seconds, &nanos)),
                ::testing::StartsWith("is not a timestamp such as 2020-12-30 12:13:14.123"))
        << bad;
  }
}

TEST(TextValues, Base64) {
  std::string bytes = "<";
  EXPECT_EQ(AppendBase64("SGVsbG8+/w==", &bytes), "");
  EXPECT_EQ(bytes, "<Hello>\xff");
  for (const char* bad : {"A", "AB", "ABC", "A===", "AB=C", "AB-_", "AB==AB==", "AB\n="}) {
    EXPECT_EQ(AppendBase64(bad, &bytes), "is not base64 text") << bad;
  }
}

TEST(TextValues, TrimsAsJava) {
  EXPECT_EQ(Trim("\t\x01 a b \n"), "a b");
  EXPECT_EQ(Trim("  "), "");
}

}  // namespace
}  // namespace frazil::serde
