// SPDX-License-Identifier: Apache-2.0
// The settings of a job under Flink's keys.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "frazil/base/options.h"
#include "frazil/stream/restart_strategy.h"

namespace frazil::stream {

struct JobOptions {
  using Duration = std::chrono::nanoseconds;

  std::string name = "frazil-job";  ///< pipeline.name: with the checkpoint folder, the identity of the job
  int default_parallelism = 1;      ///< parallelism.default; read by whoever builds the graph

  /// execution.checkpointing.interval; nullopt (unset or 0): only the final checkpoint of a bounded job and savepoints.
  std::optional<Duration> checkpoint_interval;
  /// execution.checkpointing.dir (state.checkpoints.dir): a local path or file: URI. "": checkpoints live in memory, a
  /// restart of the process starts the job from the beginning.
  std::string checkpoint_dir;
  Duration checkpoint_timeout = std::chrono::minutes(10);  ///< execution.checkpointing.timeout
  Duration min_pause{0};                                   ///< execution.checkpointing.min-pause
  int64_t tolerable_failed_checkpoints = 0;  ///< execution.checkpointing.tolerable-failed-checkpoints, consecutive
  int64_t num_retained = 1;                  ///< execution.checkpointing.num-retained (state.checkpoints.num-retained)

  /// execution.state-recovery.path (execution.savepoint.path): a chk-<n> folder to start from instead of the job's
  /// newest checkpoint. The job then gets a new job id, since checkpoint numbers can only be compared under one. Given
  /// again to the job that began there, it goes on from its own newest checkpoint, so a restart of the process doesn't
  /// go back; with `fresh` it does. "": none.
  std::string restore_path;
  /// execution.state-recovery.ignore-unclaimed-state (execution.savepoint.ignore-unclaimed-state): state of a uid that
  /// the graph doesn't have is dropped instead of refused.
  bool allow_non_restored_state = false;
  /// frazil.job.fresh: ignore the checkpoints of earlier runs of this name (they stay on disk) and start under a new
  /// job id.
  bool fresh = false;

  RestartStrategyOptions restart;  ///< restart-strategy.type (restart-strategy) and its sub-keys

  /// Limits of each queue between two subtasks: frazil.channel.max-batches, frazil.channel.max-bytes. A batch larger
  /// than max-bytes passes alone.
  int64_t channel_max_batches = 4;
  int64_t channel_max_bytes = 16 << 20;

  /// Reads the keys above from `options`; keys of others are left alone. With checkpointing on and no
  /// restart-strategy.type, the strategy is exponential-delay, else none: as in Flink 1.20. Throws InvalidArgument on a
  /// bad value or contradictory keys, Unsupported on a legal value that Frazil lacks
  /// (execution.checkpointing.mode = AT_LEAST_ONCE, max-concurrent-checkpoints > 1, unaligned).
  static JobOptions FromOptions(const OptionMap& options);

  /// Every key that FromOptions honours, sorted: for SET to refuse others and to complete.
  static std::span<const std::string_view> Keys();
};

}  // namespace frazil::stream
