// SPDX-License-Identifier: Apache-2.0
// Table metadata: the immutable root of a table's state (spec: "Table Metadata"). Changed only by applying updates
// (table_update.h), read and written as JSON here.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/options.h"
#include "frazil/iceberg/partition_spec.h"
#include "frazil/iceberg/schema.h"
#include "frazil/iceberg/snapshot.h"

namespace frazil::iceberg {

struct SnapshotLogEntry {
  int64_t timestamp_ms = 0;
  int64_t snapshot_id = 0;
  bool operator==(const SnapshotLogEntry&) const = default;
};

struct MetadataLogEntry {
  int64_t timestamp_ms = 0;
  std::string metadata_file;
  bool operator==(const MetadataLogEntry&) const = default;
};

struct TableMetadata {
  int format_version = 2;  ///< 1, 2 or 3
  std::string table_uuid;
  std::string location;  ///< without a trailing slash
  int64_t last_sequence_number = 0;
  int64_t last_updated_ms = 0;
  int32_t last_column_id = 0;
  std::vector<Schema> schemas;
  int32_t current_schema_id = 0;
  std::vector<PartitionSpec> partition_specs;
  int32_t default_spec_id = 0;
  int32_t last_partition_id = 999;
  std::vector<SortOrder> sort_orders;
  int32_t default_sort_order_id = 0;
  OptionMap properties;
  std::optional<int64_t> current_snapshot_id;
  std::vector<Snapshot> snapshots;
  std::vector<SnapshotLogEntry> snapshot_log;
  std::vector<MetadataLogEntry> metadata_log;
  std::map<std::string, SnapshotRef> refs;
  int64_t next_row_id = 0;  ///< v3
  /// Kept as JSON text, "" where absent or empty: what this build doesn't interpret must survive it.
  std::string statistics_json;
  std::string partition_statistics_json;
  std::string encryption_keys_json;  ///< v3

  /// All of these throw Corrupt when the metadata doesn't hold what it names.
  const Schema& schema() const;
  const Schema& schema(int32_t schema_id) const;
  const PartitionSpec& spec() const;
  const PartitionSpec& spec(int32_t spec_id) const;
  const SortOrder& sort_order() const;
  /// Null if there is none.
  const Snapshot* current_snapshot() const;
  const Snapshot* FindSnapshot(int64_t snapshot_id) const;
  /// The head of a branch or tag; null if there is no such ref. "main" is current_snapshot().
  const Snapshot* FindRef(std::string_view name) const;
};

using TableMetadataPtr = std::shared_ptr<const TableMetadata>;

/// A new table's metadata: fresh column ids, spec and order re-bound by column name, uuid, `format-version` taken out
/// of `properties` (default 2; 3 and above are Unsupported for writing so far), reserved keys refused,
/// `write.parquet.compression-codec` = zstd persisted as Java does. `location` without trailing slash.
TableMetadata NewTableMetadata(const Schema& schema, const PartitionSpec& spec, const SortOrder& order,
                               std::string location, OptionMap properties);

/// Compact JSON of the metadata's own format version, keys in Java's order.
std::string ToJsonString(const TableMetadata& metadata);
/// v1, v2 and v3 are read; v4 and above are Unsupported; what breaks the spec is Corrupt. What v1 may leave out is
/// filled in as Java does: schema id 0, spec 0 with field ids from 1000 on, the unsorted order; the branch main is
/// always there where there is a current snapshot. `origin` names the file in errors.
TableMetadata TableMetadataFromJson(std::string_view text, std::string_view origin);

}  // namespace frazil::iceberg
