// SPDX-License-Identifier: Apache-2.0
// The Iceberg sink against a real catalog and real files: what each sequence of checkpoints, crashes and rewinds leaves
// in the table.
#include "frazil/connector/iceberg/iceberg_sink.h"

#include <arrow/builder.h>
#include <arrow/record_batch.h>

#include "frazil/catalog/catalog.h"
#include "frazil/connector/iceberg/committable.h"
#include "frazil/connector/iceberg/committed_checkpoint.h"
#include "frazil/iceberg/arrow_schema.h"
#include "frazil/table/append_files.h"
#include "frazil/table/properties_update.h"
#include "support/support.h"

namespace frazil::connector::iceberg {
namespace {

using frazil::iceberg::NestedField;
using frazil::iceberg::Type;
using stream::CommitRequest;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kJob[] = "00000000000000000000000000000001";
constexpr char kOtherJob[] = "00000000000000000000000000000002";

class IcebergSinkTest : public ::testing::Test {
 protected:
  IcebergSinkTest() {
    catalog_ = catalog::MakeCatalog("lake", {{"catalog-type", "jdbc"},
                                             {"uri", "jdbc:sqlite:" + (scratch_ / "catalog.db")},
                                             {"warehouse", scratch_ / "warehouse"}});
    catalog_->CreateNamespace({"db"}, {});
    catalog::TableCreation creation;
    creation.schema = frazil::iceberg::Schema(0, {NestedField::Optional(1, "id", Type::Long())});
    catalog_->CreateTable(id_, creation);
  }

  table::Table Load() { return table::Table::Load(catalog_, id_); }

  std::unique_ptr<stream::Sink> Sink(const OptionMap& options = {}) {
    table::Table table = Load();
    IcebergSinkOptions resolved = ResolveIcebergSinkOptions(options, table.metadata(), table.name());
    return MakeIcebergSink(std::move(table), std::move(resolved));
  }

  stream::TaskInfo Task(const std::string& job = kJob) {
    stream::TaskInfo task;
    task.job_name = "pipeline";
    task.job_id = job;
    task.operator_uid = "sink";
    task.metric_scope = "pipeline.sink.0";
    return task;
  }

  std::unique_ptr<stream::Committer> Committer(stream::Sink& sink, std::optional<int64_t> restored = {},
                                               const std::string& job = kJob) {
    return sink.CreateCommitter({Task(job), restored, metrics_});
  }

  /// One writer's committable with rows first … last.
  std::string Write(stream::Sink& sink, int64_t first, int64_t last) {
    std::unique_ptr<stream::SinkWriter> writer = sink.CreateWriter({Task(), {}, metrics_, no_state_});
    arrow::Int64Builder builder;
    for (int64_t i = first; i <= last; ++i) EXPECT_TRUE(builder.Append(i).ok());
    auto schema = frazil::iceberg::ToArrowSchema(Load().metadata().schema());
    writer->Write({arrow::RecordBatch::Make(schema, last - first + 1, {builder.Finish().ValueOrDie()}), nullptr});
    std::vector<std::string> committables = writer->PrepareCommit(1, false);
    EXPECT_EQ(committables.size(), 1u);
    return committables[0];
  }

  CommitRequest Request(int64_t checkpoint, std::string committable, bool recovered = false,
                        const std::string& job = kJob) {
    return {job, "sink", checkpoint, std::move(committable), recovered};
  }

  std::vector<std::string> TotalRecords() {
    std::vector<std::string> totals;
    table::Table table = Load();
    for (const auto& snapshot : table.metadata().snapshots) totals.push_back(snapshot.summary.at("total-records"));
    return totals;
  }

