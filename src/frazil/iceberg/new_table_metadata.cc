// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/clock.h"
#include "frazil/base/error.h"
#include "frazil/base/uuid.h"
#include "frazil/iceberg/table_metadata.h"
#include "frazil/iceberg/table_properties.h"

namespace frazil::iceberg {

namespace {

constexpr int32_t kFirstPartitionFieldId = 1000;
constexpr int kDefaultFormatVersion = 2;

int TakeFormatVersion(OptionMap* properties) {
  int64_t version = property::GetInt(*properties, property::kFormatVersion, kDefaultFormatVersion);
  properties->erase(property::kFormatVersion);
  if (version == 3) throw Unsupported("tables of format-version 3 can be read, but not yet written; use 2");
  if (version < 1 || version > 3) throw InvalidArgument("unknown format-version {}: 1 and 2 can be written", version);
  return static_cast<int>(version);
}

/// Types that v3 brought (spec: "Version 3: Extended Types and Capabilities") would make a v2 table that no engine
/// reads.
void RefuseTypesOfV3(const Type& type, const std::string& column) {
  switch (type.id()) {
    case TypeId::kTimestampNs:
    case TypeId::kTimestampTzNs:
      throw Unsupported(
          "column '{}' has type {}, which needs format-version 3; use microseconds, TIMESTAMP(6) or TIMESTAMP_LTZ(6)",
          column, type.ToString());
    case TypeId::kUnknown:
    case TypeId::kVariant:
    case TypeId::kGeometry:
    case TypeId::kGeography:
      throw Unsupported("column '{}' has type {}, which needs format-version 3", column, type.ToString());
    default: break;
  }
  for (const NestedField& field : type.fields()) {
    RefuseTypesOfV3(field.type, column.empty() ? field.name : column + "." + field.name);
  }
}

/// Ids in `fresh` of the columns that `source_ids` name in `schema`.
std::vector<int32_t> Rebind(const std::vector<int32_t>& source_ids, const Schema& schema, const Schema& fresh,
                            std::string_view what) {
  std::vector<int32_t> ids;
  for (int32_t id : source_ids) {
    const NestedField* field = fresh.FindField(schema.FullName(id));
    if (field == nullptr) throw InvalidArgument("{} names column id {}, which the schema doesn't have", what, id);
    ids.push_back(field->id);
  }
  return ids;
}

PartitionSpec FreshSpec(const PartitionSpec& spec, const Schema& schema, const Schema& fresh) {
  PartitionSpec result;
  int32_t next_id = kFirstPartitionFieldId;
  for (const PartitionField& field : spec.fields) {
    result.fields.push_back({Rebind(field.source_ids, schema, fresh, fmt::format("partition field '{}'", field.name)),
                             next_id++, field.name, field.transform});
  }
  Validate(result, fresh);
  return result;
}

SortOrder FreshOrder(const SortOrder& order, const Schema& schema, const Schema& fresh) {
  SortOrder result;
  result.order_id = order.fields.empty() ? 0 : 1;
  for (const SortField& field : order.fields) {
    SortField bound = field;
    bound.source_ids = Rebind(field.source_ids, schema, fresh, "the sort order");
    for (int32_t id : bound.source_ids) ResultType(bound.transform, fresh.FindField(id)->type);
    result.fields.push_back(std::move(bound));
  }
  return result;
}

void ValidateMetricsColumns(const OptionMap& properties, const Schema& schema) {
  for (auto it = properties.lower_bound(property::kMetricsColumnPrefix);
       it != properties.end() && it->first.starts_with(property::kMetricsColumnPrefix); ++it) {
    std::string_view column = std::string_view(it->first).substr(std::strlen(property::kMetricsColumnPrefix));
    if (schema.FindField(column) == nullptr) {
      throw InvalidArgument("table property '{}' names column '{}', which the schema doesn't have", it->first, column);
    }
  }
}

}  // namespace

TableMetadata NewTableMetadata(const Schema& schema, const PartitionSpec& spec, const SortOrder& order,
                               std::string location, OptionMap properties) {
  TableMetadata metadata;
  metadata.format_version = TakeFormatVersion(&properties);
  property::Validate(properties);
  RefuseTypesOfV3(schema.struct_type(), "");
  ValidateMetricsColumns(properties, schema);
  properties.emplace(property::kParquetCompression, "zstd");
  while (location.size() > 1 && location.ends_with('/')) location.pop_back();
  if (location.empty()) throw InvalidArgument("a new table needs a location");

  int32_t next_id = 1;
  Schema fresh = AssignFreshIds(schema, 0, next_id);
  PartitionSpec fresh_spec = FreshSpec(spec, schema, fresh);
  SortOrder fresh_order = FreshOrder(order, schema, fresh);

  metadata.table_uuid = frazil::ToString(RandomUuid());
  metadata.location = std::move(location);
  metadata.last_updated_ms = NowMillis();
  metadata.last_column_id = fresh.HighestFieldId();
  metadata.schemas.push_back(std::move(fresh));
  metadata.last_partition_id = kFirstPartitionFieldId + static_cast<int32_t>(fresh_spec.fields.size()) - 1;
  metadata.partition_specs.push_back(std::move(fresh_spec));
  metadata.default_sort_order_id = fresh_order.order_id;
  metadata.sort_orders.push_back(std::move(fresh_order));
  metadata.properties = std::move(properties);
  return metadata;
}

}  // namespace frazil::iceberg
