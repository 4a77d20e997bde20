// SPDX-License-Identifier: Apache-2.0
// The manifests and manifest lists that one commit writes over all its attempts: names them, writes them and knows
// which are left over in the end.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/table_metadata.h"

namespace frazil::storage {
class FileIO;
}

namespace frazil::table {

class ManifestOutput {
 public:
  ManifestOutput(storage::FileIO& io, int64_t snapshot_id);

  int64_t snapshot_id() const { return snapshot_id_; }

  /// A writer for this commit's snapshot, compressed by `write.manifest.compression-codec`.
  std::unique_ptr<iceberg::ManifestWriter> NewWriter(const iceberg::TableMetadata& metadata, int32_t spec_id,
                                                     iceberg::ManifestContent content) const;
  /// Finishes `writer` and writes "<metadata folder>/<uuid>-m<n>.avro".
  iceberg::ManifestFile Write(const iceberg::TableMetadata& metadata, iceberg::ManifestWriter& writer);
  /// Writes "<metadata folder>/snap-<snapshot id>-<attempt>-<uuid>.avro" and returns its location.
  std::string WriteList(const iceberg::TableMetadata& metadata, std::optional<int64_t> parent_snapshot_id,
                        int64_t sequence_number, const std::vector<iceberg::ManifestFile>& manifests);

  /// Deletes all that was written but the files in `committed`. What can't be deleted is logged and left.
  void DeleteAllBut(const std::set<std::string>& committed);

 private:
  storage::FileIO& io_;
  const int64_t snapshot_id_;
  const std::string uuid_;
  int manifests_ = 0;
  int attempts_ = 0;
  std::vector<std::string> written_;
};

}  // namespace frazil::table
