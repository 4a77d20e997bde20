// SPDX-License-Identifier: Apache-2.0
// How the text of one type's values becomes values of a fixed width.
//
// A format has `Value`, the type of the values, and two readings with the same results: ReadFast takes the usual form
// straight from the text and returns the position behind it, nullptr where the text has another form; Convert takes any
// token but null, of which `text` is the meaning.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <type_traits>

#include <arrow/type.h>

#include "frazil/serde/json_column.h"
#include "frazil/serde/json_text.h"
#include "frazil/serde/text_values.h"

namespace frazil::serde::json {

/// What a value's text came to.
enum class Conversion { kValue, kNull, kProblem };

inline bool IsText(const Token& token) { return token.kind == TokenKind::kString; }
inline bool IsTextOrNumber(const Token& token) { return IsText(token) || token.kind == TokenKind::kNumber; }

inline Conversion ValueUnless(Problem problem, Problem* out) {
  *out = problem;
  return problem.empty() ? Conversion::kValue : Conversion::kProblem;
}

/// Digits and point of a plain decimal number, as most numbers are written: no exponent, no leading zero, up to 15
/// digits on each side of the point.
struct PlainNumber {
  bool negative;
  int whole_digits;
  int fraction_digits;
  uint64_t whole;
  uint64_t fraction;
};

/// Returns the position behind the number; nullptr if it is something else, or not a number.
inline const char* ReadPlainNumber(const char* p, PlainNumber* number) {
  number->negative = *p == '-';
  p += number->negative ? 1 : 0;
  number->whole_digits = ReadUpTo16Digits(p, &number->whole);
  if (number->whole_digits == 0 || number->whole_digits == 16) return nullptr;
  if (*p == '0' && number->whole_digits > 1) return nullptr;
  p += number->whole_digits;
  number->fraction_digits = 0;
  number->fraction = 0;
  if (*p == '.') {
    number->fraction_digits = ReadUpTo16Digits(p + 1, &number->fraction);
    if (number->fraction_digits == 0 || number->fraction_digits == 16) return nullptr;
    p += 1 + number->fraction_digits;
  }
  return (*p | 0x20) == 'e' ? nullptr : p;
}

template <typename T>
struct IntegerFormat {
  using Value = T;
  explicit IntegerFormat(const arrow::DataType& type, const DecodeContext& context) {}

  const char* ReadFast(const char* p, T* value) {
    bool negative = *p == '-';
    p += negative ? 1 : 0;
    uint64_t magnitude;
    int digits = ReadUpTo16Digits(p, &magnitude);
    if (digits == 0 || digits == 16 || (*p == '0' && digits > 1)) return nullptr;
    p += digits;
    if (*p == '.' || (*p | 0x20) == 'e') return nullptr;
    int64_t number = negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
    if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max()) return nullptr;
    *value = static_cast<T>(number);
    return p;
  }

  Conversion Convert(const Token& token, std::string_view text, T* value, Problem* problem) {
    int64_t number = 0;
    *problem = IsTextOrNumber(token)
                   ? ParseInteger(text, std::numeric_limits<T>::min(), std::numeric_limits<T>::max(), &number)
                   : "is not a number";
    *value = static_cast<T>(number);
    return ValueUnless(*problem, problem);
  }
};

template <typename T>
struct FloatingFormat {
  using Value = T;
  explicit FloatingFormat(const arrow::DataType& type, const DecodeContext& context) {}

  /// Division of two exactly represented numbers rounds once, which is what the correctly rounded result needs.
  const char* ReadFast(const char* p, T* value) {
    constexpr int kExactPower = std::is_same_v<T, double> ? 22 : 10;
    PlainNumber number;
    p = ReadPlainNumber(p, &number);
    if (p == nullptr || number.fraction_digits > kExactPower || number.whole_digits + number.fraction_digits > 18) {
      return nullptr;
    }
    uint64_t power = kPowersOf10[number.fraction_digits];
    uint64_t digits = number.whole * power + number.fraction;
    if (digits > uint64_t{1} << std::numeric_limits<T>::digits) return nullptr;
    T magnitude = static_cast<T>(digits) / static_cast<T>(power);
    *value = number.negative ? -magnitude : magnitude;
    return p;
  }

