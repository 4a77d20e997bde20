// SPDX-License-Identifier: Apache-2.0
// INSERT end to end: from files, VALUES and tables into Iceberg tables and print, and the checks before anything runs.
#include "sql/session_fixture.h"

namespace frazil::sql {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class InsertTest : public SessionFixture {
 protected:
  InsertTest() { CreateLake(); }

  void CreateEvents() {
    WriteFile("in/1.json",
              "{\"id\":1,\"region\":\"eu\",\"amount\":\"10.50\",\"ts\":\"2024-01-01 10:00:00\",\"extra\":{\"x\":1}}\n"
              "{\"id\":2,\"region\":\"us\",\"amount\":3.25,\"ts\":\"2024-01-02 11:30:00.123\"}\n");
    WriteFile("in/2.json", "{\"id\":3,\"region\":null,\"amount\":null,\"ts\":null}\n{\"id\":4,\"region\":\"eu\"}\n");
    Run("CREATE TEMPORARY TABLE incoming (id INT NOT NULL, region STRING, amount DECIMAL(10, 2), ts TIMESTAMP(3)) "
        "WITH ('connector' = 'filesystem', 'path' = '" +
        (scratch_ / "in") + "', 'format' = 'json')");
  }
};

TEST_F(InsertTest, FromFilesIntoAPartitionedTable) {
  CreateEvents();
  Run("CREATE TABLE events (id BIGINT NOT NULL, region STRING, amount DECIMAL(12, 2), ts TIMESTAMP(6)) "
      "PARTITIONED BY (region)");
  StatementResult job =
      Run("INSERT INTO events SELECT id, COALESCE(region, 'none'), amount, ts FROM incoming WHERE id <> 4");
  EXPECT_EQ(job.kind, StatementResult::Kind::kJob);
  EXPECT_EQ(job.job->target, "lake.db.events");
  EXPECT_EQ(job.job->execution->name(), "test.insert-into_lake.db.events");
  EXPECT_EQ(job.job->execution->Status().rows_in, 4);
  EXPECT_EQ(job.job->execution->Status().rows_out, 3);
  EXPECT_THAT(
      Rows("SELECT * FROM events ORDER BY id"),
      ElementsAre("1|eu|10.50|2024-01-01 10:00:00.000000", "2|us|3.25|2024-01-02 11:30:00.123000", "3|none|NULL|NULL"));
  EXPECT_THAT(Rows("SELECT region, SUM(amount) FROM events GROUP BY region ORDER BY region"),
              ElementsAre("eu|10.50", "none|NULL", "us|3.25"));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM events$files"), ElementsAre("3"));
  EXPECT_THAT(Rows("SELECT operation, summary['added-records'] FROM `events$snapshots`"), ElementsAre("append|3"));
  EXPECT_THAT(Rows("SELECT CAST(`partition` AS STRING), record_count FROM events$partitions ORDER BY 1"),
              ElementsAre("(eu)|1", "(none)|1", "(us)|1"));
}

TEST_F(InsertTest, ASecondRunOfTheScriptReadsOnlyNewFiles) {
  CreateEvents();
  Run("CREATE TABLE ids (id INT); INSERT INTO ids SELECT id FROM incoming");
  Open({});
  CreateLake();
  CreateEvents();
  WriteFile("in/3.json", "{\"id\":5}\n");
  Run("INSERT INTO ids SELECT id FROM incoming");
  EXPECT_THAT(Rows("SELECT id FROM ids ORDER BY id"), ElementsAre("1", "2", "3", "4", "5"));
}

TEST_F(InsertTest, ValuesAreInsertedByEveryRun) {
  Run("CREATE TABLE t (a INT, b STRING)");
  Run("INSERT INTO t VALUES (1, 'x'), (2, NULL)");
  EXPECT_THAT(Rows("SELECT * FROM t ORDER BY a"), ElementsAre("1|x", "2|NULL"));
  Run("INSERT INTO t VALUES (1, 'x')");
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM t"), ElementsAre("3"));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM t$snapshots"), ElementsAre("2"));
}

