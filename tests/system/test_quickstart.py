# SPDX-License-Identifier: Apache-2.0
"""The commands as a user meets them: the quickstart script, statements on the command line, output formats, errors, exit codes, reruns."""
import json
import subprocess
import sys

import duckdb

from harness import FRAZIL, REPOSITORY, assert_same_rows, input_relation, write_events

SHOP_COLUMNS = [
    ("event_id", "STRING NOT NULL", "VARCHAR"), ("event_type", "STRING", "VARCHAR"), ("event_time", "TIMESTAMP(6)", "TIMESTAMP"),
    ("user_id", "BIGINT", "BIGINT"), ("region", "STRING", "VARCHAR"), ("amount", "DECIMAL(12, 2)", "DECIMAL(12, 2)"), ("url", "STRING", "VARCHAR"),
    ("device", "ROW<`system` STRING, version INT>", "STRUCT(system VARCHAR, version INTEGER)"),
    ("items", "ARRAY<ROW<sku STRING, quantity INT>>", "STRUCT(sku VARCHAR, quantity INTEGER)[]"),
]


def shop_input(folder):
    types = ", ".join(f"'{name}': '{duck}'" for name, _, duck in SHOP_COLUMNS)
    return f"""SELECT * REPLACE (coalesce(region, 'unknown') AS region)
               FROM read_json('{folder}/*.json', format = 'newline_delimited', columns = {{{types}}})"""


def test_the_quickstart_of_the_examples(lake):
    """examples/quickstart.sql on fewer events, with its paths below the scratch folder."""
    subprocess.run([sys.executable, REPOSITORY / "examples/generate_events.py", lake.root / "build/demo/events", "20000"], check=True)
    script = (REPOSITORY / "examples/quickstart.sql").read_text()
    result = lake.run(script, "--output", "json").succeeded()
    lake.catalog_file = lake.root / "build/demo/catalog.db"
    lake.warehouse = lake.root / "build/demo/warehouse"
    catalog = lake.catalog()
    table = catalog.load_table(("shop", "events"))
    expected = shop_input(lake.root / "build/demo/events")
    assert_same_rows(table.scan().to_arrow(), expected, SHOP_COLUMNS[:-1])  # PyIceberg 0.12 reads a null list of structs as empty

    sums = duckdb.connect().execute(f"""
        SELECT region, count(*), sum(amount)::VARCHAR, count(DISTINCT user_id), max(event_time)::VARCHAR
        FROM ({expected}) GROUP BY region ORDER BY sum(amount) DESC""").fetchall()
    rows = [json.loads(line, parse_float=str) for line in result.out.splitlines()]
    regions = [(row["region"], row["events"], row["revenue"], row["users"], row["latest"].rstrip("0")) for row in rows if "region" in row]
    assert regions == [(*row[:4], row[4].rstrip("0")) for row in sums]

    snapshots = [row for row in rows if "snapshot_id" in row]
    assert [row["snapshot_id"] for row in snapshots] == [entry.snapshot_id for entry in table.metadata.snapshot_log]
    assert sum(int(row["added"]) for row in snapshots) == 20_000
    assert snapshots[-1]["total"] == "20000"
    files = [row for row in rows if "file_path" in row]
    assert 1 <= len(files) <= 10
    assert {row["file_path"] for row in files} <= set(table.inspect.files()["file_path"].to_pylist())
    assert table.schema().find_field("event_id").required
    assert table.schema().find_field("event_id").doc == "unique"
    assert table.properties["comment"] == "events of a small web shop"


def test_version_and_help(lake):
    assert lake.frazil("--version").succeeded().out.startswith("frazil 0.")
    text = lake.frazil("--help").succeeded().out
    for word in ("run", "sql", "--version", "--execute"):
        assert word in text
    for command, option in (("run", "--fresh"), ("sql", "--output")):
        assert option in lake.frazil(command, "--help").succeeded().out


def test_a_wrong_command_line(lake):
    for arguments in (["--no-such-option"], ["run"], ["run", "a.sql", "--output", "xml"], ["no-such-command"]):
        result = lake.frazil(*arguments)
        assert result.code == 2, result
        assert result.err
    lake.frazil("run", "missing.sql").failed("missing.sql")
    lake.frazil("sql", "-e", "SELECT 1", "-D", "nonsense").failed("nonsense", "key=value")


