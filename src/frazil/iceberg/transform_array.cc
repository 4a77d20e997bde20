// SPDX-License-Identifier: Apache-2.0
// Transforms over whole columns: one loop per transform and physical type, nothing decided per row.
#include <memory>

#include <arrow/array.h>
#include <arrow/array/builder_binary.h>
#include <arrow/array/util.h>
#include <arrow/buffer.h>
#include <arrow/type.h>
#include <arrow/util/bitmap_ops.h>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/iceberg/arrow_schema.h"
#include "frazil/iceberg/transform.h"
#include "frazil/iceberg/transform_values.h"

namespace frazil::iceberg {
namespace {

constexpr char kContext[] = "partition transform";

void CheckLayout(const Type& source_type, const arrow::DataType& actual) {
  auto expected = ToArrowType(source_type);
  bool same = expected->id() == actual.id();
  if (same && actual.id() == arrow::Type::TIMESTAMP) {
    // The name of the zone doesn't matter, the unit does.
    same = static_cast<const arrow::TimestampType&>(*expected).unit() ==
           static_cast<const arrow::TimestampType&>(actual).unit();
  } else if (same) {
    same = expected->Equals(actual);
  }
  if (!same) {
    throw InvalidArgument("a column of type {} must come as Arrow {}, not {}", source_type.ToString(),
                          expected->ToString(), actual.ToString());
  }
}

/// The validity of `values`, aligned to offset 0; null where all are valid.
std::shared_ptr<arrow::Buffer> ValidityOf(const arrow::Array& values) {
  if (values.null_count() == 0) return nullptr;
  const auto& bitmap = values.null_bitmap();
  if (values.offset() % 8 == 0) return arrow::SliceBuffer(bitmap, values.offset() / 8);
  return Unwrap(
      arrow::internal::CopyBitmap(arrow::default_memory_pool(), bitmap->data(), values.offset(), values.length()),
      kContext);
}

/// A column of `type` whose i-th value is `value_of(i)`; what stands under a null doesn't matter.
template <typename Out, typename ValueOf>
std::shared_ptr<arrow::Array> Generate(const arrow::Array& values, std::shared_ptr<arrow::DataType> type,
                                       ValueOf value_of) {
  const int64_t length = values.length();
  std::shared_ptr<arrow::Buffer> buffer =
      Unwrap(arrow::AllocateBuffer(length * static_cast<int64_t>(sizeof(Out))), kContext);
  auto* out = reinterpret_cast<Out*>(buffer->mutable_data());
  for (int64_t i = 0; i < length; ++i) out[i] = value_of(i);
  return arrow::MakeArray(
      arrow::ArrayData::Make(std::move(type), length, {ValidityOf(values), std::move(buffer)}, values.null_count()));
}

/// The same for columns of fixed-width values: `function` maps one value.
template <typename In, typename Out, typename Function>
std::shared_ptr<arrow::Array> Map(const arrow::Array& values, std::shared_ptr<arrow::DataType> type,
                                  Function function) {
  const In* in = values.data()->GetValues<In>(1);
  return Generate<Out>(values, std::move(type), [=](int64_t i) { return function(in[i]); });
}

/// A decimal as Arrow stores it: 16 bytes that need not be aligned to 16.
struct DecimalBits {
  uint64_t low;
  int64_t high;

