// SPDX-License-Identifier: Apache-2.0
#include "frazil/catalog/sql_catalog.h"

#include <unistd.h>

#include <fstream>
#include <thread>

#include "catalog/fixture.h"

namespace frazil::catalog {
namespace {

using std::chrono::milliseconds;
using test::ErrorOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class SqlCatalogTest : public testing::Test {
 protected:
  std::string file() const { return scratch_ / "catalog.db"; }

  OptionMap Options(OptionMap more = {}) const {
    more.insert({{"catalog-type", "jdbc"}, {"uri", "jdbc:sqlite:" + file()}, {"warehouse", scratch_ / "warehouse"}});
    return more;
  }
  std::unique_ptr<Catalog> Open(OptionMap more = {}) const { return MakeCatalog("ice", Options(std::move(more))); }

  void Sql(const std::string& sql) const { SqliteConnection(file(), milliseconds(1000)).Execute(sql); }
  /// Rows of a query, columns joined by '|', NULL as "NULL".
  std::vector<std::string> Query(const std::string& sql, int columns) const {
    SqliteConnection connection(file(), milliseconds(1000));
    SqliteStatement statement(connection, sql);
    std::vector<std::string> rows;
    while (statement.Step()) {
      std::vector<std::string> row;
      for (int i = 0; i < columns; ++i) row.push_back(statement.Text(i).value_or("NULL"));
      rows.push_back(fmt::format("{}", fmt::join(row, "|")));
    }
    return rows;
  }
  std::vector<std::string> Columns(const std::string& table) const {
    return Query(fmt::format("SELECT name, type, \"notnull\", pk FROM pragma_table_info('{}')", table), 4);
  }

  /// A file as a V0 client leaves it, with one table `old.t`, and its metadata.
  void MakeOldFile() {
    std::string location;
    {
      auto catalog = MakeCatalog("ice", {{"catalog-type", "memory"}, {"warehouse", scratch_ / "warehouse"}});
      catalog->CreateNamespace({"old"}, {});
      location = catalog->CreateTable({{"old"}, "t"}, test::Creation()).metadata_location;
    }
    Sql("CREATE TABLE iceberg_tables(catalog_name VARCHAR(255) NOT NULL, table_namespace VARCHAR(255) NOT NULL,"
        "table_name VARCHAR(255) NOT NULL, metadata_location VARCHAR(1000), previous_metadata_location VARCHAR(1000),"
        "PRIMARY KEY (catalog_name, table_namespace, table_name))");
    Sql(fmt::format("INSERT INTO iceberg_tables VALUES ('ice', 'old', 't', '{}', NULL)", location));
  }

  test::ScratchDir scratch_;
};

TEST_F(SqlCatalogTest, LayoutIsThatOfJava) {
  Open();
  EXPECT_THAT(Columns("iceberg_tables"),
              ElementsAre("catalog_name|VARCHAR(255)|1|1", "table_namespace|VARCHAR(255)|1|2",
                          "table_name|VARCHAR(255)|1|3", "metadata_location|VARCHAR(1000)|0|0",
                          "previous_metadata_location|VARCHAR(1000)|0|0", "iceberg_type|VARCHAR(5)|0|0"));
  EXPECT_THAT(Columns("iceberg_namespace_properties"),
              ElementsAre("catalog_name|VARCHAR(255)|1|1", "namespace|VARCHAR(255)|1|2",
                          "property_key|VARCHAR(255)|0|3", "property_value|VARCHAR(1000)|0|0"));
}

TEST_F(SqlCatalogTest, RowsAreThoseOfJava) {
  auto catalog = Open();
  catalog->CreateNamespace({"a", "b"}, {{"comment", "x"}});
  std::string v0 = catalog->CreateTable({{"a", "b"}, "t"}, test::Creation()).metadata_location;
  EXPECT_THAT(Query("SELECT * FROM iceberg_tables", 6), ElementsAre("ice|a.b|t|" + v0 + "|NULL|TABLE"));
  EXPECT_THAT(Query("SELECT * FROM iceberg_namespace_properties ORDER BY property_key", 4),
              ElementsAre("ice|a.b|comment|x", "ice|a.b|exists|true"));
  TableCommit commit{{{"a", "b"}, "t"}, {}, {iceberg::update::SetProperties{{{"k", "v"}}}}};
  std::string v1 = catalog->Commit({&commit, 1}).front().metadata_location;
  EXPECT_THAT(Query("SELECT * FROM iceberg_tables", 6), ElementsAre("ice|a.b|t|" + v1 + "|" + v0 + "|TABLE"));
}

TEST_F(SqlCatalogTest, InternalMarkerIsHiddenAndProtected) {
  auto catalog = Open();
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [&] {
                        catalog->CreateNamespace({"db"}, {{"exists", "no"}});
                      }),
              HasSubstr("'exists'"));
  catalog->CreateNamespace({"db"}, {});
  EXPECT_EQ(catalog->NamespaceProperties({"db"}), OptionMap{});
  ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog->UpdateNamespaceProperties({"db"}, {}, {"exists"}); });
  ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog->UpdateNamespaceProperties({"db"}, {{"exists", "x"}}, {}); });
  // Others write properties without the marker: the namespace must not go with its last property.
  Sql("INSERT INTO iceberg_namespace_properties VALUES ('ice', 'theirs', 'k', 'v')");
  catalog->UpdateNamespaceProperties({"theirs"}, {}, {"k"});
  EXPECT_TRUE(catalog->NamespaceExists({"theirs"}));
}

