"""The search for gains, on a task whose best gain is known."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.cli.main import main
from swarmbed.controllers.base import Controller
from swarmbed.controllers.random import Random
from swarmbed.evaluation.tune import Tuning, episodes_needed, gains_of, tune
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import State, Task
from toy_task import Drift


@dataclass(frozen=True)
class Knob(Controller):
    """Acts with its gain; ``idle`` does nothing."""

    gain: float = setting(0.5, "what it does")
    idle: float = setting(2.0, "nothing")
    count: int = setting(3, "not a gain")

    def control(self, task: Task, state: State, key: Any) -> Any:
        return jnp.full((task.num_agents, 2), self.gain)


@dataclass(frozen=True)
class Bowl(Drift):
    """r = −(a − 3)² per step, whatever the state: the best gain is 3."""

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return -((action.mean() - 3.0) ** 2)


@dataclass(frozen=True)
class Capped(Knob):
    """Its gain does nothing more beyond 3."""

    def control(self, task: Task, state: State, key: Any) -> Any:
        return jnp.full((task.num_agents, 2), jnp.minimum(self.gain, 3.0))


TASKS = [Bowl(num_agents=size, horizon=2) for size in (1, 2)]


pytestmark = pytest.mark.usefixtures("short_compilations")


def test_a_gain_that_does_nothing_more_is_not_without_effect() -> None:
    """Doubling the best gain changes nothing here; what it was before was worse."""
    found = tune(Capped(), TASKS, name="capped", candidates=32, rounds=2, episodes=2)
    assert found.without_effect == ("idle",)
    assert found.best.gains["gain"] > 2.5
    assert found.best.score > found.before.score


@pytest.fixture(scope="module")
def tuning() -> Tuning:
    return tune(Knob(), TASKS, name="knob", candidates=32, rounds=4, episodes=2)


def test_the_search_finds_the_best_gain(tuning: Tuning) -> None:
    assert tuning.best.gains["gain"] == pytest.approx(3.0, rel=0.05)
    assert tuning.best.score > -0.1


def test_it_reports_what_the_gains_before_were_worth(tuning: Tuning) -> None:
    # Two steps of −(0.5 − 3)².
    assert tuning.before.score == pytest.approx(-12.5)
    assert tuning.before.gains == {"gain": 0.5, "idle": 2.0}


def test_a_gain_without_effect_keeps_its_value(tuning: Tuning) -> None:
    assert tuning.without_effect == ("idle",)
    assert tuning.best.gains["idle"] == 2.0


def test_the_last_comparison_runs_on_every_task_and_four_times_the_episodes(tuning: Tuning) -> None:
    assert tuning.best.returns.shape == (2, 8)


def test_gains_that_are_already_best_stay() -> None:
    assert tune(Knob(gain=3.0), TASKS[:1], candidates=4, rounds=1, episodes=1).best.gains["gain"] == 3.0


def test_only_the_gains_that_are_asked_for_are_searched() -> None:
    assert tune(Knob(), TASKS[:1], only=["idle"], candidates=2, rounds=0, episodes=1).best.gains == {"idle": 2.0}


def test_the_progress_ends_at_the_number_announced() -> None:
    told: list[int] = []
    tune(Knob(), TASKS, candidates=5, rounds=2, episodes=3, on_progress=told.append)
    assert told[-1] == episodes_needed(gains=2, sizes=2, candidates=5, rounds=2, episodes=3)
    assert (np.diff(told) > 0).all()


def test_the_same_seed_finds_the_same_gains(tuning: Tuning) -> None:
    again = tune(Knob(), TASKS, name="knob", candidates=32, rounds=4, episodes=2)
    assert again.best.gains == tuning.best.gains


def test_an_unknown_gain_lists_the_known_ones() -> None:
    with pytest.raises(SwarmbedError, match="gain of knob 'lift' does not exist; choose one of: gain, idle"):
        gains_of(Knob(), "knob", ["lift"])


@pytest.mark.parametrize("how", ["candidates", "rounds", "episodes"])
def test_what_no_machine_does_is_refused_with_an_estimate(how: str) -> None:
    with pytest.raises(SwarmbedError, match=r"needs about .*B of memory|would take about .* hours"):
        tune(Knob(), TASKS, **{how: 10**12})  # type: ignore[arg-type]


def test_a_controller_without_gains_has_nothing_to_tune() -> None:
    with pytest.raises(SwarmbedError, match="random has no gains to tune"):
        tune(Random(), TASKS, name="random")


def test_the_command_writes_what_it_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "gains.json"
    flags = ["--agents", "1", "2", "--horizon", "2", "--candidates", "2", "--rounds", "0", "--episodes", "1"]
    assert main(["tune", "consensus", *flags, "--gain", "speed_gain=5", "--out", str(path)]) == 0
    found = json.loads(path.read_text())
    assert found["gains_before"]["speed_gain"] == 5.0
    assert found["agents"] == [1, 2]
    assert set(found["without_effect"]) >= {"single_position_gain", "single_heading_gain"}
    assert "return, 2 agents" in capsys.readouterr().out


def test_a_range_of_sizes_is_one_task_whose_episodes_draw_their_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "gains.json"
    flags = ["--agents", "2", "2..4", "--horizon", "2", "--candidates", "2", "--rounds", "0", "--episodes", "1"]
    assert main(["tune", "consensus", *flags, "--out", str(path)]) == 0
    assert json.loads(path.read_text())["agents"] == [2, "2..4"]
    assert "return, 2..4 agents" in capsys.readouterr().out


def test_only_controllers_can_be_tuned(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tune", "nobody"]) == 2
    assert "controller 'nobody' does not exist; choose one of: consensus, random" in capsys.readouterr().err
