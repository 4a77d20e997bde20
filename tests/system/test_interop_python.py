# SPDX-License-Identifier: Apache-2.0
"""Frazil, PyIceberg and DuckDB on the same files: each reads what the others wrote, and all agree on every value."""
import base64
import datetime
import decimal
import json
import pathlib
import uuid

import duckdb
import duckdb_extension_avro
import duckdb_extension_iceberg
import pyarrow as pa
import pytest
from pyiceberg.expressions import EqualTo
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import (BinaryType, BooleanType, DateType, DecimalType, DoubleType, FixedType, FloatType, IntegerType, ListType, LongType, MapType,
                             NestedField, StringType, StructType, TimestampType, TimestamptzType, TimeType, UUIDType)

from harness import EVENT_COLUMNS, assert_same_rows, input_relation, write_events


def duckdb_with_iceberg():
    """DuckDB with the extensions of their wheels: nothing is downloaded."""
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    for package in (duckdb_extension_avro, duckdb_extension_iceberg):
        [extension] = pathlib.Path(package.__file__).parent.rglob("*.duckdb_extension")
        connection.execute(f"LOAD '{extension}'")
    connection.execute("SET TimeZone = 'UTC'")
    return connection


def duckdb_rows(lake, table="events"):
    location = lake.table(table).metadata_location
    return duckdb_with_iceberg().execute(f"SELECT * FROM iceberg_scan('{location}')").to_arrow_table()


def frazil_rows(lake, table, columns):
    """SQL for DuckDB of what `frazil sql --output json` gives for the table."""
    path = lake.root / f"{table}.out"
    path.write_text(lake.query_text(f"SELECT * FROM {lake.CATALOG}.db.`{table}`"))
    types = ", ".join(f"'{name}': '{duck}'" for name, _, duck in columns)
    return f"SELECT * FROM read_json('{path}', format = 'newline_delimited', columns = {{{types}}})"


# --- tables of Frazil ---


def test_events_unpartitioned(lake, many_events):
    lake.events = many_events
    lake.run(lake.job()).succeeded()
    lake.assert_table_is_input()
    flat = EVENT_COLUMNS[:-1]  # PyIceberg 0.12 reads a null list of structs as an empty one
    assert_same_rows(lake.table().scan().to_arrow(), input_relation(f"{many_events}/*.json"), flat)
    assert_same_rows(duckdb_rows(lake), input_relation(f"{many_events}/*.json"))


ODD_VALUES = ["plain", "with space", "a/b", "a=b&c", "100%", "%2F", "ümläut", "日本", "😀", "..", "", "quo'te\"s", "tab\there", "new\nline", "semi;colon", "?#*",
              "back\\slash", "null", "__HIVE_DEFAULT_PARTITION__", None]


