// SPDX-License-Identifier: Apache-2.0
// Table metadata as JSON (spec: "Table Metadata", appendix C), with what older versions leave out filled in as Java
// does.
#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "frazil/base/error.h"
#include "frazil/iceberg/metadata_json.h"
#include "frazil/iceberg/table_metadata.h"

namespace frazil::iceberg {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr int kNewestVersion = 3;
/// How writers before v3 say that there is no current snapshot.
constexpr int64_t kNoSnapshot = -1;
constexpr int32_t kLastPartitionIdOfUnpartitioned = 999;

// Writing ---------------------------------------------------------------------------------------------------------

template <typename T, typename Convert>
ordered_json ArrayOf(const std::vector<T>& elements, Convert convert) {
  ordered_json array = ordered_json::array();
  for (const T& element : elements) array.push_back(convert(element));
  return array;
}

template <typename T>
ordered_json ArrayOf(const std::vector<T>& elements) {
  return ArrayOf(elements, [](const T& element) { return ToJson(element); });
}

ordered_json KeptArray(const std::string& text) {
  return text.empty() ? ordered_json::array() : ordered_json::parse(text);
}

void WriteSchemas(const TableMetadata& metadata, ordered_json& out) {
  // Readers that know no list of schemas find the current one here.
  if (metadata.format_version == 1) out["schema"] = ToJson(metadata.schema());
  out["current-schema-id"] = metadata.current_schema_id;
  out["schemas"] = ArrayOf(metadata.schemas);
}

void WriteSpecs(const TableMetadata& metadata, ordered_json& out) {
  if (metadata.format_version == 1) out["partition-spec"] = FieldsToJson(metadata.spec());
  out["default-spec-id"] = metadata.default_spec_id;
  out["partition-specs"] = ArrayOf(metadata.partition_specs);
  out["last-partition-id"] = metadata.last_partition_id;
}

void WriteCurrentSnapshot(const TableMetadata& metadata, ordered_json& out) {
  if (metadata.current_snapshot_id) {
    out["current-snapshot-id"] = *metadata.current_snapshot_id;
  } else if (metadata.format_version < 3) {
    out["current-snapshot-id"] = kNoSnapshot;
  } else {
    out["current-snapshot-id"] = nullptr;
  }
}

void WriteSnapshots(const TableMetadata& metadata, ordered_json& out) {
  out["refs"] = ordered_json::object();
  for (const auto& [name, ref] : metadata.refs) out["refs"][name] = ToJson(ref);
  out["snapshots"] =
      ArrayOf(metadata.snapshots, [&](const Snapshot& snapshot) { return ToJson(snapshot, metadata.format_version); });
  out["statistics"] = KeptArray(metadata.statistics_json);
  out["partition-statistics"] = KeptArray(metadata.partition_statistics_json);
}

void WriteLogs(const TableMetadata& metadata, ordered_json& out) {
  out["snapshot-log"] = ArrayOf(metadata.snapshot_log, [](const SnapshotLogEntry& entry) {
    return ordered_json{{"timestamp-ms", entry.timestamp_ms}, {"snapshot-id", entry.snapshot_id}};
  });
  out["metadata-log"] = ArrayOf(metadata.metadata_log, [](const MetadataLogEntry& entry) {
    return ordered_json{{"timestamp-ms", entry.timestamp_ms}, {"metadata-file", entry.metadata_file}};
  });
}

// Reading ---------------------------------------------------------------------------------------------------------

/// Each element of the array `key` read as an object by `read`.
template <typename Read>
auto ReadArray(const JsonObject& root, std::string_view key, Read read) {
  std::vector<decltype(read(root))> values;
  const json* array = root.FindArray(key);
  if (array == nullptr) return values;
  values.reserve(array->size());
  for (size_t i = 0; i < array->size(); ++i) values.push_back(read(JsonObject((*array)[i], root.PathOf(key, i))));
  return values;
}

/// Throws Corrupt where two elements have one id.
template <typename T, typename IdOf>
void CheckUnique(const JsonObject& root, std::string_view key, const std::vector<T>& elements, IdOf id_of) {
  std::set<int64_t> ids;
  for (const T& element : elements) {
    int64_t id = std::invoke(id_of, element);
    if (!ids.insert(id).second) throw root.Wrong(key, "id {} is there twice", id);
  }
}

template <typename T, typename IdOf>
void CheckHas(const JsonObject& root, std::string_view id_key, int32_t id, const std::vector<T>& elements, IdOf id_of,
              std::string_view key) {
  if (std::ranges::find(elements, id, id_of) == elements.end()) {
    throw root.Wrong(id_key, "{} is not the id of any of {}", id, key);
  }
}

/// What format version 1 may leave out, later ones must have.
void RequireSince2(const JsonObject& root, int format_version, std::string_view key) {
  if (format_version > 1) root.Member(key);
}

int ReadVersion(const JsonObject& root) {
  int version = root.Int32("format-version");
  if (version < 1) throw root.Wrong("format-version", "{} is no version", version);
  if (version > kNewestVersion) {
    throw Unsupported("format-version: tables of format version {} can't be read, only versions 1 to {}", version,
                      kNewestVersion);
  }
  return version;
}

/// v1 files may have only "schema", or "schemas" that don't say which one is current.
void ReadV1Schemas(const JsonObject& root, TableMetadata& metadata) {
  if (root.Has("current-schema-id")) {
    metadata.current_schema_id = root.Int32("current-schema-id");
    if (!metadata.schemas.empty()) return;
  }
  Schema schema = SchemaFromJson(root.Object("schema"));
  metadata.current_schema_id = schema.schema_id();
  auto same_id = std::ranges::find(metadata.schemas, schema.schema_id(), &Schema::schema_id);
  if (same_id == metadata.schemas.end()) metadata.schemas.push_back(std::move(schema));
}

void ReadSchemas(const JsonObject& root, TableMetadata& metadata) {
  metadata.last_column_id = root.Int32("last-column-id");
  RequireSince2(root, metadata.format_version, "schemas");
  metadata.schemas = ReadArray(root, "schemas", [](const JsonObject& object) { return SchemaFromJson(object); });
  if (metadata.format_version == 1) {
    ReadV1Schemas(root, metadata);
  } else {
    metadata.current_schema_id = root.Int32("current-schema-id");
  }
  CheckUnique(root, "schemas", metadata.schemas, &Schema::schema_id);
  CheckHas(root, "current-schema-id", metadata.current_schema_id, metadata.schemas, &Schema::schema_id, "schemas");
}

int32_t HighestPartitionFieldId(const std::vector<PartitionSpec>& specs) {
  int32_t highest = kLastPartitionIdOfUnpartitioned;
  for (const PartitionSpec& spec : specs) {
    for (const PartitionField& field : spec.fields) highest = std::max(highest, field.field_id);
  }
  return highest;
}

/// v1 files may have only the fields of one spec, or specs that don't say which one is the default: the last one made.
void ReadV1Specs(const JsonObject& root, TableMetadata& metadata) {
  if (metadata.partition_specs.empty()) {
    metadata.partition_specs.push_back(
        PartitionSpecFromFieldsJson(root.Array("partition-spec"), 0, root.PathOf("partition-spec")));
  }
  auto last_made = std::ranges::max_element(metadata.partition_specs, {}, &PartitionSpec::spec_id);
  metadata.default_spec_id = root.FindInt32("default-spec-id").value_or(last_made->spec_id);
}

void ReadSpecs(const JsonObject& root, TableMetadata& metadata) {
  RequireSince2(root, metadata.format_version, "partition-specs");
  RequireSince2(root, metadata.format_version, "last-partition-id");
  metadata.partition_specs =
      ReadArray(root, "partition-specs", [](const JsonObject& object) { return PartitionSpecFromJson(object); });
  if (metadata.format_version == 1) {
    ReadV1Specs(root, metadata);
  } else {
    metadata.default_spec_id = root.Int32("default-spec-id");
  }
  metadata.last_partition_id =
      root.FindInt32("last-partition-id").value_or(HighestPartitionFieldId(metadata.partition_specs));
  CheckUnique(root, "partition-specs", metadata.partition_specs, &PartitionSpec::spec_id);
  CheckHas(root, "default-spec-id", metadata.default_spec_id, metadata.partition_specs, &PartitionSpec::spec_id,
           "partition-specs");
}

void ReadSortOrders(const JsonObject& root, TableMetadata& metadata) {
  RequireSince2(root, metadata.format_version, "sort-orders");
  if (root.Has("sort-orders")) {
    metadata.sort_orders =
        ReadArray(root, "sort-orders", [](const JsonObject& object) { return SortOrderFromJson(object); });
    metadata.default_sort_order_id = root.Int32("default-sort-order-id");
  } else {
    metadata.sort_orders.emplace_back();
  }
  CheckUnique(root, "sort-orders", metadata.sort_orders, &SortOrder::order_id);
  CheckHas(root, "default-sort-order-id", metadata.default_sort_order_id, metadata.sort_orders, &SortOrder::order_id,
           "sort-orders");
}

void ReadProperties(const JsonObject& root, TableMetadata& metadata) {
  if (!root.Has("properties")) return;
  JsonObject properties = root.Object("properties");
  for (const auto& [key, value] : properties.json().items()) metadata.properties.emplace(key, properties.String(key));
}

void ReadSnapshots(const JsonObject& root, TableMetadata& metadata) {
  metadata.snapshots = ReadArray(root, "snapshots", [](const JsonObject& object) { return SnapshotFromJson(object); });
  CheckUnique(root, "snapshots", metadata.snapshots, &Snapshot::snapshot_id);
  for (size_t i = 0; metadata.format_version > 1 && i < metadata.snapshots.size(); ++i) {
    int64_t sequence_number = metadata.snapshots[i].sequence_number;
    if (sequence_number > metadata.last_sequence_number) {
      throw Corrupt("{}.sequence-number: {} is above last-sequence-number {}", root.PathOf("snapshots", i),
                    sequence_number, metadata.last_sequence_number);
    }
  }
  auto current = root.FindInt64("current-snapshot-id");
  if (!current || *current == kNoSnapshot) return;
  metadata.current_snapshot_id = *current;
  if (metadata.FindSnapshot(*current) == nullptr) {
    throw root.Wrong("current-snapshot-id", "{} is not the id of any of snapshots", *current);
  }
}

void CheckMain(const JsonObject& refs, const TableMetadata& metadata) {
  auto main = metadata.refs.find(kMainBranch);
  if (main == metadata.refs.end()) return;
  if (!metadata.current_snapshot_id) throw refs.Wrong(kMainBranch, "exists, but current-snapshot-id is not set");
  if (main->second.snapshot_id != *metadata.current_snapshot_id) {
    throw refs.Wrong(kMainBranch, "points to snapshot {}, but current-snapshot-id is {}", main->second.snapshot_id,
                     *metadata.current_snapshot_id);
  }
}

void ReadRefs(const JsonObject& root, TableMetadata& metadata) {
  if (root.Has("refs")) {
    JsonObject refs = root.Object("refs");
    for (const auto& [name, value] : refs.json().items()) {
      SnapshotRef ref = SnapshotRefFromJson(JsonObject(value, refs.PathOf(name)));
      if (metadata.FindSnapshot(ref.snapshot_id) == nullptr) {
        throw refs.Wrong(name, "points to snapshot {}, which is not in snapshots", ref.snapshot_id);
      }
      metadata.refs.emplace(name, ref);
    }
    CheckMain(refs, metadata);
  }
  // Implied where a writer knew no refs.
  if (metadata.current_snapshot_id) metadata.refs.try_emplace(kMainBranch, SnapshotRef{*metadata.current_snapshot_id});
}

void ReadLogs(const JsonObject& root, TableMetadata& metadata) {
  metadata.snapshot_log = ReadArray(root, "snapshot-log", [](const JsonObject& object) {
    return SnapshotLogEntry{object.Int64("timestamp-ms"), object.Int64("snapshot-id")};
  });
  metadata.metadata_log = ReadArray(root, "metadata-log", [](const JsonObject& object) {
    return MetadataLogEntry{object.Int64("timestamp-ms"), object.String("metadata-file")};
  });
}

/// Rows of v3 tables have ids; where no snapshot has given any yet, a writer may leave out that the next one is 0.
void ReadNextRowId(const JsonObject& root, TableMetadata& metadata) {
  if (metadata.format_version < 3) return;
  bool has_row_ids = std::ranges::any_of(metadata.snapshots,
                                         [](const Snapshot& snapshot) { return snapshot.first_row_id.has_value(); });
  metadata.next_row_id = has_row_ids ? root.Int64("next-row-id") : root.FindInt64("next-row-id").value_or(0);
}

std::string KeepArray(const JsonObject& root, std::string_view key) {
  const json* array = root.FindArray(key);
  return array == nullptr || array->empty() ? "" : array->dump();
}

std::string WithoutTrailingSlashes(std::string location) {
  // The slashes of a bare scheme ("file:///") are no trailing ones.
  while (location.size() > 1 && location.ends_with('/') && !location.ends_with("://")) location.pop_back();
  return location;
}

TableMetadata ReadMetadata(const JsonObject& root) {
  TableMetadata metadata;
  metadata.format_version = ReadVersion(root);
  RequireSince2(root, metadata.format_version, "table-uuid");
  metadata.table_uuid = root.FindString("table-uuid").value_or("");
  metadata.location = WithoutTrailingSlashes(root.String("location"));
  if (metadata.format_version > 1) metadata.last_sequence_number = root.Int64("last-sequence-number");
  metadata.last_updated_ms = root.Int64("last-updated-ms");
  ReadSchemas(root, metadata);
  ReadSpecs(root, metadata);
  ReadSortOrders(root, metadata);
  ReadProperties(root, metadata);
  ReadSnapshots(root, metadata);
  ReadRefs(root, metadata);
  ReadLogs(root, metadata);
  ReadNextRowId(root, metadata);
  metadata.statistics_json = KeepArray(root, "statistics");
  metadata.partition_statistics_json = KeepArray(root, "partition-statistics");
  metadata.encryption_keys_json = KeepArray(root, "encryption-keys");
  return metadata;
}

}  // namespace

