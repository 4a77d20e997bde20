// SPDX-License-Identifier: Apache-2.0
#include "frazil/iceberg/table_update.h"

#include "frazil/base/clock.h"
#include "frazil/iceberg/table_properties.h"
#include "support/support.h"

namespace frazil::iceberg {
namespace {

using test::ErrorOf;

Schema TwoColumns() {
  return Schema(0, {NestedField::Required(10, "id", Type::Long()), NestedField::Optional(20, "day", Type::Date())});
}

PartitionSpec ByDay(int32_t source_id) {
  return {0, {{{source_id}, 0, "day_part", {TransformKind::kIdentity, 0, ""}}}};
}

TableMetadata NewTable(OptionMap properties = {}) {
  return NewTableMetadata(TwoColumns(), {}, {}, "file:///w/t", std::move(properties));
}

Snapshot MakeSnapshot(int64_t id, int64_t sequence_number, int64_t timestamp_ms = NowMillis() + 1'000) {
  Snapshot s;
  s.snapshot_id = id;
  s.sequence_number = sequence_number;
  s.timestamp_ms = timestamp_ms;
  s.manifest_list = "file:///w/t/metadata/snap.avro";
  s.operation = operation::kAppend;
  s.schema_id = 0;
  return s;
}

TableMetadata Apply(const TableMetadata& base, const std::vector<TableUpdate>& updates) {
  return ApplyUpdates(base, updates, "file:///w/t/metadata/00000-a.metadata.json");
}

std::vector<TableUpdate> AppendTo(const std::string& branch, Snapshot snapshot) {
  int64_t id = snapshot.snapshot_id;
  return {update::AddSnapshot{std::move(snapshot)}, update::SetSnapshotRef{branch, {.snapshot_id = id}}};
}

TEST(NewTableMetadata, AssignsFreshIdsAndRebindsByName) {
  SortOrder order{7, {{{10}, {TransformKind::kIdentity, 0, ""}, SortDirection::kDescending, NullOrder::kNullsLast}}};
  TableMetadata m = NewTableMetadata(TwoColumns(), ByDay(20), order, "file:///w/t/", {{"a", "b"}});
  EXPECT_EQ(m.format_version, 2);
  EXPECT_EQ(m.table_uuid.size(), 36u);
  EXPECT_EQ(m.location, "file:///w/t");
  EXPECT_EQ(m.last_sequence_number, 0);
  EXPECT_NEAR(static_cast<double>(m.last_updated_ms), static_cast<double>(NowMillis()), 5'000);
  EXPECT_EQ(m.last_column_id, 2);
  ASSERT_EQ(m.schemas.size(), 1u);
  EXPECT_EQ(m.schema().schema_id(), 0);
  EXPECT_EQ(m.schema().FindField("id")->id, 1);
  EXPECT_EQ(m.schema().FindField("day")->id, 2);
  ASSERT_EQ(m.partition_specs.size(), 1u);
  EXPECT_EQ(m.spec().fields[0].source_id(), 2);
  EXPECT_EQ(m.spec().fields[0].field_id, 1000);
  EXPECT_EQ(m.last_partition_id, 1000);
  EXPECT_EQ(m.default_sort_order_id, 1);
  EXPECT_EQ(m.sort_order().fields[0].source_ids, std::vector<int32_t>{1});
  EXPECT_EQ(m.sort_order().fields[0].direction, SortDirection::kDescending);
  EXPECT_EQ(m.properties, (OptionMap{{"a", "b"}, {"write.parquet.compression-codec", "zstd"}}));
  EXPECT_FALSE(m.current_snapshot_id);
  EXPECT_TRUE(m.refs.empty());
}

TEST(NewTableMetadata, UnpartitionedUnsorted) {
  TableMetadata m = NewTable({{"format-version", "1"}, {"write.parquet.compression-codec", "gzip"}});
  EXPECT_EQ(m.format_version, 1);
  EXPECT_EQ(m.last_partition_id, 999);
  EXPECT_TRUE(m.spec().fields.empty());
  EXPECT_EQ(m.default_sort_order_id, 0);
  EXPECT_TRUE(m.sort_order().fields.empty());
  EXPECT_EQ(m.properties, (OptionMap{{"write.parquet.compression-codec", "gzip"}}));
}

TEST(NewTableMetadata, Refuses) {
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported,
                      [] {
                        NewTable({{"format-version", "3"}});
                      }),
              testing::HasSubstr("format-version 3"));
  ErrorOf(ErrorKind::kInvalidArgument, [] { NewTable({{"format-version", "9"}}); });
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [] {
                        NewTable({{"current-schema", "x"}});
                      }),
              testing::HasSubstr("'current-schema' is reserved"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [] {
                        NewTable({{"commit.retry.num-retries", "-1"}});
                      }),
              testing::HasSubstr("commit.retry.num-retries"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [] {
                        NewTable({{"write.metadata.metrics.column.x", "full"}});
                      }),
              testing::HasSubstr("column 'x'"));
  ErrorOf(ErrorKind::kInvalidArgument, [] { NewTableMetadata(TwoColumns(), {}, {}, "", {}); });
  EXPECT_THAT(
      ErrorOf(ErrorKind::kInvalidArgument, [] { NewTableMetadata(TwoColumns(), ByDay(99), {}, "file:///w/t", {}); }),
      testing::HasSubstr("column id 99"));
}

