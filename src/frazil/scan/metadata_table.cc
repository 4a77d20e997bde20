// SPDX-License-Identifier: Apache-2.0
#include "frazil/scan/metadata_table.h"

#include "frazil/base/error.h"
#include "frazil/iceberg/partition_order.h"
#include "frazil/scan/file_columns.h"
#include "frazil/storage/file_io.h"
#include "frazil/table/table.h"

namespace frazil::scan {

namespace {

using enum Nullability;
using iceberg::DataFile;
using iceberg::FileContent;
using iceberg::ManifestContent;
using iceberg::ManifestEntry;
using iceberg::ManifestFile;
using iceberg::PartitionFieldSummary;
using iceberg::PartitionValues;
using iceberg::Snapshot;
using iceberg::SnapshotLogEntry;
using iceberg::TableMetadata;
using TablePtr = std::shared_ptr<arrow::Table>;

/// What a metadata table is made from. Without `io` it comes out empty, with its schema.
struct Source {
  const TableMetadata& metadata;
  storage::FileIO* io;
  std::string_view metadata_location;
};

template <typename Row, typename Range>
TablePtr MakeTable(const Source& source, Columns<Row> columns, const Range& rows) {
  RowTable<Row> table(std::move(columns));
  if (source.io == nullptr) return table.Finish();
  for (const auto& row : rows) table.Append(row);
  return table.Finish();
}

/// The last entry of the snapshot log at `millis`, null if the table had no snapshot then.
const SnapshotLogEntry* CurrentAt(const TableMetadata& metadata, int64_t millis) {
  const SnapshotLogEntry* current = nullptr;
  for (const auto& entry : metadata.snapshot_log) {
    if (entry.timestamp_ms <= millis) current = &entry;
  }
  return current;
}

std::set<int64_t> AncestorsOfCurrent(const TableMetadata& metadata) {
  std::set<int64_t> ancestors;
  const Snapshot* snapshot = metadata.current_snapshot();
  while (snapshot != nullptr && ancestors.insert(snapshot->snapshot_id).second) {
    snapshot = snapshot->parent_snapshot_id ? metadata.FindSnapshot(*snapshot->parent_snapshot_id) : nullptr;
  }
  return ancestors;
}

// ---- tables of the table metadata alone ----

TablePtr History(const Source& source) {
  const TableMetadata& metadata = source.metadata;
  using Row = SnapshotLogEntry;
  const std::set<int64_t> ancestors = AncestorsOfCurrent(metadata);
  auto parent = [&](const Row& row) -> std::optional<int64_t> {
    const Snapshot* snapshot = metadata.FindSnapshot(row.snapshot_id);
    return snapshot == nullptr ? std::nullopt : snapshot->parent_snapshot_id;
  };
  Columns<Row> columns;
  columns.push_back(TimestampColumn<Row>("made_current_at", kRequired, [](const Row& r) { return r.timestamp_ms; }));
  columns.push_back(LongColumn<Row>("snapshot_id", kRequired, [](const Row& r) { return r.snapshot_id; }));
  columns.push_back(LongColumn<Row>("parent_id", kOptional, parent));
  columns.push_back(BoolColumn<Row>("is_current_ancestor", kRequired,
                                    [&](const Row& r) { return ancestors.contains(r.snapshot_id); }));
  return MakeTable<Row>(source, std::move(columns), metadata.snapshot_log);
}

TablePtr MetadataLogEntries(const Source& source) {
  const TableMetadata& metadata = source.metadata;
  using Row = iceberg::MetadataLogEntry;
  auto latest = [&](const Row& row) { return CurrentAt(metadata, row.timestamp_ms); };
  auto latest_snapshot = [&, latest](const Row& row) -> const Snapshot* {
    const SnapshotLogEntry* entry = latest(row);
    return entry == nullptr ? nullptr : metadata.FindSnapshot(entry->snapshot_id);
  };
  auto latest_id = [latest](const Row& row) -> std::optional<int64_t> {
    const SnapshotLogEntry* entry = latest(row);
    return entry == nullptr ? std::nullopt : std::optional(entry->snapshot_id);
  };
  auto latest_schema = [latest_snapshot](const Row& row) -> std::optional<int32_t> {
    const Snapshot* snapshot = latest_snapshot(row);
    return snapshot == nullptr ? std::nullopt : snapshot->schema_id;
  };
  auto latest_sequence = [latest_snapshot](const Row& row) -> std::optional<int64_t> {
    const Snapshot* snapshot = latest_snapshot(row);
    return snapshot == nullptr ? std::nullopt : std::optional(snapshot->sequence_number);
  };
  Columns<Row> columns;
  columns.push_back(TimestampColumn<Row>("timestamp", kRequired, [](const Row& r) { return r.timestamp_ms; }));
  columns.push_back(StringColumn<Row>(
      "file", kRequired, [](const Row& r) -> auto& { return r.metadata_file; }));
  columns.push_back(LongColumn<Row>("latest_snapshot_id", kOptional, latest_id));
  columns.push_back(IntColumn<Row>("latest_schema_id", kOptional, latest_schema));
  columns.push_back(LongColumn<Row>("latest_sequence_number", kOptional, latest_sequence));
  std::vector<Row> rows = metadata.metadata_log;
  if (!source.metadata_location.empty()) {
    rows.push_back({metadata.last_updated_ms, std::string(source.metadata_location)});
  }
  return MakeTable<Row>(source, std::move(columns), rows);
}

TablePtr Snapshots(const Source& source) {
  auto if_not_empty = [](const std::string& text) -> std::optional<std::string> {
    return text.empty() ? std::nullopt : std::optional(text);
  };
  using Row = Snapshot;
  Columns<Row> columns;
  columns.push_back(TimestampColumn<Row>("committed_at", kRequired, [](const Row& r) { return r.timestamp_ms; }));
  columns.push_back(LongColumn<Row>("snapshot_id", kRequired, [](const Row& r) { return r.snapshot_id; }));
  columns.push_back(LongColumn<Row>("parent_id", kOptional, [](const Row& r) { return r.parent_snapshot_id; }));
  columns.push_back(StringColumn<Row>("operation", kOptional, [=](const Row& r) { return if_not_empty(r.operation); }));
  columns.push_back(
      StringColumn<Row>("manifest_list", kOptional, [=](const Row& r) { return if_not_empty(r.manifest_list); }));
  columns.push_back(MapColumn<Row, arrow::StringBuilder, arrow::StringBuilder>(
      "summary", arrow::utf8(), arrow::utf8(), kOptional,
      [](const Row& r) { return r.operation.empty() && r.summary.empty() ? nullptr : &r.summary; }));
  return MakeTable<Row>(source, std::move(columns), source.metadata.snapshots);
}

TablePtr Refs(const Source& source) {
  using Row = std::pair<const std::string, iceberg::SnapshotRef>;
  auto type = [](const Row& r) { return r.second.type == iceberg::RefType::kTag ? "TAG" : "BRANCH"; };
  Columns<Row> columns;
  columns.push_back(StringColumn<Row>(
      "name", kRequired, [](const Row& r) -> auto& { return r.first; }));
  columns.push_back(StringColumn<Row>("type", kRequired, type));
  columns.push_back(LongColumn<Row>("snapshot_id", kRequired, [](const Row& r) { return r.second.snapshot_id; }));
  columns.push_back(
      LongColumn<Row>("max_reference_age_in_ms", kOptional, [](const Row& r) { return r.second.max_ref_age_ms; }));
  columns.push_back(
      IntColumn<Row>("min_snapshots_to_keep", kOptional, [](const Row& r) { return r.second.min_snapshots_to_keep; }));
  columns.push_back(
      LongColumn<Row>("max_snapshot_age_in_ms", kOptional, [](const Row& r) { return r.second.max_snapshot_age_ms; }));
  std::map<std::string, iceberg::SnapshotRef> refs = source.metadata.refs;
  // Tables of version 1 don't list the branch that every table has.
  if (const Snapshot* current = source.metadata.current_snapshot()) {
    refs.try_emplace(iceberg::kMainBranch, iceberg::SnapshotRef{current->snapshot_id});
  }
  return MakeTable<Row>(source, std::move(columns), refs);
}

// ---- tables of manifests ----

std::vector<ManifestFile> CurrentManifests(const Source& source) {
  const Snapshot* snapshot = source.metadata.current_snapshot();
  if (source.io == nullptr || snapshot == nullptr) return {};
  return table::ReadManifests(*source.io, source.metadata, *snapshot);
}

/// Of all snapshots, each manifest once.
std::vector<ManifestFile> AllManifests(const Source& source) {
  std::vector<ManifestFile> manifests;
  std::set<std::string> seen;
  if (source.io == nullptr) return manifests;
  for (const Snapshot& snapshot : source.metadata.snapshots) {
    for (ManifestFile& manifest : table::ReadManifests(*source.io, source.metadata, snapshot)) {
      if (seen.insert(manifest.manifest_path).second) manifests.push_back(std::move(manifest));
    }
  }
  return manifests;
}

struct SummaryRow {
  const PartitionFieldSummary& summary;
  std::optional<std::string> lower;
  std::optional<std::string> upper;
};

/// A summary's bound as partition paths show the value; nullopt also where the source column is gone.
std::optional<std::string> BoundText(const TableMetadata& metadata, const iceberg::PartitionField& field,
                                     const std::optional<std::string>& bound) {
  const iceberg::NestedField* column = metadata.schema().FindField(field.source_id());
  if (!bound || column == nullptr || field.transform.kind == iceberg::TransformKind::kUnknown) return std::nullopt;
  const iceberg::Literal value = FromBinary(ResultType(field.transform, column->type), *bound);
  return ToPathString(field.transform, column->type, value);
}

struct ManifestRow {
  ManifestFile manifest;
  int64_t reference_snapshot_id = 0;
};

Column<ManifestRow> SummariesColumn(const TableMetadata& metadata, Nullability list, Nullability contains_nan) {
  Columns<SummaryRow> columns;
  columns.push_back(
      BoolColumn<SummaryRow>("contains_null", kRequired, [](const SummaryRow& r) { return r.summary.contains_null; }));
  columns.push_back(
      BoolColumn<SummaryRow>("contains_nan", contains_nan, [contains_nan](const SummaryRow& r) -> std::optional<bool> {
        if (contains_nan == kRequired) return r.summary.contains_nan.value_or(false);
        return r.summary.contains_nan;
      }));
  columns.push_back(StringColumn<SummaryRow>(
      "lower_bound", kOptional, [](const SummaryRow& r) -> auto& { return r.lower; }));
  columns.push_back(StringColumn<SummaryRow>(
      "upper_bound", kOptional, [](const SummaryRow& r) -> auto& { return r.upper; }));
  auto type = arrow::list(arrow::field("element", arrow::struct_(FieldsOf(columns)), /*nullable=*/false));
  return {MakeField("partition_summaries", std::move(type), list),
          [&metadata, columns = std::move(columns)](const ManifestRow& row, arrow::ArrayBuilder& builder) {
            auto& lists = static_cast<arrow::ListBuilder&>(builder);
            Check(lists.Append(), kRowContext);
            const auto& fields = metadata.spec(row.manifest.partition_spec_id).fields;
            const auto& summaries = row.manifest.partitions;
            for (size_t i = 0; i < fields.size() && i < summaries.size(); ++i) {
              const SummaryRow summary{summaries[i], BoundText(metadata, fields[i], summaries[i].lower_bound),
                                       BoundText(metadata, fields[i], summaries[i].upper_bound)};
              AppendStruct(columns, summary, *lists.value_builder());
            }
          }};
}

/// A count of the files of `content`: 0 in manifests of the other kind. Null where version 1 didn't count, unless the
/// column is required.
Column<ManifestRow> FileCountColumn(const char* name, ManifestContent content, Nullability nullability,
                                    std::optional<int32_t> ManifestFile::*count) {
  auto get = [=](const ManifestRow& row) -> std::optional<int32_t> {
    if (row.manifest.content != content) return 0;
    const std::optional<int32_t> known = row.manifest.*count;
    return known || nullability == kOptional ? known : 0;
  };
  return IntColumn<ManifestRow>(name, nullability, get);
}

/// Of `manifests`; in `all_manifests` some columns are optional (they may be null in version 1).
Columns<ManifestRow> ManifestColumns(const TableMetadata& metadata, Nullability v1_columns, Nullability contains_nan) {
  using Row = ManifestRow;
  Columns<Row> columns;
  auto add_count = [&](const char* name, ManifestContent content, auto count) {
    const Nullability nullability = content == ManifestContent::kData ? v1_columns : kRequired;
    columns.push_back(FileCountColumn(name, content, nullability, count));
  };
  columns.push_back(
      IntColumn<Row>("content", kRequired, [](const Row& r) { return static_cast<int32_t>(r.manifest.content); }));
  columns.push_back(StringColumn<Row>(
      "path", kRequired, [](const Row& r) -> auto& { return r.manifest.manifest_path; }));
  columns.push_back(LongColumn<Row>("length", kRequired, [](const Row& r) { return r.manifest.manifest_length; }));
  columns.push_back(
      IntColumn<Row>("partition_spec_id", v1_columns, [](const Row& r) { return r.manifest.partition_spec_id; }));
  columns.push_back(
      LongColumn<Row>("added_snapshot_id", v1_columns, [](const Row& r) { return r.manifest.added_snapshot_id; }));
  add_count("added_data_files_count", ManifestContent::kData, &ManifestFile::added_files_count);
  add_count("existing_data_files_count", ManifestContent::kData, &ManifestFile::existing_files_count);
  add_count("deleted_data_files_count", ManifestContent::kData, &ManifestFile::deleted_files_count);
  add_count("added_delete_files_count", ManifestContent::kDeletes, &ManifestFile::added_files_count);
  add_count("existing_delete_files_count", ManifestContent::kDeletes, &ManifestFile::existing_files_count);
  add_count("deleted_delete_files_count", ManifestContent::kDeletes, &ManifestFile::deleted_files_count);
  columns.push_back(SummariesColumn(metadata, v1_columns, contains_nan));
  return columns;
}

TablePtr Manifests(const Source& source) {
  std::vector<ManifestRow> rows;
  for (ManifestFile& manifest : CurrentManifests(source)) rows.push_back({std::move(manifest)});
  return MakeTable<ManifestRow>(source, ManifestColumns(source.metadata, kRequired, kOptional), rows);
}

/// A row for each manifest of each snapshot.
TablePtr AllManifestRows(const Source& source) {
  using Row = ManifestRow;
  Columns<Row> columns = ManifestColumns(source.metadata, kOptional, kRequired);
  columns.push_back(
      LongColumn<Row>("reference_snapshot_id", kRequired, [](const Row& r) { return r.reference_snapshot_id; }));
  columns.push_back(BinaryColumn<Row>(
      "key_metadata", kOptional, [](const Row& r) -> auto& { return r.manifest.key_metadata; }));
  std::vector<Row> rows;
  for (const Snapshot& snapshot : source.metadata.snapshots) {
    if (source.io == nullptr) break;
    for (ManifestFile& manifest : table::ReadManifests(*source.io, source.metadata, snapshot)) {
      rows.push_back({std::move(manifest), snapshot.snapshot_id});
    }
  }
  return MakeTable<Row>(source, std::move(columns), rows);
}

// ---- tables of manifest entries ----

enum class Files { kAll, kData, kDeletes };

bool Wants(Files files, ManifestContent content) {
  return files == Files::kAll || (files == Files::kData) == (content == ManifestContent::kData);
}

template <typename Visit>
void VisitEntries(const Source& source, const std::vector<ManifestFile>& manifests, const Visit& visit) {
  for (const ManifestFile& manifest : manifests) {
    const std::string bytes = source.io->ReadAll(manifest.manifest_path);
    ReadManifest(bytes, manifest, source.metadata.schema(), visit);
  }
}

TablePtr FilesOf(const Source& source, std::vector<ManifestFile> manifests, Files files) {
  std::erase_if(manifests, [&](const ManifestFile& manifest) { return !Wants(files, manifest.content); });
  const PartitionUnion partitions(source.metadata);
  Columns<DataFile> columns = FileColumns(partitions);
  columns.push_back(ReadableMetricsColumn(source.metadata.schema()));
  RowTable<DataFile> table(std::move(columns));
  VisitEntries(source, manifests, [&](ManifestEntry&& entry) {
    if (entry.is_live()) table.Append(entry.file);
  });
  return table.Finish();
}

TablePtr EntriesOf(const Source& source, const std::vector<ManifestFile>& manifests) {
  const PartitionUnion partitions(source.metadata);
  RowTable<ManifestEntry> table(EntryColumns(partitions, source.metadata.schema()));
  VisitEntries(source, manifests, [&](ManifestEntry&& entry) { table.Append(entry); });
  return table.Finish();
}

struct PartitionRow {
  PartitionValues values;
  int32_t spec_id = 0;
  int64_t data_records = 0;
  int32_t data_files = 0;
  int64_t data_bytes = 0;
  int64_t position_delete_records = 0;
  int32_t position_delete_files = 0;
  int64_t equality_delete_records = 0;
  int32_t equality_delete_files = 0;
  const Snapshot* last_updated = nullptr;

