// SPDX-License-Identifier: Apache-2.0
// The shape of a job: sources, operators and sinks with a parallelism each, and how batches travel between them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/stream/operator.h"
#include "frazil/stream/sink.h"
#include "frazil/stream/source.h"

namespace frazil::stream {

/// Writes to `targets` (one per row of the batch) the subtask, 0 ≤ t < num_targets, that each row goes to.
using Partitioner = std::function<void(const arrow::RecordBatch& rows, int num_targets, std::span<int32_t> targets)>;

/// How batches get from one node's subtasks to another's.
struct Edge {
  enum class Kind {
    kForward,    ///< subtask i to subtask i: needs equal parallelism; chained where the consumer has no other input
    kRebalance,  ///< whole batches, in turn
    kHash,       ///< row by row, where the partitioner says; chained like kForward from one subtask to one
  };
  Kind kind = Kind::kForward;
  /// kHash: makes the partitioner of one sending subtask, which is used by one thread.
  std::function<Partitioner()> make_partitioner;

  static Edge Forward() { return {}; }
  static Edge Rebalance() { return {Kind::kRebalance, {}}; }
  static Edge Hash(std::function<Partitioner()> make_partitioner) { return {Kind::kHash, std::move(make_partitioner)}; }
};

/// Identity of a node. `uid` keys its state in checkpoints: give it one that survives changes of the program. `name` is
/// for people, metrics and error messages.
struct NodeSpec {
  std::string uid;
  std::string name;
  int parallelism = 1;
};

/// A directed acyclic graph, built front to back. Each Add… throws InvalidArgument on an empty or repeated uid, a
/// parallelism below 1, an input that doesn't exist or is a sink, a forward edge between unequal parallelisms.
class JobGraph {
 public:
  using NodeId = int;
  struct Input {
    NodeId node;
    Edge edge = Edge::Forward();
  };

  NodeId AddSource(NodeSpec spec, std::unique_ptr<Source> source);
  /// Several inputs = their union. A node may be the input of several others: each gets all batches.
  NodeId AddOperator(NodeSpec spec, std::vector<Input> inputs, OperatorFactory factory);
  NodeId AddSink(NodeSpec spec, std::vector<Input> inputs, std::unique_ptr<Sink> sink);

  struct Node {
    NodeSpec spec;
    std::vector<Input> inputs;
    std::unique_ptr<Source> source;  ///< exactly one of source, factory, sink is set
    OperatorFactory factory;
    std::unique_ptr<Sink> sink;
  };
  const std::vector<Node>& nodes() const { return nodes_; }

  /// False if a source is unbounded.
  bool bounded() const;

 private:
  NodeId Add(Node node);

  std::vector<Node> nodes_;
};

}  // namespace frazil::stream
