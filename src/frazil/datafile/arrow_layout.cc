// SPDX-License-Identifier: Apache-2.0
#include "frazil/datafile/arrow_layout.h"

#include "frazil/base/error.h"
#include "frazil/iceberg/arrow_schema.h"

namespace frazil::datafile {

namespace {

void CheckField(const iceberg::NestedField& field, const std::string& full_name, const arrow::DataType& type) {
  auto wrong = [&] {
    return InvalidArgument("column '{}' is {} and comes as Arrow {}", full_name, field.type.ToString(),
                           type.ToString());
  };
  auto expect = [&](arrow::Type::type id) {
    if (type.id() != id) throw wrong();
  };
  switch (field.type.id()) {
    case iceberg::TypeId::kStruct: {
      expect(arrow::Type::STRUCT);
      const auto& children = field.type.fields();
      if (type.num_fields() != static_cast<int>(children.size())) throw wrong();
      for (size_t i = 0; i < children.size(); ++i) {
        CheckField(children[i], full_name + "." + children[i].name, *type.field(static_cast<int>(i))->type());
      }
      return;
    }
    case iceberg::TypeId::kList:
      expect(arrow::Type::LIST);
      return CheckField(field.type.element(), full_name + ".element", *type.field(0)->type());
    case iceberg::TypeId::kMap: {
      expect(arrow::Type::MAP);
      const auto& map = static_cast<const arrow::MapType&>(type);
      CheckField(field.type.key(), full_name + ".key", *map.key_type());
      return CheckField(field.type.value(), full_name + ".value", *map.item_type());
    }
    default:
      if (!type.Equals(*iceberg::ToArrowType(field.type))) throw wrong();
  }
}

}  // namespace

void CheckArrowLayout(const iceberg::Schema& schema, const arrow::Schema& arrow_schema) {
  const auto& fields = schema.fields();
  if (arrow_schema.num_fields() != static_cast<int>(fields.size())) {
    throw InvalidArgument("a batch of {} columns for a table of {}", arrow_schema.num_fields(), fields.size());
  }
  for (size_t i = 0; i < fields.size(); ++i) {
    CheckField(fields[i], fields[i].name, *arrow_schema.field(static_cast<int>(i))->type());
  }
}

}  // namespace frazil::datafile
