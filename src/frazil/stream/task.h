// SPDX-License-Identifier: Apache-2.0
// The threads of a job: a source with its chain, a chain fed by channels, a sink's committer.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "frazil/stream/chain.h"
#include "frazil/stream/inbox.h"
#include "frazil/stream/source_coordinator.h"

namespace frazil::stream {

/// What tasks tell the job's coordinator; called from their threads.
class TaskEvents {
 public:
  virtual ~TaskEvents() = default;
  /// The task's share of a checkpoint is complete. `task` as in Task::index.
  virtual void OnAcknowledged(int task, int64_t checkpoint_id, std::vector<SubtaskSnapshot> snapshots) = 0;
  /// The task has passed on the end of its input.
  virtual void OnInputEnded(int task) = 0;
  /// The sink's committer has committed everything up to `checkpoint_id`.
  virtual void OnCommitted(const std::string& sink_uid, int64_t checkpoint_id) = 0;
  virtual void OnFailed(const Error& error) = 0;
};

class Task {
 public:
  /// `info` is that of the first operator of the chain.
  Task(int index, TaskInfo info, Inbox& inbox, TaskEvents& events, MetricRegistry& metrics);
  virtual ~Task() = default;

  /// The thread's body: returns after Shutdown, a failure (which it reports) or a cancellation.
  void Run() noexcept;

  int index() const { return index_; }
  const TaskInfo& info() const { return info_; }

 protected:
  virtual void Execute() = 0;
  /// After Execute threw.
  virtual void Abort() noexcept = 0;

  const int index_;
  const TaskInfo info_;
  Inbox& inbox_;
  TaskEvents& events_;
  Counter& idle_ms_;
};

class SourceTask : public Task, private SourceReaderContext, private SourceOutput {
 public:
  SourceTask(int index, TaskInfo info, Inbox& inbox, TaskEvents& events, MetricRegistry& metrics, Source& source,
             SourceCoordinator& coordinator, std::vector<SourceSplit> restored, Links links, JobCounters& job);

 private:
  void Execute() override;
  void Abort() noexcept override;
  /// False: shut down.
  bool Handle(Control message);
  void Checkpoint(const Barrier& barrier);
  /// Reads once; the control message that came while there was nothing to read.
  std::optional<Control> Poll();
  void EndInput();

  // SourceReaderContext
  int subtask() const override { return info_.subtask; }
  int parallelism() const override { return info_.parallelism; }
  const std::string& operator_uid() const override { return info_.operator_uid; }
  const std::string& metric_scope() const override { return info_.metric_scope; }
  MetricRegistry& metrics() override { return metrics_; }
  Counter& num_bytes_in() override { return bytes_in_; }
  void SendSplitRequest() override { coordinator_.HandleSplitRequest(info_.subtask); }
  void WakeUp() override { inbox_.WakeUp(); }
  void WakeUpAt(std::chrono::steady_clock::time_point time) override { wake_up_at_ = time; }
  bool cancelled() const override { return inbox_.cancelled(); }

  // SourceOutput
  void Emit(ChangeBatch batch) override;
  void EmitWatermark(int64_t timestamp_ms) override { links_.Process(Watermark{timestamp_ms}); }

  MetricRegistry& metrics_;
  Source& source_;
  SourceCoordinator& coordinator_;
  std::vector<SourceSplit> restored_;
  Links links_;
  Counter& rows_in_;
  Counter& rows_out_;
  Counter& bytes_in_;
  Counter& job_rows_in_;
  std::unique_ptr<SourceReader> reader_;  ///< may own threads that use what is above: destroyed before it
  std::optional<std::chrono::steady_clock::time_point> wake_up_at_;
  bool suspended_ = false;  ///< behind the barrier of a stop
  bool ended_ = false;
};

class ChainTask : public Task {
 public:
  ChainTask(int index, TaskInfo info, Inbox& inbox, TaskEvents& events, MetricRegistry& metrics, Links links);

 private:
  void Execute() override;
  void Abort() noexcept override;
  bool Handle(const Control& message);
  void Handle(Element element);

  Links links_;
};

class CommitterTask : public Task {
 public:
  CommitterTask(int index, TaskInfo info, Inbox& inbox, TaskEvents& events, MetricRegistry& metrics,
                std::unique_ptr<Committer> committer, int num_writers, std::vector<CommitRequest> recovered,
                std::optional<int64_t> restored_checkpoint_id);

 private:
  void Execute() override;
  void Abort() noexcept override {}
  bool Handle(const Control& message);
  void Handle(Arrival arrival);
  void Checkpoint(const Barrier& barrier);
  void CommitUpTo(int64_t checkpoint_id);

  std::unique_ptr<Committer> committer_;
  std::vector<std::vector<std::string>> arrived_;  ///< committables of the checkpoint being aligned, by writer
  std::vector<CommitRequest> pending_;             ///< ascending by checkpoint
  const std::optional<int64_t> restored_checkpoint_id_;
};

}  // namespace frazil::stream
