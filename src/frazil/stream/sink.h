// SPDX-License-Identifier: Apache-2.0
// Sinks, in the terms of Flink's SinkV2: parallel writers stage data, one committer makes it visible.
//
// The protocol, for checkpoint n:
//   1. each writer gets the barrier: PrepareCommit(n) closes what it staged and returns committables (any bytes);
//   2. the committer has them all: PreCommit(n, …) folds them into one committable. It is kept in the checkpoint under
//      (job id, n) until step 4, so an aborted checkpoint's committable stays under its own id;
//   3. the checkpoint becomes durable;
//   4. Commit(requests) with everything kept up to n, in checkpoint order. After it returns, the requests are
//   forgotten.
// A crash between 3 and 4 (or in 4) gives the same requests to the next execution's committer first of all, marked
// `recovered`: Commit must find out which of them have landed.
//
// Threads: all calls of one writer come from its task's thread, those of a committer from the committer's own thread.
// Any call may throw: the job then fails and the restart strategy decides.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frazil/base/metrics.h"
#include "frazil/stream/change_batch.h"
#include "frazil/stream/operator.h"
#include "frazil/stream/state.h"

namespace frazil::stream {

struct WriterInitContext {
  TaskInfo task;
  std::optional<int64_t> restored_checkpoint_id;  ///< nullopt on a fresh start
  MetricRegistry& metrics;
  const OperatorState& restored;  ///< valid during CreateWriter
};

class SinkWriter {
 public:
  virtual ~SinkWriter() = default;

  virtual void Write(ChangeBatch batch) = 0;
  virtual void WriteWatermark(int64_t timestamp_ms) {}

  /// Everything written so far is to be committable by what this returns (or, in a sink without a committer, flushed).
  /// `end_of_input`: nothing will be written any more. A job that ends always calls this with `true`, also when
  /// checkpointing is off.
  virtual std::vector<std::string> PrepareCommit(int64_t checkpoint_id, bool end_of_input) = 0;

  /// After PrepareCommit, for what a writer must remember beyond its committables.
  virtual void SnapshotState(int64_t checkpoint_id, OperatorState& state) {}

  /// After everything else, not after a failure.
  virtual void Close() {}
  /// Instead of Close after a failure or cancellation: gives up what is open. Must not throw, must not delete what a
  /// PrepareCommit has returned.
  virtual void Abort() noexcept {}
};

struct CommitRequest {
  std::string job_id;        ///< of the job that wrote it: after a restore from a savepoint not the running one's
  std::string operator_uid;  ///< of the sink
  int64_t checkpoint_id = 0;
  std::string committable;  ///< as PreCommit returned it; "" = the checkpoint had nothing for this sink
  bool recovered = false;   ///< from a checkpoint of an earlier execution: may have been committed already
};

struct CommitterInitContext {
  TaskInfo task;                                  ///< subtask 0 of 1
  std::optional<int64_t> restored_checkpoint_id;  ///< nullopt on a fresh start
  MetricRegistry& metrics;
};

class Committer {
 public:
  virtual ~Committer() = default;

  /// Folds the committables of all writers for one checkpoint (in the order of subtasks; maybe none) into one, which is
  /// kept in the checkpoint: small, since it is copied into each checkpoint until committed; large lists go to staged
  /// files. May be "".
  virtual std::string PreCommit(int64_t checkpoint_id, std::vector<std::string> committables) = 0;

  /// Commits every request that has not been committed, in order. Requests of older checkpoints come first, recovered
  /// ones before all others. Never called with none.
  virtual void Commit(std::span<const CommitRequest> requests) = 0;

  /// After everything else, not after a failure.
  virtual void Close() {}
};

/// A description from which a job makes writers and the committer, at each attempt anew. Thread-safe.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual std::unique_ptr<SinkWriter> CreateWriter(const WriterInitContext& context) = 0;
  /// Null (default): the sink has no committer, and its writers' PrepareCommit returns nothing.
  virtual std::unique_ptr<Committer> CreateCommitter(const CommitterInitContext& context) { return nullptr; }
};

}  // namespace frazil::stream
