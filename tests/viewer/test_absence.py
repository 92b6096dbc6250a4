"""Empty slots change nothing: k agents among more slots do what a swarm of k does."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from untrained import random_policy

from swarmbed.controllers.base import Controller
from swarmbed.controllers.consensus import Consensus
from swarmbed.controllers.voronoi_pursuit import VoronoiPursuit
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.sim import relations
from swarmbed.tasks import make_task
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.swarm import SwarmTask
from swarmbed.viewer.engine import NO_GRIP, Engine, can_be_padded, slots_for

FEW, SLOTS = 4, 7
WHERE = np.array([5, 1, 6, 3])  # the slots in which the few agents are
CASES: dict[str, tuple[Task, Controller | None]] = {
    "consensus, everybody heard": (make_task("rendezvous"), Consensus()),
    "consensus, some heard": (make_task("rendezvous-local"), Consensus()),
    "rendezvous comm policy": (make_task("rendezvous-local", observe="comm"), None),
    "rendezvous comm policy, everybody heard": (make_task("rendezvous", observe="comm"), None),
    # Walls compile faster than the images of a torus; Voronoi pursuit and the extended set see to the torus.
    "pursuit basic policy": (make_task("pursuit-local", observe="basic", world="closed"), None),
    "pursuit extended policy": (make_task("pursuit", observe="extended"), None),
    "pursuit comm policy": (make_task("pursuit-local", observe="comm", world="closed"), None),
    "voronoi pursuit": (make_task("pursuit"), VoronoiPursuit()),
    "voronoi pursuit, some heard": (make_task("pursuit-local", world="closed", width=70.0), VoronoiPursuit()),
    "multi-pursuit policy": (make_task("multi_pursuit", evaders=2, world="closed"), None),
}


def scattered(task: Task, seed: int) -> tuple[State, State]:
    """A few agents alone, and the same agents among slots that hold anything but them."""
    key, noise = jax.random.split(jax.random.key(seed))
    alone = replace(task, num_agents=FEW).initial(key)
    # Some turn and move already, and the first pursuer is close to the first evader.
    agents = alone.agents._replace(heading=alone.agents.heading + 0.3)
    if agents.speed is not None:
        agents = agents._replace(speed=jnp.array([3.0, -2.0, 0.5, 9.0]), turn_rate=jnp.array([0.1, 0.0, -1.0, 2.0]))
    if alone.evaders is not None:
        agents = agents._replace(position=agents.position.at[0].set(alone.evaders[0] + 2.5))
    alone = alone._replace(agents=agents)
    ghosts = replace(task, num_agents=SLOTS).initial(noise).agents
    wide = jax.tree.map(lambda many, few: many.at[WHERE].set(few), ghosts, agents)
    present = jnp.zeros(SLOTS, bool).at[WHERE].set(True)
    return alone, alone._replace(agents=wide, present=present)


@pytest.mark.parametrize("name", CASES)
def test_a_padded_swarm_acts_moves_and_scores_like_an_exact_one(name: str, quick_jit: Callable[..., Any]) -> None:
    task, controller = CASES[name]
    controller = controller or random_policy(task)
    key, alone_task, wide_task = jax.random.key(3), replace(task, num_agents=FEW), replace(task, num_agents=SLOTS)

    def both(alone: State, wide: State) -> Any:
        unheld = (jnp.array(2), NO_GRIP, jnp.array(True))
        return (
            Engine(alone_task, controller, False).next_moment(alone, key, *unheld),
            Engine(wide_task, controller, True).next_moment(wide, key, *unheld),
        )

    expected, found = quick_jit(both)(*scattered(task, seed=1))
    np.testing.assert_allclose(found.action[WHERE], expected.action, atol=1e-5)
    mine = jax.tree.map(lambda leaf: leaf[WHERE], found.state.agents)
    for exact, padded in zip(
        jax.tree.leaves((expected.state.agents, expected.state.evaders, expected.reward, expected.metrics)),
        jax.tree.leaves((mine, found.state.evaders, found.reward, found.metrics)),
        strict=True,
    ):
        np.testing.assert_allclose(padded, exact, rtol=1e-5, atol=1e-4)
    assert bool(found.terminated) == bool(expected.terminated)
    assert np.array_equal(found.state.present, np.isin(np.arange(SLOTS), WHERE))


def test_an_agent_among_empty_slots_sees_the_same_set(quick_jit: Callable[..., Any]) -> None:
    task = make_task("rendezvous-local", observe="comm")
    policy = random_policy(task)
    alone, wide = scattered(task, seed=2)
    key = jax.random.key(0)

    def views(alone: State, wide: State) -> Any:
        few = Engine(replace(task, num_agents=FEW), policy, False).view_from(alone, key, jnp.array(0), jnp.array(2))
        many = Engine(replace(task, num_agents=SLOTS), policy, True).view_from(wide, key, jnp.array(0), jnp.array(6))
        return few, many

    few, many = quick_jit(views)(alone, wide)  # agent 2 is in slot 6
    np.testing.assert_allclose(many.observation.local, few.observation.local, atol=1e-6)
    seen = few.observation.sets[0]
    assert not many.observation.sets[0].mask[0, [0, 2, 4]].any()  # the slots that hold nobody
    np.testing.assert_array_equal(many.observation.sets[0].mask[:, WHERE], seen.mask)
    np.testing.assert_allclose(many.observation.sets[0].elements[:, WHERE], seen.elements, atol=1e-6)
    np.testing.assert_allclose(many.embeddings[0], few.embeddings[0], atol=1e-6)


def test_buckets_hold_what_they_are_asked_for() -> None:
    assert [slots_for(count) for count in (2, 8, 9, 20, 64, 65, 500)] == [8, 8, 16, 32, 64, 128, 512]


class Herd(Controller):
    """Goes for the middle of all slots, whoever is in them."""

    def act(self, task: Task, state: State, key: Any) -> Any:
        middle = state.agents.position.mean(axis=0)
        return jnp.clip((middle - state.agents.position) / 100.0, -1.0, 1.0)


class Listener(Controller):
    """Counts whom it hears."""

    def act(self, task: Task, state: State, key: Any) -> Any:
        assert isinstance(task, SwarmTask)
        distance = relations.displacement(task.space, state.agents.position, state.agents.position).distance
        heard = (distance <= (jnp.inf if task.comm_radius is None else task.comm_radius)).sum(axis=1)
        return jnp.stack([heard / 10.0, heard / 20.0], -1)


def test_a_plug_in_that_senses_empty_slots_is_found_out() -> None:
    assert not can_be_padded(make_task("rendezvous-local"), Herd())


def test_a_plug_in_that_asks_who_is_heard_may_be_padded() -> None:
    assert can_be_padded(make_task("rendezvous-local"), Listener())


def test_a_policy_for_one_size_is_never_padded() -> None:
    task = make_task("rendezvous", agents=3)
    assert not can_be_padded(task, random_policy(task, Concatenation(units=4)))
