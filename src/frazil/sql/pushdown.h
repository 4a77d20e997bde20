// SPDX-License-Identifier: Apache-2.0
// Moves what a query doesn't need out of its way: unused columns, rows that statistics rule out, rows beyond a limit.
#pragma once

#include "frazil/sql/logical_plan.h"

namespace frazil::sql {

/// Applies all of them. The plan's output stays what it is.
PlanPtr Optimize(PlanPtr plan);

}  // namespace frazil::sql
