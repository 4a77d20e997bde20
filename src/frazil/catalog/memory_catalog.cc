// SPDX-License-Identifier: Apache-2.0
#include "frazil/catalog/memory_catalog.h"

#include "frazil/base/error.h"
#include "frazil/catalog/names.h"

namespace frazil::catalog {

bool MemoryCatalog::HasNamespace(const Namespace& ns) const {
  auto it = namespaces_.lower_bound(ns);  // those below sort right after it
  return it != namespaces_.end() && IsWithin(it->first, ns);
}

void MemoryCatalog::RequireNamespace(const Namespace& ns) const {
  if (!HasNamespace(ns)) throw NotFound("namespace {} does not exist in catalog '{}'", JoinNamespace(ns), name());
}

std::vector<Namespace> MemoryCatalog::ListNamespaces(const Namespace& parent) {
  std::lock_guard lock(mutex_);
  if (!parent.empty()) RequireNamespace(parent);
  std::set<Namespace> children;
  for (const auto& [ns, properties] : namespaces_) {
    if (ns.size() > parent.size() && IsWithin(ns, parent)) children.emplace(ns.begin(), ns.begin() + parent.size() + 1);
  }
  return {children.begin(), children.end()};
}

bool MemoryCatalog::NamespaceExists(const Namespace& ns) {
  std::lock_guard lock(mutex_);
  return !ns.empty() && HasNamespace(ns);
}

void MemoryCatalog::CreateNamespace(const Namespace& ns, const OptionMap& properties) {
  ValidateNamespace(ns);
  std::lock_guard lock(mutex_);
  if (HasNamespace(ns)) throw AlreadyExists("namespace {} exists already in catalog '{}'", JoinNamespace(ns), name());
  namespaces_[ns] = properties;
}

OptionMap MemoryCatalog::NamespaceProperties(const Namespace& ns) {
  std::lock_guard lock(mutex_);
  RequireNamespace(ns);
  auto it = namespaces_.find(ns);
  return it == namespaces_.end() ? OptionMap{} : it->second;
}

void MemoryCatalog::UpdateNamespaceProperties(const Namespace& ns, const OptionMap& updated,
                                              const std::vector<std::string>& removed) {
  for (const std::string& key : removed) {
    if (updated.contains(key)) throw InvalidArgument("namespace property '{}' can't be both set and removed", key);
  }
  std::lock_guard lock(mutex_);
  RequireNamespace(ns);
  OptionMap& properties = namespaces_[ns];
  for (const auto& [key, value] : updated) properties[key] = value;
  for (const std::string& key : removed) properties.erase(key);
}

bool MemoryCatalog::DropNamespace(const Namespace& ns) {
  std::lock_guard lock(mutex_);
  if (ns.empty() || !HasNamespace(ns)) return false;
  for (const auto& [id, pointer] : pointers_) {
    if (id.ns == ns) throw InvalidArgument("namespace {} is not empty: it holds {}", JoinNamespace(ns), id.name);
  }
  auto own = namespaces_.extract(ns);
  if (HasNamespace(ns)) {
    namespaces_.insert(std::move(own));
    throw InvalidArgument("namespace {} is not empty: it holds other namespaces", JoinNamespace(ns));
  }
  return true;
}

std::vector<TableIdentifier> MemoryCatalog::ListTables(const Namespace& ns) {
  std::lock_guard lock(mutex_);
  RequireNamespace(ns);
  std::vector<TableIdentifier> tables;
  for (const auto& [id, pointer] : pointers_) {
    if (id.ns == ns) tables.push_back(id);
  }
  return tables;
}

void MemoryCatalog::RenameTable(const TableIdentifier& from, const TableIdentifier& to) {
  ValidateIdentifier(to);
  std::lock_guard lock(mutex_);
  if (!pointers_.contains(from)) throw NotFound("table {} does not exist in catalog '{}'", from.ToString(), name());
  RequireNamespace(to.ns);
  if (pointers_.contains(to)) throw AlreadyExists("table {} exists already in catalog '{}'", to.ToString(), name());
  auto pointer = pointers_.extract(from);
  pointer.key() = to;
  pointers_.insert(std::move(pointer));
}

std::optional<std::string> MemoryCatalog::FindPointer(const TableIdentifier& id) {
  std::lock_guard lock(mutex_);
  auto it = pointers_.find(id);
  if (it == pointers_.end()) return std::nullopt;
  return it->second;
}

void MemoryCatalog::InsertPointer(const TableIdentifier& id, const std::string& metadata_location) {
  std::lock_guard lock(mutex_);
  RequireNamespace(id.ns);
  if (!pointers_.emplace(id, metadata_location).second) {
    throw AlreadyExists("table {} exists already in catalog '{}'", id.ToString(), name());
  }
}

std::optional<std::string> MemoryCatalog::RemovePointer(const TableIdentifier& id) {
  std::lock_guard lock(mutex_);
  auto pointer = pointers_.extract(id);
  if (pointer.empty()) return std::nullopt;
  return std::move(pointer.mapped());
}

void MemoryCatalog::SwapPointers(std::span<const PointerSwap> swaps) {
  std::lock_guard lock(mutex_);
  for (const PointerSwap& swap : swaps) {
    auto it = pointers_.find(swap.table);
    if (it == pointers_.end() || it->second != swap.from) {
      throw CommitConflict("table {} was changed by another commit: it isn't at {} any more", swap.table.ToString(),
                           swap.from);
    }
  }
  for (const PointerSwap& swap : swaps) pointers_[swap.table] = swap.to;
}

}  // namespace frazil::catalog
