// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/session.h"

#include "frazil/base/error.h"
#include "frazil/connector/connector.h"
#include "frazil/sql/parser.h"
#include "frazil/sql/result.h"
#include "frazil/sql/session_state.h"
#include "frazil/stream/job.h"

namespace frazil::sql {

SessionState::SessionState(SessionOptions given)
    : options(std::move(given)), settings(options.configuration), catalogs(*options.connectors) {}

struct Session::Impl {
  explicit Impl(SessionOptions options) : state(std::move(options)) {}
  SessionState state;
};

namespace {

StatementResult ExecuteUse(SessionState& state, const Use& statement) {
  if (!statement.catalog) {
    state.catalogs.UseDatabase(statement.name);
  } else if (statement.name.parts.size() == 1) {
    state.catalogs.UseCatalog(statement.name.parts[0]);
  } else {
    throw InvalidSql(statement.name.span, "the name of a catalog has one part");
  }
  return Done();
}

StatementResult ExecuteSet(SessionState& state, const Set& statement) {
  if (!statement.property) {
    RowsResult rows({{"key", StringType(), ""}, {"value", StringType(), ""}});
    for (const auto& [key, value] : state.settings.values()) rows.Add({key, value});
    return rows.Finish();
  }
  const Property& property = *statement.property;
  try {
    state.settings.Set(property.key, property.value);
  } catch (const Error& error) {
    const bool unknown = !std::binary_search(Settings::Keys().begin(), Settings::Keys().end(), property.key);
    throw SqlError(error.kind(), unknown ? property.key_span : property.value_span, error.what());
  }
  return Done();
}

StatementResult ExecuteReset(SessionState& state, const Reset& statement, const SourceSpan& span) {
  if (!statement.key) {
    state.settings.ResetAll();
    return Done();
  }
  try {
    state.settings.Reset(*statement.key);
  } catch (const Error& error) {
    throw SqlError(error.kind(), span, error.what());
  }
  return Done();
}

/// One overload for each kind of statement; those without are refused by name.
struct Dispatch {
  SessionState& state;
  const Statement& statement;
  std::string_view script;

  StatementResult operator()(const QueryPtr& query) const { return ExecuteQuery(state, *query, script); }
  StatementResult operator()(const Insert& insert) const { return ExecuteInsert(state, insert, script); }
  StatementResult operator()(const CreateView& view) const {
    return ExecuteCreateView(state, view, statement.span, script);
  }
  StatementResult operator()(const Explain& explain) const { return ExecuteExplain(state, explain); }
  StatementResult operator()(const Use& use) const { return ExecuteUse(state, use); }
  StatementResult operator()(const Set& set) const { return ExecuteSet(state, set); }
  StatementResult operator()(const Reset& reset) const { return ExecuteReset(state, reset, statement.span); }
  StatementResult operator()(const StopJob& stop) const { return Execute(state, stop, statement.span); }
  StatementResult operator()(const StatementSet& set) const { return ExecuteStatementSet(state, set, script); }
  StatementResult operator()(const AlterView&) const {
    throw UnsupportedSql(statement.span, "ALTER VIEW is not supported yet: DROP and CREATE the view");
  }
  StatementResult operator()(const Delete&) const { return RefuseRowLevel("DELETE"); }
  StatementResult operator()(const Update&) const { return RefuseRowLevel("UPDATE"); }
  StatementResult operator()(const TruncateTable&) const { return RefuseRowLevel("TRUNCATE TABLE"); }
  StatementResult operator()(const CallProcedure&) const {
    throw UnsupportedSql(statement.span, "CALL is not supported: there are no procedures yet");
  }
  StatementResult operator()(const ShellCommand&) const {
    throw UnsupportedSql(statement.span, "this command is for the interactive shell");
  }
  template <typename Node>
  StatementResult operator()(const Node& node) const {
    return Execute(state, node);
  }

  [[noreturn]] StatementResult RefuseRowLevel(std::string_view what) const {
    throw UnsupportedSql(statement.span, "{} is not supported yet", what);
  }
};

/// Jobs that have ended are of no more use to the session.
void ForgetEndedJobs(SessionState& state) {
  std::erase_if(state.jobs, [](const std::shared_ptr<SubmittedJob>& job) {
    switch (job->execution->Status().state) {
      case stream::JobState::kFinished:
      case stream::JobState::kFailed:
      case stream::JobState::kCanceled: return job.use_count() == 1;
      default: return false;
    }
  });
}

}  // namespace

Session::Session(SessionOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Session::~Session() = default;

StatementResult Session::Execute(const Statement& statement, std::string_view script) {
  ForgetEndedJobs(impl_->state);
  try {
    return std::visit(Dispatch{impl_->state, statement, script}, statement.node);
  } catch (const SqlError& error) {
    throw error.WithSource(script);
  }
}

std::optional<std::string> Session::GetConfig(std::string_view key) const {
  // "default" would leave it to the door to find out.
  if (key == "table.local-time-zone") return impl_->state.settings.TimeZone();
  return impl_->state.settings.Get(key);
}

const std::string& Session::current_catalog() const { return impl_->state.catalogs.current_catalog(); }

const std::string& Session::current_database() const { return impl_->state.catalogs.current_database(); }

std::vector<std::string> Session::CompletionNames() const {
  const CatalogSet& catalogs = impl_->state.catalogs;
  std::set<std::string> names;
  const auto add = [&](const std::string& name) { names.insert(QuoteIdentifier(name)); };
  try {
    for (const std::string& catalog : catalogs.CatalogNames()) add(catalog);
    for (const std::string& database : catalogs.DatabaseNames(catalogs.current_catalog())) add(database);
    for (const std::string& table : catalogs.TableNames(catalogs.current_catalog(), catalogs.current_database())) {
      add(table);
      const ObjectPath path{catalogs.current_catalog(), catalogs.current_database(), table};
      const StoredObject* stored = catalogs.FindObject(path);
      const auto* connector = stored == nullptr ? nullptr : std::get_if<ConnectorTable>(stored);
      if (connector != nullptr) {
        for (const RowField& column : connector->columns) add(column.name);
      } else if (std::optional<table::Table> iceberg = catalogs.FindIcebergTable(path)) {
        for (const iceberg::NestedField& field : iceberg->metadata().schema().fields()) add(field.name);
      }
    }
  } catch (const Error&) {
    // A catalog that can't be reached has nothing to offer; the statement that needs it will say why.
  }
  return {names.begin(), names.end()};
}

}  // namespace frazil::sql
