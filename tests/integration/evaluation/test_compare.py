"""Comparisons: equal starts, pairs, several trainings of one method, and the command around it."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from swarmbed.cli.main import main
from swarmbed.evaluation.compare import compare
from swarmbed.evaluation.comparison import Comparison
from swarmbed.evaluation.entries import read_entry
from swarmbed.evaluation.evaluate import evaluate
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import Task
from toy_task import Constant, Drift, Forward
from untrained import random_policy


@dataclass(frozen=True)
class OnlyThree(Constant):
    """Stands for a policy that runs with one size of swarm only."""

    def check(self, task: Task) -> None:
        if task.num_agents != 3:
            raise SwarmbedError(f"runs with 3 agents only, not with {task.num_agents}")


MIXED = make("rendezvous", num_agents=3, sizes=(2, 3), horizon=3)
pytestmark = pytest.mark.usefixtures("short_compilations", "toy_programs_are_kept")


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    # All agents start in [0, 1]²; the reward is −mean |x|, so a policy that drives away loses.
    policies: dict[str, Any] = {
        "still": [Constant(0.0)],
        "away": [Constant(value) for value in (0.1, 0.2, 0.3)],
        "three": [OnlyThree(0.0)],
    }
    return compare(policies, Drift(), num_agents=[3, 2], episodes=10)


def test_there_is_one_panel_per_size_of_swarm(comparison: Comparison) -> None:
    assert [panel.task.num_agents for panel in comparison.panels] == [3, 2]


def test_everybody_in_a_panel_starts_alike(comparison: Comparison) -> None:
    still, away = (comparison.panels[0].standings[name].curves["offset"].mean for name in ("still", "away"))
    assert still[0] == away[0]


def test_a_policy_that_loses_on_every_start_is_better_with_probability_zero(comparison: Comparison) -> None:
    better = comparison.panels[0].standings["away"].better_than_first
    assert better is not None
    assert better.value == 0.0


def test_a_policy_that_does_the_same_is_better_with_probability_one_half(comparison: Comparison) -> None:
    better = comparison.panels[0].standings["three"].better_than_first
    assert better is not None
    assert better.value == 0.5


def test_nobody_is_compared_with_himself(comparison: Comparison) -> None:
    assert comparison.panels[0].standings["still"].better_than_first is None


def test_who_cannot_run_with_a_size_is_missing_there_with_the_reason(comparison: Comparison) -> None:
    assert set(comparison.panels[0].standings) == {"still", "away", "three"}
    assert comparison.panels[1].missing == {"three": "runs with 3 agents only, not with 2"}


def test_who_can_run_with_no_size_is_an_error() -> None:
    with pytest.raises(SwarmbedError, match="three: runs with 3 agents only, not with 2"):
        compare({"three": [OnlyThree()]}, Drift(), num_agents=[2], episodes=1)


def test_a_task_of_mixed_sizes_is_run_as_in_an_evaluation() -> None:
    comparison = compare("random", MIXED, episodes=8, progress=False)
    wanted = evaluate("random", MIXED, episodes=8, progress=False).returns
    assert np.array_equal(comparison.panels[0].standings["random"].returns, [wanted])


def test_one_size_can_be_chosen_of_a_task_of_mixed_sizes() -> None:
    comparison = compare("random", MIXED, num_agents=2, episodes=8, progress=False)
    wanted = evaluate("random", MIXED, num_agents=2, episodes=8, progress=False).returns
    assert np.array_equal(comparison.panels[0].standings["random"].returns, [wanted])


def test_the_command_runs_a_policy_of_mixed_sizes_with_mixed_sizes_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    policy, numbers = random_policy(MIXED).save(tmp_path / "mixed.safetensors"), tmp_path / "numbers.json"
    assert main(["compare", str(policy), "--episodes", "2", "--json", str(numbers)]) == 0
    assert json.loads(numbers.read_text())["settings"]["sizes"] == [2, 3]
    assert "2,3" in capsys.readouterr().out


def test_several_trainings_are_summed_up_by_interquartile_mean_and_median_of_the_top_five(
    comparison: Comparison,
) -> None:
    # |x| after t steps is start + t · value, so run r loses value · (1 + … + 12) = 78 · value against standing still.
    still = comparison.panels[0].standings["still"].returns.mean()
    summary = comparison.panels[0].standings["away"].summary()
    means = still - 78 * np.array([0.1, 0.2, 0.3])
    assert summary["return_of_runs"] == pytest.approx(means, rel=1e-5)
    assert summary["return_median_of_top_five"] == pytest.approx(means[1], rel=1e-5)
    assert summary["return_iqm"] == pytest.approx(means[1], rel=1e-5)
    # Drawing three runs of three gives the best one three times in 1 of 27 cases: more than 2.5 %.
    low, high = summary["return_iqm_ci"]
    assert (low, high) == pytest.approx((means[2], means[0]), abs=0.5)


def test_a_single_training_has_no_such_summary(comparison: Comparison) -> None:
    assert "return_iqm" not in comparison.panels[0].standings["still"].summary()


def test_the_progress_counts_all_episodes() -> None:
    told: list[int] = []
    compare({"a": [Constant()], "b": [Constant(), Constant()]}, Drift(), episodes=4, progress=told.append)
    assert told == [4, 8, 12]


@pytest.mark.parametrize(("text", "entry"), [
    ("consensus", ("consensus", ["consensus"])),
    ("runs/first", ("first", ["runs/first"])),
    ("NN+=runs/a,runs/b", ("NN+", ["runs/a", "runs/b"])),
])  # fmt: skip
def test_an_entry_is_one_policy_or_a_name_and_several(text: str, entry: tuple[str, list[str]]) -> None:
    assert read_entry(text) == entry


@pytest.mark.parametrize("text", ["=runs/a", "NN+=", "NN+=,"])
def test_a_name_without_runs_is_refused(text: str) -> None:
    with pytest.raises(SwarmbedError, match="give a policy or controller as WHO or NAME=WHO,WHO,…"):
        read_entry(text)


def test_the_command_prints_a_table_and_writes_json_and_a_figure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    picture, numbers = tmp_path / "curves.png", tmp_path / "curves.json"
    flags = ["--agents", "2", "--horizon", "5", "--episodes", "4", "--out", str(picture), "--json", str(numbers)]
    assert main(["compare", "random", "chance=random,random", *flags]) == 0
    report = json.loads(numbers.read_text())
    assert report["first"] == "random"
    standings = report["panels"][0]["policies"]
    # The same controller twice from equal starts: always a tie.
    assert standings["chance"]["better_than_first"] == 0.5
    assert standings["chance"]["runs"] == 2
    assert len(standings["random"]["mean_distance"]) == 6
    assert picture.read_bytes().startswith(b"\x89PNG")
    table = capsys.readouterr().out
    assert "better than random" in table
    assert "50.0 % [" in table
    assert "interquartile mean" in table


def test_two_policies_of_one_name_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "random", "random"]) == 2
    assert "two policies are called 'random'; give them different names with NAME=WHO" in capsys.readouterr().err


def test_policies_of_different_tasks_cannot_be_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "consensus", "voronoi_pursuit"]) == 2
    assert "voronoi_pursuit: controller 'voronoi_pursuit' chases evaders" in capsys.readouterr().err


def test_a_figure_of_an_unknown_kind_is_refused_before_anything_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", "random", "--out", "curves.doc"]) == 2
    assert "--out must end in one of .png, .pdf, .svg, which curves.doc does not" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("policies", "words"),
    [
        ({"a": 3}, "a policy, a controller, or the name or path of one is needed, or a list of them, not 3"),
        ({"a": [], "b": "random"}, "a must have at least one policy or controller behind it"),
        ([1], "who must be a policy, a controller, or the name or path of one, not 1"),
    ],
)
def test_what_cannot_take_part_is_named(policies: Any, words: str) -> None:
    with pytest.raises(SwarmbedError, match=words):
        compare(policies, Drift(), episodes=2, progress=False)


def test_one_controller_needs_no_list_and_names_may_be_anything() -> None:
    assert compare(Forward(), Drift(), episodes=2, progress=False).names == ("forward",)
    comparison = compare({20: Forward()}, Drift(), episodes=2, progress=False)
    assert comparison.names == ("20",)
    assert repr(comparison) == str(comparison)


def test_the_share_of_one_run_has_an_interval_even_where_all_succeed() -> None:
    # Wilson, 4 of 4: the lower end is 1 / (1 + 1.96² / 4) = 0.51.
    task = make("pursuit", num_agents=2, horizon=3, capture_radius=200.0)
    standing = compare(["random"], task, episodes=4, progress=False).panels[0].standings
    mean, low, high = (bound[-1] for bound in standing["random"].curves["captured_by"])
    assert (mean, high) == (1, 1)
    assert low == pytest.approx(1 / (1 + 1.959964**2 / 4))
