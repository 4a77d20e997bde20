// SPDX-License-Identifier: Apache-2.0
#include "frazil/scan/metadata_table.h"

#include <arrow/table.h>

#include "frazil/scan/row_columns.h"
#include "scratch_table.h"
#include "support/rows.h"

namespace frazil::scan {
namespace {

using iceberg::DataFile;
using iceberg::FileContent;
using iceberg::Literal;
using iceberg::ManifestContent;
using iceberg::NestedField;
using iceberg::PartitionSpec;
using iceberg::Schema;
using iceberg::Type;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

Schema OrdersSchema() {
  return {0, {NestedField::Required(1, "id", Type::Long()), NestedField::Optional(2, "region", Type::String())}};
}

PartitionSpec ByRegion() { return {0, {{{2}, 1000, "region", iceberg::ParseTransform("identity")}}}; }

std::shared_ptr<arrow::Table> Show(ScratchTable& table, std::string_view name, std::string_view location = "") {
  auto rows = MetadataTable(name, *table.Freeze(), *table.io(), location);
  EXPECT_TRUE(rows->ValidateFull().ok());
  EXPECT_TRUE(rows->schema()->Equals(*MetadataTableSchema(name, *table.Freeze())));
  for (int i = 0; i < rows->num_columns(); ++i) {
    const bool may_be_null = rows->field(i)->nullable();
    EXPECT_TRUE(may_be_null || rows->column(i)->null_count() == 0) << rows->field(i)->name();
  }
  return rows;
}

/// Only the named columns, in that order.
std::vector<std::string> Lines(const arrow::Table& table, const std::vector<std::string>& columns) {
  std::vector<int> positions;
  for (const auto& name : columns) positions.push_back(table.schema()->GetFieldIndex(name));
  return test::RowLines(*Unwrap(table.SelectColumns(positions), "columns"));
}

std::string SchemaText(std::string_view name, const ScratchTable& table) {
  return MetadataTableSchema(name, *table.Freeze())->ToString();
}

TEST(MetadataTable, KnowsItsNames) {
  EXPECT_THAT(MetadataTableNames(),
              ElementsAre("all_data_files", "all_delete_files", "all_entries", "all_files", "all_manifests",
                          "data_files", "delete_files", "entries", "files", "history", "manifests",
                          "metadata_log_entries", "partitions", "refs", "snapshots"));
  EXPECT_TRUE(IsMetadataTableName("snapshots"));
  EXPECT_FALSE(IsMetadataTableName("SNAPSHOTS"));
  EXPECT_FALSE(IsMetadataTableName("position_deletes"));
  ScratchTable table(OrdersSchema(), {});
  EXPECT_THAT(test::ErrorOf(ErrorKind::kNotFound, [&] { Show(table, "snapshot"); }),
              AllOf(HasSubstr("'snapshot'"), HasSubstr("refs, snapshots")));
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { SchemaText("position_deletes", table); }),
              HasSubstr("position_deletes"));
}

TEST(MetadataTable, AllAreEmptyForATableWithoutSnapshots) {
  for (const PartitionSpec& spec : {PartitionSpec{}, ByRegion()}) {
    ScratchTable table(OrdersSchema(), spec);
    for (const std::string& name : MetadataTableNames()) EXPECT_EQ(Show(table, name)->num_rows(), 0) << name;
  }
}

TEST(MetadataTable, Snapshots) {
  ScratchTable table(OrdersSchema(), {});
  table.Append(R"([[1, "eu"]])");
  table.Append(R"([[2, "eu"]])");
  table.metadata().snapshots[1].summary = {{"added-records", "1"}, {"total-records", "2"}};
  table.metadata().snapshots[0].operation = "";
  EXPECT_EQ(SchemaText("snapshots", table),
            "committed_at: timestamp[us, tz=UTC] not null\n"
            "snapshot_id: int64 not null\n"
            "parent_id: int64\n"
            "operation: string\n"
            "manifest_list: string\n"
            "summary: map<string, string>");
  const auto rows = Show(table, "snapshots");
  EXPECT_THAT(Lines(*rows, {"committed_at", "snapshot_id", "parent_id", "operation"}),
              ElementsAre("1970-01-01 00:00:01.000000Z|1|null|null", "1970-01-01 00:00:02.000000Z|2|1|append"));
  EXPECT_THAT(Lines(*rows, {"manifest_list"}),
              ElementsAre(table.metadata().snapshots[0].manifest_list, table.metadata().snapshots[1].manifest_list));
  const auto& summary = static_cast<const arrow::MapArray&>(*rows->GetColumnByName("summary")->chunk(0));
  EXPECT_TRUE(summary.IsNull(0));
  EXPECT_EQ(summary.keys()->ToString(), "[\n  \"added-records\",\n  \"total-records\"\n]");
  EXPECT_EQ(summary.items()->ToString(), "[\n  \"1\",\n  \"2\"\n]");
}

