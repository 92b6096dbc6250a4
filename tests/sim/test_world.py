"""Worlds: displacements, borders, and the largest distance there can be. Non-square on purpose."""

import jax.numpy as jnp
import numpy as np

from swarmbed.sim.world import Closed, Torus


def test_the_largest_distance_in_a_closed_world_is_its_diagonal() -> None:
    assert Closed(60.0, 80.0).diameter == 100.0


def test_the_largest_distance_on_a_torus_is_half_the_diagonal() -> None:
    assert Torus(60.0, 80.0).diameter == 50.0


def test_displacements_in_a_closed_world_are_left_alone() -> None:
    dx, dy = Closed(100.0, 40.0).nearest(jnp.array([70.0, -99.0]), jnp.array([-39.0, 25.0]))
    np.testing.assert_array_equal(dx, [70.0, -99.0])
    np.testing.assert_array_equal(dy, [-39.0, 25.0])


def test_displacements_on_a_torus_go_to_the_nearest_image() -> None:
    # 70 east of 100 is 30 west; 25 north of 40 is 15 south; 30 and 15 are already the shortest way.
    dx, dy = Torus(100.0, 40.0).nearest(jnp.array([70.0, -70.0, 30.0]), jnp.array([25.0, -25.0, 15.0]))
    np.testing.assert_array_equal(dx, [-30.0, 30.0, 30.0])
    np.testing.assert_array_equal(dy, [-15.0, 15.0, 15.0])


def test_walls_clamp_x_and_y_separately() -> None:
    x, y = Closed(100.0, 40.0).confine(jnp.array([105.0, -3.0, 50.0]), jnp.array([20.0, 42.0, 10.0]))
    np.testing.assert_array_equal(x, [100.0, 0.0, 50.0])
    np.testing.assert_array_equal(y, [20.0, 40.0, 10.0])


def test_a_torus_wraps_x_and_y_at_their_own_lengths() -> None:
    x, y = Torus(100.0, 40.0).confine(jnp.array([105.0, -3.0, 50.0]), jnp.array([-5.0, 42.0, 10.0]))
    np.testing.assert_array_equal(x, [5.0, 97.0, 50.0])
    np.testing.assert_array_equal(y, [35.0, 2.0, 10.0])


def test_a_point_on_the_far_border_of_a_torus_wraps_to_zero() -> None:
    x, y = Torus(100.0, 40.0).confine(jnp.array([100.0]), jnp.array([40.0]))
    assert (float(x[0]), float(y[0])) == (0.0, 0.0)


def test_a_tiny_negative_coordinate_does_not_wrap_to_the_far_border_itself() -> None:
    # In float32, 100 − 1e-9 rounds to 100, which is outside of [0, 100).
    x, _ = Torus(100.0, 40.0).confine(jnp.array([-1e-9]), jnp.array([0.0]))
    assert x[0] < 100.0
