"""A minute of faults on purpose: crashes, failing disks, damage, kills, wrong input, hostile files and clients.

``make test-faults HOURS=2`` does the same for long.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, object]]:
    out = tmp_path_factory.mktemp("faults") / "faults.json"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])}
    done = subprocess.run(
        [sys.executable, "-m", "faults", "--json", str(out)], cwd=TESTS, env=environment, text=True, timeout=900,
        capture_output=True,
    )  # fmt: skip
    print(done.stdout)
    assert out.is_file(), done.stdout + done.stderr
    campaigns: dict[str, dict[str, object]] = json.loads(out.read_text())["campaigns"]
    return campaigns


@pytest.mark.parametrize(
    "campaign",
    ["crash_points", "failing_calls", "corruptions", "kills", "wrong_inputs", "hostile_policies", "hostile_clients"],
)
def test_nothing_is_lost_and_nobody_let_in(campaign: str, report: dict[str, dict[str, object]]) -> None:
    if campaign not in report:
        pytest.skip("needs Linux and a C compiler")
    assert report[campaign]["tries"]
    assert report[campaign]["complaints"] == []
