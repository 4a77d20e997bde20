// SPDX-License-Identifier: Apache-2.0
#include "frazil/table/append_files.h"

#include "frazil/base/clock.h"
#include "frazil/table/properties_update.h"
#include "table/fixture.h"

namespace frazil::table {
namespace {

using iceberg::EntryStatus;
using test::ErrorOf;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Summary = std::map<std::string, std::string>;

class AppendFilesTest : public test::TableTest {};

TEST_F(AppendFilesTest, FirstSnapshot) {
  Table table = Create();
  EXPECT_EQ(table.name(), "ice.db.t");
  int64_t before = NowMillis();
  int64_t id = AppendFiles(table).AppendFile(File("a", 10, 1000)).AppendFile(File("b", 5, 500)).Commit().value();

  const iceberg::TableMetadata& m = table.metadata();
  ASSERT_THAT(m.snapshots, SizeIs(1));
  const iceberg::Snapshot& s = m.snapshots[0];
  EXPECT_EQ(s.snapshot_id, id);
  EXPECT_GT(id, 0);
  EXPECT_FALSE(s.parent_snapshot_id);
  EXPECT_EQ(s.sequence_number, 1);
  EXPECT_GE(s.timestamp_ms, before);
  EXPECT_EQ(s.schema_id, 0);
  EXPECT_EQ(s.operation, "append");
  EXPECT_EQ(s.summary, (Summary{{"added-data-files", "2"},
                                {"added-files-size", "1500"},
                                {"added-records", "15"},
                                {"changed-partition-count", "1"},
                                {"manifests-created", "1"},
                                {"manifests-kept", "0"},
                                {"manifests-replaced", "0"},
                                {"total-data-files", "2"},
                                {"total-delete-files", "0"},
                                {"total-equality-deletes", "0"},
                                {"total-files-size", "1500"},
                                {"total-position-deletes", "0"},
                                {"total-records", "15"}}));
  EXPECT_THAT(s.manifest_list,
              testing::MatchesRegex(fmt::format(".*/w/db/t/metadata/snap-{}-1-[0-9a-f-]+\\.avro", id)));
  EXPECT_EQ(m.current_snapshot_id, id);
  EXPECT_EQ(m.last_sequence_number, 1);

  std::vector<iceberg::ManifestFile> manifests = ReadManifests(*table.io(), m, s);
  ASSERT_THAT(manifests, SizeIs(1));
  EXPECT_THAT(manifests[0].manifest_path, testing::MatchesRegex(".*/w/db/t/metadata/[0-9a-f-]{36}-m0\\.avro"));
  EXPECT_EQ(manifests[0].added_snapshot_id, id);
  EXPECT_EQ(manifests[0].sequence_number, 1);
  EXPECT_EQ(manifests[0].min_sequence_number, 1);
  EXPECT_EQ(manifests[0].added_files_count, 2);
  EXPECT_EQ(manifests[0].added_rows_count, 15);
  EXPECT_THAT(Entries(table, s),
              ElementsAre(Entry{"/data/a", EntryStatus::kAdded, id, 1}, Entry{"/data/b", EntryStatus::kAdded, id, 1}));
  EXPECT_EQ(Table::Load(catalog_, id_).metadata_location(), table.metadata_location());
}

TEST_F(AppendFilesTest, SecondSnapshotGoesOn) {
  Table table = Create();
  int64_t first = Append(table, "a");
  int64_t second = Append(table, "b");
  const iceberg::Snapshot& s = *table.metadata().current_snapshot();
  EXPECT_EQ(s.snapshot_id, second);
  EXPECT_EQ(s.parent_snapshot_id, first);
  EXPECT_EQ(s.sequence_number, 2);
  EXPECT_EQ(s.summary.at("total-data-files"), "2");
  EXPECT_EQ(s.summary.at("total-records"), "20");
  EXPECT_EQ(s.summary.at("manifests-created"), "1");
  EXPECT_EQ(s.summary.at("manifests-kept"), "1");
  EXPECT_THAT(Entries(table, s), ElementsAre(Entry{"/data/a", EntryStatus::kAdded, first, 1},
                                             Entry{"/data/b", EntryStatus::kAdded, second, 2}));
  EXPECT_EQ(ReadManifests(*table.io(), table.metadata(), s)[0].added_snapshot_id, second) << "new ones come first";
  ASSERT_THAT(table.metadata().snapshot_log, SizeIs(2));
  EXPECT_EQ(table.metadata().snapshot_log[1].snapshot_id, second);
}

TEST_F(AppendFilesTest, EmptyAppendIsASnapshot) {
  Table table = Create();
  Append(table, "a");
  AppendFiles(table).Set("flink.max-committed-checkpoint-id", "7").Commit();
  const iceberg::Snapshot& s = *table.metadata().current_snapshot();
  EXPECT_EQ(s.summary.at("flink.max-committed-checkpoint-id"), "7");
  EXPECT_EQ(s.summary.at("changed-partition-count"), "0");
  EXPECT_EQ(s.summary.at("total-records"), "10");
  EXPECT_EQ(s.summary.count("added-records"), 0u);
  EXPECT_THAT(LivePaths(table), ElementsAre("/data/a"));
}

TEST_F(AppendFilesTest, PathGivenTwiceCountsOnce) {
  Table table = Create();
  AppendFiles(table).AppendFile(File("f1")).AppendFile(File("f1")).AppendFile(File("f2")).Commit();
  EXPECT_THAT(LivePaths(table), ElementsAre("/data/f1", "/data/f2"));
  EXPECT_EQ(table.metadata().current_snapshot()->summary.at("added-data-files"), "2");
  EXPECT_EQ(table.metadata().current_snapshot()->summary.at("added-records"), "20");

  AppendFiles again(table);
  again.AppendFile(File("f2")).AppendFile(File("f3")).CheckDuplicates(true);
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { again.Commit(); }), HasSubstr("/data/f2"));
  EXPECT_THAT(table.metadata().snapshots, SizeIs(1));
  EXPECT_EQ(AvroFiles(table), ReferencedAvroFiles(table));
  AppendFiles(table).AppendFile(File("f3")).CheckDuplicates(true).Commit();
  EXPECT_THAT(LivePaths(table), SizeIs(3));
}

