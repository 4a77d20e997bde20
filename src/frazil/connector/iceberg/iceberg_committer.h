// SPDX-License-Identifier: Apache-2.0
// The committer of the Iceberg sink (Flink: IcebergCommitter).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "frazil/base/metrics.h"
#include "frazil/connector/iceberg/iceberg_sink.h"
#include "frazil/stream/sink.h"
#include "frazil/table/table.h"

namespace frazil::connector::iceberg {

class IcebergCommitter final : public stream::Committer {
 public:
  /// Throws InvalidArgument on a rewind (see MakeIcebergSink).
  IcebergCommitter(table::Table table, const IcebergSinkOptions& options, const stream::CommitterInitContext& context);

  std::string PreCommit(int64_t checkpoint_id, std::vector<std::string> committables) override;
  void Commit(std::span<const stream::CommitRequest> requests) override;

 private:
  void CheckRewind(const stream::CommitterInitContext& context);
  bool HasCommitted(const frazil::iceberg::TableMetadata& metadata, const stream::CommitRequest& request) const;
  /// Requests of one job id and operator, in checkpoint order: one snapshot, unless there is nothing to commit.
  void CommitOneStream(std::span<const stream::CommitRequest> requests);
  /// False if a commit of an earlier attempt has landed meanwhile, so that the pending requests must be found anew.
  bool TryCommit(std::span<const stream::CommitRequest> requests);
  bool IsDueEmptyCommit();

  table::Table table_;
  const IcebergSinkOptions options_;
  const std::string property_key_;
  /// Checkpoints without files since the last commit; in memory only, as in Flink.
  int64_t continuous_empty_checkpoints_ = 0;

  Counter& committed_files_;
  Counter& committed_records_;
  Counter& committed_bytes_;
  Counter& committed_snapshots_;
  Gauge& commit_duration_;
  Gauge& commit_timestamp_;
};

}  // namespace frazil::connector::iceberg
