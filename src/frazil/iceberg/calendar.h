// SPDX-License-Identifier: Apache-2.0
// Days of the proleptic Gregorian calendar and the ISO-8601 texts that Iceberg and Java give to dates and times.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace frazil::iceberg {

inline constexpr int64_t kMicrosPerHour = 3'600'000'000;
inline constexpr int64_t kMicrosPerDay = 24 * kMicrosPerHour;
inline constexpr int64_t kNanosPerMicro = 1000;
inline constexpr int64_t kNanosPerDay = kMicrosPerDay * kNanosPerMicro;

/// Rounds towards −∞. `divisor` > 0.
constexpr int64_t FloorDiv(int64_t value, int64_t divisor) {
  int64_t quotient = value / divisor;
  return quotient - (value % divisor < 0);
}

struct CivilDate {
  int64_t year;
  int month;  ///< 1..12
  int day;    ///< 1..31
};

/// Of `days` since 1970-01-01; any value whose year fits is legal.
constexpr CivilDate CivilFromDays(int64_t days) {
  // Eras of 400 years that begin on 1 March, so that the leap day is the last of its year.
  days += 719468;
  const int64_t era = FloorDiv(days, 146097);
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted_month = (5 * day_of_year + 2) / 153;
  const int day = static_cast<int>(day_of_year - (153 * shifted_month + 2) / 5 + 1);
  const int month = static_cast<int>(shifted_month < 10 ? shifted_month + 3 : shifted_month - 9);
  return {year_of_era + era * 400 + (month <= 2), month, day};
}

/// The inverse of CivilFromDays.
constexpr int64_t DaysFromCivil(int64_t year, int month, int day) {
  year -= month <= 2;
  const int64_t era = FloorDiv(year, 400);
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1;
  const int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

/// How many digits and which parts a text shows.
enum class TimeStyle {
  kJavaToString,  ///< java.time's toString(): no seconds where they are zero, fractions in groups of three digits
  kIsoLocal,      ///< DateTimeFormatter.ISO_LOCAL_TIME: always seconds, the fraction without trailing zeros
};

/// "2024-01-02"; years beyond 9999 get a plus sign, as java.time does.
std::string FormatIsoDate(int64_t days);
/// "10:12:55.038194"; 0 ≤ nanos < one day.
std::string FormatIsoTime(int64_t nanos_of_day, TimeStyle style);
/// "2024-01-02T10:12:55" of `value` in units of `units_per_day` since the epoch (kMicrosPerDay or kNanosPerDay).
std::string FormatIsoTimestamp(int64_t value, int64_t units_per_day, TimeStyle style);

/// Days since the epoch; nullopt unless `text` is a date of the calendar.
std::optional<int64_t> ParseIsoDate(std::string_view text);
/// "HH:mm[:ss[.fraction]]" in units of `units_per_day` since midnight; nullopt for anything else, and for a fraction
/// that is finer than the unit.
std::optional<int64_t> ParseIsoTime(std::string_view text, int64_t units_per_day);
/// A date, 'T' and a time, without zone, since the epoch; nullopt for anything else or beyond 64 bits.
std::optional<int64_t> ParseIsoTimestamp(std::string_view text, int64_t units_per_day);

}  // namespace frazil::iceberg
