"""The start-up benchmark: that it times what it says, tried on processes that take no time."""

import sys
from pathlib import Path

import pytest

from swarmbed.benchmarks import Effort, startup
from swarmbed.benchmarks.startup import Start

TALKS = """
import os, sys, time
print("nothing of interest", file=sys.stderr)
print("compiling (it takes a while) …", file=sys.stderr)
time.sleep(0.2)
print(f"run  1/1  {os.environ['SWARMBED_CACHE']}", file=sys.stderr)
print("policy 1/1", file=sys.stderr)
sys.exit({code})
"""


def talks(code: int = 0) -> list[str]:
    return [sys.executable, "-c", TALKS.replace("{code}", str(code))]


def test_a_start_is_timed_by_what_the_process_prints(tmp_path: Path) -> None:
    found = startup.started(talks(), tmp_path)
    assert 0 < found.message < found.first
    assert found.first - found.message >= 0.19


def test_the_process_keeps_its_compilations_though_the_benchmark_compiles_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JAX_ENABLE_COMPILATION_CACHE", "false")
    check = "import os, sys; sys.exit('JAX_ENABLE_COMPILATION_CACHE' in os.environ)"
    with pytest.raises(RuntimeError, match="exit code 0"):  # it says nothing, but finds what it should
        startup.started([sys.executable, "-c", check], tmp_path)


@pytest.mark.parametrize(
    ("command", "words"), [(talks(3), "exit code 3"), ([sys.executable, "-c", ""], "said nothing")]
)
def test_a_training_that_fails_is_no_measurement(command: list[str], words: str, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=words):
        startup.started(command, tmp_path)


def test_imports_are_timed_in_a_fresh_process() -> None:
    assert 0 < startup.imported("json, decimal") < 10


def test_an_empty_cache_is_new_each_time_and_a_filled_one_was_filled_before(monkeypatch: pytest.MonkeyPatch) -> None:
    caches: list[str] = []

    def pretend(command: list[str], cache: Path) -> Start:
        caches.append(cache.name)
        assert command[1:5] == ["-m", "swarmbed", "train", "rendezvous"]
        return Start(2.0, 10.0)

    monkeypatch.setattr(startup, "started", pretend)
    monkeypatch.setattr(startup, "imported", lambda modules: 1.5)
    facts = startup.measure_training(False, Effort(repetitions=5))
    assert caches == ["cache-1", "cache-2"]
    assert facts == {
        "seconds": 10.0, "import_seconds": 1.5, "import_share": 0.15, "message_seconds": 2.0, "iteration_seconds": 8.0,
        "repetitions": 2,
    }  # fmt: skip
    caches.clear()
    startup.measure_training(True, Effort(repetitions=5))
    assert caches == ["cache", "cache", "cache"]