  test::ScratchDir scratch_;
  std::shared_ptr<catalog::Catalog> catalog_;
  catalog::TableIdentifier id_{{"db"}, "t"};
  MetricRegistry metrics_;
  stream::OperatorState no_state_;
};

TEST_F(IcebergSinkTest, OneSnapshotForEachCheckpointWithFlinksKeys) {
  auto sink = Sink({{"snapshot-property.team", "ice"}});
  auto committer = Committer(*sink);
  std::string joined = committer->PreCommit(1, {Write(*sink, 1, 3), Write(*sink, 4, 5)});
  committer->Commit(std::vector{Request(1, joined)});
  committer->Commit(std::vector{Request(2, Write(*sink, 6, 6))});

  table::Table table = Load();
  ASSERT_EQ(table.metadata().snapshots.size(), 2u);
  const auto& summary = table.metadata().snapshots[0].summary;
  EXPECT_EQ(table.metadata().snapshots[0].operation, "append");
  EXPECT_EQ(summary.at("flink.job-id"), kJob);
  EXPECT_EQ(summary.at("flink.operator-id"), "sink");
  EXPECT_EQ(summary.at("flink.max-committed-checkpoint-id"), "1");
  EXPECT_EQ(summary.at("engine-name"), "frazil");
  EXPECT_EQ(summary.at("team"), "ice");
  EXPECT_EQ(summary.at("added-data-files"), "2");
  EXPECT_EQ(summary.at("added-records"), "5");
  EXPECT_EQ(table.metadata().snapshots[1].summary.at("total-records"), "6");
  EXPECT_EQ(table.metadata().properties.at("frazil.stream.pipeline.sink"), std::string(kJob) + ":2");
  EXPECT_EQ(metrics_.SumCounters("committedDataFilesCount"), 3);
  EXPECT_EQ(metrics_.SumCounters("committedDataFilesRecordCount"), 6);
  EXPECT_EQ(metrics_.SumCounters("committedSnapshotsCount"), 2);
}

TEST_F(IcebergSinkTest, RecoveredRequestsThatLandedAreDropped) {
  auto sink = Sink();
  std::string first = Write(*sink, 1, 3);
  std::string second = Write(*sink, 4, 5);
  Committer(*sink)->Commit(std::vector{Request(1, first)});
  // The process died after the swap, before the acknowledgement; then with one more checkpoint pending.
  Committer(*sink, 1)->Commit(std::vector{Request(1, first, true)});
  EXPECT_THAT(TotalRecords(), ElementsAre("3"));
  Committer(*sink, 2)->Commit(std::vector{Request(1, first, true), Request(2, second, true)});
  EXPECT_THAT(TotalRecords(), ElementsAre("3", "5"));
}

TEST_F(IcebergSinkTest, PendingCheckpointsBecomeOneSnapshot) {
  auto sink = Sink();
  Committer(*sink)->Commit(std::vector{Request(1, Write(*sink, 1, 3)), Request(2, ""), Request(3, Write(*sink, 4, 5))});
  EXPECT_THAT(TotalRecords(), ElementsAre("5"));
  EXPECT_EQ(Load().metadata().snapshots[0].summary.at("flink.max-committed-checkpoint-id"), "3");
}

// REC-02: the state of the old job is committed once, whatever the new job is called.
TEST_F(IcebergSinkTest, ANewJobIdDoesNotCommitTwice) {
  auto sink = Sink();
  std::string first = Write(*sink, 1, 3);
  Committer(*sink)->Commit(std::vector{Request(1, first)});
  auto committer = Committer(*sink, 1, kOtherJob);
  committer->Commit(std::vector{Request(1, first, true), Request(2, Write(*sink, 4, 4), false, kOtherJob)});
  EXPECT_THAT(TotalRecords(), ElementsAre("3", "4"));
  EXPECT_EQ(Load().metadata().properties.at("frazil.stream.pipeline.sink"), std::string(kOtherJob) + ":2");
}

// REC-03: a rewind is an error with two ways out.
TEST_F(IcebergSinkTest, ARewindIsRefused) {
  auto sink = Sink();
  auto committer = Committer(*sink);
  for (int64_t n = 1; n <= 3; ++n) committer->Commit(std::vector{Request(n, Write(*sink, n, n))});
  for (const char* job : {kJob, kOtherJob}) {
    std::string message = test::ErrorOf(ErrorKind::kInvalidArgument, [&] { Committer(*sink, 1, job); });
    EXPECT_THAT(message, HasSubstr("already holds checkpoint 3 of job"));
    EXPECT_THAT(message, HasSubstr("roll the table back"));
    EXPECT_THAT(message, HasSubstr("'frazil.sink.allow-rewind' = 'true'"));
  }
  auto allowing = Sink({{"frazil.sink.allow-rewind", "true"}});
  test::ErrorOf(ErrorKind::kInvalidArgument, [&] { Committer(*allowing, 1, kJob); });
  // Ids are compared within one job only: checkpoint 2 of the new job is new.
  auto rewound = Committer(*allowing, 1, kOtherJob);
  rewound->Commit(std::vector{Request(2, Write(*sink, 2, 2), false, kOtherJob)});
  EXPECT_THAT(TotalRecords(), ElementsAre("1", "2", "3", "4"));
}

// REC-04: the snapshot with the marker has expired; the table property still knows.
TEST_F(IcebergSinkTest, AnExpiredMarkerIsStillKnown) {
  auto sink = Sink();
  std::string committable = Write(*sink, 1, 3);
  Committer(*sink)->Commit(std::vector{Request(7, committable)});
  table::Table table = Load();
  int64_t marked = *table.metadata().current_snapshot_id;
  table::AppendFiles(table).Set("by", "another writer").Commit();
  catalog_->Commit(std::vector{catalog::TableCommit{id_, {}, {frazil::iceberg::update::RemoveSnapshots{{marked}}}}});
  ASSERT_EQ(Load().metadata().snapshots.size(), 1u);
  Committer(*sink, 7)->Commit(std::vector{Request(7, committable, true)});
  EXPECT_THAT(TotalRecords(), ElementsAre("3"));
}

// After a rollback the history decides, not the property.
TEST_F(IcebergSinkTest, ARollbackMakesTheCheckpointNewAgain) {
  auto sink = Sink();
  auto committer = Committer(*sink);
  committer->Commit(std::vector{Request(1, Write(*sink, 1, 1))});
  std::string second = Write(*sink, 2, 2);
  committer->Commit(std::vector{Request(2, second)});
  int64_t first_id = Load().metadata().snapshots[0].snapshot_id;
  frazil::iceberg::SnapshotRef main{first_id};
  catalog_->Commit(std::vector{catalog::TableCommit{id_, {}, {frazil::iceberg::update::SetSnapshotRef{"main", main}}}});
  Committer(*sink, 1)->Commit(std::vector{Request(2, second, true)});
  EXPECT_EQ(Load().metadata().current_snapshot()->summary.at("total-records"), "2");
}

TEST_F(IcebergSinkTest, EveryNthEmptyCheckpointIsCommitted) {
  table::Table table = Load();
  table::UpdateProperties(table, {{"flink.max-continuous-empty-commits", "3"}}, {});
  auto sink = Sink();
  auto committer = Committer(*sink);
  for (int64_t n = 1; n <= 7; ++n) committer->Commit(std::vector{Request(n, "")});
  ASSERT_EQ(Load().metadata().snapshots.size(), 2u);
  EXPECT_EQ(Load().metadata().snapshots[0].summary.at("flink.max-committed-checkpoint-id"), "3");
  EXPECT_EQ(Load().metadata().snapshots[1].summary.at("flink.max-committed-checkpoint-id"), "6");
  table = Load();
  table::UpdateProperties(table, {{"flink.max-continuous-empty-commits", "0"}}, {});
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument, [&] { committer->Commit(std::vector{Request(8, "")}); }),
              HasSubstr("must be positive"));
}