TEST(MetadataTable, HistoryKnowsWhatWasRolledBack) {
  ScratchTable table(OrdersSchema(), {});
  for (int i = 0; i < 3; ++i) table.Append(R"([[1, "eu"]])");
  iceberg::TableMetadata& metadata = table.metadata();
  // Back to snapshot 1, then snapshot 2 expires.
  metadata.current_snapshot_id = 1;
  metadata.snapshot_log.push_back({4000, 1});
  metadata.snapshots.erase(metadata.snapshots.begin() + 1);
  EXPECT_EQ(SchemaText("history", table),
            "made_current_at: timestamp[us, tz=UTC] not null\n"
            "snapshot_id: int64 not null\n"
            "parent_id: int64\n"
            "is_current_ancestor: bool not null");
  EXPECT_THAT(test::RowLines(*Show(table, "history")),
              ElementsAre("1970-01-01 00:00:01.000000Z|1|null|true", "1970-01-01 00:00:02.000000Z|2|null|false",
                          "1970-01-01 00:00:03.000000Z|3|2|false", "1970-01-01 00:00:04.000000Z|1|null|true"));
}

TEST(MetadataTable, MetadataLogEntries) {
  ScratchTable table(OrdersSchema(), {});
  table.Append(R"([[1, "eu"]])");
  table.Append(R"([[2, "eu"]])");
  table.metadata().metadata_log = {{500, "/m/0.json"}, {1000, "/m/1.json"}};
  EXPECT_EQ(SchemaText("metadata_log_entries", table),
            "timestamp: timestamp[us, tz=UTC] not null\n"
            "file: string not null\n"
            "latest_snapshot_id: int64\n"
            "latest_schema_id: int32\n"
            "latest_sequence_number: int64");
  EXPECT_THAT(
      test::RowLines(*Show(table, "metadata_log_entries", "/m/2.json")),
      ElementsAre("1970-01-01 00:00:00.500000Z|/m/0.json|null|null|null", "1970-01-01 00:00:01.000000Z|/m/1.json|1|0|1",
                  "1970-01-01 00:00:02.000000Z|/m/2.json|2|0|2"));
  EXPECT_EQ(Show(table, "metadata_log_entries")->num_rows(), 2);
}

TEST(MetadataTable, Refs) {
  ScratchTable table(OrdersSchema(), {});
  table.Append(R"([[1, "eu"]])");
  table.metadata().refs["v1"] = {1, iceberg::RefType::kTag, {}, {}, 86400000};
  table.metadata().refs["dev"] = {1, iceberg::RefType::kBranch, 3, 1000, {}};
  EXPECT_EQ(SchemaText("refs", table),
            "name: string not null\n"
            "type: string not null\n"
            "snapshot_id: int64 not null\n"
            "max_reference_age_in_ms: int64\n"
            "min_snapshots_to_keep: int32\n"
            "max_snapshot_age_in_ms: int64");
  EXPECT_THAT(test::RowLines(*Show(table, "refs")),
              ElementsAre("dev|BRANCH|1|null|3|1000", "main|BRANCH|1|null|null|null", "v1|TAG|1|86400000|null|null"));
  table.metadata().refs.clear();  // as in version 1
  EXPECT_THAT(test::RowLines(*Show(table, "refs")), ElementsAre("main|BRANCH|1|null|null|null"));
}

