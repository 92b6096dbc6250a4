"""Swarms of mixed sizes in one batch: ordered so that empty slots are skipped, and otherwise as in any other batch."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.algorithms.base import PolicyParams
from swarmbed.embeddings.neural import Neural
from swarmbed.learn.experience import _by_size, act_with, collect
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.learn.rollout import start
from swarmbed.learn.strata import drawing_from, is_ragged, strata, with_every_slot
from swarmbed.tasks import make

SIZES = (2, 3, 5, 8)


@pytest.fixture(scope="module")
def task():
    return make("rendezvous", num_agents=8, sizes=SIZES, horizon=20)


@pytest.mark.parametrize("groups", [1, 3, 4, 10])
def test_groups_draw_neighbouring_sizes_and_together_all_of_them(task, groups: int) -> None:
    rows = np.asarray(strata(task, groups))
    assert rows.shape == (groups, len(SIZES))
    assert np.bincount(rows.ravel(), minlength=9)[list(SIZES)].tolist() == [groups] * len(SIZES)
    assert (np.diff(rows.ravel()) >= 0).all()


def test_swarms_of_one_size_have_no_strata() -> None:
    assert strata(make("rendezvous", num_agents=4), 3) is None
    assert drawing_from(make("pursuit"), None) == make("pursuit")


def test_environments_start_in_the_order_of_their_sizes(task) -> None:
    present = np.asarray(start(task, jax.random.key(0), 40).state.present.sum(1))
    assert np.bincount(present, minlength=9)[list(SIZES)].tolist() == [10] * 4
    assert (np.diff(present) >= 0).all()


def test_a_group_keeps_its_sizes_when_episodes_end(task, quick_jit) -> None:
    """Two groups of 16: after three episodes the first still has the small swarms."""
    how = Learner(task, batch=BatchSettings(environments=32, segment=20)).sampling()
    assert how.group == 16
    rest = lambda state, transmitted, key: (jnp.zeros((16, 8, 2)), None)  # noqa: E731
    run = quick_jit(lambda environments, key: collect(task, rest, environments, key, how)[0])
    environments = start(task, jax.random.key(1), 32)
    seen = []
    for number in range(3):
        environments = run(environments, jax.random.key(number))
        seen.append(np.asarray(environments.state.present.sum(1)))
    assert set(np.concatenate([each[:16] for each in seen])) == {2, 3}
    assert set(np.concatenate([each[16:] for each in seen])) == {5, 8}


@pytest.mark.parametrize("pooling", ["mean", "max", "softmax"])
@pytest.mark.parametrize("name", ["rendezvous", "pursuit-local"])
def test_present_agents_act_as_without_any_order(pooling: str, name: str, quick_jit) -> None:
    task = make(name, num_agents=11, sizes=(3, 7, 11))
    learner = Learner(task, Neural(pooling=pooling, features=(8,)))
    model = learner.policy_model
    plain = with_every_slot(model)
    assert is_ragged(model) and not is_ragged(plain)

    def means_of(state, each, key):
        params = PolicyParams(model.init(key), jnp.zeros(2))
        return act_with(task, each, params)(state, jax.vmap(task.transmit)(state), key)[1]

    @quick_jit
    def means(key):
        """All sizes side by side, and those of each size by themselves, which need fewer slots."""
        state = start(task, key, 6).state
        alone = [jax.tree.map(lambda leaf, i=i: leaf[i : i + 2], state) for i in (0, 2, 4)]
        found = jnp.concatenate([means_of(each, model, key) for each in alone])
        return state.present, means_of(state, plain, key), means_of(state, model, key), found

    there, wanted, *found = map(np.asarray, means(jax.random.key(0)))
    assert there.sum(1).tolist() == [3, 3, 7, 7, 11, 11]
    for each in found:
        assert np.allclose(each[there], wanted[there], atol=1e-6)


def test_a_minibatch_holds_the_same_samples_sorted_by_size() -> None:
    order = jnp.array([3, 0, 4, 1, 2, 6, 5])
    places = jnp.array([9, 2, 7, 1, 5, 3, 8])
    # 3, 0, 4 have 1, 9, 5 places; 1, 2, 6 have 2, 7, 8; 5 is left over.
    assert _by_size(order, places, 3).tolist() == [3, 4, 0, 1, 2, 6, 5]
