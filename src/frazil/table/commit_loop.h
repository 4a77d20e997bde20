// SPDX-License-Identifier: Apache-2.0
// The commit loop: refresh, re-apply, commit; again after a conflict; after an unknown outcome, look before anything
// else.
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "frazil/table/table.h"

namespace frazil::table {

/// Exponential back-off (factor 2) with up to a half of jitter on top, so that writers that met once don't meet again.
class Backoff {
 public:
  struct Policy {
    int64_t retries;
    std::chrono::milliseconds min_wait;
    std::chrono::milliseconds max_wait;
    std::chrono::milliseconds total_time;
  };

  /// `commit.retry.*`
  static Policy ForCommits(const OptionMap& properties);
  /// `commit.status-check.*`
  static Policy ForStatusChecks(const OptionMap& properties);

  explicit Backoff(const Policy& policy) : policy_(policy) {}

  /// Sleeps before the next try. False, without sleeping, if the retries or the time are used up.
  bool Wait();
  int64_t retries() const { return retries_; }

 private:
  const Policy policy_;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  int64_t retries_ = 0;
};

/// Commits what `attempt` builds from the refreshed table; it is called anew after each conflict and may return
/// nullopt: nothing to do. After an unknown outcome asks `landed` about the refreshed metadata. On success the table
/// holds the new metadata. Returns false if there was nothing to do. Throws what `attempt` throws, CommitConflict after
/// the last retry, CommitStateUnknown if `landed` never said yes.
bool RunCommitLoop(Table& table, const std::function<std::optional<catalog::TableCommit>()>& attempt,
                   const std::function<bool(const iceberg::TableMetadata&)>& landed);

}  // namespace frazil::table
