// SPDX-License-Identifier: Apache-2.0
#include "frazil/table/manifest_output.h"

#include <spdlog/spdlog.h>

#include "frazil/base/error.h"
#include "frazil/base/fault.h"
#include "frazil/base/uuid.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/storage/file_io.h"
#include "frazil/table/table.h"

namespace frazil::table {

namespace {

std::string Compression(const iceberg::TableMetadata& metadata) {
  return iceberg::property::GetString(metadata.properties, iceberg::property::kManifestCompression, "gzip");
}

}  // namespace

ManifestOutput::ManifestOutput(storage::FileIO& io, int64_t snapshot_id)
    : io_(io), snapshot_id_(snapshot_id), uuid_(ToString(RandomUuid())) {}

std::unique_ptr<iceberg::ManifestWriter> ManifestOutput::NewWriter(const iceberg::TableMetadata& metadata,
                                                                   int32_t spec_id,
                                                                   iceberg::ManifestContent content) const {
  return std::make_unique<iceberg::ManifestWriter>(metadata.format_version, metadata.schema(), metadata.spec(spec_id),
                                                   content, snapshot_id_, Compression(metadata));
}

iceberg::ManifestFile ManifestOutput::Write(const iceberg::TableMetadata& metadata, iceberg::ManifestWriter& writer) {
  iceberg::ManifestWriter::Result result = writer.Finish();
  result.file.manifest_path = fmt::format("{}/{}-m{}.avro", MetadataLocation(metadata), uuid_, manifests_++);
  FaultPoint("manifest-write.before");
  written_.push_back(result.file.manifest_path);
  io_.WriteAll(result.file.manifest_path, result.bytes);
  FaultPoint("manifest-write.after");
  return std::move(result.file);
}

std::string ManifestOutput::WriteList(const iceberg::TableMetadata& metadata, std::optional<int64_t> parent_snapshot_id,
                                      int64_t sequence_number, const std::vector<iceberg::ManifestFile>& manifests) {
  std::string bytes = iceberg::WriteManifestList(metadata.format_version, snapshot_id_, parent_snapshot_id,
                                                 sequence_number, manifests, Compression(metadata));
  std::string location =
      fmt::format("{}/snap-{}-{}-{}.avro", MetadataLocation(metadata), snapshot_id_, ++attempts_, uuid_);
  FaultPoint("manifest-list-write.before");
  written_.push_back(location);
  io_.WriteAll(location, bytes);
  FaultPoint("manifest-list-write.after");
  return location;
}

void ManifestOutput::DeleteAllBut(const std::set<std::string>& committed) {
  std::vector<std::string> kept;
  for (std::string& location : written_) {
    if (committed.contains(location)) {
      kept.push_back(std::move(location));
      continue;
    }
    try {
      io_.Delete(location);
    } catch (const Error& e) {
      spdlog::warn("a manifest that was not committed stays behind: {}", e.what());
    }
  }
  written_ = std::move(kept);
}

}  // namespace frazil::table
