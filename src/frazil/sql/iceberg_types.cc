// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/iceberg_types.h"

#include <algorithm>

#include "frazil/base/error.h"

namespace frazil::sql {

using iceberg::NestedField;
using iceberg::Type;
using iceberg::TypeId;

namespace {

constexpr int32_t kMicros = 6;

/// Types with no parameters and no fields.
Type ToIcebergPrimitive(const LogicalType& type) {
  switch (type.root) {
    case TypeRoot::kBoolean: return Type::Boolean();
    case TypeRoot::kTinyInt:
    case TypeRoot::kSmallInt:
    case TypeRoot::kInteger: return Type::Int();
    case TypeRoot::kBigInt: return Type::Long();
    case TypeRoot::kFloat: return Type::Float();
    case TypeRoot::kDouble: return Type::Double();
    case TypeRoot::kDecimal: return Type::Decimal(type.precision, type.scale);
    case TypeRoot::kChar:
    case TypeRoot::kVarChar: return Type::String();
    case TypeRoot::kBinary: return Type::Fixed(type.precision);
    case TypeRoot::kVarBinary: return Type::Binary();
    case TypeRoot::kDate: return Type::Date();
    case TypeRoot::kTime: return Type::Time();
    case TypeRoot::kTimestamp: return type.precision > kMicros ? Type(TypeId::kTimestampNs) : Type::Timestamp();
    case TypeRoot::kTimestampLtz: return type.precision > kMicros ? Type(TypeId::kTimestampTzNs) : Type::TimestampTz();
    default: throw Unsupported("type {} has no counterpart in Iceberg", type.ToStringWithoutNullability());
  }
}

NestedField ToField(std::string name, const LogicalType& type, int32_t id, int32_t& next_id) {
  NestedField field = NestedField::Optional(id, std::move(name), ToIcebergType(type, next_id));
  field.required = !type.nullable;
  return field;
}

/// Java's order: all ids of one level first, then those of the levels below.
Type ToStruct(const std::vector<RowField>& children, int32_t& next_id) {
  int32_t id = next_id;
  next_id += static_cast<int32_t>(children.size());
  std::vector<NestedField> fields;
  for (const RowField& child : children) {
    NestedField field = ToField(child.name, child.type, id++, next_id);
    field.doc = child.comment;
    fields.push_back(std::move(field));
  }
  return Type::Struct(std::move(fields));
}

Type ToMap(const LogicalType& key, const LogicalType& value, int32_t& next_id) {
  int32_t id = next_id;
  next_id += 2;
  NestedField key_field = ToField("key", key.NotNull(), id, next_id);
  NestedField value_field = ToField("value", value, id + 1, next_id);
  return Type::Map(std::move(key_field), std::move(value_field));
}

LogicalType FromIcebergPrimitive(const Type& type) {
  switch (type.id()) {
    case TypeId::kBoolean: return BooleanType();
    case TypeId::kInt: return IntType();
    case TypeId::kLong: return BigIntType();
    case TypeId::kFloat: return FloatType();
    case TypeId::kDouble: return DoubleType();
    case TypeId::kDecimal: return DecimalType(type.precision(), type.scale());
    case TypeId::kDate: return DateType();
    case TypeId::kTime: return TimeType(kMicros);
    case TypeId::kTimestamp: return TimestampType(kMicros);
    case TypeId::kTimestampTz: return TimestampLtzType(kMicros);
    case TypeId::kTimestampNs: return TimestampType(9);
    case TypeId::kTimestampTzNs: return TimestampLtzType(9);
    case TypeId::kString: return StringType();
    case TypeId::kUuid: return BinaryType(16);
    case TypeId::kFixed: return BinaryType(type.length());
    case TypeId::kBinary: return BytesType();
    case TypeId::kUnknown: return NullType();
    default: throw Unsupported("Iceberg's type {} is not supported in SQL yet", type.ToString());
  }
}

LogicalType FromNested(const Type& type) {
  const auto of = [](const NestedField& field) { return FromIcebergType(field.type, field.required); };
  switch (type.id()) {
    case TypeId::kList: return ArrayType(of(type.element()));
    case TypeId::kMap: return MapType(of(type.key()), of(type.value()));
    default: {
      std::vector<RowField> fields;
      for (const NestedField& field : type.fields()) fields.push_back({field.name, of(field), field.doc});
      return RowType(std::move(fields));
    }
  }
}

}  // namespace

Type ToIcebergType(const LogicalType& type, int32_t& next_id) {
  switch (type.root) {
    case TypeRoot::kArray: {
      int32_t id = next_id++;
      return Type::List(ToField("element", type.element(), id, next_id));
    }
    case TypeRoot::kMultiset: return ToMap(type.element(), IntType().NotNull(), next_id);
    case TypeRoot::kMap: return ToMap(type.key(), type.value(), next_id);
    case TypeRoot::kRow: return ToStruct(type.children, next_id);
    default: return ToIcebergPrimitive(type);
  }
}

iceberg::Schema ToIcebergSchema(std::span<const RowField> columns, std::span<const std::string> primary_key) {
  std::vector<NestedField> fields;
  int32_t id = 1;
  auto next_id = static_cast<int32_t>(columns.size()) + 1;
  for (const RowField& column : columns) {
    try {
      fields.push_back(ToField(column.name, column.type, id++, next_id));
    } catch (const Error& error) {
      throw error.WithContext(fmt::format("column '{}'", column.name));
    }
    fields.back().doc = column.comment;
  }
  std::vector<int32_t> identifier_ids;
  for (const std::string& name : primary_key) {
    auto field = std::find_if(fields.begin(), fields.end(), [&](const NestedField& f) { return f.name == name; });
    if (field == fields.end()) throw InvalidArgument("primary key column '{}' is not a column of the table", name);
    field->required = true;
    identifier_ids.push_back(field->id);
  }
  return {0, std::move(fields), std::move(identifier_ids)};
}

LogicalType FromIcebergType(const Type& type, bool required) {
  LogicalType logical = type.is_nested() ? FromNested(type) : FromIcebergPrimitive(type);
  return logical.WithNullable(!required);
}

std::vector<RowField> FromIcebergSchema(const iceberg::Schema& schema) {
  std::vector<RowField> columns;
  for (const NestedField& field : schema.fields()) {
    try {
      columns.push_back({field.name, FromIcebergType(field.type, field.required), field.doc});
    } catch (const Error& error) {
      throw error.WithContext(fmt::format("column '{}'", field.name));
    }
  }
  return columns;
}

std::vector<std::string> PrimaryKeyOf(const iceberg::Schema& schema) {
  std::vector<std::string> names;
  for (int32_t id : schema.identifier_field_ids()) names.push_back(schema.FullName(id));
  return names;
}

}  // namespace frazil::sql
