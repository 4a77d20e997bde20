// SPDX-License-Identifier: Apache-2.0
#include "frazil/serde/text_values.h"

#include <array>
#include <charconv>
#include <cmath>

namespace frazil::serde {

namespace {

constexpr Problem kNotANumber = "is not a number";
constexpr Problem kNotADate = "is not a date such as 2020-12-30";
constexpr Problem kNotATime = "is not a time such as 12:13:14.123";

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool EqualsIgnoreCase(std::string_view text, std::string_view lower) {
  if (text.size() != lower.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    if (c != lower[i]) return false;
  }
  return true;
}

/// Cuts a sign off `text`; whether it was '-'.
bool CutSign(std::string_view* text) {
  if (text->empty() || (text->front() != '-' && text->front() != '+')) return false;
  bool negative = text->front() == '-';
  text->remove_prefix(1);
  return negative;
}

/// An unsigned number: digits with at most one '.', then an optional exponent; "5." and ".5" are fine.
struct NumberParts {
  std::string_view whole;
  std::string_view fraction;
  int64_t exponent = 0;
};

std::string_view CutDigits(std::string_view* text) {
  size_t n = 0;
  while (n < text->size() && IsDigit((*text)[n])) ++n;
  std::string_view digits = text->substr(0, n);
  text->remove_prefix(n);
  return digits;
}

bool SplitNumber(std::string_view text, NumberParts* parts) {
  parts->whole = CutDigits(&text);
  if (!text.empty() && text.front() == '.') {
    text.remove_prefix(1);
    parts->fraction = CutDigits(&text);
  }
  if (parts->whole.empty() && parts->fraction.empty()) return false;
  if (text.empty()) return true;
  if (text.front() != 'e' && text.front() != 'E') return false;
  text.remove_prefix(1);
  bool negative = CutSign(&text);
  std::string_view digits = CutDigits(&text);
  if (digits.empty() || !text.empty()) return false;
  constexpr int64_t kFarAway = 1'000'000'000;  // beyond it any DECIMAL overflows or is zero
  for (char c : digits) parts->exponent = std::min(parts->exponent * 10 + (c - '0'), kFarAway);
  if (negative) parts->exponent = -parts->exponent;
  return true;
}

template <typename T>
Problem ParseFloatingAs(std::string_view text, T* value) {
  text = Trim(text);
  std::string_view unsigned_text = text;
  bool negative = CutSign(&unsigned_text);
  T magnitude = 0;
  if (unsigned_text == "Infinity") {
    magnitude = std::numeric_limits<T>::infinity();
  } else if (text == "NaN") {
    magnitude = std::numeric_limits<T>::quiet_NaN();
  } else {
    NumberParts parts;
    if (!SplitNumber(unsigned_text, &parts)) return kNotANumber;
    const char* end = unsigned_text.data() + unsigned_text.size();
    if (std::from_chars(unsigned_text.data(), end, magnitude).ec == std::errc::result_out_of_range) {
      // Out of range on which side? The position of the first digit that isn't zero decides.
      int64_t leading = static_cast<int64_t>(parts.whole.size());
      size_t first = parts.whole.find_first_not_of('0');
      if (first != std::string_view::npos) {
        leading -= static_cast<int64_t>(first);
      } else {
        leading = -static_cast<int64_t>(std::min(parts.fraction.find_first_not_of('0'), parts.fraction.size()));
      }
      magnitude = leading + parts.exponent > 0 ? std::numeric_limits<T>::infinity() : T{0};
    }
  }
  *value = negative ? -magnitude : magnitude;
  return {};
}

constexpr std::array<__int128, 39> MakePowersOf10() {
  std::array<__int128, 39> powers{};
  powers[0] = 1;
  for (size_t i = 1; i < powers.size(); ++i) powers[i] = powers[i - 1] * 10;
  return powers;
}
constexpr std::array<__int128, 39> kPowersOf10 = MakePowersOf10();

bool TwoDigits(std::string_view text, size_t at, int* value) {
  if (at + 2 > text.size() || !IsDigit(text[at]) || !IsDigit(text[at + 1])) return false;
  *value = (text[at] - '0') * 10 + (text[at + 1] - '0');
  return true;
}

/// `text` is "" or '.' and one to nine digits.
bool ParseFraction(std::string_view text, int64_t* nanos) {
  *nanos = 0;
  if (text.empty()) return true;
  if (text.front() != '.' || text.size() < 2 || text.size() > 10) return false;
  for (size_t i = 1; i <= 9; ++i) {
    char c = i < text.size() ? text[i] : '0';
    if (!IsDigit(c)) return false;
    *nanos = *nanos * 10 + (c - '0');
  }
  return true;
}

bool ParseClock(std::string_view text, bool seconds_may_be_absent, int64_t* nanos) {
  int hour, minute, second = 0;
  if (!TwoDigits(text, 0, &hour) || !TwoDigits(text, 3, &minute) || text[2] != ':') return false;
  if (text.size() > 5 || !seconds_may_be_absent) {
    if (!TwoDigits(text, 6, &second) || text[5] != ':') return false;
  }
  if (hour > 23 || minute > 59 || second > 59) return false;
  int64_t fraction;
  if (!ParseFraction(text.substr(std::min<size_t>(text.size(), 8)), &fraction)) return false;
  *nanos = (int64_t{hour} * 3600 + minute * 60 + second) * 1'000'000'000 + fraction;
  return true;
}

Problem NotATimestamp(TimestampStandard standard, bool zoned) {
  if (standard == TimestampStandard::kSql) {
    return zoned ? "is not a timestamp such as 2020-12-30 12:13:14.123Z (standard 'SQL', with 'Z')"
                 : "is not a timestamp such as 2020-12-30 12:13:14.123 (standard 'SQL')";
  }
  return zoned ? "is not a timestamp such as 2020-12-30T12:13:14.123Z (standard 'ISO-8601', with 'Z')"
               : "is not a timestamp such as 2020-12-30T12:13:14.123 (standard 'ISO-8601', without zone)";
}

int Base64Digit(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return -1;
}

}  // namespace

std::string_view Trim(std::string_view text) {
  auto is_space = [](char c) { return static_cast<unsigned char>(c) <= ' '; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

Problem ParseBoolean(std::string_view text, bool* value) {
  text = Trim(text);
  *value = EqualsIgnoreCase(text, "true");
  return *value || EqualsIgnoreCase(text, "false") ? Problem{} : "is neither true nor false";
}

Problem ParseInteger(std::string_view text, int64_t min, int64_t max, int64_t* value) {
  text = Trim(text);
  std::string_view digits = text;
  bool negative = CutSign(&digits);
  NumberParts parts;
  if (!SplitNumber(digits, &parts)) return kNotANumber;
  if (parts.whole.size() != digits.size()) return "is not a whole number";
  __int128 magnitude = 0;
  for (char c : digits) {
    magnitude = magnitude * 10 + (c - '0');
    if (magnitude > kPowersOf10[20]) break;
  }
  __int128 number = negative ? -magnitude : magnitude;
  if (number < min || number > max) return "is out of range";
  *value = static_cast<int64_t>(number);
  return {};
}

Problem ParseFloating(std::string_view text, double* value) { return ParseFloatingAs(text, value); }
Problem ParseFloating(std::string_view text, float* value) { return ParseFloatingAs(text, value); }

Problem ParseDecimal(std::string_view text, int precision, int scale, __int128* unscaled, bool* overflow) {
  text = Trim(text);
  bool negative = CutSign(&text);
  NumberParts parts;
  if (!SplitNumber(text, &parts)) return kNotANumber;
  *overflow = false;
  // The digits d0 d1 d2 … stand for 0.d0d1d2… × 10^point; those before position point + scale are kept.
  int64_t keep = static_cast<int64_t>(parts.whole.size()) + parts.exponent + scale;
  int64_t count = static_cast<int64_t>(parts.whole.size() + parts.fraction.size());
  auto digit = [&](int64_t i) {
    auto at = static_cast<size_t>(i);
    return (at < parts.whole.size() ? parts.whole[at] : parts.fraction[at - parts.whole.size()]) - '0';
  };
  __int128 number = 0;
  for (int64_t i = 0; i < keep && (i < count || number != 0); ++i) {
    *overflow = number >= kPowersOf10[precision - 1];
    if (*overflow) return {};
    number = number * 10 + (i < count ? digit(i) : 0);
  }
  if (keep >= 0 && keep < count && digit(keep) >= 5) ++number;
  *overflow = number >= kPowersOf10[precision];
  *unscaled = negative ? -number : number;
  return {};
}

bool IsDate(int year, int month, int day) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  if (month < 1 || month > 12 || day < 1) return false;
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return day <= kDays[month - 1] + (month == 2 && leap ? 1 : 0);
}

int32_t DaysFromCivil(int year, int month, int day) {
  // Years begin in March, so that the leap day is the last day of its year; 719468 days lie between 0000-03-01 and
  // 1970-01-01. Valid for year ≥ 0.
  if (month <= 2) --year;
  int era = (year >= 0 ? year : year - 399) / 400;
  int year_of_era = year - era * 400;
  int day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

Problem ParseDate(std::string_view text, int32_t* days) {
  int century, year, month, day;
  if (text.size() != 10 || text[4] != '-' || text[7] != '-' || !TwoDigits(text, 0, &century) ||
      !TwoDigits(text, 2, &year) || !TwoDigits(text, 5, &month) || !TwoDigits(text, 8, &day)) {
    return kNotADate;
  }
  year += century * 100;
  if (!IsDate(year, month, day)) return "is not a date of the calendar";
  *days = DaysFromCivil(year, month, day);
  return {};
}

Problem ParseTime(std::string_view text, int64_t* nanos) {
  return ParseClock(text, false, nanos) ? Problem{} : kNotATime;
}

Problem ParseTimestamp(std::string_view text, TimestampStandard standard, bool zoned, int64_t* seconds,
                       int32_t* nanos) {
  Problem not_a_timestamp = NotATimestamp(standard, zoned);
  if (zoned) {
    if (text.empty() || text.back() != 'Z') return not_a_timestamp;
    text.remove_suffix(1);
  }
  bool iso = standard == TimestampStandard::kIso8601;
  if (text.size() < 11 || text[10] != (iso ? 'T' : ' ')) return not_a_timestamp;
  int32_t days;
  int64_t nanos_of_day;
  Problem problem = ParseDate(text.substr(0, 10), &days);
  if (!problem.empty()) return problem == kNotADate ? not_a_timestamp : problem;
  if (!ParseClock(text.substr(11), iso, &nanos_of_day)) return not_a_timestamp;
  *seconds = int64_t{days} * 86400 + nanos_of_day / 1'000'000'000;
  *nanos = static_cast<int32_t>(nanos_of_day % 1'000'000'000);
  return {};
}

Problem AppendBase64(std::string_view text, std::string* bytes) {
  constexpr Problem kNotBase64 = "is not base64 text";
  if (text.size() % 4 != 0) return kNotBase64;
  size_t padding = text.ends_with("==") ? 2 : text.ends_with('=') ? 1 : 0;
  for (size_t i = 0; i < text.size(); i += 4) {
    size_t digits = i + 4 == text.size() ? 4 - padding : 4;
    uint32_t group = 0;
    for (size_t j = 0; j < 4; ++j) {
      int digit = j < digits ? Base64Digit(text[i + j]) : 0;
      if (digit < 0) return kNotBase64;
      group = group << 6 | static_cast<uint32_t>(digit);
    }
    for (size_t j = 0; j + 1 < digits; ++j) bytes->push_back(static_cast<char>(group >> (16 - 8 * j)));
  }
  return {};
}

}  // namespace frazil::serde