QUERY = """SELECT * FROM (VALUES
  (1, 'plain', CAST(1.50 AS DECIMAL(5, 2)), TRUE), (2, 'with "quotes", comma', NULL, FALSE), (NULL, '', CAST(-0.01 AS DECIMAL(5, 2)), NULL))
  AS t (id, text, amount, flag) ORDER BY text DESC"""


def test_output_as_json(lake):
    result = lake.frazil("sql", "--output", "json", "-e", QUERY).succeeded()
    assert [json.loads(line, parse_float=str) for line in result.out.splitlines()] == [
        {"id": 2, "text": 'with "quotes", comma', "amount": None, "flag": False},
        {"id": 1, "text": "plain", "amount": "1.50", "flag": True},
        {"id": None, "text": "", "amount": "-0.01", "flag": None}]


def test_output_as_csv(lake):
    result = lake.frazil("sql", "--output", "csv", "-e", QUERY).succeeded()
    assert result.out == ('id,text,amount,flag\n2,"with ""quotes"", comma",,FALSE\n1,plain,1.50,TRUE\n,"",-0.01,\n')


def test_output_as_table(lake):
    result = lake.frazil("sql", "-e", QUERY).succeeded()
    assert result.out == """\
+--------+----------------------+--------+--------+
|     id | text                 | amount | flag   |
+--------+----------------------+--------+--------+
|      2 | with "quotes", comma | <NULL> | FALSE  |
|      1 | plain                |   1.50 | TRUE   |
| <NULL> |                      |  -0.01 | <NULL> |
+--------+----------------------+--------+--------+
3 rows in set
"""


def test_statements_from_the_command_line_a_file_and_standard_input(lake):
    expected = [{"EXPR$0": 1}]
    assert lake.frazil("-e", "SELECT 1", "--output", "json").succeeded().json_rows() == expected
    assert lake.frazil("sql", "-e", "SELECT 1", "--output", "json").succeeded().json_rows() == expected
    assert lake.frazil("sql", "-e", "SELECT 1;", "-e", "SELECT 1", "--output", "json").succeeded().json_rows() == expected * 2
    path = lake.write_script("-- nothing; here\nSELECT 1; /* and; here */")
    assert lake.frazil("sql", "-f", path, "--output", "json").succeeded().json_rows() == expected
    assert lake.frazil("run", path, "--output", "json").succeeded().json_rows() == expected
    piped = subprocess.run([FRAZIL, "sql", "--output", "json"], input="SELECT 1;\n", text=True, capture_output=True, timeout=20)
    assert (piped.returncode, piped.stdout) == (0, '{"EXPR$0": 1}\n')


def test_a_script_is_split_at_semicolons_only_where_statements_end(lake):
    script = "SELECT 'a;b' AS x, 'it''s; ok' AS `c;d` -- note; more\nFROM (VALUES (1)) AS t (id) /* block; /* no nesting */ ; SELECT 2 AS x; /* tail ; */"
    assert lake.frazil("sql", "-e", script, "--output", "json").succeeded().json_rows() == [{"x": "a;b", "c;d": "it's; ok"}, {"x": 2}]


def test_syntax_errors_show_the_place(lake):
    """The line, a caret under the token and what was expected; nothing of the script runs."""
    result = lake.run(lake.catalog_sql() + "SELECT a,\n  b FORM t;\n").failed("  b FORM t", "^")
    lines = result.err.splitlines()
    caret = next(number for number, line in enumerate(lines) if line.strip() and not line.strip().strip("^~|0123456789 "))
    shown = next(line for line in lines if "b FORM t" in line)
    assert lines[caret].index("^") in (shown.index("FORM"), shown.index("t;")), result
    assert not lake.catalog_file.exists(), "a script with a syntax error runs none of its statements"
    lake.frazil("sql", "-e", "SELECT 'never closed").failed("SELECT 'never closed", "^")
    lake.frazil("sql", "-e", 'SELECT 1 AS "x"').failed("^", "`")


