// SPDX-License-Identifier: Apache-2.0
// What a stream has committed to a table already. Two records are made in each commit: Flink's keys in the snapshot
// summary, so that tools made for Flink understand it, and a table property, which snapshot expiry can't erase.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "frazil/iceberg/table_metadata.h"

namespace frazil::connector::iceberg {

inline constexpr char kSummaryJobId[] = "flink.job-id";
inline constexpr char kSummaryOperatorId[] = "flink.operator-id";
inline constexpr char kSummaryMaxCommittedCheckpointId[] = "flink.max-committed-checkpoint-id";

/// "frazil.stream.<job name>.<operator uid>", with value "<job id>:<checkpoint id>".
std::string StreamPropertyKey(std::string_view job_name, std::string_view operator_uid);
std::string StreamPropertyValue(std::string_view job_id, int64_t checkpoint_id);

struct StreamPosition {
  std::string job_id;
  int64_t checkpoint_id = 0;
};

/// What the property says; nothing if it isn't there. Throws Corrupt if it is malformed.
std::optional<StreamPosition> StreamPropertyOf(const frazil::iceberg::TableMetadata& metadata, std::string_view key);

/// The highest checkpoint that (job id, operator uid) has committed to `branch`. The branch's history decides, newest
/// snapshot first, as Flink does. Where the history doesn't know the job: if it is whole, nothing was committed (the
/// property is from before a rollback); if its oldest part has expired, the property decides.
std::optional<int64_t> MaxCommittedCheckpoint(const frazil::iceberg::TableMetadata& metadata, const std::string& branch,
                                              std::string_view job_id, std::string_view operator_uid,
                                              std::string_view property_key);

}  // namespace frazil::connector::iceberg
