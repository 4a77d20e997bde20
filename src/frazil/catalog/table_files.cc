// SPDX-License-Identifier: Apache-2.0
#include "frazil/catalog/table_files.h"

#include <arrow/io/interfaces.h>
#include <spdlog/spdlog.h>
#include <nlohmann/json.hpp>

#include "frazil/base/arrow_status.h"
#include "frazil/base/error.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/storage/file_io.h"

namespace frazil::catalog {

namespace {

/// Runs one step of a clean-up that goes on whatever fails.
template <typename Step>
void Attempt(Step step) {
  try {
    step();
  } catch (const Error& e) {
    spdlog::warn("purge of a dropped table: {}", e.what());
  }
}

void DeleteFile(storage::FileIO& io, const std::string& location) {
  Attempt([&] { io.Delete(location); });
}

void DeleteListedFiles(storage::FileIO& io, const iceberg::ManifestFile& manifest, const iceberg::Schema& schema) {
  iceberg::ReadManifest(io.ReadAll(manifest.manifest_path), manifest, schema, [&](iceberg::ManifestEntry&& entry) {
    if (entry.is_live()) DeleteFile(io, entry.file.file_path);
  });
}

void DeleteStatistics(storage::FileIO& io, const std::string& json) {
  if (json.empty()) return;
  for (const nlohmann::json& entry : nlohmann::json::parse(json)) {
    DeleteFile(io, entry.at("statistics-path").get<std::string>());
  }
}

}  // namespace

std::vector<iceberg::ManifestFile> ReadManifests(storage::FileIO& io, const iceberg::Snapshot& snapshot) {
  if (!snapshot.manifest_list.empty()) {
    return iceberg::ReadManifestList(io.ReadAll(snapshot.manifest_list), snapshot.manifest_list);
  }
  std::vector<iceberg::ManifestFile> manifests;
  for (const std::string& path : snapshot.manifests) {
    iceberg::ManifestFile& manifest = manifests.emplace_back();
    manifest.manifest_path = path;
    manifest.manifest_length = Unwrap(io.Open(path)->GetSize(), path);
    manifest.added_snapshot_id = snapshot.snapshot_id;
  }
  return manifests;
}

void DeleteTableFiles(const LoadedTable& table) {
  const iceberg::TableMetadata& metadata = *table.metadata;
  storage::FileIO& io = *table.io;
  std::map<std::string, iceberg::ManifestFile> manifests;
  for (const iceberg::Snapshot& snapshot : metadata.snapshots) {
    Attempt([&] {
      for (iceberg::ManifestFile& manifest : ReadManifests(io, snapshot)) {
        std::string path = manifest.manifest_path;
        manifests.emplace(std::move(path), std::move(manifest));
      }
    });
  }
  if (iceberg::property::GetBool(metadata.properties, iceberg::property::kGcEnabled, true)) {
    for (const auto& [path, manifest] : manifests) {
      Attempt([&] { DeleteListedFiles(io, manifest, metadata.schema()); });
    }
  }
  for (const auto& [path, manifest] : manifests) DeleteFile(io, path);
  for (const iceberg::Snapshot& snapshot : metadata.snapshots) {
    if (!snapshot.manifest_list.empty()) DeleteFile(io, snapshot.manifest_list);
  }
  DeleteStatistics(io, metadata.statistics_json);
  DeleteStatistics(io, metadata.partition_statistics_json);
  for (const iceberg::MetadataLogEntry& entry : metadata.metadata_log) DeleteFile(io, entry.metadata_file);
  DeleteFile(io, table.metadata_location);
}

}  // namespace frazil::catalog
