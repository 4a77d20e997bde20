// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/prune_columns.h"

#include <numeric>

#include "frazil/sql/expression_binder.h"

namespace frazil::sql {

namespace {

using ColumnSet = std::set<int>;
/// Where each column of the plan's old output is now; −1 where it is gone.
using Mapping = std::vector<int>;

Mapping Prune(PlanPtr& plan, const ColumnSet& required);

void AddColumns(const BoundExpression& expression, ColumnSet& columns) {
  VisitExpression(expression, [&](const BoundExpression& node) {
    if (const auto* column = node.As<BoundExpression::InputColumn>()) columns.insert(column->index);
  });
}

Mapping Identity(size_t size) {
  Mapping mapping(size);
  std::iota(mapping.begin(), mapping.end(), 0);
  return mapping;
}

/// Keeps the elements of `values` at `required`.
template <typename T>
void Keep(std::vector<T>& values, const ColumnSet& required) {
  std::vector<T> kept;
  for (int index : required) kept.push_back(std::move(values[static_cast<size_t>(index)]));
  values = std::move(kept);
}

Mapping MappingOf(const ColumnSet& required, size_t old_size) {
  Mapping mapping(old_size, -1);
  int next = 0;
  for (int index : required) mapping[static_cast<size_t>(index)] = next++;
  return mapping;
}

/// After the only input was pruned: the node passes its columns on.
Mapping PassThrough(PlanNode& plan, Mapping mapping) {
  plan.output = plan.inputs[0]->output;
  return mapping;
}

/// Prunes `plan` to exactly the required columns, in order.
void PruneExactly(PlanPtr& plan, const ColumnSet& required) {
  const Mapping mapping = Prune(plan, required);
  std::vector<BoundExpression> expressions;
  std::vector<RowField> output;
  for (int index : required) {
    const int now = mapping[static_cast<size_t>(index)];
    const RowField& field = plan->output[static_cast<size_t>(now)];
    expressions.push_back(MakeInputColumn(now, field.name, field.type, plan->span));
    output.push_back(field);
  }
  const SourceSpan span = plan->span;
  plan = Project(std::move(plan), std::move(expressions), std::move(output), span);
}

Mapping PruneNode(PlanNode& plan, ScanNode& scan, const ColumnSet& required) {
  const size_t old_size = plan.output.size();
  Keep(scan.columns, required);
  Keep(plan.output, required);
  return MappingOf(required, old_size);
}

Mapping PruneNode(PlanNode& plan, ValuesNode&, const ColumnSet&) { return Identity(plan.output.size()); }

Mapping PruneNode(PlanNode& plan, FilterNode& filter, const ColumnSet& required) {
  ColumnSet needed = required;
  AddColumns(filter.condition, needed);
  Mapping mapping = Prune(plan.inputs[0], needed);
  RemapColumns(filter.condition, mapping);
  return PassThrough(plan, std::move(mapping));
}

Mapping PruneNode(PlanNode& plan, ProjectNode& project, const ColumnSet& required) {
  const size_t old_size = plan.output.size();
  Keep(project.expressions, required);
  Keep(plan.output, required);
  ColumnSet needed;
  for (const BoundExpression& expression : project.expressions) AddColumns(expression, needed);
  const Mapping mapping = Prune(plan.inputs[0], needed);
  for (BoundExpression& expression : project.expressions) RemapColumns(expression, mapping);
  return MappingOf(required, old_size);
}

Mapping PruneNode(PlanNode& plan, AggregateNode& aggregate, const ColumnSet&) {
  ColumnSet needed(aggregate.keys.begin(), aggregate.keys.end());
  for (const AggregateCall& call : aggregate.calls) {
    if (call.column >= 0) needed.insert(call.column);
  }
  const Mapping mapping = Prune(plan.inputs[0], needed);
  for (int& key : aggregate.keys) key = mapping[static_cast<size_t>(key)];
  for (AggregateCall& call : aggregate.calls) {
    if (call.column >= 0) call.column = mapping[static_cast<size_t>(call.column)];
  }
  return Identity(plan.output.size());
}

Mapping PruneNode(PlanNode& plan, SortNode& sort, const ColumnSet& required) {
  ColumnSet needed = required;
  for (const SortKey& key : sort.keys) needed.insert(key.column);
  Mapping mapping = Prune(plan.inputs[0], needed);
  for (SortKey& key : sort.keys) key.column = mapping[static_cast<size_t>(key.column)];
  return PassThrough(plan, std::move(mapping));
}

Mapping PruneNode(PlanNode& plan, LimitNode&, const ColumnSet& required) {
  return PassThrough(plan, Prune(plan.inputs[0], required));
}

Mapping PruneNode(PlanNode& plan, UnionNode&, const ColumnSet& required) {
  const size_t old_size = plan.output.size();
  for (PlanPtr& input : plan.inputs) PruneExactly(input, required);
  Keep(plan.output, required);
  return MappingOf(required, old_size);
}

Mapping PruneNode(PlanNode& plan, JoinNode& join, const ColumnSet& required) {
  const auto left_width = static_cast<int>(plan.inputs[0]->output.size());
  const size_t old_size = plan.output.size();
  ColumnSet left(join.left_keys.begin(), join.left_keys.end());
  ColumnSet right(join.right_keys.begin(), join.right_keys.end());
  for (int index : required) {
    if (index < left_width) {
      left.insert(index);
    } else {
      right.insert(index - left_width);
    }
  }
  PruneExactly(plan.inputs[0], left);
  PruneExactly(plan.inputs[1], right);
  const Mapping left_mapping = MappingOf(left, static_cast<size_t>(left_width));
  const Mapping right_mapping = MappingOf(right, old_size - static_cast<size_t>(left_width));
  for (int& key : join.left_keys) key = left_mapping[static_cast<size_t>(key)];
  for (int& key : join.right_keys) key = right_mapping[static_cast<size_t>(key)];
  ColumnSet kept = left;
  for (int index : right) kept.insert(index + left_width);
  Keep(plan.output, kept);
  return MappingOf(kept, old_size);
}

Mapping Prune(PlanPtr& plan, const ColumnSet& required) {
  Mapping mapping = std::visit([&](auto& node) { return PruneNode(*plan, node, required); }, plan->node);
  if (auto* project = plan->As<ProjectNode>()) {
    // It may have picked columns that are now the only ones.
    const SourceSpan span = plan->span;
    plan = Project(std::move(plan->inputs[0]), std::move(project->expressions), std::move(plan->output), span);
  }
  return mapping;
}

}  // namespace

PlanPtr PruneColumns(PlanPtr plan) {
  ColumnSet all;
  for (size_t i = 0; i < plan->output.size(); ++i) all.insert(static_cast<int>(i));
  PruneExactly(plan, all);
  return plan;
}

}  // namespace frazil::sql