TEST_F(InsertTest, FromABatchQuery) {
  Run("CREATE TABLE t (k STRING, v INT); INSERT INTO t VALUES ('a', 1), ('b', 2), ('a', 3)");
  Run("CREATE TABLE sums (k STRING, total BIGINT); INSERT INTO sums SELECT k, SUM(v) FROM t GROUP BY k");
  EXPECT_THAT(Rows("SELECT * FROM sums ORDER BY k"), ElementsAre("a|4", "b|2"));
  Run("INSERT INTO sums SELECT k, v FROM t UNION ALL VALUES ('c', 9)");
  EXPECT_THAT(Rows("SELECT COUNT(*), SUM(total) FROM sums"), ElementsAre("6|21"));
}

TEST_F(InsertTest, ColumnsGoByPositionOrByTheList) {
  Run("CREATE TABLE t (a INT, b INT, `Key` STRING)");
  Run("INSERT INTO t SELECT 1, 2, 'k'");
  Run("INSERT INTO t (b, a) SELECT 3 AS a, 4 AS b");
  EXPECT_THAT(Rows("SELECT a, b, `Key` FROM t ORDER BY a"), ElementsAre("1|2|k", "4|3|NULL"));
  EXPECT_THAT(Invalid("INSERT INTO t (a, zz) VALUES (1, 2)"),
              AllOf(HasSubstr("table 'lake.db.t' has no column 'zz'"), HasSubstr("column 19")));
  EXPECT_THAT(Invalid("INSERT INTO t (a, a) VALUES (1, 2)"), HasSubstr("column 'a' is named twice"));
  EXPECT_THAT(Invalid("INSERT INTO t (key) VALUES ('x')"), HasSubstr("did you mean 'Key'?"));
}

TEST_F(InsertTest, TypesAndCountAreCheckedFirst) {
  Run("CREATE TABLE t (a INT, b STRING)");
  EXPECT_THAT(Invalid("INSERT INTO t SELECT 'x', 1"),
              HasSubstr("Column types of query result and sink for 'lake.db.t' do not match.\n"
                        "Cause: Incompatible types for sink column 'a' at position 0.\n\n"
                        "Query schema: [EXPR$0: CHAR(1) NOT NULL, EXPR$1: INT NOT NULL]\n"
                        "Sink schema:  [a: INT, b: STRING]"));
  EXPECT_THAT(Invalid("INSERT INTO t SELECT 1"), HasSubstr("Cause: Different number of columns."));
  EXPECT_THAT(Invalid("INSERT INTO t SELECT CAST(1 AS BIGINT), 'x'"), HasSubstr("sink column 'a' at position 0"));
  EXPECT_THAT(Error(ErrorKind::kNotFound, "INSERT INTO tt SELECT 1"), HasSubstr("did you mean 't'?"));
  EXPECT_THAT(Unsupported("INSERT OVERWRITE t SELECT 1, 'x'"), HasSubstr("INSERT OVERWRITE"));
  EXPECT_THAT(Unsupported("INSERT INTO t$files SELECT 1"), HasSubstr("metadata table"));
  EXPECT_THAT(Rows("SELECT * FROM t$snapshots"), IsEmpty());
}

TEST_F(InsertTest, WideningIsImplicit) {
  Run("CREATE TABLE t (a BIGINT, b DOUBLE, c DECIMAL(20, 5), d STRING, e TIMESTAMP(6))");
  Run("INSERT INTO t SELECT CAST(1 AS TINYINT), 2, 3.25, CAST('x' AS VARCHAR(3)), TIMESTAMP '2024-01-01 00:00:00'");
  EXPECT_THAT(Rows("SELECT * FROM t"), ElementsAre("1|2.0|3.25000|x|2024-01-01 00:00:00.000000"));
}

