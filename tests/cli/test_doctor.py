"""swarmbed doctor: what it says, and the reference that it compares with."""

import io
import json
from pathlib import Path

import pytest
from rich.console import Console

from swarmbed.benchmarks import runner
from swarmbed.benchmarks.reference import REFERENCE, RESULTS
from swarmbed.cli.commands import doctor
from swarmbed.cli.main import main


def test_the_reference_is_what_was_measured() -> None:
    results = Path(__file__).parents[2] / "benchmarks" / "results" / RESULTS
    groups = json.loads(results.read_text())["groups"]
    for name, (group, key, _, value) in REFERENCE.items():
        assert groups[group]["rows"][name][key] == value


def test_everything_is_said(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    asked = {"": ["numpy"], "view": ["starlette"], "dream": ["no-such-package"], "dev": ["no-such-linter"]}
    monkeypatch.setattr(doctor, "requirements", lambda: asked)
    assert main(["doctor", "--no-speed"]) == 0
    out = capsys.readouterr().out
    assert "✓ numpy " in out
    assert "✓ cpu 0: cpu" in out
    assert "✗ dream: without no-such-package; pip install 'swarmbed[dream]'" in out
    assert "dev: not installed; only for work on swarmbed itself" in out
    assert "speed" not in out


def test_words_stay_whole_in_a_narrow_terminal() -> None:
    screen = io.StringIO()
    line = "✗ dream: without no-such-package; pip install 'swarmbed[dream]'"
    doctor._print(Console(file=screen, force_terminal=True, color_system=None, width=40), "extras", iter([line]))
    shown = [text.rstrip() for text in screen.getvalue().splitlines()]
    assert shown == ["extras", "  ✗ dream: without no-such-package; pip", "  install 'swarmbed[dream]'"]


def test_speed_is_a_ratio_to_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    def pretend(group: str, row: object, effort: object) -> dict[str, float]:
        return {key: value / 4 for _, key, _, value in REFERENCE.values()} | {"core_share": 0.5}

    monkeypatch.setattr(runner, "run_row", pretend)
    told = list(doctor.speed())
    assert told[1] == "matrix product 1024³: 18 GFLOP/s, 0.25 times the reference (72)"
    assert told[2] == "  the machine is busy: this had 50% of a core"


def test_a_measurement_that_fails_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "run_row", lambda *arguments: {"failed": "no memory"})
    assert list(doctor.speed())[1] == "✗ matrix product 1024³: no memory"


def test_requirements_are_sorted_by_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = ["jax>=0.8", "swarmbed[view]; extra == 'all'", "ray>=2; python_version < '3.14' and extra == 'cluster'"]
    monkeypatch.setattr(doctor, "requires", lambda name: lines)
    assert doctor.requirements() == {"": ["jax"], "cluster": ["ray"]}