// COM-10: another table has taken the name.
TEST_F(IcebergSinkTest, ATableThatWasMadeAnewIsNotWritten) {
  auto sink = Sink();
  auto committer = Committer(*sink);
  std::string committable = Write(*sink, 1, 1);
  catalog_->DropTable(id_, false);
  catalog::TableCreation creation;
  creation.schema = frazil::iceberg::Schema(0, {NestedField::Optional(1, "other", Type::String())});
  catalog_->CreateTable(id_, creation);
  test::ErrorOf(ErrorKind::kInvalidArgument, [&] { committer->Commit(std::vector{Request(1, committable)}); });
  EXPECT_TRUE(Load().metadata().snapshots.empty());
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument, [&] { DecodeDataFiles(committable, Load().metadata()); }),
              HasSubstr("dropped and created anew"));
}

TEST_F(IcebergSinkTest, WritesToABranch) {
  auto sink = Sink({{"branch", "audit"}});
  auto committer = Committer(*sink);
  committer->Commit(std::vector{Request(1, Write(*sink, 1, 2))});
  table::Table table = Load();
  EXPECT_EQ(table.metadata().current_snapshot(), nullptr);
  ASSERT_NE(table.metadata().FindRef("audit"), nullptr);
  EXPECT_EQ(table.metadata().FindRef("audit")->summary.at("total-records"), "2");
  Committer(*sink, 1)->Commit(std::vector{Request(1, "x", true)});  // never decoded: it is committed
  EXPECT_EQ(Load().metadata().snapshots.size(), 1u);
}

