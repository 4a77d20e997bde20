// SPDX-License-Identifier: Apache-2.0
// Statements that define, show and configure: catalogs, databases, tables, views, SET.
#include "sql/session_fixture.h"

namespace frazil::sql {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using SessionTest = SessionFixture;

TEST_F(SessionTest, StartsInTheBuiltInCatalog) {
  EXPECT_EQ(session_->current_catalog(), "default_catalog");
  EXPECT_EQ(session_->current_database(), "default_database");
  EXPECT_THAT(Rows("SHOW CATALOGS"), ElementsAre("default_catalog"));
  EXPECT_THAT(Rows("SHOW DATABASES"), ElementsAre("default_database"));
  EXPECT_THAT(Rows("SHOW TABLES"), IsEmpty());
  EXPECT_THAT(Rows("SHOW CURRENT CATALOG"), ElementsAre("default_catalog"));
  EXPECT_THAT(Rows("SHOW CURRENT DATABASE"), ElementsAre("default_database"));
}

TEST_F(SessionTest, CatalogsAndDatabases) {
  CreateLake();
  EXPECT_THAT(Rows("SHOW CATALOGS"), ElementsAre("default_catalog", "lake"));
  EXPECT_THAT(Rows("SHOW DATABASES"), ElementsAre("db", "default"));
  EXPECT_THAT(Rows("SHOW DATABASES LIKE 'd_'"), ElementsAre("db"));
  EXPECT_EQ(session_->current_catalog(), "lake");
  EXPECT_EQ(session_->current_database(), "db");
  EXPECT_THAT(Error(ErrorKind::kAlreadyExists, "CREATE DATABASE db"), HasSubstr("database 'db' exists already"));
  Run("CREATE DATABASE IF NOT EXISTS db; CREATE DATABASE other COMMENT 'of others' WITH ('owner' = 'me')");
  EXPECT_THAT(Rows("DESCRIBE DATABASE other"), AllOf(::testing::Contains("name|other"), ::testing::Contains("owner|me"),
                                                     ::testing::Contains("comment|of others")));
  Run("DROP DATABASE other");
  EXPECT_THAT(Rows("SHOW DATABASES"), ElementsAre("db", "default"));
  EXPECT_THAT(Error(ErrorKind::kNotFound, "DROP DATABASE other"), HasSubstr("there is no database 'other'"));
  Run("DROP DATABASE IF EXISTS other");
  EXPECT_THAT(Invalid("DROP DATABASE db"), HasSubstr("is in use"));
  Run("USE CATALOG lake");
  EXPECT_EQ(session_->current_database(), "default");
  EXPECT_THAT(Error(ErrorKind::kNotFound, "USE dbb"), HasSubstr("did you mean 'db'?"));
  EXPECT_THAT(Error(ErrorKind::kNotFound, "USE CATALOG lak"), HasSubstr("did you mean 'lake'?"));
}

TEST_F(SessionTest, CatalogsThatAreRefused) {
  EXPECT_THAT(Invalid("CREATE CATALOG c WITH ('catalog-type' = 'jdbc')"), HasSubstr("needs 'type' = 'iceberg'"));
  EXPECT_THAT(Unsupported("CREATE CATALOG c WITH ('type' = 'hive')"), HasSubstr("'type' = 'hive'"));
  EXPECT_THAT(Invalid("CREATE CATALOG c WITH ('type'='iceberg', 'catalog-type'='memory', 'warehouse'='/tmp/x', "
                      "'warehous' = 'y')"),
              AllOf(HasSubstr("'warehous'"), HasSubstr("warehouse"), HasSubstr("line 1, column 16")));
  EXPECT_THAT(Invalid("CREATE CATALOG c WITH ('a' = 'x', 'a' = 'y')"), HasSubstr("'a' is given twice"));
  EXPECT_THAT(Invalid("DROP CATALOG default_catalog"), HasSubstr("in use"));
}

TEST_F(SessionTest, ShowCreateCatalogHidesSecrets) {
  Run("CREATE CATALOG m WITH ('type'='iceberg', 'catalog-type'='jdbc', 'uri'='jdbc:sqlite:" + scratch_ / "m.db" +
      "', 'warehouse'='" + (scratch_ / "w") + "', 'jdbc.password'='hush')");
  EXPECT_THAT(
      Rows("SHOW CREATE CATALOG m").at(0),
      AllOf(HasSubstr("CREATE CATALOG `m` WITH ("), HasSubstr("'jdbc.password' = '****'"), Not(HasSubstr("hush"))));
  Run("DROP CATALOG m");
  EXPECT_THAT(Rows("SHOW CATALOGS"), ElementsAre("default_catalog"));
}

TEST_F(SessionTest, IcebergTableRoundTrip) {
  CreateLake();
  Run("CREATE TABLE t (id BIGINT COMMENT 'the key', name VARCHAR(20), price DECIMAL(12, 2), d DATE NOT NULL, "
      "t TIMESTAMP(3), seen TIMESTAMP_LTZ(3), tags ARRAY<STRING>, props MAP<STRING, INT>, "
      "place ROW<city STRING, zip INT NOT NULL>, PRIMARY KEY (id) NOT ENFORCED) COMMENT 'a table' "
      "PARTITIONED BY (name, bucket(16, id), months(d)) WITH ('write.parquet.compression-codec' = 'zstd')");
  EXPECT_THAT(Rows("SHOW TABLES"), ElementsAre("t"));
  EXPECT_THAT(Rows("DESCRIBE t"),
              ElementsAre("id|BIGINT|FALSE|PRI(id)|NULL|NULL|the key", "name|STRING|TRUE|NULL|NULL|NULL|NULL",
                          "price|DECIMAL(12, 2)|TRUE|NULL|NULL|NULL|NULL", "d|DATE|FALSE|NULL|NULL|NULL|NULL",
                          "t|TIMESTAMP(6)|TRUE|NULL|NULL|NULL|NULL", "seen|TIMESTAMP_LTZ(6)|TRUE|NULL|NULL|NULL|NULL",
                          "tags|ARRAY<STRING>|TRUE|NULL|NULL|NULL|NULL",
                          "props|MAP<STRING NOT NULL, INT>|TRUE|NULL|NULL|NULL|NULL",
                          "place|ROW<`city` STRING, `zip` INT NOT NULL>|TRUE|NULL|NULL|NULL|NULL"));
  EXPECT_EQ(Rows("SHOW CREATE TABLE t").at(0),
            "CREATE TABLE `lake`.`db`.`t` (\n  `id` BIGINT NOT NULL COMMENT 'the key',\n  `name` STRING,\n"
            "  `price` DECIMAL(12, 2),\n  `d` DATE NOT NULL,\n  `t` TIMESTAMP(6),\n  `seen` TIMESTAMP_LTZ(6),\n"
            "  `tags` ARRAY<STRING>,\n  `props` MAP<STRING NOT NULL, INT>,\n"
            "  `place` ROW<`city` STRING, `zip` INT NOT NULL>,\n"
            "  CONSTRAINT `PK_id` PRIMARY KEY (`id`) NOT ENFORCED\n) COMMENT 'a table'\n"
            "PARTITIONED BY (`name`, bucket(16, `id`), months(`d`))\nWITH (\n  'format-version' = '2',\n"
            "  'location' = '" +
                (scratch_ / "warehouse/db/t") + "',\n  'write.parquet.compression-codec' = 'zstd'\n)");
  EXPECT_THAT(Error(ErrorKind::kAlreadyExists, "CREATE TABLE t (a INT)"), HasSubstr("'lake.db.t' exists already"));
  Run("CREATE TABLE IF NOT EXISTS t (a INT)");
  Run("DROP TABLE t");
  EXPECT_THAT(Rows("SHOW TABLES"), IsEmpty());
  EXPECT_THAT(Error(ErrorKind::kNotFound, "DROP TABLE t"), HasSubstr("there is no table or view 'lake.db.t'"));
  Run("DROP TABLE IF EXISTS t");
}

TEST_F(SessionTest, IcebergTablesThatAreRefused) {
  CreateLake();
  EXPECT_THAT(Invalid("CREATE TABLE t (a INT) WITH ('connector' = 'print')"),
              HasSubstr("'connector' can't be given in an Iceberg catalog"));
  EXPECT_THAT(Unsupported("CREATE TABLE t (a INT, b AS a + 1)"),
              HasSubstr("computed columns are not supported in an Iceberg catalog"));
  EXPECT_THAT(Unsupported("CREATE TABLE t (a TIMESTAMP(3), WATERMARK FOR a AS a)"), HasSubstr("WATERMARK"));
  EXPECT_THAT(Unsupported("CREATE TABLE t (a INT, b INTERVAL DAY)"),
              AllOf(HasSubstr("column 'b'"), HasSubstr("no counterpart in Iceberg"), HasSubstr("column 24")));
  EXPECT_THAT(Invalid("CREATE TABLE t (a INT, a INT)"), HasSubstr("column 'a' is defined twice"));
  EXPECT_THAT(Invalid("CREATE TABLE t (a INT, PRIMARY KEY (b) NOT ENFORCED)"), HasSubstr("primary key column 'b'"));
  EXPECT_THAT(Invalid("CREATE TABLE t (a DOUBLE, PRIMARY KEY (a) NOT ENFORCED)"), HasSubstr("a"));
  EXPECT_THAT(Invalid("CREATE TABLE t (region STRING) PARTITIONED BY (regio)"),
              HasSubstr("partition column 'regio' is not a column of the table (did you mean 'region'?)"));
  EXPECT_THAT(Invalid("CREATE TABLE t (a STRING) PARTITIONED BY (days(a))"), HasSubstr("day"));
  EXPECT_THAT(Invalid("CREATE TABLE t (a DATE) PARTITIONED BY (day_s(a))"), HasSubstr("unknown partition transform"));
  EXPECT_THAT(Invalid("CREATE TABLE t (a INT) PARTITIONED BY (bucket(a))"),
              HasSubstr("a positive number and a column"));
  EXPECT_THAT(Unsupported("CREATE TABLE t AS SELECT 1 AS a"), HasSubstr("AS SELECT is not supported yet"));
  EXPECT_THAT(Error(ErrorKind::kNotFound, "CREATE TABLE lake.nope.t (a INT)"), HasSubstr("no database 'nope'"));
  EXPECT_THAT(Unsupported("CREATE VIEW v AS SELECT 1"), HasSubstr("views in an Iceberg catalog"));
}

TEST_F(SessionTest, AlterTable) {
  CreateLake();
  Run("CREATE TABLE t (a INT); ALTER TABLE t SET ('k' = 'v', 'commit.retry.num-retries' = '7')");
  EXPECT_THAT(Rows("SHOW CREATE TABLE t").at(0), AllOf(HasSubstr("'k' = 'v'"), HasSubstr("num-retries' = '7'")));
  Run("ALTER TABLE t RESET ('k')");
  EXPECT_THAT(Rows("SHOW CREATE TABLE t").at(0), Not(HasSubstr("'k' = 'v'")));
  Run("ALTER TABLE t RENAME TO u");
  EXPECT_THAT(Rows("SHOW TABLES"), ElementsAre("u"));
  EXPECT_THAT(Unsupported("ALTER TABLE u ADD b INT"), HasSubstr("ADD or MODIFY"));
  EXPECT_THAT(Unsupported("ALTER TABLE u DROP a"), HasSubstr("DROP of columns"));
  EXPECT_THAT(Unsupported("ALTER TABLE u SET ('location' = '/x')"), HasSubstr("'location'"));
  EXPECT_THAT(Error(ErrorKind::kNotFound, "ALTER TABLE x SET ('a' = 'b')"), HasSubstr("lake.db.x"));
}

TEST_F(SessionTest, ConnectorTables) {
  Run("CREATE TEMPORARY TABLE p (a INT NOT NULL, b STRING) WITH ('connector' = 'print')");
  EXPECT_THAT(Rows("SHOW TABLES"), ElementsAre("p"));
  EXPECT_THAT(Rows("DESCRIBE p"), ElementsAre("a|INT|FALSE|NULL|NULL|NULL", "b|STRING|TRUE|NULL|NULL|NULL"));
  EXPECT_EQ(Rows("SHOW CREATE TABLE p").at(0),
            "CREATE TEMPORARY TABLE `default_catalog`.`default_database`.`p` (\n  `a` INT NOT NULL,\n  `b` STRING\n)\n"
            "WITH (\n  'connector' = 'print'\n)");
  EXPECT_THAT(Invalid("DROP TABLE p"), HasSubstr("'default_catalog.default_database.p' is temporary"));
  Run("DROP TEMPORARY TABLE p");
  EXPECT_THAT(Rows("SHOW TABLES"), IsEmpty());
}

TEST_F(SessionTest, OptionsOfConnectorsAreCheckedAtCreate) {
  EXPECT_THAT(Invalid("CREATE TABLE p (a INT)"), HasSubstr("needs WITH ('connector' = '…')"));
  EXPECT_THAT(Error(ErrorKind::kNotFound, "CREATE TABLE p (a INT) WITH ('connector' = 'prin')"),
              AllOf(HasSubstr("prin"), HasSubstr("print")));
  EXPECT_THAT(Invalid("CREATE TABLE p (a INT) WITH ('connector' = 'print', 'print-identifer' = 'x')"),
              AllOf(HasSubstr("default_catalog.default_database.p"), HasSubstr("'print-identifer'"),
                    HasSubstr("print-identifier"), HasSubstr("line 1, column 14")));
  EXPECT_THAT(Invalid("CREATE TABLE f (a INT) WITH ('connector' = 'filesystem', 'format' = 'json')"),
              AllOf(HasSubstr("'path'"), HasSubstr("default_database.f")));
  EXPECT_THAT(Unsupported("CREATE TABLE f (a INT, b AS a) WITH ('connector' = 'print')"), HasSubstr("computed"));
}

TEST_F(SessionTest, TemporaryTablesHideOthers) {
  CreateLake();
  Run("CREATE TABLE t (a INT); CREATE TEMPORARY TABLE t (b STRING) WITH ('connector' = 'print')");
  EXPECT_THAT(Rows("DESCRIBE t"), ElementsAre("b|STRING|TRUE|NULL|NULL|NULL"));
  EXPECT_THAT(Rows("SHOW TABLES"), ElementsAre("t"));
  Run("DROP TEMPORARY TABLE t");
  EXPECT_THAT(Rows("DESCRIBE t"), ElementsAre("a|INT|TRUE|NULL|NULL|NULL"));
}

TEST_F(SessionTest, Views) {
  Run("CREATE TEMPORARY VIEW v (x, y) AS SELECT a, a + 1 FROM (VALUES (1), (2)) AS t (a)");
  EXPECT_THAT(Rows("SHOW VIEWS"), ElementsAre("v"));
  EXPECT_THAT(Rows("SELECT y FROM v WHERE x = 2"), ElementsAre("3"));
  EXPECT_THAT(Rows("DESCRIBE v"), ElementsAre("x|INT|FALSE|NULL|NULL|NULL", "y|INT|FALSE|NULL|NULL|NULL"));
  EXPECT_THAT(Rows("SHOW CREATE VIEW v").at(0), HasSubstr("AS\nSELECT a, a + 1 FROM (VALUES (1), (2)) AS t (a)"));
  EXPECT_THAT(Invalid("CREATE TEMPORARY VIEW w AS SELECT nope"), HasSubstr("unknown column 'nope'"));
  EXPECT_THAT(Invalid("DROP TEMPORARY TABLE v"), HasSubstr("is a view: use DROP VIEW"));
  Run("DROP TEMPORARY VIEW v");
  EXPECT_THAT(Rows("SHOW VIEWS"), IsEmpty());
  EXPECT_THAT(Error(ErrorKind::kNotFound, "SELECT * FROM v"), HasSubstr("default_catalog.default_database.v"));
}

TEST_F(SessionTest, SetAndReset) {
  EXPECT_EQ(session_->GetConfig("table.dml-sync"), "false");
  EXPECT_EQ(session_->GetConfig("pipeline.name"), std::nullopt);
  Run("SET 'table.dml-sync' = 'true'; SET 'execution.checkpointing.interval' = '1 s'");
  EXPECT_EQ(session_->GetConfig("table.dml-sync"), "true");
  EXPECT_THAT(Rows("SET"),
              ElementsAre("execution.checkpointing.interval|1 s", "table.dml-sync|true", "table.local-time-zone|UTC"));
  Run("RESET 'table.dml-sync'");
  EXPECT_EQ(session_->GetConfig("table.dml-sync"), "false");
  Run("RESET");
  EXPECT_THAT(Rows("SET"), ElementsAre("table.local-time-zone|UTC"));
}

TEST_F(SessionTest, UnknownKeysAndBadValuesAreRefused) {
  EXPECT_THAT(Invalid("SET 'execution.checkpointing.intervall' = '1 s'"),
              AllOf(HasSubstr("unknown configuration key 'execution.checkpointing.intervall'"),
                    HasSubstr("did you mean 'execution.checkpointing.interval'?"), HasSubstr("column 5")));
  EXPECT_THAT(Invalid("SET 'execution.checkpointing.interval' = 'soon'"), HasSubstr("soon"));
  EXPECT_THAT(Invalid("SET 'parallelism.default' = '0'"), HasSubstr("parallelism.default"));
  EXPECT_THAT(Invalid("SET 'table.local-time-zone' = 'Europe/Berlim'"),
              HasSubstr("'Europe/Berlim' is not a time zone"));
  EXPECT_THAT(Invalid("SET 'execution.runtime-mode' = 'fast'"), HasSubstr("fast"));
  EXPECT_THAT(Unsupported("SET 'execution.checkpointing.mode' = 'AT_LEAST_ONCE'"), HasSubstr("AT_LEAST_ONCE"));
  EXPECT_THAT(Unsupported("SET 'table.exec.iceberg.use-v2-sink' = 'false'"), HasSubstr("use-v2-sink"));
  EXPECT_THAT(Unsupported("SET 'sql-client.execution.result-mode' = 'changelog'"), HasSubstr("only 'tableau'"));
  EXPECT_THAT(Invalid("RESET 'nope'"), HasSubstr("unknown configuration key 'nope'"));
}

TEST_F(SessionTest, TheZoneOfTheSessionCutsDays) {
  const std::string query = "SELECT CAST(TO_TIMESTAMP_LTZ(1704121200000, 3) AS DATE)";
  EXPECT_THAT(Rows(query), ElementsAre("2024-01-01"));
  EXPECT_THAT(Rows("SET 'table.local-time-zone' = 'Asia/Tokyo'; " + query), ElementsAre("2024-01-02"));
}

TEST_F(SessionTest, WhatIsNotSupportedIsRefusedByName) {
  EXPECT_THAT(Unsupported("DELETE FROM t"), HasSubstr("DELETE is not supported yet"));
  EXPECT_THAT(Unsupported("UPDATE t SET a = 1"), HasSubstr("UPDATE is not supported yet"));
  EXPECT_THAT(Unsupported("TRUNCATE TABLE t"), HasSubstr("TRUNCATE TABLE is not supported yet"));
  EXPECT_THAT(Unsupported("CALL c.`system`.f()"), HasSubstr("CALL is not supported"));
  EXPECT_THAT(Unsupported("HELP"), HasSubstr("for the interactive shell"));
}

TEST_F(SessionTest, TextsAreMarkedAsSuch) {
  Run("CREATE TEMPORARY TABLE p (a INT) WITH ('connector' = 'print')");
  EXPECT_TRUE(Run("EXPLAIN SELECT 1").is_text);
  EXPECT_TRUE(Run("SHOW CREATE TABLE p").is_text);
  EXPECT_FALSE(Run("SHOW TABLES").is_text);
  EXPECT_FALSE(Run("SELECT 'a' AS `result`").is_text);
}

TEST_F(SessionTest, Functions) {
  EXPECT_THAT(Rows("SHOW FUNCTIONS LIKE 'COUN_'"), ElementsAre("COUNT"));
  EXPECT_THAT(Rows("SHOW FUNCTIONS"), ::testing::Contains("UPPER"));
  EXPECT_THAT(Rows("SHOW USER FUNCTIONS"), IsEmpty());
}

TEST_F(SessionTest, Completion) {
  CreateLake();
  Run("CREATE TABLE orders (`order` INT, amount INT)");
  EXPECT_THAT(session_->CompletionNames(),
              ElementsAre("`default`", "`order`", "amount", "db", "default_catalog", "lake", "orders"));
}

}  // namespace
}  // namespace frazil::sql
