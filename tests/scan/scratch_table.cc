// SPDX-License-Identifier: Apache-2.0
#include "scratch_table.h"

#include "frazil/iceberg/arrow_schema.h"
#include "frazil/write/task_writer.h"
#include "support/rows.h"

namespace frazil::scan {

using iceberg::DataFile;
using iceberg::ManifestEntry;
using iceberg::ManifestFile;

ScratchTable::ScratchTable(iceberg::Schema schema, iceberg::PartitionSpec spec, OptionMap properties)
    : io_(storage::MakeFileIO({})) {
  metadata_.table_uuid = "f79c3e09-677c-4bbd-a479-3f349cb785e7";
  metadata_.location = dir_ / "t";
  metadata_.current_schema_id = schema.schema_id();
  metadata_.last_column_id = schema.HighestFieldId();
  metadata_.schemas.push_back(std::move(schema));
  metadata_.partition_specs.push_back(std::move(spec));
  metadata_.sort_orders.push_back({});
  metadata_.properties = std::move(properties);
}

std::vector<DataFile> ScratchTable::Write(std::string_view json) {
  auto writer = write::MakeTaskWriter(Freeze(), io_, {0, 0, fmt::format("w{}", ++writer_count_), {}});
  writer->Write(*test::RowsFromJson(ToArrowSchema(metadata_.schema()), json));
  return writer->Complete();
}

ManifestFile ScratchTable::WriteManifest(const std::vector<DataFile>& added, iceberg::ManifestContent content,
                                         int32_t spec_id) {
  iceberg::ManifestWriter writer(metadata_.format_version, metadata_.schema(), metadata_.spec(spec_id), content,
                                 next_snapshot());
  for (const DataFile& file : added) writer.AddNew(file);
  auto result = writer.Finish();
  result.file.manifest_path = fmt::format("{}/metadata/m{}.avro", metadata_.location, ++manifest_count_);
  io_->WriteAll(result.file.manifest_path, result.bytes);
  return result.file;
}

ManifestFile ScratchTable::WriteManifest(const std::vector<ManifestEntry>& entries) {
  iceberg::ManifestWriter writer(metadata_.format_version, metadata_.schema(), metadata_.spec(),
                                 iceberg::ManifestContent::kData, next_snapshot());
  for (const ManifestEntry& entry : entries) {
    switch (entry.status) {
      case iceberg::EntryStatus::kAdded: writer.AddNew(entry.file); break;
      case iceberg::EntryStatus::kExisting: writer.AddExisting(entry); break;
      case iceberg::EntryStatus::kDeleted: writer.AddDeleted(entry); break;
    }
  }
  auto result = writer.Finish();
  result.file.manifest_path = fmt::format("{}/metadata/m{}.avro", metadata_.location, ++manifest_count_);
  io_->WriteAll(result.file.manifest_path, result.bytes);
  return result.file;
}

int64_t ScratchTable::Commit(std::vector<ManifestFile> manifests) {
  manifests.insert(manifests.begin(), manifests_.begin(), manifests_.end());
  return Replace(std::move(manifests), iceberg::operation::kAppend);
}

int64_t ScratchTable::Replace(std::vector<ManifestFile> manifests, const std::string& operation) {
  iceberg::Snapshot snapshot;
  snapshot.snapshot_id = next_snapshot();
  snapshot.parent_snapshot_id = metadata_.current_snapshot_id;
  snapshot.sequence_number = snapshot.snapshot_id;
  snapshot.timestamp_ms = snapshot.snapshot_id * 1000;
  snapshot.operation = operation;
  snapshot.schema_id = metadata_.current_schema_id;
  snapshot.manifest_list = fmt::format("{}/metadata/snap-{}.avro", metadata_.location, snapshot.snapshot_id);
  const std::string list = iceberg::WriteManifestList(metadata_.format_version, snapshot.snapshot_id,
                                                      snapshot.parent_snapshot_id, snapshot.sequence_number, manifests);
  io_->WriteAll(snapshot.manifest_list, list);
  manifests_ = iceberg::ReadManifestList(list, snapshot.manifest_list);
  metadata_.last_sequence_number = snapshot.sequence_number;
  metadata_.last_updated_ms = snapshot.timestamp_ms;
  metadata_.current_snapshot_id = snapshot.snapshot_id;
  metadata_.refs[iceberg::kMainBranch] = {snapshot.snapshot_id, iceberg::RefType::kBranch, {}, {}, {}};
  metadata_.snapshot_log.push_back({snapshot.timestamp_ms, snapshot.snapshot_id});
  metadata_.snapshots.push_back(std::move(snapshot));
  return *metadata_.current_snapshot_id;
}

}  // namespace frazil::scan
