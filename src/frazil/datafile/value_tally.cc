// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/value_tally.h"

#include <bit>
#include <cmath>

#include <arrow/array/array_binary.h>
#include <arrow/array/array_primitive.h>

namespace frazil::datafile {

namespace {

/// The spec's order of values that aren't NaN: by value, −0.0 before 0.0.
template <typename T>
bool Precedes(T a, T b) {
  return a < b || (a == b && std::signbit(a) && !std::signbit(b));
}

template <typename T>
std::string ToBytes(T value) {
  return std::string(reinterpret_cast<const char*>(&value), sizeof(T));
}

template <typename T>
T FromBytes(const std::string& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return value;
}

/// The first eight bytes as a number that orders as they do.
uint64_t OrderedPrefix(std::string_view bytes) {
  uint64_t prefix = 0;
  std::memcpy(&prefix, bytes.data(), std::min(bytes.size(), sizeof(prefix)));
  return std::endian::native == std::endian::little ? __builtin_bswap64(prefix) : prefix;
}

}  // namespace

bool ValueTally::Covers(iceberg::TypeId type) {
  switch (type) {
    case iceberg::TypeId::kFloat:
    case iceberg::TypeId::kDouble:
    case iceberg::TypeId::kString:
    case iceberg::TypeId::kBinary: return true;
    default: return false;
  }
}

void ValueTally::Add(const arrow::Array& values) {
  switch (type_) {
    case iceberg::TypeId::kFloat: return AddFloating(static_cast<const arrow::FloatArray&>(values));
    case iceberg::TypeId::kDouble: return AddFloating(static_cast<const arrow::DoubleArray&>(values));
    case iceberg::TypeId::kString:
    case iceberg::TypeId::kBinary: return AddBinary(static_cast<const arrow::BinaryArray&>(values));
    default: return;
  }
}

template <typename ArrayType>
void ValueTally::AddFloating(const ArrayType& values) {
  using T = typename ArrayType::value_type;
  bool has_nulls = values.null_count() > 0;
  const T* raw = values.raw_values();
  std::optional<T> least;
  std::optional<T> greatest;
  for (int64_t i = 0; i < values.length(); ++i) {
    if (has_nulls && values.IsNull(i)) continue;
    T value = raw[i];
    if (std::isnan(value)) {
      ++nan_count_;
      continue;
    }
    if (!least || Precedes(value, *least)) least = value;
    if (!greatest || Precedes(*greatest, value)) greatest = value;
  }
  if (!least) return;
  if (!lower_ || Precedes(*least, FromBytes<T>(*lower_))) lower_ = ToBytes(*least);
  if (!upper_ || Precedes(FromBytes<T>(*upper_), *greatest)) upper_ = ToBytes(*greatest);
}

/// Most values differ from the bounds in their first eight bytes, so these are compared first, as one number.
void ValueTally::AddBinary(const arrow::BinaryArray& values) {
  bool has_nulls = values.null_count() > 0;
  std::string_view least;
  std::string_view greatest;
  uint64_t least_prefix = 0;
  uint64_t greatest_prefix = 0;
  bool any = false;
  for (int64_t i = 0; i < values.length(); ++i) {
    if (has_nulls && values.IsNull(i)) continue;
    std::string_view value = values.GetView(i);
    uint64_t prefix = OrderedPrefix(value);
    if (!any) {
      any = true;
      least = greatest = value;
      least_prefix = greatest_prefix = prefix;
      continue;
    }
    if (prefix < least_prefix || (prefix == least_prefix && value < least)) {
      least = value;
      least_prefix = prefix;
    }
    if (prefix > greatest_prefix || (prefix == greatest_prefix && value > greatest)) {
      greatest = value;
      greatest_prefix = prefix;
    }
  }
  if (!any) return;
  if (!lower_ || least < std::string_view(*lower_)) lower_ = std::string(least);
  if (!upper_ || greatest > std::string_view(*upper_)) upper_ = std::string(greatest);
}

}  // namespace frazil::datafile
