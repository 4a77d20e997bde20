// SPDX-License-Identifier: Apache-2.0
// CatalogSet: from a name in a query to what it stands for.
#include "frazil/base/error.h"
#include "frazil/base/suggest.h"
#include "frazil/connector/connector.h"
#include "frazil/scan/metadata_table.h"
#include "frazil/sql/catalog_set.h"
#include "frazil/sql/iceberg_types.h"

namespace frazil::sql {

namespace {

/// "t$files" → {"t", "files"}; nothing where the part behind the last $ is no metadata table.
std::optional<std::pair<std::string, std::string>> SplitMetadataName(const std::string& name) {
  const size_t dollar = name.rfind('$');
  if (dollar == std::string::npos || dollar == 0) return std::nullopt;
  return std::pair(name.substr(0, dollar), name.substr(dollar + 1));
}

/// As scans do it: a snapshot, a tag and a time are read with the schema of their snapshot, a branch with the current
/// one. What doesn't exist is the scan's to refuse.
const iceberg::Schema& SchemaToRead(const iceberg::TableMetadata& metadata, const IcebergReadOptions& read) {
  const iceberg::Snapshot* snapshot = nullptr;
  if (read.snapshot_id) {
    snapshot = metadata.FindSnapshot(*read.snapshot_id);
  } else if (read.as_of_ms) {
    for (const iceberg::SnapshotLogEntry& entry : metadata.snapshot_log) {
      if (entry.timestamp_ms <= *read.as_of_ms) snapshot = metadata.FindSnapshot(entry.snapshot_id);
    }
  } else if (const auto ref = metadata.refs.find(read.ref);
             ref != metadata.refs.end() && ref->second.type == iceberg::RefType::kTag) {
    snapshot = metadata.FindSnapshot(ref->second.snapshot_id);
  }
  if (snapshot == nullptr || !snapshot->schema_id) return metadata.schema();
  return metadata.schema(*snapshot->schema_id);
}

/// Arrow columns of a metadata table as SQL's.
std::vector<RowField> MetadataColumns(const std::string& name, const table::Table& table) {
  return FromArrowSchema(*scan::MetadataTableSchema(name, table.metadata()));
}

}  // namespace

Relation MakeIcebergRelation(const ObjectPath& path, table::Table table, IcebergReadOptions read) {
  Relation relation;
  relation.path = path;
  const iceberg::Schema& schema = SchemaToRead(table.metadata(), read);
  relation.columns = FromIcebergSchema(schema);
  relation.primary_key = PrimaryKeyOf(schema);
  relation.kind = IcebergRelation{std::move(table), std::move(read)};
  return relation;
}

IcebergReadOptions ReadIcebergOptions(const std::vector<Property>& hint, const std::string& table) {
  const OptionMap map = ToOptionMap(hint);
  OptionReader options(map, fmt::format("table '{}'", table));
  IcebergReadOptions read;
  read.snapshot_id = options.GetInt64("snapshot-id");
  read.as_of_ms = options.GetInt64("as-of-timestamp");
  const std::optional<std::string> branch = options.GetString("branch");
  const std::optional<std::string> tag = options.GetString("tag");
  options.RefuseUnread();
  const int given = (read.snapshot_id ? 1 : 0) + (read.as_of_ms ? 1 : 0) + (branch ? 1 : 0) + (tag ? 1 : 0);
  if (given > 1) {
    throw InvalidArgument("table '{}': 'snapshot-id', 'as-of-timestamp', 'branch' and 'tag' exclude each other", table);
  }
  if (branch) read.ref = *branch;
  if (tag) read.ref = *tag;
  return read;
}

Relation CatalogSet::MakeConnectorRelation(const ObjectPath& path, const ConnectorTable& table,
                                           const std::vector<Property>& hint) const {
  Relation relation;
  relation.path = path;
  relation.columns = table.columns;
  relation.primary_key = table.primary_key;
  OptionMap options = table.options;
  for (const auto& [key, value] : ToOptionMap(hint)) options[key] = value;
  const std::string identifier = options.at("connector");
  options.erase("connector");
  relation.kind = ConnectorRelation{&connectors_.Get(identifier, path.ToString()), std::move(options)};
  return relation;
}

std::variant<RelationPtr, ViewPtr> CatalogSet::ResolveStored(const ObjectPath& path, const StoredObject& object,
                                                             const SourceSpan& span,
                                                             const std::vector<Property>& options) const {
  if (const ViewPtr* view = std::get_if<ViewPtr>(&object)) {
    if (!options.empty()) throw InvalidSql(span, "the view '{}' takes no OPTIONS", path.ToString());
    return *view;
  }
  return std::make_shared<const Relation>(MakeConnectorRelation(path, std::get<ConnectorTable>(object), options));
}

RelationPtr CatalogSet::ResolveMetadataTable(const ObjectPath& path, const SourceSpan& span,
                                             const std::vector<Property>& options) const {
  const auto parts = SplitMetadataName(path.object);
  if (!parts) return nullptr;
  std::optional<table::Table> table = FindIcebergTable({path.catalog, path.database, parts->first});
  if (!table) return nullptr;
  if (!options.empty()) throw UnsupportedSql(span, "metadata tables take no OPTIONS yet");
  if (!scan::IsMetadataTableName(parts->second)) {
    throw SqlError(ErrorKind::kNotFound, span,
                   fmt::format("there is no metadata table '{}'{}; there are {}", parts->second,
                               DidYouMean(parts->second, scan::MetadataTableNames()),
                               fmt::join(scan::MetadataTableNames(), ", ")));
  }
  Relation relation;
  relation.path = path;
  relation.columns = MetadataColumns(parts->second, *table);
  relation.kind = MetadataRelation{*std::move(table), parts->second};
  return std::make_shared<const Relation>(std::move(relation));
}

std::variant<RelationPtr, ViewPtr> CatalogSet::Resolve(const QualifiedName& name, const std::string& catalog,
                                                       const std::string& database,
                                                       const std::vector<Property>& options) {
  ObjectPath path = Complete(name);
  if (name.parts.size() < 3) path.catalog = catalog;
  if (name.parts.size() < 2) path.database = database;
  try {
    if (const StoredObject* object = FindObject(path)) return ResolveStored(path, *object, name.span, options);
    RequireDatabase(path.catalog, path.database, name.span);
    if (std::optional<table::Table> table = FindIcebergTable(path)) {
      return std::make_shared<const Relation>(
          MakeIcebergRelation(path, *std::move(table), ReadIcebergOptions(options, path.ToString())));
    }
    if (RelationPtr metadata = ResolveMetadataTable(path, name.span, options)) return metadata;
  } catch (const SqlError&) {
    throw;
  } catch (const Error& error) {
    throw SqlError(error.kind(), name.span, error.what());
  }
  ThrowUnknownTable(path, name.span);
}

void CatalogSet::ThrowUnknownTable(const ObjectPath& path, const SourceSpan& span) const {
  throw SqlError(ErrorKind::kNotFound, span,
                 fmt::format("there is no table or view '{}'{}", path.ToString(),
                             DidYouMean(path.object, TableNames(path.catalog, path.database))));
}

}  // namespace frazil::sql