TEST_F(SqlCatalogTest, CatalogsOfAnotherNameAreApart) {
  Open()->CreateNamespace({"db"}, {});
  auto other = MakeCatalog("other", Options());
  EXPECT_THAT(other->ListNamespaces({}), IsEmpty());
  EXPECT_FALSE(other->NamespaceExists({"db"}));
}

TEST_F(SqlCatalogTest, OldLayoutIsUsedAsItIs) {
  MakeOldFile();
  auto catalog = Open();
  EXPECT_EQ(Columns("iceberg_tables").size(), 5u);
  EXPECT_THAT(catalog->ListNamespaces({}), ElementsAre(Namespace{"old"}));
  EXPECT_THAT(catalog->ListTables({"old"}), ElementsAre(TableIdentifier{{"old"}, "t"}));
  TableCommit commit{{{"old"}, "t"}, {}, {iceberg::update::SetProperties{{{"k", "v"}}}}};
  std::string v1 = catalog->Commit({&commit, 1}).front().metadata_location;
  EXPECT_EQ(catalog->LoadTable({{"old"}, "t"}).metadata_location, v1);
  catalog->CreateTable({{"old"}, "new"}, test::Creation());
  catalog->RenameTable({{"old"}, "t"}, {{"old"}, "u"});
  EXPECT_THAT(catalog->ListTables({"old"}),
              ElementsAre(TableIdentifier{{"old"}, "new"}, TableIdentifier{{"old"}, "u"}));
  EXPECT_TRUE(catalog->DropTable({{"old"}, "u"}, true));
  EXPECT_EQ(Columns("iceberg_tables").size(), 5u);
}

TEST_F(SqlCatalogTest, OldLayoutIsUpgradedWhereAsked) {
  MakeOldFile();
  auto catalog = Open({{"jdbc.schema-version", "v1"}});
  EXPECT_EQ(Columns("iceberg_tables").size(), 6u);
  EXPECT_THAT(Query("SELECT table_name, iceberg_type FROM iceberg_tables", 2), ElementsAre("t|NULL"));
  // NULL is a table: listed, committed, renamed, dropped.
  EXPECT_THAT(catalog->ListTables({"old"}), ElementsAre(TableIdentifier{{"old"}, "t"}));
  TableCommit commit{{{"old"}, "t"}, {}, {iceberg::update::SetProperties{{{"k", "v"}}}}};
  catalog->Commit({&commit, 1});
  catalog->RenameTable({{"old"}, "t"}, {{"old"}, "u"});
  EXPECT_TRUE(catalog->DropTable({{"old"}, "u"}, false));
}

TEST_F(SqlCatalogTest, NewFileInTheOldLayoutWhereAsked) {
  Open({{"jdbc.schema-version", "V0"}});
  EXPECT_EQ(Columns("iceberg_tables").size(), 5u);
  Open();
  EXPECT_EQ(Columns("iceberg_tables").size(), 5u) << "only V1 by name upgrades";
}

