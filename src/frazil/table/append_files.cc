// SPDX-License-Identifier: Apache-2.0
#include "frazil/table/append_files.h"

#include <unordered_set>

#include "frazil/base/clock.h"
#include "frazil/base/error.h"
#include "frazil/base/uuid.h"
#include "frazil/iceberg/table_properties.h"
#include "frazil/storage/file_io.h"
#include "frazil/table/commit_loop.h"
#include "frazil/table/manifest_merger.h"
#include "frazil/table/manifest_output.h"
#include "frazil/table/snapshot_summary.h"

namespace frazil::table {

namespace property = iceberg::property;
using iceberg::DataFile;
using iceberg::ManifestContent;
using iceberg::ManifestFile;
using iceberg::Snapshot;
using iceberg::TableMetadata;

namespace {

int64_t UnusedSnapshotId(const TableMetadata& metadata) {
  int64_t id = RandomSnapshotId();
  while (metadata.FindSnapshot(id) != nullptr) id = RandomSnapshotId();
  return id;
}

/// Never before what the log and the parent say: time travel goes by these.
int64_t NextTimestamp(const TableMetadata& metadata, const Snapshot* parent) {
  int64_t now = std::max(NowMillis(), metadata.last_updated_ms);
  if (!metadata.snapshot_log.empty()) now = std::max(now, metadata.snapshot_log.back().timestamp_ms);
  return parent == nullptr ? now : std::max(now, parent->timestamp_ms);
}

bool HasCounts(const ManifestFile& manifest) {
  return manifest.added_files_count && manifest.existing_files_count && manifest.deleted_files_count &&
         manifest.added_rows_count && manifest.existing_rows_count && manifest.deleted_rows_count;
}

/// Lists of v1 may lack the counts that v2 requires.
void FillCounts(storage::FileIO& io, const TableMetadata& metadata, ManifestFile* manifest) {
  int32_t files[3] = {};
  int64_t rows[3] = {};
  iceberg::ReadManifest(io.ReadAll(manifest->manifest_path), *manifest, metadata.schema(),
                        [&](iceberg::ManifestEntry&& entry) {
                          ++files[static_cast<int>(entry.status)];
                          rows[static_cast<int>(entry.status)] += entry.file.record_count;
                        });
  using enum iceberg::EntryStatus;
  manifest->existing_files_count = files[static_cast<int>(kExisting)];
  manifest->existing_rows_count = rows[static_cast<int>(kExisting)];
  manifest->added_files_count = files[static_cast<int>(kAdded)];
  manifest->added_rows_count = rows[static_cast<int>(kAdded)];
  manifest->deleted_files_count = files[static_cast<int>(kDeleted)];
  manifest->deleted_rows_count = rows[static_cast<int>(kDeleted)];
}

bool MayHaveLiveFiles(const ManifestFile& manifest) {
  return manifest.added_files_count.value_or(1) > 0 || manifest.existing_files_count.value_or(1) > 0;
}

}  // namespace

struct AppendFiles::Impl {
  explicit Impl(Table& t) : table(t) {}

  Table& table;
  std::vector<DataFile> files;
  std::unordered_set<std::string> paths;
  std::string branch = iceberg::kMainBranch;
  std::map<std::string, std::string> summary_properties;
  std::optional<bool> merge;
  bool check_duplicates = false;
  OptionMap table_properties;
  std::function<bool(const TableMetadata&)> validator;

  // What lives over all attempts of one Commit().
  struct State {
    State(storage::FileIO& io, int64_t snapshot_id) : output(io, snapshot_id), merger(io, output) {}

    ManifestOutput output;
    ManifestMerger merger;
    int new_manifests_version = 0;  ///< the format version they were written for; 0: not yet
    std::vector<ManifestFile> new_manifests;
    SnapshotSummaryBuilder summary;
    std::set<std::string> checked_manifests;  ///< hold none of `paths`
    std::set<std::string> referenced;         ///< by the latest attempt: its list and what that names
  };

