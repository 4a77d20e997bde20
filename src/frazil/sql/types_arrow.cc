// SPDX-License-Identifier: Apache-2.0
// Logical types ⇄ Arrow types.
#include <arrow/extension_type.h>
#include <arrow/type.h>

#include "frazil/base/error.h"
#include "frazil/sql/types.h"

namespace frazil::sql {
namespace {

arrow::TimeUnit::type UnitOf(int32_t precision) {
  if (precision == 0) return arrow::TimeUnit::SECOND;
  if (precision <= 3) return arrow::TimeUnit::MILLI;
  return precision <= 6 ? arrow::TimeUnit::MICRO : arrow::TimeUnit::NANO;
}

int32_t PrecisionOf(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND: return 0;
    case arrow::TimeUnit::MILLI: return 3;
    case arrow::TimeUnit::MICRO: return 6;
    case arrow::TimeUnit::NANO: return 9;
  }
  return 6;
}

std::shared_ptr<arrow::DataType> TimeToArrow(int32_t precision) {
  if (precision <= 3) return arrow::time32(arrow::TimeUnit::MILLI);
  return arrow::time64(UnitOf(precision));
}

std::shared_ptr<arrow::DataType> MapToArrow(const LogicalType& key, const LogicalType& value) {
  return std::make_shared<arrow::MapType>(arrow::field("key", ToArrow(key), false), ToArrowField("value", value));
}

LogicalType ElementFromArrow(const arrow::Field& field) { return FromArrow(*field.type(), field.nullable()); }

LogicalType FromArrowNonNull(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA: return NullType();
    case arrow::Type::BOOL: return BooleanType();
    case arrow::Type::INT8: return TinyIntType();
    case arrow::Type::UINT8:
    case arrow::Type::INT16: return SmallIntType();
    case arrow::Type::UINT16:
    case arrow::Type::INT32: return IntType();
    case arrow::Type::UINT32:
    case arrow::Type::INT64: return BigIntType();
    case arrow::Type::HALF_FLOAT:
    case arrow::Type::FLOAT: return FloatType();
    case arrow::Type::DOUBLE: return DoubleType();
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::STRING_VIEW: return StringType();
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::BINARY_VIEW: return BytesType();
    case arrow::Type::FIXED_SIZE_BINARY:
      return BinaryType(static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width());
    case arrow::Type::DECIMAL32:
    case arrow::Type::DECIMAL64:
    case arrow::Type::DECIMAL128:
    case arrow::Type::DECIMAL256: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      if (decimal.scale() < 0 || decimal.precision() > LogicalType::kMaxDecimalPrecision ||
          decimal.scale() > decimal.precision()) {
        throw Unsupported("the Arrow type {} has no Flink SQL type: DECIMAL(p, s) has 0 ≤ s ≤ p ≤ 38", type.ToString());
      }
      return DecimalType(decimal.precision(), decimal.scale());
    }
    case arrow::Type::DATE32:
    case arrow::Type::DATE64: return DateType();
    case arrow::Type::TIME32:
    case arrow::Type::TIME64: return TimeType(PrecisionOf(static_cast<const arrow::TimeType&>(type).unit()));
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      const int32_t precision = PrecisionOf(timestamp.unit());
      return timestamp.timezone().empty() ? TimestampType(precision) : TimestampLtzType(precision);
    }
    case arrow::Type::INTERVAL_MONTHS: return IntervalType(TimeUnit::kYear, TimeUnit::kMonth);
    case arrow::Type::DURATION: return IntervalType(TimeUnit::kDay, TimeUnit::kSecond, 2, 3);
    case arrow::Type::LIST:
    case arrow::Type::LARGE_LIST:
    case arrow::Type::LIST_VIEW:
    case arrow::Type::LARGE_LIST_VIEW:
    case arrow::Type::FIXED_SIZE_LIST:
      return ArrayType(ElementFromArrow(*static_cast<const arrow::BaseListType&>(type).value_field()));
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return MapType(ElementFromArrow(*map.key_field()), ElementFromArrow(*map.item_field()));
    }
    case arrow::Type::STRUCT: {
      std::vector<RowField> fields;
      for (const auto& field : type.fields()) fields.push_back({field->name(), ElementFromArrow(*field), ""});
      return RowType(std::move(fields));
    }
    case arrow::Type::DICTIONARY:
      return FromArrowNonNull(*static_cast<const arrow::DictionaryType&>(type).value_type());
    case arrow::Type::EXTENSION:
      return FromArrowNonNull(*static_cast<const arrow::ExtensionType&>(type).storage_type());
    default: throw Unsupported("the Arrow type {} has no Flink SQL type", type.ToString());
  }
}

}  // namespace

