# SPDX-License-Identifier: Apache-2.0
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))

from harness import FRAZIL, Lake  # noqa: E402

import pytest  # noqa: E402


def pytest_configure(config):
    if not FRAZIL.exists():
        raise pytest.UsageError(f"the program {FRAZIL} isn't built: run `make build`, or set FRAZIL to its path")


@pytest.fixture
def lake(tmp_path):
    lake = Lake(tmp_path)
    yield lake
    lake.close()
