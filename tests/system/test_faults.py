# SPDX-License-Identifier: Apache-2.0
"""Full disks, read-only folders, cut and vanished files: a clear error, exit code 1, a table that stays readable with exactly its committed
rows; and the same command goes on once the cause is gone."""
import contextlib
import gzip
import os
import pathlib
import shutil
import signal
import subprocess
import time

import duckdb
import pytest

from harness import assert_same_rows, input_relation, wait_until, write_events

ONCE = {"restart-strategy.type": "none"}


class SmallDisk:
    """A tmpfs: fills up for root too, and can be read-only for root too."""

    def __init__(self, path, megabytes):
        self.path = path
        path.mkdir()
        if os.geteuid() != 0:
            pytest.skip("mounting a small tmpfs needs root")
        self._mount("-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", path)

    def _mount(self, *arguments):
        done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True)
        if done.returncode != 0:
            pytest.skip(f"this machine does not let root mount a tmpfs: {done.stderr.strip()}")

    def remount(self, options):
        self._mount("-o", f"remount,{options}", self.path)

    def unmount(self):
        subprocess.run(["umount", "-l", str(self.path)], check=True)


@pytest.fixture
def small_disk(lake):
    """Makes small disks below the lake's folder; they are unmounted after the test."""
    disks = []

    def make(name, megabytes):
        disk = SmallDisk(lake.root / name, megabytes)
        disks.append(disk)
        return disk
    yield make
    lake.close()
    for disk in disks:
        disk.unmount()


def assert_readable_with_committed_rows(lake, rows=None, paths=None):
    """The table has as many rows as its newest snapshot says (and as expected), each of them from the input and none twice."""
    committed = lake.committed_rows()
    if rows is not None:
        assert committed == rows
    if committed == 0:
        return
    actual = lake.table_rows()
    assert actual.num_rows == committed
    ids = actual["event_id"].to_pylist()
    assert len(set(ids)) == committed
    connection = duckdb.connect()
    connection.register("ids", actual.select(["event_id"]))
    source = input_relation(paths or f"{lake.events}/*.json")
    assert_same_rows(actual, connection.execute(f"SELECT * FROM ({source}) WHERE event_id IN (SELECT event_id FROM ids)").to_arrow_table())


# --- disks ---


def test_full_disk_under_the_warehouse(lake, small_disk, many_events):
    lake.events = many_events
    disk = small_disk("small", 3)
    lake.warehouse = disk.path / "warehouse"
    script = lake.job("full-disk", interval="50 ms", **ONCE)
    lake.run(script).failed("No space left on device", str(lake.warehouse), "free")
    assert_readable_with_committed_rows(lake)
    lake.run(script).failed("No space left on device")
    assert_readable_with_committed_rows(lake)
    disk.remount("size=200m")
    lake.run(script).succeeded()
    lake.assert_table_is_input()
    lake.assert_history_is_linear()


def test_full_disk_heals_while_the_job_restarts(lake, small_disk, many_events):
    """With a restart strategy the job waits for the disk by itself."""
    lake.events = many_events
    disk = small_disk("small", 3)
    lake.warehouse = disk.path / "warehouse"
    restart = {"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.attempts": 1000,
               "restart-strategy.fixed-delay.delay": "100 ms"}
    process = lake.start_script(lake.job("full-disk", interval="50 ms", **restart))
    wait_until(lambda: lake.catalog_file.exists() and shutil.disk_usage(disk.path).free < 200_000, what="a full disk")
    time.sleep(0.5)
    assert process.running()
    disk.remount("size=200m")
    process.wait().succeeded()
    lake.assert_table_is_input()
    lake.assert_history_is_linear()


def test_full_disk_under_the_checkpoints(lake, small_disk, small_events):
    lake.events = small_events
    disk = small_disk("small", 1)
    lake.checkpoints = disk.path / "checkpoints"
    filler = disk.path / "filler"
    with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
        while True:
            file.write(b"x" * 4096)
    script = lake.job("full-disk", **ONCE)
    lake.run(script).failed("No space left on device", str(lake.checkpoints))
    assert_readable_with_committed_rows(lake)
    filler.unlink()
    lake.run(script).succeeded()
    lake.assert_table_is_input()