TEST_F(InsertTest, NotNullIsEnforcedAsItRuns) {
  Run("CREATE TABLE t (a INT NOT NULL, b INT)");
  EXPECT_THAT(Invalid("INSERT INTO t VALUES (1, 1), (CAST(NULL AS INT), 2)"),
              HasSubstr("Column 'a' of table 'lake.db.t' is NOT NULL, however, a null value is being written into it"));
  EXPECT_THAT(Rows("SELECT * FROM t"), IsEmpty());
  Run("SET 'table.exec.sink.not-null-enforcer' = 'DROP'; INSERT INTO t VALUES (1, 1), (CAST(NULL AS INT), 2)");
  EXPECT_THAT(Rows("SELECT * FROM t"), ElementsAre("1|1"));
  EXPECT_THAT(Invalid("INSERT INTO t (b) VALUES (1)"), HasSubstr("column 'a' of table 'lake.db.t' is NOT NULL"));
}

TEST_F(InsertTest, ErrorsOfRunningJobsShowTheirPlace) {
  WriteFile("bad/1.json", "{\"s\":\"1\"}\n{\"s\":\"12a\"}\n");
  Run("CREATE TEMPORARY TABLE s (s STRING) WITH ('connector' = 'filesystem', 'format' = 'json', 'path' = '" +
      (scratch_ / "bad") + "'); CREATE TABLE t (a INT)");
  EXPECT_THAT(Invalid("INSERT INTO t\nSELECT CAST(s AS INT) FROM s"),
              AllOf(HasSubstr("12a"), HasSubstr("line 2, column 8"), HasSubstr("^")));
  EXPECT_THAT(Rows("SELECT * FROM t"), IsEmpty());
}

TEST_F(InsertTest, Print) {
  CreateEvents();
  Run("CREATE TEMPORARY TABLE p (id INT, big STRING) WITH ('connector' = 'print')");
  Run("INSERT INTO p SELECT id, UPPER(region) FROM incoming WHERE region = 'us'");
  EXPECT_EQ(printed_.str(), "+I[2, US]\n");
  Run("INSERT INTO p /*+ OPTIONS('print-identifier' = 'out') */ VALUES (7, 'x')");
  EXPECT_THAT(printed_.str(), HasSubstr("out> +I[7, x]\n"));
  EXPECT_THAT(Invalid("INSERT INTO p /*+ OPTIONS('print-identifer' = 'out') */ VALUES (7, 'x')"),
              HasSubstr("print-identifer"));
}

TEST_F(InsertTest, WriteOptionsAreHonouredOrRefused) {
  Run("CREATE TABLE t (a INT)");
  Run("INSERT INTO t /*+ OPTIONS('branch' = 'audit') */ VALUES (1)");
  EXPECT_THAT(Rows("SELECT * FROM t"), IsEmpty());
  EXPECT_THAT(Rows("SELECT a FROM t /*+ OPTIONS('branch' = 'audit') */"), ElementsAre("1"));
  EXPECT_THAT(Unsupported("INSERT INTO t /*+ OPTIONS('upsert-enabled' = 'true') */ VALUES (1)"), HasSubstr("upsert"));
  EXPECT_THAT(Invalid("INSERT INTO t /*+ OPTIONS('brunch' = 'x') */ VALUES (1)"),
              AllOf(HasSubstr("brunch"), HasSubstr("branch")));
}

TEST_F(InsertTest, JobNames) {
  Run("CREATE TEMPORARY TABLE b (a INT) WITH ('connector' = 'blackhole')");
  EXPECT_EQ(Run("INSERT INTO b VALUES (1)").job->execution->name(), "test.insert-into_lake.db.b");
  EXPECT_EQ(Run("INSERT INTO b VALUES (1)").job->execution->name(), "test.insert-into_lake.db.b-2");
  EXPECT_EQ(Run("SET 'pipeline.name' = 'mine'; INSERT INTO b VALUES (1)").job->execution->name(), "mine");
  EXPECT_EQ(Run("INSERT INTO b VALUES (1)").job->execution->name(), "mine-2");
}

