// SPDX-License-Identifier: Apache-2.0
// What the tests of this room share: a small table, and a commit of one data file made by hand.
#pragma once

#include "frazil/base/uuid.h"
#include "frazil/catalog/catalog.h"
#include "frazil/iceberg/manifest.h"
#include "frazil/storage/file_io.h"
#include "support/support.h"

namespace frazil::test {

/// Columns `id` (long, required) and `name` (string).
inline catalog::TableCreation Creation(OptionMap properties = {}) {
  using iceberg::NestedField;
  return {iceberg::Schema(0, {NestedField::Required(1, "id", iceberg::Type::Long()),
                              NestedField::Optional(2, "name", iceberg::Type::String())}),
          {},
          {},
          {},
          std::move(properties)};
}

/// Writes `<location>/data/<name>` (not a real Parquet file), a manifest and a list that names only this file, and
/// commits them as a snapshot of main.
inline void CommitOneFile(catalog::Catalog& catalog, const catalog::TableIdentifier& id, const std::string& name) {
  catalog::LoadedTable table = catalog.LoadTable(id);
  const iceberg::TableMetadata& base = *table.metadata;
  iceberg::DataFile file;
  file.file_path = base.location + "/data/" + name;
  file.record_count = 1;
  file.file_size_in_bytes = 4;
  table.io->WriteAll(file.file_path, "PAR1");

  iceberg::Snapshot snapshot;
  snapshot.snapshot_id = RandomSnapshotId();
  snapshot.parent_snapshot_id = base.current_snapshot_id;
  snapshot.sequence_number = base.last_sequence_number + 1;
  snapshot.timestamp_ms = base.last_updated_ms + 1;
  snapshot.operation = iceberg::operation::kAppend;
  snapshot.schema_id = base.current_schema_id;
  std::string prefix = fmt::format("{}/metadata/{}", base.location, snapshot.snapshot_id);
  iceberg::ManifestWriter writer(2, base.schema(), base.spec(), iceberg::ManifestContent::kData, snapshot.snapshot_id);
  writer.AddNew(file);
  iceberg::ManifestWriter::Result manifest = writer.Finish();
  manifest.file.manifest_path = prefix + "-m0.avro";
  table.io->WriteAll(manifest.file.manifest_path, manifest.bytes);
  snapshot.manifest_list = prefix + "-list.avro";
  table.io->WriteAll(snapshot.manifest_list,
                     iceberg::WriteManifestList(2, snapshot.snapshot_id, snapshot.parent_snapshot_id,
                                                snapshot.sequence_number, {manifest.file}));
  catalog::TableCommit commit{id,
                              {},
                              {iceberg::update::AddSnapshot{snapshot},
                               iceberg::update::SetSnapshotRef{"main", {.snapshot_id = snapshot.snapshot_id}}}};
  catalog.Commit({&commit, 1});
}

}  // namespace frazil::test
