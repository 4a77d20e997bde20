// SPDX-License-Identifier: Apache-2.0
// Partition specs and sort orders as JSON (spec appendix C).
#include <algorithm>

#include <nlohmann/json.hpp>

#include "frazil/base/error.h"
#include "frazil/iceberg/metadata_json.h"

namespace frazil::iceberg {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int32_t kFirstPartitionFieldId = 1000;

/// Transforms of one argument name it as "source-id", those of several (v3) as "source-ids".
void WriteSourceIds(ordered_json& out, const std::vector<int32_t>& source_ids) {
  if (source_ids.size() == 1) {
    out["source-id"] = source_ids.front();
  } else {
    out["source-ids"] = source_ids;
  }
}

std::vector<int32_t> ReadSourceIds(const JsonObject& object) {
  if (!object.Has("source-ids")) return {object.Int32("source-id")};
  std::vector<int32_t> ids = object.FindInt32Array("source-ids");
  if (ids.empty()) throw object.Wrong("source-ids", "is empty");
  return ids;
}

/// `index` gives the id where the file has none (v1).
PartitionField PartitionFieldFromJson(const JsonObject& object, bool has_id, size_t index) {
  PartitionField field;
  field.source_ids = ReadSourceIds(object);
  field.field_id = has_id ? object.Int32("field-id") : kFirstPartitionFieldId + static_cast<int32_t>(index);
  field.name = object.String("name");
  field.transform = ParseTransform(object.String("transform"));
  return field;
}

SortField SortFieldFromJson(const JsonObject& object) {
  SortField field;
  field.source_ids = ReadSourceIds(object);
  field.transform = ParseTransform(object.String("transform"));
  std::string direction = object.String("direction");
  if (direction != "asc" && direction != "desc") {
    throw object.Wrong("direction", "expected asc or desc, found '{}'", direction);
  }
  field.direction = direction == "asc" ? SortDirection::kAscending : SortDirection::kDescending;
  std::string null_order = object.String("null-order");
  if (null_order != "nulls-first" && null_order != "nulls-last") {
    throw object.Wrong("null-order", "expected nulls-first or nulls-last, found '{}'", null_order);
  }
  field.null_order = null_order == "nulls-first" ? NullOrder::kNullsFirst : NullOrder::kNullsLast;
  return field;
}

}  // namespace

ordered_json FieldsToJson(const PartitionSpec& spec) {
  ordered_json fields = ordered_json::array();
  for (const PartitionField& field : spec.fields) {
    ordered_json out = {{"name", field.name}, {"transform", ToString(field.transform)}};
    WriteSourceIds(out, field.source_ids);
    out["field-id"] = field.field_id;
    fields.push_back(std::move(out));
  }
  return fields;
}

ordered_json ToJson(const PartitionSpec& spec) { return {{"spec-id", spec.spec_id}, {"fields", FieldsToJson(spec)}}; }

PartitionSpec PartitionSpecFromFieldsJson(const json& fields, int32_t spec_id, const std::string& path) {
  if (!fields.is_array()) throw Corrupt("{}: expected an array, found {}", path, fields.type_name());
  auto has_id = [](const json& field) { return field.is_object() && field.contains("field-id"); };
  auto with_id = static_cast<size_t>(std::ranges::count_if(fields, has_id));
  if (with_id != 0 && with_id != fields.size()) {
    throw Corrupt("{}: {} of {} partition fields have no field-id", path, fields.size() - with_id, fields.size());
  }
  PartitionSpec spec{spec_id, {}};
  spec.fields.reserve(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    JsonObject field(fields[i], fmt::format("{}[{}]", path, i));
    spec.fields.push_back(PartitionFieldFromJson(field, with_id != 0, i));
  }
  return spec;
}

PartitionSpec PartitionSpecFromFieldsJson(const json& fields, int32_t spec_id) {
  return PartitionSpecFromFieldsJson(fields, spec_id, "partition-spec");
}

PartitionSpec PartitionSpecFromJson(const JsonObject& object) {
  return PartitionSpecFromFieldsJson(object.Array("fields"), object.Int32("spec-id"), object.PathOf("fields"));
}

PartitionSpec PartitionSpecFromJson(const json& value) {
  return PartitionSpecFromJson(JsonObject(value, "partition-spec"));
}

ordered_json ToJson(const SortOrder& order) {
  ordered_json fields = ordered_json::array();
  for (const SortField& field : order.fields) {
    ordered_json out = {{"transform", ToString(field.transform)}};
    WriteSourceIds(out, field.source_ids);
    out["direction"] = field.direction == SortDirection::kAscending ? "asc" : "desc";
    out["null-order"] = field.null_order == NullOrder::kNullsFirst ? "nulls-first" : "nulls-last";
    fields.push_back(std::move(out));
  }
  return {{"order-id", order.order_id}, {"fields", std::move(fields)}};
}

SortOrder SortOrderFromJson(const JsonObject& object) {
  SortOrder order;
  order.order_id = object.Int32("order-id");
  const json& fields = object.Array("fields");
  order.fields.reserve(fields.size());
  for (size_t i = 0; i < fields.size(); ++i) {
    order.fields.push_back(SortFieldFromJson(JsonObject(fields[i], object.PathOf("fields", i))));
  }
  if ((order.order_id == 0) != order.fields.empty()) {
    throw object.Wrong("order-id", "{} with {} fields: 0 is the id of the unsorted order, and only of that",
                       order.order_id, order.fields.size());
  }
  return order;
}

SortOrder SortOrderFromJson(const json& value) { return SortOrderFromJson(JsonObject(value, "sort-order")); }

}  // namespace frazil::iceberg
