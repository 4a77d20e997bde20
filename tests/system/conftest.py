# SPDX-License-Identifier: Apache-2.0
import pytest

from harness import FRAZIL, Lake, write_events


def pytest_configure(config):
    if not FRAZIL.exists():
        raise pytest.UsageError(f"the program {FRAZIL} isn't built: run `make build`, or set FRAZIL to its path")


@pytest.fixture
def lake(tmp_path):
    """An empty lake with its own folder of events."""
    lake = Lake(tmp_path)
    yield lake
    lake.close()


@pytest.fixture(scope="session")
def small_events(tmp_path_factory):
    """3 000 events in three files; shared, so tests leave it alone."""
    folder = tmp_path_factory.mktemp("small-events")
    write_events(folder, 0, 3_000, files=3)
    return folder


@pytest.fixture(scope="session")
def many_events(tmp_path_factory):
    """400 000 events in eight files: enough for dozens of checkpoints; shared, so tests leave it alone."""
    folder = tmp_path_factory.mktemp("many-events")
    write_events(folder, 0, 400_000, files=8)
    return folder