TEST_F(AppendFilesTest, ComputedSummaryKeysWin) {
  Table table = Create();
  AppendFiles(table).AppendFile(File("a", 3'000'000'000, 5'000'000'000)).Commit();
  AppendFiles(table)
      .AppendFile(File("b", 7, 9))
      .Set("total-records", "1")
      .Set("added-dvs", "1")
      .Set("partitions.x", "1")
      .Set("operation", "delete")
      .Set("note", "x")
      .Commit();
  const iceberg::Snapshot& s = *table.metadata().current_snapshot();
  EXPECT_EQ(s.summary.at("total-records"), "3000000007");
  EXPECT_EQ(s.summary.at("total-files-size"), "5000000009");
  EXPECT_EQ(s.summary.at("note"), "x");
  EXPECT_EQ(s.operation, "append");
  for (const char* key : {"added-dvs", "partitions.x", "operation"}) EXPECT_EQ(s.summary.count(key), 0u) << key;
}

TEST_F(AppendFilesTest, PartitionsInTheSummary) {
  Table table = Create({{"write.summary.partition-limit", "2"}}, true);
  AppendFiles(table)
      .AppendFile(File("a", 1, 10, "eu"))
      .AppendFile(File("b", 2, 20, "us"))
      .AppendFile(File("c", 4, 40, "eu"))
      .Commit();
  Summary s = table.metadata().current_snapshot()->summary;
  EXPECT_EQ(s.at("changed-partition-count"), "2");
  EXPECT_EQ(s.at("partition-summaries-included"), "true");
  EXPECT_EQ(s.at("partitions.region=eu"), "added-data-files=2,added-files-size=50,added-records=5");
  EXPECT_EQ(s.at("partitions.region=us"), "added-data-files=1,added-files-size=20,added-records=2");
  AppendFiles(table)
      .AppendFile(File("d", 1, 10, "a"))
      .AppendFile(File("e", 1, 10, "b"))
      .AppendFile(File("f", 1, 10, "c"))
      .Commit();
  s = table.metadata().current_snapshot()->summary;
  EXPECT_EQ(s.at("changed-partition-count"), "3");
  EXPECT_EQ(s.count("partition-summaries-included"), 0u);
  EXPECT_EQ(s.count("partitions.region=a"), 0u);
}

