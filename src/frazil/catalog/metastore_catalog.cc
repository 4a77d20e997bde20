// SPDX-License-Identifier: Apache-2.0
#include "frazil/catalog/metastore_catalog.h"

#include <spdlog/spdlog.h>

#include "frazil/base/error.h"
#include "frazil/base/fault.h"
#include "frazil/base/uuid.h"
#include "frazil/catalog/metadata_file.h"
#include "frazil/catalog/names.h"
#include "frazil/catalog/table_files.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/storage/file_io.h"

namespace frazil::catalog {

namespace {

constexpr char kLocationProperty[] = "location";

/// With `write.metadata.delete-after-commit.enabled`, the files that fall out of the metadata log.
std::vector<std::string> TrimmedMetadata(const iceberg::TableMetadata& base, const iceberg::TableMetadata& next) {
  std::vector<std::string> trimmed;
  if (!iceberg::property::GetBool(next.properties, iceberg::property::kMetadataDeleteAfterCommit, false))
    return trimmed;
  for (const iceberg::MetadataLogEntry& entry : base.metadata_log) {
    if (std::ranges::find(next.metadata_log, entry) == next.metadata_log.end()) trimmed.push_back(entry.metadata_file);
  }
  return trimmed;
}

void RefuseTwice(std::span<const TableCommit> commits) {
  std::set<TableIdentifier> seen;
  for (const TableCommit& commit : commits) {
    if (!seen.insert(commit.table).second) {
      throw InvalidArgument("table {} stands twice in one commit: give all its updates at once",
                            commit.table.ToString());
    }
  }
}

}  // namespace

MetastoreCatalog::MetastoreCatalog(std::string name, MetastoreSettings settings)
    : name_(std::move(name)), settings_(std::move(settings)) {}

bool MetastoreCatalog::TableExists(const TableIdentifier& id) { return FindPointer(id).has_value(); }

LoadedTable MetastoreCatalog::LoadTable(const TableIdentifier& id) {
  while (true) {
    std::optional<std::string> pointer = FindPointer(id);
    if (!pointer) throw NotFound("table {} does not exist in catalog '{}'", id.ToString(), name_);
    try {
      return LoadAt(id, *pointer);
    } catch (const Error& e) {
      // Where old metadata files are deleted, a commit in between may have taken this one away.
      if (e.kind() != ErrorKind::kNotFound || FindPointer(id) == pointer) throw;
    }
  }
}

LoadedTable MetastoreCatalog::CreateTable(const TableIdentifier& id, const TableCreation& creation) {
  ValidateIdentifier(id);
  if (!NamespaceExists(id.ns)) {
    throw NotFound("namespace {} does not exist in catalog '{}': create it first", JoinNamespace(id.ns), name_);
  }
  if (TableExists(id)) throw AlreadyExists("table {} exists already in catalog '{}'", id.ToString(), name_);
  std::string location = creation.location ? *creation.location : DefaultLocation(id);
  auto metadata = std::make_shared<const iceberg::TableMetadata>(NewTableMetadata(
      creation.schema, creation.spec, creation.order, std::move(location), TableProperties(creation.properties)));
  LoadedTable table{metadata, NewMetadataLocation(*metadata, ""), settings_.io};
  try {
    WriteMetadata(*table.io, table.metadata_location, *metadata);
    InsertPointer(id, table.metadata_location);
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kCommitStateUnknown) Discard({table.metadata_location});
    throw;
  }
  Remember(id, table);
  return table;
}

LoadedTable MetastoreCatalog::RegisterTable(const TableIdentifier& id, const std::string& metadata_location) {
  ValidateIdentifier(id);
  LoadedTable table{ReadMetadata(*settings_.io, metadata_location), metadata_location, settings_.io};
  InsertPointer(id, metadata_location);
  Remember(id, table);
  return table;
}

bool MetastoreCatalog::DropTable(const TableIdentifier& id, bool purge) {
  std::optional<LoadedTable> table;
  if (purge) {
    std::optional<std::string> pointer = FindPointer(id);
    if (!pointer) return false;
    try {
      table = LoadAt(id, *pointer);
    } catch (const Error& e) {
      throw e.WithContext(
          fmt::format("table {} can't be purged, as its files aren't known (a drop without purge only "
                      "removes it from the catalog)",
                      id.ToString()));
    }
  }
  std::optional<std::string> last = RemovePointer(id);
  {
    std::lock_guard lock(parsed_mutex_);
    parsed_.erase(id);
  }
  if (!last) return false;
  if (!purge) return true;
  if (*last != table->metadata_location) table = LoadAt(id, *last);  // somebody committed in between
  DeleteTableFiles(*table);
  return true;
}

