// SPDX-License-Identifier: Apache-2.0
// A table in a scratch folder whose snapshots a test makes one by one, without catalog and commit loop.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/table_metadata.h"
#include "frazil/storage/file_io.h"
#include "support/support.h"

namespace frazil::scan {

class ScratchTable {
 public:
  /// `spec` and its field ids are taken as they are (spec id 0).
  ScratchTable(iceberg::Schema schema, iceberg::PartitionSpec spec, OptionMap properties = {});

  iceberg::TableMetadata& metadata() { return metadata_; }
  /// A copy of the metadata as it is now.
  iceberg::TableMetadataPtr Freeze() const { return std::make_shared<iceberg::TableMetadata>(metadata_); }
  const std::shared_ptr<storage::FileIO>& io() const { return io_; }

  /// Writes rows of the current schema into data files of the default spec.
  std::vector<iceberg::DataFile> Write(std::string_view json);

  /// A manifest of new entries, or of others.
  iceberg::ManifestFile WriteManifest(const std::vector<iceberg::DataFile>& added,
                                      iceberg::ManifestContent content = iceberg::ManifestContent::kData,
                                      int32_t spec_id = 0);
  iceberg::ManifestFile WriteManifest(const std::vector<iceberg::ManifestEntry>& entries);

  /// The next snapshot of main: id n, sequence number n and time n × 1000 ms for the n-th. Keeps the manifests of its
  /// parent.
  int64_t Commit(std::vector<iceberg::ManifestFile> manifests);
  /// The same without the parent's manifests.
  int64_t Replace(std::vector<iceberg::ManifestFile> manifests, const std::string& operation);
  /// Write, WriteManifest, Commit.
  int64_t Append(std::string_view json) { return Commit({WriteManifest(Write(json))}); }

 private:
  int64_t next_snapshot() const { return static_cast<int64_t>(metadata_.snapshots.size()) + 1; }

  test::ScratchDir dir_;
  std::shared_ptr<storage::FileIO> io_;
  iceberg::TableMetadata metadata_;
  std::vector<iceberg::ManifestFile> manifests_;
  int manifest_count_ = 0;
  int writer_count_ = 0;
};

}  // namespace frazil::scan