def test_identity_partitions_with_odd_values(lake):
    lake.events.mkdir()
    rows = [{"id": number, "label": value, "day": f"20{number % 3:02}-02-28" if number % 4 else None}
            for number, value in enumerate(ODD_VALUES * 5)]
    (lake.events / "rows.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    columns = [("id", "INT", "INTEGER"), ("label", "STRING", "VARCHAR"), ("day", "DATE", "DATE")]
    lake.run(lake.job(columns=columns, partitioned=["label", "`day`"])).succeeded()
    expected = input_relation(f"{lake.events}/*.json", columns)
    assert_same_rows(lake.table().scan().to_arrow(), expected, columns)
    assert_same_rows(duckdb_rows(lake), expected, columns)
    assert_same_rows(frazil_rows(lake, "events", columns), expected, columns)
    partitions = {(row["label"], row["day"]) for row in lake.table().inspect.partitions()["partition"].to_pylist()}
    assert partitions == {(row["label"], datetime.date.fromisoformat(row["day"]) if row["day"] else None) for row in rows}
    for value in ODD_VALUES[:-1]:
        ids = sorted(row["id"] for row in rows if row["label"] == value)
        assert sorted(lake.table().scan(EqualTo("label", value)).to_arrow()["id"].to_pylist()) == ids
    assert lake.query(f"SELECT id FROM {lake.CATALOG}.db.events WHERE label = 'a/b' ORDER BY id") == [
        {"id": row["id"]} for row in rows if row["label"] == "a/b"]
    assert len(lake.query(f"SELECT id FROM {lake.CATALOG}.db.events WHERE label IS NULL")) == 5


ALL_TYPES = [
    ("id", "INT", "INTEGER"), ("flag", "BOOLEAN", "BOOLEAN"), ("big", "BIGINT", "BIGINT"), ("real", "FLOAT", "FLOAT"), ("exact", "DOUBLE", "DOUBLE"),
    ("small_decimal", "DECIMAL(9, 2)", "DECIMAL(9,2)"), ("medium_decimal", "DECIMAL(18, 6)", "DECIMAL(18,6)"),
    ("large_decimal", "DECIMAL(38, 10)", "DECIMAL(38,10)"), ("day", "DATE", "DATE"), ("moment", "TIMESTAMP(6)", "TIMESTAMP"),
    ("instant", "TIMESTAMP_LTZ(6)", "TIMESTAMPTZ"), ("text", "STRING", "VARCHAR"), ("raw", "BYTES", "BLOB"),
    ("place", "ROW<lat DOUBLE, name STRING, inner_row ROW<a INT, b ARRAY<INT>>>", "STRUCT(lat DOUBLE, name VARCHAR, inner_row STRUCT(a INTEGER, b INTEGER[]))"),
    ("tags", "ARRAY<STRING>", "VARCHAR[]"), ("matrix", "ARRAY<ARRAY<INT>>", "INTEGER[][]"), ("counts", "MAP<STRING, BIGINT>", "MAP(VARCHAR, BIGINT)"),
    ("deep", "MAP<STRING, ROW<x INT, y ARRAY<ROW<z STRING>>>>", "MAP(VARCHAR, STRUCT(x INTEGER, y STRUCT(z VARCHAR)[]))"),
]

ALL_TYPES_ROWS = [
    {"id": 1, "flag": True, "big": 9223372036854775807, "real": 0.1, "exact": 0.1, "small_decimal": "1234567.89", "medium_decimal": "123456789012.123456",
     "large_decimal": "1234567890123456789012345678.0123456789", "day": "2024-02-29", "moment": "2024-02-29 23:59:59.123456",
     "instant": "2024-02-29 23:59:59.123456Z", "text": "zwölf 😀 \"'\\", "raw": "AP8Q", "place": {"lat": -1.5, "name": "x", "inner_row": {"a": 1, "b": [1, None, 3]}},
     "tags": ["a", None, ""], "matrix": [[1, 2], [], None], "counts": {"a": 1, "b": None}, "deep": {"k": {"x": 1, "y": [{"z": "p"}, {"z": None}]}}},
    {"id": 2, "flag": False, "big": -9223372036854775808, "real": -3.4028234e38, "exact": 5e-324, "small_decimal": "-9999999.99",
     "medium_decimal": "-999999999999.999999", "large_decimal": "-9999999999999999999999999999.9999999999", "day": "0001-01-01",
     "moment": "0001-01-01 00:00:00", "instant": "1969-12-31 23:59:59.999999Z", "text": "", "raw": "", "place": {"lat": None, "name": None, "inner_row": None},
     "tags": [], "matrix": [], "counts": {}, "deep": {}},
    {"id": 3, "day": "9999-12-31", "moment": "9999-12-31 23:59:59.999999", "instant": "1970-01-01 00:00:00Z", "small_decimal": "0.00"},
    {"id": 4, "flag": None, "place": None, "tags": None, "counts": None, "deep": {"k": None}},
]


def write_all_types(lake):
    lake.events.mkdir(exist_ok=True)
    text = "".join(json.dumps(row) + "\n" for row in ALL_TYPES_ROWS)
    (lake.events / "rows.json").write_text(text)


def all_types_truth():
    """The rows above as Arrow, computed by Python."""
    def value(row, name):
        given = row.get(name)
        if given is None:
            return None
        if name.endswith("decimal"):
            return decimal.Decimal(given)
        if name == "day":
            return datetime.date.fromisoformat(given)
        if name == "moment":
            return datetime.datetime.fromisoformat(given)
        if name == "instant":
            return datetime.datetime.fromisoformat(given.replace("Z", "+00:00"))
        if name == "raw":
            return base64.b64decode(given)
        if name in ("counts", "deep"):
            return list(given.items())
        return given
    point = pa.struct([("lat", pa.float64()), ("name", pa.string()), ("inner_row", pa.struct([("a", pa.int32()), ("b", pa.list_(pa.int32()))]))])
    deep = pa.map_(pa.string(), pa.struct([("x", pa.int32()), ("y", pa.list_(pa.struct([("z", pa.string())])))]))
    types = [pa.int32(), pa.bool_(), pa.int64(), pa.float32(), pa.float64(), pa.decimal128(9, 2), pa.decimal128(18, 6), pa.decimal128(38, 10), pa.date32(),
             pa.timestamp("us"), pa.timestamp("us", "UTC"), pa.string(), pa.binary(), point, pa.list_(pa.string()), pa.list_(pa.list_(pa.int32())),
             pa.map_(pa.string(), pa.int64()), deep]
    names = [name for name, _, _ in ALL_TYPES]
    return pa.table({name: pa.array([value(row, name) for row in ALL_TYPES_ROWS], type) for name, type in zip(names, types)})


def plain(value):
    """Values of Arrow as Python lists, dicts and scalars in which maps are dicts."""
    if isinstance(value, list):
        if value and all(isinstance(item, tuple) for item in value):
            return {key: plain(item) for key, item in value}
        return [plain(item) for item in value]
    return {key: plain(item) for key, item in value.items()} if isinstance(value, dict) else value


def rows_by_id(table):
    return sorted(({name: plain(value) for name, value in row.items()} for row in table.to_pylist()), key=lambda row: row["id"])


MAPS = ("counts", "deep")


def without_empty_maps(rows):
    """An empty map and an empty list look alike as Python values."""
    return [{name: ({} if name in MAPS and value == [] else value) for name, value in row.items()} for row in rows]


def test_all_types(lake):
    write_all_types(lake)
    lake.run(lake.job(columns=ALL_TYPES)).succeeded()
    truth = without_empty_maps(rows_by_id(all_types_truth()))
    assert without_empty_maps(rows_by_id(lake.table_rows().select([name for name, _, _ in ALL_TYPES]))) == truth
    by_duckdb = duckdb_rows(lake)
    assert without_empty_maps(rows_by_id(by_duckdb.cast(all_types_truth().schema))) == truth
    bounds = lake.table().inspect.files().to_pylist()[0]["readable_metrics"]
    assert bounds["big"]["lower_bound"] == -9223372036854775808
    assert bounds["large_decimal"]["upper_bound"] == decimal.Decimal("1234567890123456789012345678.0123456789")
    assert bounds["day"]["lower_bound"] == datetime.date(1, 1, 1)


def test_all_types_as_frazil_prints_them(lake):
    """SELECT … --output json gives every value back exactly."""
    write_all_types(lake)
    lake.run(lake.job(columns=ALL_TYPES)).succeeded()
    text = lake.query_text(f"SELECT * FROM {lake.CATALOG}.db.events ORDER BY id")
    rows = [json.loads(line, parse_float=decimal.Decimal) for line in text.splitlines()]
    for row, given in zip(rows, ALL_TYPES_ROWS, strict=True):
        assert row["big"] == given.get("big")
        assert row["text"] == given.get("text")
        for name in ("small_decimal", "medium_decimal", "large_decimal"):
            assert row[name] == (decimal.Decimal(given[name]) if given.get(name) else None)
        for name in ("tags", "matrix", "counts", "deep", "flag"):
            assert row[name] == given.get(name), name
        assert row["day"] == given.get("day")
    assert rows[0]["place"] == {"lat": decimal.Decimal("-1.5"), "name": "x", "inner_row": {"a": 1, "b": [1, None, 3]}}
    assert rows[0]["raw"] == "00ff10"
    assert float(rows[0]["real"]) == 0.1 and float(rows[1]["exact"]) == 5e-324
    assert rows[0]["moment"] == "2024-02-29 23:59:59.123456"
    assert rows[0]["instant"] == "2024-02-29 23:59:59.123456"


# --- tables of PyIceberg ---


def python_table(lake, name, schema, spec=None, **properties):
    catalog = lake.catalog()
    catalog.create_namespace_if_not_exists("db")
    return catalog.create_table(("db", name), schema, partition_spec=spec or PartitionSpec(), properties=properties)


def without_null_lists(relation):
    """PyIceberg 0.12 writes and reads a null list of structs as an empty one."""
    return f"SELECT * REPLACE (coalesce(items, []) AS items) FROM ({relation})"


def test_frazil_reads_events_that_python_appended(lake, small_events):
    rows = duckdb.connect().execute(without_null_lists(input_relation(f"{small_events}/*.json"))).to_arrow_table()
    table = python_table(lake, "events", rows.schema)
    for start in (0, 1_000, 2_000):
        table.append(rows.slice(start, 1_000))
    assert_same_rows(frazil_rows(lake, "events", EVENT_COLUMNS), rows)
    assert lake.query(f"SELECT COUNT(*) AS n, COUNT(DISTINCT event_id) AS ids FROM {lake.CATALOG}.db.events") == [{"n": 3_000, "ids": 3_000}]


@pytest.mark.parametrize("version", ["1", "2"])
def test_frazil_reads_all_types_of_python(lake, version):
    schema = Schema(
        NestedField(1, "id", IntegerType(), required=True), NestedField(2, "flag", BooleanType()), NestedField(3, "big", LongType()),
        NestedField(4, "real", FloatType()), NestedField(5, "exact", DoubleType()), NestedField(6, "price", DecimalType(20, 4)),
        NestedField(7, "day", DateType()), NestedField(8, "clock", TimeType()), NestedField(9, "moment", TimestampType()),
        NestedField(10, "instant", TimestamptzType()), NestedField(11, "text", StringType()), NestedField(12, "raw", BinaryType()),
        NestedField(13, "four", FixedType(4)), NestedField(14, "key", UUIDType()),
        NestedField(15, "place", StructType(NestedField(16, "lat", DoubleType()), NestedField(17, "names", ListType(18, StringType(), element_required=False)))),
        NestedField(19, "counts", MapType(20, StringType(), 21, LongType(), value_required=False)))
    table = python_table(lake, "types", schema, **{"format-version": version})
    key = uuid.UUID("f79c3e09-677c-4bbd-a479-3f349cb785e7")
    table.append(pa.Table.from_pylist([
        {"id": 1, "flag": True, "big": -(1 << 63), "real": 1.5, "exact": 1e300, "price": decimal.Decimal("-1234567890123456.7891"),
         "day": datetime.date(1969, 12, 31), "clock": datetime.time(23, 59, 59, 999999), "moment": datetime.datetime(1969, 12, 31, 23, 59, 59, 999999),
         "instant": datetime.datetime(2024, 5, 1, 12, tzinfo=datetime.timezone.utc), "text": "ß", "raw": b"\x00\xff", "four": b"abcd", "key": key.bytes,
         "place": {"lat": 0.25, "names": ["n", None]}, "counts": [("a", 1)]},
        {"id": 2}], schema=table.schema().as_arrow()))
    nulls = {field.name: None for field in schema.fields}
    assert lake.query(f"SELECT * FROM {lake.CATALOG}.db.types ORDER BY id") == [
        {"id": 1, "flag": True, "big": -(1 << 63), "real": 1.5, "exact": 1e300, "price": -1234567890123456.7891, "day": "1969-12-31",
         "clock": "23:59:59.999999", "moment": "1969-12-31 23:59:59.999999", "instant": "2024-05-01 12:00:00.000000", "text": "ß", "raw": "00ff",
         "four": "61626364", "key": key.hex, "place": {"lat": 0.25, "names": ["n", None]}, "counts": {"a": 1}},
        {**nulls, "id": 2}]


def test_frazil_reads_an_evolved_schema(lake):
    """Columns by field id: added, renamed, dropped, promoted, moved, and a dropped name that comes back as another column."""
    table = python_table(lake, "evolved", pa.schema([("id", pa.int32()), ("old_name", pa.string()), ("gone", pa.string()), ("number", pa.int32()),
                                                     ("ratio", pa.float32()), ("price", pa.decimal128(9, 2)), ("place", pa.struct([("x", pa.int32())]))]))
    table.append(pa.Table.from_pylist([{"id": 1, "old_name": "first", "gone": "lost", "number": 7, "ratio": 0.5, "price": decimal.Decimal("1.25"),
                                        "place": {"x": 3}}], schema=table.schema().as_arrow()))
    with table.update_schema() as update:
        update.rename_column("old_name", "new_name")
        update.delete_column("gone")
        update.update_column("number", LongType())
        update.update_column("ratio", DoubleType())
        update.update_column("price", DecimalType(20, 2))
        update.add_column("added", StringType())
        update.add_column(("place", "y"), StringType())
        update.move_first("added")
    with table.update_schema() as update:
        update.add_column("gone", LongType())
    table.append(pa.Table.from_pylist([{"added": "a", "id": 2, "new_name": "second", "number": 1 << 40, "ratio": 0.1, "price": decimal.Decimal("123456789012345678.90"),
                                        "place": {"x": 4, "y": "why"}, "gone": 5}], schema=table.schema().as_arrow()))
    rows = lake.query_text(f"SELECT * FROM {lake.CATALOG}.db.evolved ORDER BY id")
    assert [json.loads(row, parse_float=str) for row in rows.splitlines()] == [
        {"added": None, "id": 1, "new_name": "first", "number": 7, "ratio": "0.5", "price": "1.25", "place": {"x": 3, "y": None}, "gone": None},
        {"added": "a", "id": 2, "new_name": "second", "number": 1 << 40, "ratio": "0.1", "price": "123456789012345678.90", "place": {"x": 4, "y": "why"}, "gone": 5}]
    assert lake.query(f"SELECT id FROM {lake.CATALOG}.db.evolved WHERE number > 5 AND gone IS NULL") == [{"id": 1}]


def test_frazil_reads_and_appends_to_partitions_of_python(lake, small_events):
    schema = Schema(NestedField(1, "event_id", LongType(), required=True), NestedField(2, "region", StringType()), NestedField(3, "user_id", IntegerType()))
    spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "region_part"))
    table = python_table(lake, "parts", schema, spec)
    columns = [EVENT_COLUMNS[0], ("region", "STRING", "VARCHAR"), ("user_id", "INT", "INTEGER")]
    source = f"SELECT event_id, region, user_id FROM ({input_relation(f'{small_events}/*.json')})"
    rows = duckdb.connect().execute(source).to_arrow_table()
    table.append(rows.cast(table.schema().as_arrow()))
    assert_same_rows(frazil_rows(lake, "parts", columns), source, columns)
    by_region = dict(duckdb.connect().execute(f"SELECT region, count(*) FROM ({source}) GROUP BY region").fetchall())
    assert {row["region"]: row["n"] for row in lake.query(f"SELECT region, COUNT(*) AS n FROM {lake.CATALOG}.db.parts GROUP BY region")} == by_region
    lake.run(lake.settings_sql("append") + lake.catalog_sql() + lake.source_sql(small_events) +
             f"INSERT INTO {lake.CATALOG}.db.parts SELECT event_id + 1000000, region, user_id FROM incoming;").succeeded()
    both = f"{source} UNION ALL SELECT event_id + 1000000, region, user_id FROM ({source})"
    assert_same_rows(lake.table_rows("parts"), both, columns)
    assert_same_rows(duckdb_rows(lake, "parts"), both, columns)
    assert {tuple(row["partition"].items()) for row in lake.table("parts").inspect.partitions().to_pylist()} == {
        (("region_part", region),) for region in by_region}


