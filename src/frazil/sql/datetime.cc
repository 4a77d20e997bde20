// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/datetime.h"

#include <arrow/type.h>

namespace frazil::sql {

namespace {

constexpr int64_t kNanosPerSecond = 1'000'000'000;
constexpr int64_t kSecondsPerDay = 86'400;

std::string_view Trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

/// Takes 1 to `max_digits` digits off the front.
bool TakeNumber(std::string_view& text, int max_digits, int64_t& value) {
  int digits = 0;
  value = 0;
  while (digits < max_digits && !text.empty() && text.front() >= '0' && text.front() <= '9') {
    value = value * 10 + (text.front() - '0');
    text.remove_prefix(1);
    ++digits;
  }
  return digits > 0;
}

bool TakeChar(std::string_view& text, char c) {
  if (text.empty() || text.front() != c) return false;
  text.remove_prefix(1);
  return true;
}

bool TakeDate(std::string_view& text, int64_t& days) {
  bool negative = TakeChar(text, '-');
  int64_t year = 0;
  int64_t month = 1;
  int64_t day = 1;
  if (!TakeNumber(text, 6, year)) return false;
  if (!TakeChar(text, '-') || !TakeNumber(text, 2, month)) return false;
  if (!TakeChar(text, '-') || !TakeNumber(text, 2, day)) return false;
  if (negative) year = -year;
  if (month < 1 || month > 12 || day < 1 || day > DaysInMonth(year, static_cast<int32_t>(month))) return false;
  days = DaysFromCivil(year, static_cast<int32_t>(month), static_cast<int32_t>(day));
  return true;
}

bool TakeTimeOfDay(std::string_view& text, int64_t& nanos) {
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
  int64_t fraction = 0;
  if (!TakeNumber(text, 2, hour) || !TakeChar(text, ':') || !TakeNumber(text, 2, minute)) return false;
  if (TakeChar(text, ':')) {
    if (!TakeNumber(text, 2, second)) return false;
    if (TakeChar(text, '.')) {
      size_t before = text.size();
      if (!TakeNumber(text, 9, fraction)) return false;
      for (size_t digits = before - text.size(); digits < 9; ++digits) fraction *= 10;
    }
  }
  if (hour > 23 || minute > 59 || second > 59) return false;
  nanos = (hour * 3600 + minute * 60 + second) * kNanosPerSecond + fraction;
  return true;
}

void AppendPadded(int64_t value, int width, std::string& out) {
  char digits[20];
  int n = 0;
  do {
    digits[n++] = static_cast<char>('0' + value % 10);
    value /= 10;
  } while (value != 0);
  for (int i = n; i < width; ++i) out.push_back('0');
  while (n > 0) out.push_back(digits[--n]);
}

}  // namespace

// Howard Hinnant's algorithms: eras of 400 years, years that begin in March.
int64_t DaysFromCivil(int64_t year, int32_t month, int32_t day) {
  year -= month <= 2;
  int64_t era = FloorDiv(year, 400);
  int64_t year_of_era = year - era * 400;
  int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

CivilDate CivilFromDays(int64_t days) {
  days += 719468;
  int64_t era = FloorDiv(days, 146097);
  int64_t day_of_era = days - era * 146097;
  int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  int64_t shifted_month = (5 * day_of_year + 2) / 153;
  CivilDate date;
  date.day = static_cast<int32_t>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  date.month = static_cast<int32_t>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  date.year = year_of_era + era * 400 + (date.month <= 2);
  return date;
}

int32_t DaysInMonth(int64_t year, int32_t month) {
  static constexpr int32_t kDays[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return month == 2 && leap ? 29 : kDays[month - 1];
}

int64_t TicksPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND: return 1;
    case arrow::TimeUnit::MILLI: return 1'000;
    case arrow::TimeUnit::MICRO: return 1'000'000;
    case arrow::TimeUnit::NANO: return kNanosPerSecond;
  }
  return 1;
}

std::optional<int32_t> ParseDate(std::string_view text) {
  text = Trim(text);
  int64_t days = 0;
  if (!TakeDate(text, days)) return std::nullopt;
  if (!text.empty() && text.front() != ' ' && text.front() != 'T') return std::nullopt;
  return static_cast<int32_t>(days);
}

std::optional<int64_t> ParseTimeOfDay(std::string_view text) {
  text = Trim(text);
  int64_t nanos = 0;
  if (!TakeTimeOfDay(text, nanos) || !text.empty()) return std::nullopt;
  return nanos;
}

std::optional<LocalTimestamp> ParseLocalTimestamp(std::string_view text, bool zulu) {
  text = Trim(text);
  if (zulu && text.ends_with('Z')) text.remove_suffix(1);
  LocalTimestamp value;
  if (!TakeDate(text, value.days)) return std::nullopt;
  if (text.empty()) return value;
  if (!TakeChar(text, ' ') && !TakeChar(text, 'T')) return std::nullopt;
  if (!TakeTimeOfDay(text, value.nanos_of_day) || !text.empty()) return std::nullopt;
  return value;
}

std::optional<int64_t> ToTicks(const LocalTimestamp& value, arrow::TimeUnit::type unit) {
  int64_t per_second = TicksPerSecond(unit);
  int64_t ticks = 0;
  if (__builtin_mul_overflow(value.days * kSecondsPerDay, per_second, &ticks)) return std::nullopt;
  if (__builtin_add_overflow(ticks, value.nanos_of_day / (kNanosPerSecond / per_second), &ticks)) return std::nullopt;
  return ticks;
}

void AppendDate(int64_t days, std::string& out) {
  CivilDate date = CivilFromDays(days);
  if (date.year < 0) out.push_back('-');
  AppendPadded(date.year < 0 ? -date.year : date.year, 4, out);
  out.push_back('-');
  AppendPadded(date.month, 2, out);
  out.push_back('-');
  AppendPadded(date.day, 2, out);
}

void AppendTimeOfDay(int64_t nanos_of_day, int digits, std::string& out) {
  int64_t seconds = nanos_of_day / kNanosPerSecond;
  AppendPadded(seconds / 3600, 2, out);
  out.push_back(':');
  AppendPadded(seconds / 60 % 60, 2, out);
  out.push_back(':');
  AppendPadded(seconds % 60, 2, out);
  if (digits == 0) return;
  out.push_back('.');
  int64_t fraction = nanos_of_day % kNanosPerSecond;
  for (int i = digits; i < 9; ++i) fraction /= 10;
  AppendPadded(fraction, digits, out);
}

void AppendTimestamp(int64_t ticks, arrow::TimeUnit::type unit, int digits, std::string& out) {
  int64_t per_second = TicksPerSecond(unit);
  int64_t per_day = per_second * kSecondsPerDay;
  int64_t days = FloorDiv(ticks, per_day);
  AppendDate(days, out);
  out.push_back(' ');
  AppendTimeOfDay((ticks - days * per_day) * (kNanosPerSecond / per_second), digits, out);
}

}  // namespace frazil::sql
