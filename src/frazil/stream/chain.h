// SPDX-License-Identifier: Apache-2.0
// A task's chain: operators, writers and the edges that leave the task, linked to a tree of plain calls.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "frazil/base/error.h"
#include "frazil/stream/inbox.h"
#include "frazil/stream/job_graph.h"
#include "frazil/stream/operator.h"
#include "frazil/stream/sink.h"

namespace frazil::stream {

/// An Error that already names the operator it came from.
class OperatorError : public Error {
 public:
  using Error::Error;
};

/// Runs `call`, a call into code of the operator `name`. What it throws becomes an OperatorError with that name, unless
/// it is one of an operator further down; TaskCancelled passes.
template <typename Call>
decltype(auto) Guarded(const std::string& name, Call&& call) {
  try {
    return call();
  } catch (const TaskCancelled&) {
    throw;
  } catch (const OperatorError&) {
    throw;
  } catch (const Error& error) {
    throw OperatorError(error.kind(), fmt::format("{}: {}", name, error.what()));
  } catch (const std::exception& error) {
    throw OperatorError(ErrorKind::kInternal, fmt::format("{}: {}", name, error.what()));
  } catch (...) {
    throw OperatorError(ErrorKind::kInternal, fmt::format("{}: threw something that is no exception", name));
  }
}

/// One operator's share of a checkpoint, from one subtask or the committer.
struct SubtaskSnapshot {
  std::string uid;
  int subtask;
  OperatorState state;
  std::vector<CommitRequest> pending;
};

class Link {
 public:
  virtual ~Link() = default;
  virtual void Open() = 0;
  virtual void Process(ChangeBatch batch) = 0;
  virtual void Process(Watermark watermark) = 0;
  virtual void Process(const Barrier& barrier, std::vector<SubtaskSnapshot>& snapshots) = 0;
  virtual void EndInput() = 0;
  virtual void CheckpointCompleted(int64_t checkpoint_id) = 0;
  virtual void Close() = 0;
  virtual void Abort() noexcept = 0;
};

/// What follows a link or a source reader: each link gets everything.
class Links {
 public:
  void Add(std::unique_ptr<Link> link) { links_.push_back(std::move(link)); }

  void Open();
  void Process(ChangeBatch batch);
  void Process(Watermark watermark);
  void Process(const Barrier& barrier, std::vector<SubtaskSnapshot>& snapshots);
  void EndInput();
  void CheckpointCompleted(int64_t checkpoint_id);
  void Close();
  void Abort() noexcept;

 private:
  std::vector<std::unique_ptr<Link>> links_;
};

/// Row counts for JobStatus, beside those in the metric registry that outlive the job.
struct JobCounters {
  Counter rows_in;
  Counter rows_out;
};

/// An operator and what is chained behind it.
class OperatorLink : public Link, private Output {
 public:
  OperatorLink(TaskInfo task, std::unique_ptr<Operator> op, OperatorState restored, Links next,
               MetricRegistry& metrics);

  void Open() override;
  void Process(ChangeBatch batch) override;
  void Process(Watermark watermark) override;
  void Process(const Barrier& barrier, std::vector<SubtaskSnapshot>& snapshots) override;
  void EndInput() override;
  void CheckpointCompleted(int64_t checkpoint_id) override;
  void Close() override;
  void Abort() noexcept override;

 private:
  void Emit(ChangeBatch batch) override;

  const TaskInfo task_;
  std::unique_ptr<Operator> operator_;
  OperatorState restored_;
  Links next_;
  MetricRegistry& metrics_;
  Counter& rows_in_;
  Counter& rows_out_;
  Gauge& watermark_;
};

/// The receiving end of an edge: a channel of a task.
struct Receiver {
  Inbox* inbox;
  int channel;
};

/// A sink's writer, and the way to its committer.
class WriterLink : public Link {
 public:
  /// `committer.inbox` is null for a sink without one.
  WriterLink(TaskInfo task, Sink& sink, OperatorState restored, std::optional<int64_t> restored_checkpoint_id,
             Receiver committer, MetricRegistry& metrics, JobCounters& job);

  void Open() override;
  void Process(ChangeBatch batch) override;
  void Process(Watermark watermark) override;
  void Process(const Barrier& barrier, std::vector<SubtaskSnapshot>& snapshots) override;
  void EndInput() override {}
  void CheckpointCompleted(int64_t) override {}
  void Close() override;
  void Abort() noexcept override;

 private:
  const TaskInfo task_;
  Sink& sink_;
  OperatorState restored_;
  const std::optional<int64_t> restored_checkpoint_id_;
  const Receiver committer_;
  MetricRegistry& metrics_;
  std::unique_ptr<SinkWriter> writer_;
  Counter& rows_in_;
  Counter& job_rows_out_;
  Gauge& watermark_;
  Counter& blocked_ms_;
};

/// An edge that leaves the task.
class EdgeLink : public Link {
 public:
  /// `receivers` in the order of the consumer's subtasks; one for a forward edge.
  EdgeLink(const TaskInfo& sender, const Edge& edge, std::vector<Receiver> receivers, MetricRegistry& metrics);

  void Open() override {}
  void Process(ChangeBatch batch) override;
  void Process(Watermark watermark) override { Broadcast(watermark); }
  void Process(const Barrier& barrier, std::vector<SubtaskSnapshot>&) override { Broadcast(barrier); }
  void EndInput() override { Broadcast(EndOfInput()); }
  void CheckpointCompleted(int64_t) override {}
  void Close() override {}
  void Abort() noexcept override {}

 private:
  void Broadcast(const Element& element);
  void Send(size_t receiver, ChangeBatch batch);
  void SendByRow(const ChangeBatch& batch);

  const std::string sender_name_;
  const Edge::Kind kind_;
  const Partitioner partitioner_;
  const std::vector<Receiver> receivers_;
  size_t next_receiver_;
  std::vector<int32_t> row_receivers_;  ///< scratch of SendByRow
  Counter& bytes_out_;
  Counter& blocked_ms_;
};

}  // namespace frazil::stream
