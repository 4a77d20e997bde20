# SPDX-License-Identifier: Apache-2.0
"""One table that Frazil and Flink write in turn: Iceberg's JdbcCatalog and ours on the same file."""
import duckdb

import flink_sql
from harness import EVENT_COLUMNS, assert_same_rows, ddl_columns, input_relation, write_events


def flink_catalog(lake):
    return f"""CREATE CATALOG {lake.CATALOG} WITH ('type' = 'iceberg', 'catalog-impl' = 'org.apache.iceberg.jdbc.JdbcCatalog',
               'uri' = 'jdbc:sqlite:{lake.catalog_file}', 'warehouse' = 'file://{lake.warehouse}', 'jdbc.schema-version' = 'V1')"""


def flink_source(folder):
    return f"""CREATE TEMPORARY TABLE incoming ({ddl_columns(EVENT_COLUMNS)})
               WITH ('connector' = 'filesystem', 'path' = '{folder}', 'format' = 'json')"""


def sums(rows):
    """What both engines compute, by DuckDB."""
    return duckdb.connect().execute(f"""
        SELECT coalesce(region, '-'), count(*)::VARCHAR, sum(amount)::VARCHAR, max(event_time)::VARCHAR, count(user_id)::VARCHAR, sum(device.version)::VARCHAR
        FROM ({rows}) GROUP BY region ORDER BY 1""").fetchall()


SUMS = """SELECT COALESCE(region, '-') AS region, CAST(COUNT(*) AS STRING) AS n, CAST(SUM(amount) AS STRING) AS amount,
                 CAST(CAST(MAX(event_time) AS TIMESTAMP(3)) AS STRING) AS latest, CAST(COUNT(user_id) AS STRING) AS users,
                 CAST(SUM(device.version) AS STRING) AS versions
          FROM lake.db.`{}` GROUP BY region"""


def trimmed(rows):
    """Fractions of a second without trailing zeros, as DuckDB prints them."""
    return sorted((row[0], row[1], row[2], row[3].rstrip("0").rstrip(".") if "." in row[3] else row[3], row[4], row[5]) for row in map(tuple, rows))


def assert_both_engines_see(lake, table, rows, flink_rows):
    truth = trimmed(sums(rows))
    assert trimmed(flink_rows) == truth
    assert trimmed([tuple(row.values()) for row in lake.query(SUMS.format(table))]) == truth