std::string ToJsonString(const TableMetadata& metadata) {
  ordered_json out = {{"format-version", metadata.format_version}};
  if (!metadata.table_uuid.empty()) out["table-uuid"] = metadata.table_uuid;
  out["location"] = metadata.location;
  if (metadata.format_version > 1) out["last-sequence-number"] = metadata.last_sequence_number;
  out["last-updated-ms"] = metadata.last_updated_ms;
  out["last-column-id"] = metadata.last_column_id;
  WriteSchemas(metadata, out);
  WriteSpecs(metadata, out);
  out["default-sort-order-id"] = metadata.default_sort_order_id;
  out["sort-orders"] = ArrayOf(metadata.sort_orders);
  out["properties"] = metadata.properties;
  WriteCurrentSnapshot(metadata, out);
  if (metadata.format_version > 2) out["next-row-id"] = metadata.next_row_id;
  if (!metadata.encryption_keys_json.empty()) out["encryption-keys"] = KeptArray(metadata.encryption_keys_json);
  WriteSnapshots(metadata, out);
  WriteLogs(metadata, out);
  return DumpJson(out);
}

TableMetadata TableMetadataFromJson(std::string_view text, std::string_view origin) {
  try {
    json document = ParseJson(text);
    return ReadMetadata(JsonObject(document, ""));
  } catch (const Error& e) {
    throw e.WithContext(origin);
  }
}

}  // namespace frazil::iceberg
