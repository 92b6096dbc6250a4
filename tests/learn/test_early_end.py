"""Large swarms that reach their end: the rest of the steps is saved, and nothing else changes."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from swarmbed.learn.rollout import Episode, episode
from toy_task import Constant, Drift

KEY = jax.random.key(3)
taken: list[int] = []


class Ending(Drift):
    """Ends after three of its twelve steps, and counts those that are computed."""

    def terminated(self, state: Any) -> Any:
        return state.age >= 3

    def transition(self, state: Any, action: Any, key: Any) -> Any:
        jax.debug.callback(lambda: taken.append(1))
        return super().transition(state, action, key)


class LargeEnding(Ending):
    is_large = True  # type: ignore[assignment]


def run(task: Drift) -> Episode:
    taken.clear()
    found = jax.block_until_ready(jax.jit(lambda s: episode(task, Constant(0.1).control, s, KEY))(task.initial(KEY)))
    jax.effects_barrier()
    return found


def test_a_large_swarm_takes_no_step_after_its_end() -> None:
    run(LargeEnding())
    assert len(taken) == 3
    run(Ending())
    assert len(taken) == 12


def test_both_give_the_same_episode() -> None:
    large, small = run(LargeEnding()), run(Ending())
    for ours, theirs in zip(jax.tree.leaves(large), jax.tree.leaves(small), strict=True):
        np.testing.assert_array_equal(ours, theirs)
    assert int(large.length) == 3 and bool(large.terminated) and large.metrics["offset"].shape == (13,)
    assert jnp.all(large.metrics["offset"][3:] == large.metrics["offset"][3])
