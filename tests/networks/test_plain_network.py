"""Networks of one's own: two functions, in a class that derives from ours or in any object that has them."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.embeddings.moments import Moments
from swarmbed.networks.base import Network, PlainNetwork, as_network, blank
from swarmbed.networks.perceptron import Perceptron
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.observation import Layout, Observation, ObservedSet, SetLayout

LAYOUT = Layout(2, (SetLayout(3, 1, False),))
SEEN = Observation(
    jnp.array([[1.0, 2.0], [3.0, 4.0]]),
    (ObservedSet(jnp.ones((2, 3, 1)), jnp.array([[True, True, False], [False, False, False]])),),
)


class Library:
    """Linear in the local numbers and in how many elements there are; knows nothing of swarmbed."""

    def init(self, key: Any, observation: Observation, outputs: int) -> Any:
        return jnp.ones((observation.local.shape[-1] + len(observation.sets), outputs))

    def apply(self, params: Any, observation: Observation) -> Any:
        counts = [one.mask.sum(-1, keepdims=True) for one in observation.sets]
        return jnp.concatenate([observation.local, *counts], -1) @ params


@dataclass(frozen=True)
class Derived(PlainNetwork):
    """The same two functions in a class of ours."""

    def init(self, key: Any, observation: Observation, outputs: int) -> Any:
        return Library().init(key, observation, outputs)

    def apply(self, params: Any, observation: Observation) -> Any:
        return Library().apply(params, observation)


@pytest.mark.parametrize("network", [as_network(Library()), Derived()], ids=["object", "class"])
def test_the_two_functions_are_called_as_they_are(network: Network) -> None:
    model = network.model(LAYOUT, Moments(), 4)
    params = model.init(jax.random.key(0))
    assert params.shape == (3, 4)
    # 1 + 2 + two elements, 3 + 4 + none.
    np.testing.assert_array_equal(model.apply(params, model.prepare(SEEN)), [[5.0] * 4, [7.0] * 4])


def test_a_model_has_nothing_to_look_at_and_keeps_its_scale_unless_it_says_otherwise() -> None:
    model = Derived().model(LAYOUT, Moments(), 4)
    params = model.init(jax.random.key(0))
    assert model.embed(params, SEEN) == []
    assert model.rescaled(params, jnp.float32(2.0), jnp.float32(1.0)) is params
    assert model.any_number_of_slots


def test_a_network_stays_what_it_is() -> None:
    network = Perceptron()
    assert as_network(network) is network


def test_an_object_without_the_two_functions_is_refused() -> None:
    with pytest.raises(SwarmbedError) as caught:
        as_network(object())
    assert str(caught.value) == (
        "network must have init(key, observation, outputs) and apply(params, observation), which object does not"
    )


def test_a_blank_row_sees_nothing() -> None:
    row = blank(LAYOUT)
    assert [leaf.shape for leaf in jax.tree.leaves(row)] == [(1, 2), (1, 3, 1), (1, 3)]
    assert not any(np.any(leaf) for leaf in jax.tree.leaves(row))
