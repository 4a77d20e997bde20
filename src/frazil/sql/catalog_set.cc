// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/catalog_set.h"

#include "frazil/base/error.h"
#include "frazil/base/suggest.h"
#include "frazil/catalog/names.h"
#include "frazil/connector/connector.h"

namespace frazil::sql {

namespace {

/// What Flink's catalog factory keeps for itself.
constexpr std::string_view kSessionKeys[] = {"type",          "default-database",
                                             "base-namespace", "property-version",
                                             "cache-enabled", "cache.expiration-interval-ms"};

IcebergCatalog OpenIceberg(const std::string& name, OptionMap properties) {
  IcebergCatalog opened;
  OptionReader options(properties, fmt::format("catalog '{}'", name));
  opened.default_database = options.GetString("default-database").value_or("default");
  if (std::optional<std::string> base = options.GetString("base-namespace")) {
    opened.base_namespace = catalog::SplitNamespace(*base);
  }
  const std::string version = options.GetString("property-version").value_or("1");
  if (version != "1") throw InvalidArgument("'property-version' must be '1', not '{}'", version);
  // Tables are read afresh for each statement, which is what 'false' asks for and 'true' allows.
  options.GetBool("cache-enabled");
  if (options.GetInt64("cache.expiration-interval-ms").value_or(-1) == 0) {
    throw InvalidArgument("'cache.expiration-interval-ms' must not be 0");
  }
  OptionMap rest = properties;
  for (std::string_view key : kSessionKeys) rest.erase(std::string(key));
  opened.catalog = catalog::MakeCatalog(name, rest);
  opened.properties = std::move(properties);
  return opened;
}

/// As Flink's FlinkCatalog.open does.
void EnsureDefaultDatabase(const IcebergCatalog& opened) {
  const catalog::Namespace ns = opened.NamespaceOf(opened.default_database);
  if (opened.catalog->NamespaceExists(ns)) return;
  try {
    opened.catalog->CreateNamespace(ns, {});
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kAlreadyExists) throw;
  }
}

}  // namespace

std::string ObjectPath::ToString() const { return fmt::format("{}.{}.{}", catalog, database, object); }

std::string ObjectPath::Quoted() const { return fmt::format("`{}`.`{}`.`{}`", catalog, database, object); }

catalog::Namespace IcebergCatalog::NamespaceOf(const std::string& database) const {
  catalog::Namespace ns = base_namespace;
  ns.push_back(database);
  return ns;
}

catalog::TableIdentifier IcebergCatalog::TableOf(const ObjectPath& path) const {
  return {NamespaceOf(path.database), path.object};
}

OptionMap ToOptionMap(const std::vector<Property>& properties) {
  OptionMap map;
  for (const Property& property : properties) {
    if (!map.emplace(property.key, property.value).second) {
      throw InvalidSql(property.key_span, "the key '{}' is given twice", property.key);
    }
  }
  return map;
}

CatalogSet::CatalogSet(const connector::ConnectorRegistry& connectors) : connectors_(connectors) {}

// ---- Names

void CatalogSet::UseCatalog(const Identifier& name) {
  RequireCatalog(name.name, name.span);
  const IcebergCatalog* iceberg = FindIceberg(name.name);
  current_catalog_ = name.name;
  current_database_ = iceberg == nullptr ? kDefaultDatabase : iceberg->default_database;
}

void CatalogSet::UseDatabase(const QualifiedName& name) {
  const auto [catalog, database] = CompleteDatabase(name);
  RequireDatabase(catalog, database, name.span);
  current_catalog_ = catalog;
  current_database_ = database;
}

ObjectPath CatalogSet::Complete(const QualifiedName& name) const {
  const auto& parts = name.parts;
  switch (parts.size()) {
    case 1: return {current_catalog_, current_database_, parts[0].name};
    case 2: return {current_catalog_, parts[0].name, parts[1].name};
    case 3: return {parts[0].name, parts[1].name, parts[2].name};
    default: throw InvalidSql(name.span, "the name of a table has three parts at most: catalog.database.table");
  }
}