  explicit DecimalBits(__int128 value) : low(static_cast<uint64_t>(value)), high(static_cast<int64_t>(value >> 64)) {}
  __int128 value() const { return static_cast<__int128>(high) << 64 | low; }
};

template <typename In, typename Function>
std::shared_ptr<arrow::Array> MapToInt(const arrow::Array& values, Function function) {
  return Map<In, int32_t>(values, arrow::int32(), function);
}

std::shared_ptr<arrow::Array> BucketColumn(const Type& type, const arrow::Array& values, int32_t buckets) {
  switch (type.id()) {
    case TypeId::kInt:
    case TypeId::kDate:
      return MapToInt<int32_t>(values, [=](int32_t value) { return BucketOf(Murmur3(int64_t{value}), buckets); });
    case TypeId::kLong:
    case TypeId::kTime:
    case TypeId::kTimestamp:
    case TypeId::kTimestampTz:
      return MapToInt<int64_t>(values, [=](int64_t value) { return BucketOf(Murmur3(value), buckets); });
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return MapToInt<int64_t>(values, [=](int64_t value) { return BucketOf(HashNanos(value), buckets); });
    case TypeId::kDecimal:
      return MapToInt<DecimalBits>(values,
                                   [=](DecimalBits bits) { return BucketOf(Murmur3Decimal(bits.value()), buckets); });
    case TypeId::kUuid:
    case TypeId::kFixed: {
      const auto& fixed = static_cast<const arrow::FixedSizeBinaryArray&>(values);
      return Generate<int32_t>(values, arrow::int32(),
                               [&](int64_t i) { return BucketOf(Murmur3(fixed.GetView(i)), buckets); });
    }
    default: {
      const auto& binary = static_cast<const arrow::BinaryArray&>(values);
      return Generate<int32_t>(values, arrow::int32(),
                               [&](int64_t i) { return BucketOf(Murmur3(binary.GetView(i)), buckets); });
    }
  }
}

/// `prefix_of` gives the number of bytes that stay.
template <typename Builder, typename PrefixOf>
std::shared_ptr<arrow::Array> TruncateBytes(const arrow::Array& values, PrefixOf prefix_of) {
  const auto& binary = static_cast<const arrow::BinaryArray&>(values);
  Builder builder;
  Check(builder.Reserve(binary.length()), kContext);
  Check(builder.ReserveData(binary.total_values_length()), kContext);
  for (int64_t i = 0; i < binary.length(); ++i) {
    if (binary.IsNull(i)) {
      builder.UnsafeAppendNull();
    } else {
      std::string_view value = binary.GetView(i);
      builder.UnsafeAppend(value.data(), static_cast<int32_t>(prefix_of(value)));
    }
  }
  return Unwrap(builder.Finish(), kContext);
}

std::shared_ptr<arrow::Array> TruncateColumn(const Type& type, const arrow::Array& values, int32_t width) {
  auto truncate = [=](auto value) { return TruncateNumber(value, width); };
  switch (type.id()) {
    case TypeId::kInt: return Map<int32_t, int32_t>(values, values.type(), truncate);
    case TypeId::kLong: return Map<int64_t, int64_t>(values, values.type(), truncate);
    case TypeId::kDecimal:
      return Map<DecimalBits, DecimalBits>(values, values.type(),
                                           [=](DecimalBits bits) { return DecimalBits(truncate(bits.value())); });
    case TypeId::kString:
      return TruncateBytes<arrow::StringBuilder>(values,
                                                 [=](std::string_view text) { return CodePointPrefix(text, width); });
    default:
      return TruncateBytes<arrow::BinaryBuilder>(
          values, [=](std::string_view bytes) { return std::min(bytes.size(), static_cast<size_t>(width)); });
  }
}

/// Maps the days since the epoch that the dates or timestamps fall in.
template <typename Function>
std::shared_ptr<arrow::Array> MapDays(const Type& type, const arrow::Array& values,
                                      std::shared_ptr<arrow::DataType> result, Function function) {
  switch (type.id()) {
    case TypeId::kDate: return Map<int32_t, int32_t>(values, std::move(result), function);
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      return Map<int64_t, int32_t>(values, std::move(result),
                                   [=](int64_t nanos) { return function(FloorDiv(nanos, kNanosPerDay)); });
    default:
      return Map<int64_t, int32_t>(values, std::move(result),
                                   [=](int64_t micros) { return function(FloorDiv(micros, kMicrosPerDay)); });
  }
}

std::shared_ptr<arrow::Array> HourColumn(const Type& type, const arrow::Array& values) {
  if (type.id() == TypeId::kTimestampNs || type.id() == TypeId::kTimestampTzNs) {
    return MapToInt<int64_t>(values,
                             [](int64_t nanos) { return static_cast<int32_t>(FloorDiv(nanos, kNanosPerDay / 24)); });
  }
  return MapToInt<int64_t>(values,
                           [](int64_t micros) { return static_cast<int32_t>(FloorDiv(micros, kMicrosPerHour)); });
}

}  // namespace

std::shared_ptr<arrow::Array> ApplyTransform(const Transform& transform, const Type& source_type,
                                             const std::shared_ptr<arrow::Array>& values) {
  Type result = ResultType(transform, source_type);
  if (transform.kind == TransformKind::kUnknown) {
    throw Unsupported("transform '{}' is not known, its values can't be computed", transform.unknown_text);
  }
  CheckLayout(source_type, *values->type());
  switch (transform.kind) {
    case TransformKind::kIdentity: return values;
    case TransformKind::kBucket: return BucketColumn(source_type, *values, transform.parameter);
    case TransformKind::kTruncate: return TruncateColumn(source_type, *values, transform.parameter);
    case TransformKind::kYear:
      return MapDays(source_type, *values, arrow::int32(), [](int64_t days) { return YearsOfDays(days); });
    case TransformKind::kMonth:
      return MapDays(source_type, *values, arrow::int32(), [](int64_t days) { return MonthsOfDays(days); });
    case TransformKind::kDay:
      return MapDays(source_type, *values, arrow::date32(), [](int64_t days) { return static_cast<int32_t>(days); });
    case TransformKind::kHour: return HourColumn(source_type, *values);
    case TransformKind::kVoid:
    case TransformKind::kUnknown: break;
  }
  return Unwrap(arrow::MakeArrayOfNull(ToArrowType(result), values->length()), kContext);
}

}  // namespace frazil::iceberg
