// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/transform.h"

#include <charconv>

#include <fmt/format.h>

#include "frazil/base/error.h"
#include "frazil/iceberg/ascii.h"
#include "frazil/iceberg/transform_values.h"
#include "frazil/iceberg/typed_literal.h"

namespace frazil::iceberg {
namespace {

struct NamedTransform {
  std::string_view name;
  TransformKind kind;
};
constexpr NamedTransform kNamedTransforms[] = {
    {"identity", TransformKind::kIdentity}, {"year", TransformKind::kYear}, {"month", TransformKind::kMonth},
    {"day", TransformKind::kDay},           {"hour", TransformKind::kHour}, {"void", TransformKind::kVoid},
};

/// N of "<name>[N]"; 0 unless `text` is that, with N from 1 on.
int32_t ParameterOf(std::string_view text, std::string_view name) {
  if (!text.starts_with(name) || !text.ends_with(']')) return 0;
  text.remove_prefix(name.size());
  if (!text.starts_with('[')) return 0;
  text = text.substr(1, text.size() - 2);
  int32_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0 ? value : 0;
}

bool IsTimestamp(TypeId id) { return id >= TypeId::kTimestamp && id <= TypeId::kTimestampTzNs; }

bool CanBucket(TypeId id) {
  switch (id) {
    case TypeId::kInt:
    case TypeId::kLong:
    case TypeId::kDecimal:
    case TypeId::kDate:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
    case TypeId::kString:
    case TypeId::kUuid:
    case TypeId::kFixed:
    case TypeId::kBinary: return true;
    default: return false;
  }
}

bool CanTruncate(TypeId id) {
  return id == TypeId::kInt || id == TypeId::kLong || id == TypeId::kDecimal || id == TypeId::kString ||
         id == TypeId::kBinary;
}

bool CanTransform(const Transform& transform, const Type& source) {
  const TypeId id = source.id();
  switch (transform.kind) {
    case TransformKind::kIdentity:
      return source.is_primitive() && id != TypeId::kVariant && id != TypeId::kGeometry && id != TypeId::kGeography;
    case TransformKind::kBucket: return CanBucket(id);
    case TransformKind::kTruncate: return CanTruncate(id);
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kDay: return id == TypeId::kDate || IsTimestamp(id);
    case TransformKind::kHour: return IsTimestamp(id);
    case TransformKind::kVoid:
    case TransformKind::kUnknown: return true;
  }
  return false;
}

uint32_t Hash(const Type& type, const Literal& value) {
  switch (type.id()) {
    case TypeId::kInt:
    case TypeId::kDate: return Murmur3(Get<int32_t>(type, value));
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz: return Murmur3(Get<int64_t>(type, value));
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs: return HashNanos(Get<int64_t>(type, value));
    case TypeId::kDecimal: return Murmur3Decimal(Get<__int128>(type, value));
    default: return Murmur3(Get<std::string>(type, value));
  }
}

Literal Truncate(const Type& type, const Literal& value, int32_t width) {
  switch (type.id()) {
    case TypeId::kInt: return TruncateNumber(Get<int32_t>(type, value), width);
    case TypeId::kLong: return TruncateNumber(Get<int64_t>(type, value), width);
    case TypeId::kDecimal: return TruncateNumber(Get<__int128>(type, value), width);
    case TypeId::kString: {
      const auto& text = Get<std::string>(type, value);
      return text.substr(0, CodePointPrefix(text, width));
    }
    default: return Get<std::string>(type, value).substr(0, static_cast<size_t>(width));
  }
}

int64_t UnitsPerDay(const Type& type) {
  return type.id() == TypeId::kTimestampNs || type.id() == TypeId::kTimestampTzNs ? kNanosPerDay : kMicrosPerDay;
}

int64_t DaysOf(const Type& type, const Literal& value) {
  if (type.id() == TypeId::kDate) return Get<int32_t>(type, value);
  return FloorDiv(Get<int64_t>(type, value), UnitsPerDay(type));
}

int32_t IntOf(const Literal& value) { return Get<int32_t>(Type::Int(), value); }

std::string MonthText(int32_t months) {
  int64_t years = FloorDiv(months, 12);
  return fmt::format("{:04}-{:02}", 1970 + years, months - years * 12 + 1);
}

std::string HourText(int32_t hours) {
  int64_t days = FloorDiv(hours, 24);
  return fmt::format("{}-{:02}", ToHumanString(Type::Date(), static_cast<int32_t>(days)), hours - days * 24);
}

}  // namespace

Transform ParseTransform(std::string_view text) {
  std::string lower = LowerAscii(text);
  for (const NamedTransform& named : kNamedTransforms) {
    if (lower == named.name) return {named.kind, 0, ""};
  }
  if (int32_t buckets = ParameterOf(lower, "bucket")) return {TransformKind::kBucket, buckets, ""};
  if (int32_t width = ParameterOf(lower, "truncate")) return {TransformKind::kTruncate, width, ""};
  return {TransformKind::kUnknown, 0, std::string(text)};
}

std::string ToString(const Transform& transform) {
  if (transform.kind == TransformKind::kBucket) return fmt::format("bucket[{}]", transform.parameter);
  if (transform.kind == TransformKind::kTruncate) return fmt::format("truncate[{}]", transform.parameter);
  for (const NamedTransform& named : kNamedTransforms) {
    if (named.kind == transform.kind) return std::string(named.name);
  }
  return transform.unknown_text;
}

Type ResultType(const Transform& transform, const Type& source) {
  if (!CanTransform(transform, source)) {
    throw InvalidArgument("transform {} can't be applied to type {}", ToString(transform), source.ToString());
  }
  switch (transform.kind) {
    case TransformKind::kIdentity:
    case TransformKind::kTruncate:
    case TransformKind::kVoid: return source;
    case TransformKind::kDay: return Type::Date();
    case TransformKind::kUnknown: return Type();
    case TransformKind::kBucket:
    case TransformKind::kYear:
    case TransformKind::kMonth:
    case TransformKind::kHour: break;
  }
  return Type::Int();
}

Literal ApplyTransform(const Transform& transform, const Type& source_type, const Literal& value) {
  ResultType(transform, source_type);
  if (transform.kind == TransformKind::kUnknown) {
    throw Unsupported("transform '{}' is not known, its values can't be computed", transform.unknown_text);
  }
  if (IsNull(value)) return value;
  switch (transform.kind) {
    case TransformKind::kIdentity: return value;
    case TransformKind::kBucket: return BucketOf(Hash(source_type, value), transform.parameter);
    case TransformKind::kTruncate: return Truncate(source_type, value, transform.parameter);
    case TransformKind::kYear: return YearsOfDays(DaysOf(source_type, value));
    case TransformKind::kMonth: return MonthsOfDays(DaysOf(source_type, value));
    case TransformKind::kDay: return static_cast<int32_t>(DaysOf(source_type, value));
    case TransformKind::kHour:
      return static_cast<int32_t>(FloorDiv(Get<int64_t>(source_type, value), UnitsPerDay(source_type) / 24));
    case TransformKind::kVoid:
    case TransformKind::kUnknown: break;
  }
  return Literal();
}

std::string ToPathString(const Transform& transform, const Type& source_type, const Literal& value) {
  if (IsNull(value)) return "null";
  switch (transform.kind) {
    case TransformKind::kIdentity:
    case TransformKind::kTruncate: return ToHumanString(source_type, value);
    case TransformKind::kBucket: return fmt::format("{}", IntOf(value));
    case TransformKind::kYear: return fmt::format("{:04}", 1970 + static_cast<int64_t>(IntOf(value)));
    case TransformKind::kMonth: return MonthText(IntOf(value));
    case TransformKind::kDay: return ToHumanString(Type::Date(), value);
    case TransformKind::kHour: return HourText(IntOf(value));
    case TransformKind::kVoid: return "null";
    case TransformKind::kUnknown: break;
  }
  return ToHumanString(Type(), value);
}

}  // namespace frazil::iceberg