TEST(TableProperties, Reserved) {
  EXPECT_TRUE(property::IsReserved("format-version"));
  EXPECT_TRUE(property::IsReserved("default-sort-order"));
  EXPECT_FALSE(property::IsReserved("write.format.default"));
  property::Validate({{"commit.retry.num-retries", "0"}});
  ErrorOf(ErrorKind::kInvalidArgument, [] { property::Validate({{"commit.manifest.min-count-to-merge", "many"}}); });
}

TEST(CheckRequirements, EachOne) {
  TableMetadata m = Apply(NewTable(), AppendTo("main", MakeSnapshot(11, 1)));
  auto unmet = [&](TableRequirement r) {
    return ErrorOf(ErrorKind::kCommitConflict, [&] { CheckRequirements({&r, 1}, &m); });
  };
  const TableRequirement met[] = {
      requirement::AssertTableUuid{m.table_uuid},    requirement::AssertRefSnapshotId{"main", 11},
      requirement::AssertRefSnapshotId{"audit", {}}, requirement::AssertLastAssignedFieldId{2},
      requirement::AssertCurrentSchemaId{0},         requirement::AssertLastAssignedPartitionId{999},
      requirement::AssertDefaultSpecId{0},           requirement::AssertDefaultSortOrderId{0},
  };
  CheckRequirements(met, &m);
  EXPECT_THAT(unmet(requirement::AssertCreate{}), testing::HasSubstr("exists already"));
  EXPECT_THAT(unmet(requirement::AssertTableUuid{"other"}), testing::HasSubstr("expected other"));
  EXPECT_THAT(unmet(requirement::AssertRefSnapshotId{"main", 12}), testing::HasSubstr("moved to snapshot 11"));
  EXPECT_THAT(unmet(requirement::AssertRefSnapshotId{"main", {}}), testing::HasSubstr("created meanwhile"));
  EXPECT_THAT(unmet(requirement::AssertRefSnapshotId{"audit", 11}), testing::HasSubstr("is missing"));
  EXPECT_THAT(unmet(requirement::AssertLastAssignedFieldId{3}), testing::HasSubstr("last-column-id is 2"));
  EXPECT_THAT(unmet(requirement::AssertCurrentSchemaId{1}), testing::HasSubstr("current-schema-id is 0"));
  EXPECT_THAT(unmet(requirement::AssertLastAssignedPartitionId{1}), testing::HasSubstr("last-partition-id is 999"));
  EXPECT_THAT(unmet(requirement::AssertDefaultSpecId{1}), testing::HasSubstr("default-spec-id is 0"));
  EXPECT_THAT(unmet(requirement::AssertDefaultSortOrderId{1}), testing::HasSubstr("default-sort-order-id is 0"));

  TableRequirement create = requirement::AssertCreate{};
  CheckRequirements({&create, 1}, nullptr);
  EXPECT_THAT(ErrorOf(ErrorKind::kCommitConflict,
                      [&] {
                        CheckRequirements({&met[0], 1}, nullptr);
                      }),
              testing::HasSubstr("doesn't exist"));
}

