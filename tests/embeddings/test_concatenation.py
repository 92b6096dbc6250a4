"""Elements side by side: who comes where."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.embeddings.base import SetLayout
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make

# Agent i of four sees agent j as the pair (10 i + j, −j); nobody sees itself.
SEEN = np.array([[[10 * i + j, -j] for j in range(4)] for i in range(4)], np.float32)
OTHERS = ~np.eye(4, dtype=bool)


def test_others_come_in_index_order_and_the_agent_itself_is_left_out() -> None:
    rows = Concatenation().prepare(SetLayout(4, 2, True), jnp.array(SEEN), jnp.array(OTHERS))
    assert np.asarray(rows).tolist() == [
        [1, -1, 2, -2, 3, -3],
        [10, 0, 12, -2, 13, -3],
        [20, 0, 21, -1, 23, -3],
        [30, 0, 31, -1, 32, -2],
    ]


def test_a_set_without_the_agent_keeps_every_slot() -> None:
    # Evaders: the second one is out of sight, and zeros stand in its place.
    mask = np.array([[True, False, True, True]])
    rows = Concatenation().prepare(SetLayout(4, 2, False), jnp.array(SEEN[:1]), jnp.array(mask))
    assert np.asarray(rows).tolist() == [[0, 0, 0, 0, 2, -2, 3, -3]]


def test_one_layer_of_relu_units_reads_the_row(embed: Any, params_of: Any) -> None:
    embedding = Concatenation(units=3)
    params = params_of(embedding, SetLayout(4, 2, False))
    found = embed(embedding, SEEN / 10, OTHERS, params).vector
    rows = np.where(OTHERS[..., None], SEEN / 10, 0).reshape(4, 8)
    assert found == pytest.approx(np.maximum(rows @ params["weight"] + params["bias"], 0), abs=1e-5)


def test_the_layer_reads_one_slot_less_than_there_are_where_one_is_the_agent() -> None:
    init = lambda own: jax.eval_shape(lambda: Concatenation(units=5).init(SetLayout(4, 2, own), jax.random.key(0)))  # noqa: E731
    assert init(True)["weight"].shape == (6, 5)
    assert init(False)["weight"].shape == (8, 5)


def test_with_a_global_task_every_agent_reads_exactly_the_others(quick_jit: Any) -> None:
    task = make("rendezvous", num_agents=4, observation="basic")
    seen = quick_jit(lambda key: task.observe(task.initial(key)))(jax.random.key(0)).sets[0]
    rows = np.asarray(Concatenation().prepare(SetLayout(4, 3, True), *seen)).reshape(4, 3, 3)
    for agent in range(4):
        others = [other for other in range(4) if other != agent]
        assert np.array_equal(rows[agent], np.asarray(seen.elements)[agent, others])


def test_units_must_be_positive() -> None:
    with pytest.raises(SwarmbedError, match=r"^units must be a whole number of at least 1, not 0$"):
        Concatenation(units=0)
