// SPDX-License-Identifier: Apache-2.0
// What every catalog must do, run against each of them.
#include <fstream>
#include <thread>

#include "catalog/fixture.h"
#include "frazil/catalog/table_files.h"
#include "frazil/storage/file_io.h"

namespace frazil::catalog {
namespace {

using iceberg::NestedField;
using iceberg::Type;
using test::ErrorOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class CatalogContract : public testing::TestWithParam<const char*> {
 protected:
  CatalogContract() : catalog_(Make({})) {}

  std::unique_ptr<Catalog> Make(OptionMap more) {
    more["warehouse"] = scratch_ / "warehouse";
    more["catalog-type"] = GetParam();
    if (GetParam() == std::string("jdbc")) more["uri"] = "jdbc:sqlite:" + (scratch_ / "catalog.db");
    return MakeCatalog("ice", more);
  }

  LoadedTable Create(const TableIdentifier& id, OptionMap properties = {}) {
    if (!catalog_->NamespaceExists(id.ns)) catalog_->CreateNamespace(id.ns, {});
    return catalog_->CreateTable(id, test::Creation(std::move(properties)));
  }

  std::vector<LoadedTable> Set(const TableIdentifier& id, std::string key, std::string value,
                               std::vector<iceberg::TableRequirement> requirements = {}) {
    TableCommit commit{id, std::move(requirements), {iceberg::update::SetProperties{{{key, value}}}}};
    return catalog_->Commit({&commit, 1});
  }

  test::ScratchDir scratch_;
  std::unique_ptr<Catalog> catalog_;
};

INSTANTIATE_TEST_SUITE_P(All, CatalogContract, testing::Values("memory", "jdbc"),
                         [](const auto& info) { return std::string(info.param); });

TEST_P(CatalogContract, NamespacesAreComparedLiterally) {
  catalog_->CreateNamespace({"my_ns_112_1"}, {});
  EXPECT_FALSE(catalog_->NamespaceExists({"my_ns_1_2"}));
  catalog_->CreateNamespace({"my_ns"}, {});
  Create({{"my_ns_1"}, "t"});
  EXPECT_TRUE(catalog_->DropNamespace({"my_ns"}));
  EXPECT_FALSE(catalog_->NamespaceExists({"my_ns"}));
  EXPECT_FALSE(catalog_->DropNamespace({"my_ns"}));
  EXPECT_TRUE(catalog_->NamespaceExists({"my_ns_1"}));
}

TEST_P(CatalogContract, SpecialNamesRoundTrip) {
  const std::vector<std::string> names = {
      "'; DROP TABLE iceberg_tables; --", "a!b", "a%b", "a\\b", "ns\"q", "o'hara", "größe 氷"};
  for (const std::string& name : names) {
    catalog_->CreateNamespace({name}, {{"comment", name}});
    Create({{name}, name});
  }
  std::vector<Namespace> expected;
  for (const std::string& name : names) expected.push_back({name});
  EXPECT_THAT(catalog_->ListNamespaces({}), testing::UnorderedElementsAreArray(expected));
  for (const std::string& name : names) {
    EXPECT_EQ(catalog_->NamespaceProperties({name}), (OptionMap{{"comment", name}}));
    EXPECT_THAT(catalog_->ListTables({name}), ElementsAre(TableIdentifier{{name}, name}));
    EXPECT_EQ(catalog_->LoadTable({{name}, name}).metadata->location,
              (scratch_ / "warehouse") + "/" + name + "/" + name);
  }
}

TEST_P(CatalogContract, NestedNamespaces) {
  catalog_->CreateNamespace({"a", "b", "c"}, {});
  EXPECT_TRUE(catalog_->NamespaceExists({"a"}));
  EXPECT_TRUE(catalog_->NamespaceExists({"a", "b"}));
  EXPECT_THAT(catalog_->ListNamespaces({}), ElementsAre(Namespace{"a"}));
  EXPECT_THAT(catalog_->ListNamespaces({"a"}), ElementsAre(Namespace{"a", "b"}));
  EXPECT_THAT(catalog_->ListNamespaces({"a", "b", "c"}), IsEmpty());
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->DropNamespace({"a"}); }), HasSubstr("not empty"));
  ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->DropNamespace({"a", "b"}); });
  EXPECT_TRUE(catalog_->DropNamespace({"a", "b", "c"}));
  EXPECT_FALSE(catalog_->NamespaceExists({"a"}));
  ErrorOf(ErrorKind::kNotFound, [&] { catalog_->ListNamespaces({"a"}); });
}

