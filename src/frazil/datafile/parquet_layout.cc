// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/parquet_layout.h"

#include <cmath>

#include <parquet/schema.h>
#include <parquet/types.h>

#include "frazil/base/error.h"

namespace frazil::datafile {

namespace {

using iceberg::NestedField;
using iceberg::Type;
using iceberg::TypeId;
using parquet::LogicalType;
using parquet::Repetition;
using parquet::schema::GroupNode;
using parquet::schema::NodePtr;
using parquet::schema::PrimitiveNode;

NodePtr MakePrimitive(const std::string& name, const Type& type, Repetition::type repetition, int32_t id) {
  auto plain = [&](parquet::Type::type physical, int length = -1) {
    return PrimitiveNode::Make(name, repetition, LogicalType::None(), physical, length, id);
  };
  auto annotated = [&](std::shared_ptr<const LogicalType> logical, parquet::Type::type physical, int length = -1) {
    return PrimitiveNode::Make(name, repetition, std::move(logical), physical, length, id);
  };
  auto timestamp = [&](bool utc, LogicalType::TimeUnit::unit unit) {
    return annotated(LogicalType::Timestamp(utc, unit), parquet::Type::INT64);
  };
  switch (type.id()) {
    case TypeId::kBoolean: return plain(parquet::Type::BOOLEAN);
    case TypeId::kInt: return plain(parquet::Type::INT32);
    case TypeId::kLong: return plain(parquet::Type::INT64);
    case TypeId::kFloat: return plain(parquet::Type::FLOAT);
    case TypeId::kDouble: return plain(parquet::Type::DOUBLE);
    case TypeId::kDecimal: {
      auto logical = LogicalType::Decimal(type.precision(), type.scale());
      if (type.precision() <= 9) return annotated(logical, parquet::Type::INT32);
      if (type.precision() <= 18) return annotated(logical, parquet::Type::INT64);
      return annotated(logical, parquet::Type::FIXED_LEN_BYTE_ARRAY, DecimalByteLength(type.precision()));
    }
    case TypeId::kDate: return annotated(LogicalType::Date(), parquet::Type::INT32);
    case TypeId::kTime: return annotated(LogicalType::Time(false, LogicalType::TimeUnit::MICROS), parquet::Type::INT64);
    case TypeId::kTimestamp: return timestamp(false, LogicalType::TimeUnit::MICROS);
    case TypeId::kTimestampTz: return timestamp(true, LogicalType::TimeUnit::MICROS);
    case TypeId::kTimestampNs: return timestamp(false, LogicalType::TimeUnit::NANOS);
    case TypeId::kTimestampTzNs: return timestamp(true, LogicalType::TimeUnit::NANOS);
    case TypeId::kString: return annotated(LogicalType::String(), parquet::Type::BYTE_ARRAY);
    case TypeId::kUuid: return annotated(LogicalType::UUID(), parquet::Type::FIXED_LEN_BYTE_ARRAY, 16);
    case TypeId::kFixed: return plain(parquet::Type::FIXED_LEN_BYTE_ARRAY, type.length());
    case TypeId::kBinary: return plain(parquet::Type::BYTE_ARRAY);
    default: throw Unsupported("column '{}': Frazil can't write {} to Parquet yet", name, type.ToString());
  }
}

/// Builds nodes and leaves in one walk. `way` is the leaf under construction: all but its own type.
class LayoutBuilder {
 public:
  NodePtr Build(const NestedField& field, const std::string& name, LeafColumn way) {
    way.field_id = field.id;
    way.full_name += field.name;
    way.path += name;
    way.is_required = field.required;
    if (!field.required) ++way.max_definition_level;
    Repetition::type repetition = field.required ? Repetition::REQUIRED : Repetition::OPTIONAL;
    switch (field.type.id()) {
      case TypeId::kStruct: return BuildStruct(field, name, repetition, std::move(way));
      case TypeId::kList: return BuildList(field, name, repetition, std::move(way));
      case TypeId::kMap: return BuildMap(field, name, repetition, std::move(way));
      default: break;
    }
    NodePtr node = MakePrimitive(name, field.type, repetition, field.id);
    way.type = field.type;
    way.steps.push_back({LevelStep::Kind::kLeaf, !field.required, 0});
    leaves_.push_back(std::move(way));
    return node;
  }

