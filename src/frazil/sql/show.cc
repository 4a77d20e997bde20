// SPDX-License-Identifier: Apache-2.0
// SHOW.
#include "frazil/base/error.h"
#include "frazil/sql/functions.h"
#include "frazil/sql/like_pattern.h"
#include "frazil/sql/result.h"
#include "frazil/sql/session_state.h"

namespace frazil::sql {

namespace {

/// Those that [NOT] LIKE or ILIKE keeps.
std::vector<std::string> Matching(std::vector<std::string> names, const Show& statement) {
  if (!statement.like) return names;
  std::erase_if(names, [&](const std::string& name) {
    return MatchesLike(name, *statement.like, statement.case_insensitive) == statement.not_like;
  });
  return names;
}

/// The database of FROM, or the current one.
std::pair<std::string, std::string> DatabaseOf(const SessionState& state, const Show& statement) {
  if (!statement.name) return {state.catalogs.current_catalog(), state.catalogs.current_database()};
  const auto database = state.catalogs.CompleteDatabase(*statement.name);
  state.catalogs.RequireDatabase(database.first, database.second, statement.name->span);
  return database;
}

std::string CatalogOf(const SessionState& state, const Show& statement) {
  if (!statement.name) return state.catalogs.current_catalog();
  if (statement.name->parts.size() != 1) throw InvalidSql(statement.name->span, "the name of a catalog has one part");
  state.catalogs.RequireCatalog(statement.name->parts[0].name, statement.name->span);
  return statement.name->parts[0].name;
}

bool IsSecret(const std::string& key) {
  static constexpr std::string_view kParts[] = {"password", "secret",     "token", "credential",
                                                "apikey",   "access-key", "auth"};
  return std::any_of(std::begin(kParts), std::end(kParts),
                     [&](std::string_view part) { return key.find(part) != std::string::npos; });
}

std::string CreateCatalogText(const SessionState& state, const std::string& name) {
  const IcebergCatalog* iceberg = state.catalogs.FindIceberg(name);
  std::string text = fmt::format("CREATE CATALOG `{}`", name);
  if (iceberg == nullptr) return text + " WITH (\n  'type' = 'generic_in_memory'\n)";
  if (!iceberg->comment.empty()) text += fmt::format("\nCOMMENT '{}'", iceberg->comment);
  std::string options;
  for (const auto& [key, value] : iceberg->properties) {
    options += fmt::format("{}  '{}' = '{}'", options.empty() ? "" : ",\n", key, IsSecret(key) ? "****" : value);
  }
  return text + " WITH (\n" + options + "\n)";
}

std::string CreateViewText(const SessionState& state, const Show& statement) {
  const ObjectPath path = state.catalogs.Complete(*statement.name);
  const StoredObject* stored = state.catalogs.FindObject(path);
  const auto* view = stored == nullptr ? nullptr : std::get_if<ViewPtr>(stored);
  if (view == nullptr) {
    throw SqlError(ErrorKind::kNotFound, statement.name->span, fmt::format("there is no view '{}'", path.ToString()));
  }
  std::string columns;
  for (const std::string& column : (*view)->columns) columns += (columns.empty() ? "`" : ", `") + column + "`";
  const bool temporary = state.catalogs.FindTemporary(path) != nullptr;
  return fmt::format("CREATE {}VIEW {}{} AS\n{}", temporary ? "TEMPORARY " : "", path.Quoted(),
                     columns.empty() ? "" : fmt::format(" ({})", columns), (*view)->query->span.Text((*view)->script));
}

std::vector<std::string> FunctionNames(const Show& statement) {
  if (statement.user_functions) return {};
  std::vector<std::string> names = ScalarFunctionNames();
  names.insert(names.end(), {"AVG", "COUNT", "MAX", "MIN", "SUM"});
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

StatementResult Execute(SessionState& state, const Show& statement) {
  const CatalogSet& catalogs = state.catalogs;
  switch (statement.kind) {
    case Show::Kind::kCatalogs: return OneColumn("catalog name", Matching(catalogs.CatalogNames(), statement));
    case Show::Kind::kDatabases:
      return OneColumn("database name", Matching(catalogs.DatabaseNames(CatalogOf(state, statement)), statement));
    case Show::Kind::kTables: {
      const auto [catalog, database] = DatabaseOf(state, statement);
      return OneColumn("table name", Matching(catalogs.TableNames(catalog, database), statement));
    }
    case Show::Kind::kViews: {
      const auto [catalog, database] = DatabaseOf(state, statement);
      return OneColumn("view name", Matching(catalogs.ViewNames(catalog, database), statement));
    }
    case Show::Kind::kFunctions: return OneColumn("function name", Matching(FunctionNames(statement), statement));
    case Show::Kind::kColumns: {
      Describe describe;
      describe.name.parts = statement.name->parts;
      describe.name.span = statement.name->span;
      if (statement.like) throw UnsupportedSql(statement.name->span, "SHOW COLUMNS … LIKE is not supported yet");
      return Execute(state, describe);
    }
    case Show::Kind::kPartitions:
      throw UnsupportedSql(statement.name->span, "SHOW PARTITIONS is not supported: SELECT from `{}$partitions`",
                           statement.name->parts.back().name);
    case Show::Kind::kJobs: return ShowJobs(state);
    case Show::Kind::kModules: return OneColumn("module name", {"core"});
    case Show::Kind::kCurrentCatalog: return OneColumn("current catalog name", {catalogs.current_catalog()});
    case Show::Kind::kCurrentDatabase: return OneColumn("current database name", {catalogs.current_database()});
    case Show::Kind::kCreateCatalog: return OneText(CreateCatalogText(state, CatalogOf(state, statement)));
    case Show::Kind::kCreateTable:
      return OneText(CreateTableText(state, catalogs.Complete(*statement.name), statement.name->span));
    default: return OneText(CreateViewText(state, statement));
  }
}

}  // namespace frazil::sql
