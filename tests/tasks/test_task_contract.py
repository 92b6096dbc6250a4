"""What every task, algorithm and controller must do, whoever wrote it. Embeddings have theirs in tests/embeddings."""

from dataclasses import fields
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.sharding import PartitionSpec as P
from swarmbed.networks.network import Inputs, Layout, Network

from swarmbed.algorithms.base import Algorithm, Batch, PolicyParams, Update
from swarmbed.compute import devices
from swarmbed.controllers.base import Controller
from swarmbed.embeddings.moments import Moments
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import VARIANTS, make
from swarmbed.tasks.base import Task

AGENTS, SWARMS = 4, 3
VIEWERS = [2, 0]


def small(name: str, **settings: Any) -> Task:
    return make(name, num_agents=AGENTS, horizon=6, **settings)


def observation_sets(spec: type[Task]) -> list[dict[str, str]]:
    """One choice of settings per observation set, or none for a task that has no such choice."""
    has_choice = any(field.name == "observation" for field in fields(spec))
    return [{"observation": name} for name in spec.observation_sets] if has_choice else [{}]


TASKS = {name: small(name) for name in registry.tasks.all()}
SIGHTS = {
    f"{name}-{'-'.join(settings.values())}": small(name, **settings)
    for name, spec in registry.tasks.all().items()
    for settings in observation_sets(spec)
} | {name: small(name, observation="comm") for name, (_, preset) in VARIANTS.items() if "comm_radius" in preset}
every_task = pytest.mark.parametrize("name", TASKS)
every_sight = pytest.mark.parametrize("name", SIGHTS)


# Tasks: how they move.


def move(task: Task, key: Any) -> dict[str, Any]:
    start_key, action_key, move_key = jax.random.split(key, 3)
    state = task.initial(start_key)
    action = 2 * jax.random.normal(action_key, (AGENTS, task.action_size))
    after = task.transition(state, action, move_key)
    reward, terminated = task.reward(state, action, after), task.terminated(after)
    return {
        "state": state, "after": after, "reward": reward, "terminated": terminated, "metrics": task.metrics(after)
    }  # fmt: skip


def look(task: Task, key: Any) -> dict[str, Any]:
    state = task.initial(key)
    few = task.observe_from(state, jnp.array(VIEWERS), task.transmit(state))
    return {"everybody": task.observe(state), "few": few}


@pytest.fixture(scope="module")
def outcome(quick_jit: Any) -> Any:
    """``outcome(function, task)``: what it gives for three swarms side by side, in numpy, compiled once."""

    def run(function: Any, task: Task) -> Any:
        program = quick_jit(jax.vmap(lambda key: function(task, key)))
        return jax.tree.map(np.asarray, program(jax.random.split(jax.random.key(0), SWARMS)))

    return cache(run)


@every_task
def test_a_transition_keeps_the_shape_and_type_of_the_state(name: str, outcome: Any) -> None:
    found = outcome(move, TASKS[name])
    before, after = found["state"], found["after"]
    describe = lambda leaf: (leaf.shape, leaf.dtype)  # noqa: E731
    assert jax.tree.map(describe, after) == jax.tree.map(describe, before)
    assert before.agents.position.shape == (SWARMS, AGENTS, 2)
    assert before.agents.heading.shape == (SWARMS, AGENTS)


@every_task
def test_a_random_action_changes_the_state(name: str, outcome: Any) -> None:
    found = outcome(move, TASKS[name])
    assert np.abs(found["after"].agents.heading - found["state"].agents.heading).min() > 0


@every_task
def test_swarms_start_differently(name: str, outcome: Any) -> None:
    positions = outcome(move, TASKS[name])["state"].agents.position
    assert len(np.unique(positions.reshape(SWARMS, -1), axis=0)) == SWARMS


@every_task
def test_reward_end_and_metrics_are_one_number_per_swarm(name: str, outcome: Any) -> None:
    found = outcome(move, TASKS[name])
    assert found["reward"].shape == found["terminated"].shape == (SWARMS,)
    assert found["terminated"].dtype == bool
    assert all(metric.shape == (SWARMS,) for metric in found["metrics"].values())


@every_task
def test_every_number_of_a_step_is_a_finite_float32(name: str, outcome: Any) -> None:
    finite_float32(outcome(move, TASKS[name]))


# Tasks: what agents see.