# --- metadata tables ---


def test_metadata_tables_agree_with_python(lake):
    for first in range(0, 3_000, 1_000):
        write_events(lake.events, first, first + 1_000)
        lake.run(lake.job(parallelism=1, partitioned=["region"])).succeeded()
    inspect = lake.table().inspect
    metadata = lake.table().metadata

    def frazil(name, columns, order):
        return lake.query(f"SELECT {columns} FROM {lake.CATALOG}.db.`events${name}` ORDER BY {order}")

    def python(table, columns, order):
        return sorted(table.select(columns).to_pylist(), key=lambda row: row[order])

    columns = ["snapshot_id", "parent_id", "operation", "manifest_list"]
    assert frazil("snapshots", ", ".join(columns), "committed_at") == inspect.snapshots().select(columns).to_pylist()
    [summary] = lake.query(f"SELECT summary FROM {lake.CATALOG}.db.`events$snapshots` ORDER BY committed_at DESC LIMIT 1")
    current = metadata.current_snapshot().summary
    assert summary["summary"] == {**current.additional_properties}
    columns = ["snapshot_id", "parent_id", "is_current_ancestor"]
    assert frazil("history", ", ".join(columns), "made_current_at") == inspect.history().select(columns).to_pylist()
    columns = ["content", "file_path", "file_format", "spec_id", "record_count", "file_size_in_bytes"]
    assert frazil("files", ", ".join(columns), "file_path") == python(inspect.files(), columns, "file_path")
    columns = ["path", "length", "partition_spec_id", "added_snapshot_id", "added_data_files_count", "existing_data_files_count"]
    assert frazil("manifests", ", ".join(columns), "`path`") == python(inspect.manifests(), columns, "path")
    assert frazil("refs", "name, type, snapshot_id", "name") == [
        {"name": "main", "type": "BRANCH", "snapshot_id": metadata.current_snapshot_id}]
    by_frazil = {row["partition"]["region"]: (row["record_count"], row["file_count"]) for row in frazil("partitions", "`partition`, record_count, file_count", "record_count")}
    by_python = {row["partition"]["region"]: (row["record_count"], row["file_count"]) for row in inspect.partitions().to_pylist()}
    assert by_frazil == by_python
    entries = lake.query(f"SELECT status, snapshot_id, sequence_number FROM {lake.CATALOG}.db.`events$entries` ORDER BY sequence_number, snapshot_id")
    columns = ["status", "snapshot_id", "sequence_number"]
    assert entries == python(inspect.entries(), columns, "sequence_number")
    log = lake.query(f"SELECT file FROM {lake.CATALOG}.db.`events$metadata_log_entries`")
    assert {row["file"] for row in log} == set(inspect.metadata_log_entries()["file"].to_pylist())