TEST_P(CatalogContract, NamespaceProperties) {
  catalog_->CreateNamespace({"db"}, {{"a", "1"}, {"b", "2"}});
  ErrorOf(ErrorKind::kAlreadyExists, [&] { catalog_->CreateNamespace({"db"}, {}); });
  EXPECT_EQ(catalog_->NamespaceProperties({"db"}), (OptionMap{{"a", "1"}, {"b", "2"}}));
  catalog_->UpdateNamespaceProperties({"db"}, {{"b", "3"}, {"c", "4"}}, {"a", "none"});
  EXPECT_EQ(catalog_->NamespaceProperties({"db"}), (OptionMap{{"b", "3"}, {"c", "4"}}));
  catalog_->UpdateNamespaceProperties({"db"}, {}, {"b", "c"});
  EXPECT_EQ(catalog_->NamespaceProperties({"db"}), OptionMap{});
  EXPECT_TRUE(catalog_->NamespaceExists({"db"}));
  ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->UpdateNamespaceProperties({"db"}, {{"x", "1"}}, {"x"}); });
  ErrorOf(ErrorKind::kNotFound, [&] { catalog_->NamespaceProperties({"none"}); });
  ErrorOf(ErrorKind::kNotFound, [&] { catalog_->UpdateNamespaceProperties({"none"}, {}, {}); });
  EXPECT_FALSE(catalog_->NamespaceExists({}));
  EXPECT_FALSE(catalog_->DropNamespace({}));
}

TEST_P(CatalogContract, NamesThatCouldLeaveTheWarehouseAreRefused) {
  catalog_->CreateNamespace({"db"}, {});
  const std::string bad[] = {
      "..", ".", "../../x", "a/../../b", "/abs", "", std::string("a\0b", 3), "a\nb", "\x7f", std::string(300, 'x')};
  for (const std::string& name : bad) {
    ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->CreateNamespace({name}, {}); });
    ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->CreateNamespace({"db", name}, {}); });
    ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->CreateTable({{"db"}, name}, test::Creation()); });
  }
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->CreateNamespace({"a.b"}, {}); }),
              HasSubstr("separates levels"));
  ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->CreateNamespace({}, {}); });
  Create({{"db"}, "t"});
  ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->RenameTable({{"db"}, "t"}, {{"db"}, "../x"}); });
  for (const std::string name : {"x%2F..%2Fy", "a\\..\\b", "CON", "dot. "}) {
    std::string location = Create({{"db"}, name}).metadata->location;
    EXPECT_EQ(location, (scratch_ / "warehouse") + "/db/" + name);
  }
  for (const auto& entry : std::filesystem::directory_iterator(scratch_.path())) {
    EXPECT_THAT(entry.path().filename().string(), testing::AnyOf("warehouse", "catalog.db"));
  }
}

TEST_P(CatalogContract, CreateAndLoad) {
  TableIdentifier id{{"db"}, "orders"};
  EXPECT_EQ(id.ToString(), "db.orders");
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound, [&] { catalog_->CreateTable(id, test::Creation()); }),
              HasSubstr("namespace db"));
  LoadedTable created = Create(id, {{"k", "v"}});
  EXPECT_EQ(created.metadata->location, (scratch_ / "warehouse") + "/db/orders");
  EXPECT_THAT(created.metadata_location,
              testing::MatchesRegex(".*/warehouse/db/orders/metadata/00000-[0-9a-f-]{36}\\.metadata\\.json"));
  EXPECT_TRUE(created.io->Exists(created.metadata_location));
  EXPECT_TRUE(catalog_->TableExists(id));
  EXPECT_THAT(catalog_->ListTables({"db"}), ElementsAre(id));

  LoadedTable loaded = catalog_->LoadTable(id);
  EXPECT_EQ(loaded.metadata_location, created.metadata_location);
  EXPECT_EQ(loaded.metadata->table_uuid, created.metadata->table_uuid);
  EXPECT_EQ(loaded.metadata->properties.at("k"), "v");
  EXPECT_EQ(loaded.metadata->schema().FindField("name")->id, 2);

  EXPECT_THAT(ErrorOf(ErrorKind::kAlreadyExists, [&] { catalog_->CreateTable(id, test::Creation()); }),
              HasSubstr("db.orders"));
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound, [&] { catalog_->LoadTable({{"db"}, "none"}); }), HasSubstr("'ice'"));
  ErrorOf(ErrorKind::kNotFound, [&] { catalog_->ListTables({"none"}); });
  EXPECT_FALSE(catalog_->TableExists({{"none"}, "t"}));
}

