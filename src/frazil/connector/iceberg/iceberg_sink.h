// SPDX-License-Identifier: Apache-2.0
// connector/iceberg: the stream sink that writes Iceberg tables exactly once (Flink: IcebergSink). Writers put rows
// into data files through write/; the committer turns the files of a checkpoint into one snapshot through table/. This
// room knows the protocol between checkpoints and commits; it knows nothing of SQL, of file formats or of how a catalog
// swaps metadata.
//
// Appends only so far: row kinds other than +I, upsert, overwrite and delete files are refused.
//
// Once per checkpoint (see also stream/sink.h):
//   writer      closes its files; the committable is the list of them, as bytes
//   committer   joins them; they rest in the checkpoint, not in the table's metadata folder where a clean-up finds them
//   checkpoint  becomes durable
//   committer   appends the files of all pending checkpoints as one snapshot that names job, operator and checkpoint
// After a crash the same requests come again: those that the refreshed table's history knows are dropped, inside the
// commit loop, so that a commit that lands late is seen too.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frazil/base/options.h"
#include "frazil/stream/sink.h"
#include "frazil/table/table.h"

namespace frazil::connector::iceberg {

struct IcebergSinkOptions {
  std::string branch = "main";                             ///< `branch`; created by the first commit if missing
  OptionMap property_overrides;                            ///< write options as the table properties that they win over
  std::optional<int> write_parallelism;                    ///< `write-parallelism`: read by whoever builds the graph
  std::string uid_suffix;                                  ///< `uid-suffix`: read by whoever builds the graph
  bool allow_rewind = false;                               ///< `frazil.sink.allow-rewind`, see MakeIcebergSink
  std::map<std::string, std::string> snapshot_properties;  ///< `snapshot-property.<key>`: added to each summary
};

/// Reads Flink's write options (Flink: FlinkWriteOptions) for a table: from OPTIONS hints, or the same keys of the
/// session. Throws InvalidArgument for a bad value or an unknown key (with the nearest known one), Unsupported for what
/// can't be done yet: upsert, overwrite, hash and range distribution of partitioned tables, maintenance in the sink,
/// formats but Parquet. `table_name` is for messages.
IcebergSinkOptions ResolveIcebergSinkOptions(const OptionMap& write_options,
                                             const frazil::iceberg::TableMetadata& metadata,
                                             std::string_view table_name);

/// The sink. Input: record batches in the table's schema (iceberg::ToArrowSchema: order, types). Checks at once that
/// the table can be written with these options: throws Unsupported or InvalidArgument before anything runs.
///
/// A job that restores an older checkpoint than the table has from it (a rewind) fails with InvalidArgument and the two
/// ways out: roll the table back, or allow the rewind, which writes the rows in between once more.
///
/// Metrics (Flink's names): per writer flushedDataFiles, lastFlushDurationMs; per committer committedDataFilesCount,
/// committedDataFilesRecordCount, committedDataFilesByteCount, lastCommitDurationMs, lastCommitTimestampMs, and
/// committedSnapshotsCount.
std::unique_ptr<stream::Sink> MakeIcebergSink(table::Table table, IcebergSinkOptions options);

}  // namespace frazil::connector::iceberg
