"""A critic that sees the whole swarm beside a policy that does not."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.algorithms.trpo import Trpo
from swarmbed.embeddings.neural import Neural
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.networks.perceptron import Perceptron
from swarmbed.tasks import make

TASK = make("pursuit-local", num_agents=4, horizon=6)
QUICK = {"value_epochs": 1, "value_minibatch": 12, "cg_steps": 2, "line_search_steps": 2}
REST: dict[str, Any] = {
    "embedding": Neural(features=(4,)), "batch": BatchSettings(4, 5, 2), "network": Perceptron((4,)),
}  # fmt: skip
CENTRAL = Learner(TASK, algorithm=Trpo(critic="central", **QUICK), **REST)  # type: ignore[arg-type]
OWN = Learner(TASK, algorithm=Trpo(**QUICK), **REST)  # type: ignore[arg-type]


def test_the_policy_has_no_place_for_the_overview() -> None:
    shapes = lambda tree: jax.tree.map(jnp.shape, tree)  # noqa: E731
    own = jax.eval_shape(OWN.init, jax.random.key(0))
    state, _ = jax.eval_shape(CENTRAL.iterate, jax.eval_shape(CENTRAL.init, jax.random.key(0)))
    assert shapes(state.policy) == shapes(own.policy)
    assert len(state.critic.params["embeddings"]) == len(own.critic.params["embeddings"]) + 1


@pytest.fixture(scope="module")
def judge(quick_jit: Any) -> Any:
    """``judge(state, viewers)``: what a critic thinks of a state from the places of some agents."""
    value, critic = CENTRAL.value, quick_jit(CENTRAL.init)(jax.random.key(0)).critic
    assert value is not None

    def predict(state: Any, viewers: Any) -> Any:
        seen = TASK.observe_from(state, viewers, None)
        seen = seen._replace(sets=(*seen.sets, TASK.overview(state, viewers)))
        return value.predict(critic, value.model.prepare(seen))

    return quick_jit(predict)


def test_its_opinion_does_not_depend_on_numbering(judge: Any, compiled: Any) -> None:
    state = compiled(TASK, "initial")(jax.random.key(1))
    order = np.array([2, 0, 3, 1])
    other = state._replace(agents=jax.tree.map(lambda leaf: leaf[order], state.agents))
    everybody = jnp.arange(4)
    np.testing.assert_allclose(judge(other, everybody), judge(state, everybody)[order], rtol=1e-5)


def test_its_opinion_does_not_depend_on_what_stands_in_empty_places(judge: Any, compiled: Any) -> None:
    state = compiled(TASK, "initial")(jax.random.key(1))._replace(present=jnp.array([True, True, False, True]))
    elsewhere = state._replace(
        agents=state.agents._replace(position=state.agents.position.at[2].set(jnp.array([1.0, 2.0])))
    )
    viewers = jnp.array([0, 1, 3])
    np.testing.assert_array_equal(judge(elsewhere, viewers), judge(state, viewers))


def test_it_sees_agents_that_its_own_agent_does_not(judge: Any, compiled: Any) -> None:
    # The evader and everybody else are far out of reach of agent 0; moving agent 3 changes nothing that it senses.
    state = compiled(TASK, "initial")(jax.random.key(1))
    far = jnp.array([[5.0, 5.0], [50.0, 50.0], [52.0, 50.0], [50.0, 52.0]])
    state = state._replace(agents=state.agents._replace(position=far), evaders=jnp.array([[55.0, 55.0]]))
    moved = state._replace(agents=state.agents._replace(position=far.at[3].set(jnp.array([60.0, 55.0]))))
    one, other = (compiled(TASK, "observe_from")(s, jnp.array([0]), None) for s in (state, moved))
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(a, b)
    assert judge(state, jnp.array([0])) != judge(moved, jnp.array([0]))