TEST(ApplyUpdates, AppendMovesMainAndTheLogs) {
  TableMetadata base = NewTable();
  int64_t now = NowMillis();
  TableMetadata m = Apply(base, AppendTo("main", MakeSnapshot(11, 1, now + 5)));
  EXPECT_EQ(m.current_snapshot_id, 11);
  EXPECT_EQ(m.last_sequence_number, 1);
  EXPECT_EQ(m.last_updated_ms, now + 5);
  EXPECT_EQ(m.snapshot_log, (std::vector<SnapshotLogEntry>{{now + 5, 11}}));
  EXPECT_EQ(m.refs.at("main").snapshot_id, 11);
  EXPECT_EQ(m.refs.at("main").type, RefType::kBranch);
  EXPECT_EQ(m.metadata_log,
            (std::vector<MetadataLogEntry>{{base.last_updated_ms, "file:///w/t/metadata/00000-a.metadata.json"}}));
}

TEST(ApplyUpdates, StagedSnapshotWithoutRef) {
  TableMetadata m = Apply(NewTable(), {update::AddSnapshot{MakeSnapshot(11, 1)}});
  EXPECT_FALSE(m.current_snapshot_id);
  EXPECT_TRUE(m.refs.empty());
  EXPECT_TRUE(m.snapshot_log.empty());
  EXPECT_EQ(m.last_sequence_number, 1);
  ASSERT_NE(m.FindSnapshot(11), nullptr);
}

TEST(ApplyUpdates, SequenceNumberMustGrow) {
  TableMetadata m = Apply(NewTable(), AppendTo("main", MakeSnapshot(11, 5)));
  ErrorOf(ErrorKind::kCommitConflict, [&] { Apply(m, AppendTo("other", MakeSnapshot(12, 5))); });
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(m, AppendTo("main", MakeSnapshot(11, 6))); }),
              testing::HasSubstr("in the table already"));
  TableMetadata v1 = NewTable({{"format-version", "1"}});
  EXPECT_EQ(Apply(v1, AppendTo("main", MakeSnapshot(1, 0))).last_sequence_number, 0);
}

TEST(ApplyUpdates, RefsAreChecked) {
  TableMetadata m = Apply(NewTable(), AppendTo("main", MakeSnapshot(11, 1)));
  auto set = [&](std::string name, SnapshotRef ref) {
    return ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(m, {update::SetSnapshotRef{name, ref}}); });
  };
  EXPECT_THAT(set("b", {.snapshot_id = 99}), testing::HasSubstr("snapshot 99"));
  EXPECT_THAT(set("main", {.snapshot_id = 11, .type = RefType::kTag}), testing::HasSubstr("'main' is a branch"));
  EXPECT_THAT(set("t", {.snapshot_id = 11, .type = RefType::kTag, .min_snapshots_to_keep = 2}),
              testing::HasSubstr("tag 't'"));
  EXPECT_THAT(set("", {.snapshot_id = 11}), testing::HasSubstr("needs a name"));

  m = Apply(m, {update::SetSnapshotRef{"t", {.snapshot_id = 11, .type = RefType::kTag, .max_ref_age_ms = 5}}});
  EXPECT_EQ(m.refs.at("t").max_ref_age_ms, 5);
  EXPECT_EQ(m.snapshot_log.size(), 1u) << "only main is logged";
  EXPECT_FALSE(Apply(m, {update::RemoveSnapshotRef{"t"}}).refs.contains("t"));
  EXPECT_FALSE(Apply(m, {update::RemoveSnapshotRef{"main"}}).current_snapshot_id);
}