TEST(MetadataTable, Manifests) {
  ScratchTable table(OrdersSchema(), ByRegion());
  table.Append(R"([[1, "de"], [2, "fr"], [3, null]])");
  EXPECT_EQ(SchemaText("manifests", table),
            "content: int32 not null\n"
            "path: string not null\n"
            "length: int64 not null\n"
            "partition_spec_id: int32 not null\n"
            "added_snapshot_id: int64 not null\n"
            "added_data_files_count: int32 not null\n"
            "existing_data_files_count: int32 not null\n"
            "deleted_data_files_count: int32 not null\n"
            "added_delete_files_count: int32 not null\n"
            "existing_delete_files_count: int32 not null\n"
            "deleted_delete_files_count: int32 not null\n"
            "partition_summaries: list<element: struct<contains_null: bool not null, contains_nan: bool, lower_bound: "
            "string, upper_bound: string> not null> not null");
  DataFile deletes;
  deletes.content = FileContent::kEqualityDeletes;
  deletes.file_path = "/x/d.parquet";
  deletes.equality_ids = {1};
  deletes.partition = {Literal(std::string("de"))};
  table.Commit({table.WriteManifest({deletes}, ManifestContent::kDeletes)});
  const auto rows = Show(table, "manifests");
  EXPECT_THAT(Lines(*rows, {"content", "partition_spec_id", "added_snapshot_id", "added_data_files_count",
                            "existing_data_files_count", "deleted_data_files_count", "added_delete_files_count",
                            "existing_delete_files_count", "deleted_delete_files_count"}),
              ElementsAre("0|0|1|3|0|0|0|0|0", "1|0|2|0|0|0|1|0|0"));
  const auto& summaries = static_cast<const arrow::ListArray&>(*rows->GetColumnByName("partition_summaries")->chunk(0));
  const auto& values = static_cast<const arrow::StructArray&>(*summaries.values());
  EXPECT_EQ(values.GetScalar(0).ValueOrDie()->ToString(),
            "{contains_null:bool = true, contains_nan:bool = false, lower_bound:string = de, upper_bound:string = fr}");
  EXPECT_EQ(
      values.GetScalar(1).ValueOrDie()->ToString(),
      "{contains_null:bool = false, contains_nan:bool = false, lower_bound:string = de, upper_bound:string = de}");
}

TEST(MetadataTable, AllManifestsHasARowForEachSnapshot) {
  ScratchTable table(OrdersSchema(), {});
  table.Append(R"([[1, "eu"]])");
  table.Append(R"([[2, "eu"]])");
  const auto rows = Show(table, "all_manifests");
  EXPECT_THAT(Lines(*rows, {"reference_snapshot_id", "added_snapshot_id", "added_data_files_count", "key_metadata"}),
              ElementsAre("1|1|1|null", "2|1|1|null", "2|2|1|null"));
  for (const char* name : {"partition_spec_id", "added_snapshot_id", "added_data_files_count",
                           "existing_data_files_count", "deleted_data_files_count", "partition_summaries"}) {
    EXPECT_TRUE(rows->schema()->GetFieldByName(name)->nullable()) << name;
  }
  EXPECT_FALSE(rows->schema()->GetFieldByName("added_delete_files_count")->nullable());
}

constexpr char kFileColumnsBeforePartition[] =
    "content: int32\n"
    "file_path: string not null\n"
    "file_format: string not null\n"
    "spec_id: int32\n";
constexpr char kFileColumnsAfterPartition[] =
    "record_count: int64 not null\n"
    "file_size_in_bytes: int64 not null\n"
    "column_sizes: map<int32, int64>\n"
    "value_counts: map<int32, int64>\n"
    "null_value_counts: map<int32, int64>\n"
    "nan_value_counts: map<int32, int64>\n"
    "lower_bounds: map<int32, binary>\n"
    "upper_bounds: map<int32, binary>\n"
    "key_metadata: binary\n"
    "split_offsets: list<element: int64 not null>\n"
    "equality_ids: list<element: int32 not null>\n"
    "sort_order_id: int32\n"
    "first_row_id: int64\n"
    "referenced_data_file: string\n"
    "content_offset: int64\n"
    "content_size_in_bytes: int64\n";
constexpr char kReadableMetrics[] =
    "readable_metrics: struct<id: struct<column_size: int64, value_count: int64, null_value_count: int64, "
    "nan_value_count: int64, lower_bound: int64, upper_bound: int64>, region: struct<column_size: int64, value_count: "
    "int64, null_value_count: int64, nan_value_count: int64, lower_bound: string, upper_bound: string>>";

