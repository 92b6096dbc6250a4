"""Large swarms: looked at in pieces and by cells, they see, earn and do what all pairs at once would say."""

from dataclasses import replace
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import swarmbed
from swarmbed.compute import compiling
from swarmbed.controllers.consensus import Consensus
from swarmbed.controllers.voronoi_pursuit import VoronoiPursuit
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.sim import graph
from swarmbed.sim.pairs import sum_over_pairs
from swarmbed.sim.world import Closed
from swarmbed.spec.errors import SwarmbedError

AGENTS = 60
KEY = jax.random.key(0)
quick = partial(jax.jit, compiler_options=compiling.once())


@cache
def both(name, **settings):
    """A task with neighbours found by cells, the same with all pairs, and a state in which some are absent."""
    cells = swarmbed.make(name, num_agents=AGENTS, width=150.0, height=130.0, search="cells", **settings)
    state = quick(cells.initial)(KEY)
    return cells, replace(cells, search="pairs"), state._replace(present=jnp.arange(AGENTS) % 7 != 3)


def rows_of(observed, agent):
    rows = np.asarray(observed.elements[agent])[np.asarray(observed.mask[agent])]
    return rows[np.lexsort(rows.T)]


@pytest.mark.parametrize("name", ["rendezvous-local", "pursuit-local"])
@pytest.mark.parametrize("observation", ["basic", "extended", "comm"])
def test_agents_see_the_same_by_cells_as_by_all_pairs(name, observation):
    cells, pairs, state = both(name, observation=observation)
    seen, wanted = quick(cells.observe)(state), quick(pairs.observe)(state)
    np.testing.assert_allclose(seen.local[state.present], wanted.local[state.present], atol=1e-6)
    for agent in np.flatnonzero(state.present):
        np.testing.assert_allclose(rows_of(seen.sets[0], agent), rows_of(wanted.sets[0], agent), atol=1e-6)


def test_the_reward_is_the_same_by_cells_as_by_all_pairs():
    cells, pairs, state = both("rendezvous-local")
    action = cells.sample_action(KEY)
    reward = quick(lambda task, state: task.reward(state, action, state), static_argnums=0)
    np.testing.assert_allclose(reward(cells, state), reward(pairs, state), rtol=1e-5)
    alone = state._replace(present=jnp.arange(AGENTS) == 5)
    np.testing.assert_allclose(reward(cells, alone), reward(pairs, alone), rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "controller"), [("rendezvous-local", Consensus()), ("pursuit-local", VoronoiPursuit())]
)
def test_classical_controllers_do_the_same_by_cells_as_by_all_pairs(name, controller):
    cells, pairs, state = both(name)
    act = lambda task: quick(lambda s: controller.control(task, s, KEY))(state)[state.present]  # noqa: E731
    np.testing.assert_allclose(act(cells), act(pairs), atol=2e-4)


@pytest.mark.parametrize("world", ["large", "small"])
def test_a_policy_in_pieces_acts_as_on_the_whole_observation(world):
    policy = swarmbed.load_policy("rendezvous-local-nn-extended")
    side = 500.0 if world == "large" else 100.0
    task = replace(policy.task.resized(300), width=side, height=side)
    assert (task.cells is not None) == (world == "large")
    state = quick(task.initial)(KEY)._replace(present=jnp.arange(300) % 5 != 0)
    action = quick(lambda s: policy.control(task, s, KEY))(state)
    plain = replace(task, search="pairs")
    wanted = quick(lambda s: policy.mean(plain.observe(s), plain))(state)
    np.testing.assert_allclose(action[state.present], wanted[state.present], atol=2e-4)


def test_the_reward_through_cells_is_differentiable_by_the_action():
    cells, pairs, state = both("rendezvous-local")

    def reward(action, task):
        return task.advance(KEY, state, action).reward

    action = cells.sample_action(KEY)
    gradients = [quick(jax.grad(reward), static_argnums=1)(action, task) for task in (cells, pairs)]
    np.testing.assert_allclose(gradients[0], gradients[1], atol=1e-6)
    assert np.abs(gradients[0]).max() > 0


def test_nobody_is_overlooked_in_a_spread_swarm_and_a_crowd_says_how_many():
    cells, _, state = both("rendezvous-local")
    task, state = replace(cells, neighbour_slots=10), state._replace(present=jnp.ones(AGENTS, bool))
    overlooked = quick(task.overlooked)
    grid = jnp.stack(jnp.meshgrid(jnp.arange(10) * 15.0, jnp.arange(6) * 20.0), -1).reshape(-1, 2)
    spread = state._replace(agents=state.agents._replace(position=grid))
    distance = np.linalg.norm(grid[:, None] - grid[None], axis=-1)
    wanted = np.maximum((distance <= 40).sum(1) - 1 - 10, 0).sum()
    assert int(overlooked(spread)) == wanted > 0
    crowd = state._replace(agents=state.agents._replace(position=jnp.full((AGENTS, 2), 20.0)))
    assert int(overlooked(crowd)) == AGENTS * (AGENTS - 1 - 10)
    assert int(overlooked(crowd._replace(present=jnp.arange(AGENTS) < 11))) == 0


def test_a_task_whose_slots_hold_everybody_overlooks_nobody():
    assert swarmbed.make("rendezvous-local").overlooked(swarmbed.make("rendezvous-local").initial(KEY)) is None


