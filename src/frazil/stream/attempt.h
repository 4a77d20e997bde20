// SPDX-License-Identifier: Apache-2.0
// One execution of a job graph: its tasks, queues and enumerators, from a checkpoint or from the beginning. A restart
// makes a new one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "frazil/stream/checkpoint.h"
#include "frazil/stream/job_graph.h"
#include "frazil/stream/job_options.h"
#include "frazil/stream/task.h"

namespace frazil::stream {

/// How the nodes of a graph share tasks.
struct ExecutionPlan {
  explicit ExecutionPlan(const JobGraph& graph);

  struct OutputEdge {
    JobGraph::NodeId consumer;
    size_t input;  ///< of the consumer's inputs
  };
  struct Node {
    bool chained = false;                         ///< runs in its only input's task
    std::vector<JobGraph::NodeId> next_in_chain;  ///< consumers chained to this node
    std::vector<OutputEdge> outputs;              ///< consumers in other tasks
  };
  std::vector<Node> nodes;  ///< as in the graph
};

class Attempt {
 public:
  struct Setup {
    const JobGraph& graph;
    const ExecutionPlan& plan;
    const JobOptions& options;
    std::string job_id;
    int64_t attempt;
    std::optional<Checkpoint> restored;
    MetricRegistry& metrics;
    JobCounters& counters;
    TaskEvents& events;
  };

  /// Makes the tasks; nothing runs yet. Throws what factories and committers throw.
  explicit Attempt(Setup setup);
  /// Cancels and joins.
  ~Attempt();

  /// Starts enumerators and threads. Throws what enumerators throw.
  void Start();

  /// Makes everything end without waiting for it. From any thread.
  void Cancel();

  /// Injects `barrier` at all sources; the states of their enumerators go to `checkpoint`.
  void TriggerCheckpoint(const Barrier& barrier, Checkpoint& checkpoint);
  void CheckpointCompleted(int64_t checkpoint_id);
  /// After a stop was called off.
  void ResumeSources();
  /// Ends all tasks after what they have got so far, and waits for it.
  void ShutDown();

  int num_tasks() const { return static_cast<int>(tasks_.size()); }
  /// Tasks that report the end of input: all but committers.
  int num_input_tasks() const { return num_tasks() - static_cast<int>(committed_sinks_.size()); }
  const Task& task(int index) const { return *tasks_[static_cast<size_t>(index)]; }
  /// Uids of the sinks with a committer.
  const std::vector<std::string>& committed_sinks() const { return committed_sinks_; }

 private:
  /// The tasks of one head node.
  struct TaskGroup {
    std::vector<std::unique_ptr<Inbox>> inboxes;  ///< by subtask
    std::vector<int> first_channel;               ///< by input of the head
  };

  void MakeInboxes(JobGraph::NodeId id);
  void MakeCommitter(JobGraph::NodeId id);
  void MakeTasks(JobGraph::NodeId id);
  Links MakeLinks(JobGraph::NodeId id, int subtask);
  std::unique_ptr<Link> MakeLink(JobGraph::NodeId id, int subtask);
  std::vector<Receiver> Receivers(const ExecutionPlan::OutputEdge& output, int sender_subtask) const;
  void MakeSourceTask(JobGraph::NodeId id, int subtask, Inbox& inbox);
  void RestoreStates();
  TaskInfo InfoOf(JobGraph::NodeId id, int subtask) const;
  std::optional<int64_t> restored_id() const;
  template <typename Message>
  void PostToAll(const Message& message);
  void Join();

  Setup setup_;
  ChannelLimits limits_;
  std::vector<TaskGroup> groups_;                     ///< by node; empty for chained ones
  std::vector<std::unique_ptr<Inbox>> committers_;    ///< by node; null where there is none
  std::vector<std::vector<OperatorState>> restored_;  ///< by node and subtask
  std::vector<std::vector<SourceSplit>> unplaced_;    ///< by node
  std::vector<std::string> committed_sinks_;
  std::vector<std::unique_ptr<SourceCoordinator>> coordinators_;  ///< by node; null for all but sources
  std::vector<std::unique_ptr<Task>> tasks_;
  std::vector<std::thread> threads_;
};

}  // namespace frazil::stream
