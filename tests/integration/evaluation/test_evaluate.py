"""Evaluation: equal starts for everybody, honest numbers, and the command around it."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import swarmbed
from swarmbed.cli.main import main
from swarmbed.controllers.voronoi_pursuit import VoronoiPursuit
from swarmbed.evaluation.episodes import episode_of, in_groups
from swarmbed.evaluation.evaluate import Evaluation, evaluate
from swarmbed.learn.rollout import BLOCK
from swarmbed.policy.find import NamedController, choose_task
from swarmbed.policy.policy import Policy
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import Metric
from toy_task import Constant, Drift, Forward

TINY = Drift()
# Two pursuers, straight on, catch within 25 units: some at once, some later, some never.
HUNT = make("pursuit", num_agents=2, horizon=12, capture_radius=25.0, evader_speed_ratio=0.0)
HERD = make("multi_pursuit", num_agents=2, num_evaders=2, horizon=12, capture_radius=20.0)


pytestmark = pytest.mark.usefixtures("short_compilations", "toy_programs_are_kept")


@pytest.fixture(scope="module")
def random_walk() -> Evaluation:
    return evaluate("random", TINY, episodes=37, seed=5)


@pytest.fixture(scope="module")
def hunt() -> Evaluation:
    return evaluate(Forward(), HUNT, episodes=40)


@pytest.fixture(scope="module")
def herd() -> Evaluation:
    return evaluate(Forward(), HERD, episodes=20)


def test_everybody_starts_alike(random_walk: Evaluation) -> None:
    other = evaluate(Constant(0.3), TINY, episodes=37, seed=5)
    assert np.array_equal(random_walk.metrics["offset"][:, 0], other.metrics["offset"][:, 0])
    assert not np.isclose(random_walk.metrics["offset"][:, -1], other.metrics["offset"][:, -1]).any()


def test_chance_after_the_start_is_the_same_for_everybody() -> None:
    lazy, steady = (evaluate(Constant(a), Drift(noise=1.0), episodes=3).metrics["offset"] for a in (0.0, 0.5))
    # One goes half a unit further in every step; whatever else happens, happens to both.
    assert steady - lazy == pytest.approx(np.tile(0.5 * np.arange(13), (3, 1)), abs=1e-4)
    assert np.abs(np.diff(lazy, axis=1)).min() > 0


def test_an_episode_is_the_same_however_many_are_run(random_walk: Evaluation) -> None:
    fewer = evaluate("random", TINY, episodes=5, seed=5)
    assert fewer.metrics["offset"] == pytest.approx(random_walk.metrics["offset"][:5], rel=1e-5)


def test_another_seed_gives_other_starts(random_walk: Evaluation) -> None:
    other = evaluate("random", TINY, episodes=5, seed=6)
    assert not np.isin(other.metrics["offset"][:, 0], random_walk.metrics["offset"][:, 0]).any()


def test_starts_of_one_seed_differ_from_each_other(random_walk: Evaluation) -> None:
    assert len(np.unique(random_walk.metrics["offset"][:, 0])) == 37


def test_the_return_is_the_sum_of_rewards() -> None:
    # Nobody moves: twelve times the reward of the start.
    still = evaluate(Constant(0.0), TINY, episodes=4)
    assert still.returns == pytest.approx(-12 * still.metrics["offset"][:, 0], rel=1e-5)


def test_the_summary_holds_the_means_over_episodes(random_walk: Evaluation) -> None:
    summary = random_walk.summary()
    assert summary["return_mean"] == pytest.approx(random_walk.returns.mean(), rel=1e-6)
    assert summary["offset"] == pytest.approx(random_walk.metrics["offset"].mean(0), rel=1e-6)
    assert len(summary["offset"]) == 12 + 1
    assert (summary["episodes"], summary["agents"], summary["seed"], summary["task"]) == (37, 3, 5, "drift")


def test_every_mean_has_its_interval_beside_it(random_walk: Evaluation) -> None:
    summary = random_walk.summary()
    low, high = summary["return_mean_ci"]
    assert low < summary["return_mean"] < high
    lows, highs = summary["offset_ci"]
    assert all(a < m < b for a, m, b in zip(lows, summary["offset"], highs, strict=True))


def test_capture_curves_never_decrease_and_end_with_the_episodes_that_ended(hunt: Evaluation) -> None:
    curve = np.array(hunt.summary()["captured_by"])
    assert (np.diff(curve) >= 0).all()
    assert 0 < curve[0] < curve[-1] < 1
    assert curve[-1] == pytest.approx(hunt.metrics["captured"].max(axis=1).mean())


def test_an_episode_is_over_from_the_step_of_its_capture_on(hunt: Evaluation) -> None:
    steps = (hunt.metrics["captured"] == 0).sum(axis=1)
    # The length counts steps until the capture, or all of them.
    assert np.array_equal(hunt.lengths, np.minimum(steps, 12))


def test_captures_of_several_evaders_are_counted_after_the_start(herd: Evaluation) -> None:
    summary = herd.summary()
    assert summary["captures_mean"] == pytest.approx(herd.returns.mean(), rel=1e-6)
    assert summary["captures_mean"] > 0
    assert summary["captures_by"][0] == 0
    assert summary["captures_by"][-1] == summary["captures_mean"]


class Found(Drift):
    """Ends after three steps, with one find in the last of them."""

    metrics = (Metric("finds", "finds", kind="count", better="higher"),)

    def terminated(self, state: Any) -> Any:
        return state.age >= 3

    def measure(self, state: Any) -> dict[str, Any]:
        return {"finds": (state.age == 3).astype(float)}


def test_what_is_counted_in_the_last_step_counts_once() -> None:
    found = evaluate(Constant(), Found(), episodes=2)
    np.testing.assert_array_equal(found.lengths, 3)
    np.testing.assert_array_equal(found.curves["finds_by"], [[0, 0, 0] + [1] * 10] * 2)


class Undefined(Drift):
    def measure(self, state: Any) -> dict[str, Any]:
        return {"offset": jnp.where(state.age == 2, jnp.nan, 0.0)}


def test_a_metric_that_is_not_finite_is_named() -> None:
    with pytest.raises(SwarmbedError, match="offset is not finite in step 2 of episode 0"):
        evaluate(Constant(), Undefined(), episodes=2)


@pytest.fixture(scope="module")
def short() -> Policy:
    """A policy and a task of a few steps; whoever runs three episodes of it shares a program."""
    policy = swarmbed.load_policy("pursuit-global-nn-extended")
    return replace(policy, task=replace(policy.task, horizon=4, num_agents=3))


def test_a_named_policy_samples_when_it_is_asked_to(short: Policy) -> None:
    assert evaluate(NamedController("mine", short, short.task), episodes=3, stochastic=True).stochastic is True


def test_a_swarm_of_another_size_can_be_asked_for() -> None:
    evaluation = evaluate(Constant(), TINY, num_agents=2, episodes=1)
    assert evaluation.task.num_agents == 2


def test_without_a_task_a_controller_gets_one_that_fits() -> None:
    assert type(choose_task(NamedController("anybody", Constant()), None)).__name__ == "Rendezvous"
    assert type(choose_task(NamedController("voronoi", VoronoiPursuit()), None)).__name__ == "Pursuit"


def test_a_policy_takes_its_senses_to_another_task() -> None:
    trained = NamedController("policy", Constant(), make("rendezvous", observation="comm", velocity_frame="own"))
    task = choose_task(trained, make("rendezvous-local", num_agents=7))
    assert (task.observation, task.velocity_frame, task.comm_radius, task.num_agents) == ("comm", "own", 40.0, 7)


def test_the_last_group_need_not_be_full() -> None:
    told: list[int] = []
    squares = in_groups(lambda _, x: x * x, group=4)(np.arange(10.0), on_progress=told.append)
    assert np.array_equal(squares, np.arange(10.0) ** 2)
    assert told[-1] == 10


@pytest.mark.parametrize(("setting", "value", "sentence"), [
    ("episodes", 0, "episodes must be a whole number of at least 1, not 0"),
    ("seed", -1, "seed must be a whole number between 0 and 4294967295, not -1"),
    ("seed", 10**23, "seed must be a whole number between 0 and 4294967295, not 1"),
    ("num_agents", 0, "num_agents must be a whole number of at least 1, not 0"),
    ("stochastic", True, "stochastic applies to policies only"),
])  # fmt: skip
def test_a_wrong_setting_is_named(setting: str, value: Any, sentence: str) -> None:
    with pytest.raises(SwarmbedError, match=sentence):
        evaluate(Constant(), TINY, **{setting: value})


def test_a_policy_object_runs_on_its_own_task_greedily_or_not(short: Policy) -> None:
    greedy, drawn = (evaluate(short, episodes=3, stochastic=stochastic) for stochastic in (False, True))
    assert greedy.task == short.task
    assert not np.array_equal(greedy.returns, drawn.returns)
    assert np.array_equal(drawn.returns, evaluate(short.sampling(True), episodes=3).returns)


def test_an_evaluation_says_how_its_policy_acted(short: Policy) -> None:
    assert evaluate(short, episodes=3).stochastic is False
    sampling = evaluate(short.sampling(True), episodes=3)
    assert sampling.stochastic is True
    assert "sampled actions" in str(sampling)


def test_an_evaluation_prints_a_short_table(random_walk: Evaluation) -> None:
    title, header, *rows = str(random_walk).splitlines()
    assert title.startswith("random on drift: 3 agents, 37 episodes, seed 5, greedy")
    assert header.split() == ["mean", "95", "%", "interval"]
    assert [row.split("  ")[0] for row in rows] == ["return", "mean coordinate after 0", "mean coordinate after 12"]
    assert "<pre>random on drift" in random_walk._repr_html_()


def test_an_episode_keeps_no_state_but_the_last() -> None:
    task = make("rendezvous", num_agents=3, horizon=50)
    program = jax.make_jaxpr(episode_of(task, Constant(), 0))(0)
    (loop,) = [e for e in program.eqns if e.primitive.name == "while"]
    kept = [value.aval.shape for value in loop.outvars if value.aval.shape and value.aval.shape[0] >= 50]
    assert kept == [(4 * BLOCK,)]  # the mean distance over time, in whole blocks


def test_a_return_that_is_no_number_is_an_error() -> None:
    with pytest.raises(SwarmbedError, match="constant led to numbers that are not finite in episode 0"):
        evaluate(Constant(1e38), TINY, episodes=2)


def test_a_controller_that_does_not_fit_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "voronoi_pursuit", "--task", "rendezvous"]) == 2
    assert "'voronoi_pursuit' chases evaders and does not fit task Rendezvous" in capsys.readouterr().err


def test_an_unknown_controller_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "consenus"]) == 2
    assert "did you mean 'consensus'? ('swarmbed list' shows all names)" in capsys.readouterr().err


def test_a_setting_of_another_task_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "consensus", "--evaders", "3"]) == 2
    assert "task 'rendezvous' has no setting 'num_evaders'" in capsys.readouterr().err


@pytest.mark.parametrize(("gain", "sentence"), [
    ("position_gain", "--gain must look like NAME=NUMBER, not 'position_gain'"),
    ("lift=1", "controller 'consensus' has no setting 'lift'"),
    ("speed_gain=-1", "controller 'consensus': speed_gain must be a number of at least 0, not -1.0"),
])  # fmt: skip
def test_a_wrong_gain_is_named(gain: str, sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["evaluate", "consensus", "--gain", gain]) == 2
    assert sentence in capsys.readouterr().err


class Careless(Forward):
    """Not a number for agents that are not there; all others stand still."""

    def control(self, task: Any, state: Any, key: Any) -> Any:
        return jnp.where(state.present[:, None], jnp.zeros((task.num_agents, 2)), jnp.nan)


def test_what_an_absent_agent_does_never_matters() -> None:
    task = make("pursuit", num_agents=3, horizon=3, sizes=(2,))
    careless, still = (evaluate(who, task, episodes=2, progress=False) for who in (Careless(), Constant(0.0)))
    np.testing.assert_array_equal(careless.returns, still.returns)


def test_an_evaluation_is_displayed_as_its_table() -> None:
    evaluation = evaluate(Forward(), Drift(), episodes=2, progress=False)
    assert repr(evaluation) == str(evaluation)
    assert "95 % interval" in repr(evaluation)
