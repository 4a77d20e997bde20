// SPDX-License-Identifier: Apache-2.0
// Manifests and manifest lists (spec: "Manifests", "Manifest Lists"): values and codecs over bytes, no IO.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/iceberg/partition_spec.h"
#include "frazil/iceberg/schema.h"

namespace frazil::iceberg {

enum class FileContent { kData = 0, kPositionDeletes = 1, kEqualityDeletes = 2 };
enum class ManifestContent { kData = 0, kDeletes = 1 };
enum class EntryStatus { kExisting = 0, kAdded = 1, kDeleted = 2 };

/// Per-column figures of a file, by field id; leaves only.
struct ColumnMetrics {
  std::map<int32_t, int64_t> column_sizes;
  std::map<int32_t, int64_t> value_counts;  ///< with nulls and NaN
  std::map<int32_t, int64_t> null_value_counts;
  std::map<int32_t, int64_t> nan_value_counts;  ///< float and double only
  std::map<int32_t, std::string> lower_bounds;  ///< binary single values
  std::map<int32_t, std::string> upper_bounds;

  bool operator==(const ColumnMetrics&) const = default;
};

struct DataFile {
  FileContent content = FileContent::kData;
  std::string file_path;
  std::string file_format = "parquet";  ///< "avro", "orc", "parquet", "puffin", lower case
  int32_t spec_id = 0;                  ///< not in the entry: the manifest's
  PartitionValues partition;
  int64_t record_count = 0;
  int64_t file_size_in_bytes = 0;
  ColumnMetrics metrics;
  std::optional<std::string> key_metadata;
  std::vector<int64_t> split_offsets;  ///< ascending
  std::vector<int32_t> equality_ids;   ///< kEqualityDeletes only
  std::optional<int32_t> sort_order_id;
  std::optional<int64_t> first_row_id;  ///< v3
  std::optional<std::string> referenced_data_file;
  std::optional<int64_t> content_offset;         ///< v3, deletion vectors
  std::optional<int64_t> content_size_in_bytes;  ///< v3, deletion vectors

  bool operator==(const DataFile&) const = default;
};

struct ManifestEntry {
  EntryStatus status = EntryStatus::kAdded;
  std::optional<int64_t> snapshot_id;           ///< after reading: never null (inherited)
  std::optional<int64_t> sequence_number;       ///< data sequence number; after reading: never null
  std::optional<int64_t> file_sequence_number;  ///< after reading: never null
  DataFile file;

  bool is_live() const { return status != EntryStatus::kDeleted; }
};

struct PartitionFieldSummary {
  bool contains_null = false;
  std::optional<bool> contains_nan;
  std::optional<std::string> lower_bound;  ///< binary single value of the partition field's type
  std::optional<std::string> upper_bound;

  bool operator==(const PartitionFieldSummary&) const = default;
};

/// One row of a manifest list.
struct ManifestFile {
  std::string manifest_path;
  int64_t manifest_length = 0;
  int32_t partition_spec_id = 0;
  ManifestContent content = ManifestContent::kData;
  int64_t sequence_number = 0;      ///< kUnassignedSequence until committed
  int64_t min_sequence_number = 0;  ///< kUnassignedSequence until committed
  int64_t added_snapshot_id = 0;
  std::optional<int32_t> added_files_count;  ///< null only in v1 lists
  std::optional<int32_t> existing_files_count;
  std::optional<int32_t> deleted_files_count;
  std::optional<int64_t> added_rows_count;
  std::optional<int64_t> existing_rows_count;
  std::optional<int64_t> deleted_rows_count;
  std::vector<PartitionFieldSummary> partitions;
  std::optional<std::string> key_metadata;
  std::optional<int64_t> first_row_id;  ///< v3

  bool operator==(const ManifestFile&) const = default;
};

/// The sequence number of a manifest or entry that gets its number from the commit that is being made.
inline constexpr int64_t kUnassignedSequence = -1;

/// Builds one manifest in memory. Entries are encoded as they come; nothing of them is kept.
class ManifestWriter {
 public:
  /// `compression`: "gzip" (Avro deflate, default), "zstd", "uncompressed" (`write.manifest.compression-codec`).
  /// Throws InvalidArgument for format versions other than 1, 2 and 3.
  ManifestWriter(int format_version, const Schema& schema, const PartitionSpec& spec, ManifestContent content,
                 int64_t snapshot_id, std::string_view compression = "gzip");
  ~ManifestWriter();

  /// A new file: status ADDED, sequence numbers null (inherited from the commit).
  void AddNew(const DataFile& file);
  /// A live file of an earlier snapshot: status EXISTING, both sequence numbers explicit.
  void AddExisting(const ManifestEntry& entry);
  /// Status DELETED by this snapshot, both sequence numbers explicit.
  void AddDeleted(const ManifestEntry& entry);

  int64_t entry_count() const;
  /// Encoded bytes so far, for `commit.manifest.target-size-bytes`.
  int64_t size() const;

  struct Result {
    std::string bytes;  ///< the whole Avro file
    ManifestFile file;  ///< all but manifest_path; sequence numbers kUnassignedSequence where they are inherited
  };
  Result Finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Reads all entries of a manifest (format versions 1, 2 and 3), with snapshot id, sequence numbers and first row id
/// inherited from `list_entry`. The partition spec comes from the manifest's own metadata; `schema`, the table's, types
/// the partition values; a manifest without spec gives them in the order and types of its Avro record. Calls `visit`
/// once per entry, in file order. Throws Corrupt naming `list_entry.manifest_path`, Unsupported for encrypted files.
void ReadManifest(std::string_view bytes, const ManifestFile& list_entry, const Schema& schema,
                  const std::function<void(ManifestEntry&&)>& visit);

/// The manifest list as one Avro file. Unassigned sequence numbers become `sequence_number`. `first_row_id`: the
/// snapshot's, v3 only; the manifests' own are written as they are. Throws InvalidArgument for a manifest of another
/// snapshot without sequence number, and from v2 on for one without counts (an old v1 list has none).
std::string WriteManifestList(int format_version, int64_t snapshot_id, std::optional<int64_t> parent_snapshot_id,
                              int64_t sequence_number, const std::vector<ManifestFile>& manifests,
                              std::string_view compression = "gzip",
                              std::optional<int64_t> first_row_id = std::nullopt);
/// All rows of a manifest list of format version 1, 2 or 3, in file order. Throws Corrupt naming `origin`, the file's
/// path; Unsupported for encrypted files.
std::vector<ManifestFile> ReadManifestList(std::string_view bytes, std::string_view origin);

}  // namespace frazil::iceberg
