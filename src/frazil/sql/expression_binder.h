// SPDX-License-Identifier: Apache-2.0
// Binds scalar expressions: names to columns, operators and functions to kernels, implicit casts written out. Knows
// nothing of queries: aggregates, windows and subqueries are the query binder's, which takes part through a hook.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/sql/ast.h"
#include "frazil/sql/bound_expression.h"

namespace frazil::sql {

/// The columns that an expression may name, in the order of the input batch.
struct Scope {
  struct Column {
    std::string table;  ///< alias or table name; "" if there is none
    std::string name;
    LogicalType type;
  };
  std::vector<Column> columns;
};

class ExpressionBinder {
 public:
  /// Called with each node before it is bound; what it returns stands for the node.
  using Hook = std::function<std::optional<BoundExpression>(const Expression&)>;

  ExpressionBinder(const Scope& scope, const EvalContext& context, Hook hook = {})
      : scope_(scope), context_(context), hook_(std::move(hook)) {}

  /// Constants come back folded. Throws SqlError at the node that can't be bound.
  BoundExpression Bind(const Expression& expression);

  /// The same, cast to BOOLEAN; `clause` ("WHERE") is for the error.
  BoundExpression BindCondition(const Expression& expression, std::string_view clause);

 private:
  BoundExpression BindNode(const Expression& expression);
  template <typename Node>
  BoundExpression BindAs(const Node& node, const SourceSpan& span);
  BoundExpression BindColumn(const std::vector<Identifier>& parts, const SourceSpan& span);
  BoundExpression BindCall(const FunctionCall& call, const SourceSpan& span);
  BoundExpression BindIn(const InList& in, const SourceSpan& span);
  BoundExpression BindBetween(const Between& between, const SourceSpan& span);
  BoundExpression Compare(BinaryOperator op, BoundExpression left, BoundExpression right, const SourceSpan& span);
  std::vector<BoundExpression> BindAll(const std::vector<ExpressionPtr>& expressions);

  const Scope& scope_;
  const EvalContext& context_;
  Hook hook_;
};

/// `expression` as `type`: itself if it already is, else a Cast. No rule is checked.
BoundExpression MakeCast(BoundExpression expression, const LogicalType& type, bool is_try = false);

BoundExpression MakeLiteral(std::shared_ptr<arrow::Scalar> value, LogicalType type, const SourceSpan& span);
BoundExpression MakeInputColumn(int index, std::string name, LogicalType type, const SourceSpan& span);

/// Milliseconds or months of INTERVAL '…' unit [TO unit]. Throws SqlError at the string.
int64_t ParseInterval(const IntervalLiteral& literal);

/// Any case: COUNT, SUM, AVG, MIN, MAX and what else aggregates rows in Flink, supported or not.
bool IsAggregateFunction(std::string_view name);

}  // namespace frazil::sql
