// SPDX-License-Identifier: Apache-2.0
// Binds what stands above FROM and WHERE in one SELECT: the select list, grouping and aggregates, HAVING, DISTINCT and
// the ORDER BY that goes with it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frazil/sql/ast.h"
#include "frazil/sql/expression_binder.h"
#include "frazil/sql/logical_plan.h"

namespace frazil::sql {

class SelectBinder {
 public:
  SelectBinder(PlanPtr input, Scope scope, const EvalContext& context)
      : input_(std::move(input)), scope_(std::move(scope)), context_(context) {}

  /// Once. Throws SqlError.
  PlanPtr Bind(const Select& select, const std::vector<OrderItem>& order_by);

 private:
  /// A column of the result.
  struct Item {
    const Expression* expression = nullptr;  ///< null: column `column` of the scope (from a *)
    int column = -1;
    std::string name;
    bool has_alias = false;
    SourceSpan span;
  };

  void ExpandItems(const Select& select);
  void ExpandStar(const Star& star, const SourceSpan& span);
  bool HasAggregates(const Select& select, const std::vector<OrderItem>& order_by) const;
  void BindGroupKeys(const Select& select);
  void AddGroupKey(const Expression& expression);

  BoundExpression BindItem(const Item& item);
  BoundExpression BindOutput(const Expression& expression, bool aliases);
  /// What stands for `expression` above the aggregation, or nothing: it is bound as usual.
  std::optional<BoundExpression> GroupedHook(const Expression& expression);
  std::optional<int> FindGroupKey(const Expression& expression) const;

  BoundExpression BindAggregate(const FunctionCall& call, const Expression& expression);
  BoundExpression BindAverage(BoundExpression argument, const FunctionCall& call, const Expression& expression);
  BoundExpression AggregateArgument(const FunctionCall& call, const Expression& expression);
  /// Adds a call (or finds the same one) and gives the column of its result.
  BoundExpression AddCall(AggregateKind kind, std::optional<BoundExpression> argument, bool distinct, LogicalType type,
                          std::string text, const SourceSpan& span);

  PlanPtr Aggregate(PlanPtr input, const SourceSpan& span);
  PlanPtr Distinct(PlanPtr input, const SourceSpan& span) const;
  /// The column that an ORDER BY item means without computing anything: its ordinal or an output name.
  std::optional<int> OutputColumnOf(const Expression& expression) const;

  PlanPtr input_;
  Scope scope_;
  const EvalContext& context_;
  std::vector<Item> items_;

  bool grouped_ = false;
  std::vector<const Expression*> keys_;  ///< as written
  std::vector<BoundExpression> below_;   ///< columns below the aggregation: keys, then arguments
  std::vector<RowField> below_fields_;
  std::vector<AggregateCall> calls_;
  std::vector<std::string> call_texts_;  ///< identity of each call, to share equal ones
};

/// A sort of `plan` by `keys` that keeps only the first `visible` columns.
PlanPtr SortAndKeep(PlanPtr plan, std::vector<SortKey> keys, size_t visible, const SourceSpan& span);

/// Flink's order: nulls are the smallest value.
SortKey MakeSortKey(int column, const OrderItem& item);

/// The name of a column that has no alias: that of a plain column, else EXPR$<position>.
std::string ImpliedName(const Expression& expression, size_t position);

/// Every name once, as Calcite does it: a, a0, a1.
void MakeUnique(std::vector<std::string>& names);

}  // namespace frazil::sql
