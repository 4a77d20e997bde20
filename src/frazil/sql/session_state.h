// SPDX-License-Identifier: Apache-2.0
// What a session holds, and the statements as functions over it. Each throws SqlError without the source line (the
// session adds it) and Error.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "frazil/sql/catalog_set.h"
#include "frazil/sql/logical_plan.h"
#include "frazil/sql/session.h"
#include "frazil/sql/settings.h"

namespace frazil::sql {

struct SessionState {
  explicit SessionState(SessionOptions options);

  SessionOptions options;
  Settings settings;
  CatalogSet catalogs;
  std::vector<std::shared_ptr<SubmittedJob>> jobs;  ///< that were not seen to have ended
  std::map<std::string, int> job_names;             ///< how many INSERTs got this name
};

// ---- definitions.cc
StatementResult Execute(SessionState& state, const CreateCatalog& statement);
StatementResult Execute(SessionState& state, const CreateDatabase& statement);
StatementResult Execute(SessionState& state, const CreateTable& statement);
/// The view keeps a copy of `script`, where the statement stands at `span`.
StatementResult ExecuteCreateView(SessionState& state, const CreateView& statement, const SourceSpan& span,
                                  std::string_view script);
StatementResult Execute(SessionState& state, const DropObject& statement);

// ---- alterations.cc
StatementResult Execute(SessionState& state, const AlterTable& statement);
StatementResult Execute(SessionState& state, const AlterDatabase& statement);

// ---- show.cc, describe.cc
StatementResult Execute(SessionState& state, const Show& statement);
StatementResult Execute(SessionState& state, const Describe& statement);
/// The statement that makes the table again.
std::string CreateTableText(const SessionState& state, const ObjectPath& path, const SourceSpan& span);

// ---- queries.cc
/// Binds and optimises.
PlanPtr PlanQuery(SessionState& state, const Query& query);
StatementResult ExecuteQuery(SessionState& state, const Query& query, std::string_view script);
// ---- insert.cc
StatementResult ExecuteInsert(SessionState& state, const Insert& statement, std::string_view script);
/// One job for all of them.
StatementResult ExecuteStatementSet(SessionState& state, const StatementSet& statement, std::string_view script);

// ---- explain.cc
StatementResult ExecuteExplain(SessionState& state, const Explain& statement);

// ---- jobs.cc
StatementResult ShowJobs(SessionState& state);
StatementResult Execute(SessionState& state, const StopJob& statement, const SourceSpan& span);

}  // namespace frazil::sql
