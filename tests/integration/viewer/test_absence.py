"""Empty slots change nothing: k agents among more slots do what a swarm of k does."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.controllers.base import Controller
from swarmbed.controllers.consensus import Consensus
from swarmbed.controllers.random import Random
from swarmbed.controllers.voronoi_pursuit import VoronoiPursuit
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.sim import graph, relations
from swarmbed.tasks import make
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.rendezvous import Rendezvous
from swarmbed.tasks.swarm import SwarmTask
from swarmbed.viewer import slots
from swarmbed.viewer.engine import NO_GRIP, Engine, respects_absence, slots_for
from toy_task import Drift
from untrained import random_policy

FEW, SLOTS = 4, 7
WHERE = np.array([5, 1, 6, 3])  # the slots in which the few agents are
CASES: dict[str, tuple[Task, Controller | None]] = {
    "consensus, everybody heard": (make("rendezvous"), Consensus()),
    "consensus, some heard": (make("rendezvous-local"), Consensus()),
    "rendezvous comm policy": (make("rendezvous-local", observation="comm"), None),
    "rendezvous comm policy, everybody heard": (make("rendezvous", observation="comm"), None),
    # Walls compile faster than the images of a torus; Voronoi pursuit and the extended set see to the torus.
    "pursuit basic policy": (make("pursuit-local", observation="basic", world="closed"), None),
    "pursuit extended policy": (make("pursuit", observation="extended"), None),
    "pursuit comm policy": (make("pursuit-local", observation="comm", world="closed"), None),
    "voronoi pursuit": (make("pursuit"), VoronoiPursuit()),
    "voronoi pursuit, some heard": (make("pursuit-local", world="closed", width=70.0), VoronoiPursuit()),
    "multi-pursuit policy": (make("multi_pursuit", num_evaders=2, world="closed"), None),
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
            Engine(alone_task, controller).next_moment(alone, key, *unheld),
            Engine(wide_task, controller).next_moment(wide, key, *unheld),
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
    task = make("rendezvous-local", observation="comm")
    policy = random_policy(task)
    alone, wide = scattered(task, seed=2)
    key = jax.random.key(0)

    def views(alone: State, wide: State) -> Any:
        few = Engine(replace(task, num_agents=FEW), policy).view_from(alone, key, jnp.array(0), jnp.array(2))
        many = Engine(replace(task, num_agents=SLOTS), policy).view_from(wide, key, jnp.array(0), jnp.array(6))
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
    """Goes for the middle of all slots, empty ones included."""

    def control(self, task: Task, state: State, key: Any) -> Any:
        middle = state.agents.position.mean(axis=0)
        return jnp.clip((middle - state.agents.position) / 100.0, -1.0, 1.0)


class Listener(Controller):
    """Counts whom it hears."""

    def control(self, task: Task, state: State, key: Any) -> Any:
        assert isinstance(task, SwarmTask)
        distance = relations.displacement(task.space, state.agents.position, state.agents.position).distance
        heard = graph.neighbours(distance, task.others(state, jnp.arange(task.num_agents)), task.comm_radius)
        return heard.sum(axis=1, keepdims=True) / jnp.array([10.0, 20.0])


@dataclass(frozen=True)
class Reborn(Rendezvous):
    """Forgets who is there: everybody is, from the first step on."""

    def transition(self, state: State, action: Any, key: Any) -> State:
        moved = super().transition(state, action, key)
        return moved._replace(present=jnp.ones_like(moved.present))


@dataclass(frozen=True)
class Tired(Drift):
    """A task without a world that remembers, for every agent and for every two, how long they have been at it."""

    def initial(self, key: Any) -> State:
        extra = {"age": jnp.zeros(self.num_agents), "pairs": jnp.zeros((self.num_agents, self.num_agents))}
        return super().initial(key)._replace(extra=extra)

    def transition(self, state: State, action: Any, key: Any) -> State:
        extra = jax.tree.map(lambda value: value + 1.0, state.extra)
        return super().transition(state, action, key)._replace(extra=extra)

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return jnp.where(state.present, next_state.extra["age"], 0.0).sum()

    def measure(self, state: State) -> Any:
        return {"offset": jnp.where(state.present, state.agents.position[:, 0], 0.0).sum()}


def test_a_plug_in_that_senses_empty_slots_is_found_out() -> None:
    assert not respects_absence(make("rendezvous-local"), Herd())


def test_a_plug_in_that_asks_who_is_there_may_have_empty_slots() -> None:
    assert respects_absence(make("rendezvous-local"), Listener())


def test_a_task_that_forgets_who_is_there_is_found_out() -> None:
    assert not respects_absence(Reborn(), Consensus())


def test_a_reward_that_counts_empty_slots_is_found_out() -> None:
    task = make("rendezvous").with_reward(lambda state, action, after: after.agents.position.sum())
    assert not respects_absence(task, Consensus())


def test_a_task_without_a_world_is_put_to_the_test_too() -> None:
    assert respects_absence(Tired(), Random())
    assert not respects_absence(Drift(), Random())  # its reward is a mean over all slots


def test_what_a_task_keeps_for_its_agents_comes_along() -> None:
    extra = {"age": np.array([1, 2, 3]), "pairs": np.array([[11, 12, 13], [21, 22, 23], [31, 32, 33]])}
    state = jax.device_get(Tired(num_agents=3).initial(jax.random.key(0)))._replace(extra=extra)
    axes = slots.axes_of(Tired(num_agents=3))
    few = slots.taken(state, axes, np.array([0, 2]))
    assert few.extra["age"].tolist() == [1, 3] and few.extra["pairs"].tolist() == [[11, 13], [31, 33]]
    wide = slots.moved_into(few, slots.empty(Tired(num_agents=4)), axes, np.array([3, 1]))
    assert wide.extra["age"].tolist() == [0, 3, 0, 1] and wide.present.tolist() == [False, True, False, True]
    assert wide.extra["pairs"].tolist() == [[0, 0, 0, 0], [0, 33, 0, 31], [0, 0, 0, 0], [0, 13, 0, 11]]


def test_a_policy_for_one_size_is_never_padded() -> None:
    task = make("rendezvous", num_agents=3)
    assert not respects_absence(task, random_policy(task, Concatenation(units=4)))