TEST_F(InsertTest, UnboundedSources) {
  Run("CREATE TEMPORARY TABLE g (a INT) WITH ('connector' = 'datagen')");
  EXPECT_THAT(Unsupported("SELECT * FROM g"),
              AllOf(HasSubstr("'lake.db.g' never ends"), HasSubstr("'connector' = 'print'")));
  Run("CREATE TEMPORARY TABLE b (a INT) WITH ('connector' = 'blackhole')");
  EXPECT_THAT(Unsupported("INSERT INTO b SELECT MAX(a) FROM g"), HasSubstr("never ends"));
  EXPECT_THAT(Unsupported("INSERT INTO b SELECT a FROM g UNION ALL VALUES (1)"), HasSubstr("write two INSERTs"));
  EXPECT_THAT(Unsupported("SET 'execution.runtime-mode' = 'batch'; INSERT INTO b SELECT a FROM g"),
              HasSubstr("which 'execution.runtime-mode' = 'batch' excludes"));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM g /*+ OPTIONS('number-of-rows' = '5') */"), ElementsAre("5"));
}

TEST_F(InsertTest, BatchQueriesOverFiles) {
  CreateEvents();
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM incoming"), ElementsAre("4"));
  EXPECT_THAT(Rows("SELECT region, COUNT(*) FROM incoming GROUP BY region ORDER BY region NULLS LAST"),
              ElementsAre("eu|2", "us|1", "NULL|1"));
  EXPECT_THAT(Rows("SELECT id FROM incoming LIMIT 1"), ElementsAre("1"));
}

TEST_F(InsertTest, SeveralInputsOfOneSink) {
  CreateEvents();
  Run("CREATE TEMPORARY TABLE p (id INT) WITH ('connector' = 'print')");
  Run("INSERT INTO p SELECT id FROM incoming WHERE id = 1 UNION ALL SELECT id * 10 FROM incoming WHERE id = 2");
  EXPECT_THAT(printed_.str(), AllOf(HasSubstr("+I[1]\n"), HasSubstr("+I[20]\n")));
}

TEST_F(InsertTest, DaysOfTimestampsBeforeTheEpoch) {
  Run("CREATE TABLE t (ts TIMESTAMP(6)) PARTITIONED BY (days(ts))");
  Run("INSERT INTO t VALUES (TIMESTAMP '1969-12-31 23:59:59.999999'), (TIMESTAMP '1970-01-01 00:00:00')");
  EXPECT_THAT(Rows("SELECT ts FROM t WHERE CAST(ts AS DATE) = DATE '1969-12-31'"),
              ElementsAre("1969-12-31 23:59:59.999999"));
  EXPECT_THAT(Rows("SELECT ts FROM t WHERE ts < TIMESTAMP '1970-01-01 00:00:00'"),
              ElementsAre("1969-12-31 23:59:59.999999"));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM t$files"), ElementsAre("2"));
}

TEST_F(InsertTest, ConstantsAreNotNarrowedToTheColumn) {
  Run("CREATE TABLE t (f FLOAT, a INT); INSERT INTO t VALUES (CAST(0.1 AS FLOAT), 2)");
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM t WHERE f > CAST(0.1 AS DOUBLE)"), ElementsAre("1"));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM t WHERE f = CAST(0.1 AS DOUBLE)"), ElementsAre("0"));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM t WHERE f = CAST(CAST(0.1 AS FLOAT) AS DOUBLE)"), ElementsAre("1"));
  EXPECT_THAT(Rows("SELECT COUNT(*) FROM t WHERE a > 1.5"), ElementsAre("1"));
}

