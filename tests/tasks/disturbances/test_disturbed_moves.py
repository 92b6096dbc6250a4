"""Actions that err, agents that are slower or contrary, agents that stand still."""

import functools
from math import pi
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from quick_task import QuickTask
from swarmbed.compute import compiling
from swarmbed.tasks.disturbances import moving
from swarmbed.tasks.disturbances.state import begin, with_newcomers, with_strengths

KEY = jax.random.key(0)
AHEAD = np.array([1.0, 0.0], np.float32)
# Agents that obey at once, as pursuers do, in a task that compiles twice as fast.
SINGLE: dict[str, Any] = {"dynamics": "single", "world": "torus", "max_turn_rate": 2 * pi}

stands_still = jax.jit(moving.stands_still, static_argnums=0, compiler_options=compiling.once())
newcomers = jax.jit(with_newcomers, compiler_options=compiling.once())


@functools.cache
def made(name: str, agents: int, **settings: Any) -> Any:
    return QuickTask(name, num_agents=agents, **settings)


def started(agents: int = 4, seed: int = 0, **settings: Any) -> Any:
    """A task and a start at the middle of its world, everybody heading east."""
    task = made("rendezvous", agents, **SINGLE | settings)
    state = task.initial(jax.random.key(seed))
    position, heading = np.full((agents, 2), 50.0, np.float32), np.zeros(agents, np.float32)
    middle = state.agents._replace(position=position, heading=heading)
    return task, state._replace(agents=middle)


def east(task: Any, state: Any, steps: int = 1) -> np.ndarray:
    """How far everybody has come after so many steps of full speed ahead; a control step takes 0.1 s."""
    before = np.asarray(state.agents.position)[:, 0]
    for _ in range(steps):
        state = task.advance(KEY, state, np.broadcast_to(AHEAD, (task.num_agents, 2))).state
    return np.asarray(state.agents.position)[:, 0] - before


def test_a_contrary_agent_goes_back_where_the_others_go_ahead() -> None:
    # Ten units per second for 0.1 s are one unit.
    assert sorted(east(*started(contrary_agents=1))) == pytest.approx([-1, 1, 1, 1], abs=1e-4)


def test_who_joins_is_not_stopped_because_somebody_in_its_slot_was() -> None:
    task, state = started(stop_rate=1.0, join_rate=1.0, agents=50)
    state = state._replace(age=np.int32(100), present=np.arange(50) < 10)  # ten seconds: all have stopped
    assert np.asarray(stands_still(task.task, state))[:10].all()
    joins = np.arange(50) >= 10
    after = newcomers(state._replace(present=np.ones(50, bool)), joins)
    assert stands_still(task.task, after).tolist() == [True] * 10 + [False] * 40
    later = np.asarray(stands_still(task.task, after._replace(age=np.int32(107))))  # 0.7 s: half of them
    assert 10 <= int(later[10:].sum()) <= 30
    assert not np.array_equal(later[10:], np.asarray(stands_still(task.task, state._replace(age=np.int32(7))))[10:])


def test_of_a_share_that_stops_newcomers_are_no_part() -> None:
    task, state = started(stop_share=1.0, stop_time=1.0, join_rate=1.0)
    state = newcomers(state._replace(age=np.int32(50)), np.arange(4) < 1)
    assert stands_still(task.task, state).tolist() == [False, True, True, True]


def test_a_contrary_agent_steers_as_it_should() -> None:
    # With its steering turned round too, one that steers by feedback would come to the same place, backwards.
    task, state = started(contrary_agents=4)
    after = task.advance(KEY, state, np.full((4, 2), 0.5, np.float32)).state.agents
    np.testing.assert_allclose(after.heading, 0.5 * 2 * np.pi * 0.1, rtol=1e-5)


def test_all_may_be_contrary_and_more_than_all_are_all() -> None:
    assert east(*started(contrary_agents=9)) == pytest.approx([-1] * 4, abs=1e-4)


def test_who_is_contrary_differs_between_episodes() -> None:
    assert len({int(np.argmin(east(*started(contrary_agents=1, seed=seed)))) for seed in range(20)}) == 4


def test_the_contrary_ones_are_among_those_who_are_there() -> None:
    for seed in range(10):
        task, state = started(contrary_agents=1, agents=6, sizes=(2,), seed=seed)
        assert (east(task, state)[np.asarray(state.present)] < 0).sum() == 1