std::shared_ptr<arrow::DataType> ToArrow(const LogicalType& type) {
  switch (type.root) {
    case TypeRoot::kNull: return arrow::null();
    case TypeRoot::kBoolean: return arrow::boolean();
    case TypeRoot::kTinyInt: return arrow::int8();
    case TypeRoot::kSmallInt: return arrow::int16();
    case TypeRoot::kInteger: return arrow::int32();
    case TypeRoot::kBigInt: return arrow::int64();
    case TypeRoot::kFloat: return arrow::float32();
    case TypeRoot::kDouble: return arrow::float64();
    case TypeRoot::kDecimal: return arrow::decimal128(type.precision, type.scale);
    case TypeRoot::kChar:
    case TypeRoot::kVarChar: return arrow::utf8();
    case TypeRoot::kBinary: return arrow::fixed_size_binary(type.precision);
    case TypeRoot::kVarBinary: return arrow::binary();
    case TypeRoot::kDate: return arrow::date32();
    case TypeRoot::kTime: return TimeToArrow(type.precision);
    case TypeRoot::kTimestamp: return arrow::timestamp(UnitOf(type.precision));
    case TypeRoot::kTimestampLtz: return arrow::timestamp(UnitOf(type.precision), "UTC");
    case TypeRoot::kTimestampTz:
      throw Unsupported("the type {} is not supported: use TIMESTAMP_LTZ({})", type.ToString(), type.precision);
    case TypeRoot::kIntervalYearMonth: return arrow::month_interval();
    case TypeRoot::kIntervalDayTime: return arrow::duration(arrow::TimeUnit::MILLI);
    case TypeRoot::kArray: return arrow::list(ToArrowField("element", type.element()));
    case TypeRoot::kMultiset: return MapToArrow(type.element(), IntType().NotNull());
    case TypeRoot::kMap: return MapToArrow(type.key(), type.value());
    case TypeRoot::kRow: return arrow::struct_(ToArrowSchema(type.children)->fields());
  }
  throw Internal("no Arrow type for type root {}", static_cast<int>(type.root));
}

std::shared_ptr<arrow::Field> ToArrowField(const std::string& name, const LogicalType& type) {
  return arrow::field(name, ToArrow(type), type.nullable);
}

std::shared_ptr<arrow::Schema> ToArrowSchema(const std::vector<RowField>& fields) {
  arrow::FieldVector arrow_fields;
  arrow_fields.reserve(fields.size());
  for (const RowField& field : fields) arrow_fields.push_back(ToArrowField(field.name, field.type));
  return arrow::schema(std::move(arrow_fields));
}

LogicalType FromArrow(const arrow::DataType& type, bool nullable) {
  return FromArrowNonNull(type).WithNullable(nullable);
}

std::vector<RowField> FromArrowSchema(const arrow::Schema& schema) {
  std::vector<RowField> fields;
  fields.reserve(static_cast<size_t>(schema.num_fields()));
  for (const auto& field : schema.fields()) fields.push_back({field->name(), ElementFromArrow(*field), ""});
  return fields;
}

}  // namespace frazil::sql