TEST_P(CatalogContract, LocationsAndPropertiesOfNewTables) {
  TableCreation given = test::Creation();
  given.location = scratch_ / "elsewhere/";
  catalog_->CreateNamespace({"db"}, {});
  EXPECT_EQ(catalog_->CreateTable({{"db"}, "t"}, given).metadata->location, scratch_ / "elsewhere");
  catalog_->CreateNamespace({"placed"}, {{"location", scratch_ / "placed.db/"}});
  EXPECT_EQ(Create({{"placed"}, "t"}).metadata->location, scratch_ / "placed.db/t");
  EXPECT_EQ(Create({{"a", "b"}, "t"}).metadata->location, (scratch_ / "warehouse") + "/a/b/t");

  catalog_ = Make({{"table-default.a", "1"},
                   {"table-default.b", "1"},
                   {"table-override.c", "3"},
                   {"unique-table-location", "true"}});
  LoadedTable table = Create({{"db2"}, "u"}, {{"b", "2"}, {"c", "2"}});
  EXPECT_EQ(table.metadata->properties,
            (OptionMap{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"write.parquet.compression-codec", "zstd"}}));
  EXPECT_THAT(table.metadata->location, testing::MatchesRegex(".*/warehouse/db2/u-[0-9a-f]{32}"));
}

TEST_P(CatalogContract, FailedCreateLeavesNothing) {
  catalog_->CreateNamespace({"db"}, {});
  ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->CreateTable({{"db"}, "t"}, test::Creation({{"uuid", "x"}})); });
  EXPECT_FALSE(catalog_->TableExists({{"db"}, "t"}));
  EXPECT_FALSE(std::filesystem::exists(scratch_ / "warehouse"));
}

TEST_P(CatalogContract, CommitSwapsTheMetadata) {
  TableIdentifier id{{"db"}, "t"};
  LoadedTable v0 = Create(id);
  LoadedTable v1 = Set(id, "k", "v", {iceberg::requirement::AssertTableUuid{v0.metadata->table_uuid}}).front();
  EXPECT_EQ(v1.metadata->properties.at("k"), "v");
  EXPECT_THAT(v1.metadata_location, HasSubstr("/metadata/00001-"));
  ASSERT_EQ(v1.metadata->metadata_log.size(), 1u);
  EXPECT_EQ(v1.metadata->metadata_log[0].metadata_file, v0.metadata_location);
  EXPECT_EQ(v1.metadata->metadata_log[0].timestamp_ms, v0.metadata->last_updated_ms);
  EXPECT_EQ(catalog_->LoadTable(id).metadata_location, v1.metadata_location);
  EXPECT_TRUE(v0.io->Exists(v0.metadata_location));

  EXPECT_THAT(
      ErrorOf(ErrorKind::kCommitConflict, [&] { Set(id, "k", "w", {iceberg::requirement::AssertTableUuid{"other"}}); }),
      HasSubstr("db.t"));
  EXPECT_EQ(catalog_->LoadTable(id).metadata_location, v1.metadata_location);
  ErrorOf(ErrorKind::kNotFound, [&] { Set({{"db"}, "none"}, "k", "v"); });

  TableCommit nothing{id, {}, {}};
  EXPECT_EQ(catalog_->Commit({&nothing, 1}).front().metadata_location, v1.metadata_location);
}

