"""An absent agent's action, observation and stored numbers never matter: to tasks, controllers, policies and critics.

Scenes have five places, of which one to five are taken. Whatever the empty ones hold, nothing changes for those who are
there, and three agents among five places do what three agents do.
"""

from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.controllers.base import Controller
from swarmbed.embeddings.base import Embedding
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.embeddings.histogram import Histogram
from swarmbed.embeddings.moments import Moments
from swarmbed.embeddings.neural import Neural
from swarmbed.embeddings.rbf import Rbf
from swarmbed.learn.learner import Learner
from swarmbed.networks.perceptron import Perceptron
from swarmbed.policy.find import fits
from swarmbed.policy.policy import Policy
from swarmbed.sim.unicycle import Agents
from swarmbed.spec import registry
from swarmbed.tasks import make
from swarmbed.tasks.base import Observation, ObservedSet, State, Task

PLACES, SCENES = 5, 24
THREE = np.array([False, True, True, False, True])  # who is there in every second scene
GARBAGE = (np.nan, 1e6, -1e6)
LOCAL: dict[str, Any] = {"comm_radius": 40, "width": 75, "height": 45}
TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "rendezvous": ("rendezvous", {"observation": "comm", **LOCAL}),
    "pursuit": ("pursuit", {"observation": "comm", "sight_radius": 25, **LOCAL}),
    "multi_pursuit": ("multi_pursuit", {"num_evaders": 2, "capture_radius": 8, **LOCAL}),
}
EMBEDDINGS: dict[str, Embedding] = {
    **{f"neural {pooling}": Neural(pooling, (4,)) for pooling in ("mean", "softmax", "max")},
    "histogram": Histogram(bins=3),
    "rbf": Rbf(centres=3),
    "moments": Moments(),
}
CONTROLLERS: dict[str, Controller] = {name: spec() for name, spec in registry.controllers.all().items()}
FITTING = [("rendezvous", "consensus"), ("pursuit", "voronoi_pursuit"), ("multi_pursuit", "voronoi_pursuit")]
FITTING += [(task, "random") for task in TASKS]
each_task = pytest.mark.parametrize("name", TASKS)


def scenes(name: str) -> tuple[State, Any]:
    """Random scenes and actions; those of odd number have three agents, the others one to five."""
    random = np.random.default_rng(0)

    def numbers(low: Any, high: Any, *shape: int) -> Any:
        return random.uniform(low, high, (SCENES, *shape)).astype(np.float32)

    present: Any = np.arange(PLACES)[None] < random.integers(1, PLACES + 1, SCENES)[:, None]
    present = random.permuted(present, axis=1)
    present[1::2] = THREE
    position, heading = numbers(0, [75, 45], PLACES, 2), numbers(0, 6, PLACES)
    velocities = (numbers(-10, 10, PLACES), numbers(-3, 3, PLACES)) if name == "rendezvous" else ()
    evaders = None if name == "rendezvous" else numbers(0, [75, 45], 1 if name == "pursuit" else 2, 2)
    state = State(Agents(position, heading, *velocities), evaders, present, np.zeros(SCENES, np.int32))
    return state, numbers(-1, 1, PLACES, 2)


def littered(rows: Any, present: Any, garbage: Any) -> Any:
    return jax.tree.map(lambda leaf: jnp.where(present.reshape(-1, *[1] * (leaf.ndim - 1)), leaf, garbage), rows)


def littered_observation(seen: Observation, present: Any, garbage: Any) -> Observation:
    """Garbage in all that absent agents see, and in the elements that are not there for the others."""
    sets = [ObservedSet(jnp.where(one.mask[..., None], one.elements, garbage), one.mask) for one in seen.sets]
    sets = [one._replace(elements=littered(one.elements, present, garbage)) for one in sets]
    return Observation(littered(seen.local, present, garbage), tuple(sets))


def random_like(shapes: Any) -> Any:
    """Random numbers for every parameter, biases included."""
    random = np.random.default_rng(1)
    return jax.tree.map(lambda leaf: random.normal(size=leaf.shape).astype(np.float32), shapes)


def act_and_judge(task: Task, embedding: Embedding, seen: Observation) -> tuple[Any, Any]:
    """The actions of an untrained policy, and what an untrained critic expects."""
    learner = Learner(task, embedding, network=Perceptron(hidden=(4,)))
    shapes = jax.eval_shape(learner.init, jax.random.key(0))
    policy = Policy(task, embedding, random_like(shapes.policy), learner.network)
    return policy(seen), learner.value.predict(random_like(shapes.critic), learner.value.model.prepare(seen))


def everything(task: Task, state: State, action: Any, garbage: Any) -> dict[str, Any]:
    """All that follows from a state and an action, once garbage stands in the place of absent agents."""
    key, present = jax.random.key(7), state.present
    state = state._replace(agents=littered(state.agents, present, garbage))
    action = littered(action, present, garbage)
    found = judged(task, state, action)
    dirty = littered_observation(found["seen"], present, garbage)
    return {
        **found,
        "moved": task.advance(key, state, action),
        "looked": task.observe_from(state, jnp.arange(task.num_agents), task.transmit(state)),
        "control": {n: c.control(task, state, key) for n, c in CONTROLLERS.items() if fits(c, task)},
        "learned": {name: act_and_judge(task, embedding, dirty) for name, embedding in EMBEDDINGS.items()},
    }