def test_slower_agents_go_a_share_of_the_way_that_is_drawn_for_each() -> None:
    ways = np.concatenate([east(*started(speed_spread=0.6, seed=seed)) for seed in range(50)])
    assert ways.min() >= 0.4 - 1e-4 and ways.max() <= 1 + 1e-4
    # Uniform between 0.4 and 1: mean 0.7, deviation 0.6/√12 = 0.1732; five standard errors of 200 are 0.061.
    assert ways.mean() == pytest.approx(0.7, abs=0.061)
    assert ways.std() == pytest.approx(0.1732, abs=0.04)


def test_a_slower_double_integrator_reaches_its_own_top_speed_and_no_more() -> None:
    task, state = started(dynamics="double", speed_spread=1.0, max_acceleration=1e4)
    after = task.advance(KEY, state, np.broadcast_to(AHEAD, (4, 2))).state
    speed = np.asarray(after.agents.speed)
    assert (speed < 10).all() and len(set(speed.tolist())) == 4
    # At its top speed from the first sub-step on: v · 0.1 s.
    way = np.asarray(after.agents.position)[:, 0] - state.agents.position[:, 0]
    np.testing.assert_allclose(way, speed * 0.1, atol=1e-4)


def test_noise_in_actions_has_its_deviation_and_is_drawn_in_every_step() -> None:
    # Standing still is asked for; one unit of action is one unit of way. Three sigma stay within the largest action.
    task, state = started(agents=200, action_noise=0.3)
    ways = []
    for _ in range(5):
        after = task.advance(KEY, state, np.zeros((200, 2), np.float32)).state
        turned = (np.asarray(after.agents.heading) - state.agents.heading + np.pi) % (2 * np.pi) - np.pi
        ways.append(turned / (2 * np.pi * 0.1))
        state = after
    # Five standard errors of a deviation from 1000 draws: 5 · 0.3 / √2000 = 0.034.
    assert np.std(ways) == pytest.approx(0.3, abs=0.034)
    assert np.mean(ways) == pytest.approx(0, abs=0.048)
    assert abs(np.corrcoef(ways[0], ways[1])[0, 1]) < 0.36  # five standard errors of 200 pairs


def test_a_bias_is_the_same_in_every_step_and_differs_between_agents() -> None:
    task, state = started(action_bias=0.1)
    turns = []
    for _ in range(3):
        after = task.advance(KEY, state, np.zeros((4, 2), np.float32)).state
        turned = (np.asarray(after.agents.heading) - state.agents.heading + np.pi) % (2 * np.pi) - np.pi
        turns.append(turned)
        state = after
    np.testing.assert_allclose(turns[0], turns[1], atol=1e-5)
    np.testing.assert_allclose(turns[0], turns[2], atol=1e-5)
    assert len(np.unique(turns[0].round(6))) == 4


def test_noise_comes_on_top_of_what_the_largest_action_does() -> None:
    # A policy that asks for ten times the largest action must not drown the noise by that.
    task, state = started(agents=100, action_noise=0.5)
    ways = east(task, state)
    hundredfold = task.advance(KEY, state, 100.0 * np.broadcast_to(AHEAD, (100, 2))).state
    np.testing.assert_array_equal(ways, np.asarray(hundredfold.agents.position)[:, 0] - state.agents.position[:, 0])
    # Half of the draws brake; errors of the turn cost at most one part in fifty.
    assert 0.3 < (ways < 0.95).mean() < 0.7


def test_agents_stop_for_good_at_the_rate() -> None:
    # After 100 steps of 0.1 s at 0.05 per second exp(−0.5) = 0.607 still move; five standard errors of 400 are 0.122.
    task, state = started(agents=400, stop_rate=0.05)
    moving = lambda state: east(task, state) > 0.5  # noqa: E731
    late = state._replace(age=np.int32(100))
    assert moving(state).all()
    assert moving(late).mean() == pytest.approx(0.607, abs=0.122)
    assert not (moving(state._replace(age=np.int32(200))) & ~moving(late)).any()  # nobody who stopped goes on


def test_a_share_stops_at_the_given_time() -> None:
    task, state = started(agents=10, stop_share=0.3, stop_time=1.0)
    assert (east(task, state._replace(age=np.int32(9))) > 0.5).sum() == 10
    assert (east(task, state._replace(age=np.int32(10))) > 0.5).sum() == 7  # ten steps of 0.1 s


