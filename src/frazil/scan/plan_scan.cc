// SPDX-License-Identifier: Apache-2.0
#include "frazil/base/error.h"
#include "frazil/iceberg/ascii.h"
#include "frazil/iceberg/calendar.h"
#include "frazil/scan/table_scan.h"
#include "frazil/storage/file_io.h"
#include "frazil/table/table.h"

namespace frazil::scan {

namespace {

using iceberg::DataFile;
using iceberg::ManifestFile;
using iceberg::Schema;
using iceberg::Snapshot;
using iceberg::SnapshotRef;
using iceberg::TableMetadata;

std::string TimeText(int64_t millis) {
  return FormatIsoTimestamp(millis * 1000, iceberg::kMicrosPerDay, iceberg::TimeStyle::kIsoLocal) + "Z";
}

/// "1, 2, 3" or, of many, the last few: those are the ones that a user is after.
template <typename Range, typename Text>
std::string ListLast(const Range& items, const Text& text) {
  constexpr size_t kShown = 10;
  std::string list = items.size() > kShown ? fmt::format("… ({} in all) …, ", items.size()) : "";
  size_t position = 0;
  for (const auto& item : items) {
    if (position++ + kShown < items.size()) continue;
    list += text(item);
    if (position < items.size()) list += ", ";
  }
  return list.empty() ? "none" : list;
}

const Snapshot& FindSnapshot(const TableMetadata& metadata, int64_t snapshot_id) {
  if (const Snapshot* snapshot = metadata.FindSnapshot(snapshot_id)) return *snapshot;
  throw NotFound("snapshot {} is not in the table at {}: it has {}", snapshot_id, metadata.location,
                 ListLast(metadata.snapshots, [](const Snapshot& s) { return fmt::format("{}", s.snapshot_id); }));
}

const Snapshot& FindSnapshotAsOf(const TableMetadata& metadata, int64_t millis) {
  const iceberg::SnapshotLogEntry* found = nullptr;
  for (const auto& entry : metadata.snapshot_log) {
    if (entry.timestamp_ms <= millis) found = &entry;
  }
  if (found == nullptr) {
    throw NotFound("the table at {} has no snapshot as of {} ({} ms): {}", metadata.location, TimeText(millis), millis,
                   metadata.snapshot_log.empty()
                       ? "its history is empty"
                       : "its history starts at " + TimeText(metadata.snapshot_log.front().timestamp_ms));
  }
  return FindSnapshot(metadata, found->snapshot_id);
}

const Schema& SchemaOf(const TableMetadata& metadata, const Snapshot& snapshot) {
  return snapshot.schema_id ? metadata.schema(*snapshot.schema_id) : metadata.schema();
}

struct Selection {
  const Snapshot* snapshot;  ///< null: an empty table
  const Schema* schema;
};

Selection SelectRef(const TableMetadata& metadata, const std::string& name) {
  const Snapshot* snapshot = metadata.FindRef(name);
  if (snapshot == nullptr && name != iceberg::kMainBranch) {
    throw NotFound("the table at {} has no branch or tag '{}': it has {}", metadata.location, name,
                   ListLast(metadata.refs, [](const auto& ref) { return fmt::format("'{}'", ref.first); }));
  }
  auto ref = metadata.refs.find(name);
  const bool is_tag = ref != metadata.refs.end() && ref->second.type == iceberg::RefType::kTag;
  return {snapshot, is_tag ? &SchemaOf(metadata, *snapshot) : &metadata.schema()};
}

Selection Select(const TableMetadata& metadata, const ScanOptions& options) {
  const bool has_ref = options.ref != iceberg::kMainBranch;
  if (int{options.snapshot_id.has_value()} + int{options.as_of_ms.has_value()} + int{has_ref} > 1) {
    throw InvalidArgument("a scan takes one of a snapshot id, a time and a branch or tag, not several of them");
  }
  if (!options.snapshot_id && !options.as_of_ms) return SelectRef(metadata, options.ref);
  const Snapshot& snapshot = options.snapshot_id ? FindSnapshot(metadata, *options.snapshot_id)
                                                 : FindSnapshotAsOf(metadata, *options.as_of_ms);
  return {&snapshot, &SchemaOf(metadata, snapshot)};
}

const iceberg::NestedField& FindColumn(const Schema& schema, const std::string& name, bool case_sensitive) {
  for (const auto& column : schema.fields()) {
    if (column.name == name) return column;
  }
  for (const auto& column : schema.fields()) {
    if (!case_sensitive && iceberg::EqualsIgnoreCase(column.name, name)) return column;
  }
  throw NotFound("column '{}' is not in the table: it has {}", name,
                 ListLast(schema.fields(), [](const auto& column) { return fmt::format("'{}'", column.name); }));
}

Schema Project(const Schema& schema, const ScanOptions& options) {
  if (options.columns.empty()) return schema;
  std::vector<iceberg::NestedField> fields;
  for (const std::string& name : options.columns) {
    const auto& field = FindColumn(schema, name, options.case_sensitive);
    for (const auto& earlier : fields) {
      if (earlier.id == field.id) throw InvalidArgument("column '{}' is asked for twice", name);
    }
    fields.push_back(field);
  }
  return {schema.schema_id(), std::move(fields)};
}

bool MayHaveLiveFiles(const ManifestFile& manifest) {
  return manifest.added_files_count.value_or(1) > 0 || manifest.existing_files_count.value_or(1) > 0;
}

/// Collects the files of a snapshot, manifest by manifest.
class Planner {
 public:
  Planner(const TableMetadata& metadata, const Schema& schema, storage::FileIO& io, const ScanOptions& options,
          ScanPlan& plan)
      : metadata_(metadata), schema_(schema), io_(io), options_(options), plan_(plan) {
    // Says what is wrong with the filter even where there is no file to ask it about.
    FilterFor(metadata.default_spec_id);
  }

