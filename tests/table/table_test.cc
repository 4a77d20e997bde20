// SPDX-License-Identifier: Apache-2.0
#include "frazil/table/table.h"

#include <fstream>

#include "frazil/table/commit_loop.h"
#include "frazil/table/manifest_merger.h"
#include "frazil/table/properties_update.h"
#include "frazil/table/snapshot_summary.h"
#include "table/fixture.h"

namespace frazil::table {
namespace {

using std::chrono::milliseconds;
using test::ErrorOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;

TEST(Locations, FromProperties) {
  iceberg::TableMetadata m;
  m.location = "file:///w/t";
  EXPECT_EQ(DataLocation(m), "file:///w/t/data");
  EXPECT_EQ(MetadataLocation(m), "file:///w/t/metadata");
  m.properties = {{"write.data.path", "/d/"}, {"write.metadata.path", "/m//"}};
  EXPECT_EQ(DataLocation(m), "/d");
  EXPECT_EQ(MetadataLocation(m), "/m");
  m.properties = {{"write.folder-storage.path", "/old"}};
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { DataLocation(m); }), HasSubstr("write.data.path"));
  m.properties = {{"write.location-provider.impl", "com.acme.X"}};
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { DataLocation(m); }), HasSubstr("com.acme.X"));
}

class ManifestsTest : public test::TableTest {};

TEST_F(ManifestsTest, MissingAndDamagedListsNameTheSnapshot) {
  Table table = Create();
  Append(table, "a");
  iceberg::Snapshot snapshot = *table.metadata().current_snapshot();
  std::ofstream(snapshot.manifest_list, std::ios::trunc) << "Obj";
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { ReadManifests(*table.io(), table.metadata(), snapshot); }),
              HasSubstr(std::to_string(snapshot.snapshot_id)));
  std::filesystem::remove(snapshot.manifest_list);
  ErrorOf(ErrorKind::kNotFound, [&] { ReadManifests(*table.io(), table.metadata(), snapshot); });
}

TEST_F(ManifestsTest, InlineListOfVersion1) {
  Table table = Create({{"format-version", "1"}});
  Append(table, "a");
  iceberg::Snapshot snapshot = *table.metadata().current_snapshot();
  auto listed = ReadManifests(*table.io(), table.metadata(), snapshot);
  snapshot.manifest_list.clear();
  snapshot.manifests = {listed[0].manifest_path};
  auto inlined = ReadManifests(*table.io(), table.metadata(), snapshot);
  ASSERT_THAT(inlined, SizeIs(1));
  EXPECT_EQ(inlined[0].manifest_path, listed[0].manifest_path);
  EXPECT_EQ(inlined[0].manifest_length, listed[0].manifest_length);
  EXPECT_EQ(inlined[0].added_snapshot_id, snapshot.snapshot_id);
  EXPECT_FALSE(inlined[0].added_files_count);
  EXPECT_THAT(Entries(table, snapshot),
              ElementsAre(Entry{"/data/a", iceberg::EntryStatus::kAdded, snapshot.snapshot_id, 0}));
}

class PropertiesTest : public test::TableTest {};

TEST_F(PropertiesTest, SetAndRemove) {
  Table table = Create({{"a", "1"}, {"b", "2"}});
  UpdateProperties(table, {{"b", "3"}, {"c", "4"}}, {"a"});
  EXPECT_EQ(table.metadata().properties.count("a"), 0u);
  EXPECT_EQ(table.metadata().properties.at("b"), "3");
  EXPECT_EQ(table.metadata().properties.at("c"), "4");
  EXPECT_EQ(catalog_->commits, 1);
  UpdateProperties(table, {{"b", "3"}}, {"a", "none"});
  EXPECT_EQ(catalog_->commits, 1) << "nothing to change";
}

TEST_F(PropertiesTest, Refuses) {
  Table table = Create();
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [&] {
                        UpdateProperties(table, {{"uuid", "x"}}, {});
                      }),
              HasSubstr("'uuid' is reserved"));
  ErrorOf(ErrorKind::kInvalidArgument, [&] { UpdateProperties(table, {}, {"format-version"}); });
  ErrorOf(ErrorKind::kInvalidArgument, [&] { UpdateProperties(table, {{"x", "1"}}, {"x"}); });
  ErrorOf(ErrorKind::kInvalidArgument, [&] { UpdateProperties(table, {{"commit.retry.num-retries", "-2"}}, {}); });
  ErrorOf(ErrorKind::kInvalidArgument, [&] { UpdateProperties(table, {{"format-version", "1"}}, {}); });
  ErrorOf(ErrorKind::kUnsupported, [&] { UpdateProperties(table, {{"format-version", "3"}}, {}); });
  EXPECT_THAT(table.metadata().metadata_log, IsEmpty());
}

