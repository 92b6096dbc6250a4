"""What holds for every disturbance: nothing at strength 0, one state, any order of agents, all of them together."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import swarmbed
from disturbed_lives import ACTIONS, ALL, FACTS, KEY, STRONG, begun, disturbed, lived, made, same, with_only
from swarmbed.tasks.disturbances.settings import KINDS
from swarmbed.tasks.disturbances.state import with_strengths
from swarmbed.tasks.swarm import SwarmTask


@pytest.mark.parametrize("name", ["rendezvous", "pursuit-local"])
@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.__name__)
def test_it_holds_that(fact: Callable[[str], None], name: str) -> None:
    fact(name)


def test_every_kind_is_a_setting() -> None:
    assert set(STRONG) == {kind.name for kind in KINDS}
    assert all(hasattr(SwarmTask, kind.name) for kind in KINDS)


@pytest.mark.parametrize("kind", list(ALL))
def test_each_of_them_changes_something(kind: str) -> None:
    life = lived(disturbed("pursuit-local"))
    strong = with_only("pursuit-local", **{kind: STRONG[kind]})
    assert not same(life(with_only("pursuit-local"), ACTIONS), life(strong, ACTIONS))


def test_a_few_viewers_see_what_they_see_among_all(quick_jit: Any) -> None:
    task, viewers = disturbed("pursuit-local"), jnp.array([3, 1])
    look = quick_jit(lambda state: (task.observe_from(state, viewers, task.transmit(state)), task.observe(state)))
    few, everybody = look(with_only("pursuit-local", **STRONG))
    assert same(few, jax.tree.map(lambda leaf: leaf[viewers], everybody))


def test_the_events_of_one_disturbance_do_not_depend_on_what_else_is_strong() -> None:
    # Everybody hears everybody in this task, so only losses show in the masks.
    life = lived(disturbed("rendezvous"))
    masks = [
        life(with_only("rendezvous", message_loss=0.5, **more), ACTIONS)[0].sets[0].mask
        for more in ({}, {"action_noise": 0.3, "distance_noise": 5.0, "message_delay": 3})
    ]
    np.testing.assert_array_equal(*masks)
    assert 0 < masks[0].mean() < 0.75


def test_every_policy_has_the_same_random_events() -> None:
    life, start = lived(disturbed("rendezvous")), with_only("rendezvous", message_loss=0.5)
    one, other = life(start, ACTIONS), life(start, -ACTIONS)
    assert not same(one[2], other[2])
    np.testing.assert_array_equal(one[0].sets[0].mask, other[0].sets[0].mask)


def test_a_range_draws_one_strength_per_episode(quick_jit: Any) -> None:
    task = made("rendezvous", message_loss=(0.1, 0.3), message_delay=(1, 3))
    drawn = quick_jit(jax.vmap(lambda key: task.initial(key).disturbance.strength))(jax.random.split(KEY, 600))
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
        with_strengths(begun(made("rendezvous", message_loss=0.1)), {"action_noise": 0.1})
