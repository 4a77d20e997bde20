// SPDX-License-Identifier: Apache-2.0
// The one place where a task waits: bounded channels from upstream subtasks, aligned by barriers, and the control
// messages of the job's coordinator.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frazil/base/metrics.h"
#include "frazil/stream/change_batch.h"
#include "frazil/stream/source.h"

namespace frazil::stream {

/// Leaves a task that is being cancelled, from within a blocking call. Not a std::exception, so that operators that
/// catch errors don't hold it up.
struct TaskCancelled {};

// ---- what flows through channels

struct Watermark {
  static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  static constexpr int64_t kMin = std::numeric_limits<int64_t>::min();
  int64_t timestamp_ms;
};
struct Barrier {
  int64_t checkpoint_id;
  bool end_of_input = false;  ///< the last checkpoint of a job whose input has ended
  bool stop = false;          ///< sources emit nothing after it
};
/// From a writer to its committer, before the barrier of that checkpoint.
struct Committables {
  int64_t checkpoint_id;
  std::vector<std::string> committables;
};
/// Only barriers follow.
struct EndOfInput {};
using Element = std::variant<ChangeBatch, Watermark, Barrier, Committables, EndOfInput>;

// ---- control messages

struct TriggerCheckpoint {
  Barrier barrier;
};
struct AddSplits {
  std::vector<SourceSplit> splits;
};
struct NoMoreSplits {};
struct CheckpointCompleted {
  int64_t checkpoint_id;
};
/// The stop was called off: sources go on.
struct ResumeSource {};
struct Shutdown {};
using Control = std::variant<TriggerCheckpoint, AddSplits, NoMoreSplits, CheckpointCompleted, ResumeSource, Shutdown>;

/// An element as the task gets it: watermarks and ends of input combined over all channels, barriers aligned.
struct Arrival {
  int channel;  ///< the last one that was needed
  Element element;
};

struct ChannelLimits {
  int64_t max_batches;
  int64_t max_bytes;
};

/// Producers push from their threads; the owning task is the only consumer. Thread-safe.
class Inbox {
 public:
  Inbox(int num_channels, ChannelLimits limits);

  /// Blocks while the channel is full, but only a batch waits. Throws TaskCancelled. Time spent blocked is added to
  /// `blocked_ms`. Returns the bytes of the batch, 0 for other elements.
  int64_t Push(int channel, Element element, Counter& blocked_ms);

  void Post(Control message);

  /// Ends the wait of WaitForControl (see SourceReaderContext::WakeUp).
  void WakeUp();

  /// Everything that blocks in this inbox, now or later, throws TaskCancelled.
  void Cancel();
  bool cancelled() const { return cancelled_.load(std::memory_order_relaxed); }

  /// The next control message, or else the next arrival. Blocks; throws TaskCancelled. For tasks with channels.
  std::variant<Control, Arrival> Next(Counter& idle_ms);

  /// A control message that is there already. Throws TaskCancelled.
  std::optional<Control> PollControl();

  /// Blocks until there is a control message (which is returned), WakeUp was called since the last wait, or `deadline`
  /// has passed. Throws TaskCancelled.
  std::optional<Control> WaitForControl(std::optional<std::chrono::steady_clock::time_point> deadline,
                                        Counter& idle_ms);

 private:
  struct Queued {
    Element element;
    int64_t bytes;
  };
  struct Channel {
    std::deque<Queued> elements;
    int64_t batches = 0;
    int64_t bytes = 0;
    int64_t watermark = Watermark::kMin;
    bool has_barrier = false;  ///< blocked until the others have it too
  };

  bool Full(const Channel& channel) const;
  /// A channel with an element that may be taken, or -1.
  int Ready() const;
  std::optional<Control> TakeControl();
  Element Pop(Channel& channel);
  /// Null if the element has to wait for its like in other channels.
  std::optional<Arrival> Combine(int channel, Element element);
  std::optional<Arrival> Align(int channel, Barrier barrier);
  std::optional<Arrival> CombineWatermark(int channel, int64_t timestamp_ms);

  const ChannelLimits limits_;
  std::mutex mutex_;
  std::condition_variable consumer_;
  std::condition_variable producers_;
  std::vector<Channel> channels_;
  std::deque<Control> control_;
  std::atomic<bool> cancelled_{false};
  bool woken_ = false;
  int next_channel_ = 0;  ///< where Ready begins to look, for fairness
  int num_barriers_ = 0;
  int num_ended_ = 0;
  int64_t barrier_id_ = 0;
  int64_t watermark_ = Watermark::kMin;
};

}  // namespace frazil::stream
