// SPDX-License-Identifier: Apache-2.0
// From a WHERE condition to a filter on Iceberg's statistics (Flink: FlinkFilters).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frazil/iceberg/expression.h"
#include "frazil/iceberg/schema.h"
#include "frazil/sql/bound_expression.h"

namespace frazil::sql {

/// The part of `condition` that statistics can decide, as a filter that every matching row meets. `columns` are the
/// names of the input columns in `schema`. Understood: comparisons of a plain column with a constant, IN, IS [NOT]
/// NULL, LIKE 'prefix%', a boolean column, AND and OR of these. A column under a cast is left alone: its order may be
/// another.
iceberg::Expression PushableFilter(const BoundExpression& condition, const std::vector<std::string>& columns,
                                   const iceberg::Schema& schema);

/// The conjuncts of `filter`, for EXPLAIN.
std::vector<std::string> FilterText(const iceberg::Expression& filter, const iceberg::Schema& schema);

}  // namespace frazil::sql