TEST_P(CatalogContract, CommitOfTwoTablesIsAllOrNothing) {
  ASSERT_TRUE(catalog_->HasAtomicMultiTableCommit());
  TableIdentifier a{{"db"}, "a"};
  TableIdentifier b{{"db"}, "b"};
  std::string a0 = Create(a).metadata_location;
  std::string b0 = Create(b).metadata_location;
  TableCommit commits[] = {{a, {}, {iceberg::update::SetProperties{{{"n", "1"}}}}},
                           {b, {}, {iceberg::update::SetProperties{{{"n", "2"}}}}}};
  std::vector<LoadedTable> done = catalog_->Commit(commits);
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(catalog_->LoadTable(a).metadata->properties.at("n"), "1");
  EXPECT_EQ(catalog_->LoadTable(b).metadata->properties.at("n"), "2");

  commits[1].requirements = {iceberg::requirement::AssertTableUuid{"other"}};
  ErrorOf(ErrorKind::kCommitConflict, [&] { catalog_->Commit(commits); });
  EXPECT_EQ(catalog_->LoadTable(a).metadata_location, done[0].metadata_location);
  EXPECT_EQ(done[0].io->List(scratch_ / "warehouse/db/a/metadata").size(), 2u) << "the third file is removed";

  commits[1].table = a;
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->Commit(commits); }), HasSubstr("twice"));
}

TEST_P(CatalogContract, OldMetadataFilesAreDeletedWhereAsked) {
  TableIdentifier id{{"db"}, "t"};
  Create(id, {{"write.metadata.previous-versions-max", "2"}, {"write.metadata.delete-after-commit.enabled", "true"}});
  LoadedTable last;
  for (int i = 0; i < 5; ++i) last = Set(id, "i", std::to_string(i)).front();
  std::vector<std::string> left;
  for (const auto& file : last.io->List(scratch_ / "warehouse/db/t/metadata")) left.push_back(file.location);
  EXPECT_THAT(left, testing::UnorderedElementsAre(last.metadata_location, last.metadata->metadata_log[0].metadata_file,
                                                  last.metadata->metadata_log[1].metadata_file));
  EXPECT_THAT(last.metadata_location, HasSubstr("/00005-"));
}

TEST_P(CatalogContract, BadPropertyIsFoundBeforeTheSwap) {
  TableIdentifier id{{"db"}, "t"};
  LoadedTable table = Create(id);
  ErrorOf(ErrorKind::kInvalidArgument, [&] { Set(id, "write.metadata.delete-after-commit.enabled", "maybe"); });
  ErrorOf(ErrorKind::kInvalidArgument, [&] { Set(id, "write.metadata.compression-codec", "lzo"); });
  EXPECT_EQ(catalog_->LoadTable(id).metadata_location, table.metadata_location);
  EXPECT_EQ(table.io->List(scratch_ / "warehouse/db/t").size(), 1u);
}

TEST_P(CatalogContract, GzipMetadata) {
  TableIdentifier id{{"db"}, "t"};
  LoadedTable table = Create(id, {{"write.metadata.compression-codec", "gzip"}});
  EXPECT_THAT(table.metadata_location, testing::EndsWith(".gz.metadata.json"));
  EXPECT_THAT(table.io->ReadAll(table.metadata_location), testing::StartsWith("\x1f\x8b"));
  std::string uuid = table.metadata->table_uuid;
  table = {};
  EXPECT_EQ(catalog_->LoadTable(id).metadata->table_uuid, uuid);
}

TEST_P(CatalogContract, RenameAndRegister) {
  TableIdentifier from{{"db"}, "t"};
  TableIdentifier to{{"db2"}, "u"};
  std::string location = Create(from).metadata_location;
  ErrorOf(ErrorKind::kNotFound, [&] { catalog_->RenameTable(from, to); });
  Create({{"db2"}, "taken"});
  ErrorOf(ErrorKind::kAlreadyExists, [&] { catalog_->RenameTable(from, {{"db2"}, "taken"}); });
  catalog_->RenameTable(from, to);
  EXPECT_FALSE(catalog_->TableExists(from));
  EXPECT_EQ(catalog_->LoadTable(to).metadata_location, location);
  ErrorOf(ErrorKind::kNotFound, [&] { catalog_->RenameTable(from, to); });

  ErrorOf(ErrorKind::kAlreadyExists, [&] { catalog_->RegisterTable(to, location); });
  ErrorOf(ErrorKind::kNotFound, [&] { catalog_->RegisterTable(from, scratch_ / "none.metadata.json"); });
  ErrorOf(ErrorKind::kNotFound, [&] { catalog_->RegisterTable({{"none"}, "t"}, location); });
  std::ofstream(scratch_ / "bad.metadata.json") << "{";
  ErrorOf(ErrorKind::kCorrupt, [&] { catalog_->RegisterTable(from, scratch_ / "bad.metadata.json"); });
  EXPECT_TRUE(catalog_->DropTable(to, false));
  EXPECT_EQ(catalog_->RegisterTable(to, location).metadata_location, location);
  EXPECT_EQ(Set(to, "k", "v").front().metadata->properties.at("k"), "v");
}

