// SPDX-License-Identifier: Apache-2.0
#include "frazil/table/commit_loop.h"

#include <random>
#include <thread>

#include "frazil/base/error.h"
#include "frazil/iceberg/table_properties.h"

namespace frazil::table {

namespace property = iceberg::property;
using std::chrono::milliseconds;

namespace {

milliseconds GetMillis(const OptionMap& properties, std::string_view key, int64_t default_ms) {
  return milliseconds(property::GetInt(properties, key, default_ms));
}

milliseconds Jittered(milliseconds wait) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return wait + milliseconds(std::uniform_int_distribution<int64_t>(0, wait.count() / 2)(random));
}

/// Whether the commit is in the table after all; gives up by `commit.status-check.*`.
bool HasLanded(Table& table, const std::function<bool(const iceberg::TableMetadata&)>& landed) {
  Backoff backoff(Backoff::ForStatusChecks(table.metadata().properties));
  do {
    try {
      table.Refresh();
      if (landed(table.metadata())) return true;
    } catch (const Error&) {
      // The catalog may still be out of reach: that says nothing about the commit.
    }
  } while (backoff.Wait());
  return false;
}

}  // namespace

Backoff::Policy Backoff::ForCommits(const OptionMap& properties) {
  return {property::GetInt(properties, property::kCommitNumRetries, 4),
          GetMillis(properties, property::kCommitMinRetryWaitMs, 100),
          GetMillis(properties, property::kCommitMaxRetryWaitMs, 60'000),
          GetMillis(properties, property::kCommitTotalRetryTimeMs, 1'800'000)};
}

Backoff::Policy Backoff::ForStatusChecks(const OptionMap& properties) {
  return {property::GetInt(properties, property::kStatusCheckNumRetries, 3),
          GetMillis(properties, property::kStatusCheckMinWaitMs, 1'000),
          GetMillis(properties, property::kStatusCheckMaxWaitMs, 60'000),
          GetMillis(properties, property::kStatusCheckTotalTimeoutMs, 1'800'000)};
}

bool Backoff::Wait() {
  if (retries_ >= policy_.retries) return false;
  if (retries_ > 0 && std::chrono::steady_clock::now() - start_ > policy_.total_time) return false;
  milliseconds wait = policy_.min_wait;
  for (int64_t i = 0; i < retries_ && wait < policy_.max_wait; ++i) wait *= 2;
  std::this_thread::sleep_for(Jittered(std::min(wait, policy_.max_wait)));
  ++retries_;
  return true;
}

bool RunCommitLoop(Table& table, const std::function<std::optional<catalog::TableCommit>()>& attempt,
                   const std::function<bool(const iceberg::TableMetadata&)>& landed) {
  Backoff backoff(Backoff::ForCommits(table.metadata().properties));
  while (true) {
    table.Refresh();
    std::optional<catalog::TableCommit> commit = attempt();
    if (!commit) return false;
    try {
      table.Adopt(std::move(table.catalog()->Commit({&*commit, 1}).front()));
      return true;
    } catch (const Error& e) {
      if (e.kind() == ErrorKind::kCommitStateUnknown) {
        if (HasLanded(table, landed)) return true;
        throw;
      }
      if (e.kind() != ErrorKind::kCommitConflict) throw;
      if (!backoff.Wait()) {
        throw CommitConflict("{} (given up after {} attempts; '{}' and '{}' set how many)", e.what(),
                             backoff.retries() + 1, property::kCommitNumRetries, property::kCommitTotalRetryTimeMs);
      }
    }
  }
}

}  // namespace frazil::table
