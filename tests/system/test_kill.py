# SPDX-License-Identifier: Apache-2.0
"""The program dies at any moment and is started again: the table holds the input row for row, nothing lost, nothing twice."""
import os
import random
import re
import signal
import time

import pytest

from harness import REPOSITORY, Lake, write_events

KILLS = 30
POINTS = ["data-file-close", "checkpoint-write", "manifest-write", "manifest-list-write", "metadata-write", "catalog-swap", "commit-ack"]
FAULT_POINTS = [f"{point}.{side}" for point in POINTS for side in ("before", "after")]


def test_the_list_of_fault_points_is_complete():
    in_source = set()
    for path in (REPOSITORY / "src").rglob("*.cc"):
        in_source.update(re.findall(r'\bFaultPoint\("([^"]+)"\)', path.read_text()))
    assert in_source == set(FAULT_POINTS)


def test_sigkill_at_random_moments(tmp_path, many_events):
    """Jobs are killed at random moments and started again until they finish; then again on a fresh table, until 30 kills hit a job."""
    seed = int(os.environ.get("FRAZIL_TEST_SEED", random.randrange(1 << 30)))
    rng = random.Random(seed)
    kills = 0
    rounds = 0
    longest = 1.0  # seconds that a job needs when nobody kills it: measured by each round's last run
    while kills < KILLS:
        rounds += 1
        lake = Lake(tmp_path / f"round-{rounds}", many_events)
        lake.root.mkdir()
        script = lake.job(f"round-{rounds}", interval="50 ms", parallelism=rng.choice([1, 2, 3]))
        for _ in range(8):
            process = lake.start_script(script)
            time.sleep(rng.uniform(0.0, longest))
            if not process.kill():
                break
            kills += 1
        started = time.monotonic()
        lake.run(script).succeeded()
        if rounds == 1:
            longest = max(0.3, time.monotonic() - started)
        lake.assert_table_is_input(note=f"FRAZIL_TEST_SEED={seed}, round {rounds}, {kills} kills so far")
        lake.assert_history_is_linear()


@pytest.fixture(scope="module")
def fault_events(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fault-events")
    write_events(folder, 0, 60_000, files=6)
    return folder


def fault_job(lake, name, **settings):
    """Small batches and a short interval: several checkpoints with data, so that every point is passed at least twice."""
    return lake.job(name, interval="10 ms", parallelism=1, source={"frazil.source.batch-rows": 512}, **settings)


@pytest.mark.parametrize("nth", [1, 2])
@pytest.mark.parametrize("point", FAULT_POINTS)
def test_sigkill_at_a_fault_point(lake, fault_events, point, nth):
    lake.events = fault_events
    script = fault_job(lake, "killed")
    killed = lake.run(script, environment={"FRAZIL_FAULT": f"{point}:{nth}"})
    assert killed.code == -signal.SIGKILL, f"the point was not reached {nth} times\n{killed}"
    lake.run(script).succeeded()
    lake.assert_table_is_input()
    lake.assert_history_is_linear()


@pytest.mark.parametrize("point", FAULT_POINTS)
def test_a_failure_at_a_fault_point_restarts_the_job(lake, fault_events, point):
    lake.events = fault_events
    restart = {"restart-strategy.type": "fixed-delay", "restart-strategy.fixed-delay.attempts": 3, "restart-strategy.fixed-delay.delay": "10 ms"}
    lake.run(fault_job(lake, "failing", **restart), environment={"FRAZIL_FAULT": f"{point}:2:error"}).succeeded()
    lake.assert_table_is_input()
    lake.assert_history_is_linear()


def test_a_failure_without_a_restart_strategy_ends_the_job(lake, fault_events):
    lake.events = fault_events
    script = fault_job(lake, "failing", **{"restart-strategy.type": "none"})
    lake.run(script, environment={"FRAZIL_FAULT": "data-file-close.before:2:error"}).failed("data-file-close.before")
    lake.run(script).succeeded()
    lake.assert_table_is_input()
