// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/literal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include <fmt/format.h>

#include "frazil/base/error.h"
#include "frazil/base/uuid.h"
#include "frazil/iceberg/calendar.h"
#include "frazil/iceberg/typed_literal.h"

namespace frazil::iceberg {
namespace {

static_assert(std::endian::native == std::endian::little, "single values are copied as little endian");

template <typename T>
std::string FixedBytes(T value) {
  std::string bytes(sizeof(T), '\0');
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <typename T>
T LoadFixed(std::string_view bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// A numeric value of sizeof(T) bytes, or of `Promoted`'s size where the column had that type once.
template <typename T, typename Promoted = T>
T FromFixedBytes(const Type& type, std::string_view bytes) {
  if (bytes.size() == sizeof(T)) return LoadFixed<T>(bytes);
  if (bytes.size() == sizeof(Promoted)) return static_cast<T>(LoadFixed<Promoted>(bytes));
  throw Corrupt("a single value of type {} has {} bytes, expected {}", type.ToString(), bytes.size(), sizeof(T));
}

/// A timestamp, or the date that the column held before its promotion (v3).
int64_t TimestampFromBytes(const Type& type, std::string_view bytes, int64_t units_per_day) {
  if (bytes.size() != sizeof(int32_t)) return FromFixedBytes<int64_t>(type, bytes);
  int64_t value;
  if (__builtin_mul_overflow(static_cast<int64_t>(LoadFixed<int32_t>(bytes)), units_per_day, &value)) {
    throw Corrupt("a promoted date does not fit type {}", type.ToString());
  }
  return value;
}

/// Two's complement, big endian, as short as it can be.
std::string DecimalBytes(__int128 unscaled) {
  std::string bytes(sizeof(unscaled), '\0');
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[bytes.size() - 1 - i] = static_cast<char>(static_cast<uint8_t>(unscaled >> (8 * i)));
  }
  size_t skip = 0;
  const char sign = unscaled < 0 ? '\xff' : '\0';
  while (skip + 1 < bytes.size() && bytes[skip] == sign && ((bytes[skip] ^ bytes[skip + 1]) & 0x80) == 0) ++skip;
  return bytes.substr(skip);
}

__int128 DecimalFromBytes(const Type& type, std::string_view bytes) {
  if (bytes.empty() || bytes.size() > sizeof(__int128)) {
    throw Corrupt("a single value of type {} has {} bytes, expected 1 to 16", type.ToString(), bytes.size());
  }
  unsigned __int128 value = static_cast<int8_t>(bytes[0]) < 0 ? ~static_cast<unsigned __int128>(0) : 0;
  for (char byte : bytes) value = value << 8 | static_cast<uint8_t>(byte);
  return static_cast<__int128>(value);
}

std::string CheckedFixed(const Type& type, std::string_view bytes) {
  // Shorter ones are bounds that a writer truncated.
  if (bytes.size() > static_cast<size_t>(type.length())) {
    throw Corrupt("a single value of type {} has {} bytes", type.ToString(), bytes.size());
  }
  return std::string(bytes);
}

std::string CheckedUuid(const Type& type, std::string_view bytes) {
  if (bytes.size() != sizeof(Uuid)) {
    throw Corrupt("a single value of type {} has {} bytes, expected 16", type.ToString(), bytes.size());
  }
  return std::string(bytes);
}

template <typename T>
int CompareOrdered(const Type& type, const Literal& a, const Literal& b) {
  const T& left = Get<T>(type, a);
  const T& right = Get<T>(type, b);
  return left < right ? -1 : right < left ? 1 : 0;
}

/// Orders what < doesn't: −NaN < −0 < 0 < NaN.
template <typename T>
int FloatRank(T value) {
  if (std::isnan(value)) return std::signbit(value) ? -2 : 2;
  if (value == 0) return std::signbit(value) ? -1 : 1;
  return 0;
}

template <typename T>
int CompareFloats(const Type& type, const Literal& a, const Literal& b) {
  const T left = Get<T>(type, a);
  const T right = Get<T>(type, b);
  if (left < right) return -1;
  if (right < left) return 1;
  // Equal numbers, two zeros, or at least one NaN.
  return FloatRank(left) - FloatRank(right);
}

/// Java's Double.toString and Float.toString: plain from 1e-3 below 1e7, else "1.0E10".
template <typename T>
std::string JavaFloatText(T value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value < 0 ? "-Infinity" : "Infinity";
  if (value == 0) return std::signbit(value) ? "-0.0" : "0.0";
  std::array<char, 64> buffer;
  auto end =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), std::abs(value), std::chars_format::scientific);
  std::string_view text(buffer.data(), static_cast<size_t>(end.ptr - buffer.data()));
  size_t e = text.find('e');
  int exponent = 0;
  std::string_view exponent_text = text.substr(e + (text[e + 1] == '+' ? 2 : 1));
  std::from_chars(exponent_text.data(), exponent_text.data() + exponent_text.size(), exponent);
  std::string digits(1, text[0]);
  if (e > 2) digits += text.substr(2, e - 2);