TEST_F(InsertTest, ExplainShowsWhatIsPushedDown) {
  CreateEvents();
  Run("CREATE TABLE t (a INT, b STRING, c STRING)");
  EXPECT_EQ(Rows("EXPLAIN PLAN FOR SELECT b FROM t WHERE a > 5 AND UPPER(b) = 'X' LIMIT 3").at(0),
            "== Optimized Execution Plan ==\n"
            "Limit(offset=[0], fetch=[3])\n"
            "+- Calc(select=[b])\n"
            "   +- Filter(where=[((a > 5) AND (UPPER(b) = 'X'))])\n"
            "      +- TableSourceScan(table=[lake.db.t], fields=[a, b], pruning=[a > 5])\n");
  EXPECT_EQ(Rows("EXPLAIN INSERT INTO t (a) SELECT id FROM incoming").at(0),
            "== Optimized Execution Plan ==\n"
            "Sink(table=[lake.db.t], fields=[a, b, c])\n"
            "+- Calc(select=[id AS a, NULL AS b, NULL AS c])\n"
            "   +- TableSourceScan(table=[lake.db.incoming], fields=[id])\n");
}

TEST_F(InsertTest, FiltersPassThroughViewsAndSubqueries) {
  Run("CREATE TABLE t (a INT, b STRING); INSERT INTO t VALUES (1, 'abc'), (2, 'abd'), (3, 'x')");
  Run("CREATE TEMPORARY VIEW v AS SELECT a AS x, b AS y FROM t WHERE b LIKE 'ab%'");
  EXPECT_THAT(Rows("EXPLAIN SELECT y FROM v WHERE x IN (1, 3)").at(0),
              HasSubstr("pruning=[a IN 1 3 AND b starts with ab]"));
  EXPECT_THAT(Rows("SELECT y FROM v WHERE x IN (1, 3)"), ElementsAre("abc"));
}

TEST_F(InsertTest, StatementSetsAreOneJob) {
  CreateEvents();
  Run("CREATE TABLE eu (id INT); CREATE TABLE us (id INT)");
  const StatementResult result =
      Run("EXECUTE STATEMENT SET BEGIN INSERT INTO eu SELECT id FROM incoming WHERE region = 'eu'; "
          "INSERT INTO us SELECT id FROM incoming WHERE region = 'us'; END");
  EXPECT_EQ(result.job->target, "lake.db.eu,lake.db.us");
  EXPECT_THAT(Rows("SELECT id FROM eu ORDER BY id"), ElementsAre("1", "4"));
  EXPECT_THAT(Rows("SELECT id FROM us"), ElementsAre("2"));
}

TEST_F(InsertTest, TimeTravelByHints) {
  Run("CREATE TABLE t (a INT); INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)");
  const std::string first = Rows("SELECT CAST(snapshot_id AS STRING) FROM t$snapshots WHERE parent_id IS NULL").at(0);
  EXPECT_THAT(Rows("SELECT a FROM t /*+ OPTIONS('snapshot-id' = '" + first + "') */"), ElementsAre("1"));
  EXPECT_THAT(Error(ErrorKind::kNotFound, "SELECT a FROM t /*+ OPTIONS('snapshot-id' = '42') */"), HasSubstr("42"));
  EXPECT_THAT(Invalid("SELECT a FROM t /*+ OPTIONS('snapshot' = '42') */"),
              AllOf(HasSubstr("'snapshot'"), HasSubstr("snapshot-id")));
}

TEST_F(InsertTest, MetadataTablesThatAreUnknown) {
  Run("CREATE TABLE t (a INT)");
  EXPECT_THAT(Error(ErrorKind::kNotFound, "SELECT * FROM t$snapshot"),
              AllOf(HasSubstr("no metadata table 'snapshot'"), HasSubstr("did you mean 'snapshots'?")));
}

}  // namespace
}  // namespace frazil::sql
