// SPDX-License-Identifier: Apache-2.0
// CREATE and DROP.
#include "frazil/base/error.h"
#include "frazil/sql/connector_table.h"
#include "frazil/sql/create_table.h"
#include "frazil/sql/parser.h"
#include "frazil/sql/query_binder.h"
#include "frazil/sql/result.h"
#include "frazil/sql/session_state.h"

namespace frazil::sql {

namespace {

SqlError AlreadyThere(const SourceSpan& span, std::string_view what, std::string_view name) {
  return {ErrorKind::kAlreadyExists, span, fmt::format("{} '{}' exists already", what, name)};
}

SqlError Missing(const SourceSpan& span, std::string_view what, std::string_view name) {
  return {ErrorKind::kNotFound, span, fmt::format("there is no {} '{}'", what, name)};
}

/// An Error of a lower room, said at `span`.
template <typename Call>
auto At(const SourceSpan& span, Call call) {
  try {
    return call();
  } catch (const SqlError&) {
    throw;
  } catch (const Error& error) {
    throw SqlError(error.kind(), span, error.what());
  }
}

/// Whether the table is kept by the session: a temporary one, or one of the in-memory catalog.
bool IsSessionTable(const SessionState& state, const ObjectPath& path, bool temporary) {
  return temporary || state.catalogs.FindIceberg(path.catalog) == nullptr;
}

void CreateConnectorTable(SessionState& state, const ObjectPath& path, const CreateTable& statement) {
  ConnectorTable table = ToConnectorTable(statement);
  At(statement.name.span, [&] { ValidateOptions(state.catalogs.MakeConnectorRelation(path, table, {})); });
  state.catalogs.AddObject(path, std::move(table), statement.temporary);
}

StatementResult DropTable(SessionState& state, const DropObject& statement) {
  const ObjectPath path = state.catalogs.Complete(statement.name);
  const SourceSpan& span = statement.name.span;
  const bool view = statement.kind == DropObject::Kind::kView;
  const StoredObject* stored =
      statement.temporary ? state.catalogs.FindTemporary(path) : state.catalogs.FindObject(path);
  if (stored != nullptr && std::holds_alternative<ViewPtr>(*stored) != view) {
    throw InvalidSql(span, "'{}' is a {}: use DROP {}", path.ToString(), view ? "table" : "view",
                     view ? "TABLE" : "VIEW");
  }
  if (stored != nullptr && !statement.temporary && state.catalogs.FindTemporary(path) != nullptr) {
    throw InvalidSql(span, "'{}' is temporary: use DROP TEMPORARY {}", path.ToString(), view ? "VIEW" : "TABLE");
  }
  if (stored != nullptr) {
    state.catalogs.RemoveObject(path, statement.temporary);
    return Done();
  }
  if (!statement.temporary && !view) {
    const IcebergCatalog* iceberg = state.catalogs.FindIceberg(path.catalog);
    const bool dropped =
        iceberg != nullptr && At(span, [&] { return iceberg->catalog->DropTable(iceberg->TableOf(path), true); });
    if (dropped) return Done();
  }
  if (statement.if_exists) return Done();
  if (view) throw Missing(span, statement.temporary ? "temporary view" : "view", path.ToString());
  if (statement.temporary) throw Missing(span, "temporary table", path.ToString());
  state.catalogs.RequireDatabase(path.catalog, path.database, span);
  state.catalogs.ThrowUnknownTable(path, span);
}

StatementResult DropDatabase(SessionState& state, const DropObject& statement) {
  const auto [catalog, database] = state.catalogs.CompleteDatabase(statement.name);
  const SourceSpan& span = statement.name.span;
  if (catalog == state.catalogs.current_catalog() && database == state.catalogs.current_database()) {
    throw InvalidSql(span, "database '{}' is in use: USE another one first", database);
  }
  state.catalogs.RequireCatalog(catalog, span);
  const bool dropped = At(span, [&] { return state.catalogs.DropDatabase(catalog, database, statement.cascade); });
  if (!dropped && !statement.if_exists) state.catalogs.RequireDatabase(catalog, database, span);
  return Done();
}

}  // namespace

StatementResult Execute(SessionState& state, const CreateCatalog& statement) {
  state.catalogs.CreateCatalog(statement);
  return Done();
}

StatementResult Execute(SessionState& state, const CreateDatabase& statement) {
  const auto [catalog, database] = state.catalogs.CompleteDatabase(statement.name);
  state.catalogs.RequireCatalog(catalog, statement.name.span);
  OptionMap properties = ToOptionMap(statement.properties);
  if (statement.comment) properties["comment"] = *statement.comment;
  if (!properties.empty() && state.catalogs.FindIceberg(catalog) == nullptr) {
    throw UnsupportedSql(statement.name.span, "databases of catalog '{}' keep no comment and no properties", catalog);
  }
  const bool created =
      At(statement.name.span, [&] { return state.catalogs.CreateDatabase(catalog, database, properties); });
  if (!created && !statement.if_not_exists) throw AlreadyThere(statement.name.span, "database", database);
  return Done();
}

StatementResult Execute(SessionState& state, const CreateTable& statement) {
  const ObjectPath path = state.catalogs.Complete(statement.name);
  const SourceSpan& span = statement.name.span;
  state.catalogs.RequireDatabase(path.catalog, path.database, span);
  const bool exists =
      statement.temporary ? state.catalogs.FindTemporary(path) != nullptr : state.catalogs.Exists(path);
  if (exists) {
    if (statement.if_not_exists) return Done();
    throw AlreadyThere(span, "table or view", path.ToString());
  }
  if (IsSessionTable(state, path, statement.temporary)) {
    CreateConnectorTable(state, path, statement);
    return Done();
  }
  const IcebergCatalog& iceberg = *state.catalogs.FindIceberg(path.catalog);
  const catalog::TableCreation creation = ToTableCreation(statement);
  At(span, [&] {
    try {
      iceberg.catalog->CreateTable(iceberg.TableOf(path), creation);
    } catch (const Error& error) {
      // Another process may have made it since the check above.
      if (!statement.if_not_exists || error.kind() != ErrorKind::kAlreadyExists) throw;
    }
  });
  return Done();
}

StatementResult ExecuteCreateView(SessionState& state, const CreateView& statement, const SourceSpan& span,
                                  std::string_view script) {
  const ObjectPath path = state.catalogs.Complete(statement.name);
  state.catalogs.RequireDatabase(path.catalog, path.database, statement.name.span);
  if (!IsSessionTable(state, path, statement.temporary)) {
    throw UnsupportedSql(statement.name.span,
                         "views in an Iceberg catalog are not supported yet: CREATE TEMPORARY VIEW");
  }
  const bool exists =
      statement.temporary ? state.catalogs.FindTemporary(path) != nullptr : state.catalogs.Exists(path);
  if (exists) {
    if (statement.if_not_exists) return Done();
    throw AlreadyThere(statement.name.span, "table or view", path.ToString());
  }
  const PlanPtr plan = PlanQuery(state, *statement.query);  // a view that can't be bound is refused now
  View view;
  view.path = path;
  for (const Identifier& column : statement.columns) view.columns.push_back(column.name);
  if (!view.columns.empty() && view.columns.size() != plan->output.size()) {
    throw InvalidSql(statement.name.span, "the view names {} columns, its query has {}", view.columns.size(),
                     plan->output.size());
  }
  view.comment = statement.comment.value_or("");
  view.script = script;
  // The statement is the caller's: the view needs a query of its own.
  Statement again = ParseStatementAt(view.script, span);
  view.query = std::move(std::get<CreateView>(again.node).query);
  view.catalog = state.catalogs.current_catalog();
  view.database = state.catalogs.current_database();
  state.catalogs.AddObject(path, std::make_shared<const View>(std::move(view)), statement.temporary);
  return Done();
}

StatementResult Execute(SessionState& state, const DropObject& statement) {
  switch (statement.kind) {
    case DropObject::Kind::kCatalog:
      if (statement.name.parts.size() != 1) throw InvalidSql(statement.name.span, "the name of a catalog has one part");
      state.catalogs.DropCatalog(statement.name.parts[0], statement.if_exists);
      return Done();
    case DropObject::Kind::kDatabase: return DropDatabase(state, statement);
    case DropObject::Kind::kTable:
    case DropObject::Kind::kView: return DropTable(state, statement);
    default: throw UnsupportedSql(statement.name.span, "user-defined functions are not supported");
  }
}

}  // namespace frazil::sql
