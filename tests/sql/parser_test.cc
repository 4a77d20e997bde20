// SPDX-License-Identifier: Apache-2.0
#include "frazil/sql/parser.h"

#include <random>

#include "frazil/sql/lexer.h"
#include "support/support.h"

namespace frazil::sql {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string Expr(std::string_view text) { return ExpressionToString(*ParseExpression(text)); }
std::string Stmt(std::string_view text) { return StatementToString(ParseStatement(text)); }
std::string ErrorIn(std::string_view text, ErrorKind kind = ErrorKind::kInvalidArgument) {
  return test::ErrorOf(kind, [&] { ParseScript(text); });
}

// Statements of every kind, and how they print. What is printed must parse to the same again.
struct Printed {
  std::string_view text;
  std::string_view printed;  ///< "" where it is the text itself
};

constexpr Printed kQueries[] = {
    {"SELECT 1", ""},
    {"select a b, c as D from T u where a<>1 and b!=2", "SELECT a AS b, c AS D FROM T AS u WHERE a <> 1 AND b <> 2"},
    {"SELECT DISTINCT a, t.*, c.d.t.a FROM c.d.t", ""},
    {"SELECT ALL a FROM t", "SELECT a FROM t"},
    {"SELECT *, a FROM t", ""},
    {"SELECT 'it''s', U&'\\00e9', U&'!00e9!!' UESCAPE '!', X'0aFF'", "SELECT 'it''s', 'é', 'é!', X'0aff'"},
    {"SELECT 'a' -- a comment\n 'b'", "SELECT 'ab'"},
    {"SELECT 1. , .5, 1e3, 1.5E-3, -1, - 1, -(1), +1, - -1", "SELECT 1., .5, 1e3, 1.5E-3, -1, -1, -(1), +1, - -1"},
    {"SELECT DATE '2020-01-01', TIME '10:00:00', TIMESTAMP '2020-01-01 00:00:00.5'", ""},
    {"SELECT INTERVAL '1' DAY, INTERVAL -'1-2' YEAR TO MONTH, INTERVAL '1' DAY(4) TO SECOND(3)", ""},
    {"SELECT INTERVAL '5' SECONDS, INTERVAL '1.5' SECOND(2, 3)",
     "SELECT INTERVAL '5' SECOND, INTERVAL '1.5' SECOND(2, 3)"},
    {"SELECT a.b.c, f(a).b, a[1].c, (r).c, a['x'][2], (ROW(1, 2)).f0",
     "SELECT a.b.c, f(a).b, a[1].c, (r).c, a['x'][2], ROW(1, 2).f0"},
    {"SELECT ARRAY[], ARRAY[1, 2], MAP[], MAP['a', 1, 'b', 2], ROW(1, 'a'), (1, 'a')", ""},
    {"SELECT CASE WHEN a THEN 1 WHEN b THEN 2 ELSE 3 END, CASE a WHEN 1 THEN 'x' END", ""},
    {"SELECT CAST(a AS INT), TRY_CAST(a AS DECIMAL(10,2)), CAST(a AS ROW<x INT 'c', y ARRAY<STRING NOT NULL>>)",
     "SELECT CAST(a AS INT), TRY_CAST(a AS DECIMAL(10, 2)), CAST(a AS ROW<`x` INT 'c', `y` ARRAY<STRING NOT NULL>>)"},
    {"SELECT COUNT(*), COUNT(DISTINCT a), SUM(ALL a) FILTER (WHERE b > 1), f()",
     "SELECT COUNT(*), COUNT(DISTINCT a), SUM(a) FILTER (WHERE b > 1), f()"},
    {"SELECT LISTAGG(a, ',') WITHIN GROUP (ORDER BY b DESC), FIRST_VALUE(a) IGNORE NULLS OVER w, c.d.f(1)", ""},
    {"SELECT SUM(a) OVER (PARTITION BY b, c ORDER BY d DESC NULLS LAST ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)", ""},
    {"SELECT SUM(a) OVER (w RANGE UNBOUNDED PRECEDING), SUM(a) OVER ()",
     "SELECT SUM(a) OVER (w RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW), SUM(a) OVER ()"},
    {"SELECT EXTRACT(day FROM x), FLOOR(x TO MONTH), CEILING(x TO days), FLOOR(x)",
     "SELECT EXTRACT(DAY FROM x), FLOOR(x TO MONTH), CEIL(x TO DAY), FLOOR(x)"},
    {"SELECT POSITION('a' IN b), POSITION('a' IN b FROM 2), SUBSTRING(a FROM 1 FOR 2), SUBSTRING(a, 1)",
     "SELECT POSITION('a' IN b), POSITION('a' IN b FROM 2), SUBSTRING(a, 1, 2), SUBSTRING(a, 1)"},
    {"SELECT TRIM(BOTH 'x' FROM y), TRIM('x' FROM y), TRIM(y), TRIM(LEADING FROM y)",
     "SELECT TRIM(BOTH 'x' FROM y), TRIM(BOTH 'x' FROM y), TRIM(y), TRIM(LEADING ' ' FROM y)"},
    {"SELECT OVERLAY(a PLACING b FROM 1 FOR 2), TIMESTAMPADD(SQL_TSI_DAY, 1, x), TIMESTAMPDIFF(SECOND, a, b)",
     "SELECT OVERLAY(a PLACING b FROM 1 FOR 2), TIMESTAMPADD(DAY, 1, x), TIMESTAMPDIFF(SECOND, a, b)"},
    {"SELECT CURRENT_TIMESTAMP, LOCALTIME, CURRENT_TIMESTAMP(3), NOW(), IF(a, b, c), LEFT(a, 1), YEAR(a), week", ""},
    {"SELECT a IS NULL, a IS NOT TRUE, a IS UNKNOWN, a IS NOT DISTINCT FROM b", ""},
    {"SELECT a NOT BETWEEN SYMMETRIC 1 AND 2, a BETWEEN ASYMMETRIC 1 AND 2, a NOT IN (1, 2), (a, b) IN (SELECT 1, 2)",
     "SELECT a NOT BETWEEN SYMMETRIC 1 AND 2, a BETWEEN 1 AND 2, a NOT IN (1, 2), (a, b) IN (SELECT 1, 2)"},
    {"SELECT a LIKE 'x!%' ESCAPE '!', a NOT SIMILAR TO 'y', NOT EXISTS (SELECT 1), (SELECT 2)", ""},
    {"SELECT ((SELECT 1) UNION (SELECT 2)), ((SELECT 1) + 1), ((1))",
     "SELECT (SELECT 1 UNION SELECT 2), (SELECT 1) + 1, 1"},
    {"SELECT a FROM t, u JOIN v ON a = b LEFT OUTER JOIN w USING (x, y) CROSS JOIN z NATURAL JOIN q FULL JOIN r ON "
     "TRUE",
     "SELECT a FROM t, u JOIN v ON a = b LEFT JOIN w USING (x, y) CROSS JOIN z NATURAL JOIN q FULL JOIN r ON TRUE"},
    {"SELECT a FROM (t, u) JOIN (v RIGHT JOIN w ON x) ON y", ""},
    {"SELECT * FROM t CROSS JOIN UNNEST(a) AS x (y), UNNEST(b, c) WITH ORDINALITY AS z(p, q)",
     "SELECT * FROM t CROSS JOIN UNNEST(a) AS x (y), UNNEST(b, c) WITH ORDINALITY AS z (p, q)"},
    {"SELECT * FROM TABLE(TUMBLE(TABLE c.d.t, DESCRIPTOR(ts), INTERVAL '1' DAY)) AS w", ""},
    {"SELECT * FROM HOP(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts))",
     "SELECT * FROM TABLE(HOP(DATA => TABLE t, TIMECOL => DESCRIPTOR(ts)))"},
    {"SELECT * FROM t, LATERAL TABLE(f(a)) AS x (y), LATERAL (SELECT t.a) AS z", ""},
    {"SELECT * FROM t FOR SYSTEM_TIME AS OF u.p AS x", ""},
    {"SELECT /*+ BROADCAST('t'), STATE_TTL('a' = '1d') */ a FROM t /*+ OPTIONS('k' = 'v''; x', 'y' = 'z') */ AS u", ""},
    {"SELECT * FROM `db`.`t$files`, t$snapshots", "SELECT * FROM db.t$files, t$snapshots"},
    {"SELECT * FROM (VALUES (1, 'a'), ROW(2, 'b'), 3) AS t (a, b)",
     "SELECT * FROM (VALUES (1, 'a'), (2, 'b'), (3)) AS t (a, b)"},
    {"VALUES 1, 2 ORDER BY 1 DESC LIMIT 1 OFFSET 2 ROWS", "VALUES (1), (2) ORDER BY 1 DESC LIMIT 1 OFFSET 2"},
    {"TABLE c.d.t", "SELECT * FROM c.d.t"},
    {"SELECT 1 UNION ALL SELECT 2 INTERSECT SELECT 3 EXCEPT SELECT 4", ""},
    {"(SELECT 1 UNION DISTINCT SELECT 2) INTERSECT ALL SELECT 3", "(SELECT 1 UNION SELECT 2) INTERSECT ALL SELECT 3"},
    {"SELECT 1 EXCEPT (SELECT 2 EXCEPT SELECT 3)", ""},
    {"(SELECT 1) UNION (SELECT 2 ORDER BY 1 LIMIT 2) ORDER BY 1",
     "SELECT 1 UNION (SELECT 2 ORDER BY 1 LIMIT 2) ORDER BY 1"},
    {"(SELECT a FROM t ORDER BY a LIMIT 2) ORDER BY b",
     "SELECT * FROM (SELECT a FROM t ORDER BY a LIMIT 2) ORDER BY b"},
    {"SELECT a FROM t ORDER BY a DESC NULLS LAST, b ASC NULLS FIRST FETCH NEXT 10 ROWS ONLY",
     "SELECT a FROM t ORDER BY a DESC NULLS LAST, b NULLS FIRST LIMIT 10"},
    {"SELECT a FROM t LIMIT ALL", "SELECT a FROM t"},
    {"WITH x AS (SELECT 1), y(a) AS (SELECT 2) SELECT * FROM x, y",
     "WITH x AS (SELECT 1), y (a) AS (SELECT 2) SELECT * FROM x, y"},
    {"SELECT a FROM t GROUP BY GROUPING SETS ((a, b), (a), ()), ROLLUP (a), CUBE (a, b), a + 1, () HAVING COUNT(*) > 1",
     "SELECT a FROM t GROUP BY GROUPING SETS ((a, b), a, ()), ROLLUP (a), CUBE (a, b), a + 1, () HAVING COUNT(*) > 1"},
    {"SELECT SUM(a) OVER w FROM t WINDOW w AS (PARTITION BY b), v AS (w ORDER BY c)", ""},
    {"SELECT `from`, `a``b`, `c d`, `1x`, `ä`, `user` FROM `select`",
     "SELECT `from`, `a``b`, `c d`, `1x`, ä, `user` FROM `select`"},
    {"SELECT JSON_VALUE(a, '$.b'), MOD(a, 2), TRANSLATE(a, 'b', 'c'), `left`(a)",
     "SELECT JSON_VALUE(a, '$.b'), MOD(a, 2), TRANSLATE(a, 'b', 'c'), `left`(a)"},
};

constexpr Printed kStatements[] = {
    {"CREATE CATALOG c WITH ('type'='iceberg', 'a.b' = 'c')",
     "CREATE CATALOG c WITH ('type' = 'iceberg', 'a.b' = 'c')"},
    {"CREATE CATALOG IF NOT EXISTS c COMMENT 'x' WITH ('type' = 'iceberg')", ""},
    {"CREATE DATABASE IF NOT EXISTS c.d COMMENT 'x' WITH ('a' = 'b')", ""},
    {"CREATE TABLE t (a INT NOT NULL COMMENT 'it''s', b STRING, PRIMARY KEY (a) NOT ENFORCED) COMMENT 'x' "
     "PARTITIONED BY (b) WITH ('a' = 'b')",
     ""},
    {"CREATE TEMPORARY TABLE IF NOT EXISTS c.d.t (a INT PRIMARY KEY NOT ENFORCED, c AS a + 1 COMMENT 'z', "
     "ts TIMESTAMP(3) METADATA FROM 'timestamp' VIRTUAL, m STRING METADATA, "
     "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND) WITH ()",
     "CREATE TEMPORARY TABLE IF NOT EXISTS c.d.t (a INT, c AS a + 1 COMMENT 'z', "
     "ts TIMESTAMP(3) METADATA FROM 'timestamp' VIRTUAL, m STRING METADATA, "
     "WATERMARK FOR ts AS ts - INTERVAL '5' SECOND, PRIMARY KEY (a) NOT ENFORCED)"},
    {"CREATE TABLE t (a INT, CONSTRAINT pk PRIMARY KEY (a, b) NOT ENFORCED)", ""},
    {"CREATE TABLE t (a INT, ts TIMESTAMP(6)) PARTITIONED BY (days(ts), bucket(16, a), truncate(4, s), a)", ""},
    {"CREATE TABLE t (a INT) DISTRIBUTED BY HASH(a) INTO 4 BUCKETS WITH ('a' = 'b')", ""},
    {"CREATE TABLE t (a INT) WITH ('a' = 'b') LIKE c.u (EXCLUDING OPTIONS INCLUDING ALL OVERWRITING WATERMARKS)", ""},
    {"CREATE TABLE t WITH ('a' = 'b') AS SELECT 1 AS x", ""},
    {"CREATE OR REPLACE TABLE t AS SELECT 1", ""},
    {"CREATE TEMPORARY VIEW IF NOT EXISTS v (a, b) COMMENT 'x' AS SELECT 1, 2", ""},
    {"DROP TABLE IF EXISTS c.d.t", ""},
    {"DROP TEMPORARY TABLE t", ""},
    {"DROP TEMPORARY VIEW IF EXISTS v", ""},
    {"DROP DATABASE d CASCADE", ""},
    {"DROP DATABASE IF EXISTS c.d RESTRICT", "DROP DATABASE IF EXISTS c.d"},
    {"DROP CATALOG IF EXISTS c", ""},
    {"DROP FUNCTION f", ""},
    {"ALTER TABLE t RENAME TO u", ""},
    {"ALTER TABLE IF EXISTS t RENAME a TO b", ""},
    {"ALTER TABLE t SET ('a' = 'b')", ""},
    {"ALTER TABLE t RESET ('a', 'b')", ""},
    {"ALTER TABLE t ADD a INT", "ALTER TABLE t ADD (a INT)"},
    {"ALTER TABLE t ADD (a INT COMMENT 'x' FIRST, b.c STRING AFTER a, WATERMARK FOR x AS x, PRIMARY KEY (a) NOT "
     "ENFORCED)",
     ""},
    {"ALTER TABLE t MODIFY (a BIGINT NOT NULL AFTER b)", ""},
    {"ALTER TABLE t DROP a", "ALTER TABLE t DROP (a)"},
    {"ALTER TABLE t DROP (a, b.c)", ""},
    {"ALTER TABLE t DROP PRIMARY KEY", ""},
    {"ALTER TABLE t DROP CONSTRAINT pk", ""},
    {"ALTER TABLE t DROP WATERMARK", ""},
    {"ALTER DATABASE c.d SET ('a' = 'b')", ""},
    {"ALTER VIEW v RENAME TO w", ""},
    {"ALTER VIEW v AS SELECT 1", ""},
    {"USE d", ""},
    {"USE c.d", ""},
    {"USE CATALOG c", ""},
    {"SHOW CATALOGS", ""},
    {"SHOW DATABASES FROM c LIKE 'x%'", ""},
    {"SHOW TABLES IN c.d NOT LIKE 'x'", "SHOW TABLES FROM c.d NOT LIKE 'x'"},
    {"SHOW VIEWS", ""},
    {"SHOW FUNCTIONS ILIKE 'x'", ""},
    {"SHOW USER FUNCTIONS", ""},
    {"SHOW COLUMNS FROM c.d.t LIKE 'a'", ""},
    {"SHOW PARTITIONS t PARTITION (a = 1, b = 'x')", ""},
    {"SHOW CREATE TABLE c.d.t", ""},
    {"SHOW CREATE VIEW v", ""},
    {"SHOW CREATE CATALOG c", ""},
    {"SHOW CURRENT CATALOG", ""},
    {"SHOW CURRENT DATABASE", ""},
    {"SHOW JOBS", ""},
    {"SHOW MODULES", ""},
    {"DESC EXTENDED c.d.t", "DESCRIBE EXTENDED c.d.t"},
    {"DESCRIBE database", ""},
    {"DESCRIBE DATABASE d", ""},
    {"DESCRIBE CATALOG c", ""},
    {"DESCRIBE FUNCTION f", ""},
    {"DESCRIBE JOB 'x'", ""},
    {"EXPLAIN PLAN FOR SELECT 1", "EXPLAIN SELECT 1"},
    {"EXPLAIN CHANGELOG_MODE, ESTIMATED_COST INSERT INTO t SELECT 1", ""},
    {"EXPLAIN STATEMENT SET BEGIN INSERT INTO t SELECT 1; END",
     "EXPLAIN EXECUTE STATEMENT SET BEGIN INSERT INTO t SELECT 1; END"},
    {"EXPLAIN CREATE TABLE t AS SELECT 1", ""},
    {"INSERT INTO c.d.t SELECT 1", ""},
    {"INSERT OVERWRITE t PARTITION (d = '2020', e = -1, f) (a, b) VALUES (1, 2)", ""},
    {"INSERT INTO t /*+ OPTIONS('k' = 'v') */ (a) SELECT 1", ""},
    {"INSERT INTO t (SELECT 1)", "INSERT INTO t SELECT 1"},
    {"INSERT INTO t ((SELECT 1) UNION ALL (SELECT 2))", "INSERT INTO t SELECT 1 UNION ALL SELECT 2"},
    {"INSERT INTO t WITH x AS (SELECT 1) SELECT * FROM x", ""},
    {"EXECUTE INSERT INTO t SELECT 1", "INSERT INTO t SELECT 1"},
    {"EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT CASE WHEN x THEN 1 END; INSERT INTO b SELECT 2; END", ""},
    {"BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END;", "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END"},
    {"STATEMENT SET BEGIN INSERT INTO a SELECT 1; END", "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END"},
    {"DELETE FROM t WHERE a = 1", ""},
    {"UPDATE t SET a = 1, b = 'x' WHERE c", ""},
    {"TRUNCATE TABLE t", ""},
    {"CALL c.`system`.expire_snapshots('t', older_than => TIMESTAMP '2020-01-01 00:00:00')", ""},
    {"SET", ""},
    {"SET 'a.b' = 'it''s'", ""},
    {"SET execution.runtime-mode = streaming;", "SET 'execution.runtime-mode' = 'streaming'"},
    {"SET a = s3://bucket/x -- where\n;", "SET 'a' = 's3://bucket/x'"},
    {"SET a = 'x;y'", "SET 'a' = 'x;y'"},
    {"RESET", ""},
    {"RESET 'a'", ""},
    {"RESET a.b", "RESET 'a.b'"},
    {"STOP JOB 'x' WITH SAVEPOINT WITH DRAIN", ""},
    {"QUIT", ""},
    {"exit;", "QUIT"},
    {"CLEAR", ""},
    {"HELP", ""},
};

std::vector<Printed> All() {
  std::vector<Printed> all(std::begin(kQueries), std::end(kQueries));
  all.insert(all.end(), std::begin(kStatements), std::end(kStatements));
  for (Printed& one : all) {
    if (one.printed.empty()) one.printed = one.text;
  }
  return all;
}

std::vector<Token> TokensOf(std::string_view text) {
  StatementReader reader{Lexer(text)};
  std::vector<Token> tokens;
  reader.Next(tokens);
  return tokens;
}

TEST(Parser, ParsesAndPrintsEveryStatement) {
  for (const Printed& one : All()) {
    SCOPED_TRACE(one.text);
    EXPECT_EQ(Stmt(one.text), one.printed);
  }
}

TEST(Parser, WhatItPrintsParsesToTheSame) {
  for (const Printed& one : All()) EXPECT_EQ(Stmt(one.printed), one.printed);
}

TEST(Parser, BindsOperatorsAsCalciteDoes) {
  struct Grouping {
    std::string_view text;
    std::string_view same;
    std::string_view other;
  };
  constexpr Grouping kGroupings[] = {
      {"a OR b AND c", "a OR (b AND c)", "(a OR b) AND c"},
      {"NOT a AND b", "(NOT a) AND b", "NOT (a AND b)"},
      {"NOT a = b", "NOT (a = b)", "(NOT a) = b"},
      {"NOT a IS NULL", "NOT (a IS NULL)", "(NOT a) IS NULL"},
      {"a = b IS NULL", "(a = b) IS NULL", "a = (b IS NULL)"},
      {"a IS NULL = b", "(a IS NULL) = b", "a IS NULL = (b)  AND TRUE"},
      {"a = b = c", "(a = b) = c", "a = (b = c)"},
      {"a = b IN (1)", "a = (b IN (1))", "(a = b) IN (1)"},
      {"a = b LIKE c", "a = (b LIKE c)", "(a = b) LIKE c"},
      {"a BETWEEN 1 AND 2 AND c", "(a BETWEEN 1 AND 2) AND c", "a BETWEEN 1 AND (2 AND c)"},
      {"a + b LIKE c || d", "(a + b) LIKE (c || d)", "a + (b LIKE c) || d"},
      {"a IS DISTINCT FROM b + c", "a IS DISTINCT FROM (b + c)", "(a IS DISTINCT FROM b) + c"},
      {"a + b * c", "a + (b * c)", "(a + b) * c"},
      {"a - b - c", "(a - b) - c", "a - (b - c)"},
      {"a / b % c", "(a / b) % c", "a / (b % c)"},
      {"a || b + c", "(a || b) + c", "a || (b + c)"},
      {"a + b || c", "a + (b || c)", "(a + b) || c"},
      {"-a * b", "(-a) * b", "-(a * b)"},
      {"-a.b[1]", "-(a.b[1])", "(-a)[1]"},
      {"a AND b AND c", "a AND b AND c", "a AND (b AND c)"},
  };
  for (const Grouping& grouping : kGroupings) {
    SCOPED_TRACE(grouping.text);
    EXPECT_EQ(Expr(grouping.text), Expr(grouping.same));
    EXPECT_NE(Expr(grouping.text), Expr(grouping.other));
  }
}

TEST(Parser, KeepsWhatTheBinderNeeds) {
  const ExpressionPtr least = ParseExpression("-9223372036854775808");
  ASSERT_NE(least->As<ExactNumericLiteral>(), nullptr);
  EXPECT_EQ(least->As<ExactNumericLiteral>()->text, "-9223372036854775808");
  EXPECT_DOUBLE_EQ(ParseExpression("-1.5e2")->As<DoubleLiteral>()->value, -150.0);
  EXPECT_EQ(ParseExpression("X'00ff'")->As<BinaryLiteral>()->bytes, std::string("\0\xff", 2));

  const ExpressionPtr chain = ParseExpression("a AND b AND c");
  EXPECT_EQ(chain->As<Junction>()->operands.size(), 3);

  const ExpressionPtr call = ParseExpression("TIMESTAMPADD(HOUR, 3, ts)");
  ASSERT_EQ(call->As<FunctionCall>()->arguments.size(), 3);
  EXPECT_EQ(call->As<FunctionCall>()->arguments[0]->As<Symbol>()->name, "HOUR");

  const Statement create = ParseStatement("CREATE TABLE t (a INT, b INT PRIMARY KEY NOT ENFORCED, `c d` AS a)");
  const auto* table = create.As<CreateTable>();
  ASSERT_EQ(table->columns.size(), 3);
  EXPECT_TRUE(std::get<PhysicalColumn>(table->columns[1].kind).primary_key);
  EXPECT_EQ(table->columns[2].name.parts[0].name, "c d");
  EXPECT_TRUE(table->columns[2].name.parts[0].quoted);
  EXPECT_EQ(table->primary_key->columns[0].name, "b");

  const Statement insert = ParseStatement("INSERT INTO t (b, A) SELECT 1, 2");
  EXPECT_EQ(insert.As<Insert>()->columns[1].name, "A");
  EXPECT_FALSE(ParseStatement("SELECT 1").As<QueryPtr>()->get()->As<Select>()->from);
}

TEST(Parser, SpansPointIntoTheScript) {
  const std::string_view script = "SET 'a' = 'b';\n\nINSERT INTO t\n  SELECT upper(é),\n\t a + 1.5 FROM `x y` ;";
  const std::vector<Statement> statements = ParseScript(script);
  ASSERT_EQ(statements.size(), 2);
  EXPECT_EQ(statements[0].span.Text(script), "SET 'a' = 'b'");
  const auto* insert = statements[1].As<Insert>();
  EXPECT_EQ(statements[1].span.line, 3);
  EXPECT_TRUE(statements[1].span.Text(script).ends_with("`x y`"));
  const auto* select = insert->query->As<Select>();
  EXPECT_EQ(insert->query->span.line, 4);
  EXPECT_EQ(insert->query->span.column, 3);
  EXPECT_EQ(select->items[0].expression->span.Text(script), "upper(é)");
  const SourceSpan sum = select->items[1].expression->span;
  EXPECT_EQ(sum.Text(script), "a + 1.5");
  EXPECT_EQ(sum.line, 5);
  EXPECT_EQ(sum.column, 3);  // a tab and a blank before
  EXPECT_EQ(select->items[1].expression->As<BinaryOp>()->op_span.Text(script), "+");
  EXPECT_EQ(select->from->span.Text(script), "`x y`");
  EXPECT_EQ(SpanAt(script, sum.offset, sum.length), sum);
}

TEST(Parser, VisitsChildrenInOrder) {
  const ExpressionPtr expression =
      ParseExpression("CASE a WHEN b THEN f(c, d) FILTER (WHERE e) ELSE g IN (h, (SELECT x)) END");
  std::vector<std::string> names;
  const auto visit = [&](auto&& self, const Expression& child) -> void {
    if (const auto* column = child.As<ColumnRef>()) names.push_back(column->parts[0].name);
    ForEachChild(child, [&](const Expression& grandchild) { self(self, grandchild); });
  };
  visit(visit, *expression);
  EXPECT_THAT(names, ElementsAre("a", "b", "c", "d", "e", "g", "h"));
}

TEST(Parser, ParsesTypes) {
  const Printed kTypes[] = {
      {"int", "INT"},
      {"INTEGER NOT NULL", "INT NOT NULL"},
      {"BIGINT NULL", "BIGINT"},
      {"REAL", "FLOAT"},
      {"DOUBLE PRECISION", "DOUBLE"},
      {"DEC", "DECIMAL(10, 0)"},
      {"NUMERIC(3)", "DECIMAL(3, 0)"},
      {"CHARACTER VARYING(3)", "VARCHAR(3)"},
      {"VARCHAR(2147483647)", "STRING"},
      {"CHAR", "CHAR(1)"},
      {"VARBINARY(2147483647)", "BYTES"},
      {"BINARY(16)", "BINARY(16)"},
      {"TIME WITHOUT TIME ZONE", "TIME(0)"},
      {"TIMESTAMP", "TIMESTAMP(6)"},
      {"TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP_LTZ(3)"},
      {"TIMESTAMP_LTZ(9)", "TIMESTAMP_LTZ(9)"},
      {"TIMESTAMP(3) WITH TIME ZONE", "TIMESTAMP(3) WITH TIME ZONE"},
      {"TIMESTAMP(0) WITHOUT TIME ZONE", "TIMESTAMP(0)"},
      {"INTERVAL YEAR TO MONTH", "INTERVAL YEAR(2) TO MONTH"},
      {"INTERVAL DAY(3) TO SECOND(3)", "INTERVAL DAY(3) TO SECOND(3)"},
      {"INT ARRAY NOT NULL", "ARRAY<INT> NOT NULL"},
      {"ARRAY<ROW<a INT, `b c` STRING NOT NULL 'it''s'>>", "ARRAY<ROW<`a` INT, `b c` STRING NOT NULL 'it''s'>>"},
      {"ROW(a INT)", "ROW<`a` INT>"},
      {"ROW<>", "ROW<>"},
      {"MAP<STRING, MULTISET<INT>>", "MAP<STRING, MULTISET<INT>>"},
  };
  for (const Printed& type : kTypes) EXPECT_EQ(ParseType(type.text).ToString(), type.printed) << type.text;
}

// ---- Scripts

TEST(Script, SplitsOnlyOutsideOfStringsCommentsAndQuotedNames) {
  const std::string_view script =
      "SELECT 'a;b', 'it''s; ok' AS `c;d` -- note; more\nFROM t /* block; /* no nesting */ ; SELECT 2 ; /* tail ; */";
  const std::vector<Statement> statements = ParseScript(script);
  ASSERT_EQ(statements.size(), 2);
  EXPECT_EQ(StatementToString(statements[0]), "SELECT 'a;b', 'it''s; ok' AS `c;d` FROM t");
  EXPECT_EQ(StatementToString(statements[1]), "SELECT 2");
  EXPECT_EQ(statements[1].span.line, 2);

  const std::vector<SourceSpan> spans = SplitScript(script);
  ASSERT_EQ(spans.size(), 2);
  EXPECT_EQ(spans[1].Text(script), "SELECT 2");
  EXPECT_EQ(spans[1], statements[1].span);
  const Statement second = ParseStatementAt(script, spans[1]);
  EXPECT_EQ(StatementToString(second), "SELECT 2");
  EXPECT_EQ(second.span, statements[1].span);
}

TEST(Script, SkipsEmptyStatementsAndKeepsSetsTogether) {
  EXPECT_THAT(ParseScript(""), IsEmpty());
  EXPECT_THAT(ParseScript("\xEF\xBB\xBF ;; -- x\n ; /* y */"), IsEmpty());
  EXPECT_EQ(ParseScript(";SELECT 1;;SELECT 2").size(), 2);
  EXPECT_EQ(ParseScript("SELECT 1 // Calcite knows these comments too; \n; SELECT 2").size(), 2);
  const std::string_view script =
      "BEGIN STATEMENT SET; INSERT INTO a SELECT CASE WHEN x THEN 1 END; INSERT INTO b SELECT 2; END; SELECT 3;"
      "EXECUTE STATEMENT SET BEGIN INSERT INTO c SELECT 1; END; SELECT 4";
  const std::vector<Statement> statements = ParseScript(script);
  ASSERT_EQ(statements.size(), 4);
  const auto* set = statements[0].As<StatementSet>();
  ASSERT_EQ(set->inserts.size(), 2);
  EXPECT_EQ(set->spans[1].Text(script), "INSERT INTO b SELECT 2");
  EXPECT_EQ(SplitScript(script).size(), 4);
}

TEST(Script, KnowsWhenAStatementIsComplete) {
  for (std::string_view text :
       {"", "  -- x", "SELECT 1;", "SELECT 1; SELECT 2;", "SELECT ';';", "quit", " Exit ", "help", "clear",
        "SELECT \"x\"", "SELECT 1; -- done", "BEGIN STATEMENT SET; INSERT INTO a SELECT 1; END;",
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1; END;", "SET a = b;"}) {
    EXPECT_TRUE(IsComplete(text)) << text;
  }
  for (std::string_view text :
       {"SELECT 1", "SELECT 'a;", "SELECT `a;", "SELECT 1 /* ;", "SELECT 1 -- ;", "SELECT 1; SELECT 2", "SELECT 'a'';",
        "quit now", "BEGIN STATEMENT SET;", "BEGIN STATEMENT SET; INSERT INTO a SELECT CASE WHEN x THEN 1 END;",
        "EXECUTE STATEMENT SET BEGIN INSERT INTO a SELECT 1;", "SELECT * FROM t /*+ OPTIONS('a'='b') ;",
        "SET a = 'b;"}) {
    EXPECT_FALSE(IsComplete(text)) << text;
  }
}

TEST(Keywords, AreFlinks) {
  for (std::string_view word : {"timestamp", "User", "VALUE", "select", "year", "count", "end", "method", "system"}) {
    EXPECT_TRUE(IsReserved(word)) << word;
  }
  for (std::string_view word :
       {"name", "type", "key", "data", "week", "quarter", "status", "id", "catalog", "view", "x"}) {
    EXPECT_FALSE(IsReserved(word)) << word;
  }
  const auto words = Keywords();
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
  EXPECT_NE(std::find(words.begin(), words.end(), "SELECT"), words.end());
  EXPECT_EQ(QuoteIdentifier("a_1$x"), "a_1$x");
  EXPECT_EQ(QuoteIdentifier("order"), "`order`");
  EXPECT_EQ(QuoteIdentifier("a`b"), "`a``b`");
  EXPECT_EQ(QuoteIdentifier("1a"), "`1a`");
  EXPECT_EQ(QuoteIdentifier(""), "``");
  EXPECT_EQ(QuoteIdentifier("größe"), "größe");
}

// ---- Errors

struct Wrong {
  std::string_view text;
  std::string_view message;
};

constexpr Wrong kWrong[] = {
    {"-- a\n\nSELECT a FORM t",
     "Syntax error at line 3, column 10: found 'FORM', expected FROM\n"
     "  SELECT a FORM t\n"
     "           ^"},
    {"SELECT\ta\n\tFORM\tt",
     "Syntax error at line 2, column 2: found 'FORM', expected FROM\n"
     "  \tFORM\tt\n"
     "  \t^"},
    {"SELECT '日本' AS é FRM 表",
     "Syntax error at line 1, column 18: found 'FRM', expected ',', FROM, ORDER BY, LIMIT, FETCH, OFFSET or end of "
     "statement (did you mean 'FROM'?)\n"
     "  SELECT '日本' AS é FRM 表\n"
     "                     ^"},
    {"SELECT a FROM t WEHRE b = 1",
     "Syntax error at line 1, column 17: found 'WEHRE', expected WHERE\n"
     "  SELECT a FROM t WEHRE b = 1\n"
     "                  ^"},
    {"SELECT \"x\"",
     "Syntax error at line 1, column 8: double quotes don't quote in Flink SQL: write names in backticks (`name`) and "
     "strings in single quotes ('text')\n"
     "  SELECT \"x\"\n"
     "         ^"},
    {"SELECT 1;\n SELECT 'abc;\n",
     "Syntax error at line 2, column 9: this string is not closed: a single quote (') is missing\n"
     "   SELECT 'abc;\n"
     "          ^"},
    {"SELECT 1 /* x",
     "Syntax error at line 1, column 10: this comment is not closed: '*/' is missing\n"
     "  SELECT 1 /* x\n"
     "           ^"},
    {"SELECT `abc",
     "Syntax error at line 1, column 8: this quoted name is not closed: a backtick (`) is missing\n"
     "  SELECT `abc\n"
     "         ^"},
    {"CREATE TABLE t (user STRING)",
     "Syntax error at line 1, column 17: found 'user', expected a column name (user is a reserved word: as a name it "
     "needs backticks, `user`)\n"
     "  CREATE TABLE t (user STRING)\n"
     "                  ^"},
    {"CRATE TABLE t",
     "Syntax error at line 1, column 1: found 'CRATE', expected a statement (did you mean 'CREATE'?)\n"
     "  CRATE TABLE t\n"
     "  ^"},
};

TEST(Errors, ShowTheLineWithACaret) {
  for (const Wrong& wrong : kWrong) EXPECT_EQ(ErrorIn(wrong.text), wrong.message);
}

/// The message alone, after "Syntax error at line 1, column ".
constexpr Wrong kWrongInShort[] = {
    {"SELECT timestamp FROM t",
     "8: found 'timestamp', expected an expression (timestamp is a reserved word: as a name it needs backticks, "
     "`timestamp`)"},
    {"SELECT a.value FROM t",
     "10: found 'value', expected a name (value is a reserved word: as a name it needs backticks, `value`)"},
    {"SELECT a AS user FROM t",
     "13: found 'user', expected a name (user is a reserved word: as a name it needs backticks, `user`)"},
    {"SELECT a b c FROM t", "12: found 'c', expected ',', FROM, ORDER BY, LIMIT, FETCH, OFFSET or end of statement"},
    {"SELECT a FROM t AS u v",
     "22: found 'v', expected JOIN, ',', WHERE, GROUP BY, HAVING, WINDOW, ORDER BY, LIMIT, FETCH, OFFSET or end "
     "of statement"},
    {"SELECT FROM t", "8: found 'FROM', expected an expression"},
    {"SELECT a,, b FROM t", "10: found ',', expected an expression"},
    {"SELECT a FROM t GROUP a", "23: found 'a', expected BY"},
    {"SELECT a FROM t WHERE", "22: found end of statement, expected an expression"},
    {"SELECT (a FROM t", "11: found 'FROM', expected ',' or ')'"},
    {"SELECT f(a", "11: found end of statement, expected ',' or ')'"},
    {"SELECT a FROM t JOIN u", "23: found end of statement, expected AS, ON or USING"},
    {"SELECT CASE a END", "15: found 'END', expected WHEN"},
    {"SELECT a IS b", "13: found 'b', expected NOT, DISTINCT, NULL, TRUE, FALSE or UNKNOWN"},
    {"SELECT a == b", "10: found '==': SQL compares with a single '='"},
    {"SELECT a::INT", "9: unexpected ':' (a cast is written CAST(x AS type))"},
    {"SELECT ?", "8: unexpected '?': parameters are not part of a script, write the value"},
    {"SELECT a @ b", "10: unexpected '@'"},
    {"SELECT a \x01", "10: unexpected control character 0x01"},
    {"SELECT a \xFF", "10: byte 0xFF is not UTF-8"},
    {"SELECT a × b", "10: unexpected '×' (U+00D7)"},
    {"SELECT ‘a’",
     "8: found the typographic quote ‘: write strings in straight single quotes ('text') and names in backticks "
     "(`name`)"},
    {"SELECT 1a",
     "8: the number 1 runs into a name: put a blank between them, or quote the name with backticks if it starts with a "
     "digit"},
    {"SELECT 1e999", "8: 1e999 is out of the range of DOUBLE"},
    {"SELECT X'0'", "8: a binary string has two hexadecimal digits for each byte"},
    {"SELECT X'0g'", "8: a binary string has two hexadecimal digits for each byte"},
    {"SELECT U&'\\00'", "8: an escape of U&'…' is the escape character and four hexadecimal digits"},
    {"SELECT U&'\\d800'", "8: U+D800 is no character"},
    {"SELECT U&'x' UESCAPE 'ab'", "22: the escape character must be one ASCII character"},
    {"SELECT 'a' 'b'", "12: two strings side by side: write || between them, or '' for a quote inside of a string"},
    {"SELECT ``", "8: a quoted name may not be empty"},
    {"SELECT MAP['a', 1, 'b']", "23: found ']', expected ','"},
    {"SELECT INTERVAL '1' FOO", "21: found 'FOO', expected a time unit (YEAR, MONTH, DAY, HOUR, MINUTE, SECOND, …)"},
    {"SELECT INTERVAL '1' EPOCH", "21: EPOCH is no unit of an interval"},
    {"SELECT INTERVAL '1' MONTH TO DAY", "8: an interval of MONTH TO DAY does not exist"},
    {"SELECT INTERVAL 1 DAY", "17: found '1', expected a value in single quotes"},
    {"SELECT CAST(a AS TEXT)", "18: unknown type 'TEXT': in Flink SQL it is STRING"},
    {"SELECT CAST(a AS foo)", "18: unknown type 'foo'"},
    {"SELECT CAST(a AS SELECT)", "18: found 'SELECT', expected a type"},
    {"SELECT CAST(a AS DECIMAL(39, 2))", "18: the precision of DECIMAL must be between 1 and 38, not 39"},
    {"SELECT CAST(a AS VARCHAR(99999999999))", "26: 99999999999 is too large: at most 2147483647"},
    {"SELECT a FROM a.b.c.d", "15: a table name has at most 3 parts separated by dots"},
    {"SELECT a FROM t LIMIT x", "23: found 'x', expected a number of rows"},
    {"SELECT a FROM t LIMIT 5, 10", "24: 'LIMIT start, count' is not Flink SQL: write LIMIT count OFFSET start"},
    {"SELECT a FROM t LIMIT 99999999999999999999",
     "23: 99999999999999999999 is too large: at most 9223372036854775807"},
    {"SELECT 1 MINUS SELECT 2", "10: found 'MINUS', expected EXCEPT"},
    {"SELECT * FROM t /*+ OPTIONS('a') */", "21: the hint OPTIONS takes 'key' = 'value' pairs"},
    {"SELECT * FROM t /*+ OPTIONS('a'='b')", "17: this hint is not closed: '*/' is missing"},
    {"CREATE TABL t (a INT)",
     "8: found 'TABL', expected TEMPORARY, TABLE, VIEW, CATALOG or DATABASE (did you mean 'TABLE'?)"},
    {"CREATE TABLE t (a INT,) WITH ('a'='b')", "23: found ')', expected a column name"},
    {"CREATE TABLE t (a INT) WITH (a='b')", "30: found 'a', expected a key in single quotes"},
    {"CREATE TABLE t (a INT, b VARCHAR(0))", "26: the length of VARCHAR must be between 1 and 2147483647, not 0"},
    {"CREATE TABLE t (a INT, PRIMARY KEY (a))",
     "39: found ')', expected NOT ENFORCED: Flink takes a primary key as a promise, it doesn't check it"},
    {"CREATE TABLE t (a INT PRIMARY KEY NOT ENFORCED, PRIMARY KEY (a) NOT ENFORCED)",
     "49: a table has one primary key, this is the second"},
    {"CREATE TABLE t (a INT) PARTITIONED BY (1)",
     "40: a table is partitioned by columns or by transforms of them: a, days(ts), bucket(16, id)"},
    {"CREATE TABLE t LIKE u (INCLUDING foo)",
     "34: found 'foo', expected ALL, OPTIONS, CONSTRAINTS, GENERATED, METADATA, PARTITIONS, WATERMARKS or "
     "DISTRIBUTION"},
    {"CREATE VIEW v SELECT 1", "15: found 'SELECT', expected COMMENT or AS"},
    {"DROP TABL t",
     "6: found 'TABL', expected TEMPORARY, TABLE, VIEW, FUNCTION, CATALOG or DATABASE (did you mean 'TABLE'?)"},
    {"ALTER TABLE t FOO", "15: found 'FOO', expected RENAME, SET, RESET, ADD, MODIFY or DROP"},
    {"INSERT t SELECT 1", "8: found 't', expected OVERWRITE or INTO"},
    {"INSERT INTO t", "14: found end of statement, expected PARTITION or a query (SELECT, VALUES, WITH)"},
    {"SHOW CURRENT DATABSE", "14: found 'DATABSE', expected CATALOG or DATABASE (did you mean 'DATABASE'?)"},
    {"SHOW COLUMNS t", "14: found 't', expected FROM or IN"},
    {"DESCRIBE", "9: found end of statement, expected a table name"},
    {"EXPLAIN DROP TABLE t",
     "9: found 'DROP', expected PLAN, ESTIMATED_COST, CHANGELOG_MODE, JSON_EXECUTION_PLAN, PLAN_ADVICE, a query, "
     "INSERT, STATEMENT SET or CREATE TABLE"},
    {"EXECUTE x", "9: found 'x', expected STATEMENT SET, INSERT or a query"},
    {"EXECUTE STATEMENT SET BEGIN END", "29: a statement set has at least one INSERT"},
    {"BEGIN STATEMENT SET; INSERT INTO a SELECT 1;", "45: found end of statement, expected END or INSERT"},
    {"SET 'a' = b", "11: found 'b', expected a value in single quotes"},
    {"SET foo", "5: expected SET 'key' = 'value'"},
    {"STOP JOB 'x' WITH DRAIN", "19: WITH DRAIN comes after WITH SAVEPOINT only"},
    {"foo", "1: found 'foo', expected a statement"},
    {")", "1: found ')', expected a statement"},
};

TEST(Errors, SayWhatWasFoundAndWhatWasExpected) {
  for (const Wrong& wrong : kWrongInShort) {
    const std::string message = ErrorIn(wrong.text);
    EXPECT_EQ(message.substr(0, message.find('\n')), fmt::format("Syntax error at line 1, column {}", wrong.message))
        << wrong.text;
  }
}

TEST(Errors, RefuseByNameWhatFlinkCouldDo) {
  constexpr Wrong kRefused[] = {
      {"SELECT a > ALL (SELECT 1)", "12: a comparison with ALL is not supported"},
      {"SELECT a ILIKE 'x'", "10: ILIKE (use LOWER with LIKE, or REGEXP) is not supported"},
      {"SELECT a IS JSON", "13: the predicate IS JSON is not supported"},
      {"SELECT MULTISET[1]", "8: the expression MULTISET is not supported"},
      {"SELECT ARRAY(SELECT 1)", "13: ARRAY(query) is not supported"},
      {"SELECT JSON_VALUE(a, '$.b' RETURNING INT)", "28: the clause RETURNING of JSON_VALUE is not supported"},
      {"SELECT JSON_OBJECT(KEY 'a' VALUE 1)", "20: the clause KEY of JSON_OBJECT is not supported"},
      {"SELECT STREAM a FROM t", "8: SELECT STREAM is not supported"},
      {"SELECT * FROM t MATCH_RECOGNIZE (x)", "17: MATCH_RECOGNIZE is not supported"},
      {"SELECT * FROM t TABLESAMPLE BERNOULLI (10)", "17: TABLESAMPLE is not supported"},
      {"SELECT * FROM t /*+ FOO('a'='b') */", "21: the table hint FOO (OPTIONS is) is not supported"},
      {"SELECT CAST(a AS RAW('x', 'y'))", "18: the type RAW is not supported"},
      {"CREATE FUNCTION f AS 'x'", "8: CREATE FUNCTION is not supported"},
      {"CREATE OR REPLACE VIEW v AS SELECT 1", "8: OR REPLACE of anything but a table is not supported"},
      {"CREATE TABLE t (a INT UNIQUE)", "23: the constraint UNIQUE is not supported"},
      {"CREATE TABLE t (a INT DEFAULT 1)", "23: a DEFAULT of a column is not supported"},
      {"ALTER TABLE t ADD PARTITION (a=1)", "19: ALTER TABLE … ADD PARTITION is not supported"},
      {"SHOW JARS", "6: SHOW JARS is not supported"},
      {"USE MODULES a", "5: USE MODULES is not supported"},
      {"COMPILE PLAN 'x' FOR INSERT INTO t SELECT 1", "1: the statement COMPILE is not supported"},
      {"ADD JAR 'x'", "1: ADD JAR is not supported"},
  };
  for (const Wrong& wrong : kRefused) {
    const std::string message = ErrorIn(wrong.text, ErrorKind::kUnsupported);
    EXPECT_EQ(message.substr(0, message.find('\n')), fmt::format("SQL error at line 1, column {}", wrong.message))
        << wrong.text;
  }
}

TEST(Errors, CarryTheirPlace) {
  try {
    ParseScript("SELECT 1;\nSELECT  a FROM t WHERE ;");
    FAIL();
  } catch (const SqlError& error) {
    EXPECT_EQ(error.span().line, 2);
    EXPECT_EQ(error.span().column, 24);
    EXPECT_EQ(error.span().offset, 33);
    EXPECT_EQ(error.message(), "found end of statement, expected an expression");
  }
  const SqlError bound = InvalidSql({1, 8, 7, 1}, "unknown column '{}'", "é");
  EXPECT_STREQ(bound.what(), "SQL error at line 1, column 8: unknown column 'é'");
  const SqlError shown = bound.WithSource("SELECT é");
  EXPECT_STREQ(shown.what(), "SQL error at line 1, column 8: unknown column 'é'\n  SELECT é\n         ^");
  EXPECT_STREQ(shown.WithSource("SELECT é").what(), shown.what());
  EXPECT_EQ(shown.kind(), ErrorKind::kInvalidArgument);
  EXPECT_EQ(UnsupportedSql({}, "x").kind(), ErrorKind::kUnsupported);
  EXPECT_STREQ(InvalidSql({}, "nowhere").WithSource("SELECT 1").what(), "SQL error: nowhere");
}

TEST(Errors, ShowPartOfALongLine) {
  const std::string script = "SELECT " + std::string(200, 'x') + ", FORM, " + std::string(200, 'y') + " FROM FROM t";
  const std::string message = ErrorIn(script);
  EXPECT_THAT(message, HasSubstr("\n  …"));
  const std::string caret = message.substr(message.rfind('\n') + 1);
  EXPECT_EQ(caret.size(), 2 + 1 + 60 + 1);
  EXPECT_EQ(RenderCaret("a\r\nb", SpanAt("a\r\nb", 0, 1)), "  a\n  ^");
  EXPECT_EQ(RenderCaret("abc", SpanAt("abc", 3, 0)), "  abc\n     ^");
  const std::string_view hostile("a\x1b[2J\0\xE2\x80\xAE\xFF\tb", 12);
  EXPECT_EQ(RenderCaret(hostile, SpanAt(hostile, 11, 1)), "  a\uFFFD[2J\uFFFD\uFFFD\uFFFD\tb\n          \t^");
}

// ---- Limits

std::string Repeat(std::string_view text, size_t count) {
  std::string out;
  out.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) out += text;
  return out;
}

TEST(Limits, DeepNestingIsAnError) {
  constexpr size_t kDeep = 1000;
  const std::string texts[] = {
      "SELECT " + Repeat("(", kDeep) + "1" + Repeat(")", kDeep),
      "SELECT " + Repeat("(SELECT ", kDeep) + "1" + Repeat(")", kDeep),
      "SELECT " + Repeat("NOT ", kDeep) + "a",
      "SELECT " + Repeat("- ", kDeep) + "a",
      "SELECT " + Repeat("f(", kDeep) + "1" + Repeat(")", kDeep),
      "SELECT " + Repeat("ARRAY[", kDeep) + "1" + Repeat("]", kDeep),
      "SELECT " + Repeat("CASE WHEN a THEN ", kDeep) + "1" + Repeat(" END", kDeep),
      "SELECT CAST(a AS " + Repeat("ARRAY<", kDeep) + "INT" + Repeat(">", kDeep) + ")",
      "SELECT * FROM " + Repeat("(", kDeep) + "t" + Repeat(")", kDeep),
      "SELECT a FROM t GROUP BY " + Repeat("GROUPING SETS (", kDeep) + "a" + Repeat(")", kDeep),
      Repeat("(", kDeep) + "SELECT 1" + Repeat(")", kDeep),
      Repeat("(", 100'000),
  };
  for (const std::string& text : texts)
    EXPECT_THAT(ErrorIn(text), HasSubstr("nested more than 400 levels deep")) << text.substr(0, 40);
}

TEST(Limits, HighTreesAreAnErrorToo) {
  constexpr size_t kLong = 2000;
  const std::string texts[] = {
      "SELECT 1" + Repeat(" + 1", kLong),
      "SELECT a" + Repeat("[1]", kLong),
      "SELECT f(a)" + Repeat(".b", kLong),
      "SELECT a" + Repeat(" IS NULL", kLong),
      "SELECT 1" + Repeat(" UNION ALL SELECT 1", kLong),
      "SELECT 1 FROM t" + Repeat(", t", kLong),
      "SELECT 1 FROM t" + Repeat(" CROSS JOIN t", kLong),
      "SELECT CAST(a AS INT" + Repeat(" ARRAY", kLong) + ")",
  };
  for (const std::string& text : texts) EXPECT_THAT(ErrorIn(text), HasSubstr("more than 1000")) << text.substr(0, 40);
  EXPECT_EQ(Expr("1" + Repeat(" + 1", 900)).size(), 1 + 4 * 900);
}

TEST(Limits, LongStatementsAreFine) {
  const std::string row = "(1, 'some text', 2.5, NULL), ";
  const std::string values = "INSERT INTO t VALUES " + Repeat(row, (10 << 20) / row.size()) + "(1, 'x', 2, NULL)";
  EXPECT_EQ(ParseStatement(values).As<Insert>()->query->As<Values>()->rows.size(), (10 << 20) / row.size() + 1);

  const std::string chain = "a = 1" + Repeat(" OR a = 2", 100'000);
  EXPECT_EQ(ParseExpression(chain)->As<Junction>()->operands.size(), 100'001);
  const std::string list = "a IN (1" + Repeat(", 2", 100'000) + ")";
  EXPECT_EQ(ParseExpression(list)->As<InList>()->items.size(), 100'001);
}

// ---- Damage: an SqlError or a statement, never anything else

void ParsesOrFails(std::string_view text) {
  try {
    for (const Statement& statement : ParseScript(text)) {
      const std::string printed = StatementToString(statement);
      EXPECT_EQ(Stmt(printed), printed) << text;
    }
  } catch (const SqlError& error) {
    EXPECT_GT(error.span().line, 0) << text;
    EXPECT_LE(error.span().end(), text.size()) << text;
    EXPECT_THAT(error.what(), HasSubstr("^")) << text;
  }
  IsComplete(text);
}

TEST(Damage, EveryTruncationIsAnErrorOrAStatement) {
  for (const Printed& one : All()) {
    const std::vector<Token> tokens = TokensOf(one.text);
    for (size_t keep = 0; keep + 1 < tokens.size(); ++keep) ParsesOrFails(one.text.substr(0, tokens[keep].span.offset));
    for (size_t bytes = 0; bytes < one.text.size(); ++bytes) ParsesOrFails(one.text.substr(0, bytes));
  }
}

TEST(Damage, EveryTokenMayBeMissingDoubledOrExchanged) {
  for (const Printed& one : All()) {
    const std::vector<Token> tokens = TokensOf(one.text);
    const auto text_of = [&](size_t i) { return std::string(tokens[i].span.Text(one.text)) + " "; };
    const size_t count = tokens.size() - 1;
    for (size_t at = 0; at < count; ++at) {
      std::string missing;
      std::string doubled;
      std::string exchanged;
      for (size_t i = 0; i < count; ++i) {
        if (i != at) missing += text_of(i);
        doubled += i == at ? text_of(i) + text_of(i) : text_of(i);
        exchanged += text_of(i == at ? (at + 1) % count : i == at + 1 ? at : i);
      }
      ParsesOrFails(missing);
      ParsesOrFails(doubled);
      ParsesOrFails(exchanged);
    }
  }
}

TEST(Damage, RandomTokensAndBytes) {
  std::mt19937 random(42);  // NOLINT: the same run each time
  std::vector<std::string> words;
  for (const Printed& one : All()) {
    for (const Token& token : TokensOf(one.text)) words.emplace_back(token.span.Text(one.text));
  }
  constexpr int kRuns = 20'000;
  for (int run = 0; run < kRuns; ++run) {
    std::string text;
    for (size_t i = random() % 30; i > 0; --i) text += words[random() % words.size()] + " ";
    ParsesOrFails(text);
  }
  const std::vector<Printed> all = All();
  for (int run = 0; run < kRuns; ++run) {
    std::string text(all[random() % all.size()].text);
    text[random() % text.size()] = static_cast<char>(random() % 256);
    ParsesOrFails(text);
  }
}

}  // namespace
}  // namespace frazil::sql