  std::vector<LeafColumn> TakeLeaves() { return std::move(leaves_); }

 private:
  NodePtr BuildStruct(const NestedField& field, const std::string& name, Repetition::type repetition,
                      const LeafColumn& way) {
    if (field.type.fields().empty()) {
      throw Unsupported("column '{}': Parquet can't store a struct without fields", way.full_name);
    }
    parquet::schema::NodeVector children;
    int child = 0;
    for (const NestedField& nested : field.type.fields()) {
      LeafColumn next = Step(way, {LevelStep::Kind::kStruct, !field.required, child++});
      children.push_back(Build(nested, ParquetName(nested.name), std::move(next)));
    }
    return GroupNode::Make(name, repetition, children, parquet::ConvertedType::NONE, field.id);
  }

  NodePtr BuildList(const NestedField& field, const std::string& name, Repetition::type repetition,
                    const LeafColumn& way) {
    LeafColumn next = Repeated(Step(way, {LevelStep::Kind::kList, !field.required, 0}), "list.");
    NodePtr element = Build(field.type.element(), "element", std::move(next));
    NodePtr repeated = GroupNode::Make("list", Repetition::REPEATED, {element});
    return GroupNode::Make(name, repetition, {repeated}, LogicalType::List(), field.id);
  }

  NodePtr BuildMap(const NestedField& field, const std::string& name, Repetition::type repetition,
                   const LeafColumn& way) {
    LeafColumn to_key = Repeated(Step(way, {LevelStep::Kind::kMapKeys, !field.required, 0}), "key_value.");
    LeafColumn to_value = Repeated(Step(way, {LevelStep::Kind::kMapValues, !field.required, 0}), "key_value.");
    NodePtr key = Build(field.type.key(), "key", std::move(to_key));
    NodePtr value = Build(field.type.value(), "value", std::move(to_value));
    NodePtr repeated = GroupNode::Make("key_value", Repetition::REPEATED, {key, value});
    return GroupNode::Make(name, repetition, {repeated}, LogicalType::Map(), field.id);
  }

  static LeafColumn Step(LeafColumn way, LevelStep step) {
    way.steps.push_back(step);
    way.full_name += '.';
    way.path += '.';
    return way;
  }

  static LeafColumn Repeated(LeafColumn way, std::string_view group) {
    way.path += group;
    way.is_repeated = true;
    ++way.max_definition_level;
    ++way.max_repetition_level;
    return way;
  }

  std::vector<LeafColumn> leaves_;
};

}  // namespace

ParquetLayout MakeParquetLayout(const iceberg::Schema& schema) {
  LayoutBuilder builder;
  parquet::schema::NodeVector columns;
  int column = 0;
  for (const NestedField& field : schema.fields()) {
    LeafColumn way;
    way.column = column++;
    if (field.type.id() == TypeId::kUnknown) continue;
    columns.push_back(builder.Build(field, ParquetName(field.name), std::move(way)));
  }
  if (columns.empty()) throw Unsupported("Parquet can't store a table without columns");
  ParquetLayout layout;
  layout.root = std::static_pointer_cast<GroupNode>(GroupNode::Make("table", Repetition::REQUIRED, columns));
  layout.leaves = builder.TakeLeaves();
  return layout;
}

std::string ParquetName(const std::string& name) {
  auto is_letter = [](unsigned char c) { return std::isalpha(c) || c == '_' || c >= 0x80; };
  std::string safe;
  for (unsigned char c : name) {
    if (is_letter(c) || (std::isdigit(c) && !safe.empty())) {
      safe += static_cast<char>(c);
    } else if (std::isdigit(c)) {
      safe += '_';
      safe += static_cast<char>(c);
    } else {
      safe += fmt::format("_x{:X}", c);
    }
  }
  return safe;
}

int DecimalByteLength(int precision) { return static_cast<int>(std::ceil((precision / std::log10(2.0) + 1) / 8)); }

}  // namespace frazil::datafile
