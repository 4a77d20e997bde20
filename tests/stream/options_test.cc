// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/job_options.h"
#include "support/support.h"

namespace frazil::stream {
namespace {

using frazil::test::ErrorOf;
using testing::HasSubstr;
using namespace std::chrono_literals;

TEST(JobOptions, DefaultsAreFlinks) {
  JobOptions options = JobOptions::FromOptions({});
  EXPECT_EQ(options.name, "frazil-job");
  EXPECT_EQ(options.default_parallelism, 1);
  EXPECT_FALSE(options.checkpoint_interval.has_value());
  EXPECT_EQ(options.checkpoint_timeout, 10min);
  EXPECT_EQ(options.num_retained, 1);
  EXPECT_EQ(options.restart.type, RestartStrategyOptions::Type::kNone);
}

TEST(JobOptions, ReadsEveryKey) {
  JobOptions options = JobOptions::FromOptions({
      {"pipeline.name", "orders"},
      {"parallelism.default", "3"},
      {"execution.checkpointing.interval", "5 s"},
      {"execution.checkpointing.dir", "/chk"},
      {"execution.checkpointing.timeout", "2 min"},
      {"execution.checkpointing.min-pause", "500 ms"},
      {"execution.checkpointing.tolerable-failed-checkpoints", "4"},
      {"execution.checkpointing.num-retained", "7"},
      {"execution.checkpointing.mode", "exactly_once"},
      {"execution.checkpointing.max-concurrent-checkpoints", "1"},
      {"execution.checkpointing.unaligned.enabled", "false"},
      {"execution.state-recovery.path", "/chk/orders/x/chk-3"},
      {"execution.state-recovery.ignore-unclaimed-state", "true"},
      {"frazil.job.fresh", "true"},
      {"frazil.channel.max-batches", "9"},
      {"frazil.channel.max-bytes", "1 mb"},
  });
  EXPECT_EQ(options.name, "orders");
  EXPECT_EQ(options.default_parallelism, 3);
  EXPECT_EQ(options.checkpoint_interval, 5s);
  EXPECT_EQ(options.checkpoint_dir, "/chk");
  EXPECT_EQ(options.checkpoint_timeout, 2min);
  EXPECT_EQ(options.min_pause, 500ms);
  EXPECT_EQ(options.tolerable_failed_checkpoints, 4);
  EXPECT_EQ(options.num_retained, 7);
  EXPECT_EQ(options.restore_path, "/chk/orders/x/chk-3");
  EXPECT_TRUE(options.allow_non_restored_state);
  EXPECT_TRUE(options.fresh);
  EXPECT_EQ(options.channel_max_batches, 9);
  EXPECT_EQ(options.channel_max_bytes, 1 << 20);
  EXPECT_EQ(options.restart.type, RestartStrategyOptions::Type::kExponentialDelay)
      << "Flink's default with checkpoints";
}

TEST(JobOptions, OlderNamesAreAliases) {
  JobOptions options = JobOptions::FromOptions({{"state.checkpoints.dir", "/a"},
                                                {"state.checkpoints.num-retained", "2"},
                                                {"execution.savepoint.path", "/s"},
                                                {"execution.savepoint.ignore-unclaimed-state", "true"},
                                                {"restart-strategy", "none"},
                                                {"execution.checkpointing.interval", "0"}});
  EXPECT_EQ(options.checkpoint_dir, "/a");
  EXPECT_EQ(options.num_retained, 2);
  EXPECT_EQ(options.restore_path, "/s");
  EXPECT_TRUE(options.allow_non_restored_state);
  EXPECT_FALSE(options.checkpoint_interval.has_value()) << "0 turns it off";
  std::string message = ErrorOf(ErrorKind::kInvalidArgument, [] {
    JobOptions::FromOptions({{"state.checkpoints.dir", "/a"}, {"execution.checkpointing.dir", "/b"}});
  });
  EXPECT_THAT(message, HasSubstr("two names of one option"));
}

TEST(JobOptions, RestartStrategies) {
  auto fixed = JobOptions::FromOptions({{"restart-strategy.type", "fixed-delay"},
                                        {"restart-strategy.fixed-delay.attempts", "5"},
                                        {"restart-strategy.fixed-delay.delay", "3 s"}})
                   .restart;
  EXPECT_EQ(fixed.type, RestartStrategyOptions::Type::kFixedDelay);
  EXPECT_EQ(fixed.fixed_delay.attempts, 5);
  EXPECT_EQ(fixed.fixed_delay.delay, 3s);
  auto exponential =
      JobOptions::FromOptions({{"restart-strategy.type", "exponentialdelay"},
                               {"restart-strategy.exponential-delay.initial-backoff", "10 ms"},
                               {"restart-strategy.exponential-delay.max-backoff", "2 s"},
                               {"restart-strategy.exponential-delay.backoff-multiplier", "3"},
                               {"restart-strategy.exponential-delay.reset-backoff-threshold", "1 min"},
                               {"restart-strategy.exponential-delay.jitter-factor", "0.5"},
                               {"restart-strategy.exponential-delay.attempts-before-reset-backoff", "8"}})
          .restart;
  EXPECT_EQ(exponential.type, RestartStrategyOptions::Type::kExponentialDelay);
  EXPECT_EQ(exponential.exponential_delay.initial_backoff, 10ms);
  EXPECT_EQ(exponential.exponential_delay.max_backoff, 2s);
  EXPECT_EQ(exponential.exponential_delay.backoff_multiplier, 3.0);
  EXPECT_EQ(exponential.exponential_delay.reset_backoff_threshold, 1min);
  EXPECT_EQ(exponential.exponential_delay.jitter_factor, 0.5);
  EXPECT_EQ(exponential.exponential_delay.attempts_before_reset_backoff, 8);
  auto rate = JobOptions::FromOptions({{"restart-strategy.type", "failure-rate"},
                                       {"restart-strategy.failure-rate.max-failures-per-interval", "4"},
                                       {"restart-strategy.failure-rate.failure-rate-interval", "5 min"},
                                       {"restart-strategy.failure-rate.delay", "6 s"}})
                  .restart;
  EXPECT_EQ(rate.type, RestartStrategyOptions::Type::kFailureRate);
  EXPECT_EQ(rate.failure_rate.max_failures_per_interval, 4);
  EXPECT_EQ(rate.failure_rate.failure_rate_interval, 5min);
  EXPECT_EQ(rate.failure_rate.delay, 6s);
  EXPECT_EQ(JobOptions::FromOptions({{"restart-strategy.type", "off"}, {"execution.checkpointing.interval", "1s"}})
                .restart.type,
            RestartStrategyOptions::Type::kNone);
}

TEST(JobOptions, BadValuesAreRefusedByName) {
  const std::vector<std::pair<OptionMap, std::string>> cases = {
      {{{"parallelism.default", "0"}}, "parallelism.default"},
      {{{"parallelism.default", "many"}}, "parallelism.default"},
      {{{"pipeline.name", ""}}, "pipeline.name"},
      {{{"execution.checkpointing.interval", "soon"}}, "execution.checkpointing.interval"},
      {{{"execution.checkpointing.timeout", "0"}}, "execution.checkpointing.timeout"},
      {{{"execution.checkpointing.num-retained", "0"}}, "execution.checkpointing.num-retained"},
      {{{"execution.checkpointing.tolerable-failed-checkpoints", "-1"}}, "tolerable-failed-checkpoints"},
      {{{"restart-strategy.type", "hope"}}, "restart-strategy.type"},
      {{{"restart-strategy.fixed-delay.attempts", "0"}}, "restart-strategy.fixed-delay.attempts"},
      {{{"restart-strategy.exponential-delay.backoff-multiplier", "1"}}, "backoff-multiplier"},
      {{{"restart-strategy.exponential-delay.jitter-factor", "2"}}, "jitter-factor"},
      {{{"restart-strategy.exponential-delay.max-backoff", "1 ms"}}, "max-backoff"},
      {{{"frazil.channel.max-bytes", "0"}}, "frazil.channel.max-bytes"},
  };
  for (const auto& [options, key] : cases) {
    EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&o = options] { JobOptions::FromOptions(o); }), HasSubstr(key));
  }
  const std::vector<OptionMap> unsupported = {{{"execution.checkpointing.mode", "AT_LEAST_ONCE"}},
                                              {{"execution.checkpointing.max-concurrent-checkpoints", "2"}},
                                              {{"execution.checkpointing.unaligned", "true"}}};
  for (const OptionMap& options : unsupported) {
    EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { JobOptions::FromOptions(options); }),
                HasSubstr(options.begin()->first));
  }
}

TEST(JobOptions, KeysAreSortedAndEachIsRead) {
  std::span<const std::string_view> keys = JobOptions::Keys();
  EXPECT_TRUE(std::is_sorted(keys.begin(), keys.end()));
  EXPECT_EQ(keys.size(), 34u);
  for (std::string_view key : keys) {
    // No option accepts this text, except those that take any.
    bool any_text = key == "pipeline.name" || key.ends_with(".dir") || key.ends_with(".path");
    if (any_text) continue;
    EXPECT_THROW(JobOptions::FromOptions({{std::string(key), "§"}}), Error) << key;
  }
}

}  // namespace
}  // namespace frazil::stream
