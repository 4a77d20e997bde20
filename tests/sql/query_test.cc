// SPDX-License-Identifier: Apache-2.0
// Queries over VALUES: binding, aggregates, order, limits, joins, and what is refused.
#include "sql/session_fixture.h"

namespace frazil::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

using QueryTest = SessionFixture;

constexpr char kT[] =
    "WITH t (k, v, s) AS (VALUES ('a', 1, 'x'), ('b', 2, CAST(NULL AS STRING)), ('a', CAST(NULL AS INT), 'y'), "
    "('c', 4, 'x')) ";

std::string WithT(const std::string& query) { return kT + query; }

TEST_F(QueryTest, SelectWithoutFrom) {
  EXPECT_THAT(Rows("SELECT 1 + 1, 'a' AS s, NULL"), ElementsAre("2|a|NULL"));
  EXPECT_THAT(Types("SELECT 1 + 1, 'a' AS s, CAST(NULL AS INT)"),
              ElementsAre("EXPR$0 INT NOT NULL", "s CHAR(1) NOT NULL", "EXPR$2 INT"));
}

TEST_F(QueryTest, ValuesFindACommonType) {
  EXPECT_THAT(Rows("VALUES (1, 'a'), (2.5, 'bcd')"), ElementsAre("1.0|a", "2.5|bcd"));
  EXPECT_THAT(Invalid("VALUES (1), ('a')"), HasSubstr("column 1 of VALUES have no common type"));
  EXPECT_THAT(Invalid("VALUES (1), (2, 3)"), HasSubstr("has 2 columns, the first one has 1"));
}

TEST_F(QueryTest, NamesOfColumnsAreUnique) {
  EXPECT_THAT(Types(WithT("SELECT k, k, t.k AS z, v + 1 FROM t")),
              ElementsAre("k CHAR(1) NOT NULL", "k0 CHAR(1) NOT NULL", "z CHAR(1) NOT NULL", "EXPR$3 INT"));
}

TEST_F(QueryTest, StarsAndAliases) {
  EXPECT_THAT(Rows(WithT("SELECT x.*, v FROM t AS x WHERE v = 2")), ElementsAre("b|2|NULL|2"));
  EXPECT_THAT(Invalid("SELECT *"), HasSubstr("SELECT * needs a FROM"));
  EXPECT_THAT(Invalid(WithT("SELECT y.* FROM t")), HasSubstr("unknown table 'y'"));
  EXPECT_THAT(Invalid(WithT("SELECT vv FROM t")), HasSubstr("unknown column 'vv' (did you mean 'v'?)"));
}

TEST_F(QueryTest, WhereKeepsOnlyTrue) {
  EXPECT_THAT(Rows(WithT("SELECT k FROM t WHERE v > 1")), ElementsAre("b", "c"));
  EXPECT_THAT(Rows(WithT("SELECT k FROM t WHERE s IS NULL OR v = 4")), ElementsAre("b", "c"));
  EXPECT_THAT(Invalid(WithT("SELECT k FROM t WHERE v")), HasSubstr("WHERE needs a BOOLEAN, not INT"));
}

TEST_F(QueryTest, AggregatesWithoutGroups) {
  EXPECT_THAT(Rows(WithT("SELECT COUNT(*), COUNT(v), SUM(v), AVG(v), MIN(v), MAX(s) FROM t")),
              ElementsAre("4|3|7|2|1|y"));
  EXPECT_THAT(Types(WithT("SELECT COUNT(*) AS c, SUM(v) AS s, AVG(v) AS a, MIN(k) AS m FROM t")),
              ElementsAre("c BIGINT NOT NULL", "s INT", "a INT", "m CHAR(1)"));
}

TEST_F(QueryTest, AggregatesOverNothingGiveOneRow) {
  EXPECT_THAT(Rows(WithT("SELECT COUNT(*), COUNT(DISTINCT v), SUM(v), AVG(v), MAX(k) FROM t WHERE v > 100")),
              ElementsAre("0|0|NULL|NULL|NULL"));
  EXPECT_THAT(Rows(WithT("SELECT COUNT(*) FROM t WHERE v > 100")), ElementsAre("0"));
  EXPECT_THAT(Rows(WithT("SELECT SUM(v) FROM t WHERE v > 100")), ElementsAre("NULL"));
  EXPECT_THAT(Rows(WithT("SELECT k, COUNT(*) FROM t WHERE v > 100 GROUP BY k")), IsEmpty());
}

