// SPDX-License-Identifier: Apache-2.0
// The job's side of one source's enumerator: keeps its calls apart, carries splits to the readers, discovers.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "frazil/base/error.h"
#include "frazil/stream/inbox.h"
#include "frazil/stream/source.h"

namespace frazil::stream {

class SourceCoordinator : public SplitEnumeratorContext {
 public:
  /// `readers`: the inboxes of the source's subtasks. `on_failure` is called from the discovery thread.
  SourceCoordinator(std::string name, Source& source, std::vector<Inbox*> readers,
                    std::function<void(const Error&)> on_failure);
  /// Ends the discovery.
  ~SourceCoordinator() override;

  /// Makes the enumerator, restored if there is state, hands it `unplaced` splits, begins to discover.
  void Start(const std::optional<std::string>& restored, std::vector<SourceSplit> unplaced);

  void HandleSplitRequest(int subtask);

  /// Snapshots the enumerator and tells the readers to inject `barrier`, in one step: a split assigned before it
  /// reaches its reader before the barrier does, so it is in exactly one of the two states.
  std::string TriggerCheckpoint(const Barrier& barrier);

  void CheckpointCompleted(int64_t checkpoint_id);
  /// After the job's end, not after a failure.
  void Close();
  /// Makes a discovery in progress the last; does not wait.
  void Cancel();

  int parallelism() const override { return static_cast<int>(readers_.size()); }
  void AssignSplit(int subtask, SourceSplit split) override;
  void SignalNoMoreSplits(int subtask) override;

 private:
  void EndDiscovery();
  void Discover(std::chrono::milliseconds interval);

  const std::string name_;
  Source& source_;
  const std::vector<Inbox*> readers_;
  const std::function<void(const Error&)> on_failure_;
  std::mutex mutex_;  ///< held during each call of the enumerator but DiscoverSplits
  std::unique_ptr<SplitEnumerator> enumerator_;
  std::mutex cancel_mutex_;
  std::condition_variable cancel_changed_;
  bool cancelled_ = false;
  std::thread discovery_;
};

}  // namespace frazil::stream
