// SPDX-License-Identifier: Apache-2.0
// Walking expressions without knowing every kind of node.
#pragma once

#include <functional>

#include "frazil/sql/ast.h"

namespace frazil::sql {

/// Calls `visit` on every expression directly inside `expression`, in the order of the text. Subqueries are not
/// entered.
void VisitChildren(const Expression& expression, const std::function<void(const Expression&)>& visit);

}  // namespace frazil::sql
