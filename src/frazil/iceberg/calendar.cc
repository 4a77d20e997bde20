// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/calendar.h"

#include <charconv>
#include <cstdlib>

#include <fmt/format.h>

namespace frazil::iceberg {
namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;

/// All of `text` as an unsigned number of exactly `digits` digits.
std::optional<int> ParseDigits(std::string_view text, size_t digits) {
  if (text.size() != digits) return std::nullopt;
  int value = 0;
  for (char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<int64_t> ParseYear(std::string_view text) {
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.size() < 4 || text.size() > 9) return std::nullopt;
  auto year = ParseDigits(text, text.size());
  if (!year) return std::nullopt;
  return negative ? -static_cast<int64_t>(*year) : *year;
}

int DaysInMonth(int64_t year, int month) {
  constexpr int kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

/// Nanoseconds of the digits after the point.
std::optional<int64_t> ParseFraction(std::string_view digits) {
  if (digits.empty() || digits.size() > 9) return std::nullopt;
  auto value = ParseDigits(digits, digits.size());
  if (!value) return std::nullopt;
  int64_t nanos = *value;
  for (size_t i = digits.size(); i < 9; ++i) nanos *= 10;
  return nanos;
}

}  // namespace

std::string FormatIsoDate(int64_t days) {
  CivilDate date = CivilFromDays(days);
  const char* sign = date.year < 0 ? "-" : date.year > 9999 ? "+" : "";
  return fmt::format("{}{:04}-{:02}-{:02}", sign, std::abs(date.year), date.month, date.day);
}

std::string FormatIsoTime(int64_t nanos_of_day, TimeStyle style) {
  int64_t seconds = nanos_of_day / kNanosPerSecond;
  int64_t nanos = nanos_of_day % kNanosPerSecond;
  std::string text = fmt::format("{:02}:{:02}", seconds / 3600, seconds / 60 % 60);
  if (style == TimeStyle::kJavaToString && seconds % 60 == 0 && nanos == 0) return text;
  text += fmt::format(":{:02}", seconds % 60);
  if (nanos == 0) return text;
  std::string fraction = fmt::format("{:09}", nanos);
  size_t group = style == TimeStyle::kJavaToString ? 3 : 1;
  size_t used = fraction.find_last_not_of('0') + 1;
  fraction.resize((used + group - 1) / group * group);
  return text + "." + fraction;
}

std::string FormatIsoTimestamp(int64_t value, int64_t units_per_day, TimeStyle style) {
  int64_t days = FloorDiv(value, units_per_day);
  // Unsigned: the first instant of the first day may be below what 64 bits hold.
  auto units_of_day = static_cast<int64_t>(static_cast<uint64_t>(value) -
                                           static_cast<uint64_t>(days) * static_cast<uint64_t>(units_per_day));
  return FormatIsoDate(days) + "T" + FormatIsoTime(units_of_day * (kNanosPerDay / units_per_day), style);
}

std::optional<int64_t> ParseIsoDate(std::string_view text) {
  if (text.size() < 10) return std::nullopt;
  std::string_view month_and_day = text.substr(text.size() - 6);
  auto year = ParseYear(text.substr(0, text.size() - 6));
  auto month = ParseDigits(month_and_day.substr(1, 2), 2);
  auto day = ParseDigits(month_and_day.substr(4, 2), 2);
  if (month_and_day[0] != '-' || month_and_day[3] != '-' || !year || !month || !day) return std::nullopt;
  if (*month < 1 || *month > 12 || *day < 1 || *day > DaysInMonth(*year, *month)) return std::nullopt;
  return DaysFromCivil(*year, *month, *day);
}

std::optional<int64_t> ParseIsoTime(std::string_view text, int64_t units_per_day) {
  if (text.size() < 5 || text[2] != ':') return std::nullopt;
  auto hour = ParseDigits(text.substr(0, 2), 2);
  auto minute = ParseDigits(text.substr(3, 2), 2);
  std::optional<int> second = 0;
  std::optional<int64_t> nanos = 0;
  if (text.size() > 5) {
    if (text.size() < 8 || text[5] != ':') return std::nullopt;
    second = ParseDigits(text.substr(6, 2), 2);
  }
  if (text.size() > 8) {
    if (text[8] != '.') return std::nullopt;
    nanos = ParseFraction(text.substr(9));
  }
  if (!hour || !minute || !second || !nanos || *hour > 23 || *minute > 59 || *second > 59) return std::nullopt;
  int64_t nanos_per_unit = kNanosPerDay / units_per_day;
  if (*nanos % nanos_per_unit != 0) return std::nullopt;
  return ((*hour * 60 + *minute) * 60 + *second) * (kNanosPerSecond / nanos_per_unit) + *nanos / nanos_per_unit;
}

std::optional<int64_t> ParseIsoTimestamp(std::string_view text, int64_t units_per_day) {
  size_t t = text.find('T');
  if (t == std::string_view::npos) return std::nullopt;
  auto days = ParseIsoDate(text.substr(0, t));
  auto time = ParseIsoTime(text.substr(t + 1), units_per_day);
  int64_t value;
  if (!days || !time || __builtin_mul_overflow(*days, units_per_day, &value) ||
      __builtin_add_overflow(value, *time, &value)) {
    return std::nullopt;
  }
  return value;
}

}  // namespace frazil::iceberg