TEST(MetadataTable, FilesHaveJavasColumns) {
  ScratchTable partitioned(OrdersSchema(), ByRegion());
  const std::string expected = std::string(kFileColumnsBeforePartition) +
                               "partition: struct<region: string> not null\n" + kFileColumnsAfterPartition +
                               kReadableMetrics;
  for (const char* name : {"files", "data_files", "delete_files", "all_files", "all_data_files", "all_delete_files"}) {
    EXPECT_EQ(SchemaText(name, partitioned), expected) << name;
  }
  ScratchTable unpartitioned(OrdersSchema(), {});
  EXPECT_EQ(SchemaText("files", unpartitioned),
            std::string(kFileColumnsBeforePartition) + kFileColumnsAfterPartition + kReadableMetrics);
}

TEST(MetadataTable, Files) {
  ScratchTable table(OrdersSchema(), ByRegion());
  table.Append(R"([[1, "eu"], [7, "eu"], [3, null]])");
  const auto rows = Show(table, "files");
  EXPECT_THAT(Lines(*rows, {"content", "file_format", "spec_id", "partition", "record_count", "equality_ids",
                            "sort_order_id", "key_metadata"}),
              testing::UnorderedElementsAre("0|PARQUET|0|{region:string = null}|1|null|0|null",
                                            "0|PARQUET|0|{region:string = eu}|2|null|0|null"));
  const auto files = *rows->CombineChunks();
  const auto regions = static_cast<const arrow::StructArray&>(*files->GetColumnByName("partition")->chunk(0)).field(0);
  const int64_t eu = regions->IsNull(0) ? 1 : 0;
  const auto& metrics = static_cast<const arrow::StructArray&>(*files->GetColumnByName("readable_metrics")->chunk(0));
  EXPECT_THAT(metrics.GetFieldByName("id")->GetScalar(eu).ValueOrDie()->ToString(),
              HasSubstr("value_count:int64 = 2, null_value_count:int64 = 0, nan_value_count:int64 = null, "
                        "lower_bound:int64 = 1, upper_bound:int64 = 7"));
  EXPECT_THAT(metrics.GetFieldByName("region")->GetScalar(1 - eu).ValueOrDie()->ToString(),
              HasSubstr("value_count:int64 = 1, null_value_count:int64 = 1, nan_value_count:int64 = null, "
                        "lower_bound:string = null, upper_bound:string = null"));
  EXPECT_THAT(Lines(*files->Slice(eu, 1), {"split_offsets"}), ElementsAre("list<element: int64 not null>[4]"));
}

TEST(MetadataTable, FilesOfBothKinds) {
  ScratchTable table(OrdersSchema(), {});
  table.Append(R"([[1, "eu"]])");
  DataFile deletes;
  deletes.content = FileContent::kEqualityDeletes;
  deletes.file_path = "/x/d.parquet";
  deletes.record_count = 5;
  deletes.equality_ids = {1, 2};
  table.Commit({table.WriteManifest({deletes}, ManifestContent::kDeletes)});
  table.Replace({table.WriteManifest(table.Write(R"([[9, "us"], [8, "us"]])"))}, iceberg::operation::kOverwrite);
  EXPECT_THAT(Lines(*Show(table, "files"), {"content", "record_count"}), ElementsAre("0|2"));
  EXPECT_THAT(Lines(*Show(table, "delete_files"), {"content"}), IsEmpty());
  EXPECT_THAT(Lines(*Show(table, "all_files"), {"content", "record_count"}), ElementsAre("0|1", "2|5", "0|2"));
  EXPECT_THAT(Lines(*Show(table, "all_data_files"), {"record_count"}), ElementsAre("1", "2"));
  const auto all_deletes = Show(table, "all_delete_files");
  EXPECT_THAT(Lines(*all_deletes, {"file_path", "record_count", "value_counts", "split_offsets"}),
              ElementsAre("/x/d.parquet|5|null|null"));
  EXPECT_THAT(Lines(*all_deletes, {"equality_ids"}), ElementsAre("list<element: int32 not null>[1, 2]"));
}