def test_agents_that_pause_stand_still_for_the_share_of_their_time_and_go_on() -> None:
    task, state = started(agents=50, pause_share=0.4, pause_seconds=0.5)
    state = jax.device_put(state)
    moves = jax.jit(
        lambda age: task.task.advance(KEY, state._replace(age=age), jnp.ones((50, 2))).state.agents.heading > 0
    )
    going = np.stack([np.asarray(moves(np.int32(age))) for age in range(200)])
    # 50 agents · 40 pieces of 5 steps: five standard errors of a share of 0.6 are 5 √(0.24/2000) = 0.055.
    assert going.mean() == pytest.approx(0.6, abs=0.055)
    # Within a piece nothing changes: at most one change per five steps, each with probability 2 · 0.4 · 0.6 = 0.48.
    assert (going[1:] != going[:-1]).mean() == pytest.approx(0.48 / 5, abs=0.02)
    assert going.any(axis=0).all() and not going.all(axis=0).all()


def test_one_that_stops_has_no_speed_left() -> None:
    task, state = started(dynamics="double", stop_share=1.0, stop_time=0.0)
    state = state._replace(
        agents=state.agents._replace(speed=np.full(4, 3.0, np.float32), turn_rate=np.full(4, 1.0, np.float32))
    )
    after = task.advance(KEY, state, np.ones((4, 2), np.float32)).state.agents
    np.testing.assert_array_equal(after.position, state.agents.position)
    np.testing.assert_array_equal(after.heading, state.agents.heading)
    assert not np.any(after.speed) and not np.any(after.turn_rate)


@pytest.mark.parametrize(("seen", "wanted"), [(True, 3), (False, 1)])
def test_one_that_stopped_is_still_seen_unless_it_is_told_otherwise(seen: bool, wanted: int) -> None:
    task, state = started(stop_share=0.5, stop_time=0.0, stopped_seen=seen)
    counts = np.asarray(task.observe(state).sets[0].mask).sum(axis=1)
    still = east(task, state) == 0
    assert still.sum() == 2
    # Of four agents two stopped: one that moves sees three others, or only the other one that moves.
    assert counts[~still].tolist() == [wanted, wanted]


def test_what_a_state_says_of_times_and_sight_takes_the_place_of_the_task() -> None:
    task, state = started(stop_share=0.5, stop_time=5.0)
    terms = {"stop_time": jnp.float32(0.0), "stopped_seen": jnp.array(False)}
    told = state._replace(disturbance=state.disturbance._replace(terms=terms))
    assert (east(task, state) == 0).sum() == 0
    still = east(task, told) == 0
    assert still.sum() == 2
    counts = np.asarray(task.observe(told).sets[0].mask).sum(axis=1)
    assert counts[~still].tolist() == [1, 1]  # as if the task had stopped_seen = false


def test_agents_known_by_other_numbers_meet_the_same_fate_elsewhere() -> None:
    task = made("pursuit", 4, stop_rate=0.5)
    state = task.initial(KEY)._replace(disturbance=None, age=np.int32(12))
    order = jnp.array([2, 0, 3, 1])
    usual, other = (begin(task.task, state, KEY, who) for who in (None, order))
    still = np.asarray(stands_still(task.task, usual))
    assert 0 < still.sum() < 4
    np.testing.assert_array_equal(stands_still(task.task, other), still[np.asarray(order)])


def test_moves_can_be_differentiated_by_action_and_by_strength() -> None:
    task, state = started(action_noise=0.1, action_bias=0.1, speed_spread=0.5)
    state = jax.device_put(state)

    @jax.jit
    def reached(action: Any, noise: Any) -> Any:
        disturbed = with_strengths(state, {"action_noise": noise})
        return task.task.transition(disturbed, action, KEY).agents.position[:, 0].sum()

    by_action, by_noise = jax.grad(reached, argnums=(0, 1))(jnp.full((4, 2), 0.1), jnp.float32(0.1))
    step = 1e-2
    rise = (reached(jnp.full((4, 2), 0.1), 0.1 + step) - reached(jnp.full((4, 2), 0.1), 0.1 - step)) / (2 * step)
    assert by_noise == pytest.approx(float(rise), rel=0.05, abs=0.02)
    # One unit of action is the agent's own top speed for 0.1 s: between a half and one unit of way.
    assert (by_action[:, 0] > 0.4).all() and (by_action[:, 0] <= 1.01).all()