  Conversion Convert(const Token& token, std::string_view text, T* value, Problem* problem) {
    return ValueUnless(IsTextOrNumber(token) ? ParseFloating(text, value) : "is not a number", problem);
  }
};

struct DecimalFormat {
  using Value = __int128;
  DecimalFormat(const arrow::DataType& type, const DecodeContext& context)
      : precision(static_cast<const arrow::DecimalType&>(type).precision()),
        scale(static_cast<const arrow::DecimalType&>(type).scale()),
        limit(precision <= 18 ? kPowersOf10[precision] : kPowersOf10[18]) {}

  const char* ReadFast(const char* p, __int128* value) {
    PlainNumber number;
    p = ReadPlainNumber(p, &number);
    if (p == nullptr || number.fraction_digits > scale || number.whole_digits + scale > 18) return nullptr;
    uint64_t unscaled =
        number.whole * kPowersOf10[scale] + number.fraction * kPowersOf10[scale - number.fraction_digits];
    if (unscaled >= limit) return nullptr;
    auto magnitude = static_cast<int64_t>(unscaled);
    *value = number.negative ? -magnitude : magnitude;
    return p;
  }

  Conversion Convert(const Token& token, std::string_view text, __int128* value, Problem* problem) {
    bool overflow = false;
    *problem = IsTextOrNumber(token) ? ParseDecimal(text, precision, scale, value, &overflow) : "is not a number";
    return problem->empty() && overflow ? Conversion::kNull : ValueUnless(*problem, problem);
  }

  int precision;
  int scale;
  uint64_t limit;
};

struct BooleanFormat {
  using Value = uint8_t;
  BooleanFormat(const arrow::DataType& type, const DecodeContext& context) {}

  const char* ReadFast(const char* p, uint8_t* value) {
    *value = 1;
    if (std::memcmp(p, "true", 4) == 0) return p + 4;
    *value = 0;
    return std::memcmp(p, "false", 5) == 0 ? p + 5 : nullptr;
  }

  Conversion Convert(const Token& token, std::string_view text, uint8_t* value, Problem* problem) {
    bool truth = token.kind == TokenKind::kTrue;
    if (IsText(token)) {
      *problem = ParseBoolean(text, &truth);
    } else {
      *problem = truth || token.kind == TokenKind::kFalse ? "" : "is neither true nor false";
    }
    *value = truth ? 1 : 0;
    return ValueUnless(*problem, problem);
  }
};

struct DateFormat {
  using Value = int32_t;
  DateFormat(const arrow::DataType& type, const DecodeContext& context) {}

  const char* ReadFast(const char* p, int32_t* days) {
    constexpr size_t kLength = 10;
    if (p[0] != '"' || p[kLength + 1] != '"') return nullptr;
    return ParseDate({p + 1, kLength}, days).empty() ? p + kLength + 2 : nullptr;
  }

  Conversion Convert(const Token& token, std::string_view text, int32_t* days, Problem* problem) {
    return ValueUnless(IsText(token) ? ParseDate(text, days) : "is not a date in quotes", problem);
  }
};

inline int64_t UnitsPerSecond(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND: return 1;
    case arrow::TimeUnit::MILLI: return 1'000;
    case arrow::TimeUnit::MICRO: return 1'000'000;
    default: return 1'000'000'000;
  }
}