TEST_F(QueryTest, GroupBy) {
  EXPECT_THAT(Rows(WithT("SELECT k, COUNT(*), SUM(v) FROM t GROUP BY k ORDER BY k")),
              ElementsAre("a|2|1", "b|1|2", "c|1|4"));
  EXPECT_THAT(Rows(WithT("SELECT UPPER(k), SUM(v) * 10 + COUNT(*) FROM t GROUP BY UPPER(k) ORDER BY 2 DESC")),
              ElementsAre("C|41", "B|21", "A|12"));
  EXPECT_THAT(Rows(WithT("SELECT t.k FROM t GROUP BY k HAVING COUNT(*) > 1")), ElementsAre("a"));
  EXPECT_THAT(Rows(WithT("SELECT s, COUNT(*) FROM t GROUP BY s ORDER BY s")), ElementsAre("NULL|1", "x|2", "y|1"));
  EXPECT_THAT(Invalid(WithT("SELECT k, v FROM t GROUP BY k")),
              HasSubstr("column 'v' must be in GROUP BY or inside an aggregate function"));
  EXPECT_THAT(Invalid(WithT("SELECT * FROM t GROUP BY k")), HasSubstr("column 'v' of * is not in GROUP BY"));
  EXPECT_THAT(Unsupported(WithT("SELECT COUNT(*) FROM t GROUP BY 1")), HasSubstr("GROUP BY takes no positions"));
  EXPECT_THAT(Unsupported(WithT("SELECT COUNT(*) FROM t GROUP BY CUBE (k, v)")), HasSubstr("CUBE"));
}

TEST_F(QueryTest, DistinctAndFilterInAggregates) {
  EXPECT_THAT(Rows("SELECT COUNT(DISTINCT x), SUM(DISTINCT x), AVG(DISTINCT x), COUNT(x) "
                   "FROM (VALUES (1), (2), (2), (6), (CAST(NULL AS INT))) AS t (x)"),
              ElementsAre("3|9|3|4"));
  EXPECT_THAT(Rows(WithT("SELECT k, SUM(DISTINCT v), COUNT(DISTINCT s) FROM t GROUP BY k ORDER BY k")),
              ElementsAre("a|1|2", "b|2|0", "c|4|1"));
  EXPECT_THAT(Rows(WithT("SELECT COUNT(*) FILTER (WHERE s = 'x'), SUM(v) FILTER (WHERE k = 'b') FROM t")),
              ElementsAre("2|2"));
}

TEST_F(QueryTest, SumsHaveFlinksTypes) {
  EXPECT_THAT(Rows("SELECT SUM(x), AVG(x) FROM (VALUES (1.10), (2.25), (3.00)) AS t (x)"),
              ElementsAre("6.35|2.116667"));
  EXPECT_THAT(Types("SELECT SUM(x) AS s, AVG(x) AS a FROM (VALUES (1.10), (2.25)) AS t (x)"),
              ElementsAre("s DECIMAL(38, 2)", "a DECIMAL(38, 6)"));
  EXPECT_THAT(Rows("SELECT AVG(CAST(x AS DOUBLE)), AVG(x) FROM (VALUES (1), (2)) AS t (x)"), ElementsAre("1.5|1"));
  EXPECT_THAT(Invalid("SELECT SUM(x) FROM (VALUES (2147483647), (1)) AS t (x)"),
              HasSubstr("the result of SUM(x) is out of the range of INT"));
  EXPECT_THAT(Invalid("SELECT SUM('a')"), HasSubstr("SUM needs a number, not CHAR(1)"));
  EXPECT_THAT(Unsupported("SELECT STDDEV_POP(1)"), HasSubstr("STDDEV_POP is not supported yet"));
  EXPECT_THAT(Invalid("SELECT SUM(COUNT(*)) FROM (VALUES (1)) AS t (x)"), HasSubstr("not allowed here"));
}

TEST_F(QueryTest, MinAndMaxOfEveryKind) {
  EXPECT_THAT(Rows("SELECT MIN(d), MAX(d), MIN(ts), MAX(b), MIN(n), MAX(s) FROM (VALUES "
                   "(DATE '2024-01-02', TIMESTAMP '2024-01-02 03:04:05.678', TRUE, 1.5, 'abc'), "
                   "(DATE '1969-12-31', TIMESTAMP '1969-12-31 23:59:59.999', FALSE, -2.5, 'b')) AS t (d, ts, b, n, s)"),
              ElementsAre("1969-12-31|2024-01-02|1969-12-31 23:59:59.999|TRUE|-2.5|b"));
}

TEST_F(QueryTest, OrderByPutsNullsLowest) {
  EXPECT_THAT(Rows(WithT("SELECT v FROM t ORDER BY v")), ElementsAre("NULL", "1", "2", "4"));
  EXPECT_THAT(Rows(WithT("SELECT v FROM t ORDER BY v DESC")), ElementsAre("4", "2", "1", "NULL"));
  EXPECT_THAT(Rows(WithT("SELECT v FROM t ORDER BY v NULLS LAST")), ElementsAre("1", "2", "4", "NULL"));
  EXPECT_THAT(Rows(WithT("SELECT v FROM t ORDER BY v DESC NULLS FIRST")), ElementsAre("NULL", "4", "2", "1"));
}