TEST_F(IcebergSinkTest, OptionsAreHonouredOrRefused) {
  table::Table table = Load();
  auto resolve = [&](const OptionMap& options) {
    return ResolveIcebergSinkOptions(options, table.metadata(), table.name());
  };
  IcebergSinkOptions options = resolve({{"target-file-size-bytes", "1000"},
                                        {"compression-codec", "snappy"},
                                        {"write-parallelism", "3"},
                                        {"upsert-enabled", "false"},
                                        {"distribution-mode", "NONE"},
                                        {"uid-suffix", "x"}});
  EXPECT_EQ(options.property_overrides,
            (OptionMap{{"write.parquet.compression-codec", "snappy"}, {"write.target-file-size-bytes", "1000"}}));
  EXPECT_EQ(options.write_parallelism, 3);
  EXPECT_EQ(options.uid_suffix, "x");
  EXPECT_NO_THROW(resolve({{"distribution-mode", "hash"}})) << "without partitions it changes nothing";
  auto unsupported = [&](const OptionMap& o) { return test::ErrorOf(ErrorKind::kUnsupported, [&] { resolve(o); }); };
  EXPECT_THAT(unsupported({{"upsert-enabled", "true"}}), HasSubstr("upsert is not supported yet"));
  EXPECT_THAT(unsupported({{"overwrite-enabled", "true"}}), HasSubstr("'overwrite-enabled'"));
  EXPECT_THAT(unsupported({{"distribution-mode", "range"}}), HasSubstr("'range'"));
  EXPECT_THAT(unsupported({{"table-refresh-interval", "1 s"}}), HasSubstr("'table-refresh-interval'"));
  EXPECT_THAT(test::ErrorOf(ErrorKind::kInvalidArgument,
                            [&] {
                              resolve({{"upsert-enable", "true"}});
                            }),
              HasSubstr("unknown option 'upsert-enable' (did you mean 'upsert-enabled'?)"));
  test::ErrorOf(ErrorKind::kUnsupported, [&] { Sink({{"write-format", "orc"}}); });
}

TEST_F(IcebergSinkTest, RowKindsOtherThanInsertAreRefused) {
  auto sink = Sink();
  auto writer = sink->CreateWriter({Task(), {}, metrics_, no_state_});
  arrow::Int64Builder ids;
  ASSERT_TRUE(ids.Append(1).ok());
  arrow::Int8Builder kinds;
  ASSERT_TRUE(kinds.Append(3).ok());
  auto schema = frazil::iceberg::ToArrowSchema(Load().metadata().schema());
  stream::ChangeBatch batch{arrow::RecordBatch::Make(schema, 1, {ids.Finish().ValueOrDie()}),
                            std::static_pointer_cast<arrow::Int8Array>(kinds.Finish().ValueOrDie())};
  EXPECT_THAT(test::ErrorOf(ErrorKind::kUnsupported, [&] { writer->Write(batch); }), HasSubstr("appends inserts only"));
}

TEST(Committable, DamagedBytesAreCorrupt) {
  frazil::iceberg::TableMetadata metadata;
  metadata.table_uuid = "f79c3e09-677c-4bbd-a479-3f349cb785e7";
  EXPECT_TRUE(DecodeDataFiles("", metadata).empty());
  EXPECT_THAT(test::ErrorOf(ErrorKind::kCorrupt, [&] { DecodeDataFiles("XXXX", metadata); }),
              HasSubstr("unknown format"));
  EXPECT_THAT(test::ErrorOf(ErrorKind::kCorrupt, [&] { DecodeDataFiles("FZC1short", metadata); }),
              HasSubstr("cut off"));
}

}  // namespace
}  // namespace frazil::connector::iceberg
