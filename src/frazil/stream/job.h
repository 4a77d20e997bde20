// SPDX-License-Identifier: Apache-2.0
// stream: the dataflow runtime. It runs a graph of sources, chained operators and sinks as parallel tasks in this
// process, takes aligned checkpoints, restores from them, restarts after failures and stops with a savepoint: every
// row reaches each sink's committer exactly once.
//
// It knows nothing of Iceberg, SQL or any connector: those implement source.h, operator.h and sink.h. It does not
// spread over machines, has no keyed state or timers yet, and does not read options from anywhere but JobOptions.
//
// Checkpoints: <checkpoint dir>/<job name>/<job id>/chk-<n>/, each made visible by one rename. <job name>/job.json says
// which job id is current; starting a job of that name again resumes it from its newest checkpoint, a finished job
// included (its bounded sources then give nothing but input that is new).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "frazil/base/metrics.h"
#include "frazil/stream/job_graph.h"
#include "frazil/stream/job_options.h"

namespace frazil::stream {

/// Flink's job states, those that a job in one process has.
enum class JobState { kCreated, kRunning, kRestarting, kCancelling, kFinished, kFailed, kCanceled };

/// "RUNNING", …
std::string_view ToString(JobState state);

struct JobStatus {
  JobState state = JobState::kCreated;
  std::string job_id;
  std::optional<int64_t> restored_checkpoint_id;   ///< of the running attempt
  std::optional<int64_t> completed_checkpoint_id;  ///< newest one that is durable
  std::optional<int64_t> committed_checkpoint_id;  ///< newest one that every sink has committed
  int64_t completed_checkpoints = 0;               ///< by this execution
  int64_t failed_checkpoints = 0;
  int64_t rows_in = 0;   ///< that sources emitted, over all attempts of this execution
  int64_t rows_out = 0;  ///< that sinks were given, over all attempts of this execution
  int64_t restarts = 0;
  bool stopped_with_savepoint = false;
  std::string failure;  ///< of the last failed attempt; "" if none
};

/// A submitted job. Thread-safe. The destructor cancels a job that still runs and waits for its threads.
class JobExecution {
 public:
  virtual ~JobExecution() = default;

  virtual const std::string& job_id() const = 0;
  virtual const std::string& name() const = 0;

  /// Until the job is finished or cancelled. If it failed for good, throws the first Error of the last attempt, with
  /// the operator's name before its message.
  virtual void Wait() = 0;
  /// Like Wait, for `duration` at most; true if the job has ended.
  virtual bool WaitFor(std::chrono::milliseconds duration) = 0;

  /// Ends the job without a checkpoint; returns at once.
  virtual void Cancel() = 0;

  /// Sources stop, a last checkpoint is taken and committed, the job finishes. Returns the checkpoint's folder ("" when
  /// checkpoints live in memory); the same job started again, or any with it as restore path, goes on from there.
  /// Throws what made it fail; the job then runs on (or restarts, if a task failed). Throws InvalidArgument if the job
  /// isn't running.
  virtual std::string StopWithSavepoint() = 0;

  virtual JobStatus Status() const = 0;
};

/// Starts `graph`. `metrics` outlives the execution. Metrics have Flink's names: per subtask
/// ("<job>.<operator>.<subtask>.…") numRecordsIn, numRecordsOut, numBytesIn (of sources that count them), numBytesOut
/// (to other tasks), currentInputWatermark, and for each task under its first operator accumulateIdleTimeMs and
/// accumulateBackPressuredTimeMs; per job ("<job>.…") lastCompletedCheckpointId (-1: none), lastCheckpointDuration
/// (ms), lastCheckpointSize (bytes), numberOfCompletedCheckpoints, numberOfFailedCheckpoints, numRestarts.
///
/// A failure that no retry can cure (InvalidArgument, Unsupported, Corrupt) ends the job whatever the restart strategy,
/// and so does any failure before the first attempt was running (a source folder that isn't there).
///
/// Throws InvalidArgument for a graph without a sink or with a loose end; Unavailable if another process runs the job
/// (same checkpoint dir and name), or the checkpoint dir can't be written; Corrupt if the newest checkpoint is damaged;
/// NotFound if the restore path isn't a checkpoint; InvalidArgument if the checkpoint has state of an operator that the
/// graph lacks.
std::unique_ptr<JobExecution> Submit(JobGraph graph, JobOptions options, MetricRegistry& metrics);

}  // namespace frazil::stream
