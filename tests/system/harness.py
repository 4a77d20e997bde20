# SPDX-License-Identifier: Apache-2.0
"""What every system test needs: the program under a time limit, input with a known content, and exact comparisons.

The truth is never the program itself: input is read by DuckDB from the JSON files, tables are read by PyIceberg through its own catalog
on the same SQLite file. Both sides become DuckDB relations that must be equal as multisets.
"""
import json
import os
import pathlib
import signal
import subprocess
import threading
import time

import duckdb
import pyarrow
import pyarrow.parquet
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import NoSuchTableError
from sqlalchemy.exc import OperationalError

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FRAZIL = pathlib.Path(os.environ.get("FRAZIL", REPOSITORY / "build/release/bin/frazil")).resolve()

# (name, type in Flink SQL, type in DuckDB) of the events that most tests stream.
EVENT_COLUMNS = [
    ("event_id", "BIGINT NOT NULL", "BIGINT"),
    ("kind", "STRING", "VARCHAR"),
    ("event_time", "TIMESTAMP(6)", "TIMESTAMP"),
    ("user_id", "INT", "INTEGER"),
    ("region", "STRING", "VARCHAR"),
    ("amount", "DECIMAL(12, 2)", "DECIMAL(12, 2)"),
    ("ratio", "DOUBLE", "DOUBLE"),
    ("device", "ROW<`system` STRING, version INT>", "STRUCT(system VARCHAR, version INTEGER)"),
    ("items", "ARRAY<ROW<sku STRING, quantity INT>>", "STRUCT(sku VARCHAR, quantity INTEGER)[]"),
]

# Event number i, as DuckDB computes it: about one value in ten is null, nested values are null, empty or filled.
EVENT_QUERY = """
SELECT i AS event_id,
       ['order', 'click', 'user'][1 + h(i, 1) % 3] AS kind,
       TIMESTAMP '1969-12-31 23:00:00' + INTERVAL (i * 1013) MILLISECONDS AS event_time,
       CASE WHEN h(i, 2) % 10 > 0 THEN (h(i, 3) % 50000)::INTEGER END AS user_id,
       CASE WHEN h(i, 4) % 10 > 0 THEN ['us-east', 'eu-west', 'ap-south', 'sa-east'][1 + h(i, 5) % 4] END AS region,
       CASE WHEN h(i, 6) % 10 > 0 THEN ((h(i, 7) % 200000000000)::BIGINT - 100000000000)::DECIMAL(18, 0) / 100 END::DECIMAL(12, 2)
           AS amount,
       CASE WHEN h(i, 8) % 10 > 0 THEN (h(i, 9) % 1000000007)::DOUBLE / 1000003 END AS ratio,
       CASE WHEN h(i, 10) % 3 > 0
            THEN {'system': 'os "' || h(i, 11) % 7 || '" é\\', 'version': CASE WHEN h(i, 12) % 4 > 0 THEN (h(i, 12) % 20)::INTEGER END}
       END AS device,
       CASE WHEN h(i, 13) % 3 > 0
            THEN list_transform(range((h(i, 14) % 4)::BIGINT),
                                lambda n : {'sku': 'SKU-' || (h(i, n) % 100), 'quantity': (1 + h(n, i) % 9)::INTEGER})
       END AS items
FROM range($low, $high) AS numbers(i)
"""


def ddl_columns(columns):
    return ",\n  ".join(f"`{name}` {flink}" for name, flink, _ in columns)


def write_events(folder, first, end, files=1, name="events"):
    """Files <folder>/<name>-<first>-<k>.json with the events [first, end); each appears complete, by rename."""
    folder.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect()
    connection.execute("CREATE MACRO h(a, b) AS (hash(a, b) >> 8)::BIGINT")
    for number in range(files):
        low = first + (end - first) * number // files
        high = first + (end - first) * (number + 1) // files
        path = folder / f"{name}-{first:09d}-{number:03d}.json"
        hidden = folder / f".{path.name}"
        query = EVENT_QUERY.replace("$low", str(low)).replace("$high", str(high))
        connection.execute(f"COPY ({query}) TO '{hidden}' (FORMAT json)")
        hidden.rename(path)


def input_relation(paths, columns=EVENT_COLUMNS):
    """SQL of what the JSON files hold, as DuckDB reads it with the types given: no inference."""
    types = ", ".join(f"'{name}': '{duck}'" for name, _, duck in columns)
    return f"SELECT * FROM read_json('{paths}', format = 'newline_delimited', columns = {{{types}}})"


