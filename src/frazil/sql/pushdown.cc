// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/pushdown.h"

#include "frazil/scan/table_scan.h"
#include "frazil/sql/filter_pushdown.h"
#include "frazil/sql/prune_columns.h"

namespace frazil::sql {

namespace {

/// The columns of a projection's input that its columns only pass on; −1 for computed ones.
std::vector<int> PassedColumns(const ProjectNode& project) {
  std::vector<int> columns;
  for (const BoundExpression& expression : project.expressions) {
    const auto* column = expression.As<BoundExpression::InputColumn>();
    columns.push_back(column == nullptr ? -1 : column->index);
  }
  return columns;
}

/// Moves a filter below projections (of a view, of a subquery) that pass its columns on.
void SinkFilter(PlanPtr& plan) {
  auto* filter = plan->As<FilterNode>();
  auto* project = plan->inputs[0]->As<ProjectNode>();
  if (project == nullptr) return;
  const std::vector<int> passed = PassedColumns(*project);
  bool movable = true;
  VisitExpression(filter->condition, [&](const BoundExpression& node) {
    const auto* column = node.As<BoundExpression::InputColumn>();
    if (column != nullptr) movable = movable && passed[static_cast<size_t>(column->index)] >= 0;
  });
  if (!movable) return;
  RemapColumns(filter->condition, passed);
  PlanPtr above = std::move(plan->inputs[0]);
  plan->inputs[0] = std::move(above->inputs[0]);
  plan->output = plan->inputs[0]->output;
  SinkFilter(plan);
  above->inputs[0] = std::move(plan);
  plan = std::move(above);
}

void SinkFilters(PlanPtr& plan) {
  if (plan->As<FilterNode>() != nullptr) SinkFilter(plan);
  for (PlanPtr& input : plan->inputs) SinkFilters(input);
}

/// Gives the scans of Iceberg tables the conditions right above them: `above` are those of the filters over `plan`.
void PushFilters(PlanNode& plan, std::vector<const BoundExpression*> above) {
  if (auto* scan = plan.As<ScanNode>()) {
    const auto* iceberg = scan->relation->As<IcebergRelation>();
    if (iceberg == nullptr || above.empty()) return;
    std::vector<std::string> names;
    for (const RowField& field : plan.output) names.push_back(field.name);
    const iceberg::Schema& schema = iceberg->table.metadata().schema();
    iceberg::Expression all;
    all.op = iceberg::Expression::Op::kAnd;
    for (const BoundExpression* condition : above) {
      iceberg::Expression filter = PushableFilter(*condition, names, schema);
      if (filter.op != iceberg::Expression::Op::kTrue) all.children.push_back(std::move(filter));
    }
    if (all.children.empty()) return;
    scan->filter = all.children.size() == 1 ? std::move(all.children.front()) : std::move(all);
    scan->filter_text = FilterText(scan->filter, schema);
    return;
  }
  if (const auto* filter = plan.As<FilterNode>()) {
    above.push_back(&filter->condition);
  } else {
    above.clear();
  }
  for (PlanPtr& input : plan.inputs) PushFilters(*input, above);
}

/// No more than `rows` first rows of `plan` are needed.
void PushLimit(PlanNode& plan, int64_t rows) {
  if (auto* scan = plan.As<ScanNode>()) {
    scan->limit = std::min(rows, scan->limit.value_or(rows));
  } else if (auto* sort = plan.As<SortNode>()) {
    sort->limit = std::min(rows, sort->limit.value_or(rows));
  } else if (plan.As<ProjectNode>() != nullptr || plan.As<UnionNode>() != nullptr) {
    for (PlanPtr& input : plan.inputs) PushLimit(*input, rows);
  }
}

void PushLimits(PlanNode& plan) {
  for (PlanPtr& input : plan.inputs) PushLimits(*input);
  const auto* limit = plan.As<LimitNode>();
  int64_t rows = 0;
  if (limit == nullptr || !limit->limit || __builtin_add_overflow(limit->offset, *limit->limit, &rows)) return;
  PushLimit(*plan.inputs[0], rows);
}

}  // namespace

PlanPtr Optimize(PlanPtr plan) {
  SinkFilters(plan);
  plan = PruneColumns(std::move(plan));
  PushFilters(*plan, {});
  PushLimits(*plan);
  return plan;
}

}  // namespace frazil::sql
