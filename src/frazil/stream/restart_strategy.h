// SPDX-License-Identifier: Apache-2.0
// When a failed job is started again: Flink's restart strategies.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

namespace frazil::stream {

/// Defaults are those of Flink 1.20 for each `restart-strategy.<type>.*` key.
struct RestartStrategyOptions {
  using Duration = std::chrono::nanoseconds;
  enum class Type { kNone, kFixedDelay, kExponentialDelay, kFailureRate };
  Type type = Type::kNone;

  struct FixedDelay {
    int64_t attempts = 1;
    Duration delay = std::chrono::seconds(1);
  } fixed_delay;

  struct ExponentialDelay {
    Duration initial_backoff = std::chrono::seconds(1);
    Duration max_backoff = std::chrono::minutes(1);
    double backoff_multiplier = 1.5;
    Duration reset_backoff_threshold = std::chrono::hours(1);
    double jitter_factor = 0.1;
    std::optional<int64_t> attempts_before_reset_backoff;  ///< nullopt: no limit
  } exponential_delay;

  struct FailureRate {
    int64_t max_failures_per_interval = 1;
    Duration failure_rate_interval = std::chrono::minutes(1);
    Duration delay = std::chrono::seconds(1);
  } failure_rate;
};

class RestartStrategy {
 public:
  virtual ~RestartStrategy() = default;
  /// Takes note of a failure at `now`. The delay before the next attempt, or nullopt: give up.
  virtual std::optional<std::chrono::nanoseconds> OnFailure(std::chrono::steady_clock::time_point now) = 0;
};

std::unique_ptr<RestartStrategy> MakeRestartStrategy(const RestartStrategyOptions& options);

}  // namespace frazil::stream
