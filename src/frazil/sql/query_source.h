// SPDX-License-Identifier: Apache-2.0
// A batch query as the source of a job: INSERT INTO … SELECT from tables that end, INSERT INTO … VALUES.
#pragma once

#include <memory>

#include "frazil/sql/batch_plan.h"
#include "frazil/stream/source.h"

namespace frazil::sql {

/// A bounded source whose rows are the plan's, in one split read by one subtask. It can't go on from the middle: an
/// attempt that fails starts it again, so its job may commit only at the end. A checkpoint before that (a savepoint)
/// fails with Unsupported.
std::unique_ptr<stream::Source> MakeQuerySource(std::shared_ptr<const PlanNode> plan, QueryContext context);

}  // namespace frazil::sql
