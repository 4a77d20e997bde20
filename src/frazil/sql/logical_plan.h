// SPDX-License-Identifier: Apache-2.0
// A query after binding: a tree of relational operators whose expressions name input columns by index. Plain values;
// optimised by pushdown.h, run by batch_plan.h or stream_plan.h.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "frazil/iceberg/expression.h"
#include "frazil/sql/bound_expression.h"
#include "frazil/sql/relation.h"

namespace frazil::sql {

struct PlanNode;
using PlanPtr = std::unique_ptr<PlanNode>;

/// Rows of a table. No inputs.
struct ScanNode {
  RelationPtr relation;
  std::vector<int> columns;              ///< indexes into the relation's columns, in output order
  iceberg::Expression filter;            ///< Iceberg tables: pruning only, rows are filtered above
  std::vector<std::string> filter_text;  ///< its conjuncts, for EXPLAIN
  std::optional<int64_t> limit;          ///< no more rows are needed
};

/// VALUES, and one row without columns where there is no FROM. No inputs.
struct ValuesNode {
  std::vector<std::vector<BoundExpression>> rows;  ///< constants (maybe not deterministic ones)
};

struct FilterNode {
  BoundExpression condition;
};

struct ProjectNode {
  std::vector<BoundExpression> expressions;
};

enum class AggregateKind : uint8_t { kCountAll, kCount, kSum, kMin, kMax };

/// One aggregate over a column of the input; rows where it is null don't count. What else SQL has is made of these by
/// projections below and above (AVG = SUM / COUNT, FILTER = CASE).
struct AggregateCall {
  AggregateKind kind = AggregateKind::kCountAll;
  int column = -1;  ///< −1 for kCountAll
  bool distinct = false;
  LogicalType type;  ///< of the result
  std::string text;  ///< as written
  SourceSpan span;
};

/// Output: key columns, then calls. Without keys exactly one row.
struct AggregateNode {
  std::vector<int> keys;
  std::vector<AggregateCall> calls;
};

struct SortKey {
  int column = 0;
  bool ascending = true;
  bool nulls_first = true;
};

struct SortNode {
  std::vector<SortKey> keys;
  std::optional<int64_t> limit;  ///< only so many first rows are needed
};

struct LimitNode {
  int64_t offset = 0;
  std::optional<int64_t> limit;
};

/// UNION ALL of inputs with equal column types.
struct UnionNode {};

/// Equi-join; output: left columns, then right columns.
struct JoinNode {
  JoinKind kind = JoinKind::kInner;
  std::vector<int> left_keys;
  std::vector<int> right_keys;  ///< of equal types, pairwise
};

struct PlanNode {
  using Node = std::variant<ScanNode, ValuesNode, FilterNode, ProjectNode, AggregateNode, SortNode, LimitNode,
                            UnionNode, JoinNode>;
  std::vector<RowField> output;
  std::vector<PlanPtr> inputs;
  SourceSpan span;
  Node node;

  template <typename T>
  const T* As() const {
    return std::get_if<T>(&node);
  }
  template <typename T>
  T* As() {
    return std::get_if<T>(&node);
  }
};

PlanPtr MakePlan(PlanNode::Node node, std::vector<RowField> output, const SourceSpan& span);
PlanPtr MakePlan(PlanNode::Node node, std::vector<RowField> output, PlanPtr input, const SourceSpan& span);

/// `input` itself if `expressions` are its columns in order under the same names, else a projection of it.
PlanPtr Project(PlanPtr input, std::vector<BoundExpression> expressions, std::vector<RowField> output,
                const SourceSpan& span);

/// The columns of `node` as expressions.
std::vector<BoundExpression> OutputColumns(const PlanNode& node);

/// Calls `visit(const BoundExpression&)` on the expression and everything below it.
template <typename Visit>
void VisitExpression(const BoundExpression& expression, const Visit& visit) {
  visit(expression);
  if (const auto* call = expression.As<BoundExpression::Call>()) {
    for (const BoundExpression& argument : call->arguments) VisitExpression(argument, visit);
  } else if (const auto* junction = expression.As<BoundExpression::Junction>()) {
    for (const BoundExpression& operand : junction->operands) VisitExpression(operand, visit);
  } else if (const auto* branches = expression.As<BoundExpression::Case>()) {
    for (const BoundExpression& condition : branches->conditions) VisitExpression(condition, visit);
    for (const BoundExpression& result : branches->results) VisitExpression(result, visit);
  } else if (const auto* cast = expression.As<BoundExpression::Cast>()) {
    for (const BoundExpression& operand : cast->operand) VisitExpression(operand, visit);
  }
}

/// Rewrites the index of every input column: new = mapping[old].
void RemapColumns(BoundExpression& expression, const std::vector<int>& mapping);

/// False if a source in the tree never ends.
bool IsBounded(const PlanNode& plan);

/// The tree for people, one node a line, inputs indented below.
std::string ExplainPlan(const PlanNode& plan);

}  // namespace frazil::sql
