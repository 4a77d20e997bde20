// SPDX-License-Identifier: Apache-2.0
// ALTER: properties and names. Changes of a table's schema are refused by name.
#include "frazil/base/error.h"
#include "frazil/sql/connector_table.h"
#include "frazil/sql/result.h"
#include "frazil/sql/session_state.h"
#include "frazil/table/properties_update.h"

namespace frazil::sql {

namespace {

/// What Flink's SET takes for something else than a property.
constexpr std::string_view kSpecialKeys[] = {"location", "current-snapshot-id", "cherry-pick-snapshot-id"};

void RefuseSpecialKeys(const std::vector<Property>& options) {
  for (const Property& option : options) {
    if (option.key == "connector") {
      throw InvalidSql(option.key_span, "'connector' can't be given to an Iceberg table");
    }
    for (std::string_view key : kSpecialKeys) {
      if (option.key == key) throw UnsupportedSql(option.key_span, "SET of '{}' is not supported yet", key);
    }
  }
}

std::string_view NameOf(const decltype(AlterTable::action)& action) {
  static constexpr std::string_view kNames[] = {
      "RENAME TO",   "RENAME of a column", "SET",                 "RESET", "ADD or MODIFY of columns, keys and watermarks",
      "DROP of columns", "DROP PRIMARY KEY", "DROP WATERMARK"};
  return kNames[action.index()];
}

/// A table that the session keeps, with options changed.
void AlterConnectorTable(SessionState& state, const ObjectPath& path, ConnectorTable table,
                         const AlterTable& statement) {
  if (const auto* set = std::get_if<SetTableOptions>(&statement.action)) {
    for (const auto& [key, value] : ToOptionMap(set->options)) table.options[key] = value;
  } else if (const auto* reset = std::get_if<ResetTableOptions>(&statement.action)) {
    for (const std::string& key : reset->keys) {
      if (key == "connector") throw InvalidSql(statement.name.span, "'connector' can't be reset");
      table.options.erase(key);
    }
  } else {
    throw UnsupportedSql(statement.name.span, "ALTER TABLE … {} is not supported yet", NameOf(statement.action));
  }
  try {
    ValidateOptions(state.catalogs.MakeConnectorRelation(path, table, {}));
  } catch (const Error& error) {
    throw SqlError(error.kind(), statement.name.span, error.what());
  }
  const bool temporary = state.catalogs.FindTemporary(path) != nullptr;
  state.catalogs.RemoveObject(path, temporary);
  state.catalogs.AddObject(path, std::move(table), temporary);
}

void Rename(SessionState& state, const ObjectPath& from, const RenameTable& rename) {
  ObjectPath to = state.catalogs.Complete(rename.new_name);
  if (rename.new_name.parts.size() == 1) {
    to.catalog = from.catalog;
    to.database = from.database;
  }
  if (to.catalog != from.catalog || to.database != from.database) {
    throw UnsupportedSql(rename.new_name.span, "a table can be renamed only within its database '{}.{}'", from.catalog,
                         from.database);
  }
  const IcebergCatalog& iceberg = *state.catalogs.FindIceberg(from.catalog);
  iceberg.catalog->RenameTable(iceberg.TableOf(from), iceberg.TableOf(to));
}

void AlterIcebergTable(SessionState& state, const ObjectPath& path, table::Table table, const AlterTable& statement) {
  if (const auto* set = std::get_if<SetTableOptions>(&statement.action)) {
    RefuseSpecialKeys(set->options);
    table::UpdateProperties(table, ToOptionMap(set->options), {});
  } else if (const auto* reset = std::get_if<ResetTableOptions>(&statement.action)) {
    table::UpdateProperties(table, {}, reset->keys);
  } else if (const auto* rename = std::get_if<RenameTable>(&statement.action)) {
    Rename(state, path, *rename);
  } else {
    throw UnsupportedSql(statement.name.span, "ALTER TABLE … {} is not supported yet", NameOf(statement.action));
  }
}

}  // namespace

StatementResult Execute(SessionState& state, const AlterTable& statement) {
  const ObjectPath path = state.catalogs.Complete(statement.name);
  const SourceSpan& span = statement.name.span;
  if (const StoredObject* stored = state.catalogs.FindObject(path)) {
    const auto* table = std::get_if<ConnectorTable>(stored);
    if (table == nullptr) throw InvalidSql(span, "'{}' is a view", path.ToString());
    AlterConnectorTable(state, path, *table, statement);
    return Done();
  }
  std::optional<table::Table> table = state.catalogs.FindIcebergTable(path);
  if (!table) {
    if (statement.if_exists) return Done();
    state.catalogs.RequireDatabase(path.catalog, path.database, span);
    state.catalogs.ThrowUnknownTable(path, span);
  }
  try {
    AlterIcebergTable(state, path, *std::move(table), statement);
  } catch (const SqlError&) {
    throw;
  } catch (const Error& error) {
    throw SqlError(error.kind(), span, error.what());
  }
  return Done();
}

StatementResult Execute(SessionState& state, const AlterDatabase& statement) {
  const auto [catalog, database] = state.catalogs.CompleteDatabase(statement.name);
  state.catalogs.RequireDatabase(catalog, database, statement.name.span);
  const IcebergCatalog* iceberg = state.catalogs.FindIceberg(catalog);
  if (iceberg == nullptr) {
    throw UnsupportedSql(statement.name.span, "databases of catalog '{}' keep no properties", catalog);
  }
  iceberg->catalog->UpdateNamespaceProperties(iceberg->NamespaceOf(database), ToOptionMap(statement.properties), {});
  return Done();
}

}  // namespace frazil::sql