  const char* sign = value < 0 ? "-" : "";
  if (exponent < -3 || exponent >= 7) {
    return fmt::format("{}{}.{}E{}", sign, digits[0], digits.size() > 1 ? digits.substr(1) : "0", exponent);
  }
  if (exponent < 0) return fmt::format("{}0.{}{}", sign, std::string(static_cast<size_t>(-exponent - 1), '0'), digits);
  size_t whole = static_cast<size_t>(exponent) + 1;
  if (digits.size() <= whole) digits.resize(whole + 1, '0');
  return fmt::format("{}{}.{}", sign, digits.substr(0, whole), digits.substr(whole));
}

std::string Base64(std::string_view bytes) {
  constexpr char kAlphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    uint32_t group = 0;
    size_t count = std::min<size_t>(3, bytes.size() - i);
    for (size_t j = 0; j < 3; ++j) group = group << 8 | (j < count ? static_cast<uint8_t>(bytes[i + j]) : 0);
    for (size_t j = 0; j < 4; ++j) text += j <= count ? kAlphabet[group >> (18 - 6 * j) & 63] : '=';
  }
  return text;
}

std::string UuidText(const Type& type, const std::string& bytes) {
  CheckedUuid(type, bytes);
  Uuid uuid;
  std::memcpy(uuid.data(), bytes.data(), uuid.size());
  return ToString(uuid);
}

/// What a value says of itself where the type is not known: partition values of dropped columns.
std::string UntypedText(const Literal& value) {
  return std::visit(
      [](const auto& held) -> std::string {
        using T = std::decay_t<decltype(held)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          return "null";
        } else if constexpr (std::is_same_v<T, float> || std::is_same_v<T, double>) {
          return JavaFloatText(held);
        } else {
          return fmt::format("{}", held);
        }
      },
      value);
}

}  // namespace

std::string ToBinary(const Type& type, const Literal& value) {
  switch (type.id()) {
    case TypeId::kBoolean: return std::string(1, Get<bool>(type, value) ? '\1' : '\0');
    case TypeId::kInt:
    case TypeId::kDate: return FixedBytes(Get<int32_t>(type, value));
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs: return FixedBytes(Get<int64_t>(type, value));
    case TypeId::kFloat: return FixedBytes(Get<float>(type, value));
    case TypeId::kDouble: return FixedBytes(Get<double>(type, value));
    case TypeId::kDecimal: return DecimalBytes(Get<__int128>(type, value));
    case TypeId::kString:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary:
    case TypeId::kGeometry:
    case TypeId::kGeography: return Get<std::string>(type, value);
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap: break;
  }
  throw Unsupported("type {} has no binary single value", type.ToString());
}

Literal FromBinary(const Type& type, std::string_view bytes) {
  switch (type.id()) {
    case TypeId::kBoolean: return FromFixedBytes<uint8_t>(type, bytes) != 0;
    case TypeId::kInt:
    case TypeId::kDate: return FromFixedBytes<int32_t>(type, bytes);
    case TypeId::kLong: return FromFixedBytes<int64_t, int32_t>(type, bytes);
    case TypeId::kTime: return FromFixedBytes<int64_t>(type, bytes);
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz: return TimestampFromBytes(type, bytes, kMicrosPerDay);
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs: return TimestampFromBytes(type, bytes, kNanosPerDay);
    case TypeId::kFloat: return FromFixedBytes<float>(type, bytes);
    case TypeId::kDouble: return FromFixedBytes<double, float>(type, bytes);
    case TypeId::kDecimal: return DecimalFromBytes(type, bytes);
    case TypeId::kUuid: return CheckedUuid(type, bytes);
    case TypeId::kFixed: return CheckedFixed(type, bytes);
    case TypeId::kString:
    case TypeId::kBinary:
    case TypeId::kGeometry:
    case TypeId::kGeography: return std::string(bytes);
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap: break;
  }
  throw Unsupported("type {} has no binary single value", type.ToString());
}

