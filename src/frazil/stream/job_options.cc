// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/job_options.h"

#include <array>
#include <limits>

#include "frazil/base/error.h"

namespace frazil::stream {

namespace {

constexpr std::string_view kName = "pipeline.name";
constexpr std::string_view kParallelism = "parallelism.default";
constexpr std::string_view kInterval = "execution.checkpointing.interval";
constexpr std::string_view kDir = "execution.checkpointing.dir";
constexpr std::string_view kDirAlias = "state.checkpoints.dir";
constexpr std::string_view kTimeout = "execution.checkpointing.timeout";
constexpr std::string_view kMinPause = "execution.checkpointing.min-pause";
constexpr std::string_view kTolerable = "execution.checkpointing.tolerable-failed-checkpoints";
constexpr std::string_view kRetained = "execution.checkpointing.num-retained";
constexpr std::string_view kRetainedAlias = "state.checkpoints.num-retained";
constexpr std::string_view kMode = "execution.checkpointing.mode";
constexpr std::string_view kMaxConcurrent = "execution.checkpointing.max-concurrent-checkpoints";
constexpr std::string_view kUnaligned = "execution.checkpointing.unaligned.enabled";
constexpr std::string_view kUnalignedAlias = "execution.checkpointing.unaligned";
constexpr std::string_view kRestorePath = "execution.state-recovery.path";
constexpr std::string_view kRestorePathAlias = "execution.savepoint.path";
constexpr std::string_view kIgnoreUnclaimed = "execution.state-recovery.ignore-unclaimed-state";
constexpr std::string_view kIgnoreUnclaimedAlias = "execution.savepoint.ignore-unclaimed-state";
constexpr std::string_view kFresh = "frazil.job.fresh";
constexpr std::string_view kChannelBatches = "frazil.channel.max-batches";
constexpr std::string_view kChannelBytes = "frazil.channel.max-bytes";
constexpr std::string_view kRestart = "restart-strategy.type";
constexpr std::string_view kRestartAlias = "restart-strategy";
constexpr std::string_view kFixedAttempts = "restart-strategy.fixed-delay.attempts";
constexpr std::string_view kFixedDelay = "restart-strategy.fixed-delay.delay";
constexpr std::string_view kExpInitial = "restart-strategy.exponential-delay.initial-backoff";
constexpr std::string_view kExpMax = "restart-strategy.exponential-delay.max-backoff";
constexpr std::string_view kExpMultiplier = "restart-strategy.exponential-delay.backoff-multiplier";
constexpr std::string_view kExpReset = "restart-strategy.exponential-delay.reset-backoff-threshold";
constexpr std::string_view kExpJitter = "restart-strategy.exponential-delay.jitter-factor";
constexpr std::string_view kExpAttempts = "restart-strategy.exponential-delay.attempts-before-reset-backoff";
constexpr std::string_view kRateMax = "restart-strategy.failure-rate.max-failures-per-interval";
constexpr std::string_view kRateInterval = "restart-strategy.failure-rate.failure-rate-interval";
constexpr std::string_view kRateDelay = "restart-strategy.failure-rate.delay";

constexpr auto kKeys = [] {
  std::array keys = {kName,           kParallelism,
                     kInterval,       kDir,
                     kDirAlias,       kTimeout,
                     kMinPause,       kTolerable,
                     kRetained,       kRetainedAlias,
                     kMode,           kMaxConcurrent,
                     kUnaligned,      kUnalignedAlias,
                     kRestorePath,    kRestorePathAlias,
                     kFresh,          kIgnoreUnclaimed,
                     kChannelBatches, kChannelBytes,
                     kRestart,        kRestartAlias,
                     kFixedAttempts,  kFixedDelay,
                     kExpInitial,     kExpMax,
                     kExpMultiplier,  kExpReset,
                     kExpJitter,      kExpAttempts,
                     kRateMax,        kRateInterval,
                     kRateDelay,      kIgnoreUnclaimedAlias};
  std::sort(keys.begin(), keys.end());
  return keys;
}();

/// Reads options under their key or their older name.
class Reader {
 public:
  explicit Reader(const OptionMap& options) : options_(options), reader_(options, "the job configuration") {}