class Result:
    """One finished run of the program."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit code {self.code}\n--- stdout\n{self.out[-4000:]}\n--- stderr\n{self.err[-4000:]}"

    def succeeded(self):
        assert self.code == 0, self
        return self

    def failed(self, *expected):
        """The program ended with code 1 and its error output has every one of the texts."""
        assert self.code == 1, self
        for text in expected:
            assert text in self.err, f"{text!r} is not in the error output\n{self}"
        return self

    def json_rows(self):
        return [json.loads(line) for line in self.out.splitlines() if line.strip()]


class Process:
    """A running program; its output is collected, and it never outlives the test."""

    def __init__(self, arguments, environment, cwd, limit):
        self.process = subprocess.Popen(
            [str(FRAZIL), *map(str, arguments)], cwd=cwd, env={**os.environ, **(environment or {})}, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.deadline = time.monotonic() + limit
        self.texts = {}
        self.readers = [threading.Thread(target=self._read, args=(name, stream), daemon=True)
                        for name, stream in (("out", self.process.stdout), ("err", self.process.stderr))]
        for reader in self.readers:
            reader.start()

    def _read(self, name, stream):
        self.texts[name] = stream.read()

    def running(self):
        return self.process.poll() is None

    def signal(self, number):
        self.process.send_signal(number)

    def kill(self):
        """True if the program was still running."""
        was_running = self.running()
        self.process.send_signal(signal.SIGKILL)
        result = self.wait()
        return was_running and result.code == -signal.SIGKILL

    def wait(self):
        try:
            self.process.wait(max(0.1, self.deadline - time.monotonic()))
            late = False
        except subprocess.TimeoutExpired:
            late = True
            self.process.kill()
            self.process.wait()
        for reader in self.readers:
            reader.join()
        result = Result(self.process.returncode, self.texts["out"], self.texts["err"])
        assert not late, f"the program did not end within its time limit\n{result}"
        return result


class Lake:
    """A scratch folder with one catalog file, a warehouse, events and checkpoints; and the scripts that use them."""

    CATALOG = "lake"

    def __init__(self, root, events=None):
        self.root = root
        self.events = events or root / "events"
        self.catalog_file = root / "catalog.db"
        self.warehouse = root / "warehouse"
        self.checkpoints = root / "checkpoints"
        self.processes = []
        self.scripts = 0

    # --- scripts ---

    def catalog_sql(self, database="db"):
        return f"""
CREATE CATALOG {self.CATALOG} WITH (
  'type' = 'iceberg', 'catalog-type' = 'jdbc', 'uri' = 'jdbc:sqlite:{self.catalog_file}', 'warehouse' = '{self.warehouse}');