  std::optional<catalog::TableCommit> Attempt(State& state);
  void CheckTarget(const TableMetadata& base) const;
  void WriteNewManifests(const TableMetadata& base, State& state) const;
  void CheckNotLive(const std::vector<ManifestFile>& manifests, State& state) const;
  std::vector<ManifestFile> ManifestsOf(const TableMetadata& base, const std::vector<ManifestFile>& parent,
                                        State& state) const;
  Snapshot MakeSnapshot(const TableMetadata& base, const Snapshot* parent, State& state) const;
};

void AppendFiles::Impl::CheckTarget(const TableMetadata& base) const {
  if (base.format_version >= 3) {
    throw Unsupported("table {} has format-version {}, which can be read, but not yet written", table.name(),
                      base.format_version);
  }
  auto ref = base.refs.find(branch);
  if (ref != base.refs.end() && ref->second.type == iceberg::RefType::kTag) {
    throw InvalidArgument("'{}' of table {} is a tag: only branches can be written to", branch, table.name());
  }
  for (const DataFile& file : files) {
    auto spec = std::ranges::find(base.partition_specs, file.spec_id, &iceberg::PartitionSpec::spec_id);
    if (spec == base.partition_specs.end()) {
      throw InvalidArgument("file {} has partition spec {}, which table {} doesn't have", file.file_path, file.spec_id,
                            table.name());
    }
    if (spec->fields.size() != file.partition.size()) {
      throw InvalidArgument("file {} has {} partition values, but spec {} of table {} has {} fields", file.file_path,
                            file.partition.size(), file.spec_id, table.name(), spec->fields.size());
    }
  }
}

/// Written once and kept over retries: nothing in them depends on what else is in the table. Only a table that was
/// upgraded in between needs them anew.
void AppendFiles::Impl::WriteNewManifests(const TableMetadata& base, State& state) const {
  if (state.new_manifests_version == base.format_version) return;
  state.new_manifests.clear();
  state.summary = {};
  int64_t target = property::GetInt(base.properties, property::kManifestTargetSize, 8 << 20);
  std::map<int32_t, std::vector<const DataFile*>, std::greater<>> by_spec;
  for (const DataFile& file : files) by_spec[file.spec_id].push_back(&file);
  for (const auto& [spec_id, group] : by_spec) {
    const iceberg::PartitionSpec& spec = base.spec(spec_id);
    std::unique_ptr<iceberg::ManifestWriter> writer;
    for (const DataFile* file : group) {
      if (!writer) writer = state.output.NewWriter(base, spec_id, ManifestContent::kData);
      writer->AddNew(*file);
      state.summary.AddDataFile(*file, spec.fields.empty() ? "" : PartitionPath(spec, base.schema(), file->partition));
      if (writer->size() < target) continue;
      state.new_manifests.push_back(state.output.Write(base, *writer));
      writer.reset();
    }
    if (writer) state.new_manifests.push_back(state.output.Write(base, *writer));
  }
  state.new_manifests_version = base.format_version;
}

void AppendFiles::Impl::CheckNotLive(const std::vector<ManifestFile>& manifests, State& state) const {
  for (const ManifestFile& manifest : manifests) {
    if (manifest.content != ManifestContent::kData || state.checked_manifests.contains(manifest.manifest_path))
      continue;
    iceberg::ReadManifest(table.io()->ReadAll(manifest.manifest_path), manifest, table.metadata().schema(),
                          [&](iceberg::ManifestEntry&& entry) {
                            if (!entry.is_live() || !paths.contains(entry.file.file_path)) return;
                            throw InvalidArgument("file {} is in table {} already: snapshot {} added it",
                                                  entry.file.file_path, table.name(), entry.snapshot_id.value_or(0));
                          });
    state.checked_manifests.insert(manifest.manifest_path);
  }
}

/// The new manifests before those of the parent, data before deletes, merged where that is on.
std::vector<ManifestFile> AppendFiles::Impl::ManifestsOf(const TableMetadata& base,
                                                         const std::vector<ManifestFile>& parent, State& state) const {
  std::vector<ManifestFile> manifests = state.new_manifests;
  state.merger.ResetCount();
  if (!merge.value_or(property::GetBool(base.properties, property::kManifestMergeEnabled, true))) {
    manifests.insert(manifests.end(), parent.begin(), parent.end());
    return manifests;
  }
  std::vector<ManifestFile> deletes;
  for (const ManifestFile& manifest : parent) {
    if (MayHaveLiveFiles(manifest)) {
      (manifest.content == ManifestContent::kData ? manifests : deletes).push_back(manifest);
    }
  }
  manifests = state.merger.Merge(base, manifests);
  deletes = state.merger.Merge(base, deletes);
  manifests.insert(manifests.end(), deletes.begin(), deletes.end());
  return manifests;
}

Snapshot AppendFiles::Impl::MakeSnapshot(const TableMetadata& base, const Snapshot* parent, State& state) const {
  std::vector<ManifestFile> parent_manifests;
  if (parent != nullptr) parent_manifests = ReadManifests(*table.io(), base, *parent);
  if (check_duplicates) CheckNotLive(parent_manifests, state);
  WriteNewManifests(base, state);
  std::vector<ManifestFile> manifests = ManifestsOf(base, parent_manifests, state);

  SnapshotSummaryBuilder::ManifestCounts counts;
  counts.replaced = state.merger.replaced();
  state.referenced.clear();
  for (ManifestFile& manifest : manifests) {
    if (base.format_version > 1 && !HasCounts(manifest)) FillCounts(*table.io(), base, &manifest);
    ++(manifest.added_snapshot_id == state.output.snapshot_id() ? counts.created : counts.kept);
    state.referenced.insert(manifest.manifest_path);
  }

  Snapshot snapshot;
  snapshot.snapshot_id = state.output.snapshot_id();
  if (parent != nullptr) snapshot.parent_snapshot_id = parent->snapshot_id;
  snapshot.sequence_number = base.format_version > 1 ? base.last_sequence_number + 1 : 0;
  snapshot.timestamp_ms = NextTimestamp(base, parent);
  snapshot.manifest_list =
      state.output.WriteList(base, snapshot.parent_snapshot_id, snapshot.sequence_number, manifests);
  state.referenced.insert(snapshot.manifest_list);
  snapshot.operation = iceberg::operation::kAppend;
  snapshot.summary = state.summary.Build(parent, summary_properties, counts,
                                         property::GetInt(base.properties, property::kPartitionSummaryLimit, 0));
  snapshot.schema_id = base.current_schema_id;
  return snapshot;
}

std::optional<catalog::TableCommit> AppendFiles::Impl::Attempt(State& state) {
  const TableMetadata& base = table.metadata();
  CheckTarget(base);
  if (validator && !validator(base)) return std::nullopt;
  const Snapshot* head = base.FindRef(branch);
  const Snapshot* parent = head != nullptr ? head : base.current_snapshot();

  catalog::TableCommit commit{table.id(), {}, {}};
  if (base.table_uuid.empty()) {
    commit.updates.push_back(iceberg::update::AssignUuid{ToString(RandomUuid())});
  } else {
    commit.requirements.push_back(iceberg::requirement::AssertTableUuid{base.table_uuid});
  }
  iceberg::requirement::AssertRefSnapshotId at_head{branch, {}};
  if (head != nullptr) at_head.snapshot_id = head->snapshot_id;
  commit.requirements.push_back(std::move(at_head));

  Snapshot snapshot = MakeSnapshot(base, parent, state);
  auto existing = base.refs.find(branch);
  iceberg::SnapshotRef ref = existing == base.refs.end() ? iceberg::SnapshotRef{} : existing->second;
  ref.snapshot_id = snapshot.snapshot_id;
  if (!table_properties.empty()) commit.updates.push_back(iceberg::update::SetProperties{table_properties});
  commit.updates.push_back(iceberg::update::AddSnapshot{std::move(snapshot)});
  commit.updates.push_back(iceberg::update::SetSnapshotRef{branch, ref});
  return commit;
}

AppendFiles::AppendFiles(Table& table) : impl_(std::make_unique<Impl>(table)) {}
AppendFiles::~AppendFiles() = default;

AppendFiles& AppendFiles::AppendFile(DataFile file) {
  if (file.content != iceberg::FileContent::kData) {
    throw InvalidArgument("{} is a delete file: only data files can be appended", file.file_path);
  }
  if (file.file_path.empty()) throw InvalidArgument("a data file without a path can't be appended");
  if (impl_->paths.insert(file.file_path).second) impl_->files.push_back(std::move(file));
  return *this;
}

AppendFiles& AppendFiles::ToBranch(std::string branch) {
  if (branch.empty()) throw InvalidArgument("a branch needs a name");
  impl_->branch = std::move(branch);
  return *this;
}

AppendFiles& AppendFiles::Set(std::string key, std::string value) {
  impl_->summary_properties[std::move(key)] = std::move(value);
  return *this;
}

AppendFiles& AppendFiles::MergeManifests(bool merge) {
  impl_->merge = merge;
  return *this;
}

AppendFiles& AppendFiles::CheckDuplicates(bool check) {
  impl_->check_duplicates = check;
  return *this;
}

AppendFiles& AppendFiles::SetProperty(std::string key, std::string value) {
  impl_->table_properties[std::move(key)] = std::move(value);
  return *this;
}

AppendFiles& AppendFiles::Validate(std::function<bool(const TableMetadata& base)> validator) {
  impl_->validator = std::move(validator);
  return *this;
}

std::optional<int64_t> AppendFiles::Commit() {
  Table& table = impl_->table;
  std::shared_ptr<storage::FileIO> io = table.io();  // outlives the refreshes
  int64_t snapshot_id = UnusedSnapshotId(table.metadata());
  Impl::State state(*io, snapshot_id);
  try {
    bool committed = RunCommitLoop(
        table, [&] { return impl_->Attempt(state); },
        [&](const TableMetadata& now) { return now.FindSnapshot(snapshot_id) != nullptr; });
    if (!committed) state.referenced.clear();
    state.output.DeleteAllBut(state.referenced);
    return committed ? std::optional(snapshot_id) : std::nullopt;
  } catch (const Error& e) {
    // Only what certainly isn't committed may go.
    if (e.kind() != ErrorKind::kCommitStateUnknown && e.kind() != ErrorKind::kInternal) state.output.DeleteAllBut({});
    throw;
  }
}

}  // namespace frazil::table
