"""A network, an embedding or an algorithm of somebody's own that returns something else than it should is named."""

import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from swarmbed import Algorithm, BatchSettings, Embedding, Learner, Policy, SwarmbedError, Update
from swarmbed.tasks import make
from toy_task import Drift

KEY = jax.random.key(0)
BATCH = BatchSettings(environments=2, segment=3, sampled_agents=2)


class Linear:
    """A network from somebody who never heard of swarmbed."""

    def init(self, key: Any, observation: Any, outputs: int) -> Any:
        return jnp.zeros((observation.local.shape[1], outputs))

    def apply(self, params: Any, observation: Any) -> Any:
        return observation.local @ params


def test_a_learner_takes_any_object_with_init_and_apply_and_so_does_a_policy() -> None:
    learner = Learner(Drift(), network=Linear(), batch=BATCH)  # type: ignore[arg-type]
    state, metrics = jax.eval_shape(learner.iterate, jax.eval_shape(learner.init, KEY))
    assert state.policy.network.shape == (2, 2)
    assert metrics["kl"].shape == ()
    params = jax.jit(learner.init)(KEY).policy
    policy = Policy(Drift(), learner.embedding, params, Linear())  # type: ignore[arg-type]
    assert policy.act(Drift().initial(KEY)).shape == (3, 2)


def test_a_class_is_no_network() -> None:
    with pytest.raises(SwarmbedError, match="network must be an object, not the class Linear; call the class"):
        Learner(Drift(), network=Linear)  # type: ignore[arg-type]


class OneNumber(Linear):
    def apply(self, params: Any, observation: Any) -> Any:
        return super().apply(params, observation)[:, :1]


class Flat(Embedding):
    def prepare(self, layout: Any, elements: Any, mask: Any) -> Any:
        return jnp.zeros(3)


class Parameters(Algorithm):
    def update(self, model: Any, params: Any, memory: Any, batch: Any, key: Any) -> Any:
        return params


class Forgetful(Algorithm):
    def memory(self, params: Any) -> Any:
        return jnp.zeros(3)

    def update(self, model: Any, params: Any, memory: Any, batch: Any, key: Any) -> Any:
        return Update(params, (), *jnp.zeros(3))


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (
            {"network": OneNumber()},
            "apply of OneNumber must give one row of numbers per agent, (6, 2) here, not (6, 1)",
        ),
        ({"embedding": Flat()}, "Flat must give one row of numbers per set, (1, numbers) for one, not (3,)"),
        ({"algorithm": Parameters()}, "update of Parameters must return an Update, not PolicyParams("),
        ({"algorithm": Forgetful()}, "update of Forgetful must return memory of the shapes that it was given"),
    ],
    ids=["network", "embedding", "update", "memory"],
)
def test_what_does_not_fit_is_named(parts: dict[str, Any], words: str) -> None:
    task = make("rendezvous", num_agents=3)
    with pytest.raises(SwarmbedError, match=re.escape(words)):
        learner = Learner(task, batch=BATCH, **parts)
        jax.eval_shape(learner.iterate, jax.eval_shape(learner.init, KEY))


def test_a_learner_says_what_it_is_made_of() -> None:
    with pytest.raises(SwarmbedError, match="task must be a Task object, not 'rendezvous'"):
        Learner("rendezvous")  # type: ignore[arg-type]
    with pytest.raises(SwarmbedError, match="embedding must be an Embedding object, not 'neural'"):
        Learner(Drift(), "neural")  # type: ignore[arg-type]
    with pytest.raises(SwarmbedError, match="key must be a random key such as"):
        Learner(Drift()).init(0)  # type: ignore[arg-type]
    with pytest.raises(SwarmbedError, match="embedding of a policy must be an Embedding object, not 3"):
        Policy(Drift(), 3, ())  # type: ignore[arg-type]