TEST_P(CatalogContract, DropWithoutPurgeLeavesFiles) {
  TableIdentifier id{{"db"}, "t"};
  LoadedTable table = Create(id);
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog_->DropNamespace({"db"}); }), HasSubstr("holds t"));
  EXPECT_TRUE(catalog_->DropTable(id, false));
  EXPECT_FALSE(catalog_->DropTable(id, false));
  EXPECT_FALSE(catalog_->DropTable(id, true));
  EXPECT_TRUE(table.io->Exists(table.metadata_location));
  EXPECT_TRUE(catalog_->NamespaceExists({"db"}));
  EXPECT_TRUE(catalog_->DropNamespace({"db"}));
}

TEST_P(CatalogContract, PurgeDeletesWhatTheMetadataNames) {
  TableIdentifier id{{"db"}, "t"};
  LoadedTable table = Create(id);
  test::CommitOneFile(*catalog_, id, "a.parquet");
  test::CommitOneFile(*catalog_, id, "b.parquet");
  std::ofstream(scratch_ / "warehouse/db/t/data/stray.parquet") << "x";
  EXPECT_EQ(table.io->List(scratch_ / "warehouse/db/t").size(), 3u + 2 + 2 + 3);
  EXPECT_TRUE(catalog_->DropTable(id, true));
  std::vector<storage::FileInfo> left = table.io->List(scratch_ / "warehouse/db/t");
  ASSERT_EQ(left.size(), 1u);
  EXPECT_THAT(left[0].location, testing::EndsWith("stray.parquet"));
}

TEST_P(CatalogContract, PurgeWithoutGarbageCollectionKeepsDataFiles) {
  TableIdentifier id{{"db"}, "t"};
  LoadedTable table = Create(id, {{"gc.enabled", "false"}});
  test::CommitOneFile(*catalog_, id, "a.parquet");
  EXPECT_TRUE(catalog_->DropTable(id, true));
  std::vector<storage::FileInfo> left = table.io->List(scratch_ / "warehouse/db/t");
  ASSERT_EQ(left.size(), 1u);
  EXPECT_THAT(left[0].location, testing::EndsWith("/data/a.parquet"));
}

TEST_P(CatalogContract, PurgeNeedsTheMetadata) {
  TableIdentifier id{{"db"}, "t"};
  std::string location = Create(id).metadata_location;
  std::filesystem::remove(location);
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound, [&] { catalog_->LoadTable(id); }), HasSubstr("table db.t"));
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound, [&] { catalog_->DropTable(id, true); }), HasSubstr("without purge"));
  EXPECT_TRUE(catalog_->TableExists(id));
  EXPECT_TRUE(catalog_->DropTable(id, false));
}

TEST_P(CatalogContract, CommitsOfManyThreadsAreSerial) {
  TableIdentifier id{{"db"}, "t"};
  Create(id);
  std::atomic<int> conflicts{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < 10;) {
        try {
          Set(id, fmt::format("{}-{}", t, i), "x");
          ++i;
        } catch (const Error& e) {
          ASSERT_EQ(e.kind(), ErrorKind::kCommitConflict) << e.what();
          ++conflicts;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  LoadedTable table = catalog_->LoadTable(id);
  EXPECT_EQ(table.metadata->properties.size(), 41u);
  EXPECT_EQ(table.metadata->metadata_log.size(), 40u);
  EXPECT_THAT(table.metadata_location, HasSubstr("/00040-"));
  EXPECT_EQ(table.io->List(scratch_ / "warehouse/db/t/metadata").size(), 41u) << "losers removed their files";
}

}  // namespace
}  // namespace frazil::catalog
