# SPDX-License-Identifier: Apache-2.0
"""Several writers on one table at once: nobody's rows are lost and the history is one line."""
import signal
import time

import pyarrow as pa
from pyiceberg.exceptions import CommitFailedException

from harness import EVENT_COLUMNS, assert_same_rows, input_relation, wait_until, write_events

FREQUENT = {"interval": "50 ms"}


def test_two_jobs_append_to_one_table(lake):
    write_events(lake.root / "left", 0, 150_000, files=4)
    write_events(lake.root / "right", 150_000, 300_000, files=4)
    lake.run(lake.catalog_sql() + lake.table_sql()).succeeded()
    jobs = [lake.start_script(lake.job(side, path=lake.root / side, **FREQUENT)) for side in ("left", "right")]
    for job in jobs:
        job.wait().succeeded()
    lake.assert_table_is_input(paths=f"{lake.root}/*/*.json")
    snapshots = lake.assert_history_is_linear()
    writers = {snapshot.summary["flink.job-id"] for snapshot in snapshots}
    assert len(writers) == 2
    for writer in writers:
        checkpoints = [int(s.summary["flink.max-committed-checkpoint-id"]) for s in snapshots if s.summary["flink.job-id"] == writer]
        assert checkpoints == sorted(set(checkpoints)), "a job's checkpoints are committed once and in order"


def test_two_jobs_create_the_same_table_at_once(lake, small_events):
    """CREATE … IF NOT EXISTS in both scripts: one wins, neither fails."""
    jobs = [lake.start_script(lake.job(f"job-{number}", path=small_events)) for number in range(4)]
    for job in jobs:
        job.wait().succeeded()
    one = input_relation(f"{small_events}/*.json")
    assert lake.table_rows().num_rows == 4 * 3_000
    assert_same_rows(lake.table_rows(), " UNION ALL ".join([one] * 4))
    lake.assert_history_is_linear()


def test_the_same_job_twice_at_once_is_refused(lake):
    write_events(lake.events, 0, 1_000)
    watching = lake.job("only-once", source={"source.monitor-interval": "50 ms"})
    first = lake.start_script(watching)
    wait_until(lambda: lake.committed_rows() == 1_000, what="the first job's commit")
    lake.run(watching).failed("only-once", "another process")
    assert first.running()
    first.signal(signal.SIGINT)
    first.wait().succeeded()
    lake.assert_table_is_input()


def test_pyiceberg_appends_while_a_job_runs(lake, many_events):
    lake.events = many_events
    lake.run(lake.catalog_sql() + lake.table_sql()).succeeded()
    job = lake.start_script(lake.job("beside-python", **FREQUENT))
    appended = 0
    while job.running():
        table = lake.table()
        rows = pa.Table.from_pylist([{"event_id": -1 - appended, "kind": "python"}], schema=table.schema().as_arrow())
        try:
            table.append(rows)
            appended += 1
        except CommitFailedException:
            time.sleep(0.01)  # the job was faster; PyIceberg leaves the retry to its user
    job.wait().succeeded()
    assert appended > 0, "the job was over before Python could append"
    # PyIceberg 0.12 writes a null list of structs as an empty one.
    nulls = ", ".join(f'CAST(NULL AS {duck}) AS "{name}"' for name, _, duck in EVENT_COLUMNS[2:-1])
    by_python = f"SELECT -1 - i AS event_id, 'python' AS kind, {nulls}, [] AS items FROM range({appended}) AS numbers(i)"
    assert_same_rows(lake.table_rows(), f"{input_relation(f'{many_events}/*.json')} UNION ALL {by_python}")
    lake.assert_history_is_linear()