TEST_F(QueryTest, NanIsTheLargestNumber) {
  const std::string t = " FROM (SELECT CAST(x AS DOUBLE) AS x FROM (VALUES ('NaN'), ('1'), ('Infinity')) AS t (x)) ";
  EXPECT_THAT(Rows("SELECT x" + t + "ORDER BY x"), ElementsAre("1.0", "Infinity", "NaN"));
  EXPECT_THAT(Rows("SELECT x" + t + "ORDER BY x DESC"), ElementsAre("NaN", "Infinity", "1.0"));
}

TEST_F(QueryTest, OrderByAliasOrdinalAndExpression) {
  EXPECT_THAT(Rows(WithT("SELECT k AS z, v FROM t WHERE v IS NOT NULL ORDER BY z DESC")),
              ElementsAre("c|4", "b|2", "a|1"));
  EXPECT_THAT(Rows(WithT("SELECT k FROM t WHERE v IS NOT NULL ORDER BY -v")), ElementsAre("c", "b", "a"));
  EXPECT_THAT(Rows(WithT("SELECT k, SUM(v) AS total FROM t GROUP BY k ORDER BY total * -1, k")),
              ElementsAre("c|4", "b|2", "a|1"));
  EXPECT_THAT(Rows(WithT("SELECT k FROM t GROUP BY k ORDER BY SUM(v) DESC")), ElementsAre("c", "b", "a"));
  EXPECT_THAT(Invalid(WithT("SELECT k FROM t ORDER BY 2")), HasSubstr("ORDER BY position 2 is not in the select list"));
}

TEST_F(QueryTest, LimitAndOffset) {
  EXPECT_THAT(Rows(WithT("SELECT v FROM t ORDER BY v DESC LIMIT 2")), ElementsAre("4", "2"));
  EXPECT_THAT(Rows(WithT("SELECT v FROM t ORDER BY v DESC LIMIT 2 OFFSET 1")), ElementsAre("2", "1"));
  EXPECT_THAT(Rows(WithT("SELECT v FROM t ORDER BY v OFFSET 3 ROWS")), ElementsAre("4"));
  EXPECT_THAT(Rows(WithT("SELECT v FROM t LIMIT 0")), IsEmpty());
  EXPECT_THAT(Rows(WithT("SELECT COUNT(*) FROM (SELECT v FROM t LIMIT 3)")), ElementsAre("3"));
}

TEST_F(QueryTest, Distinct) {
  EXPECT_THAT(Rows(WithT("SELECT DISTINCT k FROM t ORDER BY k")), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Rows(WithT("SELECT DISTINCT s FROM t")), UnorderedElementsAre("x", "y", "NULL"));
  EXPECT_THAT(Invalid(WithT("SELECT DISTINCT k FROM t ORDER BY v")),
              HasSubstr("must name a column of the select list"));
}

TEST_F(QueryTest, SubqueriesInFromAndCommonTables) {
  EXPECT_THAT(Rows(WithT("SELECT z + 1 FROM (SELECT v AS z FROM t WHERE v > 1) AS u ORDER BY 1")),
              ElementsAre("3", "5"));
  EXPECT_THAT(Rows("WITH a AS (SELECT 1 AS x), b AS (SELECT x + 1 AS y FROM a) SELECT y FROM b"), ElementsAre("2"));
  EXPECT_THAT(Rows("WITH a AS (SELECT 1 AS x), a2 AS (WITH a AS (SELECT 7 AS x) SELECT x FROM a) SELECT * FROM a2"),
              ElementsAre("7"));
}

TEST_F(QueryTest, Union) {
  EXPECT_THAT(Rows("SELECT 1 AS a UNION ALL SELECT 2.5 ORDER BY a DESC"), ElementsAre("2.5", "1.0"));
  EXPECT_THAT(Rows("SELECT 1 UNION SELECT 1"), ElementsAre("1"));
  EXPECT_THAT(Invalid("SELECT 1, 2 UNION ALL SELECT 1"), HasSubstr("the inputs of UNION have 2 and 1 columns"));
  EXPECT_THAT(Invalid("SELECT 1 UNION ALL SELECT 'a'"), HasSubstr("column 1 of UNION is INT in one input and CHAR(1)"));
  EXPECT_THAT(Unsupported("SELECT 1 EXCEPT SELECT 1"), HasSubstr("EXCEPT is not supported yet"));
}

