// SPDX-License-Identifier: Apache-2.0
#include "frazil/scan/partition_union.h"

namespace frazil::scan {

namespace {

using iceberg::NestedField;
using iceberg::PartitionField;
using iceberg::PartitionSpec;
using iceberg::TransformKind;

std::vector<const PartitionSpec*> NewestFirst(const std::vector<PartitionSpec>& specs) {
  std::vector<const PartitionSpec*> sorted;
  for (const PartitionSpec& spec : specs) sorted.push_back(&spec);
  std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->spec_id > b->spec_id; });
  return sorted;
}

}  // namespace

PartitionUnion::PartitionUnion(const iceberg::TableMetadata& metadata) : metadata_(metadata) {
  struct Known {
    NestedField field;
    bool is_void;
  };
  std::map<int32_t, Known> by_id;
  for (const PartitionSpec* spec : NewestFirst(metadata.partition_specs)) {
    for (const PartitionField& field : spec->fields) {
      const NestedField* source = metadata.schema().FindField(field.source_id());
      if (source == nullptr || field.transform.kind == TransformKind::kUnknown) continue;
      const bool is_void = field.transform.kind == TransformKind::kVoid;
      iceberg::Type type = ResultType(field.transform, source->type);
      auto [it, is_new] =
          by_id.try_emplace(field.field_id, Known{NestedField::Optional(field.field_id, field.name, type), is_void});
      if (is_new || !it->second.is_void || is_void) continue;
      it->second.field.type = std::move(type);
      it->second.is_void = false;
    }
  }
  for (auto& [id, known] : by_id) fields_.push_back(std::move(known.field));
}

iceberg::PartitionValues PartitionUnion::Coerce(int32_t spec_id, const iceberg::PartitionValues& values) const {
  const PartitionSpec& spec = metadata_.spec(spec_id);
  iceberg::PartitionValues coerced(fields_.size());
  for (size_t i = 0; i < spec.fields.size() && i < values.size(); ++i) {
    auto same_id = [&](const NestedField& field) { return field.id == spec.fields[i].field_id; };
    auto it = std::find_if(fields_.begin(), fields_.end(), same_id);
    if (it != fields_.end()) coerced[it - fields_.begin()] = values[i];
  }
  return coerced;
}

}  // namespace frazil::scan