TEST(ApplyUpdates, RollbackIsLoggedNow) {
  TableMetadata m = Apply(NewTable(), AppendTo("main", MakeSnapshot(11, 1, NowMillis())));
  m = Apply(m, AppendTo("main", MakeSnapshot(12, 2, NowMillis())));
  TableMetadata back = Apply(m, {update::SetSnapshotRef{"main", {.snapshot_id = 11}}});
  EXPECT_EQ(back.current_snapshot_id, 11);
  ASSERT_EQ(back.snapshot_log.size(), 3u);
  EXPECT_EQ(back.snapshot_log[2].snapshot_id, 11);
  EXPECT_GE(back.snapshot_log[2].timestamp_ms, back.snapshot_log[1].timestamp_ms);
  EXPECT_EQ(back.last_updated_ms, back.snapshot_log[2].timestamp_ms);
}

TEST(ApplyUpdates, OldClockIsRefused) {
  TableMetadata m = Apply(NewTable(), AppendTo("main", MakeSnapshot(11, 1, NowMillis())));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [&] { Apply(m, AppendTo("main", MakeSnapshot(12, 2, NowMillis() - 61'000))); }),
              testing::HasSubstr("clock"));
  EXPECT_EQ(Apply(m, AppendTo("main", MakeSnapshot(12, 2, NowMillis() - 30'000))).current_snapshot_id, 12);
}

TEST(ApplyUpdates, IntermediateSnapshotsLeaveNoLogEntry) {
  std::vector<TableUpdate> updates = AppendTo("main", MakeSnapshot(11, 1));
  for (TableUpdate& u : AppendTo("main", MakeSnapshot(12, 2))) updates.push_back(u);
  TableMetadata m = Apply(NewTable(), updates);
  EXPECT_EQ(m.current_snapshot_id, 12);
  EXPECT_EQ(m.snapshots.size(), 2u);
  ASSERT_EQ(m.snapshot_log.size(), 1u);
  EXPECT_EQ(m.snapshot_log[0].snapshot_id, 12);
}

TEST(ApplyUpdates, RemovedSnapshotsTakeRefsAndHistory) {
  TableMetadata m = NewTable();
  for (int64_t id = 1; id <= 4; ++id) m = Apply(m, AppendTo("main", MakeSnapshot(id, id)));
  m = Apply(m, {update::SetSnapshotRef{"old", {.snapshot_id = 2, .type = RefType::kTag}}});
  m.statistics_json = R"([{"snapshot-id":2,"statistics-path":"a"},{"snapshot-id":4,"statistics-path":"b"}])";
  m = Apply(m, {update::RemoveSnapshots{{2}}});
  EXPECT_EQ(m.FindSnapshot(2), nullptr);
  EXPECT_EQ(m.snapshots.size(), 3u);
  EXPECT_FALSE(m.refs.contains("old"));
  ASSERT_EQ(m.snapshot_log.size(), 2u) << "what was before the gap is gone too";
  EXPECT_EQ(m.snapshot_log[0].snapshot_id, 3);
  EXPECT_EQ(m.snapshot_log[1].snapshot_id, 4);
  EXPECT_EQ(m.current_snapshot_id, 4);
  EXPECT_EQ(m.statistics_json, R"([{"snapshot-id":4,"statistics-path":"b"}])");
}

TEST(ApplyUpdates, EqualSchemaIsReused) {
  TableMetadata base = NewTable();
  TableMetadata same = Apply(base, {update::AddSchema{base.schema()}, update::SetCurrentSchema{-1}});
  EXPECT_EQ(same.schemas.size(), 1u);
  EXPECT_EQ(same.current_schema_id, 0);

  std::vector<NestedField> fields = base.schema().fields();
  fields.push_back(NestedField::Optional(3, "note", Type::String()));
  TableMetadata wider = Apply(base, {update::AddSchema{Schema(0, fields)}, update::SetCurrentSchema{-1}});
  ASSERT_EQ(wider.schemas.size(), 2u);
  EXPECT_EQ(wider.current_schema_id, 1);
  EXPECT_EQ(wider.schema().schema_id(), 1);
  EXPECT_EQ(wider.last_column_id, 3);

  TableMetadata back = Apply(wider, {update::AddSchema{base.schema()}, update::SetCurrentSchema{-1}});
  EXPECT_EQ(back.schemas.size(), 2u);
  EXPECT_EQ(back.current_schema_id, 0);
  EXPECT_EQ(back.last_column_id, 3) << "ids are never used again";

  ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(base, {update::SetCurrentSchema{-1}}); });
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(base, {update::SetCurrentSchema{5}}); }),
              testing::HasSubstr("schema 5"));
}

TEST(ApplyUpdates, SpecsReuseFieldIds) {
  TableMetadata base = NewTable();
  TableMetadata m = Apply(base, {update::AddPartitionSpec{ByDay(2)}, update::SetDefaultSpec{-1}});
  ASSERT_EQ(m.partition_specs.size(), 2u);
  EXPECT_EQ(m.default_spec_id, 1);
  EXPECT_EQ(m.spec().fields[0].field_id, 1000);
  EXPECT_EQ(m.last_partition_id, 1000);

  PartitionSpec two = ByDay(2);
  two.fields.insert(two.fields.begin(), {{1}, 0, "id_bucket", {TransformKind::kBucket, 4, ""}});
  m = Apply(m, {update::AddPartitionSpec{two}, update::SetDefaultSpec{-1}});
  EXPECT_EQ(m.default_spec_id, 2);
  EXPECT_EQ(m.spec().fields[0].field_id, 1001) << "new";
  EXPECT_EQ(m.spec().fields[1].field_id, 1000) << "the same field as in spec 1";
  EXPECT_EQ(m.last_partition_id, 1001);

  m = Apply(m, {update::AddPartitionSpec{ByDay(2)}, update::SetDefaultSpec{-1}});
  EXPECT_EQ(m.partition_specs.size(), 3u);
  EXPECT_EQ(m.default_spec_id, 1);

  ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(base, {update::AddPartitionSpec{ByDay(77)}}); });
  ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(base, {update::SetDefaultSpec{9}}); });
  TableMetadata v1 = NewTable({{"format-version", "1"}});
  PartitionSpec gap = ByDay(2);
  gap.fields[0].field_id = 1005;
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(v1, {update::AddPartitionSpec{gap}}); }),
              testing::HasSubstr("1000, 1001"));
}

