// SPDX-License-Identifier: Apache-2.0
// Text → values by the rules of Flink's text formats. They are Java's rules: numbers as Integer.parseInt, BigDecimal
// and Double.parseDouble read them, dates and times as the strict formatters of java.time do.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace frazil::serde {

/// What a text is not: "" if it was read, else the end of the sentence "'<text>' …" ("is not a number").
using Problem = std::string_view;

/// Option 'json.timestamp-format.standard'.
enum class TimestampStandard { kSql, kIso8601 };

/// Without the characters up to ' ' at both ends, as Java's String.trim.
std::string_view Trim(std::string_view text);

/// "true" or "false", in any case.
Problem ParseBoolean(std::string_view text, bool* value);

/// A decimal whole number with an optional sign, within [min, max].
Problem ParseInteger(std::string_view text, int64_t min, int64_t max, int64_t* value);

/// A decimal number with an optional sign and exponent, "NaN", "Infinity" or "-Infinity". Too large is ±Infinity and
/// too small is ±0, as in Java. Rounded once to the result's type.
Problem ParseFloating(std::string_view text, double* value);
Problem ParseFloating(std::string_view text, float* value);

/// A number to the unscaled value of DECIMAL(precision, scale), precision ≤ 38, exactly: digits behind the scale are
/// rounded HALF_UP. `*overflow` tells that the rounded number has more digits than `precision` (Flink makes it NULL).
Problem ParseDecimal(std::string_view text, int precision, int scale, __int128* unscaled, bool* overflow);

/// "2020-12-30" (java.time's ISO_LOCAL_DATE, years 0000 to 9999) to days since 1970-01-01.
Problem ParseDate(std::string_view text, int32_t* days);

/// "12:13:14" with an optional fraction of up to nine digits, to nanoseconds since midnight.
Problem ParseTime(std::string_view text, int64_t* nanos);

/// A date and a time, in the standard SQL "2020-12-30 12:13:14.123", in ISO-8601 "2020-12-30T12:13:14.123", where
/// seconds may be absent. `zoned` (TIMESTAMP_LTZ) asks for a literal 'Z' at the end, which otherwise is forbidden.
/// Gives seconds since the epoch and nanoseconds [0, 1e9) of that second.
Problem ParseTimestamp(std::string_view text, TimestampStandard standard, bool zoned, int64_t* seconds, int32_t* nanos);

/// Appends the bytes of a base64 text with padding (RFC 4648, standard alphabet).
Problem AppendBase64(std::string_view text, std::string* bytes);

/// Days since 1970-01-01 of a proleptic Gregorian date that exists.
int32_t DaysFromCivil(int year, int month, int day);
/// Whether the date exists; year 0 to 9999.
bool IsDate(int year, int month, int day);

}  // namespace frazil::serde
