"""Consensus: its law by hand, and that swarms meet."""

from collections.abc import Callable
from functools import cache
from math import pi
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.controllers.consensus import Consensus
from swarmbed.learn.rollout import episode
from swarmbed.sim.unicycle import Agents
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import State

Act = Callable[[Any, Any, State], Any]
KEY = jax.random.key(0)
LAZY = Consensus(
    position_gain=0.1, speed_gain=2.0, heading_gain=0.5, turn_damping=0.25,
    single_position_gain=0.1, single_heading_gain=0.5,
)  # fmt: skip


def swarm(position: Any, heading: Any, speed: Any = None, turn_rate: Any = None) -> State:
    parts = [None if part is None else jnp.array(part, float) for part in (position, heading, speed, turn_rate)]
    return State(Agents(*parts))


def test_a_double_integrator_accelerates_by_what_its_speed_lacks(act: Act) -> None:
    # The centroid (20, 50) is 10 ahead of agent 0: v_d = 0.1 · 10 = 1, a_v = 2 · (1 − 0.25) = 1.5 of at most 10.
    state = swarm([[10, 50], [30, 50]], [0, 0], [0.25, 0], [0, 0])
    assert act(LAZY, make("rendezvous", num_agents=2), state)[0] == pytest.approx([0.15, 0.0], abs=1e-6)


def test_a_double_integrator_turns_by_heading_error_less_damping(act: Act) -> None:
    # Agent 1 looks north, the centroid is west: φ_d − φ = π/2; a_ω = 0.5 · π/2 − 0.25 · 1 of at most π.
    state = swarm([[10, 50], [30, 50]], [0, pi / 2], [0, 0], [0, 1])
    action = act(LAZY, make("rendezvous", num_agents=2), state)
    assert action[1, 1] == pytest.approx((pi / 4 - 0.25) / pi, abs=1e-6)


def test_a_single_integrator_takes_the_wanted_speed_at_once(act: Act) -> None:
    # v = 0.1 · 10 of at most 10; ω = 0.5 · π/2 of at most π.
    state = swarm([[10, 50], [30, 50]], [0, pi / 2])
    action = act(LAZY, make("rendezvous", num_agents=2, dynamics="single"), state)
    assert action == pytest.approx(np.array([[0.1, 0.0], [0.1, 0.25]]), abs=1e-6)


def test_actions_never_leave_what_an_agent_can_do(act: Act) -> None:
    state = swarm([[0, 0], [100, 100]], [pi, 0.3], [-10, 10], [3, -3])
    action = act(Consensus(50.0, 50.0, 50.0, 50.0), make("rendezvous", num_agents=2), state)
    assert jnp.abs(action).max() == 1.0


def test_the_way_to_go_leads_to_the_centroid_whatever_the_number_of_agents(act: Act) -> None:
    # Twenty agents at (10, 50), one at (31, 50): the centroid is at x = 11, so v_d = 0.1 and 2.
    position = [[10, 50]] * 20 + [[31, 50]]
    action = act(LAZY, make("rendezvous", num_agents=21, dynamics="single"), swarm(position, [0] * 21))
    assert (action[0, 0], action[20, 0]) == pytest.approx((0.01, 0.2), abs=1e-6)


def test_agents_out_of_reach_do_not_count(act: Act) -> None:
    # Within 40 units agent 0 hears only agent 1; the third, 50 away, would pull it east.
    task = make("rendezvous-local", num_agents=3)
    action = act(LAZY, task, swarm([[40, 50], [20, 50], [90, 50]], [pi, 0, 0]))
    assert action[0] == pytest.approx([0.1, 0.0], abs=1e-6)


def test_on_a_torus_the_way_leads_across_the_border(act: Act) -> None:
    task = make("rendezvous", num_agents=2, world="torus", dynamics="single", width=100.0, height=60.0)
    action = act(LAZY, task, swarm([[95, 58], [5, 58]], [0, 0]))
    assert action[0] == pytest.approx([0.05, 0.0], abs=1e-6)


