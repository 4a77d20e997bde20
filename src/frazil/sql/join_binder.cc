// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/join_binder.h"

#include "frazil/base/suggest.h"

namespace frazil::sql {

namespace {

/// The condition of a join taken apart.
struct JoinCondition {
  std::vector<BoundExpression> left_keys;
  std::vector<BoundExpression> right_keys;  ///< of the right side's columns
  std::vector<BoundExpression> residual;    ///< of both sides' columns
};

enum class Side { kNone, kLeft, kRight, kBoth };

Side SideOf(const BoundExpression& expression, int left_width) {
  bool left = false;
  bool right = false;
  VisitExpression(expression, [&](const BoundExpression& node) {
    const auto* column = node.As<BoundExpression::InputColumn>();
    if (column != nullptr) (column->index < left_width ? left : right) = true;
  });
  if (left) return right ? Side::kBoth : Side::kLeft;
  return right ? Side::kRight : Side::kNone;
}

/// Takes `left = right` as a pair of keys; false if it isn't one.
bool TakeEquality(BoundExpression& expression, int left_width, const std::vector<int>& to_right,
                  JoinCondition& condition) {
  auto* call = std::get_if<BoundExpression::Call>(&expression.node);
  if (call == nullptr || call->name != "=" || call->arguments.size() != 2) return false;
  const Side first = SideOf(call->arguments[0], left_width);
  const Side second = SideOf(call->arguments[1], left_width);
  const bool straight = first == Side::kLeft && second == Side::kRight;
  const bool crossed = first == Side::kRight && second == Side::kLeft;
  if (!straight && !crossed) return false;
  BoundExpression left = std::move(call->arguments[straight ? 0 : 1]);
  BoundExpression right = std::move(call->arguments[straight ? 1 : 0]);
  if (left.type.IsNested()) {
    throw UnsupportedSql(expression.span, "a join on {} is not supported", left.type.ToStringWithoutNullability());
  }
  // Hashes are of bytes: both sides must have one type.
  const std::optional<LogicalType> common = CommonType(left.type, right.type);
  if (!common) throw InvalidSql(expression.span, "the sides of this equality have no common type");
  left = MakeCast(std::move(left), *common);
  right = MakeCast(std::move(right), *common);
  RemapColumns(right, to_right);
  condition.left_keys.push_back(std::move(left));
  condition.right_keys.push_back(std::move(right));
  return true;
}

JoinCondition TakeApart(BoundExpression on, int left_width, int width) {
  std::vector<int> to_right(static_cast<size_t>(width), -1);
  for (int i = left_width; i < width; ++i) to_right[static_cast<size_t>(i)] = i - left_width;
  JoinCondition condition;
  std::vector<BoundExpression> conjuncts;
  auto* junction = std::get_if<BoundExpression::Junction>(&on.node);
  if (junction != nullptr && junction->is_and) {
    conjuncts = std::move(junction->operands);
  } else {
    conjuncts.push_back(std::move(on));
  }
  for (BoundExpression& conjunct : conjuncts) {
    if (!TakeEquality(conjunct, left_width, to_right, condition)) condition.residual.push_back(std::move(conjunct));
  }
  return condition;
}

/// `side` with the keys as columns: those that are columns already are used, others are appended.
std::vector<int> AppendKeys(PlanPtr& side, std::vector<BoundExpression> keys) {
  std::vector<BoundExpression> columns = OutputColumns(*side);
  std::vector<RowField> output = side->output;
  std::vector<int> indexes;
  for (BoundExpression& key : keys) {
    if (const auto* column = key.As<BoundExpression::InputColumn>()) {
      indexes.push_back(column->index);
      continue;
    }
    indexes.push_back(static_cast<int>(columns.size()));
    output.push_back({fmt::format("key${}", indexes.size()), key.type, ""});
    columns.push_back(std::move(key));
  }
  const SourceSpan span = side->span;
  side = Project(std::move(side), std::move(columns), std::move(output), span);
  return indexes;
}

Scope Concatenate(const Scope& left, const Scope& right) {
  Scope scope = left;
  scope.columns.insert(scope.columns.end(), right.columns.begin(), right.columns.end());
  return scope;
}

void MakeNullable(Scope& scope) {
  for (Scope::Column& column : scope.columns) column.type = column.type.WithNullable(true);
}

int ColumnOf(const Scope& scope, const Identifier& name) {
  std::vector<std::string> names;
  for (size_t i = 0; i < scope.columns.size(); ++i) {
    if (scope.columns[i].name == name.name) return static_cast<int>(i);
    names.push_back(scope.columns[i].name);
  }
  throw InvalidSql(name.span, "column '{}' of USING is not on both sides{}", name.name, DidYouMean(name.name, names));
}

JoinCondition UsingCondition(const Join& join, const BoundJoin& left, const BoundJoin& right) {
  JoinCondition condition;
  for (const Identifier& name : join.using_) {
    const int l = ColumnOf(left.scope, name);
    const int r = ColumnOf(right.scope, name);
    const LogicalType& left_type = left.scope.columns[static_cast<size_t>(l)].type;
    const LogicalType& right_type = right.scope.columns[static_cast<size_t>(r)].type;
    const std::optional<LogicalType> common = CommonType(left_type, right_type);
    if (!common || common->IsNested()) {
      throw InvalidSql(name.span, "column '{}' is {} on one side and {} on the other", name.name,
                       left_type.ToStringWithoutNullability(), right_type.ToStringWithoutNullability());
    }
    condition.left_keys.push_back(MakeCast(MakeInputColumn(l, name.name, left_type, name.span), *common));
    condition.right_keys.push_back(MakeCast(MakeInputColumn(r, name.name, right_type, name.span), *common));
  }
  return condition;
}

void RefuseOthers(const Join& join, const SourceSpan& span) {
  if (join.kind == JoinKind::kCross) {
    throw UnsupportedSql(span, "{} is not supported; write JOIN … ON with an equality of both sides",
                         join.comma ? "a list of tables in FROM" : "CROSS JOIN");
  }
  if (join.natural) throw UnsupportedSql(span, "NATURAL JOIN is not supported; write JOIN … USING (…)");
  if (!join.using_.empty() && join.kind != JoinKind::kInner && join.kind != JoinKind::kLeft) {
    throw UnsupportedSql(span, "USING is supported for INNER and LEFT joins; write ON");
  }
  if (join.on == nullptr && join.using_.empty()) throw InvalidSql(span, "a join needs ON or USING");
}

}  // namespace

BoundJoin BindJoin(const Join& join, BoundJoin left, BoundJoin right, const EvalContext& context,
                   const SourceSpan& span) {
  RefuseOthers(join, span);
  const auto left_width = static_cast<int>(left.scope.columns.size());
  const auto right_width = static_cast<int>(right.scope.columns.size());
  Scope scope = Concatenate(left.scope, right.scope);
  JoinCondition condition;
  if (join.on != nullptr) {
    BoundExpression on = ExpressionBinder(scope, context).BindCondition(*join.on, "ON");
    condition = TakeApart(std::move(on), left_width, left_width + right_width);
  } else {
    condition = UsingCondition(join, left, right);
  }
  if (condition.left_keys.empty()) {
    throw UnsupportedSql(span, "a join needs an equality between a column of each side in its condition");
  }
  if (!condition.residual.empty() && join.kind != JoinKind::kInner) {
    throw UnsupportedSql(condition.residual.front().span,
                         "in the condition of an outer join only equalities of both sides are supported");
  }

  if (join.kind == JoinKind::kRight || join.kind == JoinKind::kFull) MakeNullable(left.scope);
  if (join.kind == JoinKind::kLeft || join.kind == JoinKind::kFull) MakeNullable(right.scope);
  scope = Concatenate(left.scope, right.scope);

  JoinNode node{join.kind, AppendKeys(left.plan, std::move(condition.left_keys)),
                AppendKeys(right.plan, std::move(condition.right_keys))};
  const auto padded_left = static_cast<int>(left.plan->output.size());
  std::vector<RowField> output;
  for (const BoundJoin* side : {&left, &right}) {
    for (size_t i = 0; i < side->plan->output.size(); ++i) {
      RowField field = side->plan->output[i];
      if (i < side->scope.columns.size()) field.type = side->scope.columns[i].type;
      output.push_back(std::move(field));
    }
  }
  PlanPtr plan = MakePlan(std::move(node), std::move(output), span);
  plan->inputs.push_back(std::move(left.plan));
  plan->inputs.push_back(std::move(right.plan));

  // Without the appended keys and, of USING, without the right side's columns of the same name.
  std::vector<BoundExpression> all = OutputColumns(*plan);
  std::vector<BoundExpression> kept;
  std::vector<RowField> fields;
  Scope result;
  for (int i = 0; i < left_width + right_width; ++i) {
    const Scope::Column& column = scope.columns[static_cast<size_t>(i)];
    const bool from_right = i >= left_width;
    const bool merged = from_right && std::any_of(join.using_.begin(), join.using_.end(),
                                                  [&](const Identifier& name) { return name.name == column.name; });
    if (merged) continue;
    const int index = from_right ? padded_left + i - left_width : i;
    kept.push_back(std::move(all[static_cast<size_t>(index)]));
    fields.push_back({column.name, column.type, ""});
    result.columns.push_back(column);
  }
  plan = Project(std::move(plan), std::move(kept), std::move(fields), span);
  for (BoundExpression& residual : condition.residual) {
    std::vector<RowField> same = plan->output;
    const SourceSpan at = residual.span;
    plan = MakePlan(FilterNode{std::move(residual)}, std::move(same), std::move(plan), at);
  }
  return {std::move(plan), std::move(result)};
}

}  // namespace frazil::sql
