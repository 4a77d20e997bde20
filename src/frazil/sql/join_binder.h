// SPDX-License-Identifier: Apache-2.0
// Joins on equalities.
#pragma once

#include "frazil/sql/ast.h"
#include "frazil/sql/expression_binder.h"
#include "frazil/sql/logical_plan.h"

namespace frazil::sql {

/// A side of a join, and the result.
struct BoundJoin {
  PlanPtr plan;
  Scope scope;
};

/// INNER, LEFT, RIGHT and FULL joins whose ON (or USING) has an equality of both sides at least; what else an INNER
/// join's condition has becomes a filter above. Other joins are refused by name.
BoundJoin BindJoin(const Join& join, BoundJoin left, BoundJoin right, const EvalContext& context,
                   const SourceSpan& span);

}  // namespace frazil::sql