TEST(ApplyUpdates, SortOrders) {
  TableMetadata base = NewTable();
  SortOrder by_id{0, {{{1}, {TransformKind::kIdentity, 0, ""}}}};
  TableMetadata m = Apply(base, {update::AddSortOrder{by_id}, update::SetDefaultSortOrder{-1}});
  ASSERT_EQ(m.sort_orders.size(), 2u);
  EXPECT_EQ(m.default_sort_order_id, 1);
  m = Apply(m, {update::AddSortOrder{SortOrder{}}, update::SetDefaultSortOrder{-1}});
  EXPECT_EQ(m.sort_orders.size(), 2u);
  EXPECT_EQ(m.default_sort_order_id, 0);
  m = Apply(m, {update::AddSortOrder{by_id}, update::SetDefaultSortOrder{-1}});
  EXPECT_EQ(m.sort_orders.size(), 2u);
  EXPECT_EQ(m.default_sort_order_id, 1);
  SortOrder unknown{0, {{{9}, {TransformKind::kIdentity, 0, ""}}}};
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(base, {update::AddSortOrder{unknown}}); }),
              testing::HasSubstr("column id 9"));
  ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(base, {update::SetDefaultSortOrder{3}}); });
}

TEST(ApplyUpdates, DroppingAPartitionColumnIsRefused) {
  TableMetadata base = NewTableMetadata(TwoColumns(), ByDay(20), {}, "file:///w/t", {});
  Schema without(0, {base.schema().fields()[0]});
  ErrorOf(ErrorKind::kInvalidArgument, [&] {
    Apply(base, {update::AddSchema{without}, update::SetCurrentSchema{-1}});
  });
}

