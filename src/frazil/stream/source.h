// SPDX-License-Identifier: Apache-2.0
// Sources, in the terms of Flink's FLIP-27: an enumerator finds splits and gives them to readers, a reader per subtask
// turns splits into batches. Exactly once comes from positions: a split's state says where reading goes on.
//
// Threads: all calls of one enumerator exclude each other but come from several threads; the one exception is
// DiscoverSplits, which runs beside them. All calls of one reader come from its task's thread. Any call may throw: the
// job then fails and the restart strategy decides.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/base/metrics.h"
#include "frazil/stream/change_batch.h"

namespace frazil::stream {

enum class Boundedness { kBounded, kContinuousUnbounded };

/// A part of the input with the position to go on from. `state` is the source's own encoding; readers decode it in
/// AddSplits and encode it in SnapshotState. It ends up in checkpoints, so a source keeps reading its older encodings
/// (begin it with a version).
struct SourceSplit {
  std::string id;  ///< unique within the source
  std::string state;
};

/// What an enumerator can do to its readers. Only to be called from within a call of the enumerator, or from the
/// function that DiscoverSplits returned.
class SplitEnumeratorContext {
 public:
  virtual ~SplitEnumeratorContext() = default;
  virtual int parallelism() const = 0;
  virtual void AssignSplit(int subtask, SourceSplit split) = 0;
  /// The subtask gets no more splits, ever: its reader ends when it has read those it has.
  virtual void SignalNoMoreSplits(int subtask) = 0;
};

class SplitEnumerator {
 public:
  virtual ~SplitEnumerator() = default;

  /// Once, before any other call.
  virtual void Start() {}

  /// A reader asked for a split (SourceReaderContext::SendSplitRequest). If there is none now, remember the subtask and
  /// assign later, or SignalNoMoreSplits.
  virtual void HandleSplitRequest(int subtask) = 0;

  /// The unfinished splits of all readers, after Start, when a job restores at another parallelism: to be assigned
  /// anew. At the same parallelism each reader gets its own back.
  virtual void AddSplitsBack(std::vector<SourceSplit> splits) = 0;

  /// What Source::RestoreEnumerator needs: at least the splits not yet assigned and what has been discovered. Splits
  /// assigned before this call belong to the readers' state of the same checkpoint, later ones don't.
  virtual std::string SnapshotState() = 0;

  /// How long to wait between two calls of DiscoverSplits; nullopt (default): it is never called.
  virtual std::optional<std::chrono::milliseconds> discovery_interval() const { return std::nullopt; }

  /// The slow part of finding new splits (listing a folder, asking a broker): runs on a thread of its own, beside the
  /// other calls, so it must not touch what they change. The returned function is then called like the other calls and
  /// merges the result; it may be empty.
  virtual std::function<void()> DiscoverSplits() { return {}; }

  virtual void NotifyCheckpointComplete(int64_t checkpoint_id) {}
  virtual void Close() {}
};

/// Where a reader puts what it read.
class SourceOutput {
 public:
  virtual ~SourceOutput() = default;
  /// Blocks under back-pressure. Empty batches are dropped.
  virtual void Emit(ChangeBatch batch) = 0;
  /// Event time in ms; must not go back.
  virtual void EmitWatermark(int64_t timestamp_ms) = 0;
};

enum class InputStatus {
  kMoreAvailable,     ///< call PollNext again at once
  kNothingAvailable,  ///< wait until WakeUp, a WakeUpAt that came due, or a new split
  kEndOfInput,        ///< all splits are read and no more will come
};

/// What a reader knows of its surroundings. Valid as long as the reader.
class SourceReaderContext {
 public:
  virtual ~SourceReaderContext() = default;
  virtual int subtask() const = 0;
  virtual int parallelism() const = 0;
  virtual const std::string& operator_uid() const = 0;
  /// Under which to register metrics: "<job>.<operator>.<subtask>".
  virtual const std::string& metric_scope() const = 0;
  virtual MetricRegistry& metrics() = 0;
  /// For a reader that knows how many bytes it took in (numBytesIn).
  virtual Counter& num_bytes_in() = 0;

  /// Asks the enumerator for a split; it arrives by AddSplits or NotifyNoMoreSplits, not within this call.
  virtual void SendSplitRequest() = 0;
  /// Ends the wait after kNothingAvailable; from any thread. A WakeUp during PollNext counts for the wait after it.
  virtual void WakeUp() = 0;
  /// The next wait ends at `time` at the latest. To be called from PollNext.
  virtual void WakeUpAt(std::chrono::steady_clock::time_point time) = 0;
  /// True when the task is being cancelled; a PollNext that takes long should look at it and return.
  virtual bool cancelled() const = 0;
};

class SourceReader {
 public:
  virtual ~SourceReader() = default;

  /// Once, after the restored splits were added and before the first PollNext.
  virtual void Start() {}
  virtual void AddSplits(std::vector<SourceSplit> splits) = 0;
  virtual void NotifyNoMoreSplits() = 0;

  /// Reads a little (one batch or so: checkpoints wait for it) into `output`.
  virtual InputStatus PollNext(SourceOutput& output) = 0;

  /// The splits that are not finished, with positions right behind the last row emitted.
  virtual std::vector<SourceSplit> SnapshotState(int64_t checkpoint_id) = 0;

  virtual void NotifyCheckpointComplete(int64_t checkpoint_id) {}
  virtual void Close() {}
};

/// A description from which a job makes enumerator and readers, at each attempt anew. Thread-safe.
class Source {
 public:
  virtual ~Source() = default;
  virtual Boundedness boundedness() const = 0;
  /// `context` outlives the enumerator.
  virtual std::unique_ptr<SplitEnumerator> CreateEnumerator(SplitEnumeratorContext& context) = 0;
  /// `state` comes from SplitEnumerator::SnapshotState, maybe of an older version. Throws Corrupt.
  virtual std::unique_ptr<SplitEnumerator> RestoreEnumerator(SplitEnumeratorContext& context,
                                                             std::string_view state) = 0;
  /// `context` outlives the reader.
  virtual std::unique_ptr<SourceReader> CreateReader(SourceReaderContext& context) = 0;
};

}  // namespace frazil::stream
