"""Short lives of small swarms under every disturbance, for tests of what holds for all of them."""

import functools
from typing import Any

import jax
import numpy as np

import swarmbed
from swarmbed.compute import compiling
from swarmbed.tasks.disturbances.settings import KINDS
from swarmbed.tasks.disturbances.state import with_strengths

KEY = jax.random.key(0)
ALL = {kind.name: (0, 3) if kind.is_count else (0.0, min(kind.sweep[-1], 1.0)) for kind in KINDS}
STRONG = {
    "stop_rate": 3.0, "stop_share": 0.5, "pause_share": 0.5, "message_loss": 0.3, "message_delay": 2,
    "distance_noise": 1.0, "bearing_noise": 0.2, "blind_angle": 3.0, "action_noise": 0.2, "action_bias": 0.1,
    "speed_spread": 0.5, "heading_error": 0.2, "contrary_agents": 1,
}  # fmt: skip
STEPS = 5


def made(name: str, **settings: Any) -> Any:
    senses = {} if name == "multi-pursuit" else {"observation": "comm"}
    return swarmbed.make(name, num_agents=4, **senses, **settings)


@functools.cache
def disturbed(name: str) -> Any:
    """The task with everything on; which strengths an episode has is in its state."""
    return made(name, **ALL, stop_time=0.2, pause_seconds=0.2, stopped_seen=False)


# Fused, the compiler rounds one program differently from another; operation by operation it has nothing to choose.
exactly = functools.partial(jax.jit, compiler_options={**compiling.once(), "xla_disable_hlo_passes": "fusion"})


@functools.cache
def begun(task: Any) -> Any:
    return exactly(task.initial)(KEY)


@functools.cache
def lived(task: Any) -> Any:
    """A function of a state and actions: what everybody sees on the way, the rewards, where everybody is."""

    def step(state: Any, now: Any) -> Any:
        after = task.advance(now[0], state, now[1])
        return after.state, (task.observe(after.state), after.reward, after.state.agents, after.state.evaders)

    def life(state: Any, actions: Any) -> Any:
        return jax.lax.scan(step, state, (jax.random.split(KEY, STEPS), actions))[1]

    return exactly(life)


ACTIONS = jax.random.uniform(KEY, (STEPS, 4, 2), minval=-1.0)


def with_only(name: str, **strengths: float) -> Any:
    """A start at these strengths, all others being 0."""
    return with_strengths(begun(disturbed(name)), {**dict.fromkeys(ALL, 0), **strengths})


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))


def permuted(state: Any, order: np.ndarray) -> Any:
    """The same swarm with its agents numbered in another order."""
    rows = lambda tree: jax.tree.map(lambda leaf: leaf[order], tree)  # noqa: E731
    drawn = state.disturbance
    past = jax.tree.map(lambda leaf: leaf[:, order], drawn.past)
    drawn = drawn._replace(identity=drawn.identity[order], order=rows(drawn.order), past=past)
    return state._replace(agents=rows(state.agents), present=state.present[order], disturbance=drawn)


# What holds for every task; each is a test by itself, and multi-pursuit, which compiles longest, is tried in
# tests/integration.


def nothing_is_kept_in_the_state_when_all_is_off(name: str) -> None:
    plain, zero = made(name), made(name, **dict.fromkeys(ALL, 0))
    # Equal tasks are one program, so that every life at strength 0 is the undisturbed one, bit for bit.
    assert plain == zero and begun(plain).disturbance is None
    assert jax.eval_shape(made(name, message_loss=(0.0, 0.0)).initial, KEY).disturbance is None


def a_start_is_the_same_with_and_without_disturbances(name: str) -> None:
    assert same(begun(made(name)), begun(disturbed(name))._replace(disturbance=None))


def at_strength_zero_in_the_state_a_life_is_the_undisturbed_one(name: str) -> None:
    # Another program, in which processors may round the last bit differently.
    plain = made(name)
    lives = lived(plain)(begun(plain), ACTIONS), lived(disturbed(name))(with_only(name), ACTIONS)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5), *lives)


def all_together_stay_finite(name: str) -> None:
    found = lived(disturbed(name))(with_only(name, **STRONG), ACTIONS)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(found))


def numbering_the_agents_in_another_order_changes_nothing(name: str) -> None:
    life, start, order = lived(disturbed(name)), with_only(name, **STRONG), np.array([2, 0, 3, 1])
    seen, _, agents, _ = life(start, ACTIONS)
    again, _, others, _ = life(permuted(start, order), ACTIONS[:, order])
    close = lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)  # noqa: E731
    jax.tree.map(lambda a, b: close(a[:, order], b), agents, others)
    close(seen.local[:, order], again.local)
    close(seen.sets[0].elements[:, order][:, :, order], again.sets[0].elements)
    np.testing.assert_array_equal(seen.sets[0].mask[:, order][:, :, order], again.sets[0].mask)


FACTS = (
    nothing_is_kept_in_the_state_when_all_is_off,
    a_start_is_the_same_with_and_without_disturbances,
    at_strength_zero_in_the_state_a_life_is_the_undisturbed_one,
    all_together_stay_finite,
    numbering_the_agents_in_another_order_changes_nothing,
)
