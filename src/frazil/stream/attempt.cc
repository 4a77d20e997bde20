// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/attempt.h"

#include <spdlog/spdlog.h>

namespace frazil::stream {

namespace {

/// All rows of a subtask go to the same one subtask of the consumer.
bool IsStraight(const JobGraph& graph, const JobGraph::Node& consumer, const JobGraph::Input& input) {
  if (input.edge.kind == Edge::Kind::kForward) return true;
  bool one_to_one =
      consumer.spec.parallelism == 1 && graph.nodes()[static_cast<size_t>(input.node)].spec.parallelism == 1;
  return input.edge.kind == Edge::Kind::kHash && one_to_one;
}

}  // namespace

ExecutionPlan::ExecutionPlan(const JobGraph& graph) : nodes(graph.nodes().size()) {
  for (size_t id = 0; id < nodes.size(); ++id) {
    const JobGraph::Node& node = graph.nodes()[id];
    if (node.inputs.size() == 1 && IsStraight(graph, node, node.inputs[0])) {
      nodes[id].chained = true;
      nodes[static_cast<size_t>(node.inputs[0].node)].next_in_chain.push_back(static_cast<JobGraph::NodeId>(id));
      continue;
    }
    for (size_t input = 0; input < node.inputs.size(); ++input) {
      nodes[static_cast<size_t>(node.inputs[input].node)].outputs.push_back({static_cast<JobGraph::NodeId>(id), input});
    }
  }
}

Attempt::Attempt(Setup setup)
    : setup_(std::move(setup)),
      limits_{setup_.options.channel_max_batches, setup_.options.channel_max_bytes},
      groups_(setup_.graph.nodes().size()),
      committers_(setup_.graph.nodes().size()),
      restored_(setup_.graph.nodes().size()),
      unplaced_(setup_.graph.nodes().size()),
      coordinators_(setup_.graph.nodes().size()) {
  RestoreStates();
  const auto count = static_cast<JobGraph::NodeId>(setup_.graph.nodes().size());
  for (JobGraph::NodeId id = 0; id < count; ++id) MakeInboxes(id);
  for (JobGraph::NodeId id = 0; id < count; ++id) MakeCommitter(id);
  for (JobGraph::NodeId id = 0; id < count; ++id) MakeTasks(id);
}

Attempt::~Attempt() {
  Cancel();
  Join();
}

void Attempt::Start() {
  for (size_t id = 0; id < coordinators_.size(); ++id) {
    if (coordinators_[id] == nullptr) continue;
    std::optional<std::string> state;
    if (setup_.restored) {
      auto it = setup_.restored->operators.find(setup_.graph.nodes()[id].spec.uid);
      if (it != setup_.restored->operators.end()) state = it->second.enumerator;
    }
    coordinators_[id]->Start(state, std::move(unplaced_[id]));
  }
  for (const auto& task : tasks_) {
    threads_.emplace_back([task = task.get()] { task->Run(); });
  }
}

void Attempt::Cancel() {
  for (const auto& coordinator : coordinators_) {
    if (coordinator != nullptr) coordinator->Cancel();
  }
  for (const TaskGroup& group : groups_) {
    for (const auto& inbox : group.inboxes) inbox->Cancel();
  }
  for (const auto& inbox : committers_) {
    if (inbox != nullptr) inbox->Cancel();
  }
}

void Attempt::TriggerCheckpoint(const Barrier& barrier, Checkpoint& checkpoint) {
  for (size_t id = 0; id < coordinators_.size(); ++id) {
    if (coordinators_[id] == nullptr) continue;
    checkpoint.operators[setup_.graph.nodes()[id].spec.uid].enumerator = coordinators_[id]->TriggerCheckpoint(barrier);
  }
}

void Attempt::CheckpointCompleted(int64_t checkpoint_id) {
  for (const auto& coordinator : coordinators_) {
    if (coordinator != nullptr) coordinator->CheckpointCompleted(checkpoint_id);
  }
  PostToAll(stream::CheckpointCompleted{checkpoint_id});
}

void Attempt::ResumeSources() { PostToAll(ResumeSource()); }

void Attempt::ShutDown() {
  PostToAll(Shutdown());
  Join();
  for (const auto& coordinator : coordinators_) {
    if (coordinator != nullptr) coordinator->Close();
  }
}

template <typename Message>
void Attempt::PostToAll(const Message& message) {
  for (const TaskGroup& group : groups_) {
    for (const auto& inbox : group.inboxes) inbox->Post(message);
  }
  for (const auto& inbox : committers_) {
    if (inbox != nullptr) inbox->Post(message);
  }
}

void Attempt::Join() {
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void Attempt::RestoreStates() {
  const auto& nodes = setup_.graph.nodes();
  for (size_t id = 0; id < nodes.size(); ++id) {
    const int parallelism = nodes[id].spec.parallelism;
    restored_[id].resize(static_cast<size_t>(parallelism));
    if (!setup_.restored) continue;
    auto it = setup_.restored->operators.find(nodes[id].spec.uid);
    if (it == setup_.restored->operators.end()) continue;
    const std::vector<OperatorState>& old = it->second.subtasks;
    if (nodes[id].source != nullptr && old.size() != static_cast<size_t>(parallelism)) {
      for (const OperatorState& subtask : old) {
        for (SourceSplit& split : DecodeSplits(subtask)) unplaced_[id].push_back(std::move(split));
      }
    } else {
      restored_[id] = Redistribute(old, parallelism);
    }
  }
}

void Attempt::MakeInboxes(JobGraph::NodeId id) {
  if (setup_.plan.nodes[static_cast<size_t>(id)].chained) return;
  const JobGraph::Node& node = setup_.graph.nodes()[static_cast<size_t>(id)];
  TaskGroup& group = groups_[static_cast<size_t>(id)];
  int channels = 0;
  for (const JobGraph::Input& input : node.inputs) {
    group.first_channel.push_back(channels);
    bool forward = input.edge.kind == Edge::Kind::kForward;
    channels += forward ? 1 : setup_.graph.nodes()[static_cast<size_t>(input.node)].spec.parallelism;
  }
  for (int subtask = 0; subtask < node.spec.parallelism; ++subtask) {
    group.inboxes.push_back(std::make_unique<Inbox>(channels, limits_));
  }
}

void Attempt::MakeCommitter(JobGraph::NodeId id) {
  const JobGraph::Node& node = setup_.graph.nodes()[static_cast<size_t>(id)];
  if (node.sink == nullptr) return;
  TaskInfo info = InfoOf(id, 0);
  info.name += " (committer)";
  info.metric_scope = fmt::format("{}.{}.committer", info.job_name, node.spec.name);
  info.parallelism = 1;
  CommitterInitContext context{info, restored_id(), setup_.metrics};
  std::unique_ptr<Committer> committer = Guarded(info.name, [&] { return node.sink->CreateCommitter(context); });

  std::vector<CommitRequest> recovered;
  if (setup_.restored && !setup_.restored->committed) {
    auto it = setup_.restored->operators.find(node.spec.uid);
    if (it != setup_.restored->operators.end()) recovered = it->second.pending;
  }
  for (CommitRequest& request : recovered) request.recovered = true;
  if (committer == nullptr) {
    if (recovered.empty()) return;
    throw InvalidArgument(
        "{}: checkpoint {} has {} commits that are still to be made, but the sink has no committer now", node.spec.name,
        setup_.restored->id, recovered.size());
  }
  committed_sinks_.push_back(node.spec.uid);
  auto& inbox = committers_[static_cast<size_t>(id)];
  inbox = std::make_unique<Inbox>(node.spec.parallelism, limits_);
  tasks_.push_back(std::make_unique<CommitterTask>(num_tasks(), std::move(info), *inbox, setup_.events, setup_.metrics,
                                                   std::move(committer), node.spec.parallelism, std::move(recovered),
                                                   restored_id()));
}

void Attempt::MakeTasks(JobGraph::NodeId id) {
  TaskGroup& group = groups_[static_cast<size_t>(id)];
  const JobGraph::Node& node = setup_.graph.nodes()[static_cast<size_t>(id)];
  if (node.source != nullptr) {
    std::vector<Inbox*> readers;
    for (const auto& inbox : group.inboxes) readers.push_back(inbox.get());
    TaskEvents& events = setup_.events;
    coordinators_[static_cast<size_t>(id)] = std::make_unique<SourceCoordinator>(
        node.spec.name, *node.source, std::move(readers), [&events](const Error& error) { events.OnFailed(error); });
  }
  for (int subtask = 0; subtask < static_cast<int>(group.inboxes.size()); ++subtask) {
    Inbox& inbox = *group.inboxes[static_cast<size_t>(subtask)];
    if (node.source != nullptr) {
      MakeSourceTask(id, subtask, inbox);
      continue;
    }
    Links links;
    links.Add(MakeLink(id, subtask));
    tasks_.push_back(std::make_unique<ChainTask>(num_tasks(), InfoOf(id, subtask), inbox, setup_.events, setup_.metrics,
                                                 std::move(links)));
  }
}

void Attempt::MakeSourceTask(JobGraph::NodeId id, int subtask, Inbox& inbox) {
  const JobGraph::Node& node = setup_.graph.nodes()[static_cast<size_t>(id)];
  std::vector<SourceSplit> splits = DecodeSplits(restored_[static_cast<size_t>(id)][static_cast<size_t>(subtask)]);
  tasks_.push_back(std::make_unique<SourceTask>(num_tasks(), InfoOf(id, subtask), inbox, setup_.events, setup_.metrics,
                                                *node.source, *coordinators_[static_cast<size_t>(id)],
                                                std::move(splits), MakeLinks(id, subtask), setup_.counters));
}

Links Attempt::MakeLinks(JobGraph::NodeId id, int subtask) {
  const ExecutionPlan::Node& plan = setup_.plan.nodes[static_cast<size_t>(id)];
  Links links;
  for (JobGraph::NodeId next : plan.next_in_chain) links.Add(MakeLink(next, subtask));
  for (const ExecutionPlan::OutputEdge& output : plan.outputs) {
    const Edge& edge = setup_.graph.nodes()[static_cast<size_t>(output.consumer)].inputs[output.input].edge;
    links.Add(std::make_unique<EdgeLink>(InfoOf(id, subtask), edge, Receivers(output, subtask), setup_.metrics));
  }
  return links;
}

std::unique_ptr<Link> Attempt::MakeLink(JobGraph::NodeId id, int subtask) {
  const JobGraph::Node& node = setup_.graph.nodes()[static_cast<size_t>(id)];
  OperatorState state = std::move(restored_[static_cast<size_t>(id)][static_cast<size_t>(subtask)]);
  TaskInfo info = InfoOf(id, subtask);
  if (node.sink != nullptr) {
    Receiver committer{committers_[static_cast<size_t>(id)].get(), subtask};
    return std::make_unique<WriterLink>(std::move(info), *node.sink, std::move(state), restored_id(), committer,
                                        setup_.metrics, setup_.counters);
  }
  std::unique_ptr<Operator> op = Guarded(info.name, [&] { return node.factory(); });
  return std::make_unique<OperatorLink>(std::move(info), std::move(op), std::move(state), MakeLinks(id, subtask),
                                        setup_.metrics);
}

std::vector<Receiver> Attempt::Receivers(const ExecutionPlan::OutputEdge& output, int sender_subtask) const {
  const TaskGroup& group = groups_[static_cast<size_t>(output.consumer)];
  const int channel = group.first_channel[output.input];
  const Edge& edge = setup_.graph.nodes()[static_cast<size_t>(output.consumer)].inputs[output.input].edge;
  if (edge.kind == Edge::Kind::kForward) return {{group.inboxes[static_cast<size_t>(sender_subtask)].get(), channel}};
  std::vector<Receiver> receivers;
  for (const auto& inbox : group.inboxes) receivers.push_back({inbox.get(), channel + sender_subtask});
  return receivers;
}

TaskInfo Attempt::InfoOf(JobGraph::NodeId id, int subtask) const {
  const NodeSpec& spec = setup_.graph.nodes()[static_cast<size_t>(id)].spec;
  TaskInfo info;
  info.job_name = setup_.options.name;
  info.job_id = setup_.job_id;
  info.operator_uid = spec.uid;
  info.name = spec.name;
  info.subtask = subtask;
  info.parallelism = spec.parallelism;
  info.attempt = setup_.attempt;
  info.metric_scope = fmt::format("{}.{}.{}", setup_.options.name, spec.name, subtask);
  return info;
}

std::optional<int64_t> Attempt::restored_id() const {
  if (!setup_.restored) return std::nullopt;
  return setup_.restored->id;
}

}  // namespace frazil::stream