# --- the catalog file ---


def test_the_catalog_is_shared_both_ways(lake):
    catalog = lake.catalog()
    catalog.create_namespace("made_by_python", {"owner": "snake"})
    catalog.create_table(("made_by_python", "one"), pa.schema([("id", pa.int32())]))
    show = lake.catalog_sql() + f"USE CATALOG {lake.CATALOG};\n"

    def names(statement):
        result = lake.frazil("sql", "--output", "json", "-e", show + statement).succeeded()
        return sorted(next(iter(row.values())) for row in result.json_rows())

    assert names("SHOW DATABASES") == ["db", "default", "made_by_python"]
    assert names("USE made_by_python; SHOW TABLES") == ["one"]
    lake.run(show + "CREATE DATABASE made_by_frazil;\nCREATE TABLE made_by_frazil.two (id INT COMMENT 'number', PRIMARY KEY (id) NOT ENFORCED) "
             "WITH ('write.parquet.compression-codec' = 'snappy');").succeeded()
    assert sorted(catalog.list_namespaces()) == [("db",), ("default",), ("made_by_frazil",), ("made_by_python",)]
    two = catalog.load_table(("made_by_frazil", "two"))
    assert two.properties["write.parquet.compression-codec"] == "snappy"
    assert two.schema().find_field("id").doc == "number"
    assert two.schema().identifier_field_ids == [1]
    assert two.schema().find_field("id").required

    catalog.rename_table(("made_by_python", "one"), ("made_by_frazil", "renamed"))
    assert names("USE made_by_frazil; SHOW TABLES") == ["renamed", "two"]
    lake.run(show + "ALTER TABLE made_by_frazil.two RENAME TO three;").succeeded()
    assert sorted(catalog.list_tables("made_by_frazil")) == [("made_by_frazil", "renamed"), ("made_by_frazil", "three")]
    lake.run(show + "DROP TABLE made_by_frazil.three;\nDROP DATABASE made_by_python;").succeeded()
    assert catalog.list_tables("made_by_frazil") == [("made_by_frazil", "renamed")]
    assert sorted(catalog.list_namespaces()) == [("db",), ("default",), ("made_by_frazil",)]
    catalog.drop_table(("made_by_frazil", "renamed"))
    assert names("USE made_by_frazil; SHOW TABLES") == []
    lake.run(show + "SELECT * FROM made_by_frazil.renamed;").failed("renamed")


def test_python_appends_to_a_table_of_frazil(lake, small_events):
    """And Frazil reads the whole and goes on where it was."""
    lake.events.mkdir()
    script = lake.job(partitioned=["kind"])
    write_events(lake.events, 0, 1_000)
    lake.run(script).succeeded()
    given = input_relation(f"{small_events}/*.json")
    rows = duckdb.connect().execute(f"{without_null_lists(given)} WHERE event_id >= 2000").to_arrow_table()
    table = lake.table()
    table.append(rows.cast(table.schema().as_arrow()))
    write_events(lake.events, 1_000, 2_000)
    lake.run(script).succeeded()
    expected = f"{given} WHERE event_id < 2000 UNION ALL {without_null_lists(given)} WHERE event_id >= 2000"
    assert_same_rows(lake.table_rows(), expected)
    assert_same_rows(duckdb_rows(lake), expected)
    assert_same_rows(frazil_rows(lake, "events", EVENT_COLUMNS), expected)
    lake.assert_history_is_linear()