def test_read_only_warehouse(lake, small_disk):
    disk = small_disk("disk", 50)
    lake.warehouse = disk.path / "warehouse"
    write_events(lake.events, 0, 1_000)
    script = lake.job("read-only", **ONCE)
    lake.run(script).succeeded()
    write_events(lake.events, 1_000, 2_000)
    disk.remount("ro")
    lake.run(script).failed("Read-only file system", str(lake.warehouse))
    assert_readable_with_committed_rows(lake, rows=1_000)
    assert lake.query(f"SELECT COUNT(*) AS n FROM {lake.CATALOG}.db.events") == [{"n": 1_000}], "reading needs no writable warehouse"
    disk.remount("rw")
    lake.run(script).succeeded()
    lake.assert_table_is_input()


def test_read_only_catalog(lake, small_disk):
    disk = small_disk("disk", 10)
    lake.catalog_file = disk.path / "catalog.db"
    write_events(lake.events, 0, 1_000)
    script = lake.job("read-only", **ONCE)
    lake.run(script).succeeded()
    write_events(lake.events, 1_000, 2_000)
    disk.remount("ro")
    lake.run(script).failed(str(lake.catalog_file), "read")
    disk.remount("rw")
    assert_readable_with_committed_rows(lake, rows=1_000)
    lake.run(script).succeeded()
    lake.assert_table_is_input()


def test_a_catalog_file_that_is_no_database(lake, small_events):
    lake.catalog_file.write_text("these are not the bytes of a database, although there are enough of them\n" * 20)
    lake.run(lake.job(path=small_events)).failed(str(lake.catalog_file), "not a database")


def test_a_catalog_below_a_file(lake, small_events):
    (lake.root / "file").write_text("not a folder")
    lake.catalog_file = lake.root / "file" / "catalog.db"
    lake.run(lake.job(path=small_events)).failed(str(lake.root / "file"))


# --- input ---