@pytest.mark.parametrize("dynamics", ["single", "double"])
def test_an_agent_alone_stays_where_it_is(act: Act, dynamics: str) -> None:
    task = make("rendezvous", num_agents=1, dynamics=dynamics)
    assert act(LAZY, task, task.initial(KEY)) == pytest.approx(np.zeros((1, 2)))


def test_a_target_straight_behind_is_half_a_turn_away_and_not_two_halves(act: Act) -> None:
    state = swarm([[10, 50], [30, 50]], [0, 0])
    action = act(LAZY, make("rendezvous", num_agents=2, dynamics="single"), state)
    assert abs(float(action[1, 1])) == pytest.approx(0.5, abs=1e-6)


@pytest.fixture(scope="module")
def mean_distance(quick_jit: Callable[..., Any]) -> Callable[[int], Any]:
    """``mean_distance(num_agents)``: over time, of a few swarms of this size; (swarms, 401)."""

    @cache
    def run(num_agents: int) -> Any:
        task = make("rendezvous", num_agents=num_agents, horizon=400)
        curve = lambda key: episode(task, Consensus().control, task.initial(key), key).metrics["mean_distance"]  # noqa: E731
        return quick_jit(jax.vmap(curve))(jax.random.split(KEY, 16 if num_agents <= 20 else 2))

    return run


@pytest.mark.parametrize("num_agents", [2, 20, 100])
def test_swarms_of_any_size_meet_in_a_closed_world(mean_distance: Callable[[int], Any], num_agents: int) -> None:
    distance = mean_distance(num_agents)
    assert distance[:, 0].mean() > 30
    assert distance[:, -1].max() < 0.1


def test_20_agents_are_within_one_unit_after_75_steps(mean_distance: Callable[[int], Any]) -> None:
    distance = mean_distance(20).mean(axis=0)
    assert distance[0] == pytest.approx(47, abs=3)
    assert distance[75] < 1.0


@pytest.fixture(scope="module")
def local_ends(quick_jit: Callable[..., Any]) -> Callable[[Any], Any]:
    """Where ten agents that hear each other within 40 units end up."""
    task = make("rendezvous-local", num_agents=10, width=150.0, horizon=400)

    def run(position: Any) -> Any:
        state = State(task.body.at_rest(position, jnp.linspace(0.0, 6.0, 10)))
        return episode(task, Consensus().control, state, KEY).last.agents.position

    return quick_jit(run)


def diameter(position: Any) -> float:
    return float(np.linalg.norm(position[:, None] - position[None], axis=-1).max())


def test_agents_that_start_within_a_patch_of_30_by_30_meet(local_ends: Callable[[Any], Any]) -> None:
    patch = 30 * jax.random.uniform(jax.random.key(1), (10, 2)) + 20
    assert diameter(local_ends(patch)) < 0.1


def test_two_patches_out_of_earshot_meet_each_for_itself(local_ends: Callable[[Any], Any]) -> None:
    # 5 in [0, 30] × [0, 30], 5 in [115, 145] × [0, 30]: at least 85 > 2 · 40 apart.
    patches = 30 * jax.random.uniform(jax.random.key(2), (10, 2)) + jnp.array([[0.0, 0.0]] * 5 + [[115.0, 0.0]] * 5)
    end = np.asarray(local_ends(patches))
    assert diameter(end[:5]) < 0.1
    assert diameter(end[5:]) < 0.1
    assert np.linalg.norm(end[0] - end[9]) > 80


def test_it_says_that_it_does_not_chase_anybody() -> None:
    with pytest.raises(SwarmbedError, match=r"'consensus' .* does not fit task Pursuit; it fits: rendezvous"):
        Consensus().check(make("pursuit"))


@pytest.mark.parametrize("gain", [-1.0, float("inf"), float("nan")])
def test_a_gain_must_be_a_number_of_at_least_zero(gain: float) -> None:
    with pytest.raises(SwarmbedError, match=r"^speed_gain must be a number of at least 0, not"):
        Consensus(speed_gain=gain)