  void Add(const DataFile& file, const Snapshot* snapshot) {
    spec_id = file.spec_id;
    switch (file.content) {
      case FileContent::kData:
        data_records += file.record_count;
        data_bytes += file.file_size_in_bytes;
        ++data_files;
        break;
      case FileContent::kPositionDeletes:
        position_delete_records += file.record_count;
        ++position_delete_files;
        break;
      case FileContent::kEqualityDeletes:
        equality_delete_records += file.record_count;
        ++equality_delete_files;
        break;
    }
    if (snapshot == nullptr) return;  // expired
    if (last_updated == nullptr || snapshot->timestamp_ms > last_updated->timestamp_ms) last_updated = snapshot;
  }
};

Columns<PartitionRow> PartitionColumns(const PartitionUnion& partitions) {
  using Row = PartitionRow;
  auto updated_at = [](const Row& r) {
    return r.last_updated == nullptr ? std::nullopt : std::optional(r.last_updated->timestamp_ms);
  };
  auto updated_by = [](const Row& r) {
    return r.last_updated == nullptr ? std::nullopt : std::optional(r.last_updated->snapshot_id);
  };
  Columns<Row> columns;
  auto add = [&](Column<Row> column) { columns.push_back(std::move(column)); };
  if (!partitions.fields().empty()) {
    add(StructColumn<Row>(
        "partition", kRequired, PartitionFieldColumns(partitions), [](const Row& r) -> auto& { return r.values; }));
    add(IntColumn<Row>("spec_id", kRequired, [](const Row& r) { return r.spec_id; }));
  }
  add(LongColumn<Row>("record_count", kRequired, [](const Row& r) { return r.data_records; }));
  add(IntColumn<Row>("file_count", kRequired, [](const Row& r) { return r.data_files; }));
  add(LongColumn<Row>("total_data_file_size_in_bytes", kRequired, [](const Row& r) { return r.data_bytes; }));
  add(LongColumn<Row>("position_delete_record_count", kRequired,
                      [](const Row& r) { return r.position_delete_records; }));
  add(IntColumn<Row>("position_delete_file_count", kRequired, [](const Row& r) { return r.position_delete_files; }));
  add(LongColumn<Row>("equality_delete_record_count", kRequired,
                      [](const Row& r) { return r.equality_delete_records; }));
  add(IntColumn<Row>("equality_delete_file_count", kRequired, [](const Row& r) { return r.equality_delete_files; }));
  add(TimestampColumn<Row>("last_updated_at", kOptional, updated_at));
  add(LongColumn<Row>("last_updated_snapshot_id", kOptional, updated_by));
  return columns;
}

TablePtr Partitions(const Source& source) {
  const PartitionUnion partitions(source.metadata);
  std::map<PartitionValues, PartitionRow, iceberg::PartitionOrder> rows;
  VisitEntries(source, CurrentManifests(source), [&](ManifestEntry&& entry) {
    if (!entry.is_live()) return;
    const Snapshot* snapshot = entry.snapshot_id ? source.metadata.FindSnapshot(*entry.snapshot_id) : nullptr;
    rows[partitions.Coerce(entry.file.spec_id, entry.file.partition)].Add(entry.file, snapshot);
  });
  RowTable<PartitionRow> table(PartitionColumns(partitions));
  for (auto& [values, row] : rows) {
    row.values = values;
    table.Append(row);
  }
  return table.Finish();
}

// ---- by name ----

using Make = TablePtr (*)(const Source&);

const std::map<std::string_view, Make>& Makers() {
  static const std::map<std::string_view, Make> kMakers = {
      {"all_data_files", [](const Source& s) { return FilesOf(s, AllManifests(s), Files::kData); }},
      {"all_delete_files", [](const Source& s) { return FilesOf(s, AllManifests(s), Files::kDeletes); }},
      {"all_entries", [](const Source& s) { return EntriesOf(s, AllManifests(s)); }},
      {"all_files", [](const Source& s) { return FilesOf(s, AllManifests(s), Files::kAll); }},
      {"all_manifests", AllManifestRows},
      {"data_files", [](const Source& s) { return FilesOf(s, CurrentManifests(s), Files::kData); }},
      {"delete_files", [](const Source& s) { return FilesOf(s, CurrentManifests(s), Files::kDeletes); }},
      {"entries", [](const Source& s) { return EntriesOf(s, CurrentManifests(s)); }},
      {"files", [](const Source& s) { return FilesOf(s, CurrentManifests(s), Files::kAll); }},
      {"history", History},
      {"manifests", Manifests},
      {"metadata_log_entries", MetadataLogEntries},
      {"partitions", Partitions},
      {"refs", Refs},
      {"snapshots", Snapshots},
  };
  return kMakers;
}

Make FindMaker(std::string_view name) {
  if (name == "position_deletes") throw Unsupported("the metadata table 'position_deletes' can't be read");
  auto it = Makers().find(name);
  if (it == Makers().end()) {
    throw NotFound("there is no metadata table '{}': known are {}", name, fmt::join(MetadataTableNames(), ", "));
  }
  return it->second;
}

}  // namespace

const std::vector<std::string>& MetadataTableNames() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const auto& [name, make] : Makers()) names.emplace_back(name);
    return names;
  }();
  return kNames;
}

bool IsMetadataTableName(std::string_view name) { return Makers().contains(name); }

TablePtr MetadataTable(std::string_view name, const TableMetadata& metadata, storage::FileIO& io,
                       std::string_view metadata_location) {
  return FindMaker(name)({metadata, &io, metadata_location});
}

std::shared_ptr<arrow::Schema> MetadataTableSchema(std::string_view name, const TableMetadata& metadata) {
  return FindMaker(name)({metadata, nullptr, ""})->schema();
}

}  // namespace frazil::scan
