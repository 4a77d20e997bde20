// SPDX-License-Identifier: Apache-2.0
#include "frazil/table/table.h"

#include "frazil/base/error.h"
#include "frazil/catalog/metadata_file.h"
#include "frazil/catalog/table_files.h"
#include "frazil/iceberg/table_properties.h"

namespace frazil::table {

Table Table::Load(std::shared_ptr<catalog::Catalog> catalog, catalog::TableIdentifier id) {
  catalog::LoadedTable loaded = catalog->LoadTable(id);
  return Table(std::move(catalog), std::move(id), std::move(loaded));
}

Table::Table(std::shared_ptr<catalog::Catalog> catalog, catalog::TableIdentifier id, catalog::LoadedTable loaded)
    : catalog_(std::move(catalog)), id_(std::move(id)), loaded_(std::move(loaded)) {}

std::string Table::name() const { return fmt::format("{}.{}", catalog_->name(), id_.ToString()); }

void Table::Refresh() {
  catalog::LoadedTable now = catalog_->LoadTable(id_);
  const std::string& ours = metadata().table_uuid;
  // v1 tables may be without a uuid until their next commit.
  if (!ours.empty() && now.metadata->table_uuid != ours) {
    throw InvalidArgument(
        "table {} is another one now (its uuid is {}, it was {}): it was dropped and created again, "
        "and nothing of the old one may be written to the new one",
        name(), now.metadata->table_uuid, ours);
  }
  loaded_ = std::move(now);
}

std::string DataLocation(const iceberg::TableMetadata& metadata) {
  for (const char* key : {"write.object-storage.path", "write.folder-storage.path"}) {
    if (metadata.properties.contains(key)) {
      throw InvalidArgument("table property '{}' is no longer honoured: use '{}'", key, iceberg::property::kDataPath);
    }
  }
  if (auto it = metadata.properties.find("write.location-provider.impl"); it != metadata.properties.end()) {
    throw Unsupported("table property '{}' = '{}': Java classes can't place files here; remove it", it->first,
                      it->second);
  }
  std::string location =
      iceberg::property::GetString(metadata.properties, iceberg::property::kDataPath, metadata.location + "/data");
  while (location.size() > 1 && location.ends_with('/')) location.pop_back();
  return location;
}

std::string MetadataLocation(const iceberg::TableMetadata& metadata) { return catalog::MetadataFolder(metadata); }

std::vector<iceberg::ManifestFile> ReadManifests(storage::FileIO& io, const iceberg::TableMetadata& metadata,
                                                 const iceberg::Snapshot& snapshot) {
  try {
    return catalog::ReadManifests(io, snapshot);
  } catch (const Error& e) {
    throw e.WithContext(fmt::format("snapshot {} of the table at {}", snapshot.snapshot_id, metadata.location));
  }
}

}  // namespace frazil::table