def test_errors_of_meaning_show_the_place(lake, small_events):
    lake.events = small_events
    prepared = lake.catalog_sql() + lake.table_sql() + lake.source_sql()
    target = f"INSERT INTO {lake.CATALOG}.db.events"
    lake.run(prepared + "SELECT event_idd FROM incoming;").failed("event_idd", "event_id", "^")
    lake.run(prepared + "SELECT * FROM incomin;").failed("incomin", "^")
    lake.run(prepared + f"{target} SELECT event_id, kind FROM incoming;").failed("Different number of columns", "kind: STRING]", "^")
    lake.run(prepared + f"{target} SELECT kind, event_id, event_time, user_id, region, amount, ratio, device, items FROM incoming;").failed(
        "event_id", "STRING", "BIGINT")
    lake.run(prepared + f"{target} (kind) SELECT kind FROM incoming;").failed("event_id", "NOT NULL")
    lake.run(prepared + f"{target} (event_id, zz) VALUES (1, 2);").failed("zz")
    assert lake.committed_rows() == 0


def test_options_are_honoured_or_refused(lake, small_events):
    lake.events = small_events
    lake.run(lake.job(source={"source.monitor-intervall": "1 s"})).failed("source.monitor-intervall", "source.monitor-interval")
    lake.run(lake.job(source={"json.foo": "1"})).failed("json.foo")
    lake.run(lake.job(source={"json.timestamp-format.standard": "iso"})).failed("json.timestamp-format.standard", "ISO-8601")
    lake.run(lake.job(source={"json.fail-on-missing-field": "true", "json.ignore-parse-errors": "true"})).failed(
        "json.fail-on-missing-field", "json.ignore-parse-errors")
    lake.run(lake.job(**{"execution.checkpointing.intervall": "1 s"})).failed("execution.checkpointing.intervall",
                                                                              "execution.checkpointing.interval")
    lake.run(lake.job(interval="soon")).failed("execution.checkpointing.interval", "soon")


def test_rerunning_a_finished_job(lake):
    """The same command again adds nothing; new files are picked up; --fresh reads everything once more."""
    write_events(lake.events, 0, 2_000, files=2)
    script = lake.job("again")
    lake.run(script).succeeded()
    lake.assert_table_is_input()
    lake.run(script).succeeded()
    lake.assert_table_is_input()
    assert len(lake.table().metadata.snapshots) == 1, "a rerun without new input commits nothing"
    write_events(lake.events, 2_000, 3_000)
    lake.run(script).succeeded()
    lake.assert_table_is_input()
    lake.assert_history_is_linear()

    lake.run(script, "--fresh").succeeded()
    once = input_relation(f"{lake.events}/*.json")
    assert_same_rows(lake.table_rows(), f"{once} UNION ALL {once}")
    assert len({snapshot.summary["flink.job-id"] for snapshot in lake.table().metadata.snapshots}) == 2


def test_the_name_of_a_job_comes_from_the_script(lake, small_events):
    """Without pipeline.name and checkpoint folder a script still finds its own checkpoints: beside itself, by its name."""
    lake.events = small_events
    path = lake.root / "nightly.sql"
    path.write_text(lake.catalog_sql() + lake.table_sql() + lake.source_sql() + f"INSERT INTO {lake.CATALOG}.db.events SELECT * FROM incoming;\n")
    lake.frazil("run", path).succeeded()
    lake.frazil("run", path).succeeded()
    lake.assert_table_is_input()
    assert list((lake.root / ".frazil/checkpoints").rglob("chk-*"))


def test_progress_goes_to_the_error_output(lake, small_events):
    """Results alone are on standard output; the plain progress line has rows, snapshots and files."""
    result = lake.run(lake.job(path=small_events)).succeeded()
    assert result.out == ""
    for word in ("3000", "rows", "checkpoint", "snapshot", "file"):
        assert word in result.err.replace(",", "").replace("\u202f", ""), result


def test_datagen_to_blackhole_and_print(lake):
    source = "CREATE TEMPORARY TABLE numbers (n BIGINT, s STRING) WITH ('connector' = 'datagen', 'number-of-rows' = '1000', 'fields.n.kind' = 'sequence', 'fields.n.start' = '1', 'fields.n.end' = '1000');\n"
    lake.run(source + "CREATE TEMPORARY TABLE hole (n BIGINT) WITH ('connector' = 'blackhole');\nINSERT INTO hole SELECT n FROM numbers;").succeeded()
    out = lake.run("SET 'parallelism.default' = '1';\n" + source + "CREATE TEMPORARY TABLE printed (n BIGINT) WITH ('connector' = 'print');\n"
                   "INSERT INTO printed SELECT n FROM numbers WHERE n <= 3;").succeeded().out
    assert out.splitlines() == ["+I[1]", "+I[2]", "+I[3]"]
