// SPDX-License-Identifier: Apache-2.0
// Catalogs: names to tables, and the atomic swap of a table's metadata. A catalog knows nothing of data files or
// manifests.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "frazil/base/options.h"
#include "frazil/iceberg/table_metadata.h"
#include "frazil/iceberg/table_update.h"

namespace frazil::storage {
class FileIO;
}

namespace frazil::catalog {

/// Levels of a namespace, outermost first.
using Namespace = std::vector<std::string>;

struct TableIdentifier {
  Namespace ns;
  std::string name;

  /// "db.orders"
  std::string ToString() const;
  auto operator<=>(const TableIdentifier&) const = default;
};

/// One table's share of a commit.
struct TableCommit {
  TableIdentifier table;
  std::vector<iceberg::TableRequirement> requirements;
  std::vector<iceberg::TableUpdate> updates;
};

struct LoadedTable {
  iceberg::TableMetadataPtr metadata;
  std::string metadata_location;
  std::shared_ptr<storage::FileIO> io;
};

struct TableCreation {
  iceberg::Schema schema;  ///< ids are assigned anew
  iceberg::PartitionSpec spec;
  iceberg::SortOrder order;
  std::optional<std::string> location;  ///< default: below the warehouse
  OptionMap properties;                 ///< may hold `format-version`
};

/// Thread-safe. Every method throws Unavailable if the backend can't be reached.
class Catalog {
 public:
  virtual ~Catalog() = default;

  virtual const std::string& name() const = 0;

  virtual std::vector<Namespace> ListNamespaces(const Namespace& parent) = 0;
  virtual bool NamespaceExists(const Namespace& ns) = 0;
  /// AlreadyExists.
  virtual void CreateNamespace(const Namespace& ns, const OptionMap& properties) = 0;
  /// NotFound.
  virtual OptionMap NamespaceProperties(const Namespace& ns) = 0;
  virtual void UpdateNamespaceProperties(const Namespace& ns, const OptionMap& updated,
                                         const std::vector<std::string>& removed) = 0;
  /// InvalidArgument if it holds tables or namespaces; false if there is none.
  virtual bool DropNamespace(const Namespace& ns) = 0;

  virtual std::vector<TableIdentifier> ListTables(const Namespace& ns) = 0;
  virtual bool TableExists(const TableIdentifier& id) = 0;
  /// NotFound.
  virtual LoadedTable LoadTable(const TableIdentifier& id) = 0;
  /// AlreadyExists; NotFound for the namespace.
  virtual LoadedTable CreateTable(const TableIdentifier& id, const TableCreation& creation) = 0;
  /// Adopts an existing metadata file. AlreadyExists.
  virtual LoadedTable RegisterTable(const TableIdentifier& id, const std::string& metadata_location) = 0;
  /// False if there is none. With `purge` all files of the table are deleted too (`gc.enabled` honoured).
  virtual bool DropTable(const TableIdentifier& id, bool purge) = 0;
  virtual void RenameTable(const TableIdentifier& from, const TableIdentifier& to) = 0;

  /// Whether Commit of several tables is all-or-nothing.
  virtual bool HasAtomicMultiTableCommit() const = 0;
  /// Checks the requirements against the current metadata, applies the updates, writes the new metadata file and swaps
  /// the pointer by compare-and-set. One result per commit, in order. Throws CommitConflict (a requirement failed or
  /// somebody was faster: nothing of it is visible, new metadata files are removed), CommitStateUnknown (the swap may
  /// have happened: nothing was removed), NotFound.
  virtual std::vector<LoadedTable> Commit(std::span<const TableCommit> commits) = 0;
};

/// Makes the catalog of `CREATE CATALOG name WITH (…)` from its properties. The keys that are the session's own are
/// stripped by it before: `type`, `default-database`, `property-version`, `cache-enabled`. What is left:
///
/// | key | meaning |
/// | --- | --- |
/// | `catalog-type` | `jdbc` or `sql` (one SQLite file), `memory` (lives as long as this object) |
/// | `catalog-impl` | instead: org.apache.iceberg.jdbc.JdbcCatalog or org.apache.iceberg.inmemory.InMemoryCatalog |
/// | `warehouse` | the folder below which new tables are placed; required |
/// | `uri` | SQL: jdbc:sqlite:/path, jdbc:sqlite:file:/path?…, sqlite:////path, sqlite:///relative; required |
/// | `jdbc.schema-version` | `V1` upgrades a file of older clients so that it can hold views, `V0` makes new files so |
/// | `jdbc.init-catalog-tables` | `false`: the two tables of the layout must be there already |
/// | `jdbc.strict-mode` | only `true`: a new table needs a namespace that exists |
/// | `jdbc.user`, `jdbc.password`, `clients` | accepted: SQLite has no users, and one connection is never above a limit
/// | | `io-impl` | HadoopFileIO or ResolvingFileIO | | `table-default.*`, `table-override.*` | properties of new
/// tables, beneath and above the given ones | | `unique-table-location` | `true` adds a random suffix to the folder of
/// a new table | | `frazil.storage.*` | see storage::MakeFileIO |
///
/// Unknown keys are refused by name. Throws InvalidArgument, Unsupported (catalogs that aren't built yet).
std::unique_ptr<Catalog> MakeCatalog(const std::string& name, const OptionMap& properties);

}  // namespace frazil::catalog
