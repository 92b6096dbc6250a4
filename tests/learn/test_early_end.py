"""Episodes that reach their end: the rest of the steps is saved, and nothing else changes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.learn.rollout import BLOCK, Episode, episode
from toy_task import Constant, Drift

KEY = jax.random.key(3)
HORIZON = 2 * BLOCK + 5
taken: list[int] = []


class Ending(Drift):
    """Ends at age three, and counts the steps that are computed."""

    def terminated(self, state: Any) -> Any:
        return state.age >= 3

    def transition(self, state: Any, action: Any, key: Any) -> Any:
        jax.debug.callback(lambda: taken.append(1))
        return super().transition(state, action, key)


class LargeEnding(Ending):
    is_large = True  # type: ignore[assignment]


def run(task: Drift, ages: list[int], *, keep_states: bool = False) -> Episode:
    """Episodes side by side that begin at these ages."""
    taken.clear()
    state = task.initial(KEY)

    def one(age: Any) -> Episode:
        begin = state._replace(age=age)
        return episode(task, Constant(0.1).control, begin, KEY, HORIZON, keep_states=keep_states)

    found = jax.block_until_ready(jax.jit(jax.vmap(one))(jnp.array(ages)))
    jax.effects_barrier()
    return found


def test_an_episode_is_computed_until_the_block_of_its_end_and_a_large_swarm_until_its_end() -> None:
    run(Ending(), [0])
    assert len(taken) == BLOCK
    run(LargeEnding(), [0])
    assert len(taken) == 3
    run(Ending(), [3])
    assert len(taken) == 0


def test_a_large_swarm_whose_states_are_kept_is_computed_until_its_end_too() -> None:
    task = LargeEnding()
    taken.clear()
    one = jax.jit(lambda: episode(task, Constant(0.1).control, task.initial(KEY), KEY, HORIZON, keep_states=True))
    assert jax.block_until_ready(one()).states.age.tolist() == [0, 1, 2, *[3] * (HORIZON - 2)]
    jax.effects_barrier()
    assert len(taken) == 3


@pytest.mark.parametrize("keep_states", [False, True])
def test_an_episode_of_no_steps_measures_its_start(keep_states: bool) -> None:
    task = Ending()
    found = episode(task, Constant(0.1).control, task.initial(KEY), KEY, 0, keep_states=keep_states)
    assert int(found.length) == 0
    assert found.metrics["offset"].shape == (1,)


def test_side_by_side_all_go_on_until_the_last_has_ended() -> None:
    run(Ending(), [0, 2, 2 - BLOCK])
    assert len(taken) == 2 * BLOCK
    run(Ending(), [0, -HORIZON])  # the second one runs out of time in its third block
    assert len(taken) == 3 * BLOCK


@pytest.mark.parametrize("task", [Ending(), LargeEnding()], ids=["small", "large"])
def test_it_is_the_episode_that_takes_every_step(task: Drift) -> None:
    ages = [0, 2, 3, 2 - BLOCK, -HORIZON]
    found, whole = run(task, ages), run(task, ages, keep_states=True)
    assert len(taken) == HORIZON
    for ours, theirs in zip(found._replace(states=None), whole._replace(states=None), strict=True):
        jax.tree.map(np.testing.assert_array_equal, ours, theirs)
    assert found.length.tolist() == [3, 1, 0, BLOCK + 1, HORIZON]
    assert found.terminated.tolist() == [True, True, True, True, False]
    assert found.metrics["offset"].shape == (5, HORIZON + 1)
    assert jnp.all(found.metrics["offset"][0, 3:] == found.metrics["offset"][0, 3])