TEST_F(SqlCatalogTest, ViewsAreNotTables) {
  auto catalog = Open();
  catalog->CreateNamespace({"db"}, {});
  catalog->CreateTable({{"db"}, "t"}, test::Creation());
  Sql("INSERT INTO iceberg_tables VALUES ('ice', 'db', 'v', 'file:///v.json', NULL, 'VIEW')");
  EXPECT_THAT(catalog->ListTables({"db"}), ElementsAre(TableIdentifier{{"db"}, "t"}));
  EXPECT_FALSE(catalog->TableExists({{"db"}, "v"}));
  ErrorOf(ErrorKind::kNotFound, [&] { catalog->LoadTable({{"db"}, "v"}); });
  EXPECT_FALSE(catalog->DropTable({{"db"}, "v"}, false));
  ErrorOf(ErrorKind::kNotFound, [&] { catalog->RenameTable({{"db"}, "v"}, {{"db"}, "w"}); });
  EXPECT_THAT(ErrorOf(ErrorKind::kAlreadyExists,
                      [&] {
                        catalog->RenameTable({{"db"}, "t"}, {{"db"}, "v"});
                      }),
              HasSubstr("view db.v"));
  EXPECT_THAT(ErrorOf(ErrorKind::kAlreadyExists,
                      [&] {
                        catalog->CreateTable({{"db"}, "v"}, test::Creation());
                      }),
              HasSubstr("view db.v"));
  EXPECT_EQ(Query("SELECT * FROM iceberg_tables", 6).size(), 2u);
  catalog->DropTable({{"db"}, "t"}, false);
  ErrorOf(ErrorKind::kInvalidArgument, [&] { catalog->DropNamespace({"db"}); });
}

TEST_F(SqlCatalogTest, InitCatalogTables) {
  EXPECT_THAT(ErrorOf(ErrorKind::kNotFound,
                      [&] {
                        Open({{"jdbc.init-catalog-tables", "false"}});
                      }),
              HasSubstr("jdbc.init-catalog-tables"));
  Open();
  EXPECT_THAT(Open({{"jdbc.init-catalog-tables", "false"}})->ListNamespaces({}), IsEmpty());
}

TEST_F(SqlCatalogTest, ForeignFileIsCorrupt) {
  Sql("CREATE TABLE iceberg_tables(a TEXT)");
  Sql("CREATE TABLE iceberg_namespace_properties(a TEXT)");
  auto catalog = Open();
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt, [&] { catalog->ListNamespaces({}); }), HasSubstr("another layout"));
  std::ofstream(scratch_ / "text.db") << std::string(4096, 'x');
  EXPECT_THAT(ErrorOf(ErrorKind::kCorrupt,
                      [&] {
                        Open({{"uri", "jdbc:sqlite:" + (scratch_ / "text.db")}});
                      }),
              HasSubstr("text.db"));
}

TEST_F(SqlCatalogTest, SecondHandleSeesCommitsAndConflicts) {
  auto a = Open();
  auto b = Open();
  a->CreateNamespace({"db"}, {});
  TableIdentifier id{{"db"}, "t"};
  LoadedTable v0 = a->CreateTable(id, test::Creation());
  LoadedTable held = b->LoadTable(id);
  EXPECT_EQ(held.metadata_location, v0.metadata_location);
  TableCommit commit{id, {}, {iceberg::update::SetProperties{{{"k", "a"}}}}};
  LoadedTable v1 = a->Commit({&commit, 1}).front();
  EXPECT_EQ(held.metadata->properties.count("k"), 0u) << "what was loaded never changes";
  EXPECT_EQ(b->LoadTable(id).metadata->properties.at("k"), "a");
}

