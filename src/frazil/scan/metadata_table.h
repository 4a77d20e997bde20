// SPDX-License-Identifier: Apache-2.0
// Metadata tables: `t$snapshots`, `t$files` … with Java's columns, types and nullability (Java: MetadataTableType).
// Timestamps are timestamp[us, UTC]. The partition column is a struct of all partition fields of all specs, left out
// where there are none; readable_metrics has a struct for every primitive column of the current schema.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/iceberg/table_metadata.h"

namespace frazil::storage {
class FileIO;
}

namespace frazil::scan {

/// "snapshots", "files", …: what MetadataTable knows, in alphabetical order.
const std::vector<std::string>& MetadataTableNames();
/// Case-sensitive, as Flink's table names.
bool IsMetadataTableName(std::string_view name);

/// The whole table, materialised. `files`, `entries`, `manifests` and `partitions` (and their kin) are those of the
/// current snapshot, `all_*` of all snapshots, each manifest once. `metadata_location` is the file of `metadata`, the
/// last row of `metadata_log_entries`, which is left out where it is empty.
/// Throws NotFound for an unknown name, listing the known ones; Unsupported for `position_deletes`; what reading
/// manifests throws.
std::shared_ptr<arrow::Table> MetadataTable(std::string_view name, const iceberg::TableMetadata& metadata,
                                            storage::FileIO& io, std::string_view metadata_location = "");
/// Its schema, without reading anything. Throws as MetadataTable.
std::shared_ptr<arrow::Schema> MetadataTableSchema(std::string_view name, const iceberg::TableMetadata& metadata);

}  // namespace frazil::scan
