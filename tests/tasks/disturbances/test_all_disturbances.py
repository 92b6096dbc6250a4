"""What holds for every disturbance: nothing at strength 0, one state, any order of agents, all of them together."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import swarmbed
from swarmbed.compute import compiling
from swarmbed.tasks.disturbances.settings import KINDS
from swarmbed.tasks.disturbances.state import with_strengths
from swarmbed.tasks.swarm import SwarmTask

KEY = jax.random.key(0)
TASKS = ["rendezvous", "pursuit-local", "multi-pursuit"]
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


@functools.cache
def lived(task: Any) -> Any:
    """A function of a state and actions: what everybody sees on the way, the rewards, where everybody is.

    Fused, the compiler rounds one program differently from another; operation by operation it has nothing to choose.
    """

    def step(state: Any, now: Any) -> Any:
        after = task.advance(now[0], state, now[1])
        return after.state, (task.observe(after.state), after.reward, after.state.agents, after.state.evaders)

    def life(state: Any, actions: Any) -> Any:
        return jax.lax.scan(step, state, (jax.random.split(KEY, STEPS), actions))[1]

    return jax.jit(life, compiler_options={**compiling.once(), "xla_disable_hlo_passes": "fusion"})


ACTIONS = jax.random.uniform(KEY, (STEPS, 4, 2), minval=-1.0)


def with_only(name: str, **strengths: float) -> Any:
    """A start at these strengths, all others being 0."""
    return with_strengths(disturbed(name).initial(KEY), {**dict.fromkeys(ALL, 0), **strengths})


def same(one: Any, other: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True))


def test_every_kind_is_a_setting() -> None:
    assert set(STRONG) == {kind.name for kind in KINDS}
    assert all(hasattr(SwarmTask, kind.name) for kind in KINDS)


@pytest.mark.parametrize("name", TASKS)
def test_nothing_is_kept_in_the_state_when_all_is_off(name: str) -> None:
    plain, zero = made(name), made(name, **dict.fromkeys(ALL, 0))
    assert plain == zero and plain.initial(KEY).disturbance is None
    assert made(name, message_loss=(0.0, 0.0)).initial(KEY).disturbance is None


@pytest.mark.parametrize("name", TASKS)
def test_a_start_is_the_same_with_and_without_disturbances(name: str) -> None:
    assert same(made(name).initial(KEY), disturbed(name).initial(KEY)._replace(disturbance=None))


@pytest.mark.parametrize("name", TASKS)
def test_at_strength_zero_a_life_is_the_undisturbed_one_bit_for_bit(name: str) -> None:
    plain = made(name)
    assert same(lived(plain)(plain.initial(KEY), ACTIONS), lived(disturbed(name))(with_only(name), ACTIONS))


@pytest.mark.parametrize("kind", list(ALL))
def test_each_of_them_changes_something(kind: str) -> None:
    life = lived(disturbed("pursuit-local"))
    strong = with_only("pursuit-local", **{kind: STRONG[kind]})
    assert not same(life(with_only("pursuit-local"), ACTIONS), life(strong, ACTIONS))


@pytest.mark.parametrize("name", TASKS)
def test_all_together_stay_finite(name: str) -> None:
    found = lived(disturbed(name))(with_only(name, **STRONG), ACTIONS)
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(found))


def test_a_few_viewers_see_what_they_see_among_all(quick_jit: Any) -> None:
    task, viewers = disturbed("pursuit-local"), jnp.array([3, 1])
    look = quick_jit(lambda state: (task.observe_from(state, viewers, task.transmit(state)), task.observe(state)))
    few, everybody = look(with_only("pursuit-local", **STRONG))
    assert same(few, jax.tree.map(lambda leaf: leaf[viewers], everybody))


def permuted(state: Any, order: np.ndarray) -> Any:
    """The same swarm with its agents numbered in another order."""
    rows = lambda tree: jax.tree.map(lambda leaf: leaf[order], tree)  # noqa: E731
    drawn = state.disturbance
    past = jax.tree.map(lambda leaf: leaf[:, order], drawn.past)
    drawn = drawn._replace(identity=drawn.identity[order], order=rows(drawn.order), past=past)
    return state._replace(agents=rows(state.agents), present=state.present[order], disturbance=drawn)


@pytest.mark.parametrize("name", TASKS)
def test_numbering_the_agents_in_another_order_changes_nothing(name: str) -> None:
    life, start, order = lived(disturbed(name)), with_only(name, **STRONG), np.array([2, 0, 3, 1])
    seen, _, agents, _ = life(start, ACTIONS)
    again, _, others, _ = life(permuted(start, order), ACTIONS[:, order])
    close = lambda a, b: np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-4)  # noqa: E731
    jax.tree.map(lambda a, b: close(a[:, order], b), agents, others)
    close(seen.local[:, order], again.local)
    close(seen.sets[0].elements[:, order][:, :, order], again.sets[0].elements)
    np.testing.assert_array_equal(seen.sets[0].mask[:, order][:, :, order], again.sets[0].mask)


def test_the_events_of_one_disturbance_do_not_depend_on_what_else_is_strong() -> None:
    # Everybody hears everybody in this task, so only losses show in the masks.
    life = lived(disturbed("rendezvous"))
    masks = [
        life(with_only("rendezvous", message_loss=0.5, **more), ACTIONS)[0].sets[0].mask
        for more in ({}, {"action_noise": 0.3, "distance_noise": 5.0, "message_delay": 3})
    ]
    np.testing.assert_array_equal(*masks)
    assert 0 < masks[0].mean() < 0.75


def test_whoever_acts_meets_the_same_events() -> None:
    life, start = lived(disturbed("rendezvous")), with_only("rendezvous", message_loss=0.5)
    one, other = life(start, ACTIONS), life(start, -ACTIONS)
    assert not same(one[2], other[2])
    np.testing.assert_array_equal(one[0].sets[0].mask, other[0].sets[0].mask)


def test_a_range_draws_one_strength_per_episode() -> None:
    task = made("rendezvous", message_loss=(0.1, 0.3), message_delay=(1, 3))
    drawn = jax.vmap(lambda key: task.initial(key).disturbance.strength)(jax.random.split(KEY, 600))
    loss = np.asarray(drawn["message_loss"])
    assert 0.1 <= loss.min() < 0.11 and 0.29 < loss.max() <= 0.3 and loss.mean() == pytest.approx(0.2, abs=0.012)
    found, times = np.unique(np.asarray(drawn["message_delay"]), return_counts=True)
    assert found.tolist() == [1, 2, 3] and times == pytest.approx([200] * 3, abs=58)
    assert abs(np.corrcoef(loss, drawn["message_delay"])[0, 1]) < 0.2


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"message_loss": 1.5}, "message_loss must be a number between 0 and 1, or a range of two, not 1.5"),
        ({"message_loss": (0.3, 0.1)}, "the lower first"),
        ({"message_loss": (0.1, 0.2, 0.3)}, "a range of two"),
        ({"message_delay": 1.5}, "message_delay must be a whole number between 0 and 1000, or a range of two"),
        ({"stop_rate": -1.0}, "stop_rate must be a number of at least 0"),
        ({"stop_rate": float("nan")}, "stop_rate"),
    ],
)
def test_a_wrong_strength_is_refused_in_one_sentence(settings: Any, words: str) -> None:
    with pytest.raises(swarmbed.SwarmbedError, match=words):
        swarmbed.make("rendezvous", **settings)


def test_a_strength_of_what_is_off_cannot_be_set() -> None:
    with pytest.raises(swarmbed.SwarmbedError, match="'action_noise' is not on in this state; on are: message_loss"):
        with_strengths(made("rendezvous", message_loss=0.1).initial(KEY), {"action_noise": 0.1})
