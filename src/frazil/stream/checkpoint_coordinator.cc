// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/checkpoint_coordinator.h"

#include <spdlog/spdlog.h>

#include "frazil/base/clock.h"
#include "frazil/base/fault.h"

namespace frazil::stream {

CheckpointCoordinator::CheckpointCoordinator(Attempt& attempt, CheckpointStore& store, const JobOptions& options,
                                             CheckpointProgress& progress)
    : attempt_(attempt), store_(store), options_(options), progress_(progress) {
  if (options_.checkpoint_interval) next_periodic_ = Clock::now() + *options_.checkpoint_interval;
}

std::optional<CheckpointCoordinator::Clock::time_point> CheckpointCoordinator::NextEvent() const {
  if (in_progress_) return in_progress_->started + options_.checkpoint_timeout;
  if (last_id_) return std::nullopt;
  return next_periodic_;
}

void CheckpointCoordinator::OnTime(Clock::time_point now) {
  if (in_progress_ && now >= in_progress_->started + options_.checkpoint_timeout) {
    std::string waiting;
    for (int task : in_progress_->missing) {
      const TaskInfo& info = attempt_.task(task).info();
      waiting +=
          fmt::format("{}{} ({}/{})", waiting.empty() ? "" : ", ", info.name, info.subtask + 1, info.parallelism);
    }
    Fail(Unavailable("checkpoint {} was not complete after {} ('execution.checkpointing.timeout'); it waited for {}",
                     in_progress_->checkpoint.id, FormatDuration(options_.checkpoint_timeout), waiting));
  }
  BeginIfDue(now);
}

void CheckpointCoordinator::BeginIfDue(Clock::time_point now) {
  if (in_progress_ || last_id_) return;
  if (all_ended()) {
    Begin({progress_.last_id + 1, true, false}, now);
  } else if (stop_requested_) {
    Begin({progress_.last_id + 1, false, true}, now);
  } else if (next_periodic_ && now >= *next_periodic_) {
    next_periodic_ = now + *options_.checkpoint_interval;
    Begin({progress_.last_id + 1, false, false}, now);
  }
}

void CheckpointCoordinator::Begin(Barrier barrier, Clock::time_point now) {
  progress_.last_id = barrier.checkpoint_id;
  InProgress& pending = in_progress_.emplace();
  pending.barrier = barrier;
  pending.started = now;
  pending.checkpoint.id = barrier.checkpoint_id;
  pending.checkpoint.job_id = store_.job_id();
  pending.checkpoint.job_name = options_.name;
  pending.checkpoint.savepoint = barrier.stop;
  pending.checkpoint.end_of_input = barrier.end_of_input;
  for (int task = 0; task < attempt_.num_tasks(); ++task) pending.missing.insert(task);
  attempt_.TriggerCheckpoint(barrier, pending.checkpoint);
}

void CheckpointCoordinator::OnAcknowledged(int task, int64_t checkpoint_id, std::vector<SubtaskSnapshot> snapshots) {
  if (!in_progress_ || in_progress_->checkpoint.id != checkpoint_id) return;  // of one that was given up
  for (SubtaskSnapshot& snapshot : snapshots) {
    OperatorSnapshot& into = in_progress_->checkpoint.operators[snapshot.uid];
    if (into.subtasks.size() <= static_cast<size_t>(snapshot.subtask)) {
      into.subtasks.resize(static_cast<size_t>(snapshot.subtask) + 1);
    }
    if (!snapshot.state.empty()) into.subtasks[static_cast<size_t>(snapshot.subtask)] = std::move(snapshot.state);
    if (!snapshot.pending.empty()) into.pending = std::move(snapshot.pending);
  }
  in_progress_->missing.erase(task);
  if (in_progress_->missing.empty()) Complete();
}

void CheckpointCoordinator::Complete() {
  in_progress_->checkpoint.completed_ms = NowMillis();
  CheckpointStore::Written written;
  try {
    written = store_.Write(in_progress_->checkpoint);
  } catch (const Error& error) {
    Fail(error.WithContext(fmt::format("checkpoint {}", in_progress_->checkpoint.id)));
    return;
  }
  Clock::time_point now = Clock::now();
  const InProgress done = std::move(*in_progress_);
  in_progress_.reset();
  consecutive_failures_ = 0;
  ++progress_.completed;
  progress_.completed_id = done.checkpoint.id;
  progress_.last_bytes = written.bytes;
  progress_.last_duration_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now - done.started).count();
  if (next_periodic_) next_periodic_ = std::max(*next_periodic_, now + options_.min_pause);
  if (done.barrier.stop || done.barrier.end_of_input) {
    last_id_ = done.checkpoint.id;
    last_path_ = written.path;
    stop_completed_ = stop_requested_;
  }
  attempt_.CheckpointCompleted(done.checkpoint.id);
  AdvanceCommitted();
}

void CheckpointCoordinator::Fail(const Error& error) {
  const Barrier barrier = in_progress_->barrier;
  in_progress_.reset();
  ++progress_.failed;
  spdlog::warn("Job '{}': {}", options_.name, error.what());
  if (barrier.stop) {
    stop_requested_ = false;
    stop_failure_ = error;
    attempt_.ResumeSources();
    return;
  }
  if (++consecutive_failures_ > options_.tolerable_failed_checkpoints) {
    throw Error(error.kind(), fmt::format("{} (failed checkpoints in a row: {}, "
                                          "'execution.checkpointing.tolerable-failed-checkpoints' allows {})",
                                          error.what(), consecutive_failures_, options_.tolerable_failed_checkpoints));
  }
}

void CheckpointCoordinator::OnInputEnded() { ++num_ended_; }

void CheckpointCoordinator::OnCommitted(const std::string& sink_uid, int64_t checkpoint_id) {
  committed_[sink_uid] = checkpoint_id;
  AdvanceCommitted();
}

void CheckpointCoordinator::AdvanceCommitted() {
  std::optional<int64_t> committed = progress_.completed_id;
  for (const std::string& sink : attempt_.committed_sinks()) {
    auto it = committed_.find(sink);
    if (it == committed_.end()) return;
    committed = committed ? std::min(*committed, it->second) : it->second;
  }
  if (!committed || (progress_.committed_id && *committed <= *progress_.committed_id)) return;
  FaultPoint("commit-ack.before");
  try {
    store_.ConfirmCommitted(*committed);
  } catch (const Error& error) {
    spdlog::warn("Job '{}': can't note that checkpoint {} is committed: {}", options_.name, *committed, error.what());
  }
  FaultPoint("commit-ack.after");
  progress_.committed_id = committed;
}

void CheckpointCoordinator::RequestStop() { stop_requested_ = true; }

std::optional<Error> CheckpointCoordinator::TakeStopFailure() { return std::exchange(stop_failure_, std::nullopt); }

bool CheckpointCoordinator::done() const {
  return last_id_ && progress_.committed_id && *progress_.committed_id >= *last_id_;
}

}  // namespace frazil::stream
