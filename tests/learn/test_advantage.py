"""Generalised advantage estimation, worked by hand with γ = λ = ½ and against the double sum that defines it."""

from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.learn.advantage import advantages, next_values

REWARD, VALUE, NEXT = [1.0, 2.0, 3.0], [4.0, 2.0, 8.0], [2.0, 8.0, 6.0]
NEVER = [False, False, False]


def column(numbers: Any) -> Any:
    return jnp.array(numbers)[:, None]


def estimate(terminated: Any, ended: Any, gae_lambda: float = 0.5) -> np.ndarray:
    reward, value, following, terminated, ended = map(column, (REWARD, VALUE, NEXT, terminated, ended))
    return np.asarray(advantages(reward, value, following, terminated, ended, 0.5, gae_lambda))[:, 0]


def test_within_an_episode_errors_are_summed_with_weight_gamma_lambda() -> None:
    # δ = 1 + 1 − 4 = −2,   2 + 4 − 2 = 4,   3 + 3 − 8 = −2;   γλ = ¼.
    assert estimate(NEVER, NEVER) == pytest.approx([-2 + 3.5 / 4, 4 - 2 / 4, -2])


def test_a_termination_counts_no_value_after_it() -> None:
    # The second step ends the episode for good: δ = 2 − 2 = 0, and nothing of the third reaches it.
    middle = [False, True, False]
    assert estimate(middle, middle) == pytest.approx([-2 + 0 / 4, 0, -2])


def test_a_truncation_counts_the_value_of_the_state_that_was_cut_off() -> None:
    # The second step runs out of time: δ = 2 + 4 − 2 = 4 stands, and nothing of the third reaches it.
    assert estimate(NEVER, [False, True, False]) == pytest.approx([-2 + 4 / 4, 4, -2])


def test_lambda_one_gives_discounted_returns_less_the_value() -> None:
    # Returns with the last state's value 6 behind them: 3 + 3 = 6;  2 + 3 = 5;  1 + 2.5 = 3.5.
    assert estimate(NEVER, NEVER, gae_lambda=1.0) == pytest.approx([3.5 - 4, 5 - 2, 6 - 8])


def test_it_equals_the_double_sum_over_episodes() -> None:
    generator = np.random.default_rng(0)
    steps, columns, discount, gae_lambda = 30, 4, 0.9, 0.8
    reward, value, following = generator.normal(size=(3, steps, columns))
    terminated = generator.random((steps, columns)) < 0.1
    truncated = ~terminated & (generator.random((steps, columns)) < 0.1)
    assert terminated.any() and truncated.any()

    expected = np.zeros((steps, columns))
    for c in range(columns):
        for t in range(steps):
            for later in range(t, steps):
                error = reward[later, c] - value[later, c]
                if not terminated[later, c]:
                    error += discount * following[later, c]
                expected[t, c] += (discount * gae_lambda) ** (later - t) * error
                if terminated[later, c] or truncated[later, c]:
                    break

    single = lambda array: jnp.array(array, jnp.float32)  # noqa: E731
    ended = jnp.array(terminated | truncated)
    found = advantages(
        single(reward), single(value), single(following), jnp.array(terminated), ended, discount, gae_lambda
    )
    assert np.asarray(found) == pytest.approx(expected, abs=1e-5)


def test_the_value_after_a_step_is_the_next_ones_or_the_one_that_was_cut_off() -> None:
    # Two truncations in the first column, one in the second, none in the third.
    value = jnp.array([[1.0, 10, 100], [2, 20, 200], [3, 30, 300], [4, 40, 400]])
    last = jnp.array([5.0, 50, 500])
    cut_off = jnp.array([[-1.0, -10, -100], [-2, -20, -200]])
    truncated = jnp.array([[True, False, False], [False, False, False], [True, False, False], [False, True, False]])
    assert np.asarray(next_values(value, last, cut_off, truncated)).tolist() == [
        [-1, 20, 200],
        [3, 30, 300],
        [-2, 40, 400],
        [5, -10, 500],
    ]
