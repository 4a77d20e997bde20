// SPDX-License-Identifier: Apache-2.0
// What is checked of an INSERT before anything runs: number of columns, types, nullability, column lists (Flink:
// DynamicSinkUtils.validateSchemaAndApplyImplicitCast).
#pragma once

#include <vector>

#include "frazil/sql/ast.h"
#include "frazil/sql/logical_plan.h"

namespace frazil::sql {

/// A query whose output is the sink's columns.
struct SinkQuery {
  PlanPtr plan;
  std::vector<int> not_null;  ///< NOT NULL columns of the sink that the query may give null: to be enforced as it runs
};

/// `query` with its columns put under those of `sink` (by position, or as `columns` says; what isn't in the list
/// becomes NULL) and cast where Flink casts implicitly. Throws SqlError with both schemas when they don't match.
SinkQuery MatchSink(PlanPtr query, const Relation& sink, const std::vector<Identifier>& columns,
                    const SourceSpan& span);

}  // namespace frazil::sql
