// SPDX-License-Identifier: Apache-2.0
// The operators of batch_plan.h that are more than a loop. Nodes and contexts outlive the streams.
#pragma once

#include <memory>

#include "frazil/sql/batch_plan.h"
#include "frazil/sql/logical_plan.h"
#include "frazil/sql/row_stream.h"

namespace frazil::sql {

/// Rows of `plan`, a scan.
std::unique_ptr<RowStream> MakeScanStream(const PlanNode& plan, const QueryContext& context);
std::unique_ptr<RowStream> MakeAggregateStream(const PlanNode& plan, std::unique_ptr<RowStream> input);
std::unique_ptr<RowStream> MakeSortStream(const PlanNode& plan, std::unique_ptr<RowStream> input);
std::unique_ptr<RowStream> MakeJoinStream(const PlanNode& plan, std::unique_ptr<RowStream> left,
                                          std::unique_ptr<RowStream> right);

}  // namespace frazil::sql
