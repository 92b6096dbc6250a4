"""Noise in what is measured, blind sectors, wrong headings; messages that are lost or late."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from quick_task import QuickTask
from swarmbed.compute import compiling
from swarmbed.controllers.consensus import Consensus
from swarmbed.controllers.voronoi_pursuit import VoronoiPursuit
from swarmbed.sim.unicycle import Agents
from swarmbed.tasks.disturbances.state import with_strengths

KEY = jax.random.key(0)


@functools.cache
def made(name: str, **settings: Any) -> Any:
    return QuickTask(name, **settings)


def at(task: Any, position: Any, heading: Any = 0.0, seed: int = 0) -> Any:
    """A start of the task with its agents moved to these places."""
    state = task.initial(jax.random.key(seed))
    position = np.asarray(position, np.float32)
    heading = np.broadcast_to(np.float32(heading), len(position))
    return state._replace(agents=state.agents._replace(position=position, heading=heading))


def act(controller: Any, task: Any, state: Any) -> Any:
    run = jax.jit(lambda state: controller.control(task.task, state, KEY), compiler_options=compiling.once())
    return run(state)


def ring(count: int, radius: float = 10.0) -> np.ndarray:
    """The first agent in the middle, the others around it at equal angles, beginning in the east."""
    angle = 2 * np.pi * np.arange(count - 1) / (count - 1)
    around = np.stack([np.cos(angle), np.sin(angle)], -1) * radius
    return np.concatenate([[[0.0, 0.0]], around]) + 50.0


def columns(task: Any, state: Any) -> dict[str, np.ndarray]:
    """What the first agent senses of the others, by the name of the column."""
    names, seen = task.column_names.sets[0], task.observe(state).sets[0]
    return {name: np.asarray(seen.elements)[0, 1:, i] for i, name in enumerate(names)}


def angle(columns: dict[str, np.ndarray], name: str = "bearing") -> np.ndarray:
    return np.arctan2(columns[f"{name} sin"], columns[f"{name} cos"])


def test_noise_in_distances_has_its_deviation_in_units_and_leaves_bearings_alone() -> None:
    task: Any = made("pursuit", num_agents=401, distance_noise=2.0)
    found, plain = (columns(t, at(t, ring(401))) for t in (task, made("pursuit", num_agents=401)))
    error = (found["distance"] - plain["distance"]) * task.comm_range
    # 400 draws: five standard errors are 0.5 of the mean and 0.35 of the deviation.
    assert error.mean() == pytest.approx(0, abs=0.5) and error.std() == pytest.approx(2, abs=0.35)
    np.testing.assert_array_equal(found["bearing cos"], plain["bearing cos"])


def test_no_distance_is_below_zero() -> None:
    task: Any = made("pursuit", num_agents=41, distance_noise=50.0)
    distance = columns(task, at(task, ring(41)))["distance"]
    assert distance.min() == 0 and (distance > 0).any()


def test_noise_in_bearings_turns_what_is_seen_by_its_deviation() -> None:
    task: Any = made("pursuit", num_agents=401, bearing_noise=0.2)
    found, plain = (columns(t, at(t, ring(401))) for t in (task, made("pursuit", num_agents=401)))
    error = (angle(found) - angle(plain) + np.pi) % (2 * np.pi) - np.pi
    assert error.mean() == pytest.approx(0, abs=0.05) and error.std() == pytest.approx(0.2, abs=0.035)
    np.testing.assert_allclose(found["bearing cos"] ** 2 + found["bearing sin"] ** 2, 1, atol=1e-5)
    np.testing.assert_array_equal(found["distance"], plain["distance"])
    # One measurement per pair: the orientation is computed from the same wrong direction.
    shifted = (angle(found, "orientation") - angle(plain, "orientation") + np.pi) % (2 * np.pi) - np.pi
    np.testing.assert_allclose(shifted, error, atol=1e-4)


def test_noise_is_drawn_anew_in_every_step_and_is_the_same_when_a_state_is_looked_at_again() -> None:
    task: Any = made("pursuit", num_agents=5, distance_noise=2.0)
    state = at(task, ring(5))
    one, again = columns(task, state)["distance"], columns(task, state)["distance"]
    later = columns(task, state._replace(age=np.int32(1)))["distance"]
    np.testing.assert_array_equal(one, again)
    assert (one != later).all()


def test_evaders_are_measured_with_noise_too() -> None:
    task: Any = made("multi-pursuit", num_agents=2, num_evaders=200, distance_noise=1.0)
    plain: Any = made("multi-pursuit", num_agents=2, num_evaders=200)
    state = task.initial(KEY)
    found, true = (np.asarray(t.observe(state._replace(disturbance=d)).sets[1].elements)[..., 0] * t.sight_range
                   for t, d in ((task, state.disturbance), (plain, None)))  # fmt: skip
    assert float((found - true).std()) == pytest.approx(1, abs=0.18)  # five standard errors of 400


@pytest.mark.parametrize("width", [0.5, 1.5, 3.0, 6.0])
def test_a_blind_sector_hides_its_share_of_a_ring_in_one_piece(width: float) -> None:
    task = made("pursuit", num_agents=361, blind_angle=(0.0, 6.0))
    state = with_strengths(at(task, ring(361)), {"blind_angle": width})
    hidden = ~np.asarray(task.observe(state).sets[0].mask)[0, 1:]
    assert hidden.sum() == pytest.approx(width / (2 * np.pi) * 360, abs=1)
    assert (hidden != np.roll(hidden, 1)).sum() == 2  # it begins once and ends once


def test_a_blind_sector_turns_with_the_agent_and_hides_the_evader() -> None:
    task: Any = made("pursuit", num_agents=1, blind_angle=np.pi)
    state = jax.device_put(at(task, [[50.0, 50.0]])._replace(evaders=np.array([[60.0, 50.0]], np.float32)))
    sees = jax.jit(
        jax.vmap(
            lambda heading: task.perceive_evaders(
                state._replace(agents=state.agents._replace(heading=heading[None])), jnp.array([0])
            )[1][0, 0]
        )
    )
    assert float(sees(jnp.linspace(0, 2 * np.pi, 200, endpoint=False)).mean()) == pytest.approx(0.5, abs=0.01)


def test_one_on_the_very_spot_is_in_no_sector() -> None:
    task: Any = made("rendezvous", num_agents=2, blind_angle=2 * np.pi)
    assert task.observe(at(task, [[5.0, 5.0], [5.0, 5.0]])).sets[0].mask.tolist() == [[False, True], [True, False]]


def test_a_wrong_heading_turns_bearings_walls_and_what_is_told_about_oneself() -> None:
    task: Any = made("rendezvous", num_agents=2, heading_error=0.3)
    plain: Any = made("rendezvous", num_agents=2)
    state = at(task, [[20.0, 50.0], [30.0, 50.0]], [0.4, 1.0])
    error = np.asarray(task.believed_heading(state)) - state.agents.heading
    assert (error != 0).all()
    found, true = columns(task, state), columns(plain, state._replace(disturbance=None))
    # Bearing = direction − own heading, orientation = direction back − the other's heading.
    assert angle(found)[0] == pytest.approx(angle(true)[0] - error[0], abs=1e-5)
    assert angle(found, "orientation")[0] == pytest.approx(angle(true, "orientation")[0] - error[1], abs=1e-5)
    walls = [np.asarray(t.observe(s).local)[0] for t, s in ((task, state), (plain, state._replace(disturbance=None)))]
    first, second = (np.arctan2(wall[2], wall[1]) for wall in walls)
    assert (first - second + error[0] + np.pi) % (2 * np.pi) == pytest.approx(np.pi, abs=1e-5)


def test_messages_are_lost_at_their_share_per_link_and_step() -> None:
    task: Any = made("rendezvous", num_agents=30, message_loss=0.3)
    state = task.initial(KEY)
    masks = np.stack([np.asarray(task.observe(state._replace(age=np.int32(age))).sets[0].mask) for age in range(4)])
    links = ~np.eye(30, dtype=bool)
    # 3480 links: five standard errors of 0.7 are 0.039.
    assert masks[:, links].mean() == pytest.approx(0.7, abs=0.039)
    assert not masks[:, ~links].any()
    # Links are independent, of each other's direction and in time: both heard with 0.49, five standard errors 0.085.
    assert (masks[0] & masks[0].T)[links].mean() == pytest.approx(0.49, abs=0.085)
    assert (masks[0] & masks[1])[links].mean() == pytest.approx(0.49, abs=0.085)


def test_a_lost_message_is_an_absent_element_of_zeros() -> None:
    task: Any = made("rendezvous-local", num_agents=4, message_loss=1.0, observation="comm")
    seen = task.observe(at(task, ring(4)))
    assert not np.any(seen.sets[0].mask) and not np.any(seen.sets[0].elements)
    assert not np.asarray(seen.local)[:, -1].any()  # the number of neighbours counts those that were heard


def test_paths_to_the_evader_lead_over_messages_that_arrive() -> None:
    task: Any = made("pursuit-local", num_agents=2, observation="comm", message_loss=0.5)
    state = at(task, [[10.0, 50.0], [40.0, 50.0]])._replace(evaders=np.array([[50.0, 50.0]], np.float32))
    # The second sees the evader 10 away; the first is 30 from the second: 40 if it hears it, no path otherwise.
    paths = {float(task.path_to_evader(state._replace(age=np.int32(age)))[0]) for age in range(20)}
    assert paths == {40.0, np.inf}


def test_a_late_message_tells_where_the_other_was() -> None:
    task: Any = made("pursuit", num_agents=2, message_delay=2)
    state = at(task, [[50.0, 50.0], [20.0, 50.0]])
    told = []
    action = np.array(
        [[0.0, 0.0], [1.0, 0.0]], np.float32
    )  # one stands still, the other comes one unit closer in every step
    state = state._replace(disturbance=task.initial(KEY).disturbance)
    past = state.disturbance.past
    start = jax.tree.map(lambda leaf, old: np.broadcast_to(leaf, old.shape), state.agents, past.agents)
    state = state._replace(disturbance=state.disturbance._replace(past=past._replace(agents=start)))
    for _ in range(6):
        told.append(round(float(columns(task, state)["distance"][0] * task.comm_range), 3))
        state = task.advance(KEY, state, action).state
    assert told == [30, 30, 30, 29, 28, 27]  # true distances are 30, 29, 28, 27, 26, 25


def test_a_late_number_is_the_one_that_was_transmitted_then_and_ones_own_is_todays() -> None:
    task: Any = made("rendezvous-local", num_agents=2, message_delay=1, observation="comm", max_speed=100.0)
    state = at(task, [[30.0, 50.0], [75.0, 50.0]], [0.0, np.pi])  # 45 apart: no neighbours within 40
    past = state.disturbance.past
    past = past._replace(
        agents=jax.tree.map(lambda leaf: np.asarray(leaf)[None], state.agents),
        transmitted=np.zeros_like(past.transmitted),
    )
    state = state._replace(disturbance=state.disturbance._replace(past=past))
    state = task.advance(KEY, state, np.array([[1.0, 0.0], [0.0, 0.0]], np.float32)).state  # ten units closer: 35 apart
    seen = task.observe(state)
    names = task.column_names.sets[0]
    assert seen.sets[0].mask.tolist() == [[False, True], [False, False]]  # the first hears where the second was: 35
    assert float(seen.sets[0].elements[0, 1, names.index("transmitted")]) == 0.0
    state = task.advance(KEY, state, np.zeros((2, 2), np.float32)).state
    seen = task.observe(state)
    assert seen.sets[0].mask.tolist() == [[False, True], [True, False]]
    assert float(seen.local[0, -1]) == 1.0


def test_a_delay_of_no_steps_tells_what_is() -> None:
    task: Any = made("rendezvous", num_agents=3, message_delay=(0, 4))
    plain: Any = made("rendezvous", num_agents=3)
    state = with_strengths(task.initial(KEY), {"message_delay": 0})
    for _ in range(3):
        state = task.advance(KEY, state, np.ones((3, 2), np.float32)).state
    np.testing.assert_array_equal(
        task.observe(state).sets[0].elements, plain.observe(state._replace(disturbance=None)).sets[0].elements
    )


def test_consensus_hears_nothing_when_all_messages_are_lost() -> None:
    task: Any = made("rendezvous-local", num_agents=3, message_loss=1.0)
    state = at(task, [[30.0, 50.0], [40.0, 50.0], [50.0, 60.0]])
    np.testing.assert_array_equal(act(Consensus(), task, state), np.zeros((3, 2)))


def test_consensus_steers_by_the_heading_it_believes_in() -> None:
    task: Any = made("rendezvous-local", num_agents=2, heading_error=0.2)
    state = at(task, [[30.0, 50.0], [40.0, 50.0]], [0.0, np.pi])
    error = np.asarray(task.believed_heading(state)) - state.agents.heading
    turn = np.asarray(act(Consensus(), task, state))[:, 1] * task.max_turn_rate
    np.testing.assert_allclose(turn, -7.65 * error, rtol=1e-4)  # ω = K₂ (φ_d − φ), and φ_d is straight ahead


def test_voronoi_pursuit_goes_straight_on_when_it_is_blind() -> None:
    task: Any = made("pursuit", num_agents=2, blind_angle=2 * np.pi)
    state = at(task, [[30.0, 50.0], [60.0, 20.0]], 1.0)._replace(evaders=np.array([[35.0, 60.0]], np.float32))
    np.testing.assert_allclose(act(VoronoiPursuit(), task, state), [[1, 0], [1, 0]], atol=1e-5)


def test_voronoi_pursuit_with_exact_senses_does_what_it_does_undisturbed() -> None:
    task: Any = made("pursuit-local", num_agents=6, distance_noise=(0.0, 1.0), message_loss=(0.0, 1.0))
    plain: Any = made("pursuit-local", num_agents=6)
    state = with_strengths(task.initial(KEY), {"distance_noise": 0.0, "message_loss": 0.0})
    one = act(VoronoiPursuit(), task, state)
    other = act(VoronoiPursuit(), plain, state._replace(disturbance=None))
    np.testing.assert_allclose(one, other, atol=1e-3)


def test_an_absent_agent_stays_absent_under_every_sense_that_errs() -> None:
    task: Any = made("rendezvous", num_agents=4, sizes=(2,), message_delay=1, bearing_noise=1.0, blind_angle=1e-3)
    state = task.initial(KEY)
    garbage = Agents(
        *(jnp.where((jnp.arange(4) < 2).reshape((-1,) + (1,) * (x.ndim - 1)), x, jnp.nan) for x in state.agents)
    )
    seen = task.observe(state._replace(agents=garbage))
    assert not seen.sets[0].mask[:, 2:].any() and np.isfinite(seen.sets[0].elements[:2]).all()