constexpr char kJoin[] =
    "WITH l (id, a) AS (VALUES (1, 'x'), (2, 'y'), (CAST(NULL AS INT), 'z')), "
    "r (id, b) AS (VALUES (1, 10), (1, 11), (3, 30)) ";

TEST_F(QueryTest, Joins) {
  EXPECT_THAT(Rows(std::string(kJoin) + "SELECT l.id, a, b FROM l JOIN r ON l.id = r.id ORDER BY b"),
              ElementsAre("1|x|10", "1|x|11"));
  EXPECT_THAT(Rows(std::string(kJoin) + "SELECT a, b FROM l LEFT JOIN r ON r.id = l.id ORDER BY a, b"),
              ElementsAre("x|10", "x|11", "y|NULL", "z|NULL"));
  EXPECT_THAT(Rows(std::string(kJoin) + "SELECT a, b FROM l RIGHT JOIN r ON l.id = r.id ORDER BY b"),
              ElementsAre("x|10", "x|11", "NULL|30"));
  EXPECT_THAT(Rows(std::string(kJoin) + "SELECT COUNT(*) FROM l FULL JOIN r ON l.id = r.id"), ElementsAre("5"));
  EXPECT_THAT(Rows(std::string(kJoin) + "SELECT * FROM l JOIN r USING (id) ORDER BY b"),
              ElementsAre("1|x|10", "1|x|11"));
  EXPECT_THAT(Rows(std::string(kJoin) + "SELECT b FROM l JOIN r ON l.id = r.id AND b > 10"), ElementsAre("11"));
  EXPECT_THAT(Rows(std::string(kJoin) + "SELECT a, b FROM l JOIN r ON l.id + 2 = r.id"), ElementsAre("x|30"));
}

TEST_F(QueryTest, JoinsThatAreRefused) {
  EXPECT_THAT(Unsupported(std::string(kJoin) + "SELECT * FROM l, r"), HasSubstr("a list of tables in FROM"));
  EXPECT_THAT(Unsupported(std::string(kJoin) + "SELECT * FROM l JOIN r ON l.id < r.id"),
              HasSubstr("needs an equality"));
  EXPECT_THAT(Unsupported(std::string(kJoin) + "SELECT * FROM l LEFT JOIN r ON l.id = r.id AND b > 10"),
              HasSubstr("outer join only equalities"));
  EXPECT_THAT(Unsupported(std::string(kJoin) + "SELECT * FROM l NATURAL JOIN r"), HasSubstr("NATURAL JOIN"));
  EXPECT_THAT(Invalid(std::string(kJoin) + "SELECT id FROM l JOIN r ON l.id = r.id"), HasSubstr("ambiguous"));
}

TEST_F(QueryTest, ErrorsShowTheirPlace) {
  EXPECT_THAT(Invalid("SELECT 1,\n  nope"), HasSubstr("line 2, column 3"));
  EXPECT_THAT(Invalid("SELECT 1,\n  CAST(x AS INT) FROM (VALUES ('12a')) AS t (x)"), HasSubstr("12a"));
  EXPECT_THAT(Invalid("SELECT 1,\n  CAST(x AS INT) FROM (VALUES ('12a')) AS t (x)"), HasSubstr("line 2, column 3"));
  EXPECT_THAT(Unsupported("SELECT * FROM (VALUES (1)) AS t (x) WHERE x IN (SELECT 1)"), HasSubstr("subqueries"));
}

TEST_F(QueryTest, CastsOfTimeAndText) {
  // A cast that fails is an error, TRY_CAST gives NULL, digits are kept.
  EXPECT_THAT(Invalid("SELECT CAST('2024-02-30' AS DATE)"), HasSubstr("2024-02-30"));
  EXPECT_THAT(Invalid("SELECT CAST('12a' AS INT)"), HasSubstr("12a"));
  EXPECT_THAT(Rows("SELECT TRY_CAST('2024-02-30' AS DATE), TRY_CAST('12a' AS INT), "
                   "CAST('2010-10-14 12:22:22.123456' AS TIMESTAMP(6)), CAST(DATE '2024-03-10' AS STRING)"),
              ElementsAre("NULL|NULL|2010-10-14 12:22:22.123456|2024-03-10"));
}

TEST_F(QueryTest, ScriptsAreSplitWhereStatementsEnd) {
  const StatementResult result =
      Run("SELECT 'a;b', 'it''s; ok' AS `c;d` -- note; more\nFROM (VALUES (1)) AS t (x) /* block; /* no nesting */ ;");
  EXPECT_EQ(result.columns.at(1).name, "c;d");
  EXPECT_THAT(Rows("SELECT 1; SELECT 2 ; /* tail ; */"), ElementsAre("2"));
}

}  // namespace
}  // namespace frazil::sql
