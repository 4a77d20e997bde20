// SPDX-License-Identifier: Apache-2.0
#include "frazil/scan/table_scan.h"

#include <arrow/builder.h>

#include "frazil/base/arrow_status.h"
#include "frazil/datafile/data_file_writer.h"
#include "frazil/iceberg/arrow_schema.h"
#include "scratch_table.h"
#include "support/rows.h"

namespace frazil::scan {
namespace {

using iceberg::DataFile;
using iceberg::Expression;
using iceberg::Literal;
using iceberg::NestedField;
using iceberg::PartitionSpec;
using iceberg::Schema;
using iceberg::Type;
using Op = Expression::Op;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Schema OrdersSchema() {
  return {0, {NestedField::Required(1, "id", Type::Long()), NestedField::Optional(2, "region", Type::String())}};
}

PartitionSpec ByRegion() { return {0, {{{2}, 1000, "region", iceberg::ParseTransform("identity")}}}; }

Expression Where(Op op, std::string column, std::vector<Literal> values = {}) {
  return {op, {}, std::move(column), std::move(values)};
}
Literal Text(std::string text) { return text; }

std::vector<std::string> Read(const ScratchTable& table, const ScanOptions& options, int parallelism = 1,
                              std::optional<int64_t> limit = std::nullopt) {
  auto reader = ReadScan(PlanScan(table.Freeze(), *table.io(), options), table.io(), parallelism, limit);
  return test::RowLines(*reader);
}

std::vector<std::string> Read(const ScratchTable& table) { return Read(table, {}); }

ScanOptions Columns(std::vector<std::string> columns) {
  ScanOptions options;
  options.columns = std::move(columns);
  return options;
}

ScanOptions Filter(Expression filter) {
  ScanOptions options;
  options.filter = std::move(filter);
  return options;
}

ScanOptions AtSnapshot(int64_t id) {
  ScanOptions options;
  options.snapshot_id = id;
  return options;
}

ScanOptions AsOf(int64_t millis) {
  ScanOptions options;
  options.as_of_ms = millis;
  return options;
}

ScanOptions AtRef(std::string ref) {
  ScanOptions options;
  options.ref = std::move(ref);
  return options;
}

std::string PlanError(ErrorKind kind, const ScratchTable& table, const ScanOptions& options) {
  return test::ErrorOf(kind, [&] { PlanScan(table.Freeze(), *table.io(), options); });
}

TEST(TableScan, AnEmptyTableHasNoRows) {
  ScratchTable table(OrdersSchema(), {});
  const ScanPlan plan = PlanScan(table.Freeze(), *table.io(), {});
  EXPECT_EQ(plan.snapshot_id, std::nullopt);
  EXPECT_THAT(plan.tasks, IsEmpty());
  auto reader = ReadScan(plan, table.io());
  EXPECT_EQ(reader->schema()->ToString(), "id: int64 not null\nregion: string");
  EXPECT_THAT(test::RowLines(*reader), IsEmpty());
}

TEST(TableScan, ReadsAllFilesInPlanOrder) {
  ScratchTable table(OrdersSchema(), ByRegion());
  table.Append(R"([[1, "eu"], [2, "us"], [3, "eu"]])");
  table.Append(R"([[4, null]])");
  const ScanPlan plan = PlanScan(table.Freeze(), *table.io(), {});
  EXPECT_EQ(plan.snapshot_id, 2);
  ASSERT_EQ(plan.tasks.size(), 3);
  EXPECT_EQ(plan.tasks[0].sequence_number, 1);
  EXPECT_EQ(plan.tasks[2].sequence_number, 2);
  EXPECT_EQ(plan.tasks[2].file.record_count, 1);
  EXPECT_THAT(plan.tasks[0].file.metrics.value_counts, IsEmpty());
  EXPECT_THAT(Read(table), ElementsAre("1|eu", "3|eu", "2|us", "4|null"));
}

TEST(TableScan, KeepsMetricsWhereAsked) {
  ScratchTable table(OrdersSchema(), {});
  table.Append(R"([[1, "eu"], [2, null]])");
  ScanOptions options;
  options.include_column_stats = true;
  const ScanPlan plan = PlanScan(table.Freeze(), *table.io(), options);
  ASSERT_EQ(plan.tasks.size(), 1);
  EXPECT_EQ(plan.tasks[0].file.metrics.null_value_counts.at(2), 1);
}

TEST(TableScan, ProjectsColumns) {
  ScratchTable table(OrdersSchema(), {});
  table.Append(R"([[1, "eu"], [2, "us"]])");
  EXPECT_THAT(Read(table, Columns({"region", "id"})), ElementsAre("eu|1", "us|2"));
  EXPECT_THAT(Read(table, Columns({"region"})), ElementsAre("eu", "us"));
  EXPECT_THAT(PlanError(ErrorKind::kNotFound, table, Columns({"Region"})),
              AllOf(HasSubstr("'Region'"), HasSubstr("'id', 'region'")));
  EXPECT_THAT(PlanError(ErrorKind::kInvalidArgument, table, Columns({"id", "id"})), HasSubstr("'id'"));
  ScanOptions any_case = Columns({"REGION"});
  any_case.case_sensitive = false;
  EXPECT_THAT(Read(table, any_case), ElementsAre("eu", "us"));
}

TEST(TableScan, ReadsWithThreadsInTheSameOrder) {
  ScratchTable table(OrdersSchema(), {});
  std::vector<std::string> expected;
  for (int file = 0; file < 25; ++file) {
    std::string json = "[";
    for (int row = 0; row < 10; ++row) {
      json += fmt::format("{}[{}, \"r{}\"]", row > 0 ? "," : "", file * 10 + row, file);
      expected.push_back(fmt::format("{}|r{}", file * 10 + row, file));
    }
    table.Append(json + "]");
  }
  for (int parallelism : {1, 2, 3, 16, 100}) EXPECT_EQ(Read(table, {}, parallelism), expected) << parallelism;
  const std::vector<std::string> first(expected.begin(), expected.begin() + 13);
  for (int parallelism : {1, 4}) EXPECT_EQ(Read(table, {}, parallelism, 13), first) << parallelism;
  EXPECT_THAT(Read(table, {}, 4, 0), IsEmpty());
}

// A file of several row groups is read by several threads.
TEST(TableScan, ThreadsShareALargeFile) {
  ScratchTable table(OrdersSchema(), {}, {{"write.parquet.row-group-size-bytes", "20000"}});
  std::string json = "[";
  constexpr int64_t kRows = 30000;
  std::vector<std::string> expected;
  for (int64_t row = 0; row < kRows; ++row) {
    json += fmt::format("{}[{}, \"region {}\"]", row > 0 ? "," : "", row * 7919, row * 104729 % 1000003);
    expected.push_back(fmt::format("{}|region {}", row * 7919, row * 104729 % 1000003));
  }
  table.Append(json + "]");
  const ScanPlan plan = PlanScan(table.Freeze(), *table.io(), {});
  ASSERT_EQ(plan.tasks.size(), 1);
  ASSERT_GE(plan.tasks[0].file.split_offsets.size(), 3);
  EXPECT_EQ(Read(table, {}, 4), expected);
  EXPECT_EQ(Read(table, {}, 1), expected);
}

TEST(TableScan, AReaderMayBeDroppedAtAnyTime) {
  ScratchTable table(OrdersSchema(), {});
  for (int file = 0; file < 20; ++file) table.Append(fmt::format("[[{}, null]]", file));
  for (int batches : {0, 1, 5}) {
    auto reader = ReadScan(PlanScan(table.Freeze(), *table.io(), {}), table.io(), 4);
    std::shared_ptr<arrow::RecordBatch> batch;
    for (int i = 0; i < batches; ++i) ASSERT_TRUE(reader->ReadNext(&batch).ok());
  }
  auto reader = ReadScan(PlanScan(table.Freeze(), *table.io(), {}), table.io(), 4);
  ASSERT_TRUE(reader->Close().ok());
  std::shared_ptr<arrow::RecordBatch> batch;
  ASSERT_TRUE(reader->ReadNext(&batch).ok());
  EXPECT_EQ(batch, nullptr);
}

TEST(TableScan, ErrorsOfReadingKeepTheirKind) {
  ScratchTable table(OrdersSchema(), {});
  table.Append(R"([[1, "eu"]])");
  table.Append(R"([[2, "eu"]])");
  const ScanPlan plan = PlanScan(table.Freeze(), *table.io(), {});
  table.io()->Delete(plan.tasks[1].file.file_path);
  for (int parallelism : {1, 2}) {
    auto reader = ReadScan(plan, table.io(), parallelism);
    std::shared_ptr<arrow::RecordBatch> batch;
    ASSERT_TRUE(reader->ReadNext(&batch).ok());
    EXPECT_THAT(test::RowLines(*batch), ElementsAre("1|eu"));
    const std::string message = test::ErrorOf(ErrorKind::kNotFound, [&] { Check(reader->ReadNext(&batch), "scan"); });
    EXPECT_THAT(message, HasSubstr(plan.tasks[1].file.file_path));
  }
}

TEST(TableScan, PrunesManifestsAndFiles) {
  ScratchTable table(OrdersSchema(), ByRegion());
  table.Append(R"([[1, "de"], [2, "fr"]])");
  table.Append(R"([[3, "us"], [4, "mx"], [5, "us"]])");
  table.Append(R"([[6, null]])");
  auto plan = [&](Expression filter) { return PlanScan(table.Freeze(), *table.io(), Filter(std::move(filter))); };
  ScanPlan fr = plan(Where(Op::kEq, "region", {Text("fr")}));
  EXPECT_EQ(fr.tasks.size(), 1);
  EXPECT_EQ(fr.skipped_manifests, 2);
  EXPECT_EQ(fr.skipped_files, 1);
  EXPECT_THAT(test::RowLines(*ReadScan(std::move(fr), table.io())), ElementsAre("2|fr"));
  const ScanPlan nulls = plan(Where(Op::kIsNull, "region"));
  EXPECT_EQ(nulls.tasks.size(), 1);
  EXPECT_EQ(nulls.skipped_manifests, 2);
  const ScanPlan by_bounds = plan(Where(Op::kGtEq, "id", {int64_t{4}}));
  EXPECT_EQ(by_bounds.tasks.size(), 3);
  EXPECT_EQ(by_bounds.skipped_manifests, 0);
  EXPECT_EQ(by_bounds.skipped_files, 2);
  EXPECT_THAT(PlanError(ErrorKind::kNotFound, table, Filter(Where(Op::kIsNull, "nation"))), HasSubstr("'nation'"));
  ScratchTable empty(OrdersSchema(), {});
  PlanError(ErrorKind::kNotFound, empty, Filter(Where(Op::kIsNull, "nation")));
}

TEST(TableScan, PlansNoMoreThanTheLimitNeeds) {
  ScratchTable table(OrdersSchema(), {});
  for (int file = 0; file < 4; ++file)
    table.Append(fmt::format("[[{}, \"eu\"], [{}, \"us\"]]", 2 * file, 2 * file + 1));
  ScanOptions options;
  options.limit = 3;
  EXPECT_EQ(PlanScan(table.Freeze(), *table.io(), options).tasks.size(), 2);
  options.limit = 0;
  EXPECT_EQ(PlanScan(table.Freeze(), *table.io(), options).tasks.size(), 0);
  // The filter may drop rows of what was planned.
  options.limit = 3;
  options.filter = Where(Op::kEq, "region", {Text("us")});
  EXPECT_EQ(PlanScan(table.Freeze(), *table.io(), options).tasks.size(), 4);
}

TEST(TableScan, SelectsASnapshot) {
  ScratchTable table(OrdersSchema(), {});
  table.Append(R"([[1, "a"]])");
  table.Append(R"([[2, "b"]])");
  table.Append(R"([[3, "c"]])");
  table.metadata().refs["v1"] = {2, iceberg::RefType::kTag, {}, {}, {}};
  table.metadata().refs["dev"] = {1, iceberg::RefType::kBranch, {}, {}, {}};
  EXPECT_THAT(Read(table, AtSnapshot(1)), ElementsAre("1|a"));
  EXPECT_THAT(Read(table, AtRef("v1")), ElementsAre("1|a", "2|b"));
  EXPECT_THAT(Read(table, AtRef("dev")), ElementsAre("1|a"));
  EXPECT_THAT(Read(table, AtRef("main")), ElementsAre("1|a", "2|b", "3|c"));
  EXPECT_THAT(Read(table, AsOf(1000)), ElementsAre("1|a"));
  EXPECT_THAT(Read(table, AsOf(2999)), ElementsAre("1|a", "2|b"));
  EXPECT_THAT(Read(table, AsOf(99999)), ElementsAre("1|a", "2|b", "3|c"));

  EXPECT_THAT(PlanError(ErrorKind::kNotFound, table, AtSnapshot(9)),
              AllOf(HasSubstr("snapshot 9"), HasSubstr("1, 2, 3")));
  EXPECT_THAT(PlanError(ErrorKind::kNotFound, table, AtRef("prod")),
              AllOf(HasSubstr("'prod'"), HasSubstr("'dev', 'main', 'v1'")));
  EXPECT_THAT(PlanError(ErrorKind::kNotFound, table, AsOf(999)), HasSubstr("starts at 1970-01-01T00:00:01Z"));
  ScanOptions both = AtSnapshot(1);
  both.as_of_ms = 1000;
  PlanError(ErrorKind::kInvalidArgument, table, both);
  ScanOptions tag_and_time = AsOf(1000);
  tag_and_time.ref = "v1";
  PlanError(ErrorKind::kInvalidArgument, table, tag_and_time);
}

TEST(TableScan, ListsTheLastOfManySnapshots) {
  ScratchTable table(OrdersSchema(), {});
  for (int i = 0; i < 30; ++i) table.Commit({});
  const std::string message = PlanError(ErrorKind::kNotFound, table, AtSnapshot(99));
  EXPECT_THAT(message, AllOf(HasSubstr("30 in all"), HasSubstr("21, 22"), HasSubstr("30")));
  EXPECT_THAT(message, Not(HasSubstr(" 20,")));
}

// A branch has the table's schema, everything else that of its snapshot.
TEST(TableScan, TimeTravelReadsTheSchemaOfItsTime) {
  ScratchTable table(
      {0, {NestedField::Optional(1, "id", Type::Int()), NestedField::Optional(2, "part", Type::String())}},
      {0, {{{2}, 1000, "part", iceberg::ParseTransform("identity")}}});
  table.Append(R"([[1, "one"], [2, "two"]])");
  iceberg::TableMetadata& metadata = table.metadata();
  metadata.schemas.push_back(
      {1,
       {NestedField::Optional(1, "id", Type::Long()), NestedField::Optional(2, "part", Type::String()),
        NestedField::Optional(3, "h", Type::Int())}});
  metadata.current_schema_id = 1;
  metadata.partition_specs.push_back({1,
                                      {{{2}, 1000, "part", iceberg::ParseTransform("identity")},
                                       {{3}, 1001, "h", iceberg::ParseTransform("identity")}}});
  metadata.default_spec_id = 1;
  table.Commit({table.WriteManifest(table.Write(R"([[3, "three", 9]])"), iceberg::ManifestContent::kData, 1)});
  metadata.refs["v1"] = {1, iceberg::RefType::kTag, {}, {}, {}};
  metadata.refs["old"] = {1, iceberg::RefType::kBranch, {}, {}, {}};

  EXPECT_THAT(Read(table), ElementsAre("1|one|null", "2|two|null", "3|three|9"));
  for (const ScanOptions& then : {AtSnapshot(1), AsOf(1500), AtRef("v1")}) {
    EXPECT_THAT(Read(table, then), ElementsAre("1|one", "2|two"));
    ScanOptions filtered = then;
    filtered.filter = Where(Op::kEq, "part", {Text("one")});
    EXPECT_THAT(Read(table, filtered), ElementsAre("1|one"));
    filtered.filter = Where(Op::kIsNull, "h");
    EXPECT_THAT(PlanError(ErrorKind::kNotFound, table, filtered), HasSubstr("'h'"));
  }
  EXPECT_THAT(Read(table, AtRef("old")), ElementsAre("1|one|null", "2|two|null"));
  // Files of the old spec say nothing of the new field; their rows may be null.
  ScanOptions nulls = Filter(Where(Op::kIsNull, "h"));
  EXPECT_THAT(Read(table, nulls), ElementsAre("1|one|null", "2|two|null"));
}

/// A data file with fewer columns than the table, as migrated tables have them.
DataFile WriteWithout(ScratchTable& table, const Schema& file_schema, std::string_view json, std::string name) {
  auto writer = datafile::OpenParquetWriter(table.io()->Create(table.metadata().location + "/data/" + name),
                                            file_schema, datafile::ResolveParquetWriteOptions(file_schema, {}));
  writer->Write(*test::RowsFromJson(ToArrowSchema(file_schema), json));
  return writer->Close();
}

TEST(TableScan, IdentityPartitionsFillColumnsThatFilesLack) {
  const Schema schema(0, {NestedField::Required(1, "id", Type::Long()), NestedField::Optional(2, "k", Type::Int()),
                          NestedField::Optional(3, "region", Type::String())});
  const Schema in_file(0, {NestedField::Required(1, "id", Type::Long())});
  ScratchTable table(schema, {0,
                              {{{2}, 1000, "k", iceberg::ParseTransform("identity")},
                               {{3}, 1001, "region_trunc", iceberg::ParseTransform("truncate[2]")}}});
  DataFile zero = WriteWithout(table, in_file, "[[1], [2]]", "a.parquet");
  zero.partition = {int32_t{0}, Text("eu")};
  DataFile one = WriteWithout(table, in_file, "[[3]]", "b.parquet");
  one.partition = {int32_t{1}, Text("us")};
  DataFile none = WriteWithout(table, in_file, "[[4]]", "c.parquet");
  none.partition = {Literal(), Literal()};
  table.Commit({table.WriteManifest({zero, one, none})});
  // truncate[2] is no identity: its value must not become the column's.
  EXPECT_THAT(Read(table), ElementsAre("1|0|null", "2|0|null", "3|1|null", "4|null|null"));
  EXPECT_THAT(Read(table, Columns({"k"})), ElementsAre("0", "0", "1", "null"));
  EXPECT_THAT(Read(table, Filter(Where(Op::kEq, "k", {int32_t{0}}))), ElementsAre("1|0|null", "2|0|null"));
}

TEST(TableScan, RefusesDeleteFilesThatMayMatter) {
  ScratchTable table(OrdersSchema(), ByRegion());
  table.Append(R"([[1, "eu"], [2, "us"]])");
  DataFile deletes;
  deletes.content = iceberg::FileContent::kPositionDeletes;
  deletes.file_path = table.metadata().location + "/data/deletes.parquet";
  deletes.record_count = 1;
  deletes.file_size_in_bytes = 100;
  deletes.partition = {Text("eu")};
  table.Commit({table.WriteManifest({deletes}, iceberg::ManifestContent::kDeletes)});
  EXPECT_THAT(PlanError(ErrorKind::kUnsupported, table, {}),
              AllOf(HasSubstr("delete files"), HasSubstr(table.metadata().location), HasSubstr("compact")));
  EXPECT_THAT(Read(table, AtSnapshot(1)), ElementsAre("1|eu", "2|us"));
  // Those of a partition that the filter rules out don't matter.
  EXPECT_THAT(Read(table, Filter(Where(Op::kEq, "region", {Text("us")}))), ElementsAre("2|us"));
}

TEST(TableScan, RefusesOtherFormatsAndEncryptedFiles) {
  DataFile file;
  file.record_count = 1;
  file.file_size_in_bytes = 100;
  for (const char* format : {"orc", "avro"}) {
    ScratchTable table(OrdersSchema(), {});
    file.file_format = format;
    file.file_path = fmt::format("/x/a.{}", format);
    table.Commit({table.WriteManifest({file})});
    EXPECT_THAT(PlanError(ErrorKind::kUnsupported, table, {}), AllOf(HasSubstr(format), HasSubstr(file.file_path)));
  }
  ScratchTable table(OrdersSchema(), {});
  file.file_format = "parquet";
  file.key_metadata = "key";
  table.Commit({table.WriteManifest({file})});
  EXPECT_THAT(PlanError(ErrorKind::kUnsupported, table, {}), HasSubstr("encrypted"));
}

TEST(TableScan, LeavesDeletedEntriesAndEmptyManifestsOut) {
  ScratchTable table(OrdersSchema(), {});
  const auto first = table.Write(R"([[1, "a"]])");
  const auto second = table.Write(R"([[2, "b"]])");
  table.Commit({table.WriteManifest({first[0], second[0]})});
  iceberg::ManifestEntry removed{iceberg::EntryStatus::kDeleted, 2, 1, 1, first[0]};
  iceberg::ManifestEntry kept{iceberg::EntryStatus::kExisting, 1, 1, 1, second[0]};
  table.Replace({table.WriteManifest({removed, kept})}, iceberg::operation::kDelete);
  EXPECT_THAT(Read(table), ElementsAre("2|b"));
  const ScanPlan plan = PlanScan(table.Freeze(), *table.io(), {});
  ASSERT_EQ(plan.tasks.size(), 1);
  EXPECT_EQ(plan.tasks[0].sequence_number, 1);
  iceberg::ManifestEntry gone{iceberg::EntryStatus::kDeleted, 3, 1, 1, second[0]};
  const auto manifest = table.WriteManifest(std::vector{gone});
  table.Replace({manifest}, iceberg::operation::kDelete);
  table.io()->Delete(manifest.manifest_path);  // not needed to know that nothing is live in it
  EXPECT_THAT(Read(table), IsEmpty());
}

}  // namespace
}  // namespace frazil::scan
