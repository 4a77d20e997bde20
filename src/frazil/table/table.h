// SPDX-License-Identifier: Apache-2.0
// A table: its current metadata, and the updates that change it. This room turns intentions (append these files) into
// requirements and updates, commits them through the catalog and retries by re-applying. It reads and writes manifests;
// it never opens a data file.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/catalog/catalog.h"
#include "frazil/iceberg/manifest.h"

namespace frazil::table {

/// A handle. Holds one immutable metadata at a time; Refresh() moves to the newest. Not thread-safe.
class Table {
 public:
  /// Throws NotFound.
  static Table Load(std::shared_ptr<catalog::Catalog> catalog, catalog::TableIdentifier id);
  Table(std::shared_ptr<catalog::Catalog> catalog, catalog::TableIdentifier id, catalog::LoadedTable loaded);

  const catalog::TableIdentifier& id() const { return id_; }
  /// "catalog.db.table"
  std::string name() const;
  const iceberg::TableMetadata& metadata() const { return *loaded_.metadata; }
  const iceberg::TableMetadataPtr& metadata_ptr() const { return loaded_.metadata; }
  const std::string& metadata_location() const { return loaded_.metadata_location; }
  const std::shared_ptr<storage::FileIO>& io() const { return loaded_.io; }
  const std::shared_ptr<catalog::Catalog>& catalog() const { return catalog_; }

  /// Throws NotFound if the table is gone and InvalidArgument if another table has taken its name (table-uuid differs).
  void Refresh();
  void Adopt(catalog::LoadedTable loaded) { loaded_ = std::move(loaded); }

 private:
  std::shared_ptr<catalog::Catalog> catalog_;
  catalog::TableIdentifier id_;
  catalog::LoadedTable loaded_;
};

/// `<write.data.path or location/data>`, `<write.metadata.path or location/metadata>`, no trailing slash.
std::string DataLocation(const iceberg::TableMetadata& metadata);
std::string MetadataLocation(const iceberg::TableMetadata& metadata);

/// All manifests of a snapshot, from its manifest list (v1: from the inline list).
std::vector<iceberg::ManifestFile> ReadManifests(storage::FileIO& io, const iceberg::TableMetadata& metadata,
                                                 const iceberg::Snapshot& snapshot);

}  // namespace frazil::table
