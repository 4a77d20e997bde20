// SPDX-License-Identifier: Apache-2.0
// What the catalogs have in common that keep one pointer for each table: the location of its current metadata file. A
// subclass stores namespaces and pointers; how metadata files are made, swapped and cleaned up is here.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "frazil/catalog/catalog.h"

namespace frazil::catalog {

struct MetastoreSettings {
  std::string warehouse;     ///< absolute, no trailing slash
  OptionMap table_defaults;  ///< `table-default.*`, prefix cut off
  OptionMap table_overrides;
  bool unique_table_location = false;
  std::shared_ptr<storage::FileIO> io;
};

class MetastoreCatalog : public Catalog {
 public:
  MetastoreCatalog(std::string name, MetastoreSettings settings);

  const std::string& name() const final { return name_; }
  bool TableExists(const TableIdentifier& id) final;
  LoadedTable LoadTable(const TableIdentifier& id) final;
  LoadedTable CreateTable(const TableIdentifier& id, const TableCreation& creation) final;
  LoadedTable RegisterTable(const TableIdentifier& id, const std::string& metadata_location) final;
  bool DropTable(const TableIdentifier& id, bool purge) final;
  bool HasAtomicMultiTableCommit() const override { return true; }
  std::vector<LoadedTable> Commit(std::span<const TableCommit> commits) final;

 protected:
  struct PointerSwap {
    TableIdentifier table;
    std::string from;
    std::string to;
  };

  virtual std::optional<std::string> FindPointer(const TableIdentifier& id) = 0;
  /// AlreadyExists; NotFound for the namespace; CommitStateUnknown.
  virtual void InsertPointer(const TableIdentifier& id, const std::string& metadata_location) = 0;
  /// The pointer that was removed, nullopt if there was none.
  virtual std::optional<std::string> RemovePointer(const TableIdentifier& id) = 0;
  /// All or nothing, each compared before it is set: CommitConflict if one isn't at `from` any more. Any error but
  /// CommitStateUnknown says that nothing was swapped.
  virtual void SwapPointers(std::span<const PointerSwap> swaps) = 0;

 private:
  struct StagedCommit {
    LoadedTable base;
    LoadedTable result;
    std::vector<std::string> trimmed;  ///< metadata files to delete once committed
  };
  /// The last metadata that was read of a table. It never changes under its location, so it is used again as long as
  /// somebody holds it.
  struct ParsedMetadata {
    std::string location;
    std::weak_ptr<const iceberg::TableMetadata> metadata;
  };

  LoadedTable LoadAt(const TableIdentifier& id, const std::string& metadata_location);
  void Remember(const TableIdentifier& id, const LoadedTable& table);
  std::string DefaultLocation(const TableIdentifier& id);
  OptionMap TableProperties(const OptionMap& given) const;
  StagedCommit Stage(const TableCommit& commit, std::vector<std::string>* written);
  /// Deletes metadata files; one that can't be is logged and left.
  void Discard(const std::vector<std::string>& locations);

  const std::string name_;
  const MetastoreSettings settings_;
  std::mutex parsed_mutex_;
  std::map<TableIdentifier, ParsedMetadata> parsed_;
};

}  // namespace frazil::catalog
