// SPDX-License-Identifier: Apache-2.0
// A catalog that lives as long as its object; the files of its tables are real ones. For tests and scratch work.
#pragma once

#include <map>
#include <mutex>

#include "frazil/catalog/metastore_catalog.h"

namespace frazil::catalog {

class MemoryCatalog final : public MetastoreCatalog {
 public:
  using MetastoreCatalog::MetastoreCatalog;

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
  // Both want mutex_ held. A namespace exists if it was created, or one below it.
  bool HasNamespace(const Namespace& ns) const;
  void RequireNamespace(const Namespace& ns) const;

  std::mutex mutex_;
  std::map<Namespace, OptionMap> namespaces_;
  std::map<TableIdentifier, std::string> pointers_;
};

}  // namespace frazil::catalog
