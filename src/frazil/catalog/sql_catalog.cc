// SPDX-License-Identifier: Apache-2.0
#include "frazil/catalog/sql_catalog.h"

#include "frazil/base/error.h"
#include "frazil/catalog/names.h"

namespace frazil::catalog {

namespace {

// The statements of Java's JdbcUtil, word for word, so that a file made here is one made there.
constexpr char kCreateTables[] =
    "CREATE TABLE iceberg_tables(catalog_name VARCHAR(255) NOT NULL,table_namespace VARCHAR(255) NOT NULL,"
    "table_name VARCHAR(255) NOT NULL,metadata_location VARCHAR(1000),previous_metadata_location VARCHAR(1000),"
    "PRIMARY KEY (catalog_name, table_namespace, table_name))";
constexpr char kAddTypeColumn[] = "ALTER TABLE iceberg_tables ADD COLUMN iceberg_type VARCHAR(5)";
constexpr char kCreateNamespaceProperties[] =
    "CREATE TABLE iceberg_namespace_properties(catalog_name VARCHAR(255) NOT NULL,namespace VARCHAR(255) NOT NULL,"
    "property_key VARCHAR(255),property_value VARCHAR(1000),PRIMARY KEY (catalog_name, namespace, property_key))";
constexpr char kIsTable[] = "catalog_name = ? AND table_namespace = ? AND table_name = ?";

/// Java and PyIceberg write this row so that a namespace without properties exists. Never shown.
constexpr char kExistsProperty[] = "exists";

void RefuseExistsProperty(std::string_view key) {
  if (key == kExistsProperty) throw InvalidArgument("namespace property '{}' is the catalog's own", kExistsProperty);
}

}  // namespace

std::string SqlitePath(std::string_view uri) {
  constexpr std::string_view kJdbc = "jdbc:sqlite:";
  constexpr std::string_view kSqlAlchemy = "sqlite://";
  std::string path;
  if (uri.starts_with(kJdbc)) {
    path = uri.substr(kJdbc.size());
  } else if (uri.starts_with(kSqlAlchemy)) {
    std::string_view rest = uri.substr(kSqlAlchemy.size());
    if (!rest.empty() && !rest.starts_with('/')) {
      throw InvalidArgument("uri '{}': after sqlite:// comes /<path> (four slashes for an absolute one)", uri);
    }
    path = rest.size() > 1 ? rest.substr(1) : ":memory:";
  } else if (uri.starts_with("jdbc:") || uri.find("://") != std::string_view::npos) {
    throw Unsupported("uri '{}': only SQLite files are built yet: jdbc:sqlite:/path or sqlite:////path", uri);
  } else {
    throw InvalidArgument("uri '{}' names no database: write jdbc:sqlite:{}", uri, uri);
  }
  if (path.empty()) throw InvalidArgument("uri '{}' has no path", uri);
  if (!path.starts_with("file:") && path.find('?') != std::string::npos) {
    throw InvalidArgument("uri '{}': parameters are taken only in the form jdbc:sqlite:file:/path?…", uri);
  }
  return path;
}

SqlCatalog::SqlCatalog(std::string name, MetastoreSettings settings, const SqlCatalogSettings& sql)
    : MetastoreCatalog(std::move(name), std::move(settings)), connection_(sql.path, sql.busy_timeout) {
  PrepareLayout(sql);
  if (schema_version_ == SqlSchemaVersion::kV1) only_tables_ = " AND (iceberg_type = 'TABLE' OR iceberg_type IS NULL)";
}

void SqlCatalog::PrepareLayout(const SqlCatalogSettings& sql) {
  bool is_new = !HasTable("iceberg_tables");
  bool complete = !is_new && HasTable("iceberg_namespace_properties");
  bool upgrade = !is_new && !HasTypeColumn() && sql.schema_version == SqlSchemaVersion::kV1;
  if (!complete && !sql.create_tables) {
    throw NotFound("catalog file {} lacks Iceberg's tables, and jdbc.init-catalog-tables is false", sql.path);
  }
  if (!complete || upgrade) {
    SqliteTransaction transaction(connection_);  // another process may have been faster: look again
    is_new = !HasTable("iceberg_tables");
    if (is_new) connection_.Execute(kCreateTables);
    if (!HasTable("iceberg_namespace_properties")) connection_.Execute(kCreateNamespaceProperties);
    bool wants_type = is_new ? sql.schema_version != SqlSchemaVersion::kV0 : upgrade;
    if (wants_type && !HasTypeColumn()) connection_.Execute(kAddTypeColumn);
    transaction.Commit();
  }
  schema_version_ = HasTypeColumn() ? SqlSchemaVersion::kV1 : SqlSchemaVersion::kV0;
}

bool SqlCatalog::HasTable(std::string_view table) {
  return SqliteStatement(connection_, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?")
      .Bind(table)
      .Step();
}

bool SqlCatalog::HasTypeColumn() {
  return SqliteStatement(connection_, "SELECT 1 FROM pragma_table_info('iceberg_tables') WHERE name = 'iceberg_type'")
      .Step();
}

// ------------------------------------------------------------------------------------------------ namespaces

/// A namespace exists if it, or one below it, has a property or a table. Compared by prefix and not by LIKE, where '_'
/// and '%' in names would match others.
bool SqlCatalog::HasNamespace(const Namespace& ns) {
  std::string joined = JoinNamespace(ns);
  constexpr std::string_view kSql =
      "SELECT 1 FROM (SELECT catalog_name, table_namespace AS ns FROM iceberg_tables"
      " UNION ALL SELECT catalog_name, namespace AS ns FROM iceberg_namespace_properties)"
      " WHERE catalog_name = ? AND (ns = ? OR substr(ns, 1, length(?3)) = ?3) LIMIT 1";
  return SqliteStatement(connection_, kSql).Bind(name()).Bind(joined).Bind(joined + ".").Step();
}

void SqlCatalog::RequireNamespace(const Namespace& ns) {
  if (!HasNamespace(ns)) throw NotFound("namespace {} does not exist in catalog '{}'", JoinNamespace(ns), name());
}

std::vector<Namespace> SqlCatalog::ListNamespaces(const Namespace& parent) {
  std::lock_guard lock(mutex_);
  if (!parent.empty()) RequireNamespace(parent);
  SqliteStatement statement(connection_,
                            "SELECT table_namespace FROM iceberg_tables WHERE catalog_name = ?1"
                            " UNION SELECT namespace FROM iceberg_namespace_properties WHERE catalog_name = ?1");
  statement.Bind(name());
  std::set<Namespace> children;
  while (statement.Step()) {
    Namespace ns = SplitNamespace(statement.Text(0).value_or(""));
    if (ns.size() <= parent.size() || !IsWithin(ns, parent)) continue;
    ns.resize(parent.size() + 1);
    children.insert(std::move(ns));
  }
  return {children.begin(), children.end()};
}

bool SqlCatalog::NamespaceExists(const Namespace& ns) {
  std::lock_guard lock(mutex_);
  return !ns.empty() && HasNamespace(ns);
}

void SqlCatalog::CreateNamespace(const Namespace& ns, const OptionMap& properties) {
  ValidateNamespace(ns);
  for (const auto& [key, value] : properties) RefuseExistsProperty(key);
  std::lock_guard lock(mutex_);
  SqliteTransaction transaction(connection_);
  std::string joined = JoinNamespace(ns);
  if (HasNamespace(ns)) throw AlreadyExists("namespace {} exists already in catalog '{}'", joined, name());
  SetNamespaceProperty(joined, kExistsProperty, "true");
  for (const auto& [key, value] : properties) SetNamespaceProperty(joined, key, value);
  transaction.Commit();
}

OptionMap SqlCatalog::NamespaceProperties(const Namespace& ns) {
  std::lock_guard lock(mutex_);
  RequireNamespace(ns);
  SqliteStatement statement(connection_,
                            "SELECT property_key, property_value FROM iceberg_namespace_properties"
                            " WHERE catalog_name = ? AND namespace = ?");
  statement.Bind(name()).Bind(JoinNamespace(ns));
  OptionMap properties;
  while (statement.Step()) {
    std::string key = statement.Text(0).value_or("");
    if (key != kExistsProperty) properties[std::move(key)] = statement.Text(1).value_or("");
  }
  return properties;
}

void SqlCatalog::UpdateNamespaceProperties(const Namespace& ns, const OptionMap& updated,
                                           const std::vector<std::string>& removed) {
  for (const auto& [key, value] : updated) RefuseExistsProperty(key);
  for (const std::string& key : removed) {
    RefuseExistsProperty(key);
    if (updated.contains(key)) throw InvalidArgument("namespace property '{}' can't be both set and removed", key);
  }
  std::lock_guard lock(mutex_);
  SqliteTransaction transaction(connection_);
  RequireNamespace(ns);
  std::string joined = JoinNamespace(ns);
  SetNamespaceProperty(joined, kExistsProperty, "true");  // else it could vanish with its last property
  for (const auto& [key, value] : updated) SetNamespaceProperty(joined, key, value);
  for (const std::string& key : removed) {
    SqliteStatement(connection_,
                    "DELETE FROM iceberg_namespace_properties"
                    " WHERE catalog_name = ? AND namespace = ? AND property_key = ?")
        .Bind(name())
        .Bind(joined)
        .Bind(key)
        .Run();
  }
  transaction.Commit();
}

void SqlCatalog::SetNamespaceProperty(const std::string& ns, std::string_view key, std::string_view value) {
  SqliteStatement(connection_,
                  "INSERT OR REPLACE INTO iceberg_namespace_properties"
                  " (catalog_name, namespace, property_key, property_value) VALUES (?, ?, ?, ?)")
      .Bind(name())
      .Bind(ns)
      .Bind(key)
      .Bind(value)
      .Run();
}

bool SqlCatalog::DropNamespace(const Namespace& ns) {
  std::lock_guard lock(mutex_);
  if (ns.empty()) return false;
  SqliteTransaction transaction(connection_);
  if (!HasNamespace(ns)) return false;
  std::string joined = JoinNamespace(ns);
  SqliteStatement table(connection_,
                        "SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ? LIMIT 1");
  if (table.Bind(name()).Bind(joined).Step()) {
    throw InvalidArgument("namespace {} is not empty: it holds {}", joined, table.Text(0).value_or(""));
  }
  SqliteStatement(connection_, "DELETE FROM iceberg_namespace_properties WHERE catalog_name = ? AND namespace = ?")
      .Bind(name())
      .Bind(joined)
      .Run();
  if (HasNamespace(ns)) throw InvalidArgument("namespace {} is not empty: it holds other namespaces", joined);
  transaction.Commit();
  return true;
}

// ---------------------------------------------------------------------------------------------------- tables

std::vector<TableIdentifier> SqlCatalog::ListTables(const Namespace& ns) {
  std::lock_guard lock(mutex_);
  RequireNamespace(ns);
  SqliteStatement statement(connection_,
                            "SELECT table_name FROM iceberg_tables WHERE catalog_name = ? AND table_namespace = ?" +
                                only_tables_ + " ORDER BY table_name");
  statement.Bind(name()).Bind(JoinNamespace(ns));
  std::vector<TableIdentifier> tables;
  while (statement.Step()) tables.push_back({ns, statement.Text(0).value_or("")});
  return tables;
}

std::optional<std::string> SqlCatalog::Pointer(const TableIdentifier& id) {
  SqliteStatement statement(
      connection_, fmt::format("SELECT metadata_location FROM iceberg_tables WHERE {}{}", kIsTable, only_tables_));
  if (!statement.Bind(name()).Bind(JoinNamespace(id.ns)).Bind(id.name).Step()) return std::nullopt;
  std::optional<std::string> location = statement.Text(0);
  if (!location) throw Corrupt("table {} has no metadata location in catalog '{}'", id.ToString(), name());
  return location;
}

std::optional<std::string> SqlCatalog::FindPointer(const TableIdentifier& id) {
  std::lock_guard lock(mutex_);
  return Pointer(id);
}

void SqlCatalog::RequireNameFree(const TableIdentifier& id) {
  SqliteStatement statement(connection_, fmt::format("SELECT 1 FROM iceberg_tables WHERE {}", kIsTable));
  if (!statement.Bind(name()).Bind(JoinNamespace(id.ns)).Bind(id.name).Step()) return;
  bool is_table = Pointer(id).has_value();
  throw AlreadyExists("{} {} exists already in catalog '{}'", is_table ? "table" : "view", id.ToString(), name());
}

void SqlCatalog::InsertPointer(const TableIdentifier& id, const std::string& metadata_location) {
  std::lock_guard lock(mutex_);
  SqliteTransaction transaction(connection_);
  RequireNamespace(id.ns);
  RequireNameFree(id);
  bool typed = schema_version_ == SqlSchemaVersion::kV1;
  SqliteStatement(connection_,
                  fmt::format("INSERT INTO iceberg_tables (catalog_name, table_namespace, table_name,"
                              " metadata_location, previous_metadata_location{}) VALUES (?, ?, ?, ?, NULL{})",
                              typed ? ", iceberg_type" : "", typed ? ", 'TABLE'" : ""))
      .Bind(name())
      .Bind(JoinNamespace(id.ns))
      .Bind(id.name)
      .Bind(metadata_location)
      .Run();
  transaction.Commit();
}

std::optional<std::string> SqlCatalog::RemovePointer(const TableIdentifier& id) {
  std::lock_guard lock(mutex_);
  SqliteTransaction transaction(connection_);
  std::optional<std::string> last = Pointer(id);
  if (!last) return std::nullopt;
  SqliteStatement(connection_, fmt::format("DELETE FROM iceberg_tables WHERE {}{}", kIsTable, only_tables_))
      .Bind(name())
      .Bind(JoinNamespace(id.ns))
      .Bind(id.name)
      .Run();
  transaction.Commit();
  return last;
}

void SqlCatalog::RenameTable(const TableIdentifier& from, const TableIdentifier& to) {
  ValidateIdentifier(to);
  std::lock_guard lock(mutex_);
  SqliteTransaction transaction(connection_);
  if (!Pointer(from)) throw NotFound("table {} does not exist in catalog '{}'", from.ToString(), name());
  RequireNamespace(to.ns);
  RequireNameFree(to);
  SqliteStatement(connection_, fmt::format("UPDATE iceberg_tables SET table_namespace = ?, table_name = ? WHERE {}{}",
                                           kIsTable, only_tables_))
      .Bind(JoinNamespace(to.ns))
      .Bind(to.name)
      .Bind(name())
      .Bind(JoinNamespace(from.ns))
      .Bind(from.name)
      .Run();
  transaction.Commit();
}

void SqlCatalog::SwapPointers(std::span<const PointerSwap> swaps) {
  std::lock_guard lock(mutex_);
  SqliteTransaction transaction(connection_);
  for (const PointerSwap& swap : swaps) {
    SqliteStatement(connection_,
                    fmt::format("UPDATE iceberg_tables SET metadata_location = ?, previous_metadata_location = ?"
                                " WHERE {} AND metadata_location = ?{}",
                                kIsTable, only_tables_))
        .Bind(swap.to)
        .Bind(swap.from)
        .Bind(name())
        .Bind(JoinNamespace(swap.table.ns))
        .Bind(swap.table.name)
        .Bind(swap.from)
        .Run();
    if (connection_.changes() != 1) {
      throw CommitConflict("table {} was changed by another commit: it isn't at {} any more", swap.table.ToString(),
                           swap.from);
    }
  }
  transaction.Commit();
}

}  // namespace frazil::catalog