std::pair<std::string, std::string> CatalogSet::CompleteDatabase(const QualifiedName& name) const {
  if (name.parts.size() > 2) throw InvalidSql(name.span, "the name of a database has two parts at most");
  if (name.parts.size() == 2) return {name.parts[0].name, name.parts[1].name};
  return {current_catalog_, name.parts[0].name};
}

// ---- Catalogs

void CatalogSet::CreateCatalog(const sql::CreateCatalog& statement) {
  const std::string& name = statement.name.name;
  if (HasCatalog(name)) {
    if (statement.if_not_exists) return;
    throw SqlError(ErrorKind::kAlreadyExists, statement.name.span, fmt::format("catalog '{}' exists already", name));
  }
  OptionMap properties = ToOptionMap(statement.properties);
  const auto type = properties.find("type");
  if (type == properties.end()) throw InvalidSql(statement.name.span, "catalog '{}' needs 'type' = 'iceberg'", name);
  if (type->second != "iceberg") {
    throw UnsupportedSql(statement.name.span, "catalogs of 'type' = '{}' are not supported; there is 'iceberg'",
                         type->second);
  }
  try {
    IcebergCatalog opened = OpenIceberg(name, std::move(properties));
    EnsureDefaultDatabase(opened);
    opened.comment = statement.comment.value_or("");
    iceberg_.emplace(name, std::move(opened));
  } catch (const Error& error) {
    throw SqlError(error.kind(), statement.name.span, error.what());
  }
}

void CatalogSet::DropCatalog(const Identifier& name, bool if_exists) {
  if (!HasCatalog(name.name) && if_exists) return;
  RequireCatalog(name.name, name.span);
  if (name.name == current_catalog_) {
    throw InvalidSql(name.span, "catalog '{}' is in use: USE CATALOG another one first", name.name);
  }
  if (FindIceberg(name.name) == nullptr) throw InvalidSql(name.span, "the built-in catalog can't be dropped");
  iceberg_.erase(name.name);
}

