"""Observations as dictionaries and as vectors."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed import make
from swarmbed.interop import spaces, swarms
from swarmbed.tasks.base import Observation, ObservedSet

# Two agents: one local number; a set of two slots with two features, and a set of one slot with one feature.
SEEN = Observation(
    jnp.array([[1.0], [2.0]]),
    (
        ObservedSet(
            jnp.array([[[0.0, 0.0], [3.0, 4.0]], [[5.0, 6.0], [0.0, 0.0]]]), jnp.array([[False, True], [True, False]])
        ),
        ObservedSet(jnp.array([[[7.0]], [[8.0]]]), jnp.array([[True], [True]])),
    ),
)


def test_the_vector_is_local_then_each_set_slot_by_slot_with_its_mask_last() -> None:
    flat = spaces.encode(SEEN, flatten=True)
    #                                        local  set_0 slot 0  slot 1   set_1 slot 0
    np.testing.assert_array_equal(flat, [[1, 0, 0, 0, 3, 4, 1, 7, 1], [2, 5, 6, 1, 0, 0, 0, 8, 1]])


def test_the_dictionary_holds_local_sets_and_masks() -> None:
    encoded = spaces.encode(SEEN, flatten=False)
    assert list(encoded) == ["local", "set_0", "mask_0", "set_1", "mask_1"]
    np.testing.assert_array_equal(encoded["set_0"], SEEN.sets[0].elements)
    np.testing.assert_array_equal(encoded["mask_0"], [[0, 1], [1, 0]])


def test_leading_axes_become_one_swarm_after_swarm() -> None:
    two_swarms = jax.tree.map(lambda rows: jnp.stack([rows, rows + rows]), SEEN)
    np.testing.assert_array_equal(spaces.encode(two_swarms, flatten=False)["local"], [[1], [2], [2], [4]])


def test_the_names_of_the_vector_follow_its_order() -> None:
    names = spaces.flat_names(make("pursuit", num_agents=2, observation="basic"))
    assert names == (
        "local: evader distance", "local: evader bearing cos", "local: evader bearing sin",
        "set_0 slot 0: distance", "set_0 slot 0: bearing cos", "set_0 slot 0: bearing sin", "set_0 slot 0: present",
        "set_0 slot 1: distance", "set_0 slot 1: bearing cos", "set_0 slot 1: bearing sin", "set_0 slot 1: present",
    )  # fmt: skip


def test_local_properties_may_be_missing_altogether() -> None:
    task = make("multi-pursuit", num_agents=3, num_evaders=2)
    space = spaces.observation_space(task, flatten=False)
    assert space["local"].shape == (0,)
    assert space["set_0"].shape == (3, 5)  # distance, bearing cos and sin, orientation cos and sin
    assert space["set_1"].shape == (2, 3)  # distance, bearing cos and sin of each evader
    # 3 neighbours of 5 numbers and a mask, 2 evaders of 3 numbers and a mask.
    assert spaces.observation_space(task, flatten=True).shape == (3 * 6 + 2 * 4,)


def test_seeds_beyond_32_bits_are_all_different() -> None:
    seeds = [0, 1, 2**32, 2**32 + 1, 2**64, 2**64 + 1, 3 * 2**64]
    keys = np.asarray(swarms.seeded(seeds))
    assert len(np.unique(keys, axis=0)) == len(seeds)


@pytest.mark.parametrize("seed", [0, 5, 2**40])
def test_a_key_does_not_depend_on_the_seeds_beside_it(seed: int) -> None:
    np.testing.assert_array_equal(swarms.seeded([seed])[0], swarms.seeded([2**70, seed, 3])[1])