TEST_F(AppendFilesTest, FilesAreChecked) {
  Table table = Create({}, true);
  iceberg::DataFile deletes = File("d");
  deletes.content = iceberg::FileContent::kPositionDeletes;
  ErrorOf(ErrorKind::kInvalidArgument, [&] { AppendFiles(table).AppendFile(deletes); });
  ErrorOf(ErrorKind::kInvalidArgument, [&] { AppendFiles(table).AppendFile(iceberg::DataFile{}); });
  iceberg::DataFile stranger = File("s", 1, 1, "eu");
  stranger.spec_id = 7;
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { AppendFiles(table).AppendFile(stranger).Commit(); }),
              HasSubstr("partition spec 7"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { AppendFiles(table).AppendFile(File("n")).Commit(); }),
              HasSubstr("0 partition values"));
  EXPECT_THAT(AvroFiles(table), IsEmpty());
}

TEST_F(AppendFilesTest, NewManifestsAreSplitBySize) {
  Table table = Create({{"commit.manifest.target-size-bytes", "10000"},
                        {"commit.manifest-merge.enabled", "false"},
                        {"write.manifest.compression-codec", "uncompressed"}});
  AppendFiles append(table);
  for (int i = 0; i < 200; ++i) append.AppendFile(File(fmt::format("{:03}", i)));
  append.Commit();
  auto manifests = ReadManifests(*table.io(), table.metadata(), *table.metadata().current_snapshot());
  EXPECT_GT(manifests.size(), 1u);
  EXPECT_LT(manifests.size(), 20u);
  EXPECT_THAT(LivePaths(table), SizeIs(200));
  EXPECT_EQ(table.metadata().current_snapshot()->summary.at("manifests-created"), std::to_string(manifests.size()));
}

TEST_F(AppendFilesTest, Branches) {
  Table table = Create();
  int64_t main = Append(table, "a");
  int64_t audit = AppendFiles(table).AppendFile(File("b")).ToBranch("audit").Commit().value();
  EXPECT_EQ(table.metadata().current_snapshot_id, main);
  const iceberg::Snapshot& head = *table.metadata().FindRef("audit");
  EXPECT_EQ(head.snapshot_id, audit);
  EXPECT_EQ(head.parent_snapshot_id, main);
  EXPECT_EQ(head.summary.at("total-records"), "20");
  EXPECT_EQ(head.sequence_number, 2);
  EXPECT_THAT(table.metadata().snapshot_log, SizeIs(1));
  // A branch keeps its settings.
  iceberg::SnapshotRef ref = table.metadata().refs.at("audit");
  ref.max_snapshot_age_ms = 77;
  catalog::TableCommit commit{id_, {}, {iceberg::update::SetSnapshotRef{"audit", ref}}};
  commit.updates.push_back(
      iceberg::update::SetSnapshotRef{"v1", {.snapshot_id = main, .type = iceberg::RefType::kTag}});
  catalog_->Commit({&commit, 1});
  AppendFiles(table).AppendFile(File("c")).ToBranch("audit").Commit();
  EXPECT_EQ(table.metadata().refs.at("audit").max_snapshot_age_ms, 77);
  EXPECT_EQ(table.metadata().FindRef("audit")->sequence_number, 3);

  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { AppendFiles(table).ToBranch("v1").Commit(); }),
              HasSubstr("'v1' of table ice.db.t is a tag"));
  ErrorOf(ErrorKind::kInvalidArgument, [&] { AppendFiles(table).ToBranch(""); });
}

TEST_F(AppendFilesTest, FirstCommitToABranchOfAnEmptyTable) {
  Table table = Create();
  AppendFiles(table).AppendFile(File("a")).ToBranch("audit").Commit();
  EXPECT_EQ(table.metadata().current_snapshot(), nullptr);
  EXPECT_FALSE(table.metadata().FindRef("audit")->parent_snapshot_id);
}

