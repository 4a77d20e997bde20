// SPDX-License-Identifier: Apache-2.0
// What each transform does with one value: shared by the functions over single values and over columns.
#pragma once

#include <cstdint>
#include <string_view>

#include "frazil/iceberg/calendar.h"
#include "frazil/iceberg/murmur3.h"

namespace frazil::iceberg {

constexpr int32_t BucketOf(uint32_t hash, int32_t buckets) {
  return static_cast<int32_t>(hash & 0x7fffffffU) % buckets;
}

/// Nanosecond timestamps hash as the microseconds they fall in, so that both types agree on the bucket.
constexpr uint32_t HashNanos(int64_t nanos) { return Murmur3(FloorDiv(nanos, kNanosPerMicro)); }

/// The largest multiple of `width` that is not above `value`; wraps below the type's minimum, as Java does.
template <typename T>
constexpr T TruncateNumber(T value, int32_t width) {
  T remainder = static_cast<T>(value % width);
  if (remainder < 0) remainder = static_cast<T>(remainder + width);
  // Unsigned: overflow is defined.
  if constexpr (sizeof(T) == 16) {
    return static_cast<T>(static_cast<unsigned __int128>(value) - static_cast<unsigned __int128>(remainder));
  } else {
    return static_cast<T>(static_cast<uint64_t>(value) - static_cast<uint64_t>(remainder));
  }
}

/// How many bytes the first `code_points` of UTF-8 `text` take.
constexpr size_t CodePointPrefix(std::string_view text, int32_t code_points) {
  if (text.size() <= static_cast<size_t>(code_points)) return text.size();
  for (size_t i = 0; i < text.size(); ++i) {
    bool starts_code_point = (text[i] & 0xc0) != 0x80;
    if (starts_code_point && code_points-- == 0) return i;
  }
  return text.size();
}

/// Whole units since 1970; below it they round down.
constexpr int32_t YearsOfDays(int64_t days) { return static_cast<int32_t>(CivilFromDays(days).year - 1970); }
constexpr int32_t MonthsOfDays(int64_t days) {
  CivilDate date = CivilFromDays(days);
  return static_cast<int32_t>((date.year - 1970) * 12 + date.month - 1);
}

}  // namespace frazil::iceberg
