// SPDX-License-Identifier: Apache-2.0
// Evaluates bound expressions over record batches, column-wise.
#pragma once

#include <memory>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/sql/bound_expression.h"

namespace frazil::sql {

/// One value per row of `batch`, of ToArrow(expression.type). Throws SqlError at the span of the node that failed (a
/// cast of a bad value, a division by zero, …), naming the value.
std::shared_ptr<arrow::Array> Evaluate(const BoundExpression& expression, const arrow::RecordBatch& batch,
                                       const EvalContext& context);

/// The rows for which `condition` (BOOLEAN) is true; the same batch if that is all of them.
std::shared_ptr<arrow::RecordBatch> Filter(const BoundExpression& condition,
                                           const std::shared_ptr<arrow::RecordBatch>& batch,
                                           const EvalContext& context);

/// One column per expression. An input column passes through without a copy.
std::shared_ptr<arrow::RecordBatch> Project(const std::vector<BoundExpression>& expressions,
                                            const std::shared_ptr<arrow::Schema>& output,
                                            const std::shared_ptr<arrow::RecordBatch>& batch,
                                            const EvalContext& context);

/// The value of an expression that has no input columns.
std::shared_ptr<arrow::Scalar> EvaluateConstant(const BoundExpression& expression, const EvalContext& context);

/// Replaces every deterministic part without input columns by its value, so that it isn't computed for each batch. A
/// part that fails stays as it is (it may never be reached).
BoundExpression FoldConstants(BoundExpression expression, const EvalContext& context);

}  // namespace frazil::sql
