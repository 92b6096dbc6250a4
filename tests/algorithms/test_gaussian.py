"""The diagonal Gaussian against scipy and against integrals."""

from math import log

import jax.numpy as jnp
import numpy as np
import pytest
from scipy import integrate, stats

from swarmbed.algorithms import gaussian

MEAN, LOG_STD = np.array([[0.5, -1.0], [0.0, 2.0]]), np.array([0.3, -0.7])
NEW_MEAN, NEW_LOG_STD = np.array([[0.1, -0.8], [0.4, 2.5]]), np.array([0.1, -0.2])
pytestmark = pytest.mark.usefixtures("float64")


def test_the_log_probability_is_scipys() -> None:
    action = np.array([[1.0, -2.0], [0.3, 1.9]])
    expected = stats.norm(MEAN, np.exp(LOG_STD)).logpdf(action).sum(-1)
    found = gaussian.log_probability(jnp.array(MEAN), jnp.array(LOG_STD), jnp.array(action))
    assert np.asarray(found) == pytest.approx(expected, abs=1e-12)


def test_a_standard_normal_at_its_mean_by_hand() -> None:
    # Two numbers: −½ · 2 · log 2π.
    zero = jnp.zeros(2)
    assert gaussian.log_probability(zero, zero, zero) == pytest.approx(-log(2 * np.pi), abs=1e-12)


def test_the_entropy_is_scipys() -> None:
    expected = stats.norm(0, np.exp(LOG_STD)).entropy().sum()
    assert gaussian.entropy(jnp.array(LOG_STD)) == pytest.approx(expected, abs=1e-12)


def test_the_divergence_is_the_integral_that_defines_it() -> None:
    def integral(sample: int, number: int) -> float:
        old = stats.norm(MEAN[sample, number], np.exp(LOG_STD[number]))
        new = stats.norm(NEW_MEAN[sample, number], np.exp(NEW_LOG_STD[number]))
        integrand = lambda x: old.pdf(x) * (old.logpdf(x) - new.logpdf(x))  # noqa: E731
        return float(integrate.quad(integrand, *(old.mean() + old.std() * np.array([-12, 12])))[0])

    expected = [integral(sample, 0) + integral(sample, 1) for sample in (0, 1)]
    found = gaussian.divergence(*map(jnp.array, (MEAN, LOG_STD, NEW_MEAN, NEW_LOG_STD)))
    assert np.asarray(found) == pytest.approx(expected, abs=1e-8)


def test_the_divergence_of_a_shift_by_one_deviation_is_one_half() -> None:
    one, zero = jnp.ones(1), jnp.zeros(1)
    assert gaussian.divergence(zero, zero, one, zero) == pytest.approx(0.5)


def test_nothing_diverges_from_itself() -> None:
    same = map(jnp.array, (MEAN, LOG_STD, MEAN, LOG_STD))
    assert np.asarray(gaussian.divergence(*same)) == pytest.approx(0.0, abs=1e-15)