template <typename T>
struct TimeFormat {
  using Value = T;
  TimeFormat(const arrow::DataType& type, const DecodeContext& context)
      : nanos_per_unit(1'000'000'000 / UnitsPerSecond(static_cast<const arrow::TimeType&>(type).unit())) {}

  const char* ReadFast(const char* p, T* value) { return nullptr; }

  Conversion Convert(const Token& token, std::string_view text, T* value, Problem* problem) {
    int64_t nanos = 0;
    *problem = IsText(token) ? ParseTime(text, &nanos) : "is not a time in quotes";
    *value = static_cast<T>(nanos / nanos_per_unit);
    return ValueUnless(*problem, problem);
  }

  int64_t nanos_per_unit;
};

/// "HH:MM:SS" at `p` to seconds of the day; -1 if it is something else.
inline int32_t ReadClock(const char* p) {
  uint64_t digits = LoadWord(p) ^ 0x30303A30303A3030;  // digits become 0..9 and the colons 0
  if (((digits + 0x76767F76767F7676) | digits) & 0x8080808080808080) return -1;
  uint64_t pairs = digits * 10 + (digits >> 8);
  auto hour = static_cast<int32_t>(pairs & 0xFF);
  auto minute = static_cast<int32_t>(pairs >> 24 & 0xFF);
  auto second = static_cast<int32_t>(pairs >> 48 & 0xFF);
  if (hour > 23 || minute > 59 || second > 59) return -1;
  return hour * 3600 + minute * 60 + second;
}

struct TimestampFormat {
  using Value = int64_t;
  TimestampFormat(const arrow::DataType& type, const DecodeContext& context)
      : standard(context.timestamp_standard),
        zoned(!static_cast<const arrow::TimestampType&>(type).timezone().empty()),
        units_per_second(UnitsPerSecond(static_cast<const arrow::TimestampType&>(type).unit())) {}

  const char* ReadFast(const char* p, int64_t* value) {
    if (*p++ != '"' || p[10] != (standard == TimestampStandard::kSql ? ' ' : 'T') || !ReadDate(p)) return nullptr;
    int32_t second_of_day = ReadClock(p + 11);
    if (second_of_day < 0) return nullptr;
    p += 19;
    int64_t nanos = 0;
    if (*p == '.') {
      uint64_t fraction;
      int digits = ReadUpTo8Digits(p + 1, &fraction);
      if (digits == 0 || digits == 8) return nullptr;
      nanos = static_cast<int64_t>(fraction * kPowersOf10[9 - digits]);
      p += 1 + digits;
    }
    if (zoned && *p++ != 'Z') return nullptr;
    if (*p != '"') return nullptr;
    return ToUnits(last_days * 86400 + second_of_day, nanos, value) ? p + 1 : nullptr;
  }

  Conversion Convert(const Token& token, std::string_view text, int64_t* value, Problem* problem) {
    int64_t seconds = 0;
    int32_t nanos = 0;
    *problem = IsText(token) ? ParseTimestamp(text, standard, zoned, &seconds, &nanos) : "is not a timestamp in quotes";
    if (problem->empty() && !ToUnits(seconds, nanos, value)) *problem = "is out of range";
    return ValueUnless(*problem, problem);
  }

  /// The ten characters at `p` to `last_days`. Neighbouring records mostly share their date.
  bool ReadDate(const char* p) {
    uint64_t head = LoadWord(p);
    uint64_t tail = LoadWord(p + 2);
    if (head == last_head && tail == last_tail) return true;
    int32_t days;
    if (!ParseDate({p, 10}, &days).empty()) return false;
    last_head = head;
    last_tail = tail;
    last_days = days;
    return true;
  }

  /// False if nanoseconds since the epoch don't fit 64 bits.
  bool ToUnits(int64_t seconds, int64_t nanos, int64_t* value) const {
    return !__builtin_mul_overflow(seconds, units_per_second, value) &&
           !__builtin_add_overflow(*value, nanos / (1'000'000'000 / units_per_second), value);
  }

  TimestampStandard standard;
  bool zoned;
  int64_t units_per_second;
  uint64_t last_head = 0;  // the bytes of the last date, and the last eight of them
  uint64_t last_tail = 0;
  int64_t last_days = 0;
};

}  // namespace frazil::serde::json