TEST(ApplyUpdates, UuidVersionLocationProperties) {
  TableMetadata base = NewTable({{"a", "1"}, {"b", "2"}});
  EXPECT_EQ(Apply(base, {update::AssignUuid{base.table_uuid}}).table_uuid, base.table_uuid);
  ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(base, {update::AssignUuid{"other"}}); });
  ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(base, {update::UpgradeFormatVersion{1}}); });
  ErrorOf(ErrorKind::kUnsupported, [&] { Apply(base, {update::UpgradeFormatVersion{3}}); });
  EXPECT_EQ(Apply(NewTable({{"format-version", "1"}}), {update::UpgradeFormatVersion{2}}).format_version, 2);
  EXPECT_EQ(Apply(base, {update::SetLocation{"file:///x/"}}).location, "file:///x");
  ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(base, {update::SetLocation{""}}); });

  TableMetadata m = Apply(base, {update::SetProperties{{{"a", "9"}, {"c", "3"}}}, update::RemoveProperties{{"b"}}});
  EXPECT_EQ(m.properties, (OptionMap{{"a", "9"}, {"c", "3"}, {"write.parquet.compression-codec", "zstd"}}));
  EXPECT_GE(m.last_updated_ms, base.last_updated_ms);
  ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(base, {update::SetProperties{{{"uuid", "x"}}}}); });
}

TEST(ApplyUpdates, MetadataLogIsTrimmed) {
  TableMetadata m = NewTable({{"write.metadata.previous-versions-max", "2"}});
  for (int i = 0; i < 4; ++i) {
    std::vector<TableUpdate> updates{update::SetProperties{{{"i", std::to_string(i)}}}};
    m = ApplyUpdates(m, updates, fmt::format("file:///w/t/metadata/{:05d}-x.metadata.json", i));
  }
  ASSERT_EQ(m.metadata_log.size(), 2u);
  EXPECT_EQ(m.metadata_log[0].metadata_file, "file:///w/t/metadata/00002-x.metadata.json");
  EXPECT_EQ(m.metadata_log[1].metadata_file, "file:///w/t/metadata/00003-x.metadata.json");
}

TEST(ApplyUpdates, RowIdsOfVersion3) {
  TableMetadata base = NewTable();
  base.format_version = 3;
  base.next_row_id = 1000;
  Snapshot s = MakeSnapshot(11, 1);
  ErrorOf(ErrorKind::kInvalidArgument, [&] { Apply(base, AppendTo("main", s)); });
  s.first_row_id = 999;
  s.added_rows = 375;
  ErrorOf(ErrorKind::kCommitConflict, [&] { Apply(base, AppendTo("main", s)); });
  s.first_row_id = 1000;
  EXPECT_EQ(Apply(base, AppendTo("main", s)).next_row_id, 1375);
}

// Case SQL-08: nanoseconds are a type of v3 only.
TEST(NewTableMetadata, RefusesTypesOfV3) {
  Schema nanos(
      0, {NestedField::Optional(1, "at", Type::Struct({NestedField::Optional(2, "ns", Type(TypeId::kTimestampNs))}))});
  std::string message =
      test::ErrorOf(ErrorKind::kUnsupported, [&] { NewTableMetadata(nanos, {}, {}, "/warehouse/t", {}); });
  EXPECT_EQ(message,
            "column 'at.ns' has type timestamp_ns, which needs format-version 3; use microseconds, TIMESTAMP(6) or "
            "TIMESTAMP_LTZ(6)");
}

}  // namespace
}  // namespace frazil::iceberg
