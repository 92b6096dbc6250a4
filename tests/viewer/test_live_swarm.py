"""A swarm that lives: it starts like a recorded one, and agents come and go without disturbing the others."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest

from swarmbed.draw.recording import record
from swarmbed.evaluation.evaluate import evaluate
from swarmbed.policy.find import NamedController, find
from swarmbed.tasks import make
from swarmbed.tasks.base import State
from swarmbed.viewer.places import Newcomers, scatter, start
from swarmbed.viewer.swarm import LiveSwarm
from swarmbed.viewer.workshop import Workshop
from untrained import random_policy

TASK = make("rendezvous-local", num_agents=5)


@pytest.fixture
def swarm(workshop: Workshop) -> LiveSwarm:
    made = LiveSwarm(workshop, find("consensus"), TASK)
    made.restart(4, 5)
    return made


def positions(swarm: LiveSwarm) -> dict[int, tuple[float, ...]]:
    place = np.asarray(swarm.state.agents.position)
    return {int(number): tuple(place[slot]) for slot, number in enumerate(swarm.ids) if number >= 0}


def test_it_is_the_episode_that_render_records_and_an_evaluation_counts(swarm: LiveSwarm) -> None:
    recording = record(find("consensus"), TASK, seed=4, steps=3)
    counted = evaluate("consensus", replace(TASK, horizon=3), episodes=1, seed=4, progress=False)
    for step in range(4):
        shown = np.array(list(positions(swarm).values()))
        np.testing.assert_allclose(shown, recording.states.agents.position[step], atol=1e-4)
        assert int(swarm.state.age) == recording.states.age[step] == step
        for name, value in swarm.moment.metrics.items():
            np.testing.assert_allclose(value, recording.metrics[name][step], 1e-4)
            np.testing.assert_allclose(value, counted.metrics[name][0, step], 1e-4)
        if step < 3:
            swarm.advance()
    assert swarm.total_return == pytest.approx(counted.returns[0], rel=1e-5)


@pytest.mark.parametrize("name", ["rendezvous-global", "pursuit-local", "multi-pursuit"])
def test_the_first_of_many_starts_are_all_of_few(name: str) -> None:
    key, task = jax.random.key(2), make(name, num_agents=3)
    found, exact = start(task, key, 3), task.initial(key)
    for a, b in zip(jax.tree.leaves(found), jax.tree.leaves(exact), strict=True):
        np.testing.assert_array_equal(a, b)


def test_agents_that_stay_keep_number_and_place(swarm: LiveSwarm) -> None:
    before = positions(swarm)
    swarm.remove(np.array([1]))
    assert positions(swarm) == {number: place for number, place in before.items() if number != 1}


def test_newcomers_get_numbers_that_nobody_had(swarm: LiveSwarm) -> None:
    swarm.remove(np.array([4]))
    swarm.add(Newcomers(np.array([[10.0, 20.0]]), np.array([0.5])))
    assert list(positions(swarm)) == [0, 1, 2, 3, 5]
    assert positions(swarm)[5] == (10.0, 20.0)


def test_a_swarm_moves_to_more_slots_when_it_outgrows_its_own(swarm: LiveSwarm) -> None:
    before = positions(swarm)
    swarm.workshop.order(TASK, swarm.named.controller, 9).result()
    swarm.add(scatter(TASK, 4, (1,)))
    assert (swarm.engine.slots, swarm.count) == (16, 9)
    assert {number: positions(swarm)[number] for number in before} == before
    swarm.remove(swarm.newest(4))
    assert (swarm.engine.slots, positions(swarm)) == (8, before)


def test_the_metric_follows_a_change_at_once(swarm: LiveSwarm) -> None:
    swarm.remove(np.array([2, 3, 4]))
    (ax, ay), (bx, by) = positions(swarm).values()
    assert float(swarm.moment.metrics["mean_distance"]) == pytest.approx(np.hypot(ax - bx, ay - by), rel=1e-4)


def test_what_is_held_stays_where_it_is_held(workshop: Workshop) -> None:
    swarm = LiveSwarm(workshop, find("random"), make("pursuit"))
    swarm.restart(0, 6)
    swarm.hold_evader(0, (12.0, 34.0))
    swarm.advance()
    np.testing.assert_allclose(swarm.state.evaders, [[12.0, 34.0]])
    swarm.release()
    swarm.advance()
    # Free again, it flees by twice a pursuer's top speed times a tenth of a second: two units.
    (x, y) = np.asarray(swarm.state.evaders)[0]
    assert np.hypot(x - 12.0, y - 34.0) == pytest.approx(2.0, rel=1e-3)


def test_an_evader_dragged_onto_a_pursuer_is_caught(workshop: Workshop) -> None:
    swarm = LiveSwarm(workshop, find("random"), make("pursuit"))
    swarm.restart(0, 6)
    assert swarm.ended_at < 0
    x, y = positions(swarm)[0]
    swarm.hold_evader(0, (float(x), float(y)))
    assert swarm.ended_at == 0
    swarm.advance()
    assert swarm.step == 0  # after the end nothing moves any more


def test_an_agent_sees_its_neighbours_and_its_embedding(workshop: Workshop, quick_jit: Callable[..., Any]) -> None:
    task = make("rendezvous", num_agents=5)
    policy = random_policy(task)
    swarm = LiveSwarm(workshop, NamedController("untrained", policy), task)
    swarm.restart(0, 5)
    view = swarm.look(3)
    assert view is not None
    # The five are in the first five slots.
    alone = State(jax.tree.map(lambda leaf: leaf[:5], swarm.state.agents))
    observation = quick_jit(task.observe)(alone)
    np.testing.assert_allclose(view.observation.local[0], observation.local[3], atol=1e-5)
    assert int(view.observation.sets[0].mask.sum()) == 4
    mine = jax.tree.map(lambda leaf: np.asarray(leaf)[3:4], observation)
    expected = quick_jit(policy.model.embed)(policy.params.network, policy.model.prepare(mine))
    np.testing.assert_allclose(view.embeddings[0], expected[0], atol=1e-5)
    np.testing.assert_allclose(view.action, quick_jit(policy.mean)(mine)[0], atol=1e-5)
