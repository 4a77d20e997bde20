# SPDX-License-Identifier: Apache-2.0
"""Stopping and resuming: signals, folders that are watched, another parallelism."""
import signal
import time

import pytest

from harness import wait_until, write_events

WATCH = {"source.monitor-interval": "50 ms"}


def wait_for_rows(lake, rows, process):
    def arrived():
        assert process.running(), process.wait()
        return lake.committed_rows() >= rows
    wait_until(arrived, what=f"{rows} committed rows")
    assert lake.committed_rows() == rows


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
def test_a_signal_stops_a_bounded_job_with_a_savepoint(lake, many_events, number):
    lake.events = many_events
    script = lake.job("stopped", interval="50 ms")
    stops = 0
    for attempt in range(20):
        process = lake.start_script(script)
        time.sleep(0.15 + 0.05 * attempt)
        if process.running():
            process.signal(number)
        result = process.wait().succeeded()
        stops += "savepoint" in result.err
        if lake.committed_rows() == 400_000:
            break
    assert stops > 0, "no signal met a running job"
    lake.assert_table_is_input()
    lake.assert_history_is_linear()


def test_a_signal_stops_the_script_too(lake, many_events):
    """What follows an INSERT that was stopped does not run: its input is not complete."""
    lake.events = many_events
    script = lake.job("stopped", interval="50 ms", source=WATCH) + f"SELECT COUNT(*) AS n FROM {lake.CATALOG}.db.events;\n"
    process = lake.start_script(script)
    wait_until(lambda: lake.committed_rows() > 0, what="a commit")
    process.signal(signal.SIGTERM)
    assert process.wait().succeeded().out == ""


def test_files_that_appear_in_a_watched_folder(lake):
    write_events(lake.events, 0, 1_000)
    script = lake.job("watching", source=WATCH)
    process = lake.start_script(script)
    wait_for_rows(lake, 1_000, process)
    for first in range(1_000, 5_000, 1_000):
        write_events(lake.events, first, first + 1_000)
        wait_for_rows(lake, first + 1_000, process)
    process.signal(signal.SIGINT)
    process.wait().succeeded()
    lake.assert_table_is_input()

    # Files that came while nobody watched are read by the next run, those that were read are not.
    write_events(lake.events, 5_000, 6_000)
    process = lake.start_script(script)
    wait_for_rows(lake, 6_000, process)
    write_events(lake.events, 6_000, 6_500, files=2)
    wait_for_rows(lake, 6_500, process)
    process.signal(signal.SIGTERM)
    process.wait().succeeded()
    lake.assert_table_is_input()
    lake.assert_history_is_linear()


def test_an_idle_job_commits_nothing(lake):
    """Checkpoints without rows leave no snapshots, apart from the one in `flink.max-continuous-empty-commits`."""
    write_events(lake.events, 0, 100)
    process = lake.start_script(lake.job("idle", interval="20 ms", source=WATCH, properties={"flink.max-continuous-empty-commits": "1000"}))
    wait_for_rows(lake, 100, process)
    time.sleep(0.5)
    process.signal(signal.SIGINT)
    process.wait().succeeded()
    assert [int(snapshot.summary["added-records"]) for snapshot in lake.assert_history_is_linear()] == [100]


def test_resuming_at_another_parallelism(lake, many_events):
    lake.events = many_events
    for attempt, parallelism in enumerate([1, 3, 2, 4]):
        process = lake.start_script(lake.job("scaled", interval="50 ms", parallelism=parallelism,
                                             source={"frazil.source.split-size": "1 mb"}))
        time.sleep(0.3)
        process.signal(signal.SIGTERM)
        process.wait().succeeded()
    lake.run(lake.job("scaled", parallelism=2)).succeeded()
    lake.assert_table_is_input()
    lake.assert_history_is_linear()