TEST_F(AppendFilesTest, PropertiesInTheSameCommit) {
  Table table = Create();
  AppendFiles(table).AppendFile(File("a")).SetProperty("frazil.stream.x", "4").Commit();
  EXPECT_EQ(table.metadata().properties.at("frazil.stream.x"), "4");
  EXPECT_EQ(catalog_->commits, 1);
  ErrorOf(ErrorKind::kInvalidArgument, [&] { AppendFiles(table).SetProperty("uuid", "x").Commit(); });
  EXPECT_EQ(AvroFiles(table), ReferencedAvroFiles(table));
}

TEST_F(AppendFilesTest, ValidatorSeesTheRefreshedTable) {
  Table table = Create();
  Table other = Table::Load(catalog_, id_);
  int64_t theirs = Append(other, "x");
  std::optional<int64_t> seen;
  AppendFiles nothing(table);
  nothing.AppendFile(File("a")).Validate([&](const iceberg::TableMetadata& base) {
    seen = base.current_snapshot_id;
    return false;
  });
  EXPECT_EQ(nothing.Commit(), std::nullopt);
  EXPECT_EQ(seen, theirs);
  EXPECT_THAT(AvroFiles(table), SizeIs(2)) << "only theirs";
  auto refusal = [](const iceberg::TableMetadata&) -> bool { throw InvalidArgument("rewound"); };
  EXPECT_EQ(ErrorOf(ErrorKind::kInvalidArgument, [&] { AppendFiles(table).Validate(refusal).Commit(); }), "rewound");
}

TEST_F(AppendFilesTest, Version1Tables) {
  Table table = Create({{"format-version", "1"}});
  Append(table, "a");
  Append(table, "b");
  const iceberg::Snapshot& s = *table.metadata().current_snapshot();
  EXPECT_EQ(s.sequence_number, 0);
  EXPECT_THAT(LivePaths(table), ElementsAre("/data/a", "/data/b"));
  UpdateProperties(table, {{"format-version", "2"}}, {});
  EXPECT_EQ(table.metadata().format_version, 2);
  int64_t third = Append(table, "c");
  EXPECT_THAT(Entries(table, *table.metadata().current_snapshot()),
              testing::Contains(Entry{"/data/c", EntryStatus::kAdded, third, 1}));
  EXPECT_THAT(LivePaths(table), SizeIs(3));
}

// ---------------------------------------------------------------------------------------------------- merging

TEST_F(AppendFilesTest, MergesFromMinCountOn) {
  Table table = Create({{"commit.manifest.min-count-to-merge", "3"}});
  int64_t a = Append(table, "a");
  int64_t b = Append(table, "b");
  EXPECT_THAT(ReadManifests(*table.io(), table.metadata(), *table.metadata().current_snapshot()), SizeIs(2));
  int64_t c = Append(table, "c");
  const iceberg::Snapshot& s = *table.metadata().current_snapshot();
  auto manifests = ReadManifests(*table.io(), table.metadata(), s);
  ASSERT_THAT(manifests, SizeIs(1));
  EXPECT_EQ(manifests[0].added_files_count, 1);
  EXPECT_EQ(manifests[0].existing_files_count, 2);
  EXPECT_EQ(manifests[0].sequence_number, 3);
  EXPECT_EQ(manifests[0].min_sequence_number, 1);
  EXPECT_THAT(Entries(table, s),
              ElementsAre(Entry{"/data/a", EntryStatus::kExisting, a, 1},
                          Entry{"/data/b", EntryStatus::kExisting, b, 2}, Entry{"/data/c", EntryStatus::kAdded, c, 3}));
  EXPECT_EQ(s.summary.at("manifests-created"), "1");
  EXPECT_EQ(s.summary.at("manifests-kept"), "0");
  EXPECT_EQ(s.summary.at("manifests-replaced"), "2");
  EXPECT_EQ(AvroFiles(table), ReferencedAvroFiles(table)) << "the unmerged manifest of c is gone";
}

TEST_F(AppendFilesTest, MergingCanBeTurnedOff) {
  Table table = Create({{"commit.manifest.min-count-to-merge", "2"}, {"commit.manifest-merge.enabled", "false"}});
  Append(table, "a");
  Append(table, "b");
  EXPECT_THAT(ReadManifests(*table.io(), table.metadata(), *table.metadata().current_snapshot()), SizeIs(2));
  AppendFiles(table).AppendFile(File("c")).MergeManifests(true).Commit();
  EXPECT_THAT(ReadManifests(*table.io(), table.metadata(), *table.metadata().current_snapshot()), SizeIs(1));
}