TEST_F(SqlCatalogTest, LockedFileIsUnavailableAndNothingChanges) {
  auto metastore = MetastoreSettings{scratch_ / "warehouse", {}, {}, false, storage::MakeFileIO({})};
  SqlCatalog catalog("ice", metastore, {file(), {}, true, milliseconds(50)});
  catalog.CreateNamespace({"db"}, {});
  TableIdentifier id{{"db"}, "t"};
  LoadedTable table = catalog.CreateTable(id, test::Creation());
  TableCommit commit{id, {}, {iceberg::update::SetProperties{{{"k", "v"}}}}};
  {
    SqliteConnection writer(file(), milliseconds(1000));
    SqliteTransaction transaction(writer);
    EXPECT_THAT(ErrorOf(ErrorKind::kUnavailable, [&] { catalog.Commit({&commit, 1}); }), HasSubstr("held its lock"));
  }
  {
    // A reader lets the update happen, but not its commit.
    SqliteConnection reader(file(), milliseconds(1000));
    SqliteStatement statement(reader, "SELECT property_key FROM iceberg_namespace_properties UNION ALL SELECT 'x'");
    ASSERT_TRUE(statement.Step());
    ErrorOf(ErrorKind::kUnavailable, [&] { catalog.Commit({&commit, 1}); });
  }
  EXPECT_EQ(catalog.LoadTable(id).metadata_location, table.metadata_location);
  EXPECT_EQ(table.io->List(scratch_ / "warehouse").size(), 1u) << "the new metadata files are gone";
  EXPECT_EQ(catalog.Commit({&commit, 1}).front().metadata->properties.at("k"), "v");
}

TEST_F(SqlCatalogTest, WaitsForAShortLock) {
  auto catalog = Open();
  auto writer = std::make_unique<SqliteConnection>(file(), milliseconds(1000));
  auto transaction = std::make_unique<SqliteTransaction>(*writer);
  std::thread release([&] {
    std::this_thread::sleep_for(milliseconds(100));
    transaction.reset();
    writer.reset();
  });
  catalog->CreateNamespace({"db"}, {});
  release.join();
  EXPECT_TRUE(catalog->NamespaceExists({"db"}));
}

TEST_F(SqlCatalogTest, ReadOnlyFileCanBeReadAndSaysSo) {
  if (geteuid() == 0) GTEST_SKIP() << "root writes to everything";
  Open()->CreateNamespace({"db"}, {});
  std::filesystem::permissions(file(), std::filesystem::perms::owner_read);
  auto catalog = Open();
  EXPECT_TRUE(catalog->NamespaceExists({"db"}));
  EXPECT_THAT(ErrorOf(ErrorKind::kUnavailable, [&] { catalog->CreateNamespace({"db2"}, {}); }), HasSubstr("readonly"));
}

TEST(SqlitePath, Forms) {
  EXPECT_EQ(SqlitePath("jdbc:sqlite:/w/c.db"), "/w/c.db");
  EXPECT_EQ(SqlitePath("jdbc:sqlite:c.db"), "c.db");
  EXPECT_EQ(SqlitePath("jdbc:sqlite:file:/w/c.db?mode=ro"), "file:/w/c.db?mode=ro");
  EXPECT_EQ(SqlitePath("sqlite:////w/c.db"), "/w/c.db");
  EXPECT_EQ(SqlitePath("sqlite:///c.db"), "c.db");
  EXPECT_EQ(SqlitePath("sqlite://"), ":memory:");
  EXPECT_EQ(SqlitePath("jdbc:sqlite::memory:"), ":memory:");
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [] { SqlitePath("/w/c.db"); }),
              HasSubstr("write jdbc:sqlite:/w/c.db"));
  ErrorOf(ErrorKind::kInvalidArgument, [] { SqlitePath("sqlite://w/c.db"); });
  ErrorOf(ErrorKind::kInvalidArgument, [] { SqlitePath("jdbc:sqlite:"); });
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument, [] { SqlitePath("jdbc:sqlite:/w/c.db?journal_mode=WAL"); }),
              HasSubstr("parameters"));
  ErrorOf(ErrorKind::kUnsupported, [] { SqlitePath("jdbc:postgresql://host/db"); });
  ErrorOf(ErrorKind::kUnsupported, [] { SqlitePath("postgresql://host/db"); });
}

TEST_F(SqlCatalogTest, UriWithParameters) {
  Open()->CreateNamespace({"db"}, {});
  auto catalog = Open({{"uri", "jdbc:sqlite:file:" + file() + "?mode=ro"}});
  EXPECT_TRUE(catalog->NamespaceExists({"db"}));
  ErrorOf(ErrorKind::kUnavailable, [&] { catalog->CreateNamespace({"db2"}, {}); });
}