CREATE DATABASE IF NOT EXISTS {self.CATALOG}.{database};
"""

    def settings_sql(self, name, interval="100 ms", parallelism=2, **settings):
        every = {"pipeline.name": name, "execution.checkpointing.dir": self.checkpoints, "execution.checkpointing.interval": interval,
                 "parallelism.default": parallelism, **settings}
        return "".join(f"SET '{key}' = '{value}';\n" for key, value in every.items() if value is not None)

    def source_sql(self, path=None, columns=EVENT_COLUMNS, name="incoming", **options):
        every = {"connector": "filesystem", "path": path or self.events, "format": "json", **options}
        listed = ", ".join(f"'{key}' = '{value}'" for key, value in every.items())
        return f"CREATE TEMPORARY TABLE {name} (\n  {ddl_columns(columns)}\n) WITH ({listed});\n"

    def table_sql(self, table="events", columns=EVENT_COLUMNS, partitioned=(), **properties):
        by = f" PARTITIONED BY ({', '.join(partitioned)})" if partitioned else ""
        listed = ", ".join(f"'{key}' = '{value}'" for key, value in properties.items())
        options = f" WITH ({listed})" if listed else ""
        return f"CREATE TABLE IF NOT EXISTS {self.CATALOG}.db.{table} (\n  {ddl_columns(columns)}\n){by}{options};\n"

    def job(self, name="job", table="events", path=None, columns=EVENT_COLUMNS, partitioned=(), source=None, properties=None, **settings):
        """A whole script: settings, catalog, table, source and the INSERT that copies one to the other."""
        return (self.settings_sql(name, **settings) + self.catalog_sql() + self.table_sql(table, columns, partitioned, **(properties or {})) +
                self.source_sql(path, columns, **(source or {})) + f"INSERT INTO {self.CATALOG}.db.{table} SELECT * FROM incoming;\n")

    def write_script(self, text):
        self.scripts += 1
        path = self.root / f"script-{self.scripts}.sql"
        path.write_text(text)
        return path

    # --- the program ---

    def start(self, *arguments, environment=None, limit=60):
        process = Process(arguments, environment, self.root, limit)
        self.processes.append(process)
        return process

    def frazil(self, *arguments, environment=None, limit=60):
        return self.start(*arguments, environment=environment, limit=limit).wait()

    def start_script(self, text, *arguments, environment=None, limit=60):
        return self.start("run", self.write_script(text), *arguments, environment=environment, limit=limit)

    def run(self, text, *arguments, environment=None, limit=60):
        return self.start_script(text, *arguments, environment=environment, limit=limit).wait()

    def query_text(self, sql, output="json"):
        """What a query in a session that has the catalog prints."""
        return self.frazil("sql", "--output", output, "-f", self.write_script(self.catalog_sql() + sql + ";")).succeeded().out

    def query(self, sql):
        """The rows of a query, each a dict."""
        return [json.loads(line) for line in self.query_text(sql).splitlines()]

    def close(self):
        for process in self.processes:
            if process.running():
                process.kill()

    # --- what the table holds, without Frazil ---

    def catalog(self):
        return SqlCatalog(self.CATALOG, uri=f"sqlite:///{self.catalog_file}", warehouse=f"file://{self.warehouse}")

    def table(self, table="events"):
        catalog = self.catalog()
        try:
            return catalog.load_table(("db", table))
        finally:
            catalog.close()

    def table_rows(self, table="events"):
        """All rows: the files that PyIceberg plans, read by pyarrow. (PyIceberg 0.12 itself reads a null list of structs as an empty one.)"""
        loaded = self.table(table)
        batches = [loaded.schema().as_arrow().empty_table()]
        for task in loaded.scan().plan_files():
            assert not task.delete_files
            with pyarrow.parquet.ParquetFile(task.file.file_path.removeprefix("file://")) as file:
                batches.append(file.read())
        return pyarrow.concat_tables([batch.replace_schema_metadata() for batch in batches], promote_options="permissive")

    def committed_rows(self, table="events"):
        """Rows by the newest snapshot's summary; 0 while there is no catalog, table or snapshot."""
        if not self.catalog_file.exists():
            return 0
        try:
            snapshot = self.table(table).current_snapshot()
        except (NoSuchTableError, OperationalError):
            return 0
        return int(snapshot.summary["total-records"]) if snapshot else 0

    def assert_table_is_input(self, table="events", paths=None, columns=EVENT_COLUMNS, note=""):
        """Row for row: nothing lost, nothing twice, nothing changed."""
        assert_same_rows(self.table_rows(table), input_relation(paths or f"{self.events}/*.json", columns), columns, note)

    def assert_history_is_linear(self, table="events"):
        """Each snapshot's parent is the one before it; sequence numbers go up by one; the log agrees with the snapshots."""
        metadata = self.table(table).metadata
        snapshots = sorted(metadata.snapshots, key=lambda snapshot: snapshot.sequence_number)
        assert [snapshot.sequence_number for snapshot in snapshots] == list(range(1, len(snapshots) + 1))
        assert [snapshot.parent_snapshot_id for snapshot in snapshots] == [None] + [snapshot.snapshot_id for snapshot in snapshots[:-1]]
        assert [entry.snapshot_id for entry in metadata.snapshot_log] == [snapshot.snapshot_id for snapshot in snapshots]
        assert metadata.current_snapshot_id == snapshots[-1].snapshot_id
        return snapshots


def assert_same_rows(actual, expected, columns=EVENT_COLUMNS, note=""):
    """`actual` and `expected` (Arrow tables or SQL for DuckDB) hold the same multiset of rows, compared by the columns' DuckDB types."""
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    typed = ", ".join(f'CAST("{name}" AS {duck}) AS "{name}"' for name, _, duck in columns)
    for name, rows in (("actual", actual), ("expected", expected)):
        if not isinstance(rows, str):
            connection.register(f"{name}_arrow", rows)
            rows = f"SELECT * FROM {name}_arrow"
        connection.execute(f"CREATE TABLE {name} AS SELECT {typed} FROM ({rows})")
    count = "SELECT count(*) FROM "
    counts = [connection.execute(count + name).fetchone()[0] for name in ("actual", "expected")]
    # Of two multisets of the same size, neither has more if the other doesn't.
    missing = connection.execute("SELECT * FROM expected EXCEPT ALL SELECT * FROM actual").fetchmany(3)
    extra = []
    if missing or counts[0] != counts[1]:
        extra = connection.execute("SELECT * FROM actual EXCEPT ALL SELECT * FROM expected").fetchmany(3)
    assert counts[0] == counts[1] and not missing and not extra, (
        f"{note}\nthe table has {counts[0]} rows, the input {counts[1]}\nmissing, for example: {missing}\ntoo many, for example: {extra}")


def wait_until(condition, limit=20, every=0.05, what="the condition"):
    """Polls until condition() is true and returns its value."""
    deadline = time.monotonic() + limit
    while True:
        value = condition()
        if value:
            return value
        assert time.monotonic() < deadline, f"{what} did not come true within {limit} s"
        time.sleep(every)
