// SPDX-License-Identifier: Apache-2.0
// The summary of a snapshot, with the keys of Java's SnapshotSummary.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/snapshot.h"

namespace frazil::table {

/// Keys that are counted here: whoever sets properties of a snapshot can't have them.
bool IsComputedSummaryKey(std::string_view key);

class SnapshotSummaryBuilder {
 public:
  /// `partition_path` is "" for an unpartitioned spec.
  void AddDataFile(const iceberg::DataFile& file, const std::string& partition_path);

  struct ManifestCounts {
    int64_t created = 0;   ///< written by this snapshot
    int64_t kept = 0;      ///< taken over from the parent
    int64_t replaced = 0;  ///< of the parent, merged into created ones
  };

  /// All keys but `operation`. Totals go on from the parent's; one that the parent lacks or that isn't a number is left
  /// out. `properties` with a computed key are left out. With at most `partition_limit` changed partitions
  /// (`write.summary.partition-limit`) each has its own "partitions.<path>".
  std::map<std::string, std::string> Build(const iceberg::Snapshot* parent,
                                           const std::map<std::string, std::string>& properties,
                                           const ManifestCounts& manifests, int64_t partition_limit) const;

 private:
  struct Added {
    int64_t files = 0;
    int64_t records = 0;
    int64_t bytes = 0;

    std::map<std::string, std::string> ToMap() const;
  };

  Added added_;
  std::map<std::string, Added> partitions_;
};

}  // namespace frazil::table
