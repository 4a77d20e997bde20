// SPDX-License-Identifier: Apache-2.0
#include "frazil/stream/job_graph.h"

#include "frazil/base/error.h"

namespace frazil::stream {

JobGraph::NodeId JobGraph::AddSource(NodeSpec spec, std::unique_ptr<Source> source) {
  Node node;
  node.spec = std::move(spec);
  node.source = std::move(source);
  return Add(std::move(node));
}

JobGraph::NodeId JobGraph::AddOperator(NodeSpec spec, std::vector<Input> inputs, OperatorFactory factory) {
  Node node;
  node.spec = std::move(spec);
  node.inputs = std::move(inputs);
  node.factory = std::move(factory);
  return Add(std::move(node));
}

JobGraph::NodeId JobGraph::AddSink(NodeSpec spec, std::vector<Input> inputs, std::unique_ptr<Sink> sink) {
  Node node;
  node.spec = std::move(spec);
  node.inputs = std::move(inputs);
  node.sink = std::move(sink);
  return Add(std::move(node));
}

JobGraph::NodeId JobGraph::Add(Node node) {
  const NodeSpec& spec = node.spec;
  if (spec.uid.empty()) throw InvalidArgument("operator '{}' has no uid", spec.name);
  if (spec.parallelism < 1) {
    throw InvalidArgument("operator '{}' has parallelism {}, it must be at least 1", spec.name, spec.parallelism);
  }
  for (const Node& other : nodes_) {
    if (other.spec.uid == spec.uid) {
      throw InvalidArgument("operators '{}' and '{}' have the same uid '{}'", other.spec.name, spec.name, spec.uid);
    }
  }
  if (node.source == nullptr && node.inputs.empty()) throw InvalidArgument("operator '{}' has no input", spec.name);
  for (const Input& input : node.inputs) {
    if (input.node < 0 || input.node >= static_cast<NodeId>(nodes_.size())) {
      throw InvalidArgument("operator '{}' has an input {} that is not in the graph", spec.name, input.node);
    }
    const Node& from = nodes_[input.node];
    if (from.sink != nullptr) {
      throw InvalidArgument("operator '{}' can't read from the sink '{}'", spec.name, from.spec.name);
    }
    if (input.edge.kind == Edge::Kind::kForward && from.spec.parallelism != spec.parallelism) {
      throw InvalidArgument(
          "a forward edge from '{}' (parallelism {}) to '{}' (parallelism {}) is not possible: use "
          "rebalance or hash, or equal parallelisms",
          from.spec.name, from.spec.parallelism, spec.name, spec.parallelism);
    }
    if (input.edge.kind == Edge::Kind::kHash && !input.edge.make_partitioner) {
      throw InvalidArgument("the hash edge from '{}' to '{}' has no partitioner", from.spec.name, spec.name);
    }
  }
  nodes_.push_back(std::move(node));
  return static_cast<NodeId>(nodes_.size()) - 1;
}

bool JobGraph::bounded() const {
  return std::all_of(nodes_.begin(), nodes_.end(), [](const Node& node) {
    return node.source == nullptr || node.source->boundedness() == Boundedness::kBounded;
  });
}

}  // namespace frazil::stream
