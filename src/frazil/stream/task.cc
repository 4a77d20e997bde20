// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/task.h"

#include <pthread.h>

#include "frazil/stream/checkpoint.h"

namespace frazil::stream {

Task::Task(int index, TaskInfo info, Inbox& inbox, TaskEvents& events, MetricRegistry& metrics)
    : index_(index),
      info_(std::move(info)),
      inbox_(inbox),
      events_(events),
      idle_ms_(metrics.counter(info_.metric_scope, "accumulateIdleTimeMs")) {}

void Task::Run() noexcept {
  // The kernel keeps 15 characters.
  pthread_setname_np(pthread_self(), fmt::format("{:.12}/{}", info_.name, info_.subtask % 100).c_str());
  try {
    Execute();
    return;
  } catch (const TaskCancelled&) {
  } catch (const Error& error) {
    events_.OnFailed(error);
  } catch (const std::exception& error) {
    events_.OnFailed(Internal("{}: {}", info_.name, error.what()));
  }
  Abort();
}

// ---- SourceTask

SourceTask::SourceTask(int index, TaskInfo info, Inbox& inbox, TaskEvents& events, MetricRegistry& metrics,
                       Source& source, SourceCoordinator& coordinator, std::vector<SourceSplit> restored, Links links,
                       JobCounters& job)
    : Task(index, std::move(info), inbox, events, metrics),
      metrics_(metrics),
      source_(source),
      coordinator_(coordinator),
      restored_(std::move(restored)),
      links_(std::move(links)),
      rows_in_(metrics.counter(info_.metric_scope, "numRecordsIn")),
      rows_out_(metrics.counter(info_.metric_scope, "numRecordsOut")),
      bytes_in_(metrics.counter(info_.metric_scope, "numBytesIn")),
      job_rows_in_(job.rows_in) {}

void SourceTask::Execute() {
  links_.Open();
  Guarded(info_.name, [&] {
    reader_ = source_.CreateReader(*this);
    if (!restored_.empty()) reader_->AddSplits(std::move(restored_));
    reader_->Start();
  });
  for (;;) {
    std::optional<Control> message = inbox_.PollControl();
    if (!message) message = ended_ || suspended_ ? inbox_.WaitForControl(std::nullopt, idle_ms_) : Poll();
    if (message && !Handle(std::move(*message))) break;
  }
  Guarded(info_.name, [&] { reader_->Close(); });
  links_.Close();
}

void SourceTask::Abort() noexcept { links_.Abort(); }

bool SourceTask::Handle(Control message) {
  if (std::holds_alternative<Shutdown>(message)) return false;
  if (auto* trigger = std::get_if<TriggerCheckpoint>(&message)) {
    Checkpoint(trigger->barrier);
  } else if (auto* add = std::get_if<AddSplits>(&message)) {
    Guarded(info_.name, [&] { reader_->AddSplits(std::move(add->splits)); });
  } else if (std::holds_alternative<NoMoreSplits>(message)) {
    Guarded(info_.name, [&] { reader_->NotifyNoMoreSplits(); });
  } else if (auto* completed = std::get_if<CheckpointCompleted>(&message)) {
    Guarded(info_.name, [&] { reader_->NotifyCheckpointComplete(completed->checkpoint_id); });
    links_.CheckpointCompleted(completed->checkpoint_id);
  } else if (std::holds_alternative<ResumeSource>(message)) {
    suspended_ = false;
  }
  return true;
}

void SourceTask::Checkpoint(const Barrier& barrier) {
  std::vector<SubtaskSnapshot> snapshots;
  OperatorState splits =
      Guarded(info_.name, [&] { return EncodeSplits(reader_->SnapshotState(barrier.checkpoint_id)); });
  snapshots.push_back({info_.operator_uid, info_.subtask, std::move(splits), {}});
  links_.Process(barrier, snapshots);
  suspended_ = barrier.stop;
  events_.OnAcknowledged(index_, barrier.checkpoint_id, std::move(snapshots));
}

std::optional<Control> SourceTask::Poll() {
  wake_up_at_.reset();
  InputStatus status = Guarded(info_.name, [&] { return reader_->PollNext(*this); });
  switch (status) {
    case InputStatus::kMoreAvailable: return std::nullopt;
    case InputStatus::kNothingAvailable: return inbox_.WaitForControl(wake_up_at_, idle_ms_);
    case InputStatus::kEndOfInput: EndInput(); return std::nullopt;
  }
  throw Internal("{}: {} is not an input status", info_.name, static_cast<int>(status));
}

void SourceTask::EndInput() {
  links_.Process(Watermark{Watermark::kMax});
  links_.EndInput();
  ended_ = true;
  events_.OnInputEnded(index_);
}

void SourceTask::Emit(ChangeBatch batch) {
  int64_t rows = batch.num_rows();
  if (rows == 0) return;
  rows_in_.Add(rows);
  rows_out_.Add(rows);
  job_rows_in_.Add(rows);
  links_.Process(std::move(batch));
}

// ---- ChainTask

ChainTask::ChainTask(int index, TaskInfo info, Inbox& inbox, TaskEvents& events, MetricRegistry& metrics, Links links)
    : Task(index, std::move(info), inbox, events, metrics), links_(std::move(links)) {}

void ChainTask::Execute() {
  links_.Open();
  for (;;) {
    std::variant<Control, Arrival> next = inbox_.Next(idle_ms_);
    if (auto* arrival = std::get_if<Arrival>(&next)) {
      Handle(std::move(arrival->element));
    } else if (!Handle(std::get<Control>(next))) {
      break;
    }
  }
  links_.Close();
}

void ChainTask::Abort() noexcept { links_.Abort(); }

bool ChainTask::Handle(const Control& message) {
  if (auto* completed = std::get_if<CheckpointCompleted>(&message))
    links_.CheckpointCompleted(completed->checkpoint_id);
  return !std::holds_alternative<Shutdown>(message);
}

void ChainTask::Handle(Element element) {
  if (auto* batch = std::get_if<ChangeBatch>(&element)) {
    links_.Process(std::move(*batch));
  } else if (auto* watermark = std::get_if<Watermark>(&element)) {
    links_.Process(*watermark);
  } else if (auto* barrier = std::get_if<Barrier>(&element)) {
    std::vector<SubtaskSnapshot> snapshots;
    links_.Process(*barrier, snapshots);
    events_.OnAcknowledged(index_, barrier->checkpoint_id, std::move(snapshots));
  } else if (std::holds_alternative<EndOfInput>(element)) {
    links_.EndInput();
    events_.OnInputEnded(index_);
  }
}

// ---- CommitterTask

CommitterTask::CommitterTask(int index, TaskInfo info, Inbox& inbox, TaskEvents& events, MetricRegistry& metrics,
                             std::unique_ptr<Committer> committer, int num_writers,
                             std::vector<CommitRequest> recovered, std::optional<int64_t> restored_checkpoint_id)
    : Task(index, std::move(info), inbox, events, metrics),
      committer_(std::move(committer)),
      arrived_(static_cast<size_t>(num_writers)),
      pending_(std::move(recovered)),
      restored_checkpoint_id_(restored_checkpoint_id) {}

void CommitterTask::Execute() {
  if (restored_checkpoint_id_) CommitUpTo(*restored_checkpoint_id_);
  for (;;) {
    std::variant<Control, Arrival> next = inbox_.Next(idle_ms_);
    if (auto* arrival = std::get_if<Arrival>(&next)) {
      Handle(std::move(*arrival));
    } else if (!Handle(std::get<Control>(next))) {
      break;
    }
  }
  Guarded(info_.name, [&] { committer_->Close(); });
}

bool CommitterTask::Handle(const Control& message) {
  if (auto* completed = std::get_if<CheckpointCompleted>(&message)) CommitUpTo(completed->checkpoint_id);
  return !std::holds_alternative<Shutdown>(message);
}

void CommitterTask::Handle(Arrival arrival) {
  if (auto* committables = std::get_if<Committables>(&arrival.element)) {
    arrived_[static_cast<size_t>(arrival.channel)] = std::move(committables->committables);
  } else if (auto* barrier = std::get_if<Barrier>(&arrival.element)) {
    Checkpoint(*barrier);
  }
}

void CommitterTask::Checkpoint(const Barrier& barrier) {
  std::vector<std::string> all;
  for (std::vector<std::string>& writer : arrived_) {
    std::move(writer.begin(), writer.end(), std::back_inserter(all));
    writer.clear();
  }
  CommitRequest request{info_.job_id, info_.operator_uid, barrier.checkpoint_id, {}, false};
  request.committable =
      Guarded(info_.name, [&] { return committer_->PreCommit(barrier.checkpoint_id, std::move(all)); });
  pending_.push_back(std::move(request));
  std::vector<SubtaskSnapshot> snapshots;
  snapshots.push_back({info_.operator_uid, 0, {}, pending_});
  events_.OnAcknowledged(index_, barrier.checkpoint_id, std::move(snapshots));
}

void CommitterTask::CommitUpTo(int64_t checkpoint_id) {
  // Recovered requests may carry any number, since they may be of another job id; they are always first.
  auto end = std::find_if(pending_.begin(), pending_.end(), [&](const CommitRequest& request) {
    return !request.recovered && request.checkpoint_id > checkpoint_id;
  });
  std::span<const CommitRequest> due(pending_.begin(), end);
  if (!due.empty()) Guarded(info_.name, [&] { committer_->Commit(due); });
  pending_.erase(pending_.begin(), end);
  events_.OnCommitted(info_.operator_uid, checkpoint_id);
}

}  // namespace frazil::stream
