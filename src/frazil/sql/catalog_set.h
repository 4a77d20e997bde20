// SPDX-License-Identifier: Apache-2.0
// The catalogs of a session and what lives in them: Iceberg catalogs, the built-in in-memory catalog, temporary tables
// and views, and what is current.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "frazil/base/options.h"
#include "frazil/catalog/catalog.h"
#include "frazil/sql/ast.h"
#include "frazil/sql/relation.h"

namespace frazil::connector {
class ConnectorRegistry;
}

namespace frazil::sql {

inline constexpr char kDefaultCatalog[] = "default_catalog";
inline constexpr char kDefaultDatabase[] = "default_database";

/// A table with 'connector' as it was defined.
struct ConnectorTable {
  std::vector<RowField> columns;
  std::vector<std::string> primary_key;
  std::vector<std::string> partition_keys;
  std::string comment;
  OptionMap options;  ///< 'connector' included
};

using StoredObject = std::variant<ConnectorTable, ViewPtr>;

/// An Iceberg catalog: its databases are the namespaces right below `base_namespace`.
struct IcebergCatalog {
  std::shared_ptr<catalog::Catalog> catalog;
  std::string default_database;
  catalog::Namespace base_namespace;
  OptionMap properties;  ///< as given
  std::string comment;

  catalog::Namespace NamespaceOf(const std::string& database) const;
  catalog::TableIdentifier TableOf(const ObjectPath& path) const;
};

class CatalogSet : public RelationResolver {
 public:
  explicit CatalogSet(const connector::ConnectorRegistry& connectors);

  // ---- What is current
  const std::string& current_catalog() const { return current_catalog_; }
  const std::string& current_database() const { return current_database_; }
  /// Its default database becomes current. Throws SqlError if there is none of that name.
  void UseCatalog(const Identifier& name);
  void UseDatabase(const QualifiedName& name);

  /// The missing parts are the current ones. Throws SqlError for more than three parts.
  ObjectPath Complete(const QualifiedName& name) const;
  /// {catalog, database}; one or two parts.
  std::pair<std::string, std::string> CompleteDatabase(const QualifiedName& name) const;

  // ---- Catalogs
  /// `type` must be 'iceberg' ('generic_in_memory' is there already). The default database is made if it is missing.
  void CreateCatalog(const CreateCatalog& statement);
  void DropCatalog(const Identifier& name, bool if_exists);
  std::vector<std::string> CatalogNames() const;
  bool HasCatalog(const std::string& name) const;
  void RequireCatalog(const std::string& name, const SourceSpan& span) const;
  /// Null for the in-memory catalog and unknown ones.
  const IcebergCatalog* FindIceberg(const std::string& name) const;

  // ---- Databases
  std::vector<std::string> DatabaseNames(const std::string& catalog) const;
  bool HasDatabase(const std::string& catalog, const std::string& database) const;
  void RequireDatabase(const std::string& catalog, const std::string& database, const SourceSpan& span) const;
  /// False if there is one.
  bool CreateDatabase(const std::string& catalog, const std::string& database, const OptionMap& properties);
  /// False if there is none. Throws InvalidArgument if it holds tables and `cascade` isn't set.
  bool DropDatabase(const std::string& catalog, const std::string& database, bool cascade);

  // ---- Tables and views
  /// Sorted; views and temporary objects too.
  std::vector<std::string> TableNames(const std::string& catalog, const std::string& database) const;
  std::vector<std::string> ViewNames(const std::string& catalog, const std::string& database) const;

  /// Temporary first, then permanent ones of the in-memory catalog; null if there is none.
  const StoredObject* FindObject(const ObjectPath& path) const;
  const StoredObject* FindTemporary(const ObjectPath& path) const;
  /// Throws AlreadyExists.
  void AddObject(const ObjectPath& path, StoredObject object, bool temporary);
  /// False if there is none.
  bool RemoveObject(const ObjectPath& path, bool temporary);

  /// Whether any table, view or temporary object has this name.
  bool Exists(const ObjectPath& path) const;
  /// The Iceberg table, or nothing. Throws what the catalog throws.
  std::optional<table::Table> FindIcebergTable(const ObjectPath& path) const;
  /// Throws SqlError at `span` with what there is instead.
  [[noreturn]] void ThrowUnknownTable(const ObjectPath& path, const SourceSpan& span) const;

  std::variant<RelationPtr, ViewPtr> Resolve(const QualifiedName& name, const std::string& catalog,
                                             const std::string& database,
                                             const std::vector<Property>& options) override;

  /// The relation of a connector table, with the options of a hint over its own.
  Relation MakeConnectorRelation(const ObjectPath& path, const ConnectorTable& table,
                                 const std::vector<Property>& hint) const;

 private:
  std::variant<RelationPtr, ViewPtr> ResolveStored(const ObjectPath& path, const StoredObject& object,
                                                   const SourceSpan& span, const std::vector<Property>& options) const;
  RelationPtr ResolveMetadataTable(const ObjectPath& path, const SourceSpan& span,
                                   const std::vector<Property>& options) const;
  std::vector<std::string> ObjectNames(const std::string& catalog, const std::string& database, bool only_views) const;

  const connector::ConnectorRegistry& connectors_;
  std::string current_catalog_ = kDefaultCatalog;
  std::string current_database_ = kDefaultDatabase;
  std::map<std::string, IcebergCatalog> iceberg_;
  std::set<std::string> memory_databases_ = {kDefaultDatabase};
  std::map<ObjectPath, StoredObject> temporary_;
  std::map<ObjectPath, StoredObject> permanent_;  ///< of the in-memory catalog
};

/// Properties as a map. Throws SqlError for a key that is there twice.
OptionMap ToOptionMap(const std::vector<Property>& properties);

/// The columns are those of the snapshot that `read` names, else the current ones.
Relation MakeIcebergRelation(const ObjectPath& path, table::Table table, IcebergReadOptions read);

/// Reads 'snapshot-id', 'as-of-timestamp', 'branch', 'tag'; refuses other keys by name.
IcebergReadOptions ReadIcebergOptions(const std::vector<Property>& hint, const std::string& table);

}  // namespace frazil::sql
