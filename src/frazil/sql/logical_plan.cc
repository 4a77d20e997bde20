// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/logical_plan.h"

#include "frazil/connector/connector.h"
#include "frazil/sql/connector_table.h"
#include "frazil/sql/expression_binder.h"

namespace frazil::sql {

PlanPtr MakePlan(PlanNode::Node node, std::vector<RowField> output, const SourceSpan& span) {
  auto plan = std::make_unique<PlanNode>();
  plan->node = std::move(node);
  plan->output = std::move(output);
  plan->span = span;
  return plan;
}

PlanPtr MakePlan(PlanNode::Node node, std::vector<RowField> output, PlanPtr input, const SourceSpan& span) {
  PlanPtr plan = MakePlan(std::move(node), std::move(output), span);
  plan->inputs.push_back(std::move(input));
  return plan;
}

PlanPtr Project(PlanPtr input, std::vector<BoundExpression> expressions, std::vector<RowField> output,
                const SourceSpan& span) {
  bool identity = expressions.size() == input->output.size();
  for (size_t i = 0; identity && i < expressions.size(); ++i) {
    const auto* column = expressions[i].As<BoundExpression::InputColumn>();
    identity = column != nullptr && column->index == static_cast<int>(i) && output[i].name == input->output[i].name &&
               output[i].type == input->output[i].type;
  }
  if (identity) return input;
  return MakePlan(ProjectNode{std::move(expressions)}, std::move(output), std::move(input), span);
}

std::vector<BoundExpression> OutputColumns(const PlanNode& node) {
  std::vector<BoundExpression> columns;
  for (size_t i = 0; i < node.output.size(); ++i) {
    columns.push_back(MakeInputColumn(static_cast<int>(i), node.output[i].name, node.output[i].type, node.span));
  }
  return columns;
}

void RemapColumns(BoundExpression& expression, const std::vector<int>& mapping) {
  const auto all = [&](std::vector<BoundExpression>& expressions) {
    for (BoundExpression& child : expressions) RemapColumns(child, mapping);
  };
  if (auto* column = std::get_if<BoundExpression::InputColumn>(&expression.node)) {
    column->index = mapping[static_cast<size_t>(column->index)];
  } else if (auto* call = std::get_if<BoundExpression::Call>(&expression.node)) {
    all(call->arguments);
  } else if (auto* junction = std::get_if<BoundExpression::Junction>(&expression.node)) {
    all(junction->operands);
  } else if (auto* branches = std::get_if<BoundExpression::Case>(&expression.node)) {
    all(branches->conditions);
    all(branches->results);
  } else if (auto* cast = std::get_if<BoundExpression::Cast>(&expression.node)) {
    all(cast->operand);
  }
}

bool IsBounded(const PlanNode& plan) {
  if (const auto* scan = plan.As<ScanNode>()) {
    const auto* connector = scan->relation->As<ConnectorRelation>();
    return connector == nullptr || IsBoundedSource(*scan->relation);
  }
  return std::all_of(plan.inputs.begin(), plan.inputs.end(), [](const PlanPtr& input) { return IsBounded(*input); });
}

namespace {

std::string Names(const PlanNode& node) {
  std::string names;
  for (const RowField& field : node.output) names += (names.empty() ? "" : ", ") + field.name;
  return names;
}

std::string Describe(const PlanNode& plan, const ScanNode& scan) {
  std::string text =
      fmt::format("TableSourceScan(table=[{}], fields=[{}]", scan.relation->path.ToString(), Names(plan));
  if (!scan.filter_text.empty()) text += fmt::format(", pruning=[{}]", fmt::join(scan.filter_text, " AND "));
  if (scan.limit) text += fmt::format(", limit=[{}]", *scan.limit);
  return text + ")";
}

std::string Describe(const PlanNode& plan, const ValuesNode& values) {
  if (plan.output.empty()) return "Values(one row)";
  return fmt::format("Values(rows=[{}], fields=[{}])", values.rows.size(), Names(plan));
}

std::string Describe(const PlanNode&, const FilterNode& filter) {
  return fmt::format("Filter(where=[{}])", ToString(filter.condition));
}

std::string Describe(const PlanNode& plan, const ProjectNode& project) {
  std::string text;
  for (size_t i = 0; i < project.expressions.size(); ++i) {
    std::string expression = ToString(project.expressions[i]);
    text += (i == 0 ? "" : ", ") + expression;
    if (expression != plan.output[i].name) text += " AS " + plan.output[i].name;
  }
  return fmt::format("Calc(select=[{}])", text);
}

std::string Describe(const PlanNode& plan, const AggregateNode& aggregate) {
  std::string keys;
  for (int key : aggregate.keys) {
    keys += (keys.empty() ? "" : ", ") + plan.inputs[0]->output[static_cast<size_t>(key)].name;
  }
  std::string calls;
  for (const AggregateCall& call : aggregate.calls) calls += (calls.empty() ? "" : ", ") + call.text;
  return fmt::format("Aggregate(groupBy=[{}], select=[{}])", keys, calls);
}

std::string Describe(const PlanNode& plan, const SortNode& sort) {
  std::string keys;
  for (const SortKey& key : sort.keys) {
    keys += fmt::format("{}{} {} NULLS {}", keys.empty() ? "" : ", ", plan.output[static_cast<size_t>(key.column)].name,
                        key.ascending ? "ASC" : "DESC", key.nulls_first ? "FIRST" : "LAST");
  }
  return fmt::format("Sort(orderBy=[{}]{})", keys, sort.limit ? fmt::format(", top=[{}]", *sort.limit) : "");
}

std::string Describe(const PlanNode&, const LimitNode& limit) {
  return fmt::format("Limit(offset=[{}], fetch=[{}])", limit.offset,
                     limit.limit ? std::to_string(*limit.limit) : "unlimited");
}

std::string Describe(const PlanNode& plan, const UnionNode&) {
  return fmt::format("Union(all=[true], fields=[{}])", Names(plan));
}

std::string Describe(const PlanNode& plan, const JoinNode& join) {
  static constexpr const char* kKinds[] = {"InnerJoin", "LeftOuterJoin", "RightOuterJoin", "FullOuterJoin",
                                           "CrossJoin"};
  std::string on;
  for (size_t i = 0; i < join.left_keys.size(); ++i) {
    on += fmt::format("{}{} = {}", i == 0 ? "" : " AND ",
                      plan.inputs[0]->output[static_cast<size_t>(join.left_keys[i])].name,
                      plan.inputs[1]->output[static_cast<size_t>(join.right_keys[i])].name);
  }
  return fmt::format("HashJoin(type=[{}], where=[{}])", kKinds[static_cast<int>(join.kind)], on);
}

void ExplainInto(const PlanNode& plan, int depth, std::string& text) {
  if (depth > 0) text += std::string(static_cast<size_t>(depth - 1) * 3, ' ') + "+- ";
  text += std::visit([&](const auto& node) { return Describe(plan, node); }, plan.node) + "\n";
  for (const PlanPtr& input : plan.inputs) ExplainInto(*input, depth + 1, text);
}

}  // namespace

std::string ExplainPlan(const PlanNode& plan) {
  std::string text;
  ExplainInto(plan, 0, text);
  return text;
}

}  // namespace frazil::sql
