// SPDX-License-Identifier: Apache-2.0
// CAST and TRY_CAST, a column at a time. Source: Flink's casting rules since 1.15 (`table.exec.legacy-cast-behaviour`
// off).
#pragma once

#include <memory>
#include <string>

#include <arrow/type_fwd.h>

#include "frazil/sql/bound_expression.h"
#include "frazil/sql/types.h"

namespace frazil::sql {

/// Casts a whole column by Flink's rules. `is_try`: NULL where a value can't be cast, else InvalidArgument naming the
/// value.
std::shared_ptr<arrow::Array> CastArray(const std::shared_ptr<arrow::Array>& values, const LogicalType& from,
                                        const LogicalType& to, bool is_try, const EvalContext& context);

/// Whether some value of `from` makes CAST(from AS to) throw.
bool CastCanFail(const LogicalType& from, const LogicalType& to);

/// As Java prints a double ("1.0", "1.0E10", "NaN"), which is what Flink's CAST to STRING gives. `single`: of a FLOAT.
std::string FormatDouble(double value, bool single);

}  // namespace frazil::sql