int Compare(const Type& type, const Literal& a, const Literal& b) {
  switch (type.id()) {
    case TypeId::kBoolean: return CompareOrdered<bool>(type, a, b);
    case TypeId::kInt:
    case TypeId::kDate: return CompareOrdered<int32_t>(type, a, b);
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs: return CompareOrdered<int64_t>(type, a, b);
    case TypeId::kFloat: return CompareFloats<float>(type, a, b);
    case TypeId::kDouble: return CompareFloats<double>(type, a, b);
    case TypeId::kDecimal: return CompareOrdered<__int128>(type, a, b);
    case TypeId::kString:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary:
      // char_traits<char> compares as unsigned bytes, which is the order of code points, too.
      return Get<std::string>(type, a).compare(Get<std::string>(type, b));
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap: break;
  }
  throw Unsupported("values of type {} have no order", type.ToString());
}

std::string DecimalText(__int128 unscaled, int scale) {
  std::string digits = fmt::format("{}", unscaled);
  bool negative = digits.front() == '-';
  if (negative) digits.erase(0, 1);
  size_t fraction = static_cast<size_t>(scale);
  if (digits.size() <= fraction) digits.insert(0, fraction + 1 - digits.size(), '0');
  if (fraction > 0) digits.insert(digits.size() - fraction, 1, '.');
  return negative ? "-" + digits : digits;
}

namespace {

/// Java's BigDecimal.toString: scientific where the first digit is far behind the point.
std::string JavaDecimalText(__int128 unscaled, int scale) {
  std::string digits = fmt::format("{}", unscaled);
  bool negative = digits.front() == '-';
  if (negative) digits.erase(0, 1);
  int exponent = static_cast<int>(digits.size()) - 1 - scale;
  if (exponent >= -6) return DecimalText(unscaled, scale);
  if (digits.size() > 1) digits.insert(1, 1, '.');
  return fmt::format("{}{}E{}", negative ? "-" : "", digits, exponent);
}

std::string TimeText(int64_t micros) {
  if (micros < 0 || micros >= kMicrosPerDay) return fmt::format("{}", micros);
  return FormatIsoTime(micros * kNanosPerMicro, TimeStyle::kJavaToString);
}

}  // namespace

std::string ToHumanString(const Type& type, const Literal& value) {
  if (IsNull(value)) return "null";
  constexpr TimeStyle kStyle = TimeStyle::kJavaToString;
  switch (type.id()) {
    case TypeId::kBoolean: return Get<bool>(type, value) ? "true" : "false";
    case TypeId::kInt: return fmt::format("{}", Get<int32_t>(type, value));
    case TypeId::kLong: return fmt::format("{}", Get<int64_t>(type, value));
    case TypeId::kFloat: return JavaFloatText(Get<float>(type, value));
    case TypeId::kDouble: return JavaFloatText(Get<double>(type, value));
    case TypeId::kDecimal: return JavaDecimalText(Get<__int128>(type, value), type.scale());
    case TypeId::kDate: {
      CivilDate date = CivilFromDays(Get<int32_t>(type, value));
      return fmt::format("{:04}-{:02}-{:02}", date.year, date.month, date.day);
    }
    case TypeId::kTime: return TimeText(Get<int64_t>(type, value));
    case TypeId::kTimestamp: return FormatIsoTimestamp(Get<int64_t>(type, value), kMicrosPerDay, kStyle);
    case TypeId::kTimestampTz: return FormatIsoTimestamp(Get<int64_t>(type, value), kMicrosPerDay, kStyle) + "Z";
    case TypeId::kTimestampNs: return FormatIsoTimestamp(Get<int64_t>(type, value), kNanosPerDay, kStyle);
    case TypeId::kTimestampTzNs: return FormatIsoTimestamp(Get<int64_t>(type, value), kNanosPerDay, kStyle) + "Z";
    case TypeId::kString: return Get<std::string>(type, value);
    case TypeId::kUuid: return UuidText(type, Get<std::string>(type, value));
    case TypeId::kFixed:
    case TypeId::kBinary:
    case TypeId::kGeometry:
    case TypeId::kGeography: return Base64(Get<std::string>(type, value));
    case TypeId::kUnknown: return UntypedText(value);
    case TypeId::kVariant:
    case TypeId::kStruct:
    case TypeId::kList:
    case TypeId::kMap: break;
  }
  throw Unsupported("values of type {} have no text", type.ToString());
}

}  // namespace frazil::iceberg
