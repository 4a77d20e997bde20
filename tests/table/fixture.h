// SPDX-License-Identifier: Apache-2.0
// What the tests of this room share: tables in a memory catalog, data files that exist in name only, and a catalog
// whose commits can be disturbed.
#pragma once

#include "frazil/catalog/catalog.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/storage/file_io.h"
#include "frazil/table/append_files.h"
#include "frazil/table/table.h"
#include "support/support.h"

namespace frazil::test {

/// Passes everything on to the catalog it owns; `on_commit`, if set, is called instead of each Commit.
class DisturbedCatalog final : public catalog::Catalog {
 public:
  using Commits = std::span<const catalog::TableCommit>;
  using Results = std::vector<catalog::LoadedTable>;

  explicit DisturbedCatalog(std::unique_ptr<catalog::Catalog> inner) : inner_(std::move(inner)) {}

  std::function<Results(catalog::Catalog& inner, Commits commits)> on_commit;
  std::function<void()> on_load;
  int commits = 0;

  const std::string& name() const override { return inner_->name(); }
  std::vector<catalog::Namespace> ListNamespaces(const catalog::Namespace& parent) override {
    return inner_->ListNamespaces(parent);
  }
  bool NamespaceExists(const catalog::Namespace& ns) override { return inner_->NamespaceExists(ns); }
  void CreateNamespace(const catalog::Namespace& ns, const OptionMap& properties) override {
    inner_->CreateNamespace(ns, properties);
  }
  OptionMap NamespaceProperties(const catalog::Namespace& ns) override { return inner_->NamespaceProperties(ns); }
  void UpdateNamespaceProperties(const catalog::Namespace& ns, const OptionMap& updated,
                                 const std::vector<std::string>& removed) override {
    inner_->UpdateNamespaceProperties(ns, updated, removed);
  }
  bool DropNamespace(const catalog::Namespace& ns) override { return inner_->DropNamespace(ns); }
  std::vector<catalog::TableIdentifier> ListTables(const catalog::Namespace& ns) override {
    return inner_->ListTables(ns);
  }
  bool TableExists(const catalog::TableIdentifier& id) override { return inner_->TableExists(id); }
  catalog::LoadedTable LoadTable(const catalog::TableIdentifier& id) override {
    if (on_load) on_load();
    return inner_->LoadTable(id);
  }
  catalog::LoadedTable CreateTable(const catalog::TableIdentifier& id,
                                   const catalog::TableCreation& creation) override {
    return inner_->CreateTable(id, creation);
  }
  catalog::LoadedTable RegisterTable(const catalog::TableIdentifier& id, const std::string& location) override {
    return inner_->RegisterTable(id, location);
  }
  bool DropTable(const catalog::TableIdentifier& id, bool purge) override { return inner_->DropTable(id, purge); }
  void RenameTable(const catalog::TableIdentifier& from, const catalog::TableIdentifier& to) override {
    inner_->RenameTable(from, to);
  }
  bool HasAtomicMultiTableCommit() const override { return inner_->HasAtomicMultiTableCommit(); }
  Results Commit(Commits c) override {
    ++commits;
    return on_commit ? on_commit(*inner_, c) : inner_->Commit(c);
  }

 private:
  std::unique_ptr<catalog::Catalog> inner_;
};

class TableTest : public testing::Test {
 protected:
  TableTest() {
    catalog_ = std::make_shared<DisturbedCatalog>(
        catalog::MakeCatalog("ice", {{"catalog-type", "memory"}, {"warehouse", scratch_ / "w"}}));
    catalog_->CreateNamespace({"db"}, {});
  }

  /// Columns `id` (long, required) and `region` (string); with `partitioned`, by identity of `region`.
  table::Table Create(OptionMap properties = {}, bool partitioned = false) {
    using iceberg::NestedField;
    properties.insert({{"commit.retry.min-wait-ms", "1"}, {"commit.status-check.min-wait-ms", "1"}});
    catalog::TableCreation creation;
    creation.schema = iceberg::Schema(0, {NestedField::Required(1, "id", iceberg::Type::Long()),
                                          NestedField::Optional(2, "region", iceberg::Type::String())});
    if (partitioned) creation.spec.fields.push_back({{2}, 1000, "region", {}});
    creation.properties = std::move(properties);
    catalog_->CreateTable(id_, creation);
    return table::Table::Load(catalog_, id_);
  }

  static iceberg::DataFile File(const std::string& name, int64_t records = 10, int64_t bytes = 1000,
                                std::optional<std::string> region = std::nullopt) {
    iceberg::DataFile file;
    file.file_path = "/data/" + name;
    file.record_count = records;
    file.file_size_in_bytes = bytes;
    if (region) file.partition.push_back(*region);
    return file;
  }

  static int64_t Append(table::Table& table, const std::string& name) {
    return table::AppendFiles(table).AppendFile(File(name)).Commit().value();
  }

  struct Entry {
    std::string path;
    iceberg::EntryStatus status;
    int64_t snapshot_id;
    int64_t sequence_number;
    auto operator<=>(const Entry&) const = default;
  };
  /// All entries of the snapshot's manifests, by path.
  std::vector<Entry> Entries(const table::Table& table, const iceberg::Snapshot& snapshot) const {
    std::vector<Entry> entries;
    for (const iceberg::ManifestFile& manifest : table::ReadManifests(*table.io(), table.metadata(), snapshot)) {
      iceberg::ReadManifest(table.io()->ReadAll(manifest.manifest_path), manifest, table.metadata().schema(),
                            [&](iceberg::ManifestEntry&& e) {
                              entries.push_back({e.file.file_path, e.status, *e.snapshot_id, *e.sequence_number});
                            });
    }
    std::ranges::sort(entries);
    return entries;
  }
  std::vector<std::string> LivePaths(const table::Table& table) const {
    std::vector<std::string> paths;
    for (const Entry& entry : Entries(table, *table.metadata().current_snapshot())) {
      if (entry.status != iceberg::EntryStatus::kDeleted) paths.push_back(entry.path);
    }
    return paths;
  }
  /// Names of the Avro files in the metadata folder, sorted.
  std::vector<std::string> AvroFiles(const table::Table& table) const {
    std::vector<std::string> names;
    for (const auto& file : table.io()->List(table::MetadataLocation(table.metadata()))) {
      if (file.location.ends_with(".avro")) names.push_back(file.location);
    }
    std::ranges::sort(names);
    return names;
  }
  /// Every Avro file that a snapshot of the table names, sorted.
  std::vector<std::string> ReferencedAvroFiles(const table::Table& table) const {
    std::set<std::string> names;
    for (const iceberg::Snapshot& snapshot : table.metadata().snapshots) {
      names.insert(snapshot.manifest_list);
      for (const auto& manifest : table::ReadManifests(*table.io(), table.metadata(), snapshot)) {
        names.insert(manifest.manifest_path);
      }
    }
    return {names.begin(), names.end()};
  }

  ScratchDir scratch_;
  std::shared_ptr<DisturbedCatalog> catalog_;
  const catalog::TableIdentifier id_{{"db"}, "t"};
};

}  // namespace frazil::test
