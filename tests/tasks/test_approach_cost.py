"""The cost of distance, an aid to train pursuit with; a torus of 80 × 60 has a diameter of 50."""

from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import pytest

from swarmbed.learn.schedule import with_numbers
from swarmbed.tasks import make

STILL = jnp.zeros((3, 2))
ONE = make("pursuit", num_agents=3, width=80, height=60, approach_cost=2.0)
TWO = make("multi_pursuit", num_agents=3, num_evaders=2, width=80, height=60, approach_cost=2.0)
# 5, 10 and, across the border, 15 units from an evader at (40, 20).
PURSUERS = [(37, 16, 0), (30, 20, 0), (40, 5, 0)]


def test_every_pursuer_counts_not_only_the_nearest(scene: Any) -> None:
    # −5/50 for the nearest, and −2 · 10/50 for the mean of 5, 10 and 15.
    state = scene(PURSUERS, (40, 20))
    assert ONE.reward(state, STILL, state) == pytest.approx(-0.1 - 0.4, abs=1e-6)


def test_an_absent_pursuer_does_not_count(scene: Any) -> None:
    # The mean of 5 and 10 is 7.5.
    state = scene(PURSUERS, (40, 20))._replace(present=jnp.array([True, True, False]))
    assert ONE.reward(state, STILL, state) == pytest.approx(-0.1 - 2 * 7.5 / 50, abs=1e-6)


def test_of_several_evaders_the_nearest_counts(scene: Any) -> None:
    # The second evader is 4 units from the second pursuer, farther from the others: the mean of 5, 4 and 15 is 8.
    state = scene(PURSUERS, (40, 20))._replace(evaders=jnp.array([[40.0, 20], [26, 20]]))
    assert TWO.reward(state, STILL, state) == pytest.approx(-2 * 8 / 50, abs=1e-6)


@pytest.mark.parametrize("task", [ONE, TWO], ids=["pursuit", "multi_pursuit"])
def test_without_it_the_reward_is_the_tasks_own(task: Any, scene: Any) -> None:
    state = scene(PURSUERS, (40, 20))
    state = state if task is ONE else state._replace(evaders=jnp.array([[40.0, 20], [26, 20]]))
    own = replace(task, approach_cost=0.0).reward(state, STILL, state)
    assert own == with_numbers(task, {"approach_cost": jnp.zeros(())}).reward(state, STILL, state)
    assert own == pytest.approx(-0.1 if task is ONE else 0.0, abs=1e-6)
