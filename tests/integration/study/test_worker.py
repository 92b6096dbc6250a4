"""The process of one run in a local pool."""

import subprocess
import sys
from pathlib import Path

import pytest

GIVE_WAY = """
import os
from swarmbed.study import worker
worker.let_others_go_first()
print(os.getpriority(os.PRIO_PROCESS, 0), worker.AUTOGROUP.read_text() if worker.AUTOGROUP.is_file() else "")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no niceness")
def test_a_worker_lets_other_sessions_go_first_too() -> None:
    before = int(subprocess.check_output([sys.executable, "-c", "import os; print(os.nice(0))"]))
    said = subprocess.check_output([sys.executable, "-c", GIVE_WAY], text=True, start_new_session=True).split()
    assert int(said[0]) == min(before + 5, 19)
    if Path("/proc/self/autogroup").is_file():
        assert said[-2:] == ["nice", said[0]]