// Every primitive at any depth, by full name; types without a column layout of their own show bytes.
TEST(MetadataTable, ReadableMetricsOfNestedColumns) {
  const Schema schema(
      0,
      {NestedField::Optional(1, "z", Type::Double()),
       NestedField::Optional(2, "place",
                             Type::Struct({NestedField::Optional(3, "city", Type::String()),
                                           NestedField::Optional(4, "at", Type::Geo(iceberg::TypeId::kGeometry, ""))})),
       NestedField::Optional(5, "tags", Type::List(NestedField::Optional(6, "element", Type::Decimal(9, 2)))),
       NestedField::Optional(7, "props",
                             Type::Map(NestedField::Required(8, "key", Type::Uuid()),
                                       NestedField::Optional(9, "value", Type::TimestampTz())))});
  ScratchTable table(schema, {});
  const auto type = MetadataTableSchema("files", *table.Freeze())->GetFieldByName("readable_metrics")->type();
  std::vector<std::string> bounds;
  for (const auto& field : type->fields()) {
    bounds.push_back(fmt::format("{}: {}", field->name(), field->type()->field(4)->type()->ToString()));
  }
  EXPECT_THAT(bounds, ElementsAre("place.at: binary", "place.city: string", "props.key: fixed_size_binary[16]",
                                  "props.value: timestamp[us, tz=UTC]", "tags.element: decimal128(9, 2)", "z: double"));
}

TEST(MetadataTable, DamagedBoundsAreShownAsBytesOnly) {
  ScratchTable table(OrdersSchema(), {});
  DataFile file;
  file.file_path = "/x/a.parquet";
  file.record_count = 1;
  file.metrics.lower_bounds = {{1, "abc"}};
  file.metrics.upper_bounds = {{1, iceberg::ToBinary(Type::Int(), int32_t{7})}};  // of an int column that became long
  table.Commit({table.WriteManifest({file})});
  const auto rows = Show(table, "files");
  EXPECT_THAT(Lines(*rows, {"readable_metrics"}),
              ElementsAre(HasSubstr("lower_bound:int64 = null, upper_bound:int64 = 7")));
}

TEST(MetadataTable, Entries) {
  ScratchTable table(OrdersSchema(), {});
  const auto first = table.Write(R"([[1, "a"]])");
  const auto second = table.Write(R"([[2, "b"], [3, "c"]])");
  table.Commit({table.WriteManifest({first[0], second[0]})});
  const std::string data_file = std::string(kFileColumnsBeforePartition) + kFileColumnsAfterPartition;
  const auto schema = MetadataTableSchema("entries", *table.Freeze());
  EXPECT_THAT(schema->field_names(), ElementsAre("status", "snapshot_id", "sequence_number", "file_sequence_number",
                                                 "data_file", "readable_metrics"));
  EXPECT_FALSE(schema->field(0)->nullable());
  EXPECT_FALSE(schema->field(4)->nullable());
  EXPECT_EQ(arrow::schema(schema->field(4)->type()->fields())->ToString() + "\n", data_file);
  table.Replace({table.WriteManifest({{iceberg::EntryStatus::kDeleted, 2, 1, 1, first[0]},
                                      {iceberg::EntryStatus::kExisting, 1, 1, 1, second[0]}})},
                iceberg::operation::kDelete);
  const auto rows = Show(table, "entries");
  EXPECT_THAT(Lines(*rows, {"status", "snapshot_id", "sequence_number", "file_sequence_number"}),
              ElementsAre("2|2|1|1", "0|1|1|1"));
  EXPECT_THAT(Lines(*rows, {"data_file"}),
              ElementsAre(HasSubstr("record_count:int64 = 1"), HasSubstr("record_count:int64 = 2")));
  EXPECT_THAT(Lines(*Show(table, "files"), {"record_count"}), ElementsAre("2"));
  EXPECT_THAT(Lines(*Show(table, "all_entries"), {"status", "snapshot_id"}), ElementsAre("1|1", "1|1", "2|2", "0|1"));
}