@pytest.fixture(scope="module")
def outcomes(quick_jit: Any) -> Any:
    """``outcomes(name)``: what follows in all scenes, with zeros and then with each garbage in the empty places."""

    @cache
    def run(name: str) -> list[Any]:
        kind, settings = TASKS[name]
        task = make(kind, num_agents=PLACES, **settings)
        program = quick_jit(jax.vmap(lambda s, a, g: everything(task, s, a, g), (0, 0, None)))
        return [jax.tree.map(np.asarray, program(*scenes(name), np.float32(g))) for g in (0.0, *GARBAGE)]

    return run


@pytest.fixture(scope="module")
def small(quick_jit: Any) -> Any:
    """``small(name)``: what agents see and earn in the scenes with three of them, for a swarm of three places.

    How they move is checked by the contract, on every task; here it would take long to compile.
    """

    @cache
    def run(name: str) -> Any:
        kind, settings = TASKS[name]
        task = make(kind, num_agents=3, **settings)
        state, action = jax.tree.map(lambda leaf: leaf[1::2], scenes(name))
        few = state._replace(agents=only_three(state.agents), present=np.ones((len(action), 3), bool))
        program = quick_jit(jax.vmap(lambda s, a: judged(task, s, a)))
        return jax.tree.map(np.asarray, program(few, only_three(action)))

    return run


def judged(task: Task, state: State, action: Any) -> dict[str, Any]:
    earned = task.reward(state, action, state), task.terminated(state)
    return {"seen": task.observe(state), "earned": earned, "measured": task.measure(state)}


def only_three(rows: Any) -> Any:
    return jax.tree.map(lambda leaf: leaf[:, THREE], rows)


def of_present(name: str, rows: Any) -> Any:
    """Rows of agents that are there, all scenes one after the other."""
    present = scenes(name)[0].present
    return jax.tree.map(lambda leaf: leaf[present], rows)


def assert_same(found: Any, wanted: Any) -> None:
    """Exactly: it is one program, and what it may look at is the same."""
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_array_equal(one, other)


def assert_near(found: Any, wanted: Any) -> None:
    for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-4)


def assert_finite(tree: Any) -> None:
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(tree))


@each_task
def test_reward_end_metrics_and_evaders_ignore_what_absent_agents_hold_and_do(name: str, outcomes: Any) -> None:
    clean, *dirty = outcomes(name)
    parts = ("earned", "measured")
    shared = lambda f: (f["moved"][1:], f["moved"].state._replace(agents=None), *(f[part] for part in parts))  # noqa: E731
    assert_finite(shared(clean))
    assert np.ptp(clean["moved"].reward) > 0
    for found in dirty:
        assert_same(shared(found), shared(clean))


@each_task
def test_agents_that_are_there_move_and_see_as_if_absent_ones_held_nothing(name: str, outcomes: Any) -> None:
    clean, *dirty = outcomes(name)
    own = lambda found: of_present(name, (found["moved"].state.agents, found["seen"], found["looked"]))  # noqa: E731
    assert_finite(own(clean))
    for found in dirty:
        assert_same(own(found), own(clean))


@each_task
def test_nobody_sees_an_absent_agent_and_who_is_absent_stays_absent(name: str, outcomes: Any) -> None:
    present = scenes(name)[0].present
    for found in outcomes(name):
        assert not found["seen"].sets[0].mask[np.broadcast_to(~present[:, None], (SCENES, PLACES, PLACES))].any()
        np.testing.assert_array_equal(found["moved"].state.present, present)


@pytest.mark.parametrize(("name", "controller"), FITTING)
def test_controllers_ignore_absent_agents(name: str, controller: str, outcomes: Any) -> None:
    clean, *dirty = (of_present(name, found["control"][controller]) for found in outcomes(name))
    assert_finite(clean)
    assert np.ptp(clean) > 0
    for found in dirty:
        assert_same(found, clean)


def test_every_controller_was_tried_on_every_task_that_it_fits(outcomes: Any) -> None:
    assert {(name, controller) for name in TASKS for controller in outcomes(name)[0]["control"]} == set(FITTING)


@each_task
@pytest.mark.parametrize("embedding", EMBEDDINGS)
def test_policies_and_critics_ignore_absent_agents(name: str, embedding: str, outcomes: Any) -> None:
    clean, *dirty = (of_present(name, found["learned"][embedding]) for found in outcomes(name))
    assert_finite(clean)
    assert min(np.ptp(leaf) for leaf in clean) > 0
    for found in dirty:
        assert_same(found, clean)


def test_every_embedding_was_tried() -> None:
    tried = {type(embedding) for embedding in EMBEDDINGS.values()}
    assert tried | {Concatenation} == set(registry.embeddings.all().values())  # it refuses tasks such as these


@each_task
def test_three_agents_among_five_places_see_and_earn_what_three_agents_do(name: str, outcomes: Any, small: Any) -> None:
    five, three = jax.tree.map(lambda leaf: leaf[1::2], outcomes(name)[1]), small(name)
    assert_near(five["earned"], three["earned"])
    assert_near(five["measured"], three["measured"])
    assert_near(only_three(five["seen"].local), three["seen"].local)
    for index, (one, other) in enumerate(zip(five["seen"].sets, three["seen"].sets, strict=True)):
        slots = THREE if index == 0 else slice(None)
        np.testing.assert_array_equal(only_three(one.mask)[:, :, slots], other.mask)
        assert_near(only_three(one.elements)[:, :, slots], other.elements)
