// SPDX-License-Identifier: Apache-2.0
// Checkpoints of one attempt: when they begin, what they wait for, when they give up, and what follows from them. Lives
// in the thread of the job, does nothing by itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "frazil/stream/attempt.h"
#include "frazil/stream/checkpoint_store.h"
#include "frazil/stream/job_options.h"

namespace frazil::stream {

/// What the coordinator knows of checkpoints beyond one attempt.
struct CheckpointProgress {
  int64_t last_id = 0;  ///< the highest number given out or restored
  std::optional<int64_t> completed_id;
  std::optional<int64_t> committed_id;
  int64_t completed = 0;
  int64_t failed = 0;
  int64_t last_duration_ms = 0;
  int64_t last_bytes = 0;
};

class CheckpointCoordinator {
 public:
  using Clock = std::chrono::steady_clock;

  CheckpointCoordinator(Attempt& attempt, CheckpointStore& store, const JobOptions& options,
                        CheckpointProgress& progress);

  /// When OnTime wants to be called; nullopt: not before another event.
  std::optional<Clock::time_point> NextEvent() const;
  /// Begins a checkpoint that is due, gives up one that takes too long. Throws when too many have failed.
  void OnTime(Clock::time_point now);

  void OnAcknowledged(int task, int64_t checkpoint_id, std::vector<SubtaskSnapshot> snapshots);
  void OnInputEnded();
  void OnCommitted(const std::string& sink_uid, int64_t checkpoint_id);

  /// Asks for the checkpoint that stops the job; begins as soon as no other is in progress.
  void RequestStop();
  /// The error that made the last stop fail, once.
  std::optional<Error> TakeStopFailure();

  /// The last checkpoint (of a stop or after the end of input) is complete and committed.
  bool done() const;
  /// Of the last checkpoint, when done.
  const std::string& last_path() const { return last_path_; }
  bool stopped() const { return stop_completed_; }

 private:
  struct InProgress {
    Checkpoint checkpoint;
    Barrier barrier;
    std::set<int> missing;  ///< tasks that have not acknowledged
    Clock::time_point started;
  };

  bool all_ended() const { return num_ended_ == attempt_.num_input_tasks(); }
  void BeginIfDue(Clock::time_point now);
  void Begin(Barrier barrier, Clock::time_point now);
  void Complete();
  void Fail(const Error& error);
  void AdvanceCommitted();

  Attempt& attempt_;
  CheckpointStore& store_;
  const JobOptions& options_;
  CheckpointProgress& progress_;
  std::optional<Clock::time_point> next_periodic_;
  std::optional<InProgress> in_progress_;
  std::map<std::string, int64_t> committed_;  ///< by sink uid
  int num_ended_ = 0;
  int64_t consecutive_failures_ = 0;
  bool stop_requested_ = false;
  bool stop_completed_ = false;
  std::optional<Error> stop_failure_;
  std::optional<int64_t> last_id_;  ///< of the completed last checkpoint
  std::string last_path_;
};

}  // namespace frazil::stream