TEST(MetadataTable, PartitionsAddUpTheirFiles) {
  ScratchTable table(OrdersSchema(), ByRegion());
  table.Append(R"([[1, "eu"], [2, "eu"], [3, null]])");
  table.Append(R"([[4, "eu"]])");
  auto deletes = [](FileContent content, int64_t records) {
    DataFile file;
    file.content = content;
    file.file_path = fmt::format("/x/d{}.parquet", records);
    file.record_count = records;
    file.partition = {Literal(std::string("eu"))};
    if (content == FileContent::kEqualityDeletes) file.equality_ids = {1};
    return file;
  };
  table.Commit(
      {table.WriteManifest({deletes(FileContent::kPositionDeletes, 2), deletes(FileContent::kPositionDeletes, 3),
                            deletes(FileContent::kEqualityDeletes, 7)},
                           ManifestContent::kDeletes)});
  EXPECT_EQ(SchemaText("partitions", table),
            "partition: struct<region: string> not null\n"
            "spec_id: int32 not null\n"
            "record_count: int64 not null\n"
            "file_count: int32 not null\n"
            "total_data_file_size_in_bytes: int64 not null\n"
            "position_delete_record_count: int64 not null\n"
            "position_delete_file_count: int32 not null\n"
            "equality_delete_record_count: int64 not null\n"
            "equality_delete_file_count: int32 not null\n"
            "last_updated_at: timestamp[us, tz=UTC]\n"
            "last_updated_snapshot_id: int64");
  const auto rows = Show(table, "partitions");
  EXPECT_THAT(Lines(*rows, {"partition", "spec_id", "record_count", "file_count", "position_delete_record_count",
                            "position_delete_file_count", "equality_delete_record_count", "equality_delete_file_count",
                            "last_updated_at", "last_updated_snapshot_id"}),
              ElementsAre("{region:string = null}|0|1|1|0|0|0|0|1970-01-01 00:00:01.000000Z|1",
                          "{region:string = eu}|0|3|2|5|2|7|1|1970-01-01 00:00:03.000000Z|3"));
  int64_t bytes = 0;
  const auto files = Show(table, "data_files");
  for (const auto& line : Lines(*files, {"file_size_in_bytes"})) bytes += std::stoll(line);
  int64_t summed = 0;
  for (const auto& line : Lines(*rows, {"total_data_file_size_in_bytes"})) summed += std::stoll(line);
  EXPECT_EQ(summed, bytes);
}

TEST(MetadataTable, PartitionsOfAnUnpartitionedTableAreOneRow) {
  ScratchTable table(OrdersSchema(), {});
  table.Append(R"([[1, "eu"], [2, "eu"]])");
  const auto rows = Show(table, "partitions");
  EXPECT_THAT(rows->schema()->field_names(), Not(Contains("partition")));
  EXPECT_THAT(rows->schema()->field_names(), Not(Contains("spec_id")));
  EXPECT_THAT(Lines(*rows, {"record_count", "file_count"}), ElementsAre("2|1"));
}

// The union of all specs, by field id: the newest name, the type of the transform that isn't void.
TEST(MetadataTable, PartitionsOverSeveralSpecs) {
  ScratchTable table(
      {0, {NestedField::Required(1, "id", Type::Long()), NestedField::Optional(2, "ts", Type::Timestamp())}},
      {0, {{{2}, 1000, "ts_day", iceberg::ParseTransform("day")}}});
  table.Append(R"([[1, "1970-01-03T00:00:00"]])");
  iceberg::TableMetadata& metadata = table.metadata();
  metadata.partition_specs.push_back({1,
                                      {{{2}, 1000, "ts_old", iceberg::ParseTransform("void")},
                                       {{1}, 1001, "id_bucket", iceberg::ParseTransform("bucket[4]")}}});
  metadata.default_spec_id = 1;
  table.Commit({table.WriteManifest(table.Write(R"([[34, "1970-01-03T00:00:00"]])"), ManifestContent::kData, 1)});
  const auto rows = Show(table, "partitions");
  EXPECT_EQ(rows->schema()->field(0)->type()->ToString(), "struct<ts_old: date32[day], id_bucket: int32>");
  EXPECT_THAT(Lines(*rows, {"partition", "spec_id"}),
              ElementsAre("{ts_old:date32[day] = null, id_bucket:int32 = 3}|1",
                          "{ts_old:date32[day] = 1970-01-03, id_bucket:int32 = null}|0"));
}

}  // namespace
}  // namespace frazil::scan
