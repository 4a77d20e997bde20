// SPDX-License-Identifier: Apache-2.0
// INSERT INTO: binding, checks, and the job that does it.
#pragma once

#include "frazil/sql/session_state.h"
#include "frazil/sql/stream_plan.h"

namespace frazil::sql {

/// Binds and checks an INSERT; nothing runs. Throws SqlError.
InsertPlan PlanInsert(SessionState& state, const Insert& statement);

}  // namespace frazil::sql
