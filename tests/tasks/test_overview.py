"""What only a central critic sees: worked by hand, and independent of numbering, place, direction and padding."""

from math import pi
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import State
from toy_task import Drift

TORUS = make("pursuit", num_agents=3, width=80, height=60, comm_radius=5, sight_radius=5)  # half of its diagonal: 50
CLOSED = make("rendezvous", num_agents=3, width=30, height=40, comm_radius=5)  # its diagonal: 50
MANY = make("multi_pursuit", num_agents=4, num_evaders=2, width=80, height=60)


def test_everybody_is_seen_from_the_viewer_however_far_away(scene: Any, compiled: Any) -> None:
    # The viewer looks north; the other is 3 east and 4 north of it (4 ahead, 3 right), looks west, at 5 of 10 units/s.
    state = scene([(10, 10, pi / 2, 1, 0), (13, 14, pi, 5, 0), (10, 40, 0, 0, 0)])
    elements, mask = compiled(CLOSED, "overview")(state, jnp.array([0]))
    assert mask.all()
    # Itself: nowhere, d / (d + ε) = 0, straight ahead, at a tenth of the top speed.
    np.testing.assert_allclose(elements[0, 0], [0, 0, 0, 0, 0, 0, 1, 0, 0.1], atol=1e-6)
    wanted = [5 / 50, 0.8, -0.6, 4 / 25, -3 / 25, 0.1 / 0.17, 0, 1, 0.5]
    np.testing.assert_allclose(elements[0, 1], wanted, atol=1e-6)


def test_pursuers_are_seen_from_the_evader_in_the_frame_of_the_viewer(scene: Any, compiled: Any) -> None:
    # The evader is at (20, 30); pursuer 1 is 3 east and 4 north of it. The viewer, pursuer 0, looks north and has the
    # evader 10 to its right, across the border: the torus is 80 wide.
    state = scene([(10, 30, pi / 2), (23, 34, pi), (60, 30, 0)], (20, 30))
    elements, mask = compiled(TORUS, "overview")(state, jnp.array([0]))
    assert mask.all()
    wanted = [5 / 50, 0.8, -0.6, 4 / 25, -3 / 25, 0.1 / 0.17, 0, -10 / 25, 0, 1]
    np.testing.assert_allclose(elements[0, 1], wanted, atol=1e-6)


def test_with_several_evaders_everybody_is_seen_from_its_nearest(scene: Any, compiled: Any) -> None:
    state = scene([(10, 10, 0), (12, 10, 0), (50, 30, 0), (53, 30, 0)], [(10, 12), (50, 34)])
    elements, _ = compiled(MANY, "overview")(state, jnp.array([0, 2]))
    distances = np.array([2, np.sqrt(8), 4, 5]) / 50
    np.testing.assert_allclose(elements[:, :, 0], [distances, distances], atol=1e-6)
    # And where that evader is: 2 north of viewer 0 for the first two pursuers; (40, 24) from it for the others.
    np.testing.assert_allclose(elements[0, :, 6:8] * 25, [[0, 2], [0, 2], [40, 24], [40, 24]], atol=1e-4)


def _random(task: Any, seed: int = 0) -> State:
    return jax.tree.map(np.asarray, jax.jit(task.initial)(jax.random.key(seed)))


@pytest.mark.parametrize("task", [TORUS, CLOSED, MANY], ids=["pursuit", "rendezvous", "multi_pursuit"])
def test_relabelling_agents_only_reorders_the_overview(task: Any, compiled: Any) -> None:
    state, count = _random(task), task.num_agents
    order = np.roll(np.arange(count), 1)
    other = state._replace(agents=jax.tree.map(lambda leaf: leaf[order], state.agents))
    before = compiled(task, "overview")(state, jnp.arange(count)).elements
    after = compiled(task, "overview")(other, jnp.arange(count)).elements
    np.testing.assert_allclose(after, np.asarray(before)[order][:, order], atol=1e-6)


@pytest.mark.parametrize("task", [TORUS, CLOSED, MANY], ids=["pursuit", "rendezvous", "multi_pursuit"])
def test_an_absent_agent_is_masked_and_holds_nothing(task: Any, compiled: Any) -> None:
    state = _random(task)
    present = np.arange(task.num_agents) != 1
    gone = state._replace(present=present)
    elements, mask = compiled(task, "overview")(gone, jnp.array([0]))
    np.testing.assert_array_equal(mask[0], present)
    assert not np.asarray(elements)[0, 1].any()
    there = compiled(task, "overview")(state, jnp.array([0])).elements
    np.testing.assert_array_equal(np.asarray(elements)[0, present], np.asarray(there)[0, present])


@pytest.mark.parametrize("task", [TORUS, MANY], ids=["pursuit", "multi_pursuit"])
def test_shifting_the_scene_on_a_torus_changes_nothing(task: Any, compiled: Any) -> None:
    state, size = _random(task), np.array([80, 60], np.float32)
    shift = lambda place: (place + np.array([31, 47], np.float32)) % size  # noqa: E731
    moved = state._replace(
        agents=state.agents._replace(position=shift(state.agents.position)), evaders=shift(state.evaders)
    )
    before, after = (compiled(task, "overview")(s, jnp.array([0])).elements for s in (state, moved))
    np.testing.assert_allclose(after, before, atol=1e-4)


def test_a_task_without_overview_cannot_have_a_central_critic() -> None:
    with pytest.raises(SwarmbedError, match="Drift has no overview for a central critic; leave critic = own"):
        _ = Drift().central_layout
