// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/arrow_schema.h"

#include <charconv>
#include <memory>
#include <string>

#include <arrow/type.h>
#include <arrow/util/key_value_metadata.h>

#include "frazil/base/error.h"

namespace frazil::iceberg {
namespace {

constexpr char kFieldIdKey[] = "PARQUET:field_id";

arrow::FieldVector ToArrowFields(const Type& type) {
  arrow::FieldVector fields;
  fields.reserve(type.fields().size());
  for (const NestedField& field : type.fields()) fields.push_back(ToArrowField(field));
  return fields;
}

}  // namespace

std::shared_ptr<arrow::DataType> ToArrowType(const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean: return arrow::boolean();
    case TypeId::kInt: return arrow::int32();
    case TypeId::kLong: return arrow::int64();
    case TypeId::kFloat: return arrow::float32();
    case TypeId::kDouble: return arrow::float64();
    case TypeId::kDecimal: return arrow::decimal128(type.precision(), type.scale());
    case TypeId::kDate: return arrow::date32();
    case TypeId::kTime: return arrow::time64(arrow::TimeUnit::MICRO);
    case TypeId::kTimestamp: return arrow::timestamp(arrow::TimeUnit::MICRO);
    case TypeId::kTimestampTz: return arrow::timestamp(arrow::TimeUnit::MICRO, "UTC");
    case TypeId::kTimestampNs: return arrow::timestamp(arrow::TimeUnit::NANO);
    case TypeId::kTimestampTzNs: return arrow::timestamp(arrow::TimeUnit::NANO, "UTC");
    case TypeId::kString: return arrow::utf8();
    case TypeId::kUuid: return arrow::fixed_size_binary(16);
    case TypeId::kFixed: return arrow::fixed_size_binary(type.length());
    case TypeId::kBinary: return arrow::binary();
    case TypeId::kUnknown: return arrow::null();
    case TypeId::kStruct: return arrow::struct_(ToArrowFields(type));
    case TypeId::kList: return arrow::list(ToArrowField(type.element()));
    case TypeId::kMap: return std::make_shared<arrow::MapType>(ToArrowField(type.key()), ToArrowField(type.value()));
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography: break;
  }
  throw Unsupported("columns of type {} can't be read or written", type.ToString());
}

std::shared_ptr<arrow::Field> ToArrowField(const NestedField& field) {
  try {
    return arrow::field(field.name, ToArrowType(field.type), !field.required,
                        arrow::key_value_metadata({{kFieldIdKey, std::to_string(field.id)}}));
  } catch (const Error& e) {
    throw e.WithContext("column '" + field.name + "'");
  }
}

std::shared_ptr<arrow::Schema> ToArrowSchema(const Schema& schema) {
  return arrow::schema(ToArrowFields(schema.struct_type()));
}

int32_t FieldIdOf(const arrow::Field& field) {
  if (field.metadata() == nullptr) return -1;
  int index = field.metadata()->FindKey(kFieldIdKey);
  if (index < 0) return -1;
  const std::string& text = field.metadata()->value(index);
  int32_t id = -1;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  return error == std::errc() && end == text.data() + text.size() ? id : -1;
}

}  // namespace frazil::iceberg