  OptionReader& options() { return reader_; }

  /// Whichever of the two names is set; InvalidArgument if both are, with different values.
  std::string_view Pick(std::string_view key, std::string_view alias) const {
    auto newer = options_.find(key);
    auto older = options_.find(alias);
    if (newer != options_.end() && older != options_.end() && newer->second != older->second) {
      throw InvalidArgument(
          "'{}' = '{}' and '{}' = '{}' are two names of one option with different values: set only "
          "the first",
          key, newer->second, alias, older->second);
    }
    return newer == options_.end() && older != options_.end() ? alias : key;
  }

  void Int(std::string_view key, int64_t min, int64_t max, int64_t& value) {
    std::optional<int64_t> given = reader_.GetInt64(key);
    if (!given) return;
    if (*given < min || *given > max) {
      throw InvalidArgument("option '{}': {} is not between {} and {}", key, *given, min, max);
    }
    value = *given;
  }

  void Duration(std::string_view key, std::chrono::nanoseconds min, std::chrono::nanoseconds& value) {
    std::optional<std::chrono::nanoseconds> given = reader_.GetDuration(key);
    if (!given) return;
    if (*given < min) throw InvalidArgument("option '{}': '{}' is too short", key, options_.find(key)->second);
    value = *given;
  }

 private:
  const OptionMap& options_;
  OptionReader reader_;
};

constexpr int64_t kMaxInt = std::numeric_limits<int64_t>::max();
constexpr std::chrono::milliseconds kOneMs{1};

void RefuseWhatIsMissing(Reader& reader) {
  std::optional<std::string> mode = reader.options().GetChoice(kMode, {"EXACTLY_ONCE", "AT_LEAST_ONCE"});
  if (mode == "AT_LEAST_ONCE") {
    throw Unsupported("option '{}': AT_LEAST_ONCE is not supported, checkpoints are always exactly-once", kMode);
  }
  int64_t concurrent = 1;
  reader.Int(kMaxConcurrent, 1, kMaxInt, concurrent);
  if (concurrent > 1)
    throw Unsupported("option '{}': more than one checkpoint at a time is not supported", kMaxConcurrent);
  std::string_view unaligned = reader.Pick(kUnaligned, kUnalignedAlias);
  if (reader.options().GetBool(unaligned).value_or(false)) {
    throw Unsupported("option '{}': unaligned checkpoints are not supported", unaligned);
  }
}

RestartStrategyOptions::Type ReadRestartType(Reader& reader, bool checkpointing) {
  using Type = RestartStrategyOptions::Type;
  static const std::map<std::string, Type, std::less<>> kTypes = {
      {"none", Type::kNone},
      {"off", Type::kNone},
      {"disable", Type::kNone},
      {"fixed-delay", Type::kFixedDelay},
      {"fixeddelay", Type::kFixedDelay},
      {"exponential-delay", Type::kExponentialDelay},
      {"exponentialdelay", Type::kExponentialDelay},
      {"failure-rate", Type::kFailureRate},
      {"failurerate", Type::kFailureRate},
  };
  std::vector<std::string> names;
  for (const auto& [name, type] : kTypes) names.push_back(name);
  std::optional<std::string> given = reader.options().GetChoice(reader.Pick(kRestart, kRestartAlias), names);
  if (given) return kTypes.find(*given)->second;
  return checkpointing ? Type::kExponentialDelay : Type::kNone;
}

void ReadExponentialDelay(Reader& reader, RestartStrategyOptions::ExponentialDelay& delay) {
  reader.Duration(kExpInitial, kOneMs, delay.initial_backoff);
  reader.Duration(kExpMax, kOneMs, delay.max_backoff);
  reader.Duration(kExpReset, kOneMs, delay.reset_backoff_threshold);
  delay.backoff_multiplier = reader.options().GetDouble(kExpMultiplier).value_or(delay.backoff_multiplier);
  delay.jitter_factor = reader.options().GetDouble(kExpJitter).value_or(delay.jitter_factor);
  if (delay.max_backoff < delay.initial_backoff) {
    throw InvalidArgument("option '{}' must not be shorter than '{}'", kExpMax, kExpInitial);
  }
  if (!(delay.backoff_multiplier > 1.0)) throw InvalidArgument("option '{}' must be greater than 1", kExpMultiplier);
  if (!(delay.jitter_factor >= 0.0 && delay.jitter_factor <= 1.0)) {
    throw InvalidArgument("option '{}' must be between 0 and 1", kExpJitter);
  }
  if (reader.options().GetString(kExpAttempts)) {
    delay.attempts_before_reset_backoff = 0;
    reader.Int(kExpAttempts, 1, kMaxInt, *delay.attempts_before_reset_backoff);
  }
}

RestartStrategyOptions ReadRestartStrategy(Reader& reader, bool checkpointing) {
  RestartStrategyOptions restart;
  restart.type = ReadRestartType(reader, checkpointing);
  reader.Int(kFixedAttempts, 1, kMaxInt, restart.fixed_delay.attempts);
  reader.Duration(kFixedDelay, {}, restart.fixed_delay.delay);
  ReadExponentialDelay(reader, restart.exponential_delay);
  reader.Int(kRateMax, 1, kMaxInt, restart.failure_rate.max_failures_per_interval);
  reader.Duration(kRateInterval, kOneMs, restart.failure_rate.failure_rate_interval);
  reader.Duration(kRateDelay, {}, restart.failure_rate.delay);
  return restart;
}

}  // namespace

JobOptions JobOptions::FromOptions(const OptionMap& options) {
  Reader reader(options);
  RefuseWhatIsMissing(reader);
  JobOptions job;
  job.name = reader.options().GetString(kName).value_or(job.name);
  if (job.name.empty()) throw InvalidArgument("option '{}' is empty", kName);
  int64_t parallelism = job.default_parallelism;
  reader.Int(kParallelism, 1, 1 << 15, parallelism);
  job.default_parallelism = static_cast<int>(parallelism);

  Duration interval{0};
  reader.Duration(kInterval, {}, interval);
  if (interval > Duration::zero()) job.checkpoint_interval = interval;
  job.checkpoint_dir = reader.options().GetString(reader.Pick(kDir, kDirAlias)).value_or("");
  reader.Duration(kTimeout, kOneMs, job.checkpoint_timeout);
  reader.Duration(kMinPause, {}, job.min_pause);
  reader.Int(kTolerable, 0, kMaxInt, job.tolerable_failed_checkpoints);
  reader.Int(reader.Pick(kRetained, kRetainedAlias), 1, kMaxInt, job.num_retained);

  job.restore_path = reader.options().GetString(reader.Pick(kRestorePath, kRestorePathAlias)).value_or("");
  job.allow_non_restored_state =
      reader.options().GetBool(reader.Pick(kIgnoreUnclaimed, kIgnoreUnclaimedAlias)).value_or(false);
  job.fresh = reader.options().GetBool(kFresh).value_or(false);
  job.restart = ReadRestartStrategy(reader, job.checkpoint_interval.has_value());

  reader.Int(kChannelBatches, 1, kMaxInt, job.channel_max_batches);
  job.channel_max_bytes = reader.options().GetMemorySize(kChannelBytes).value_or(job.channel_max_bytes);
  if (job.channel_max_bytes < 1) throw InvalidArgument("option '{}' must be positive", kChannelBytes);
  return job;
}

std::span<const std::string_view> JobOptions::Keys() { return kKeys; }

}  // namespace frazil::stream
