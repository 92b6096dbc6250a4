"""The cost of imprecision, an aid to train rendezvous with; a closed world of 80 × 60 has a diameter of 100."""

from dataclasses import replace
from math import log
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.learn.schedule import with_numbers
from swarmbed.tasks import make

STILL = jnp.zeros((3, 2))
TASK = make("rendezvous", num_agents=3, width=80, height=60, precision_cost=2.0)
# 3, 4 and 5 units from each other; ε is 5 · 10⁻⁴ of 100 units.
AGENTS = [(10, 10, 0, 0, 0), (13, 10, 0, 0, 0), (10, 14, 0, 0, 0)]
SCALE = log(2001)


def test_every_pair_costs_the_logarithm_of_its_distance(scene: Any) -> None:
    state = scene(AGENTS)
    logs = (log(1 + 3 / 0.05) + log(1 + 4 / 0.05) + log(1 + 5 / 0.05)) / 3
    assert TASK.reward(state, STILL, state) == pytest.approx(-0.04 - 2 * logs / SCALE, rel=1e-5)


def test_an_absent_agent_does_not_count(scene: Any) -> None:
    state = scene(AGENTS)._replace(present=jnp.array([True, True, False]))
    assert TASK.reward(state, STILL, state) == pytest.approx(-0.03 - 2 * log(1 + 3 / 0.05) / SCALE, rel=1e-5)


def test_beyond_the_radius_a_pair_costs_all_of_it(scene: Any) -> None:
    # ε is 5 · 10⁻⁴ of 4 units, so 3 of 4 units cost log(1 + 1500) and the pairs of 4 and 5 the whole.
    state = scene(AGENTS)
    local = replace(TASK, comm_radius=4.0)
    wanted = -(3 + 4 + 4) / 12 - 2 * (log(1501) / SCALE + 1 + 1) / 3
    assert local.reward(state, STILL, state) == pytest.approx(wanted, rel=1e-5)


def test_without_it_the_reward_is_the_tasks_own(scene: Any) -> None:
    state = scene(AGENTS)
    own = replace(TASK, precision_cost=0.0).reward(state, STILL, state)
    assert own == with_numbers(TASK, {"precision_cost": jnp.zeros(())}).reward(state, STILL, state)
    assert own == pytest.approx(-0.04)


def test_large_swarms_sum_it_in_pieces(compiled: Any) -> None:
    small, large = (make("rendezvous", num_agents=n, precision_cost=1.0) for n in (40, 600))
    assert large.is_large and not small.is_large
    state = compiled(large, "initial")(jax.random.key(0))
    few = state._replace(present=np.arange(600) < 40)
    same = compiled(small, "initial")(jax.random.key(0))
    same = same._replace(agents=jax.tree.map(lambda leaf: np.asarray(leaf)[:40], state.agents))
    still = np.zeros((600, 2), np.float32)
    rewards = [compiled(t, "reward")(at, still[: t.num_agents], at) for t, at in ((large, few), (small, same))]
    np.testing.assert_allclose(rewards[0], rewards[1], rtol=1e-5)
