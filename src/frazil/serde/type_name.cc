// SPDX-License-Identifier: Apache-2.0
#include "frazil/serde/type_name.h"

namespace frazil::serde {

namespace {

int Precision(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND: return 0;
    case arrow::TimeUnit::MILLI: return 3;
    case arrow::TimeUnit::MICRO: return 6;
    default: return 9;
  }
}

std::string FieldTypeName(const arrow::Field& field) {
  return FlinkTypeName(*field.type()) + (field.nullable() ? "" : " NOT NULL");
}

std::string RowName(const arrow::DataType& type) {
  std::vector<std::string> fields;
  for (const auto& field : type.fields()) fields.push_back(fmt::format("{} {}", field->name(), FieldTypeName(*field)));
  return fmt::format("ROW<{}>", fmt::join(fields, ", "));
}

}  // namespace

std::string FlinkTypeName(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL: return "BOOLEAN";
    case arrow::Type::INT8: return "TINYINT";
    case arrow::Type::INT16: return "SMALLINT";
    case arrow::Type::INT32: return "INT";
    case arrow::Type::INT64: return "BIGINT";
    case arrow::Type::FLOAT: return "FLOAT";
    case arrow::Type::DOUBLE: return "DOUBLE";
    case arrow::Type::STRING: return "STRING";
    case arrow::Type::BINARY: return "BYTES";
    case arrow::Type::DATE32: return "DATE";
    case arrow::Type::FIXED_SIZE_BINARY:
      return fmt::format("BINARY({})", static_cast<const arrow::FixedSizeBinaryType&>(type).byte_width());
    case arrow::Type::DECIMAL128: {
      const auto& decimal = static_cast<const arrow::DecimalType&>(type);
      return fmt::format("DECIMAL({},{})", decimal.precision(), decimal.scale());
    }
    case arrow::Type::TIME32:
    case arrow::Type::TIME64:
      return fmt::format("TIME({})", Precision(static_cast<const arrow::TimeType&>(type).unit()));
    case arrow::Type::TIMESTAMP: {
      const auto& timestamp = static_cast<const arrow::TimestampType&>(type);
      return fmt::format("TIMESTAMP{}({})", timestamp.timezone().empty() ? "" : "_LTZ", Precision(timestamp.unit()));
    }
    case arrow::Type::STRUCT: return RowName(type);
    case arrow::Type::LIST: return fmt::format("ARRAY<{}>", FieldTypeName(*type.field(0)));
    case arrow::Type::MAP: {
      const auto& map = static_cast<const arrow::MapType&>(type);
      return fmt::format("MAP<{}, {}>", FlinkTypeName(*map.key_type()), FieldTypeName(*map.item_field()));
    }
    default: return type.ToString();
  }
}

}  // namespace frazil::serde