def test_frazil_and_flink_write_one_table_in_turn(lake):
    for table, partitioned in (("flat", ()), ("parts", ("region",))):
        write_events(lake.root / table / "1", 0, 20_000, files=2)
        write_events(lake.root / "by-flink", 20_000, 30_000, files=2)
        lake.run(lake.job(f"into-{table}", table, path=lake.root / table, partitioned=partitioned)).succeeded()

    prepared = [flink_catalog(lake), flink_source(lake.root / "by-flink")]
    before = flink_sql.rows_of(flink_sql.run([
        *prepared, SUMS.format("flat"), SUMS.format("parts"),
        # Every row as Flink reads it, in a table of Flink's own making.
        "CREATE TABLE lake.db.copy LIKE lake.db.parts", "INSERT INTO lake.db.copy SELECT * FROM lake.db.parts",
        f"CREATE TABLE lake.db.by_flink ({ddl_columns(EVENT_COLUMNS)}) PARTITIONED BY (region) WITH ('format-version' = '2')",
        "INSERT INTO lake.db.by_flink SELECT * FROM incoming"], lake.root))[2:4]
    # One subtask: of two that end before the first checkpoint, Flink 1.20.1 lost the files of one.
    flink_sql.rows_of(flink_sql.run([
        "SET 'execution.checkpointing.interval' = '1 s'", "SET 'parallelism.default' = '1'", *prepared,
        "INSERT INTO lake.db.flat SELECT * FROM incoming", "INSERT INTO lake.db.parts SELECT * FROM incoming"], lake.root, mode="streaming"))
    after = flink_sql.rows_of(flink_sql.run([flink_catalog(lake), SUMS.format("flat"), SUMS.format("parts")], lake.root))[1:]
    first = {table: input_relation(f"{lake.root}/{table}/1/*.json") for table in ("flat", "parts")}
    by_flink = input_relation(f"{lake.root}/by-flink/*.json")
    assert_same_rows(lake.table_rows("copy"), first["parts"])
    assert_same_rows(lake.table_rows("by_flink"), by_flink)
    assert [trimmed(rows) for rows in before] == [trimmed(sums(first[table])) for table in ("flat", "parts")]

    for table, answer in zip(("flat", "parts"), after):
        both = f"{first[table]} UNION ALL {by_flink}"
        assert_both_engines_see(lake, table, both, answer)
        assert_same_rows(lake.table_rows(table), both)
        # Frazil goes on where it was, on top of Flink's snapshots.
        write_events(lake.root / table / "2", 30_000, 35_000)
        lake.run(lake.job(f"into-{table}", table, path=lake.root / table)).succeeded()
        lake.assert_history_is_linear(table)
    # And appends to the table that Flink made.
    lake.run(lake.job("into-by-flink", "by_flink", path=lake.root / "flat" / "2")).succeeded()

    tables = ("flat", "parts", "by_flink")
    last = flink_sql.rows_of(flink_sql.run(
        [flink_catalog(lake), *(SUMS.format(table) for table in tables),
         "SELECT operation, summary['added-records'], summary['total-records'] FROM lake.db.`flat$snapshots` ORDER BY committed_at",
         "SELECT CAST(SUM(record_count) AS STRING) FROM lake.db.`parts$files`"], lake.root))
    for table, answer in zip(tables, last[1:4]):
        rows = [f"{lake.root}/{table}/*/*.json"] if table in first else [f"{lake.root}/flat/2/*.json"]
        everything = " UNION ALL ".join([*map(input_relation, rows), by_flink])
        assert_both_engines_see(lake, table, everything, answer)
        assert_same_rows(lake.table_rows(table), everything)
    snapshots = lake.table("flat").metadata.snapshots
    assert [tuple(row) for row in last[4]] == [
        (snapshot.summary.operation.value, snapshot.summary["added-records"], snapshot.summary["total-records"])
        for snapshot in sorted(snapshots, key=lambda snapshot: snapshot.sequence_number)]
    assert last[5] == [["35000"]]


def test_the_summaries_have_the_keys_of_flink(lake):
    """The same rows appended by both: the snapshots' summaries have the same keys and the same counts."""
    write_events(lake.events, 0, 1_000)
    lake.run(lake.job(parallelism=1, partitioned=["region"])).succeeded()
    flink_sql.rows_of(flink_sql.run(
        ["SET 'execution.checkpointing.interval' = '10 s'", "SET 'parallelism.default' = '1'", flink_catalog(lake), flink_source(lake.events),
         f"CREATE TABLE lake.db.by_flink ({ddl_columns(EVENT_COLUMNS)}) PARTITIONED BY (region)", "INSERT INTO lake.db.by_flink SELECT * FROM incoming"],
        lake.root, mode="streaming"))
    ours, theirs = (lake.table(table).current_snapshot().summary.additional_properties for table in ("events", "by_flink"))
    assert set(theirs) - {"flink.operator-id", "engine-name", "engine-version", "iceberg-version"} <= set(ours), (ours, theirs)
    for key in ("added-records", "added-data-files", "total-records", "total-data-files", "changed-partition-count", "total-delete-files"):
        assert ours[key] == theirs[key], key
    # Null counts of every column that Flink counts; it leaves out what is below lists.
    by_us, by_flink = (null_counts_of_files(lake, table) for table in ("events", "by_flink"))
    counted = {field for _, counts in by_flink for field in counts}
    assert sorted((rows, sorted(item for item in counts.items() if item[0] in counted)) for rows, counts in by_us) == sorted(
        (rows, sorted(counts.items())) for rows, counts in by_flink)


def null_counts_of_files(lake, table):
    """For each data file its rows and its null counts by field id."""
    return [(file["record_count"], dict(file["null_value_counts"])) for file in lake.table(table).inspect.files().to_pylist()]
