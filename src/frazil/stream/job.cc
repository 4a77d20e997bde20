// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/job.h"

#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include <spdlog/spdlog.h>

#include "frazil/base/clock.h"
#include "frazil/base/error.h"
#include "frazil/stream/attempt.h"
#include "frazil/stream/checkpoint_coordinator.h"
#include "frazil/stream/checkpoint_store.h"

namespace frazil::stream {

std::string_view ToString(JobState state) {
  switch (state) {
    case JobState::kCreated: return "CREATED";
    case JobState::kRunning: return "RUNNING";
    case JobState::kRestarting: return "RESTARTING";
    case JobState::kCancelling: return "CANCELLING";
    case JobState::kFinished: return "FINISHED";
    case JobState::kFailed: return "FAILED";
    case JobState::kCanceled: return "CANCELED";
  }
  throw Internal("{} is not a job state", static_cast<int>(state));
}

namespace {

using Clock = std::chrono::steady_clock;

/// A failure that comes back with every attempt.
bool Incurable(ErrorKind kind) {
  return kind == ErrorKind::kInvalidArgument || kind == ErrorKind::kUnsupported || kind == ErrorKind::kCorrupt;
}

void CheckGraph(const JobGraph& graph) {
  const auto& nodes = graph.nodes();
  std::vector<bool> consumed(nodes.size(), false);
  bool has_sink = false;
  for (const JobGraph::Node& node : nodes) {
    has_sink |= node.sink != nullptr;
    for (const JobGraph::Input& input : node.inputs) consumed[static_cast<size_t>(input.node)] = true;
  }
  if (!has_sink) throw InvalidArgument("the job has no sink");
  for (size_t id = 0; id < nodes.size(); ++id) {
    if (nodes[id].sink == nullptr && !consumed[id]) {
      throw InvalidArgument("the output of operator '{}' goes nowhere: connect it to a sink", nodes[id].spec.name);
    }
  }
}

/// State of operators that are gone would be lost without a word.
void CheckRestorable(const JobGraph& graph, const Checkpoint& checkpoint, bool allow_non_restored_state) {
  for (const auto& [uid, snapshot] : checkpoint.operators) {
    bool known = std::any_of(graph.nodes().begin(), graph.nodes().end(),
                             [&uid = uid](const JobGraph::Node& node) { return node.spec.uid == uid; });
    if (known || snapshot.empty()) continue;
    if (!allow_non_restored_state) {
      throw InvalidArgument(
          "checkpoint {} of job '{}' has state of the operator '{}', which the job does not have now; go back to the "
          "program that wrote it, drop that state with 'execution.state-recovery.ignore-unclaimed-state' = 'true', or "
          "start anew with 'frazil.job.fresh' = 'true'",
          checkpoint.id, checkpoint.job_name, uid);
    }
    spdlog::warn("Job '{}': the state of operator '{}' in checkpoint {} is dropped", checkpoint.job_name, uid,
                 checkpoint.id);
  }
}

class JobExecutionImpl : public JobExecution, private TaskEvents {
 public:
  JobExecutionImpl(JobGraph graph, JobOptions options, MetricRegistry& metrics)
      : graph_(std::move(graph)),
        options_(std::move(options)),
        metrics_(metrics),
        plan_(graph_),
        store_(OpenCheckpointStore(options_)),
        restart_strategy_(MakeRestartStrategy(options_.restart)) {
    restored_ = store_->Latest();
    if (restored_) CheckRestorable(graph_, *restored_, options_.allow_non_restored_state);
    status_.job_id = store_->job_id();
    thread_ = std::thread([this] { Run(); });
  }

  ~JobExecutionImpl() override {
    Cancel();
    thread_.join();
  }

  const std::string& job_id() const override { return store_->job_id(); }
  const std::string& name() const override { return options_.name; }

