// SPDX-License-Identifier: Apache-2.0
// The catalog in one SQLite file, in the layout of Iceberg's JDBC catalog, so that Java and PyIceberg open the same
// file: table `iceberg_tables` holds one pointer a row, `iceberg_namespace_properties` one property a row.
#pragma once

#include <chrono>
#include <mutex>

#include "frazil/catalog/metastore_catalog.h"
#include "frazil/catalog/sqlite.h"

namespace frazil::catalog {

/// Layouts: V0 lacks the column `iceberg_type`, which tells tables from views.
enum class SqlSchemaVersion { kV0, kV1 };

struct SqlCatalogSettings {
  std::string path;  ///< see SqliteConnection
  /// Set: a new file gets this layout, and V1 upgrades an old file. Not set: new files are V1, old ones stay.
  std::optional<SqlSchemaVersion> schema_version;
  bool create_tables = true;
  std::chrono::milliseconds busy_timeout{30'000};
};

/// The file of a `uri`: jdbc:sqlite:<path>, jdbc:sqlite:file:<path>?…, sqlite:///<relative>, sqlite:////<absolute>.
/// Throws InvalidArgument (with a hint for a bare path), Unsupported for other databases.
std::string SqlitePath(std::string_view uri);

/// Safe for several processes at once: every change is one transaction under SQLite's write lock.
class SqlCatalog final : public MetastoreCatalog {
 public:
  /// Throws NotFound if the tables of the layout are missing and aren't to be created.
  SqlCatalog(std::string name, MetastoreSettings settings, const SqlCatalogSettings& sql);

  std::vector<Namespace> ListNamespaces(const Namespace& parent) override;
  bool NamespaceExists(const Namespace& ns) override;
  void CreateNamespace(const Namespace& ns, const OptionMap& properties) override;
  OptionMap NamespaceProperties(const Namespace& ns) override;
  void UpdateNamespaceProperties(const Namespace& ns, const OptionMap& updated,
                                 const std::vector<std::string>& removed) override;
  bool DropNamespace(const Namespace& ns) override;
  std::vector<TableIdentifier> ListTables(const Namespace& ns) override;
  void RenameTable(const TableIdentifier& from, const TableIdentifier& to) override;

 protected:
  std::optional<std::string> FindPointer(const TableIdentifier& id) override;
  void InsertPointer(const TableIdentifier& id, const std::string& metadata_location) override;
  std::optional<std::string> RemovePointer(const TableIdentifier& id) override;
  void SwapPointers(std::span<const PointerSwap> swaps) override;

 private:
  // All of these want mutex_ held.
  void PrepareLayout(const SqlCatalogSettings& sql);
  bool HasTable(std::string_view table);
  bool HasTypeColumn();
  bool HasNamespace(const Namespace& ns);
  void RequireNamespace(const Namespace& ns);
  void RequireNameFree(const TableIdentifier& id);
  std::optional<std::string> Pointer(const TableIdentifier& id);
  void SetNamespaceProperty(const std::string& ns, std::string_view key, std::string_view value);

  std::mutex mutex_;
  SqliteConnection connection_;
  SqlSchemaVersion schema_version_ = SqlSchemaVersion::kV1;
  /// The end of a WHERE clause that leaves views out.
  std::string only_tables_;
};

}  // namespace frazil::catalog
