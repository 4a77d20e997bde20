// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/insert.h"

#include <thread>

#include "frazil/base/error.h"
#include "frazil/sql/pushdown.h"
#include "frazil/sql/query_binder.h"
#include "frazil/stream/job.h"

namespace frazil::sql {

namespace {

void RefuseClauses(const Insert& statement) {
  if (statement.overwrite) throw UnsupportedSql(statement.table.span, "INSERT OVERWRITE is not supported yet");
  if (!statement.partition.empty()) {
    throw UnsupportedSql(statement.partition[0].column.span,
                         "INSERT … PARTITION (…) is not supported: select the value as a column");
  }
}

/// The sink's relation; options of the hint go into it (connector) or to `write_options` (Iceberg).
RelationPtr ResolveSink(SessionState& state, const Insert& statement, OptionMap& write_options) {
  CatalogSet& catalogs = state.catalogs;
  const bool stored = catalogs.FindObject(catalogs.Complete(statement.table)) != nullptr;
  static const std::vector<Property> kNone;
  auto found = catalogs.Resolve(statement.table, catalogs.current_catalog(), catalogs.current_database(),
                                stored ? statement.options : kNone);
  const RelationPtr* relation = std::get_if<RelationPtr>(&found);
  if (relation == nullptr) throw InvalidSql(statement.table.span, "'{}' is a view", statement.table.ToString());
  if ((*relation)->As<MetadataRelation>() != nullptr) {
    throw UnsupportedSql(statement.table.span, "'{}' is a metadata table: it can only be read",
                         (*relation)->path.ToString());
  }
  if (!stored) {
    write_options = state.settings.WriteOptions();
    for (const auto& [key, value] : ToOptionMap(statement.options)) write_options[key] = value;
  }
  return *relation;
}

/// Stable over runs: of the script, the tables, and how often they were the target before.
std::string JobName(SessionState& state, const std::string& target) {
  std::string name =
      state.settings.Get("pipeline.name").value_or(fmt::format("{}.insert-into_{}", state.options.script_name, target));
  const int before = state.job_names[name]++;
  return before == 0 ? name : fmt::format("{}-{}", name, before + 1);
}

stream::JobOptions MakeJobOptions(SessionState& state, const std::string& target, bool resumable) {
  stream::JobOptions options = stream::JobOptions::FromOptions(state.settings.values());
  options.name = JobName(state, target);
  options.fresh = options.fresh || state.options.fresh;
  options.allow_non_restored_state = options.allow_non_restored_state || state.options.allow_non_restored_state;
  if (options.checkpoint_dir.empty()) options.checkpoint_dir = state.options.default_checkpoint_dir.string();
  if (!resumable) {
    // One checkpoint, at the end, in memory: there is nothing to go on from, so the next run must begin anew.
    options.checkpoint_dir.clear();
    options.checkpoint_interval.reset();
    options.restore_path.clear();
    options.fresh = true;
  }
  return options;
}

/// Starts one job for all of `inserts`. What lower rooms refuse is said at `span`.
StatementResult SubmitInserts(SessionState& state, std::vector<InsertPlan> inserts, const SourceSpan& span,
                              std::string_view script) {
  auto job = std::make_shared<SubmittedJob>();
  for (const InsertPlan& insert : inserts) {
    job->target += (job->target.empty() ? "" : ",") + insert.sink->path.ToString();
  }
  StreamSettings settings;
  settings.query.eval = state.settings.MakeEvalContext();
  settings.query.parallelism = static_cast<int>(std::max(std::thread::hardware_concurrency(), 1U));
  settings.parallelism = state.settings.Parallelism();
  settings.drop_nulls = state.settings.DropsNulls();
  settings.script = std::make_shared<const std::string>(script);
  try {
    StreamJob stream = MakeStreamJob(std::move(inserts), settings);
    if (!stream.graph.bounded() && state.settings.IsBatch()) {
      throw UnsupportedSql(span,
                           "a source of this INSERT never ends, which 'execution.runtime-mode' = 'batch' excludes");
    }
    job->execution =
        stream::Submit(std::move(stream.graph), MakeJobOptions(state, job->target, stream.resumable), job->metrics);
  } catch (const SqlError&) {
    throw;
  } catch (const Error& error) {
    throw SqlError(error.kind(), span, error.what());
  }
  state.jobs.push_back(job);
  StatementResult result;
  result.kind = StatementResult::Kind::kJob;
  result.message = fmt::format("job '{}' was submitted", job->execution->name());
  result.job = std::move(job);
  return result;
}

}  // namespace

InsertPlan PlanInsert(SessionState& state, const Insert& statement) {
  RefuseClauses(statement);
  InsertPlan insert;
  insert.sink = ResolveSink(state, statement, insert.write_options);
  const EvalContext context = state.settings.MakeEvalContext();
  QueryBinder binder(state.catalogs, context, state.catalogs.current_catalog(), state.catalogs.current_database());
  PlanPtr query = binder.Bind(*statement.query);
  insert.query = MatchSink(std::move(query), *insert.sink, statement.columns, statement.query->span);
  insert.query.plan = Optimize(std::move(insert.query.plan));
  return insert;
}

StatementResult ExecuteInsert(SessionState& state, const Insert& statement, std::string_view script) {
  std::vector<InsertPlan> inserts;
  inserts.push_back(PlanInsert(state, statement));
  return SubmitInserts(state, std::move(inserts), statement.table.span, script);
}

StatementResult ExecuteStatementSet(SessionState& state, const StatementSet& statement, std::string_view script) {
  std::vector<InsertPlan> inserts;
  for (const Insert& insert : statement.inserts) inserts.push_back(PlanInsert(state, insert));
  return SubmitInserts(state, std::move(inserts), statement.inserts.front().table.span, script);
}

}  // namespace frazil::sql