TEST_F(PropertiesTest, RetriedAndCheckedLikeAppends) {
  Table table = Create();
  int tries = 0;
  catalog_->on_commit = [&](catalog::Catalog& inner,
                            test::DisturbedCatalog::Commits commits) -> test::DisturbedCatalog::Results {
    if (++tries == 1) throw CommitConflict("busy");
    inner.Commit(commits);
    throw CommitStateUnknown("reset");
  };
  UpdateProperties(table, {{"k", "v"}}, {});
  EXPECT_EQ(tries, 2);
  EXPECT_EQ(table.metadata().properties.at("k"), "v");
}

TEST(Backoff, StopsAfterRetriesOrTime) {
  Backoff three({3, milliseconds(1), milliseconds(2), milliseconds(10'000)});
  EXPECT_TRUE(three.Wait());
  EXPECT_TRUE(three.Wait());
  EXPECT_TRUE(three.Wait());
  EXPECT_FALSE(three.Wait());
  EXPECT_EQ(three.retries(), 3);
  Backoff none({0, milliseconds(1), milliseconds(2), milliseconds(10'000)});
  EXPECT_FALSE(none.Wait());
  Backoff out_of_time({100, milliseconds(20), milliseconds(20), milliseconds(5)});
  EXPECT_TRUE(out_of_time.Wait()) << "one retry in any case";
  EXPECT_FALSE(out_of_time.Wait());
}

TEST(Backoff, DoublesUpToTheMaximum) {
  auto start = std::chrono::steady_clock::now();
  Backoff backoff({4, milliseconds(10), milliseconds(40), milliseconds(10'000)});
  while (backoff.Wait()) {
  }
  auto took = std::chrono::steady_clock::now() - start;
  EXPECT_GE(took, milliseconds(10 + 20 + 40 + 40));
  EXPECT_LT(took, milliseconds(1000));
}

TEST(Backoff, PoliciesComeFromProperties) {
  Backoff::Policy commit = Backoff::ForCommits({});
  EXPECT_EQ(commit.retries, 4);
  EXPECT_EQ(commit.min_wait, milliseconds(100));
  EXPECT_EQ(commit.max_wait, milliseconds(60'000));
  EXPECT_EQ(commit.total_time, milliseconds(1'800'000));
  Backoff::Policy check = Backoff::ForStatusChecks({{"commit.status-check.num-retries", "9"}});
  EXPECT_EQ(check.retries, 9);
  EXPECT_EQ(check.min_wait, milliseconds(1'000));
}

TEST(PackFromEnd, LeavesTheFirstBinUnderfilled) {
  using Bins = std::vector<std::pair<size_t, size_t>>;
  EXPECT_EQ(PackFromEnd({}, 10), Bins{});
  EXPECT_EQ(PackFromEnd({3}, 10), (Bins{{0, 1}}));
  EXPECT_EQ(PackFromEnd({3, 3, 4}, 10), (Bins{{0, 3}}));
  EXPECT_EQ(PackFromEnd({3, 3, 3, 4}, 10), (Bins{{0, 1}, {1, 4}}));
  EXPECT_EQ(PackFromEnd({1, 20, 1, 1}, 10), (Bins{{0, 1}, {1, 2}, {2, 4}}));
  EXPECT_EQ(PackFromEnd({10, 10, 10}, 10), (Bins{{0, 1}, {1, 2}, {2, 3}}));
}

TEST(SnapshotSummary, TotalsAreNeverInvented) {
  SnapshotSummaryBuilder builder;
  iceberg::DataFile file;
  file.record_count = 5;
  file.file_size_in_bytes = 50;
  builder.AddDataFile(file, "");
  iceberg::Snapshot parent;
  parent.summary = {{"total-records", "abc"},
                    {"total-data-files", "-3"},
                    {"total-files-size", "9223372036854775807"},
                    {"total-delete-files", "2"},
                    {"total-position-deletes", "12 "}};
  auto summary = builder.Build(&parent, {}, {.created = 1, .kept = 2, .replaced = 3}, 0);
  EXPECT_THAT(summary, ElementsAre(Pair("added-data-files", "1"), Pair("added-files-size", "50"),
                                   Pair("added-records", "5"), Pair("changed-partition-count", "1"),
                                   Pair("manifests-created", "1"), Pair("manifests-kept", "2"),
                                   Pair("manifests-replaced", "3"), Pair("total-delete-files", "2")));
  EXPECT_EQ(builder.Build(nullptr, {}, {}, 0).at("total-records"), "5");
  EXPECT_EQ(builder.Build(nullptr, {}, {}, 1).count("partitions."), 0u) << "no key for the one unpartitioned partition";
}

TEST(SnapshotSummary, ComputedKeys) {
  for (const char* key : {"total-records", "added-dvs", "partitions.a=1", "manifests-kept", "operation"}) {
    EXPECT_TRUE(IsComputedSummaryKey(key)) << key;
  }
  for (const char* key : {"flink.job-id", "engine-name", "wap.id", "total-", "note"}) {
    EXPECT_FALSE(IsComputedSummaryKey(key)) << key;
  }
}

}  // namespace
}  // namespace frazil::table
