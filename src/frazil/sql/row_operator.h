// SPDX-License-Identifier: Apache-2.0
// The filters and projections between the source and the sink of a job, as one chained operator.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <arrow/type_fwd.h>

#include "frazil/sql/bound_expression.h"
#include "frazil/stream/operator.h"

namespace frazil::sql {

/// One step over a batch: a filter, or a projection to `schema`.
struct RowStep {
  std::optional<BoundExpression> condition;
  std::vector<BoundExpression> expressions;
  std::shared_ptr<arrow::Schema> schema;
};

/// A NOT NULL column of the sink (Flink: the sink's constraint enforcer).
struct NotNullColumn {
  int index = 0;
  std::string name;
};

struct RowProgram {
  std::vector<RowStep> steps;
  std::vector<NotNullColumn> not_null;
  bool drop_nulls = false;                ///< rows with a null there are left out, else they are an error
  std::string table;                      ///< the sink's name, for errors
  std::shared_ptr<arrow::Schema> schema;  ///< of the sink
  std::string time_zone;
  std::shared_ptr<const std::string> script;  ///< where spans point to
};

/// Factory of the operator that runs `program` on each batch. Columns that nothing computes pass without a copy. Errors
/// show their place in the script.
stream::OperatorFactory MakeRowOperator(std::shared_ptr<const RowProgram> program);

}  // namespace frazil::sql
