// SPDX-License-Identifier: Apache-2.0
// Merges small manifests into larger ones while a commit is made (Java: ManifestMergeManager).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/table_metadata.h"
#include "frazil/table/manifest_output.h"

namespace frazil::table {

/// Where the bins begin and end when `sizes` are packed, in order and from the end, into bins of at most `target`: the
/// bin that stays under-filled is the first, which is merged next time. Each pair is [begin, end).
std::vector<std::pair<size_t, size_t>> PackFromEnd(const std::vector<int64_t>& sizes, int64_t target);

/// Lives as long as one commit: what it merged for one attempt is used again in the next.
class ManifestMerger {
 public:
  ManifestMerger(storage::FileIO& io, ManifestOutput& output) : io_(io), output_(output) {}

  /// Packs the manifests of each spec, newest spec first, into bins of `commit.manifest.target-size-bytes` and merges
  /// the bins; the one with the very first manifest (the new files) only if it has
  /// `commit.manifest.min-count-to-merge`. All of `manifests` have the same content.
  std::vector<iceberg::ManifestFile> Merge(const iceberg::TableMetadata& metadata,
                                           const std::vector<iceberg::ManifestFile>& manifests);

  /// Manifests of earlier snapshots that the last calls since ResetCount() merged away.
  int64_t replaced() const { return replaced_; }
  void ResetCount() { replaced_ = 0; }

 private:
  using Bin = std::vector<iceberg::ManifestFile>;
  const iceberg::ManifestFile& MergeBin(const iceberg::TableMetadata& metadata, const Bin& bin);
  iceberg::ManifestFile WriteMerged(const iceberg::TableMetadata& metadata, const Bin& bin);

  storage::FileIO& io_;
  ManifestOutput& output_;
  int64_t replaced_ = 0;
  std::map<std::vector<std::string>, iceberg::ManifestFile> merged_;  ///< by the paths of the bin
};

}  // namespace frazil::table
