// SPDX-License-Identifier: Apache-2.0
// The files that a table is made of.
#pragma once

#include <vector>

#include "frazil/catalog/catalog.h"
#include "frazil/iceberg/manifest.h"

namespace frazil::catalog {

/// All manifests of a snapshot, from its manifest list (v1: from the inline list; their counts are then null). Throws
/// NotFound, Corrupt.
std::vector<iceberg::ManifestFile> ReadManifests(storage::FileIO& io, const iceberg::Snapshot& snapshot);

/// Deletes what all snapshots of a dropped table name: data and delete files (unless `gc.enabled` is false: other
/// tables may use them), manifests, manifest lists, statistics and all metadata files. A file that can't be deleted or
/// read is logged and left: the table is gone already. Source: CatalogUtil.dropTableData.
void DeleteTableFiles(const LoadedTable& table);

}  // namespace frazil::catalog