TEST_F(SqlCatalogTest, FoldersAboveTheFileAreMade) {
  MakeCatalog("ice", Options({{"uri", "sqlite:///" + (scratch_ / "a/b/c.db")}}))->CreateNamespace({"db"}, {});
  EXPECT_TRUE(std::filesystem::exists(scratch_ / "a/b/c.db"));
}

TEST_F(SqlCatalogTest, OptionsAreHonouredOrRefused) {
  auto error = [&](ErrorKind kind, OptionMap more) { return ErrorOf(kind, [&] { Open(std::move(more)); }); };
  EXPECT_THAT(error(ErrorKind::kInvalidArgument, {{"jdbc.schema_version", "V1"}}),
              HasSubstr("did you mean 'jdbc.schema-version'?"));
  error(ErrorKind::kInvalidArgument, {{"jdbc.schema-version", "V2"}});
  error(ErrorKind::kInvalidArgument, {{"clients", "0"}});
  error(ErrorKind::kUnsupported, {{"jdbc.strict-mode", "false"}});
  error(ErrorKind::kUnsupported, {{"io-impl", "org.apache.iceberg.aws.s3.S3FileIO"}});
  error(ErrorKind::kUnsupported, {{"warehouse", "s3://bucket/w"}});
  error(ErrorKind::kInvalidArgument, {{"warehouse", ""}});
  error(ErrorKind::kInvalidArgument, {{"catalog-impl", "org.apache.iceberg.jdbc.JdbcCatalog"}});
  for (const char* type : {"hive", "hadoop", "rest", "glue", "nessie", "dynamodb"}) {
    EXPECT_THAT(error(ErrorKind::kUnsupported, {{"catalog-type", type}}),
                testing::AllOf(HasSubstr(type), HasSubstr("'jdbc'")));
  }
  error(ErrorKind::kInvalidArgument, {{"catalog-type", "jbdc"}});
  Open({{"jdbc.user", "u"},
        {"jdbc.password", "p"},
        {"clients", "2"},
        {"jdbc.strict-mode", "true"},
        {"io-impl", "org.apache.iceberg.hadoop.HadoopFileIO"},
        {"frazil.storage.path-prefix-map", "hdfs://x=/y"}});
}

TEST(MakeCatalog, ByImplementation) {
  test::ScratchDir scratch;
  OptionMap options{{"catalog-impl", "org.apache.iceberg.jdbc.JdbcCatalog"},
                    {"uri", "jdbc:sqlite:" + (scratch / "c.db")},
                    {"warehouse", "file://" + (scratch / "w") + "/"}};
  auto catalog = MakeCatalog("ice", options);
  EXPECT_EQ(catalog->name(), "ice");
  catalog->CreateNamespace({"db"}, {});
  EXPECT_EQ(catalog->CreateTable({{"db"}, "t"}, test::Creation()).metadata->location, "file://" + (scratch / "w/db/t"));
  options["catalog-impl"] = "org.apache.iceberg.aws.glue.GlueCatalog";
  ErrorOf(ErrorKind::kUnsupported, [&] { MakeCatalog("ice", options); });
  options.erase("catalog-impl");
  EXPECT_THAT(ErrorOf(ErrorKind::kUnsupported, [&] { MakeCatalog("ice", options); }), HasSubstr("hive"));
  EXPECT_THAT(ErrorOf(ErrorKind::kInvalidArgument,
                      [&] {
                        MakeCatalog("ice", {{"catalog-type", "jdbc"}});
                      }),
              HasSubstr("warehouse"));
  auto relative = MakeCatalog("ice", {{"catalog-type", "memory"}, {"warehouse", "some/../w"}});
  relative->CreateNamespace({"db"}, {});
  TableCreation creation = test::Creation();
  EXPECT_EQ(relative->CreateTable({{"db"}, "t"}, creation).metadata->location,
            (std::filesystem::current_path() / "w/db/t").string());
  std::filesystem::remove_all("w");
}

}  // namespace
}  // namespace frazil::catalog