TEST_F(AppendFilesTest, RetryAfterMergeReferencesOnlyWhatExists) {
  Table table = Create({{"commit.manifest.min-count-to-merge", "3"}});
  Append(table, "A");
  Append(table, "B");
  // While D is about to be committed, merged, another writer commits C.
  bool disturbed = false;
  catalog_->on_commit = [&](catalog::Catalog& inner, test::DisturbedCatalog::Commits commits) {
    if (!std::exchange(disturbed, true)) {
      Table rival = Table::Load(catalog_, id_);
      Append(rival, "C");
    }
    return inner.Commit(commits);
  };
  Append(table, "D");
  catalog_->on_commit = nullptr;
  EXPECT_THAT(LivePaths(table), ElementsAre("/data/A", "/data/B", "/data/C", "/data/D"));
  const iceberg::Snapshot& s = *table.metadata().current_snapshot();
  EXPECT_EQ(s.sequence_number, 4);
  EXPECT_THAT(s.manifest_list, HasSubstr(fmt::format("snap-{}-2-", s.snapshot_id))) << "the second attempt";
  EXPECT_EQ(s.summary.at("total-data-files"), "4");
  EXPECT_EQ(AvroFiles(table), ReferencedAvroFiles(table));
}

// ------------------------------------------------------------------------------------------ conflict, unknown

TEST_F(AppendFilesTest, ConflictAfterTheLastRetryCleansUp) {
  Table table = Create({{"commit.retry.num-retries", "2"}});
  catalog_->on_commit = [](catalog::Catalog&, test::DisturbedCatalog::Commits) -> test::DisturbedCatalog::Results {
    throw CommitConflict("somebody was faster");
  };
  EXPECT_THAT(ErrorOf(ErrorKind::kCommitConflict, [&] { Append(table, "a"); }),
              AllOf(HasSubstr("somebody was faster"), HasSubstr("3 attempts")));
  EXPECT_EQ(catalog_->commits, 3);
  EXPECT_THAT(AvroFiles(table), IsEmpty());
}

TEST_F(AppendFilesTest, CommitThatLandedAlthoughUnknown) {
  Table table = Create();
  catalog_->on_commit = [](catalog::Catalog& inner,
                           test::DisturbedCatalog::Commits commits) -> test::DisturbedCatalog::Results {
    inner.Commit(commits);
    throw CommitStateUnknown("connection reset");
  };
  int64_t id = Append(table, "a");
  EXPECT_EQ(catalog_->commits, 1);
  ASSERT_THAT(table.metadata().snapshots, SizeIs(1));
  EXPECT_EQ(table.metadata().current_snapshot_id, id);
  EXPECT_THAT(LivePaths(table), ElementsAre("/data/a"));
}

TEST_F(AppendFilesTest, UnknownIsCheckedUntilTheCatalogAnswers) {
  Table table = Create();
  int refusals = 0;
  catalog_->on_commit = [&](catalog::Catalog& inner,
                            test::DisturbedCatalog::Commits commits) -> test::DisturbedCatalog::Results {
    inner.Commit(commits);
    refusals = 2;
    throw CommitStateUnknown("503");
  };
  catalog_->on_load = [&] {
    if (refusals > 0 && refusals-- > 0) throw Unavailable("still 503");
  };
  int64_t id = Append(table, "a");
  EXPECT_EQ(table.metadata().current_snapshot_id, id);
  EXPECT_EQ(refusals, 0);
}

