// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/source_coordinator.h"

#include "frazil/stream/chain.h"

namespace frazil::stream {

SourceCoordinator::SourceCoordinator(std::string name, Source& source, std::vector<Inbox*> readers,
                                     std::function<void(const Error&)> on_failure)
    : name_(std::move(name)), source_(source), readers_(std::move(readers)), on_failure_(std::move(on_failure)) {}

SourceCoordinator::~SourceCoordinator() { EndDiscovery(); }

void SourceCoordinator::Start(const std::optional<std::string>& restored, std::vector<SourceSplit> unplaced) {
  std::optional<std::chrono::milliseconds> interval = Guarded(name_, [&] {
    std::lock_guard lock(mutex_);
    enumerator_ = restored ? source_.RestoreEnumerator(*this, *restored) : source_.CreateEnumerator(*this);
    enumerator_->Start();
    if (!unplaced.empty()) enumerator_->AddSplitsBack(std::move(unplaced));
    return enumerator_->discovery_interval();
  });
  if (interval) discovery_ = std::thread([this, interval] { Discover(*interval); });
}

void SourceCoordinator::HandleSplitRequest(int subtask) {
  std::lock_guard lock(mutex_);
  enumerator_->HandleSplitRequest(subtask);
}

std::string SourceCoordinator::TriggerCheckpoint(const Barrier& barrier) {
  return Guarded(name_, [&] {
    std::lock_guard lock(mutex_);
    std::string state = enumerator_->SnapshotState();
    for (Inbox* reader : readers_) reader->Post(stream::TriggerCheckpoint{barrier});
    return state;
  });
}

void SourceCoordinator::CheckpointCompleted(int64_t checkpoint_id) {
  Guarded(name_, [&] {
    std::lock_guard lock(mutex_);
    enumerator_->NotifyCheckpointComplete(checkpoint_id);
  });
}

void SourceCoordinator::EndDiscovery() {
  Cancel();
  if (discovery_.joinable()) discovery_.join();
}

void SourceCoordinator::Close() {
  EndDiscovery();
  Guarded(name_, [&] {
    std::lock_guard lock(mutex_);
    enumerator_->Close();
  });
}

void SourceCoordinator::Cancel() {
  std::lock_guard lock(cancel_mutex_);
  cancelled_ = true;
  cancel_changed_.notify_all();
}

void SourceCoordinator::AssignSplit(int subtask, SourceSplit split) {
  readers_.at(static_cast<size_t>(subtask))->Post(AddSplits{{std::move(split)}});
}

void SourceCoordinator::SignalNoMoreSplits(int subtask) {
  readers_.at(static_cast<size_t>(subtask))->Post(NoMoreSplits());
}

void SourceCoordinator::Discover(std::chrono::milliseconds interval) {
  try {
    for (;;) {
      Guarded(name_, [&] {
        std::function<void()> merge = enumerator_->DiscoverSplits();
        std::lock_guard lock(mutex_);
        if (merge) merge();
      });
      std::unique_lock lock(cancel_mutex_);
      if (cancel_changed_.wait_for(lock, interval, [&] { return cancelled_; })) return;
    }
  } catch (const Error& error) {
    on_failure_(error);
  }
}

}  // namespace frazil::stream
