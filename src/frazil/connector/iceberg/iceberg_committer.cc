// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/iceberg/iceberg_committer.h"

#include <spdlog/spdlog.h>

#include "frazil/base/clock.h"
#include "frazil/base/error.h"
#include "frazil/connector/iceberg/committable.h"
#include "frazil/connector/iceberg/committed_checkpoint.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/table/append_files.h"

namespace frazil::connector::iceberg {

namespace {

namespace property = frazil::iceberg::property;
using frazil::iceberg::DataFile;
using frazil::iceberg::TableMetadata;
using stream::CommitRequest;

bool SameStream(const CommitRequest& a, const CommitRequest& b) {
  return a.job_id == b.job_id && a.operator_uid == b.operator_uid;
}

}  // namespace

IcebergCommitter::IcebergCommitter(table::Table table, const IcebergSinkOptions& options,
                                   const stream::CommitterInitContext& context)
    : table_(std::move(table)),
      options_(options),
      property_key_(StreamPropertyKey(context.task.job_name, context.task.operator_uid)),
      committed_files_(context.metrics.counter(context.task.metric_scope, "committedDataFilesCount")),
      committed_records_(context.metrics.counter(context.task.metric_scope, "committedDataFilesRecordCount")),
      committed_bytes_(context.metrics.counter(context.task.metric_scope, "committedDataFilesByteCount")),
      committed_snapshots_(context.metrics.counter(context.task.metric_scope, "committedSnapshotsCount")),
      commit_duration_(context.metrics.gauge(context.task.metric_scope, "lastCommitDurationMs")),
      commit_timestamp_(context.metrics.gauge(context.task.metric_scope, "lastCommitTimestampMs")) {
  table_.Refresh();
  CheckRewind(context);
}

void IcebergCommitter::CheckRewind(const stream::CommitterInitContext& context) {
  std::optional<StreamPosition> known = StreamPropertyOf(table_.metadata(), property_key_);
  std::optional<int64_t> committed;
  if (known.has_value()) {
    committed = MaxCommittedCheckpoint(table_.metadata(), options_.branch, known->job_id, context.task.operator_uid,
                                       property_key_);
  }
  if (!committed.has_value()) return;
  if (!context.restored_checkpoint_id.has_value()) {
    // A restart before the first checkpoint of the same job is no new run.
    if (known->job_id == context.task.job_id) return;
    spdlog::warn(
        "table {} already holds checkpoint {} of an earlier run of '{}' (job {}); this run starts afresh as job {}, so "
        "rows that both runs read are written twice",
        table_.name(), *committed, context.task.job_name, known->job_id, context.task.job_id);
    return;
  }
  if (*committed <= *context.restored_checkpoint_id) return;
  if (options_.allow_rewind && known->job_id != context.task.job_id) {
    spdlog::warn(
        "table {}: checkpoint {} was restored although checkpoint {} is committed; what was read in between is written "
        "once more (frazil.sink.allow-rewind)",
        table_.name(), *context.restored_checkpoint_id, *committed);
    return;
  }
  throw InvalidArgument(
      "table {} already holds checkpoint {} of job {}, but the job restored the older checkpoint {}: going on would "
      "write the rows "
      "in between twice or lose new ones. Either roll the table back to the snapshot whose summary has {} = {} and "
      "start again, or "
      "restore the checkpoint by its path ('execution.state-recovery.path') with 'frazil.sink.allow-rewind' = 'true', "
      "which writes "
      "those rows once more",
      table_.name(), *committed, known->job_id, *context.restored_checkpoint_id, kSummaryMaxCommittedCheckpointId,
      *context.restored_checkpoint_id);
}

std::string IcebergCommitter::PreCommit(int64_t, std::vector<std::string> committables) {
  return JoinCommittables(committables);
}

void IcebergCommitter::Commit(std::span<const CommitRequest> requests) {
  while (!requests.empty()) {
    size_t size = 1;
    while (size < requests.size() && SameStream(requests[0], requests[size])) ++size;
    CommitOneStream(requests.first(size));
    requests = requests.subspan(size);
  }
}

bool IcebergCommitter::HasCommitted(const TableMetadata& metadata, const CommitRequest& request) const {
  std::optional<int64_t> committed =
      MaxCommittedCheckpoint(metadata, options_.branch, request.job_id, request.operator_uid, property_key_);
  return committed.has_value() && request.checkpoint_id <= *committed;
}

bool IcebergCommitter::IsDueEmptyCommit() {
  int64_t every = property::GetInt(table_.metadata().properties, property::kMaxContinuousEmptyCommits, 10);
  if (every <= 0)
    throw InvalidArgument("table {}: {} must be positive", table_.name(), property::kMaxContinuousEmptyCommits);
  ++continuous_empty_checkpoints_;
  if (continuous_empty_checkpoints_ % every != 0) return false;
  continuous_empty_checkpoints_ = 0;
  return true;
}

void IcebergCommitter::CommitOneStream(std::span<const CommitRequest> requests) {
  while (!TryCommit(requests)) {
  }
}

bool IcebergCommitter::TryCommit(std::span<const CommitRequest> requests) {
  int64_t start = NowMillis();
  table_.Refresh();
  std::vector<const CommitRequest*> pending;
  for (const CommitRequest& request : requests) {
    if (!HasCommitted(table_.metadata(), request)) {
      pending.push_back(&request);
    } else if (!request.committable.empty()) {
      spdlog::info("table {}: checkpoint {} of job {} is committed already", table_.name(), request.checkpoint_id,
                   request.job_id);
    }
  }
  if (pending.empty()) return true;

  // Appends of several checkpoints may share a sequence number (there are no deletes), so they become one snapshot.
  std::vector<DataFile> files;
  for (const CommitRequest* request : pending) {
    for (DataFile& file : DecodeDataFiles(request->committable, table_.metadata())) files.push_back(std::move(file));
  }
  if (!files.empty()) {
    continuous_empty_checkpoints_ = 0;
  } else if (!IsDueEmptyCommit()) {
    return true;
  }

  const CommitRequest& first = *pending.front();
  const CommitRequest& last = *pending.back();
  table::AppendFiles append(table_);
  int64_t records = 0;
  int64_t bytes = 0;
  auto file_count = static_cast<int64_t>(files.size());
  for (DataFile& file : files) {
    records += file.record_count;
    bytes += file.file_size_in_bytes;
    append.AppendFile(std::move(file));
  }
  for (const auto& [key, value] : options_.snapshot_properties) append.Set(key, value);
  // A commit of an earlier attempt may land between our refresh and our swap: seen on the base of each attempt.
  append.ToBranch(options_.branch)
      .Set("engine-name", "frazil")
      .Set(kSummaryJobId, last.job_id)
      .Set(kSummaryOperatorId, last.operator_uid)
      .Set(kSummaryMaxCommittedCheckpointId, std::to_string(last.checkpoint_id))
      .SetProperty(property_key_, StreamPropertyValue(last.job_id, last.checkpoint_id))
      .Validate([&](const TableMetadata& base) { return !HasCommitted(base, first); });
  if (!append.Commit().has_value()) return false;

  committed_files_.Add(file_count);
  committed_records_.Add(records);
  committed_bytes_.Add(bytes);
  committed_snapshots_.Add();
  commit_timestamp_.Set(NowMillis());
  commit_duration_.Set(commit_timestamp_.value() - start);
  return true;
}

}  // namespace frazil::connector::iceberg
