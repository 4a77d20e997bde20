// SPDX-License-Identifier: Apache-2.0
// The REST protocol's vocabulary, the only way metadata changes (REST OpenAPI: TableUpdate, TableRequirement). A
// catalog without a server checks the requirements and applies the updates itself.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "frazil/iceberg/table_metadata.h"

namespace frazil::iceberg {

namespace update {
struct AssignUuid {
  std::string uuid;
};
struct UpgradeFormatVersion {
  int format_version;
};
struct AddSchema {
  Schema schema;
};
struct SetCurrentSchema {
  int32_t schema_id;
};  ///< −1: the last one added
struct AddPartitionSpec {
  PartitionSpec spec;
};
struct SetDefaultSpec {
  int32_t spec_id;
};  ///< −1: the last one added
struct AddSortOrder {
  SortOrder order;
};
struct SetDefaultSortOrder {
  int32_t order_id;
};  ///< −1: the last one added
struct AddSnapshot {
  Snapshot snapshot;
};
struct SetSnapshotRef {
  std::string name;
  SnapshotRef ref;
};
struct RemoveSnapshotRef {
  std::string name;
};
struct RemoveSnapshots {
  std::vector<int64_t> snapshot_ids;
};
struct SetLocation {
  std::string location;
};
struct SetProperties {
  OptionMap updated;
};
struct RemoveProperties {
  std::vector<std::string> removed;
};
}  // namespace update

using TableUpdate =
    std::variant<update::AssignUuid, update::UpgradeFormatVersion, update::AddSchema, update::SetCurrentSchema,
                 update::AddPartitionSpec, update::SetDefaultSpec, update::AddSortOrder, update::SetDefaultSortOrder,
                 update::AddSnapshot, update::SetSnapshotRef, update::RemoveSnapshotRef, update::RemoveSnapshots,
                 update::SetLocation, update::SetProperties, update::RemoveProperties>;

namespace requirement {
struct AssertCreate {};  ///< the table doesn't exist
struct AssertTableUuid {
  std::string uuid;
};
struct AssertRefSnapshotId {
  std::string ref;
  std::optional<int64_t> snapshot_id;
};  ///< nullopt: the ref doesn't exist
struct AssertLastAssignedFieldId {
  int32_t last_column_id;
};
struct AssertCurrentSchemaId {
  int32_t schema_id;
};
struct AssertLastAssignedPartitionId {
  int32_t last_partition_id;
};
struct AssertDefaultSpecId {
  int32_t spec_id;
};
struct AssertDefaultSortOrderId {
  int32_t order_id;
};
}  // namespace requirement

using TableRequirement = std::variant<requirement::AssertCreate, requirement::AssertTableUuid,
                                      requirement::AssertRefSnapshotId, requirement::AssertLastAssignedFieldId,
                                      requirement::AssertCurrentSchemaId, requirement::AssertLastAssignedPartitionId,
                                      requirement::AssertDefaultSpecId, requirement::AssertDefaultSortOrderId>;

/// Throws CommitConflict naming the first requirement that `base` doesn't meet; null `base`: the table doesn't exist.
void CheckRequirements(std::span<const TableRequirement> requirements, const TableMetadata* base);

/// The metadata after all updates, in order. Sets last-updated-ms, keeps the snapshot log, validates each update (a ref
/// needs its snapshot, a spec its columns, …). A schema, spec or sort order that is there already is reused and counts
/// as the last one added. Throws InvalidArgument; CommitConflict for a snapshot whose sequence number (v2 and above)
/// isn't past the last one: somebody else's snapshot came first. `base_metadata_location` (empty for a new table) joins
/// the metadata log, trimmed to `write.metadata.previous-versions-max`. Source: TableMetadata.Builder.
TableMetadata ApplyUpdates(const TableMetadata& base, std::span<const TableUpdate> updates,
                           std::string_view base_metadata_location);

}  // namespace frazil::iceberg
