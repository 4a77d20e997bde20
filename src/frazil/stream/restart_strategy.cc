// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/restart_strategy.h"

#include <deque>
#include <random>

#include "frazil/base/error.h"

namespace frazil::stream {

namespace {

using TimePoint = std::chrono::steady_clock::time_point;
using Delay = std::optional<std::chrono::nanoseconds>;

class NoRestart : public RestartStrategy {
 public:
  Delay OnFailure(TimePoint) override { return std::nullopt; }
};

class FixedDelayRestart : public RestartStrategy {
 public:
  explicit FixedDelayRestart(const RestartStrategyOptions::FixedDelay& options) : options_(options) {}

  Delay OnFailure(TimePoint) override {
    if (++failures_ > options_.attempts) return std::nullopt;
    return options_.delay;
  }

 private:
  const RestartStrategyOptions::FixedDelay options_;
  int64_t failures_ = 0;
};

class ExponentialDelayRestart : public RestartStrategy {
 public:
  explicit ExponentialDelayRestart(const RestartStrategyOptions::ExponentialDelay& options) : options_(options) {}

  Delay OnFailure(TimePoint now) override {
    // The quiet time counts from when the last restart took place, not from the failure that led to it.
    if (failures_ > 0 && now - restarted_ >= options_.reset_backoff_threshold) failures_ = 0;
    if (options_.attempts_before_reset_backoff && failures_ >= *options_.attempts_before_reset_backoff) {
      return std::nullopt;
    }
    backoff_ = failures_ == 0 ? options_.initial_backoff : Grown();
    ++failures_;
    std::chrono::nanoseconds delay = WithJitter();
    restarted_ = now + delay;
    return delay;
  }

 private:
  std::chrono::nanoseconds Grown() const {
    double grown = static_cast<double>(backoff_.count()) * options_.backoff_multiplier;
    double max = static_cast<double>(options_.max_backoff.count());
    return std::chrono::nanoseconds(static_cast<int64_t>(std::min(grown, max)));
  }

  /// Jobs that failed for one reason don't all come back in the same moment.
  std::chrono::nanoseconds WithJitter() {
    double range = static_cast<double>(backoff_.count()) * options_.jitter_factor;
    int64_t jitter = static_cast<int64_t>(std::uniform_real_distribution<double>(-range, range)(random_));
    return std::clamp(backoff_ + std::chrono::nanoseconds(jitter), options_.initial_backoff, options_.max_backoff);
  }

  const RestartStrategyOptions::ExponentialDelay options_;
  int64_t failures_ = 0;
  std::chrono::nanoseconds backoff_{0};
  TimePoint restarted_;
  std::minstd_rand random_{std::random_device{}()};
};

class FailureRateRestart : public RestartStrategy {
 public:
  explicit FailureRateRestart(const RestartStrategyOptions::FailureRate& options) : options_(options) {}

  Delay OnFailure(TimePoint now) override {
    while (!failures_.empty() && now - failures_.front() > options_.failure_rate_interval) failures_.pop_front();
    if (static_cast<int64_t>(failures_.size()) >= options_.max_failures_per_interval) return std::nullopt;
    failures_.push_back(now);
    return options_.delay;
  }

 private:
  const RestartStrategyOptions::FailureRate options_;
  std::deque<TimePoint> failures_;
};

}  // namespace

std::unique_ptr<RestartStrategy> MakeRestartStrategy(const RestartStrategyOptions& options) {
  switch (options.type) {
    case RestartStrategyOptions::Type::kNone: return std::make_unique<NoRestart>();
    case RestartStrategyOptions::Type::kFixedDelay: return std::make_unique<FixedDelayRestart>(options.fixed_delay);
    case RestartStrategyOptions::Type::kExponentialDelay:
      return std::make_unique<ExponentialDelayRestart>(options.exponential_delay);
    case RestartStrategyOptions::Type::kFailureRate: return std::make_unique<FailureRateRestart>(options.failure_rate);
  }
  throw Internal("{} is not a restart strategy", static_cast<int>(options.type));
}

}  // namespace frazil::stream