@every_sight
def test_everybody_observes_what_the_task_says_it_does(name: str, outcome: Any) -> None:
    task, seen = SIGHTS[name], outcome(look, SIGHTS[name])["everybody"]
    columns, shape = task.column_names, task.observation_shape
    assert seen.local.shape == (SWARMS, AGENTS, len(columns.local)) == (SWARMS, *shape.local.shape)
    assert len(seen.sets) == len(columns.sets) == len(shape.sets)
    for one, names in zip(seen.sets, columns.sets, strict=True):
        assert one.elements.shape == (*one.mask.shape, len(names))
        assert one.mask.shape[:2] == (SWARMS, AGENTS)
        assert one.mask.dtype == bool


@every_sight
def test_nobody_is_in_its_own_set(name: str, outcome: Any) -> None:
    sets = outcome(look, SIGHTS[name])["everybody"].sets
    for one, includes_self in zip(sets, SIGHTS[name].self_in_sets, strict=False):
        if includes_self:
            assert not one.mask[:, np.arange(AGENTS), np.arange(AGENTS)].any()


@every_sight
def test_a_few_viewers_see_what_they_would_see_among_all(name: str, outcome: Any) -> None:
    found = outcome(look, SIGHTS[name])
    for few, everybody in zip(jax.tree.leaves(found["few"]), jax.tree.leaves(found["everybody"]), strict=True):
        np.testing.assert_allclose(few, everybody[:, VIEWERS], atol=1e-6)


@every_sight
def test_every_number_that_is_seen_is_a_finite_float32(name: str, outcome: Any) -> None:
    finite_float32(outcome(look, SIGHTS[name]))


def finite_float32(tree: Any) -> None:
    numbers = [leaf for leaf in jax.tree.leaves(tree) if leaf.dtype != bool]
    assert {leaf.dtype for leaf in numbers} == {np.dtype("float32")}
    assert all(np.isfinite(leaf).all() for leaf in numbers)


# Algorithms.


@pytest.mark.parametrize("name", registry.algorithms.all())
def test_an_update_reports_itself_and_keeps_shapes_types_and_finite_numbers(name: str, quick_jit: Any) -> None:
    algorithm: Algorithm = registry.algorithms.get(name)()
    network, generator = Network(Layout(2, ()), Moments(), (3,), 2), np.random.default_rng(0)
    draw = lambda *shape: np.asarray(generator.normal(size=shape), np.float32)  # noqa: E731
    weights = jax.tree.map(lambda leaf: draw(*leaf.shape), jax.eval_shape(network.init, jax.random.key(0)))
    params, inputs = PolicyParams(weights, jnp.array(draw(2))), Inputs(jnp.array(draw(16, 2)), ())

    def run(params: PolicyParams, inputs: Inputs, noise: Any, advantage: Any) -> tuple[Update, Any]:
        mean, memory = network.apply(params.network, inputs), algorithm.memory(params)
        batch = Batch(inputs, mean + jnp.exp(params.log_std) * noise, mean, advantage, advantage, advantage)
        return algorithm.update(network, params, memory, batch, jax.random.key(1)), memory

    program = quick_jit(jax.shard_map(run, mesh=devices.mesh(1), in_specs=P(), out_specs=P(), check_vma=False))
    update, memory = jax.tree.map(np.asarray, program(params, inputs, draw(16, 2), draw(16)))
    describe = lambda leaf: (leaf.shape, leaf.dtype)  # noqa: E731
    assert jax.tree.map(describe, update.params) == jax.tree.map(describe, params)
    assert jax.tree.map(describe, update.memory) == jax.tree.map(describe, memory)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(update))
    assert update.accepted == 1
    assert update.kl > 0
    assert update.surrogate > 0
    assert any(np.any(a != b) for a, b in zip(jax.tree.leaves(update.params), jax.tree.leaves(params), strict=True))


# Controllers.


def fits(controller: Controller, task: Task) -> bool:
    """Whether it runs the task; a controller that does not must say so in a sentence, not with another error."""
    try:
        controller.check(task)
    except SwarmbedError as error:
        assert len(str(error)) > 20
        return False
    return True


@pytest.mark.parametrize("name", registry.controllers.all())
def test_a_controller_gives_every_agent_a_finite_action_in_every_task_it_fits(name: str, quick_jit: Any) -> None:
    controller: Controller = registry.controllers.get(name)()
    tasks = [task for task in TASKS.values() if fits(controller, task)]
    assert tasks

    def act(key: Any) -> list[Any]:
        return [controller.act(task, task.initial(key), key) for task in tasks]

    for task, action in zip(tasks, quick_jit(jax.vmap(act))(jax.random.split(jax.random.key(0), SWARMS)), strict=True):
        assert action.shape == (SWARMS, AGENTS, task.action_size)
        assert np.isfinite(action).all()
        assert np.ptp(action) > 0