std::vector<std::string> CatalogSet::CatalogNames() const {
  std::vector<std::string> names = {kDefaultCatalog};
  for (const auto& [name, catalog] : iceberg_) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

bool CatalogSet::HasCatalog(const std::string& name) const {
  return name == kDefaultCatalog || iceberg_.contains(name);
}

void CatalogSet::RequireCatalog(const std::string& name, const SourceSpan& span) const {
  if (HasCatalog(name)) return;
  throw SqlError(ErrorKind::kNotFound, span,
                 fmt::format("there is no catalog '{}'{}", name, DidYouMean(name, CatalogNames())));
}

const IcebergCatalog* CatalogSet::FindIceberg(const std::string& name) const {
  const auto found = iceberg_.find(name);
  return found == iceberg_.end() ? nullptr : &found->second;
}

// ---- Databases

std::vector<std::string> CatalogSet::DatabaseNames(const std::string& catalog) const {
  const IcebergCatalog* iceberg = FindIceberg(catalog);
  if (iceberg == nullptr) return {memory_databases_.begin(), memory_databases_.end()};
  std::vector<std::string> names;
  for (const catalog::Namespace& ns : iceberg->catalog->ListNamespaces(iceberg->base_namespace)) {
    names.push_back(ns.back());
  }
  std::sort(names.begin(), names.end());
  return names;
}

bool CatalogSet::HasDatabase(const std::string& catalog, const std::string& database) const {
  if (!HasCatalog(catalog)) return false;
  const IcebergCatalog* iceberg = FindIceberg(catalog);
  if (iceberg == nullptr) return memory_databases_.contains(database);
  return iceberg->catalog->NamespaceExists(iceberg->NamespaceOf(database));
}

void CatalogSet::RequireDatabase(const std::string& catalog, const std::string& database,
                                 const SourceSpan& span) const {
  RequireCatalog(catalog, span);
  if (HasDatabase(catalog, database)) return;
  throw SqlError(ErrorKind::kNotFound, span,
                 fmt::format("there is no database '{}' in catalog '{}'{}", database, catalog,
                             DidYouMean(database, DatabaseNames(catalog))));
}

bool CatalogSet::CreateDatabase(const std::string& catalog, const std::string& database, const OptionMap& properties) {
  if (HasDatabase(catalog, database)) return false;
  if (const IcebergCatalog* iceberg = FindIceberg(catalog)) {
    try {
      iceberg->catalog->CreateNamespace(iceberg->NamespaceOf(database), properties);
    } catch (const Error& error) {
      // Another process may have made it since the check above.
      if (error.kind() != ErrorKind::kAlreadyExists) throw;
      return false;
    }
  } else {
    memory_databases_.insert(database);
  }
  return true;
}

bool CatalogSet::DropDatabase(const std::string& catalog, const std::string& database, bool cascade) {
  if (!HasDatabase(catalog, database)) return false;
  const IcebergCatalog* iceberg = FindIceberg(catalog);
  if (iceberg == nullptr) {
    std::erase_if(permanent_, [&](const auto& entry) { return cascade && entry.first.database == database; });
    const bool holds = std::any_of(permanent_.begin(), permanent_.end(),
                                   [&](const auto& entry) { return entry.first.database == database; });
    if (holds) throw InvalidArgument("database '{}' is not empty: drop its tables first, or use CASCADE", database);
    memory_databases_.erase(database);
    return true;
  }
  const catalog::Namespace ns = iceberg->NamespaceOf(database);
  if (cascade) {
    for (const catalog::TableIdentifier& id : iceberg->catalog->ListTables(ns)) iceberg->catalog->DropTable(id, true);
  }
  return iceberg->catalog->DropNamespace(ns);
}

// ---- Tables and views

std::vector<std::string> CatalogSet::ObjectNames(const std::string& catalog, const std::string& database,
                                                 bool only_views) const {
  std::set<std::string> names;
  const auto add = [&](const std::map<ObjectPath, StoredObject>& objects) {
    for (const auto& [path, object] : objects) {
      if (path.catalog != catalog || path.database != database) continue;
      if (!only_views || std::holds_alternative<ViewPtr>(object)) names.insert(path.object);
    }
  };
  add(temporary_);
  add(permanent_);
  const IcebergCatalog* iceberg = FindIceberg(catalog);
  if (!only_views && iceberg != nullptr && HasDatabase(catalog, database)) {
    for (const catalog::TableIdentifier& id : iceberg->catalog->ListTables(iceberg->NamespaceOf(database))) {
      names.insert(id.name);
    }
  }
  return {names.begin(), names.end()};
}

std::vector<std::string> CatalogSet::TableNames(const std::string& catalog, const std::string& database) const {
  return ObjectNames(catalog, database, false);
}

std::vector<std::string> CatalogSet::ViewNames(const std::string& catalog, const std::string& database) const {
  return ObjectNames(catalog, database, true);
}

const StoredObject* CatalogSet::FindTemporary(const ObjectPath& path) const {
  const auto found = temporary_.find(path);
  return found == temporary_.end() ? nullptr : &found->second;
}

const StoredObject* CatalogSet::FindObject(const ObjectPath& path) const {
  if (const StoredObject* temporary = FindTemporary(path)) return temporary;
  const auto found = permanent_.find(path);
  return found == permanent_.end() ? nullptr : &found->second;
}

void CatalogSet::AddObject(const ObjectPath& path, StoredObject object, bool temporary) {
  auto& objects = temporary ? temporary_ : permanent_;
  if (!objects.emplace(path, std::move(object)).second) {
    throw AlreadyExists("table or view '{}' exists already", path.ToString());
  }
}

bool CatalogSet::RemoveObject(const ObjectPath& path, bool temporary) {
  return (temporary ? temporary_ : permanent_).erase(path) > 0;
}

std::optional<table::Table> CatalogSet::FindIcebergTable(const ObjectPath& path) const {
  const IcebergCatalog* iceberg = FindIceberg(path.catalog);
  if (iceberg == nullptr) return std::nullopt;
  const catalog::TableIdentifier id = iceberg->TableOf(path);
  if (!iceberg->catalog->TableExists(id)) return std::nullopt;
  return table::Table::Load(iceberg->catalog, id);
}

bool CatalogSet::Exists(const ObjectPath& path) const {
  if (FindObject(path) != nullptr) return true;
  const IcebergCatalog* iceberg = FindIceberg(path.catalog);
  return iceberg != nullptr && iceberg->catalog->TableExists(iceberg->TableOf(path));
}

}  // namespace frazil::sql
