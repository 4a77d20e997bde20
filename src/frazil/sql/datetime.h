// SPDX-License-Identifier: Apache-2.0
// Dates and times as text and as fields, by the proleptic Gregorian calendar. Days count from 1970-01-01, instants from
// 1970-01-01T00:00:00Z; all arithmetic floors towards −∞.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <arrow/type_fwd.h>

namespace frazil::sql {

struct CivilDate {
  int64_t year = 1970;
  int32_t month = 1;  ///< 1..12
  int32_t day = 1;    ///< 1..31
};

int64_t DaysFromCivil(int64_t year, int32_t month, int32_t day);
CivilDate CivilFromDays(int64_t days);
int32_t DaysInMonth(int64_t year, int32_t month);

inline int64_t FloorDiv(int64_t a, int64_t b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0))); }
inline int64_t FloorMod(int64_t a, int64_t b) { return a - FloorDiv(a, b) * b; }

/// Ticks of a timestamp unit in a second: 1, 1'000, 1'000'000, 1'000'000'000.
int64_t TicksPerSecond(arrow::TimeUnit::type unit);

/// "2024-01-05", also "2024-1-5" and, as Flink takes it, anything after a blank or 'T'. Nothing if it isn't a date.
std::optional<int32_t> ParseDate(std::string_view text);
/// "12:34", "12:34:56", "12:34:56.789": nanoseconds since midnight.
std::optional<int64_t> ParseTimeOfDay(std::string_view text);

struct LocalTimestamp {
  int64_t days = 0;
  int64_t nanos_of_day = 0;
};
/// A date, alone or followed by a blank or 'T' and a time of day with up to nine digits of fraction; a trailing 'Z' is
/// taken if `zulu` says so. Surrounding blanks are ignored.
std::optional<LocalTimestamp> ParseLocalTimestamp(std::string_view text, bool zulu = false);

/// Ticks of `unit` of a local timestamp, finer digits cut off; nothing if it doesn't fit into 64 bits.
std::optional<int64_t> ToTicks(const LocalTimestamp& value, arrow::TimeUnit::type unit);

void AppendDate(int64_t days, std::string& out);
/// `digits` of fraction are always written (0..9).
void AppendTimeOfDay(int64_t nanos_of_day, int digits, std::string& out);
/// "2024-01-05 12:34:56.789" from ticks of `unit`.
void AppendTimestamp(int64_t ticks, arrow::TimeUnit::type unit, int digits, std::string& out);

}  // namespace frazil::sql
