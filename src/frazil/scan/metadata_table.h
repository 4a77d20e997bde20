// SPDX-License-Identifier: Apache-2.0
// Metadata tables: `t$snapshots`, `t$files` … with Java's columns (Java: MetadataTableType).
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

/// "snapshots", "files", …: what MetadataTable knows.
const std::vector<std::string>& MetadataTableNames();
bool IsMetadataTableName(std::string_view name);

/// The whole table, materialised. Throws NotFound for an unknown name, listing the known ones.
std::shared_ptr<arrow::Table> MetadataTable(std::string_view name, const iceberg::TableMetadata& metadata,
                                            storage::FileIO& io);
std::shared_ptr<arrow::Schema> MetadataTableSchema(std::string_view name, const iceberg::TableMetadata& metadata);

}  // namespace frazil::scan