  void Wait() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return Ended(); });
    ThrowIfFailed();
  }

  bool WaitFor(std::chrono::milliseconds duration) override {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, duration, [&] { return Ended(); })) return false;
    ThrowIfFailed();
    return true;
  }

  void Cancel() override {
    std::lock_guard lock(mutex_);
    if (Ended()) return;
    cancel_requested_ = true;
    status_.state = JobState::kCancelling;
    if (attempt_ != nullptr) attempt_->Cancel();
    changed_.notify_all();
  }

  std::string StopWithSavepoint() override {
    std::future<std::string> path;
    {
      std::lock_guard lock(mutex_);
      if (status_.state != JobState::kRunning && status_.state != JobState::kCreated) {
        throw InvalidArgument("job '{}' is {}: only a running job can be stopped with a savepoint", options_.name,
                              ToString(status_.state));
      }
      path = stop_requests_.emplace_back().get_future();
      changed_.notify_all();
    }
    return path.get();
  }

  JobStatus Status() const override {
    std::lock_guard lock(mutex_);
    JobStatus status = status_;
    status.rows_in = counters_.rows_in.value();
    status.rows_out = counters_.rows_out.value();
    return status;
  }

 private:
  struct Acknowledged {
    int task;
    int64_t checkpoint_id;
    std::vector<SubtaskSnapshot> snapshots;
  };
  struct InputEnded {};
  struct Committed {
    std::string sink_uid;
    int64_t checkpoint_id;
  };
  struct Failed {
    Error error;
  };
  using Event = std::variant<Acknowledged, InputEnded, Committed, Failed>;

  // TaskEvents, from the threads of tasks
  void OnAcknowledged(int task, int64_t checkpoint_id, std::vector<SubtaskSnapshot> snapshots) override {
    Push(Acknowledged{task, checkpoint_id, std::move(snapshots)});
  }
  void OnInputEnded(int) override { Push(InputEnded()); }
  void OnCommitted(const std::string& sink_uid, int64_t checkpoint_id) override {
    Push(Committed{sink_uid, checkpoint_id});
  }
  void OnFailed(const Error& error) override { Push(Failed{error}); }

  void Push(Event event) {
    std::lock_guard lock(mutex_);
    events_.push_back(std::move(event));
    changed_.notify_all();
  }

  bool Ended() const {
    return status_.state == JobState::kFinished || status_.state == JobState::kFailed ||
           status_.state == JobState::kCanceled;
  }

  void ThrowIfFailed() const {
    if (status_.state == JobState::kFailed) throw *failure_;
  }

  /// The job's own thread.
  void Run() {
    for (;;) {
      std::optional<Error> failure;
      try {
        RunAttempt();
        End(JobState::kFinished, std::nullopt);
        return;
      } catch (const TaskCancelled&) {
      } catch (const Error& error) {
        failure = error;
      } catch (const std::exception& error) {
        failure = Internal("{}", error.what());
      }
      if (!failure || cancel_requested()) {
        End(JobState::kCanceled, std::nullopt);
        return;
      }
      RejectStopRequests(*failure);
      std::optional<std::chrono::nanoseconds> delay;
      if (ever_ran_ && !Incurable(failure->kind())) delay = restart_strategy_->OnFailure(Clock::now());
      if (!delay) {
        End(JobState::kFailed, failure);
        return;
      }
      spdlog::warn("Job '{}' failed, restarting in {}: {}", options_.name, FormatDuration(*delay), failure->what());
      if (!WaitToRestart(*failure, *delay)) {
        End(JobState::kCanceled, std::nullopt);
        return;
      }
    }
  }

  /// Returns when the job has finished; throws when the attempt failed, TaskCancelled when it was cancelled.
  void RunAttempt() {
    if (first_attempt_) {
      first_attempt_ = false;
    } else {
      restored_ = store_->Latest();
    }
    BeginAttempt();
    Attempt attempt(
        {graph_, plan_, options_, store_->job_id(), store_->NextAttempt(), restored_, metrics_, counters_, *this});
    CheckpointCoordinator coordinator(attempt, *store_, options_, progress_);
    AttemptInUse in_use(*this, attempt);
    attempt.Start();
    ever_ran_ = true;
    for (;;) {
      if (!WaitForEvents(coordinator)) throw TaskCancelled();
      HandleEvents(coordinator);
      coordinator.OnTime(Clock::now());
      if (std::optional<Error> failure = coordinator.TakeStopFailure()) RejectStopRequests(*failure);
      PublishProgress();
      if (coordinator.done()) break;
    }
    attempt.ShutDown();
    if (cancel_requested()) throw TaskCancelled();
    HandleEvents(coordinator);
    FulfilStopRequests(coordinator);
  }

  /// While it lives, Cancel reaches the attempt.
  class AttemptInUse {
   public:
    AttemptInUse(JobExecutionImpl& job, Attempt& attempt) : job_(job) {
      std::lock_guard lock(job_.mutex_);
      job_.attempt_ = &attempt;
      if (job_.cancel_requested_) attempt.Cancel();
    }
    ~AttemptInUse() {
      std::lock_guard lock(job_.mutex_);
      job_.attempt_ = nullptr;
    }

   private:
    JobExecutionImpl& job_;
  };

  void BeginAttempt() {
    if (restored_) {
      progress_.last_id = std::max(progress_.last_id, restored_->id);
      progress_.completed_id = restored_->id;
    }
    std::lock_guard lock(mutex_);
    events_.clear();
    status_.restored_checkpoint_id.reset();
    if (restored_) status_.restored_checkpoint_id = restored_->id;
    if (!cancel_requested_) status_.state = JobState::kRunning;
    changed_.notify_all();
  }

  /// False: the job is to be cancelled.
  bool WaitForEvents(CheckpointCoordinator& coordinator) {
    std::optional<Clock::time_point> deadline = coordinator.NextEvent();
    std::unique_lock lock(mutex_);
    auto something = [&] {
      return cancel_requested_ || !events_.empty() || num_stop_requests_seen_ < stop_requests_.size();
    };
    if (deadline) {
      changed_.wait_until(lock, *deadline, something);
    } else {
      changed_.wait(lock, something);
    }
    if (num_stop_requests_seen_ < stop_requests_.size()) {
      num_stop_requests_seen_ = stop_requests_.size();
      coordinator.RequestStop();
    }
    return !cancel_requested_;
  }

  void HandleEvents(CheckpointCoordinator& coordinator) {
    std::vector<Event> events;
    {
      std::lock_guard lock(mutex_);
      events.swap(events_);
    }
    for (Event& event : events) {
      if (auto* acknowledged = std::get_if<Acknowledged>(&event)) {
        coordinator.OnAcknowledged(acknowledged->task, acknowledged->checkpoint_id, std::move(acknowledged->snapshots));
      } else if (std::holds_alternative<InputEnded>(event)) {
        coordinator.OnInputEnded();
      } else if (auto* committed = std::get_if<Committed>(&event)) {
        coordinator.OnCommitted(committed->sink_uid, committed->checkpoint_id);
      } else {
        throw std::get<Failed>(event).error;
      }
    }
  }

  void PublishProgress() {
    metrics_.gauge(options_.name, "lastCompletedCheckpointId").Set(progress_.completed_id.value_or(-1));
    metrics_.gauge(options_.name, "lastCheckpointDuration").Set(progress_.last_duration_ms);
    metrics_.gauge(options_.name, "lastCheckpointSize").Set(progress_.last_bytes);
    metrics_.gauge(options_.name, "numberOfCompletedCheckpoints").Set(progress_.completed);
    metrics_.gauge(options_.name, "numberOfFailedCheckpoints").Set(progress_.failed);
    std::lock_guard lock(mutex_);
    status_.completed_checkpoint_id = progress_.completed_id;
    status_.committed_checkpoint_id = progress_.committed_id;
    status_.completed_checkpoints = progress_.completed;
    status_.failed_checkpoints = progress_.failed;
  }

  /// False: cancelled meanwhile.
  bool WaitToRestart(const Error& failure, std::chrono::nanoseconds delay) {
    PublishProgress();
    std::unique_lock lock(mutex_);
    ++status_.restarts;
    metrics_.gauge(options_.name, "numRestarts").Set(status_.restarts);
    status_.failure = failure.what();
    if (!cancel_requested_) status_.state = JobState::kRestarting;
    changed_.notify_all();
    return !changed_.wait_for(lock, delay, [&] { return cancel_requested_; });
  }

  void FulfilStopRequests(const CheckpointCoordinator& coordinator) {
    std::lock_guard lock(mutex_);
    status_.stopped_with_savepoint = coordinator.stopped();
    for (auto& request : stop_requests_) request.set_value(coordinator.last_path());
    ForgetStopRequests();
  }

  void RejectStopRequests(const Error& error) {
    std::lock_guard lock(mutex_);
    for (auto& request : stop_requests_) request.set_exception(std::make_exception_ptr(error));
    ForgetStopRequests();
  }

  void ForgetStopRequests() {
    stop_requests_.clear();
    num_stop_requests_seen_ = 0;
  }

  void End(JobState state, const std::optional<Error>& failure) {
    PublishProgress();
    RejectStopRequests(failure.value_or(InvalidArgument("job '{}' is {}", options_.name, ToString(state))));
    std::lock_guard lock(mutex_);
    if (failure) status_.failure = failure->what();
    failure_ = failure;
    status_.state = state;
    changed_.notify_all();
  }

  bool cancel_requested() const {
    std::lock_guard lock(mutex_);
    return cancel_requested_;
  }

  const JobGraph graph_;
  const JobOptions options_;
  MetricRegistry& metrics_;
  const ExecutionPlan plan_;
  const std::unique_ptr<CheckpointStore> store_;
  const std::unique_ptr<RestartStrategy> restart_strategy_;
  JobCounters counters_;

  // Of the job's thread
  std::optional<Checkpoint> restored_;
  bool first_attempt_ = true;
  bool ever_ran_ = false;  ///< an attempt got as far as running tasks
  CheckpointProgress progress_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Event> events_;
  std::vector<std::promise<std::string>> stop_requests_;
  size_t num_stop_requests_seen_ = 0;
  bool cancel_requested_ = false;
  Attempt* attempt_ = nullptr;
  JobStatus status_;
  std::optional<Error> failure_;

  std::thread thread_;
};

}  // namespace

std::unique_ptr<JobExecution> Submit(JobGraph graph, JobOptions options, MetricRegistry& metrics) {
  CheckGraph(graph);
  if (!graph.bounded() && !options.checkpoint_interval) {
    spdlog::warn(
        "Job '{}' has no end and 'execution.checkpointing.interval' is not set: its sinks commit nothing before "
        "it is stopped with a savepoint",
        options.name);
  }
  if (options.checkpoint_interval && options.checkpoint_dir.empty()) {
    spdlog::warn("Job '{}': 'execution.checkpointing.dir' is not set: checkpoints are lost with this process",
                 options.name);
  }
  return std::make_unique<JobExecutionImpl>(std::move(graph), std::move(options), metrics);
}

}  // namespace frazil::stream