  /// Throws Unsupported if rows may have been deleted that the filter may match.
  void CheckDeletes(const ManifestFile& manifest) {
    if (!MayHaveLiveFiles(manifest) || !FilterFor(manifest.partition_spec_id).MayMatch(manifest)) return;
    throw Unsupported(
        "the table at {} has delete files (manifest {}), which can't be applied yet: compact the table with another "
        "engine first (Spark: rewrite_data_files), or read a snapshot from before the deletes",
        metadata_.location, manifest.manifest_path);
  }

  void AddFilesOf(const ManifestFile& manifest) {
    if (!MayHaveLiveFiles(manifest)) return;
    const iceberg::FileFilter& filter = FilterFor(manifest.partition_spec_id);
    if (!filter.MayMatch(manifest)) {
      ++plan_.skipped_manifests;
      return;
    }
    const std::string bytes = io_.ReadAll(manifest.manifest_path);
    ReadManifest(bytes, manifest, schema_, [&](iceberg::ManifestEntry&& entry) {
      if (!entry.is_live() || HasEnoughRows()) return;
      CheckPartition(entry.file, manifest);
      if (!filter.MayMatch(entry.file)) {
        ++plan_.skipped_files;
        return;
      }
      Add(std::move(entry));
    });
  }

  /// A filter may still drop rows of the planned files, so that only a scan without one can know.
  bool HasEnoughRows() const {
    return options_.limit && options_.filter.op == iceberg::Expression::Op::kTrue && rows_ >= *options_.limit;
  }

 private:
  const iceberg::FileFilter& FilterFor(int32_t spec_id) {
    auto it = filters_.find(spec_id);
    if (it == filters_.end()) {
      iceberg::FileFilter filter(options_.filter, schema_, metadata_.spec(spec_id), options_.case_sensitive);
      it = filters_.emplace(spec_id, std::move(filter)).first;
    }
    return it->second;
  }

  /// Values under another spec than the one they were written with would prune and fill columns wrongly.
  void CheckPartition(const DataFile& file, const ManifestFile& manifest) const {
    const size_t fields = metadata_.spec(file.spec_id).fields.size();
    if (file.partition.size() == fields) return;
    throw Corrupt("{}: data file {} has {} partition values, where partition spec {} has {} fields",
                  manifest.manifest_path, file.file_path, file.partition.size(), file.spec_id, fields);
  }

  void Add(iceberg::ManifestEntry&& entry) {
    DataFile& file = entry.file;
    if (file.file_format != "parquet") {
      throw Unsupported("data file {} is {}: only Parquet files can be read", file.file_path, file.file_format);
    }
    if (file.key_metadata) throw Unsupported("data file {} is encrypted, which can't be read", file.file_path);
    rows_ += file.record_count;
    if (!options_.include_column_stats) file.metrics = {};
    plan_.tasks.push_back({std::move(file), entry.sequence_number.value_or(0)});
  }

  const TableMetadata& metadata_;
  const Schema& schema_;
  storage::FileIO& io_;
  const ScanOptions& options_;
  ScanPlan& plan_;
  std::map<int32_t, iceberg::FileFilter> filters_;  ///< by spec id
  int64_t rows_ = 0;
};

}  // namespace

ScanPlan PlanScan(iceberg::TableMetadataPtr metadata, storage::FileIO& io, const ScanOptions& options) {
  const Selection selection = Select(*metadata, options);
  ScanPlan plan;
  plan.metadata = metadata;
  plan.projection = Project(*selection.schema, options);
  Planner planner(*metadata, *selection.schema, io, options, plan);
  if (selection.snapshot == nullptr) return plan;
  plan.snapshot_id = selection.snapshot->snapshot_id;
  const std::vector<ManifestFile> manifests = table::ReadManifests(io, *metadata, *selection.snapshot);
  for (const ManifestFile& manifest : manifests) {
    if (manifest.content == iceberg::ManifestContent::kDeletes) planner.CheckDeletes(manifest);
  }
  for (const ManifestFile& manifest : manifests) {
    if (planner.HasEnoughRows()) break;
    if (manifest.content == iceberg::ManifestContent::kData) planner.AddFilesOf(manifest);
  }
  return plan;
}

}  // namespace frazil::scan
