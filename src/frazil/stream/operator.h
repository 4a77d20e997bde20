// SPDX-License-Identifier: Apache-2.0
// Operators between source and sink. Those that need no shuffle between them are chained: they run in one thread and
// hand batches on by a plain call.
//
// Threads: all calls of one Operator come from its task's thread. Any call may throw: the job then fails and the
// restart strategy decides.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "frazil/base/metrics.h"
#include "frazil/stream/change_batch.h"
#include "frazil/stream/state.h"

namespace frazil::stream {

/// Which subtask of which run an operator or writer is.
struct TaskInfo {
  std::string job_name;
  std::string job_id;        ///< 32 hex digits; the same over restarts and resumptions of a job
  std::string operator_uid;  ///< stable identity of the operator in the graph, the key of its state
  std::string name;          ///< for people
  int subtask = 0;
  int parallelism = 1;
  /// Counts the executions of this job id, over process restarts too: (job id, attempt, subtask) never repeats, so file
  /// names made of them don't either.
  int64_t attempt = 0;
  std::string metric_scope;  ///< "<job>.<operator>.<subtask>"
};

class Output {
 public:
  virtual ~Output() = default;
  /// Passes `batch` on; blocks under back-pressure. Empty batches are dropped.
  virtual void Emit(ChangeBatch batch) = 0;
};

struct OperatorContext {
  TaskInfo task;
  MetricRegistry& metrics;
  const OperatorState& restored;  ///< empty on a fresh start; valid during Open
};

class Operator {
 public:
  virtual ~Operator() = default;

  virtual void Open(const OperatorContext& context) {}
  virtual void ProcessBatch(ChangeBatch batch, Output& output) = 0;
  /// Event time has reached `timestamp_ms` (INT64_MAX at the end of input). The runtime forwards the watermark after
  /// this call.
  virtual void ProcessWatermark(int64_t timestamp_ms, Output& output) {}
  /// Adds to `state` what Open needs to go on from here.
  virtual void SnapshotState(int64_t checkpoint_id, OperatorState& state) {}
  virtual void NotifyCheckpointComplete(int64_t checkpoint_id) {}
  /// All inputs have ended: the last chance to emit. Checkpoints may still follow.
  virtual void EndInput(Output& output) {}
  /// After everything else, not after a failure.
  virtual void Close() {}
};

/// Makes the operator of one subtask; called once per subtask and attempt, from one thread at a time.
using OperatorFactory = std::function<std::unique_ptr<Operator>()>;

}  // namespace frazil::stream
