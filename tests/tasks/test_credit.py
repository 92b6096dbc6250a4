"""What each agent learns from, where that is not the reward that all share."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed import SwarmbedError
from swarmbed.learn import rollout
from swarmbed.tasks import make
from swarmbed.tasks.base import Task
from toy_task import Drift

STILL = jnp.zeros((3, 2))
SETTINGS: dict[str, Any] = {"num_agents": 3, "num_evaders": 2, "width": 80, "height": 60}  # of diameter 50
NEARBY = make("multi_pursuit", credit_radius=12, **SETTINGS)
# The first evader is 3 units from the first pursuer, 10 from the second and, across the border, 16 from the third.
# The second is 20 from the third, and nobody catches it.
PURSUERS = [(40, 17, 0), (30, 20, 0), (40, 4, 0)]
EVADERS = [(40, 20), (20, 4)]


def test_a_pursuer_learns_from_the_captures_around_it(scene: Any) -> None:
    state = scene(PURSUERS, EVADERS)
    assert NEARBY.reward(state, STILL, state) == 1.0
    np.testing.assert_array_equal(NEARBY.credit(state, STILL, state), [1, 1, 0])


def test_an_evader_nearby_that_is_not_caught_gives_no_credit(scene: Any) -> None:
    escaping = scene(PURSUERS, [(40, 21), (20, 4)])
    np.testing.assert_array_equal(NEARBY.credit(escaping, STILL, escaping), [0, 0, 0])


def test_captures_of_two_evaders_add_up(scene: Any) -> None:
    state = scene(PURSUERS, [(40, 20), (31, 20)])
    np.testing.assert_array_equal(NEARBY.credit(state, STILL, state), [2, 2, 0])


def test_the_new_state_counts(scene: Any) -> None:
    before, after = scene(PURSUERS, EVADERS), scene(PURSUERS, [(40, 26), (20, 4)])
    np.testing.assert_array_equal(NEARBY.credit(before, STILL, after), [0, 0, 0])
    np.testing.assert_array_equal(NEARBY.credit(after, STILL, before), [1, 1, 0])


def test_the_cost_of_distance_is_that_of_ones_own(scene: Any) -> None:
    # 2 · 3/50, 2 · 10/50 and 2 · 16/50; in the reward their mean.
    task = make("multi_pursuit", credit_radius=12, approach_cost=2.0, distance_credit="own", **SETTINGS)
    state, mean = scene(PURSUERS, EVADERS), (0.12 + 0.4 + 0.64) / 3
    np.testing.assert_allclose(task.credit(state, STILL, state), [1 - 0.12, 1 - 0.4, -0.64], atol=1e-6)
    assert task.reward(state, STILL, state) == pytest.approx(1 - mean, abs=1e-6)
    shared = replace(task, distance_credit="shared")
    np.testing.assert_allclose(shared.credit(state, STILL, state), [1 - mean, 1 - mean, -mean], atol=1e-6)


def test_without_a_radius_all_captures_count_for_everybody(scene: Any) -> None:
    task = make("multi_pursuit", approach_cost=2.0, distance_credit="own", **SETTINGS)
    state = scene(PURSUERS, EVADERS)
    np.testing.assert_allclose(task.credit(state, STILL, state), [1 - 0.12, 1 - 0.4, 1 - 0.64], atol=1e-6)


def test_pursuers_of_one_evader_learn_from_the_nearest_and_from_their_own_distance(scene: Any) -> None:
    # The nearest is 3 units away: −3/50 for all.
    settings = {"num_agents": 3, "width": 80, "height": 60, "approach_cost": 2.0}
    state = scene(PURSUERS, (40, 20))
    credit = make("pursuit", distance_credit="own", **settings).credit(state, STILL, state)
    np.testing.assert_allclose(credit, [-0.06 - 0.12, -0.06 - 0.4, -0.06 - 0.64], atol=1e-6)
    assert make("pursuit", **settings).credit(state, STILL, state) is None


def test_what_an_absent_pursuer_would_catch_gives_nobody_credit(scene: Any) -> None:
    state = scene(PURSUERS, EVADERS)._replace(present=jnp.array([False, True, True]))
    np.testing.assert_array_equal(NEARBY.credit(state, STILL, state)[1:], [0, 0])


def test_without_a_radius_all_learn_from_the_reward(scene: Any) -> None:
    state = scene(PURSUERS, EVADERS)
    assert make("multi_pursuit", **SETTINGS).credit(state, STILL, state) is None


def test_another_reward_takes_the_place_of_credit_too(scene: Any) -> None:
    state = scene(PURSUERS, EVADERS)
    task = NEARBY.with_reward(lambda state, action, next_state: jnp.ones(()))
    assert task.credit(state, STILL, state) is None


class OneForAll(Drift):
    def credit(self, state: Any, action: Any, next_state: Any) -> Any:
        return jnp.ones(())


@pytest.mark.usefixtures("unchecked_types")
def test_credit_of_another_shape_is_refused() -> None:
    with pytest.raises(SwarmbedError, match=r"credit of OneForAll must be one number per agent \(3\), not float32 of"):
        segment_of(OneForAll())


def test_the_segment_keeps_whole_numbers_as_floats() -> None:
    class Counted(Drift):
        def credit(self, state: Any, action: Any, next_state: Any) -> Any:
            return jnp.arange(3)

    kept = segment_of(Counted()).steps.credit
    assert (kept.shape, kept.dtype) == ((4, 2, 3), jnp.float32)


def segment_of(task: Task) -> Any:
    """Shapes of four steps of two swarms that do nothing."""

    def run(key: Any) -> Any:
        act = lambda state, transmitted, key: (jnp.zeros((2, 3, task.action_size)), None)  # noqa: E731
        return rollout.rollout(task, act, rollout.start(task, key, 2), key, 4)[1]

    return jax.eval_shape(run, jax.random.key(0))
