#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The append job on Frazil and on Flink in turn, on the same data; prints CPU, wall, peak memory and their ratios.

  run.py [--rows 4000000] [--runs 3] [--no-flink]

Figures are of whole processes (start of program or JVM included); Flink's start alone is measured by a job over no rows and
shown, so that the statement's own share can be told. FRAZIL names the program (default build/release/bin/frazil).
"""
import argparse
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests/interop"))
WORK = ROOT / "build/bench"
COLUMNS = ("event_id STRING, event_type STRING, event_time TIMESTAMP({p}), user_id BIGINT, region STRING, amount DECIMAL(18, 2), "
           "payload STRING")


def statements(data, folder, parallelism=2):
    return [
        f"SET 'parallelism.default' = '{parallelism}'",
        "SET 'execution.checkpointing.interval' = '10 s'",
        f"CREATE CATALOG lake WITH ('type' = 'iceberg', 'catalog-impl' = 'org.apache.iceberg.jdbc.JdbcCatalog', "
        f"'uri' = 'jdbc:sqlite:{folder}/catalog.db', 'warehouse' = 'file://{folder}/warehouse', 'jdbc.schema-version' = 'V1')",
        "CREATE DATABASE lake.db",
        f"CREATE TABLE lake.db.events ({COLUMNS.format(p=6)}) WITH ('format-version' = '2', 'write.parquet.compression-codec' = 'zstd')",
        f"CREATE TEMPORARY TABLE incoming ({COLUMNS.format(p=3)}) WITH ('connector' = 'filesystem', 'path' = '{data}', 'format' = 'json', "
        "'json.timestamp-format.standard' = 'ISO-8601')",
        "INSERT INTO lake.db.events SELECT * FROM incoming",
    ]


def measure(command, folder, env=None):
    """CPU and wall seconds and peak MiB of a process."""
    log = open(folder / "log", "wb")
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env={**os.environ, **(env or {})})
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - start
    if os.waitstatus_to_exitcode(status) != 0:
        raise SystemExit(f"{command[0]} failed, see {folder / 'log'}")
    return usage.ru_utime + usage.ru_stime, wall, usage.ru_maxrss / 1024


def fresh(name):
    folder = WORK / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def run_frazil(data):
    folder = fresh("frazil")
    script = folder / "append.sql"
    script.write_text(";\n".join(statements(data, folder)) + ";\n")
    program = pathlib.Path(os.environ.get("FRAZIL", ROOT / "build/release/bin/frazil")).resolve()
    return measure([str(program), "run", str(script)], folder)


def run_flink(data):
    import flink_sql
    folder = fresh("flink")
    script = folder / "append.sql"
    sql = statements(data, folder)
    # The runner of the interoperability tests waits for each INSERT.
    script.write_text("".join(f"{statement}\n----\n" for statement in sql))
    opens = [argument for package in flink_sql.OPENED_PACKAGES for argument in ("--add-opens", f"java.base/{package}=ALL-UNNAMED")]
    command = ["java", "-Xms4g", "-Xmx4g", "-Duser.timezone=UTC", f"-Dlog4j2.configurationFile={flink_sql.HERE / 'log4j2.properties'}", *opens,
               "-cp", f"{flink_sql.BUILD / 'classes'}:{flink_sql.BUILD / 'jars'}/*", "FlinkSql", "streaming", str(script)]
    return measure(command, folder, {"TZ": "UTC"})


def table_rows(name):
    from pyiceberg.catalog.sql import SqlCatalog
    folder = WORK / name
    catalog = SqlCatalog("lake", uri=f"sqlite:///{folder}/catalog.db", warehouse=f"file://{folder}/warehouse")
    return int(catalog.load_table("db.events").current_snapshot().summary["total-records"])


def show(name, figures):
    cpu, wall, peak = (statistics.median(values) for values in zip(*figures))
    runs = " ".join(f"{c:.1f}/{w:.1f}" for c, w, _ in figures)
    print(f"{name:14} CPU {cpu:6.2f} s   wall {wall:6.2f} s   peak {peak:6.0f} MiB   (runs, CPU/wall: {runs})")
    return cpu, wall, peak


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--rows", type=int, default=4_000_000)
    arguments.add_argument("--runs", type=int, default=3)
    arguments.add_argument("--no-flink", action="store_true")
    options = arguments.parse_args()
    data = WORK / f"data-{options.rows}"
    if not data.exists():
        subprocess.run([sys.executable, str(ROOT / "bench/generate_append.py"), f"{data}.tmp", str(options.rows)], check=True)
        os.rename(f"{data}.tmp", data)
    frazil, flink, start = [], [], []
    if not options.no_flink:
        import flink_sql
        flink_sql.prepare()
        empty = WORK / "empty"
        empty.mkdir(parents=True, exist_ok=True)
        (empty / "none.json").write_text("")
        start.append(run_flink(empty))
    for _ in range(options.runs):
        frazil.append(run_frazil(data))
        assert table_rows("frazil") == options.rows
        if not options.no_flink:
            flink.append(run_flink(data))
            assert table_rows("flink") == options.rows
    ours = show("frazil", frazil)
    if flink:
        theirs = show("flink", flink)
        idle = show("flink, no rows", start)
        print(f"ratio, whole processes:        CPU {theirs[0] / ours[0]:.1f}x   wall {theirs[1] / ours[1]:.1f}x   memory {theirs[2] / ours[2]:.1f}x")
        print(f"ratio, Flink's start deducted: CPU {(theirs[0] - idle[0]) / ours[0]:.1f}x   wall {(theirs[1] - idle[1]) / ours[1]:.1f}x")
    for probe in ("frazil_floor_probe", "frazil_encode_probe"):
        program = ROOT / "build/release/bench" / probe
        if program.exists():
            print(f"-- {probe}")
            sys.stdout.flush()
            subprocess.run([str(program), *( [str(sorted(data.glob('*.json'))[0])] if probe == "frazil_floor_probe" else [])], check=False)


if __name__ == "__main__":
    main()
