// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "frazil/sql/logical_plan.h"

namespace frazil::sql {

/// Reads only the columns that the output depends on. The plan's output stays what it is.
PlanPtr PruneColumns(PlanPtr plan);

}  // namespace frazil::sql