std::vector<LoadedTable> MetastoreCatalog::Commit(std::span<const TableCommit> commits) {
  RefuseTwice(commits);
  std::vector<StagedCommit> staged;
  std::vector<std::string> written;
  try {
    std::vector<PointerSwap> swaps;
    for (const TableCommit& commit : commits) {
      const StagedCommit& next = staged.emplace_back(Stage(commit, &written));
      if (next.base.metadata_location == next.result.metadata_location) continue;
      swaps.push_back({commit.table, next.base.metadata_location, next.result.metadata_location});
    }
    if (!swaps.empty()) {
      FaultPoint("catalog-swap.before");
      SwapPointers(swaps);
    }
  } catch (const Error& e) {
    if (e.kind() != ErrorKind::kCommitStateUnknown) Discard(written);
    throw;
  }
  try {
    FaultPoint("catalog-swap.after");
  } catch (const Error& e) {
    throw CommitStateUnknown("the commit was swapped in, but then: {}", e.what());
  }
  std::vector<LoadedTable> results;
  for (size_t i = 0; i < staged.size(); ++i) {
    Discard(staged[i].trimmed);
    Remember(commits[i].table, staged[i].result);
    results.push_back(std::move(staged[i].result));
  }
  return results;
}

MetastoreCatalog::StagedCommit MetastoreCatalog::Stage(const TableCommit& commit, std::vector<std::string>* written) {
  LoadedTable base = LoadTable(commit.table);
  try {
    CheckRequirements(commit.requirements, base.metadata.get());
    if (commit.updates.empty()) return {base, base, {}};
    auto metadata = std::make_shared<const iceberg::TableMetadata>(
        ApplyUpdates(*base.metadata, commit.updates, base.metadata_location));
    std::vector<std::string> trimmed = TrimmedMetadata(*base.metadata, *metadata);
    LoadedTable result{metadata, NewMetadataLocation(*metadata, base.metadata_location), settings_.io};
    written->push_back(result.metadata_location);
    WriteMetadata(*result.io, result.metadata_location, *metadata);
    return {std::move(base), std::move(result), std::move(trimmed)};
  } catch (const Error& e) {
    throw e.WithContext(fmt::format("commit to table {}", commit.table.ToString()));
  }
}

void MetastoreCatalog::Discard(const std::vector<std::string>& locations) {
  for (const std::string& location : locations) {
    try {
      settings_.io->Delete(location);
    } catch (const Error& e) {
      spdlog::warn("a metadata file that is not needed stays behind: {}", e.what());
    }
  }
}

LoadedTable MetastoreCatalog::LoadAt(const TableIdentifier& id, const std::string& metadata_location) {
  {
    std::lock_guard lock(parsed_mutex_);
    auto it = parsed_.find(id);
    if (it != parsed_.end() && it->second.location == metadata_location) {
      if (auto metadata = it->second.metadata.lock()) return {metadata, metadata_location, settings_.io};
    }
  }
  try {
    LoadedTable table{ReadMetadata(*settings_.io, metadata_location), metadata_location, settings_.io};
    Remember(id, table);
    return table;
  } catch (const Error& e) {
    throw e.WithContext(fmt::format("table {}", id.ToString()));
  }
}

void MetastoreCatalog::Remember(const TableIdentifier& id, const LoadedTable& table) {
  std::lock_guard lock(parsed_mutex_);
  parsed_[id] = {table.metadata_location, table.metadata};
}

std::string MetastoreCatalog::DefaultLocation(const TableIdentifier& id) {
  std::string folder = fmt::format("{}/{}", settings_.warehouse, fmt::join(id.ns, "/"));
  OptionMap properties = NamespaceProperties(id.ns);
  if (auto it = properties.find(kLocationProperty); it != properties.end()) folder = it->second;
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  std::string location = fmt::format("{}/{}", folder, id.name);
  if (!settings_.unique_table_location) return location;
  std::string uuid = ToString(RandomUuid());
  std::erase(uuid, '-');
  return fmt::format("{}-{}", location, uuid);
}

OptionMap MetastoreCatalog::TableProperties(const OptionMap& given) const {
  OptionMap properties = settings_.table_overrides;
  properties.insert(given.begin(), given.end());
  properties.insert(settings_.table_defaults.begin(), settings_.table_defaults.end());
  return properties;
}

}  // namespace frazil::catalog
