// SPDX-License-Identifier: Apache-2.0
// EXPLAIN.
#include "frazil/sql/insert.h"
#include "frazil/sql/result.h"
#include "frazil/sql/session_state.h"

namespace frazil::sql {

namespace {

std::string ExplainInsert(SessionState& state, const Insert& insert) {
  const InsertPlan plan = PlanInsert(state, insert);
  std::string names;
  for (const RowField& field : plan.sink->columns) names += (names.empty() ? "" : ", ") + field.name;
  std::string text = fmt::format("Sink(table=[{}], fields=[{}])\n", plan.sink->path.ToString(), names);
  std::string tree = ExplainPlan(*plan.query.plan);
  // The query hangs below the sink.
  bool first = true;
  for (size_t begin = 0; begin < tree.size();) {
    const size_t end = tree.find('\n', begin);
    text += (first ? "+- " : "   ") + tree.substr(begin, end - begin) + "\n";
    first = false;
    begin = end + 1;
  }
  return text;
}

}  // namespace

StatementResult ExecuteExplain(SessionState& state, const Explain& statement) {
  if (!statement.details.empty()) {
    throw UnsupportedSql(statement.statement->span, "EXPLAIN {} is not supported: EXPLAIN PLAN FOR shows the plan",
                         statement.details.front());
  }
  const Statement& explained = *statement.statement;
  std::string text = "== Optimized Execution Plan ==\n";
  if (const auto* query = explained.As<QueryPtr>()) {
    text += ExplainPlan(*PlanQuery(state, **query));
  } else if (const auto* insert = explained.As<Insert>()) {
    text += ExplainInsert(state, *insert);
  } else {
    throw UnsupportedSql(explained.span, "only queries and INSERTs can be explained");
  }
  return OneText(text);
}

}  // namespace frazil::sql
