"""One control step of each integrator, worked by hand."""

from math import cos, pi, sin, sqrt
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.sim.unicycle import Agents, DoubleIntegrator, SingleIntegrator
from swarmbed.sim.world import Closed, Torus
from swarmbed.spec.errors import SwarmbedError

WALLS, PERIODIC = Closed(100.0, 40.0), Torus(100.0, 40.0)
# Two sub-steps of half a second keep the arithmetic short.
TWO_HALVES: dict[str, Any] = {"substeps": 2, "substep_seconds": 0.5}


def agents(*rows: tuple[float, ...]) -> Agents:
    """Agents from rows (x, y, heading) or (x, y, heading, speed, turn rate)."""
    table = jnp.array(rows, float)
    return Agents(table[:, :2], table[:, 2], *(table[:, 3:].T if table.shape[1] == 5 else ()))


def assert_near(found: Any, wanted: Any) -> None:
    # Ten float32 roundings of coordinates up to 100.
    np.testing.assert_allclose(found, wanted, rtol=0, atol=5e-5)


def test_a_single_integrator_moves_with_the_old_heading_then_turns() -> None:
    # v = 10, ω = π/2. First half second: 5 east, then turn by π/4. Second: 5 along π/4, then turn by π/4.
    moved = SingleIntegrator(**TWO_HALVES).move(agents((10, 10, 0)), jnp.array([[1.0, 0.5]]), WALLS)
    assert_near(moved.position, [[15 + 5 / sqrt(2), 10 + 5 / sqrt(2)]])
    assert_near(moved.heading, [pi / 2])


def test_a_double_integrator_accelerates_then_moves_with_the_old_heading_then_turns() -> None:
    # v̇ = 2, ω̇ = π/2, 90 % of the velocities kept: v = 4 → 4.6 → 5.14 and ω = 0 → 0.25π → 0.475π.
    # First half second: 2.3 east, heading 0.125π. Second: 2.57 along 0.125π, heading 0.125π + 0.2375π.
    body = DoubleIntegrator(**TWO_HALVES, velocity_kept=0.9)
    moved = body.move(agents((10, 10, 0, 4, 0)), jnp.array([[0.2, 0.5]]), WALLS)
    assert_near(moved.position, [[12.3 + 2.57 * cos(pi / 8), 10 + 2.57 * sin(pi / 8)]])
    assert_near(moved.heading, [0.3625 * pi])
    assert_near(moved.speed, [5.14])
    assert_near(moved.turn_rate, [0.475 * pi])


def test_by_default_a_step_is_ten_sub_steps_of_a_hundredth_of_a_second() -> None:
    # A tenth of a second at 10 units/s, turning by a tenth of π, about a chord: Σ 0.1 cos(k π/100), k = 0 … 9.
    moved = SingleIntegrator().move(agents((10, 10, 0)), jnp.array([[1.0, 1.0]]), WALLS)
    angles = np.arange(10) * pi / 100
    assert_near(moved.position, [[10 + 0.1 * np.cos(angles).sum(), 10 + 0.1 * np.sin(angles).sum()]])
    assert_near(moved.heading, [pi / 10])


def test_friction_leaves_99_percent_of_the_velocities_per_sub_step() -> None:
    # v = 0.99¹⁰; the way is 0.01 · Σ 0.99ᵏ, k = 1 … 10, = 0.99 (1 − 0.99¹⁰).
    moved = DoubleIntegrator().move(agents((10, 10, 0, 1, 1)), jnp.zeros((1, 2)), WALLS)
    assert_near(moved.speed, [0.99**10])
    assert_near(moved.turn_rate, [0.99**10])
    assert_near(moved.heading, [0.99 * (1 - 0.99**10)])


@pytest.mark.parametrize("body", [SingleIntegrator(), DoubleIntegrator()])
def test_actions_beyond_one_are_clipped(body: SingleIntegrator | DoubleIntegrator) -> None:
    swarm = body.at_rest(jnp.array([[10.0, 10.0], [10.0, 10.0]]), jnp.zeros(2))
    moved = body.move(swarm, jnp.array([[7.0, -3.0], [1.0, -1.0]]), WALLS)
    for column in moved:
        if column is not None:
            np.testing.assert_array_equal(column[0], column[1])


def test_a_double_integrator_never_exceeds_its_top_speed_and_turn_rate() -> None:
    body = DoubleIntegrator(velocity_kept=1.0)
    forth_and_back = agents((10, 10, 0, 9.95, -3.1), (10, 10, 0, -9.95, 3.1))
    moved = body.move(forth_and_back, jnp.array([[1.0, -1.0], [-1.0, 1.0]]), WALLS)
    assert_near(moved.speed, [10.0, -10.0])
    assert_near(moved.turn_rate, [-pi, pi])


def test_agents_can_drive_backwards() -> None:
    moved = SingleIntegrator().move(agents((10, 10, pi / 2)), jnp.array([[-1.0, 0.0]]), WALLS)
    assert_near(moved.position, [[10, 9]])


def test_headings_stay_between_zero_and_one_full_turn() -> None:
    swarm = agents((10, 10, 3 * pi / 2), (10, 10, pi / 2))
    moved = SingleIntegrator(**TWO_HALVES).move(swarm, jnp.array([[0.0, 1.0], [0.0, -1.0]]), WALLS)
    assert_near(moved.heading, [pi / 2, 3 * pi / 2])


def test_an_agent_slides_along_the_wall_it_runs_into() -> None:
    # One unit towards the north-east is 0.7071 each; the east wall stands 0.5 away.
    moved = SingleIntegrator().move(agents((99.5, 20, pi / 4)), jnp.array([[1.0, 0.0]]), WALLS)
    assert_near(moved.position, [[100, 20 + 1 / sqrt(2)]])


def test_an_agent_in_a_corner_stays_there() -> None:
    moved = SingleIntegrator().move(agents((0, 40, 3 * pi / 4)), jnp.array([[1.0, 0.0]]), WALLS)
    assert_near(moved.position, [[0, 40]])


def test_walls_stop_the_way_but_not_the_speed() -> None:
    moved = DoubleIntegrator(velocity_kept=1.0).move(agents((99.9, 20, 0, 5, 0)), jnp.zeros((1, 2)), WALLS)
    assert_near(moved.position, [[100, 20]])
    assert_near(moved.speed, [5])


def test_on_a_torus_an_agent_enters_on_the_other_side() -> None:
    swarm = agents((99.5, 20, 0), (50, 0.25, -pi / 2))
    moved = SingleIntegrator().move(swarm, jnp.array([[1.0, 0.0], [1.0, 0.0]]), PERIODIC)
    assert_near(moved.position, [[0.5, 20], [50, 39.25]])


def test_double_integrators_start_at_rest() -> None:
    swarm = DoubleIntegrator().at_rest(jnp.ones((3, 2)), jnp.ones(3))
    np.testing.assert_array_equal(swarm.speed, np.zeros(3))
    np.testing.assert_array_equal(swarm.turn_rate, np.zeros(3))


def test_single_integrators_have_no_velocities() -> None:
    swarm = SingleIntegrator().at_rest(jnp.ones((3, 2)), jnp.ones(3))
    assert swarm.speed is None
    assert swarm.turn_rate is None


def test_a_double_integrator_refuses_agents_without_velocities() -> None:
    with pytest.raises(SwarmbedError, match="need a speed and a turn_rate"):
        DoubleIntegrator().move(agents((10, 10, 0)), jnp.zeros((1, 2)), WALLS)
