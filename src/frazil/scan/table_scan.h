// SPDX-License-Identifier: Apache-2.0
// Reading tables: which files (plan), and their rows (read). This room reads manifests and data files of one snapshot;
// it never changes a table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/iceberg/expression.h"
#include "frazil/iceberg/manifest.h"
#include "frazil/iceberg/table_metadata.h"

namespace frazil::storage {
class FileIO;
}

namespace frazil::scan {

struct ScanOptions {
  std::optional<int64_t> snapshot_id;  ///< default: the ref's head
  std::string ref = "main";            ///< branch or tag
  std::optional<int64_t> as_of_ms;     ///< by the snapshot log; excludes snapshot_id
  std::vector<std::string> columns;    ///< top-level names, in result order; empty: all
  bool case_sensitive = true;
  iceberg::Expression filter;         ///< rows that can't match are left out; pruning only, not exact
  std::optional<int64_t> limit;       ///< at least this many rows are enough (of those the filter may match)
  bool include_column_stats = false;  ///< keep the metrics of the planned files (Flink: include-column-stats)
};

struct FileScanTask {
  iceberg::DataFile file;
  int64_t sequence_number = 0;
};

struct ScanPlan {
  iceberg::TableMetadataPtr metadata;
  std::optional<int64_t> snapshot_id;  ///< nullopt: an empty table
  iceberg::Schema projection;
  std::vector<FileScanTask> tasks;
  int64_t skipped_manifests = 0;  ///< by their partition summaries
  int64_t skipped_files = 0;      ///< by their partition and bounds, in manifests that were read
};

/// Plans one snapshot. Manifests are read one at a time and pruned by partition summaries, files by partition values
/// and bounds; what is kept in memory is the files that remain, without their metrics.
///
/// A branch is read with the table's current schema; a tag, a snapshot id or a time with the schema of that snapshot
/// (Java: SnapshotScan, Flink: FlinkSplitPlanner). Partition specs are those of the files.
///
/// Throws NotFound (snapshot, ref, time, column: saying which exist), InvalidArgument (snapshot id, ref and time
/// together, a column twice), Unsupported (delete files so far, data files other than Parquet, encrypted ones: naming
/// the table or file), Corrupt.
ScanPlan PlanScan(iceberg::TableMetadataPtr metadata, storage::FileIO& io, const ScanOptions& options);

/// All rows of the plan as a stream of batches, files in plan order, read by `parallelism` threads at most with bounded
/// look-ahead (one thread: the caller's). Columns have ToArrowSchema(plan.projection); those of identity partitions
/// that a file lacks come from its partition. With `limit` the stream ends after exactly so many rows and no further
/// file is opened. Errors arrive through Arrow's Status (base/arrow_status.h turns them back).
std::shared_ptr<arrow::RecordBatchReader> ReadScan(ScanPlan plan, std::shared_ptr<storage::FileIO> io,
                                                   int parallelism = 1, std::optional<int64_t> limit = std::nullopt);

}  // namespace frazil::scan
