"""Numbers that change during a run."""

from typing import Any

import jax
import numpy as np
import pytest

from swarmbed import SwarmbedError
from swarmbed.algorithms.trpo import Trpo
from swarmbed.embeddings.moments import Moments
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.learn.schedule import numbers_at, parse, schedules_for, settled
from swarmbed.networks.perceptron import Perceptron
from swarmbed.tasks import make
from toy_task import Drift

PURSUIT = make("pursuit")


def test_a_number_moves_along_straight_lines_and_stands_still_outside() -> None:
    schedule = parse("evader_speed_ratio=1.2:10,2.0:60,1.0:80")
    assert [schedule.at(i) for i in (0, 10, 35, 60, 70, 500)] == pytest.approx([1.2, 1.2, 1.6, 2.0, 1.5, 1.0])


@pytest.mark.parametrize(
    ("text", "expected"), [("x=1:0,2:60", 60), ("x=3:0,3:30,0:60,0:90", 60), ("x=1:0,1:50", 0), ("x=2:7", 0)]
)
def test_a_schedule_has_an_end(text: str, expected: int) -> None:
    assert parse(text).settled == expected


def test_only_the_settings_of_a_spec_count() -> None:
    schedules = (parse("evader_speed_ratio=1:0,2:60"), parse("kl_bound=0.1:0,0.01:90"))
    assert (settled(schedules, PURSUIT), settled(schedules, Trpo()), settled((), PURSUIT)) == (60, 90, 0)


@pytest.mark.parametrize(
    "text", ["", "speed", "speed=", "=1:0", "speed=1", "speed=1:0,2", "speed=1:5,2:5", "speed=1:-1"]
)
def test_a_schedule_that_says_nothing_clear_is_refused(text: str) -> None:
    with pytest.raises(SwarmbedError, match="schedule must be NAME=VALUE:ITERATION"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("evader_sped=1:0", "neither task nor algorithm has a setting 'evader_sped'"),
        ("num_agents=10:0", "num_agents is not a number that can change during a run"),
        ("comm_radius=10:0", "comm_radius is not a number that can change during a run"),
        ("evader_speed_ratio=1:0,-1:5", "evader_speed_ratio must be a number of at least 0, not -1.0"),
        ("kl_bound=0:0", "kl_bound must be a number above 0, not 0.0"),
    ],
)
def test_what_is_scheduled_is_checked_like_any_setting(text: str, message: str) -> None:
    with pytest.raises(SwarmbedError, match=message):
        schedules_for((text,), PURSUIT, Trpo())


def test_a_number_that_counts_only_at_the_start_is_refused() -> None:
    with pytest.raises(SwarmbedError, match="initial_log_std counts only at the start"):
        schedules_for(("initial_log_std=-1:0,-3:60",), PURSUIT, Trpo())


def test_a_number_is_scheduled_once() -> None:
    with pytest.raises(SwarmbedError, match="schedule names discount twice"):
        schedules_for(("discount=0.9:0", "discount=0.8:0"), PURSUIT, Trpo())


def _learner(noise: float, rate: float, kl_bound: float) -> Learner:
    algorithm = Trpo(value_epochs=1, value_minibatch=12, cg_steps=3, value_learning_rate=rate, kl_bound=kl_bound)
    return Learner(Drift(noise=noise), Moments(), algorithm, BatchSettings(4, 6, 2), Perceptron((4,)))


def test_an_iteration_with_scheduled_numbers_is_one_with_these_settings(quick_jit: Any) -> None:
    numbers = numbers_at(
        schedules_for(("noise=0.5:0", "value_learning_rate=0.01:0", "kl_bound=0.02:0"), Drift(), Trpo()), 3
    )
    state = quick_jit(_learner(0, 1e-3, 0.01).init)(jax.random.key(0))
    iterate = quick_jit(_learner(0, 1e-3, 0.01).iterate)
    found, _ = iterate(state, numbers)
    wanted, _ = quick_jit(_learner(0.5, 0.01, 0.02).iterate)(state)
    for one, other in zip(
        jax.tree.leaves((found.policy, found.critic)), jax.tree.leaves((wanted.policy, wanted.critic)), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
    own = {"noise": np.float32(0), "value_learning_rate": np.float32(1e-3), "kl_bound": np.float32(0.01)}
    plain, _ = iterate(state, own)
    assert not np.allclose(jax.tree.leaves(plain.policy)[0], jax.tree.leaves(found.policy)[0], atol=1e-5)