TEST_F(AppendFilesTest, UnknownThatNeverShowsUpDeletesNothing) {
  Table table = Create({{"commit.status-check.num-retries", "2"}});
  std::vector<catalog::TableCommit> lost;
  catalog_->on_commit = [&](catalog::Catalog&,
                            test::DisturbedCatalog::Commits commits) -> test::DisturbedCatalog::Results {
    lost.assign(commits.begin(), commits.end());
    throw CommitStateUnknown("timeout");
  };
  EXPECT_THAT(ErrorOf(ErrorKind::kCommitStateUnknown, [&] { Append(table, "a"); }), HasSubstr("timeout"));
  EXPECT_EQ(catalog_->commits, 1) << "never committed again";
  EXPECT_THAT(AvroFiles(table), SizeIs(2));
  // It arrives late, and everything is there.
  catalog_->on_commit = nullptr;
  catalog_->Commit(lost);
  table.Refresh();
  EXPECT_THAT(LivePaths(table), ElementsAre("/data/a"));
}

TEST_F(AppendFilesTest, UnavailableIsADefiniteFailure) {
  Table table = Create();
  catalog_->on_commit = [](catalog::Catalog&, test::DisturbedCatalog::Commits) -> test::DisturbedCatalog::Results {
    throw Unavailable("catalog is locked");
  };
  ErrorOf(ErrorKind::kUnavailable, [&] { Append(table, "a"); });
  EXPECT_EQ(catalog_->commits, 1);
  EXPECT_THAT(AvroFiles(table), IsEmpty());
}

TEST_F(AppendFilesTest, TableOfTheSameNameIsNotTouched) {
  Table table = Create();
  Append(table, "a");
  catalog_->DropTable(id_, false);
  Table fresh = Create();
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { Append(table, "b"); }),
              HasSubstr("dropped and created again"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { table.Refresh(); }), HasSubstr("uuid"));
  fresh.Refresh();
  EXPECT_THAT(fresh.metadata().snapshots, IsEmpty());
  catalog_->DropTable(id_, false);
  ErrorOf(ErrorKind::kNotFound, [&] { table.Refresh(); });
  ErrorOf(ErrorKind::kNotFound, [&] { Table::Load(catalog_, id_); });
}

TEST_F(AppendFilesTest, TimestampsNeverGoBack) {
  Table table = Create();
  Append(table, "a");
  // A writer whose clock is half an hour ahead.
  iceberg::Snapshot ahead = *table.metadata().current_snapshot();
  ahead.snapshot_id = 77;
  ahead.parent_snapshot_id = table.metadata().current_snapshot_id;
  ahead.sequence_number = 2;
  ahead.timestamp_ms = NowMillis() + 1'800'000;
  catalog::TableCommit commit{
      id_, {}, {iceberg::update::AddSnapshot{ahead}, iceberg::update::SetSnapshotRef{"main", {.snapshot_id = 77}}}};
  catalog_->Commit({&commit, 1});
  Append(table, "b");
  EXPECT_EQ(table.metadata().current_snapshot()->timestamp_ms, ahead.timestamp_ms);
  EXPECT_EQ(table.metadata().snapshot_log.back().timestamp_ms, ahead.timestamp_ms);
}

TEST_F(AppendFilesTest, SequenceNumberTakenByAnotherBranchIsRetried) {
  Table table = Create();
  Append(table, "a");
  bool disturbed = false;
  catalog_->on_commit = [&](catalog::Catalog& inner, test::DisturbedCatalog::Commits commits) {
    if (!std::exchange(disturbed, true)) {
      Table rival = Table::Load(catalog_, id_);
      AppendFiles(rival).AppendFile(File("x")).ToBranch("audit").Commit();
    }
    return inner.Commit(commits);
  };
  Append(table, "b");
  EXPECT_EQ(table.metadata().current_snapshot()->sequence_number, 3);
  EXPECT_EQ(table.metadata().FindRef("audit")->sequence_number, 2);
  EXPECT_THAT(LivePaths(table), ElementsAre("/data/a", "/data/b"));
}

TEST_F(AppendFilesTest, Version3IsRefused) {
  Table table = Create();
  iceberg::TableMetadata v3 = table.metadata();
  v3.format_version = 3;
  std::string location = MetadataLocation(v3) + "/00009-x.metadata.json";
  table.io()->WriteAll(location, ToJsonString(v3));
  catalog_->DropTable(id_, false);
  catalog_->RegisterTable(id_, location);
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { Append(table, "a"); }), HasSubstr("format-version 3"));
  EXPECT_THAT(AvroFiles(table), IsEmpty());
}

}  // namespace
}  // namespace frazil::table
