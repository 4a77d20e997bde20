// SPDX-License-Identifier: Apache-2.0
// Keys and defaults of table properties that this build honours (Java: TableProperties). A key joins this list together
// with the code that honours it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "frazil/base/options.h"

namespace frazil::iceberg::property {

inline constexpr char kFormatVersion[] = "format-version";
inline constexpr char kCommitNumRetries[] = "commit.retry.num-retries";                       // 4
inline constexpr char kCommitMinRetryWaitMs[] = "commit.retry.min-wait-ms";                   // 100
inline constexpr char kCommitMaxRetryWaitMs[] = "commit.retry.max-wait-ms";                   // 60000
inline constexpr char kCommitTotalRetryTimeMs[] = "commit.retry.total-timeout-ms";            // 1800000
inline constexpr char kStatusCheckNumRetries[] = "commit.status-check.num-retries";           // 3
inline constexpr char kStatusCheckMinWaitMs[] = "commit.status-check.min-wait-ms";            // 1000
inline constexpr char kStatusCheckMaxWaitMs[] = "commit.status-check.max-wait-ms";            // 60000
inline constexpr char kStatusCheckTotalTimeoutMs[] = "commit.status-check.total-timeout-ms";  // 1800000
inline constexpr char kManifestTargetSize[] = "commit.manifest.target-size-bytes";            // 8 MiB
inline constexpr char kManifestMinMergeCount[] = "commit.manifest.min-count-to-merge";        // 100
inline constexpr char kManifestMergeEnabled[] = "commit.manifest-merge.enabled";              // true
inline constexpr char kManifestCompression[] = "write.manifest.compression-codec";            // gzip
inline constexpr char kWriteFormat[] = "write.format.default";                                // parquet
inline constexpr char kTargetFileSize[] = "write.target-file-size-bytes";                     // 512 MiB
inline constexpr char kDistributionMode[] = "write.distribution-mode";                        // none
inline constexpr char kDataPath[] = "write.data.path";                                        // <location>/data
inline constexpr char kMetadataPath[] = "write.metadata.path";                                // <location>/metadata
inline constexpr char kObjectStorageEnabled[] = "write.object-storage.enabled";               // false
inline constexpr char kObjectStoragePartitionedPaths[] = "write.object-storage.partitioned-paths";  // true
inline constexpr char kDeprecatedObjectStoragePath[] = "write.object-storage.path";                 // refused
inline constexpr char kDeprecatedFolderStoragePath[] = "write.folder-storage.path";                 // refused
inline constexpr char kLocationProviderImpl[] = "write.location-provider.impl";                     // refused
inline constexpr char kMetadataCompression[] = "write.metadata.compression-codec";                  // none
inline constexpr char kMetadataPreviousVersionsMax[] = "write.metadata.previous-versions-max";      // 100
inline constexpr char kMetadataDeleteAfterCommit[] = "write.metadata.delete-after-commit.enabled";  // false
inline constexpr char kGcEnabled[] = "gc.enabled";                                                  // true
inline constexpr char kParquetCompression[] = "write.parquet.compression-codec";  // zstd, persisted in new tables
inline constexpr char kMetricsDefault[] = "write.metadata.metrics.default";       // truncate(16)
inline constexpr char kMetricsColumnPrefix[] = "write.metadata.metrics.column.";
inline constexpr char kPartitionSummaryLimit[] = "write.summary.partition-limit";  // 0
inline constexpr char kParquetPrefix[] = "write.parquet.";
inline constexpr char kMaxContinuousEmptyCommits[] = "flink.max-continuous-empty-commits";  // 10

/// Keys that stand for parts of the metadata and are never stored as properties (`format-version`, `uuid`,
/// `current-schema`, …).
bool IsReserved(std::string_view key);

/// What every change of properties must meet: no reserved key, numbers of `commit.*` not negative. Throws
/// InvalidArgument.
void Validate(const OptionMap& properties);

inline int64_t GetInt(const OptionMap& properties, std::string_view key, int64_t default_value) {
  auto it = properties.find(key);
  return it == properties.end() ? default_value : ParseInt64(key, it->second);
}
inline bool GetBool(const OptionMap& properties, std::string_view key, bool default_value) {
  auto it = properties.find(key);
  return it == properties.end() ? default_value : ParseBool(key, it->second);
}
inline std::string GetString(const OptionMap& properties, std::string_view key, std::string_view default_value) {
  auto it = properties.find(key);
  return it == properties.end() ? std::string(default_value) : it->second;
}

}  // namespace frazil::iceberg::property
