"""Every shipped policy does with numpy alone what it does in JAX."""

import jax
import numpy as np
import pytest

from swarmbed import Policy, load_policy
from swarmbed.policy.headers import shipped_policies
from swarmbed.policy.with_numpy import load
from swarmbed.tasks.base import Observation, ObservedSet


def seen_by(policy: Policy) -> Observation:
    """Random numbers in the shape of an observation; an agent's own slot is empty, and some others are."""
    generator, layout, agents = np.random.default_rng(0), policy.task.layout, policy.task.num_agents
    sets = []
    for one in layout.sets:
        mask = generator.uniform(size=(agents, one.slots)) < (0.7 if policy.model.any_number_of_slots else 1.1)
        if one.includes_self:
            mask[np.arange(agents), np.arange(agents)] = False
        elements = generator.uniform(-1, 1, (agents, one.slots, one.features)).astype(np.float32)
        sets.append(ObservedSet(elements, mask))
    local = generator.uniform(-1, 1, (agents, layout.local)).astype(np.float32)
    return Observation(local, tuple(sets))


@pytest.mark.parametrize("name", shipped_policies())
def test_every_shipped_policy_acts_the_same(name: str) -> None:
    policy = load_policy(name)
    seen = seen_by(policy)
    np.testing.assert_allclose(load(name)(*seen), jax.jit(policy.__call__)(seen), atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize(
    "name",
    ["rendezvous-global-nn-extended", "rendezvous-global-max-extended", "rendezvous-global-softmax-extended",
     "rendezvous-global-histogram-basic", "rendezvous-global-rbf-basic", "multi-pursuit-mssk-extended"],
)  # fmt: skip
def test_an_agent_that_sees_nobody_acts_the_same_whatever_the_slots_hold(name: str) -> None:
    policy = load_policy(name)
    seen = seen_by(policy)
    sets = tuple(ObservedSet(np.full_like(s.elements, 7.0), np.zeros_like(s.mask)) for s in seen.sets)
    nobody = Observation(seen.local, sets)
    np.testing.assert_allclose(load(name)(*nobody), jax.jit(policy.__call__)(nobody), atol=1e-5, rtol=1e-5)