def test_small_swarms_and_small_worlds_compare_all_pairs():
    assert swarmbed.make("rendezvous-local").cells is None
    assert swarmbed.make("rendezvous-local", num_agents=1000).cells is None
    assert swarmbed.make("rendezvous", num_agents=1000, width=1000.0, height=1000.0).cells is None
    assert swarmbed.make("rendezvous-local", num_agents=1000, width=700.0, height=700.0).cells is not None


def test_concatenation_refuses_lists_in_one_sentence():
    task = swarmbed.make("rendezvous-local", num_agents=40, search="cells")
    with pytest.raises(SwarmbedError, match="concatenation needs a task in which every agent always sees"):
        swarmbed.Learner(task, Concatenation()).policy_model  # noqa: B018


def test_cells_without_a_radius_are_refused_in_one_sentence():
    with pytest.raises(SwarmbedError, match="search by cells needs a comm_radius"):
        swarmbed.make("rendezvous", search="cells")


@pytest.mark.parametrize(("count", "wanted"), [(1, 0), (2, 1), (3, 4), (4, 10), (5, 20), (18, 969)])
def test_every_pair_meets_once_whether_there_is_an_opposite_or_not(count, wanted):
    """Agents at 0, 1, 2 … on a line: Σ_{i<j} (j − i) = (N³ − N) / 6."""
    position = jnp.stack([jnp.arange(count, dtype=jnp.float32), jnp.zeros(count)], -1)
    total = sum_over_pairs(Closed(100.0, 100.0), position, jnp.ones(count, bool), lambda d: d)
    assert float(total) == wanted


def test_viewers_grouped_by_their_number_of_neighbours_keep_their_own_row():
    """Clusters of 1, 2, 3 … agents, shuffled: everybody counts its own cluster, and knows who it is."""
    cluster = np.repeat(np.arange(24), np.arange(1, 25))[np.random.default_rng(0).permutation(300)]
    centre = np.stack([cluster % 5, cluster // 5], -1) * 100.0 + 50.0
    task = swarmbed.make("rendezvous-local", num_agents=300, width=500.0, height=500.0, search="cells")
    state = quick(task.initial)(KEY)
    position = jnp.asarray(centre + np.random.default_rng(1).uniform(-5, 5, centre.shape), jnp.float32)
    state = state._replace(agents=state.agents._replace(position=position))
    wall = quick(lambda s: task.observe(s).local)(state)

    def look(seen):
        return seen.sets[0].mask.sum(1), seen.local

    number, local = quick(lambda s: task.across_agents(s, None, look))(state)
    np.testing.assert_array_equal(number, np.bincount(cluster)[cluster] - 1)
    np.testing.assert_allclose(local, wall, atol=1e-6)


def test_sums_over_pairs_in_pieces_are_those_of_the_matrix():
    task = swarmbed.make("rendezvous", num_agents=130)
    state = quick(task.initial)(KEY)._replace(present=jnp.arange(130) % 3 != 0)

    def total(position):
        return sum_over_pairs(task.space, position, state.present, lambda d: jnp.minimum(d, 30.0))

    def matrix(position):
        moved = state._replace(agents=state.agents._replace(position=position))
        return jnp.minimum(task.pair_distances(moved), 30.0).sum() / 2

    (value, gradient), (wanted_value, wanted_gradient) = (
        quick(jax.value_and_grad(function))(state.agents.position) for function in (total, matrix)
    )
    np.testing.assert_allclose(value, wanted_value, rtol=1e-5)
    np.testing.assert_allclose(gradient, wanted_gradient, atol=1e-4)


def test_shortest_paths_over_lists_have_the_lengths_and_gradients_of_those_over_the_matrix():
    # 0 — 1 — 2 → target, and 3 alone.
    place = jnp.array([0.0, 3.0, 7.0, 100.0])
    last_hop = jnp.array([jnp.inf, jnp.inf, 2.0, jnp.inf])
    agent = jnp.array([[1, 0], [0, 2], [1, 0], [0, 0]])
    mask = jnp.array([[True, False], [True, True], [True, False], [False, False]])

    def lengths(place):
        return graph.shortest_path_in_lists(jnp.abs(place[:, None] - place[agent]), agent, mask, last_hop)

    assert quick(lengths)(place).tolist() == [9.0, 6.0, 2.0, float("inf")]
    assert quick(jax.grad(lambda p: lengths(p)[0]))(place).tolist() == [-1.0, 0.0, 1.0, 0.0]


def test_an_evaluation_says_in_one_sentence_that_neighbours_were_overlooked():
    task = swarmbed.make("rendezvous-local", num_agents=30, horizon=2, search="cells", neighbour_slots=3)
    evaluation = swarmbed.evaluate("consensus", task, episodes=2, progress=False)
    assert "overlooked the rest" in evaluation.remark and "3 slots" in evaluation.remark
    assert evaluation.remark in str(evaluation)
    assert evaluation.summary()["overlooked"] == evaluation.overlooked.sum() > 0
    roomy = swarmbed.evaluate("consensus", replace(task, neighbour_slots=29), episodes=2, progress=False)
    assert roomy.remark is None and "overlooked" not in roomy.summary()
