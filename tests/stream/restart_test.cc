// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/restart_strategy.h"
#include "support/support.h"

namespace frazil::stream {
namespace {

using namespace std::chrono_literals;
using Type = RestartStrategyOptions::Type;

const std::chrono::steady_clock::time_point kStart{};

TEST(RestartStrategy, NoneGivesUpAtOnce) { EXPECT_EQ(MakeRestartStrategy({})->OnFailure(kStart), std::nullopt); }

TEST(RestartStrategy, FixedDelayCountsAttempts) {
  RestartStrategyOptions options;
  options.type = Type::kFixedDelay;
  options.fixed_delay = {2, 3s};
  auto strategy = MakeRestartStrategy(options);
  EXPECT_EQ(strategy->OnFailure(kStart), 3s);
  EXPECT_EQ(strategy->OnFailure(kStart + 10h), 3s);
  EXPECT_EQ(strategy->OnFailure(kStart + 20h), std::nullopt);
}

TEST(RestartStrategy, ExponentialDelayGrowsToItsLimitAndResets) {
  RestartStrategyOptions options;
  options.type = Type::kExponentialDelay;
  options.exponential_delay.initial_backoff = 1s;
  options.exponential_delay.max_backoff = 5s;
  options.exponential_delay.backoff_multiplier = 2;
  options.exponential_delay.jitter_factor = 0;
  options.exponential_delay.reset_backoff_threshold = 1min;
  auto strategy = MakeRestartStrategy(options);
  EXPECT_EQ(strategy->OnFailure(kStart), 1s);
  EXPECT_EQ(strategy->OnFailure(kStart + 2s), 2s);
  EXPECT_EQ(strategy->OnFailure(kStart + 5s), 4s);
  EXPECT_EQ(strategy->OnFailure(kStart + 10s), 5s);
  EXPECT_EQ(strategy->OnFailure(kStart + 20s), 5s);
  EXPECT_EQ(strategy->OnFailure(kStart + 84s), 5s) << "59 s after the last restart";
  EXPECT_EQ(strategy->OnFailure(kStart + 149s), 1s) << "60 s after the last restart";
}

TEST(RestartStrategy, ExponentialDelayLimitsAttempts) {
  RestartStrategyOptions options;
  options.type = Type::kExponentialDelay;
  options.exponential_delay.attempts_before_reset_backoff = 2;
  auto strategy = MakeRestartStrategy(options);
  EXPECT_TRUE(strategy->OnFailure(kStart).has_value());
  EXPECT_TRUE(strategy->OnFailure(kStart).has_value());
  EXPECT_EQ(strategy->OnFailure(kStart), std::nullopt);
}

TEST(RestartStrategy, ExponentialDelayJitterStaysInItsRange) {
  RestartStrategyOptions options;
  options.type = Type::kExponentialDelay;
  options.exponential_delay.initial_backoff = 1s;
  options.exponential_delay.max_backoff = 10s;
  options.exponential_delay.backoff_multiplier = 4;
  options.exponential_delay.jitter_factor = 0.25;
  for (int i = 0; i < 50; ++i) {
    auto strategy = MakeRestartStrategy(options);
    auto first = strategy->OnFailure(kStart);
    EXPECT_GE(*first, 1s);
    EXPECT_LE(*first, 1250ms);
    auto second = strategy->OnFailure(kStart);
    EXPECT_GE(*second, 3s);
    EXPECT_LE(*second, 5s);
  }
}

TEST(RestartStrategy, FailureRateLooksAtTheInterval) {
  RestartStrategyOptions options;
  options.type = Type::kFailureRate;
  options.failure_rate = {2, 1min, 1s};
  auto strategy = MakeRestartStrategy(options);
  EXPECT_EQ(strategy->OnFailure(kStart), 1s);
  EXPECT_EQ(strategy->OnFailure(kStart + 50s), 1s);
  EXPECT_EQ(strategy->OnFailure(kStart + 70s), 1s) << "the first one has left the interval";
  EXPECT_EQ(strategy->OnFailure(kStart + 80s), std::nullopt);
}

}  // namespace
}  // namespace frazil::stream
