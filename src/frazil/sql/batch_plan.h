// SPDX-License-Identifier: Apache-2.0
// Runs a bounded plan: scans, filters and projections stream; aggregates and joins run on Acero; a sort holds its
// input, or with a limit only the best rows.
#pragma once

#include <memory>

#include "frazil/sql/logical_plan.h"
#include "frazil/sql/row_stream.h"

namespace frazil::sql {

struct QueryContext {
  EvalContext eval;
  int parallelism = 1;  ///< threads that read data files
};

/// Starts the plan; batches have ToArrowSchema(plan->output). The stream keeps the plan. Throws what planning a scan
/// throws; Unsupported naming an unbounded table.
std::unique_ptr<RowStream> RunPlan(std::shared_ptr<const PlanNode> plan, const QueryContext& context);

/// Throws UnsupportedSql at the first scan whose source never ends, saying what to do instead.
void RequireBounded(const PlanNode& plan);

}  // namespace frazil::sql
