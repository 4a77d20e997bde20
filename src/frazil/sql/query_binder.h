// SPDX-License-Identifier: Apache-2.0
// Binds queries: names of tables through a resolver, select lists, grouping, ordering. What is legal SQL but not built
// is refused by name.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "frazil/sql/ast.h"
#include "frazil/sql/expression_binder.h"
#include "frazil/sql/logical_plan.h"

namespace frazil::sql {

class QueryBinder {
 public:
  /// `catalog` and `database` complete names of tables.
  QueryBinder(RelationResolver& resolver, const EvalContext& context, std::string catalog, std::string database)
      : resolver_(resolver), context_(context), catalog_(std::move(catalog)), database_(std::move(database)) {}

  /// Output columns are named as in Flink: alias, column name, or EXPR$n. Throws SqlError.
  PlanPtr Bind(const Query& query);

 private:
  /// A plan and what its columns may be called.
  struct Source {
    PlanPtr plan;
    Scope scope;
  };
  struct CommonTableEntry {
    const CommonTable* table;
    size_t visible;  ///< how many entries its own query sees
  };

  PlanPtr BindBody(const Query& query);
  PlanPtr BindSelect(const Select& select, const Query& query);
  PlanPtr BindValues(const Values& values, const SourceSpan& span);
  PlanPtr BindSetOperation(const SetOperation& operation, const SourceSpan& span);
  PlanPtr BindLimit(PlanPtr plan, const Query& query);
  PlanPtr SortByOutput(PlanPtr plan, const std::vector<OrderItem>& order_by);
  int64_t BindCount(const Expression& expression, std::string_view clause);

  Source BindFrom(const TableRef& table);
  Source BindNamedTable(const NamedTable& table, const TableRef& ref);
  Source BindJoin(const Join& join, const SourceSpan& span);
  PlanPtr BindView(const View& view, const SourceSpan& span);
  std::optional<PlanPtr> BindCommonTable(const NamedTable& table);
  Source Named(PlanPtr plan, const std::string& name, const TableRef& ref) const;

  RelationResolver& resolver_;
  const EvalContext& context_;
  std::string catalog_;
  std::string database_;
  std::vector<CommonTableEntry> common_tables_;
  int depth_ = 0;
};

/// `plan` with its columns cast to `types` (by position) under the names of `names`.
PlanPtr CastColumns(PlanPtr plan, const std::vector<RowField>& columns);

}  // namespace frazil::sql
