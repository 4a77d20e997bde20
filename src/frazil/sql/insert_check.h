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
  /// NOT NULL columns of the sink, to be enforced as it runs, also where the query's type is NOT NULL: a source may not
  /// keep what its own definition says (Flink checks all of them too).
  std::vector<int> not_null;
};

/// `query` with its columns put under those of `sink` (by position, or as `columns` says; what isn't in the list
/// becomes NULL) and cast where Flink casts implicitly. Throws SqlError with both schemas when they don't match.
SinkQuery MatchSink(PlanPtr query, const Relation& sink, const std::vector<Identifier>& columns,
                    const SourceSpan& span);

}  // namespace frazil::sql