def test_truncated_gzip_input(lake):
    write_events(lake.events, 0, 20_000)
    [plain] = lake.events.glob("*.json")
    whole = gzip.compress(plain.read_bytes())
    plain.rename(lake.root / plain.name)
    packed = lake.events / "events.json.gz"
    packed.write_bytes(whole[:len(whole) // 2])
    script = lake.job("cut", interval="20 ms", **ONCE)
    lake.run(script).failed(str(packed))
    assert_readable_with_committed_rows(lake, paths=f"{lake.root}/*.json")
    packed.write_bytes(whole)
    lake.run(script).succeeded()
    lake.assert_table_is_input(paths=f"{lake.root}/*.json")


def test_a_line_that_is_cut_in_half(lake):
    write_events(lake.events, 0, 1_000)
    [path] = lake.events.glob("*.json")
    lines = path.read_text().splitlines(keepends=True)
    whole = lines[699]
    lines[699] = whole[:len(whole) // 2] + "\n"
    path.write_text("".join(lines))
    script = lake.job("cut", **ONCE)
    lake.run(script).failed(str(path), "700")
    assert_readable_with_committed_rows(lake, rows=0)
    lines[699] = whole
    path.write_text("".join(lines))
    lake.run(script).succeeded()
    lake.assert_table_is_input()


def test_a_value_of_the_wrong_type_names_line_and_column(lake):
    lake.events.mkdir()
    (lake.events / "a.json").write_text('{"n": 1}\n{"n": 2}\n{"n": "many"}\n')
    columns = [("n", "INT", "INTEGER")]
    lake.run(lake.job(columns=columns, **ONCE)).failed("a.json", "3", "'n'", "many")
    assert lake.committed_rows() == 0


def test_bad_lines_can_be_skipped(lake):
    """json.ignore-parse-errors: a bad line is left out, a bad value is null, and nothing else is lost."""
    lake.events.mkdir()
    (lake.events / "a.json").write_text('{"n": 1}\n{"n": \n{"n": "many"}\n{"n": 4}\n')
    columns = [("n", "INT", "INTEGER")]
    lake.run(lake.job(columns=columns, source={"json.ignore-parse-errors": "true"})).succeeded()
    assert_same_rows(lake.table_rows(), "SELECT * FROM (VALUES (1), (NULL), (4)) AS rows(n)", columns)


def test_missing_input_folder(lake):
    lake.run(lake.job(path=lake.root / "nowhere")).failed(str(lake.root / "nowhere"))


def test_an_input_file_vanishes_between_two_runs(lake, many_events):
    lake.events.mkdir()
    for path in many_events.glob("*.json"):
        os.link(path, lake.events / path.name)
    last = sorted(lake.events.glob("*.json"))[-1]
    script = lake.job("vanish", interval="20 ms", parallelism=1, **ONCE)
    process = lake.start_script(script)
    wait_until(lambda: lake.committed_rows() > 0, what="a commit")
    process.signal(signal.SIGTERM)
    process.wait().succeeded()
    assert 0 < lake.committed_rows() < 350_000, "the job must be stopped before it reaches the last file"
    hidden = last.rename(lake.root / "hidden")
    lake.run(script).failed(str(last))
    assert_readable_with_committed_rows(lake, paths=f"{many_events}/*.json")
    hidden.rename(last)
    lake.run(script).succeeded()
    lake.assert_table_is_input()


# --- what Frazil itself has written ---


def test_corrupt_checkpoint(lake, many_events):
    lake.events = many_events
    script = lake.job("corrupt", interval="50 ms", **ONCE)
    process = lake.start_script(script)
    wait_until(lambda: lake.committed_rows() > 0, what="a commit")
    process.kill()
    [checkpoint] = lake.checkpoints.glob("corrupt/*/chk-*")
    backup = shutil.copytree(checkpoint, lake.root / "backup")
    for path in checkpoint.iterdir():
        if path.stat().st_size > 0:
            data = bytearray(path.read_bytes())
            data[len(data) // 2] ^= 0xFF
            path.write_bytes(data)
    lake.run(script).failed(str(checkpoint), "corrupt")
    assert_readable_with_committed_rows(lake)
    shutil.rmtree(checkpoint)
    backup.rename(checkpoint)
    lake.run(script).succeeded()
    lake.assert_table_is_input()


def test_truncated_checkpoint(lake, small_events):
    lake.events = small_events
    lake.run(lake.job("cut")).succeeded()
    [checkpoint] = lake.checkpoints.glob("cut/*/chk-*")
    largest = max(checkpoint.iterdir(), key=lambda path: path.stat().st_size)
    os.truncate(largest, largest.stat().st_size // 2)
    lake.run(lake.job("cut")).failed(str(checkpoint))
    assert_readable_with_committed_rows(lake, rows=3_000, paths=f"{small_events}/*.json")


def data_files(lake):
    return [pathlib.Path(path.removeprefix("file://")) for path in lake.table().inspect.files()["file_path"].to_pylist()]


def test_a_data_file_vanishes(lake, small_events):
    lake.events = small_events
    lake.run(lake.job(parallelism=1)).succeeded()
    path = data_files(lake)[0]
    hidden = path.rename(path.with_suffix(".hidden"))
    everything = lake.catalog_sql() + f"SELECT COUNT(kind) FROM {lake.CATALOG}.db.events;"
    lake.run(everything).failed(str(path))
    hidden.rename(path)
    assert lake.query(f"SELECT COUNT(kind) AS n FROM {lake.CATALOG}.db.events") == [{"n": 3_000}]


def test_a_truncated_data_file(lake, small_events):
    lake.events = small_events
    lake.run(lake.job(parallelism=1)).succeeded()
    path = data_files(lake)[0]
    os.truncate(path, path.stat().st_size // 2)
    lake.run(lake.catalog_sql() + f"SELECT COUNT(kind) FROM {lake.CATALOG}.db.events;").failed(str(path))


def test_the_table_is_dropped_and_made_anew_under_a_running_job(lake):
    """A job writes into the table it was started for, not into another one of the same name."""
    write_events(lake.events, 0, 1_000)
    process = lake.start_script(lake.job("dropped", source={"source.monitor-interval": "50 ms"}, **ONCE))
    wait_until(lambda: lake.committed_rows() == 1_000, what="the first commit")
    catalog = lake.catalog()
    schema = catalog.load_table(("db", "events")).schema()
    catalog.drop_table(("db", "events"))
    made_anew = catalog.create_table(("db", "events"), schema)
    write_events(lake.events, 1_000, 2_000)
    process.wait().failed("uuid")
    assert lake.table().metadata.table_uuid == made_anew.metadata.table_uuid
    assert lake.committed_rows() == 0
