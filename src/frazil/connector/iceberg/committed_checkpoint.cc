// SPDX-License-Identifier: Apache-2.0
#include "frazil/connector/iceberg/committed_checkpoint.h"

#include "frazil/base/error.h"
#include "frazil/base/options.h"

namespace frazil::connector::iceberg {

namespace {

using frazil::iceberg::Snapshot;
using frazil::iceberg::TableMetadata;

const std::string* FindKey(const Snapshot& snapshot, const char* key) {
  auto it = snapshot.summary.find(key);
  return it == snapshot.summary.end() ? nullptr : &it->second;
}

bool IsOf(const Snapshot& snapshot, std::string_view job_id, std::string_view operator_uid) {
  const std::string* job = FindKey(snapshot, kSummaryJobId);
  const std::string* uid = FindKey(snapshot, kSummaryOperatorId);
  return job != nullptr && *job == job_id && (uid == nullptr || *uid == operator_uid);
}

}  // namespace

std::string StreamPropertyKey(std::string_view job_name, std::string_view operator_uid) {
  return fmt::format("frazil.stream.{}.{}", job_name, operator_uid);
}

std::string StreamPropertyValue(std::string_view job_id, int64_t checkpoint_id) {
  return fmt::format("{}:{}", job_id, checkpoint_id);
}

std::optional<StreamPosition> StreamPropertyOf(const TableMetadata& metadata, std::string_view key) {
  auto it = metadata.properties.find(key);
  if (it == metadata.properties.end()) return std::nullopt;
  size_t colon = it->second.rfind(':');
  if (colon == std::string::npos) {
    throw Corrupt(
        "table property '{}' is '{}': expected <job id>:<checkpoint id>; if no stream of that name writes to the "
        "table any more, remove it",
        key, it->second);
  }
  return StreamPosition{it->second.substr(0, colon), ParseInt64(key, std::string_view(it->second).substr(colon + 1))};
}

std::optional<int64_t> MaxCommittedCheckpoint(const TableMetadata& metadata, const std::string& branch,
                                              std::string_view job_id, std::string_view operator_uid,
                                              std::string_view property_key) {
  std::unordered_map<int64_t, const Snapshot*> by_id;
  for (const Snapshot& snapshot : metadata.snapshots) by_id.emplace(snapshot.snapshot_id, &snapshot);
  const Snapshot* snapshot = metadata.FindRef(branch);
  bool whole = true;
  while (snapshot != nullptr) {
    if (IsOf(*snapshot, job_id, operator_uid)) {
      if (const std::string* id = FindKey(*snapshot, kSummaryMaxCommittedCheckpointId)) {
        return ParseInt64(kSummaryMaxCommittedCheckpointId, *id);
      }
    }
    if (!snapshot->parent_snapshot_id.has_value()) break;
    auto parent = by_id.find(*snapshot->parent_snapshot_id);
    whole = parent != by_id.end();
    snapshot = whole ? parent->second : nullptr;
  }
  if (whole) return std::nullopt;
  std::optional<StreamPosition> position = StreamPropertyOf(metadata, property_key);
  if (!position.has_value() || position->job_id != job_id) return std::nullopt;
  return position->checkpoint_id;
}

}  // namespace frazil::connector::iceberg
