"""TRPO against an independent reference, and the promises of a trust region."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from jax.flatten_util import ravel_pytree
from trpo_by_hand import (
    NETWORK,
    SHAPES,
    Arrays,
    Samples,
    as_type,
    fisher_matrix,
    flat,
    forward,
    from_params,
    gradient,
    jacobians,
    named,
    random_problem,
    surrogate_and_kl,
    trpo_step,
)

from swarmbed import SwarmbedError
from swarmbed.algorithms import trpo
from swarmbed.algorithms.base import Batch, PolicyParams, Update
from swarmbed.algorithms.trpo import Trpo, conjugate_gradient, fisher_products, policy_gradient

KEY = jax.random.key(0)


def updating(algorithm: Trpo) -> Callable[[PolicyParams, Batch], Update]:
    return lambda params, batch: algorithm.update(NETWORK, params, algorithm.memory(params), batch, KEY)


@pytest.fixture(scope="module")
def update(quick_jit: Any) -> Any:
    """One update with the default settings, which are the paper's."""
    return quick_jit(updating(Trpo()))


# The reference itself.


def test_the_references_jacobian_is_that_of_finite_differences() -> None:
    theta, samples = random_problem(0)
    step, columns = 1e-6, []
    for index in range(len(flat(theta))):
        move = step * (np.arange(len(flat(theta))) == index)
        ahead, behind = (forward(named(flat(theta) + sign * move), *samples[:3]) for sign in (1, -1))
        columns.append((ahead - behind) / (2 * step))
    assert jacobians(theta, samples) == pytest.approx(np.stack(columns, -1), abs=1e-8)


# Parts, in double precision.


def test_the_gradient_is_the_references(float64: None, quick_jit: Any) -> None:
    theta, samples = random_problem(1, samples=300)  # more than fit into one piece
    found = quick_jit(lambda params, batch: policy_gradient(NETWORK, params, batch))(*as_type(float, theta, samples))
    expected = named(gradient(theta, samples))
    for name, array in from_params(found).items():
        assert array == pytest.approx(expected[name], abs=1e-10), name


@pytest.mark.parametrize("kept_bytes", [trpo.KEPT_BYTES, 0], ids=["linearised once", "linearised anew"])
def test_the_fisher_product_is_the_explicit_matrix_and_the_hessian_of_the_divergence(
    kept_bytes: int, float64: None, quick_jit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trpo, "KEPT_BYTES", kept_bytes)
    theta, samples = random_problem(2, samples=300)  # more than fit into one piece
    params, batch = as_type(float, theta, samples)
    vectors = [np.random.default_rng(seed).normal(size=len(flat(theta))) for seed in range(3)]
    product = quick_jit(lambda params, batch, vector: fisher_products(NETWORK, params, batch)(vector))
    hessian = np.asarray(jax.jit(jax.hessian(lambda vector: plain_divergence(vector, samples)))(jnp.array(flat(theta))))
    assert hessian == pytest.approx(fisher_matrix(theta, samples), abs=1e-9)
    for vector in vectors:
        tangent = ravel_pytree(as_type(float, named(vector), samples)[0])[0]
        found = from_params(ravel_pytree(params)[1](product(params, batch, tangent)))
        assert flat(found) == pytest.approx(hessian @ vector, abs=1e-9)


def plain_divergence(vector: Any, samples: Samples) -> Any:
    """E[KL(π_old ‖ π)] as a function of all parameters, with a network of plain operations."""
    ends = np.cumsum([np.prod(shape) for shape in SHAPES.values()])[:-1]
    parts = [p.reshape(s) for p, s in zip(jnp.split(vector, ends), SHAPES.values(), strict=True)]
    w1, b1, w2, b2, w3, b3, log_std = parts
    features = jax.nn.relu(samples.elements @ w1 + b1) * samples.mask[..., None]
    embedding = features.sum(1) / np.maximum(samples.mask.sum(1), 1)[:, None]
    mean = jax.nn.relu(jnp.concatenate([embedding, samples.local], 1) @ w2 + b2) @ w3 + b3
    old_mean, old_log_std = jax.lax.stop_gradient((mean, log_std))
    ratio = (jnp.exp(2 * old_log_std) + jnp.square(old_mean - mean)) / (2 * jnp.exp(2 * log_std))
    return (log_std - old_log_std + ratio).sum(1).mean()


def test_conjugate_gradients_solve_a_system_in_as_many_steps_as_it_has_unknowns(float64: None) -> None:
    root = np.random.default_rng(3).normal(size=(5, 5))
    matrix, target = jnp.array(root @ root.T + 0.1 * np.eye(5)), jnp.arange(1.0, 6.0)
    found, left_over = conjugate_gradient(lambda v: matrix @ v, target, 5)
    assert np.asarray(found) == pytest.approx(np.linalg.solve(matrix, target), rel=1e-6)
    assert np.asarray(left_over) == pytest.approx(np.asarray(target - matrix @ found), abs=1e-6)


def test_conjugate_gradients_stay_where_nothing_is_left_to_solve() -> None:
    found, _ = conjugate_gradient(lambda v: 2 * v, jnp.array([2.0, -4.0, 0.0]), 10)
    assert np.asarray(found).tolist() == [1, -2, 0]


# The whole update.


@pytest.mark.parametrize(("seed", "halvings"), [(2, 0), (3, 1)])
def test_the_whole_update_is_the_references(seed: int, halvings: int, float64: None, update: Any) -> None:
    theta, samples = random_problem(seed, samples=100)
    expected = trpo_step(theta, samples, kl_bound=0.01)
    assert expected.halvings == halvings
    found: Update = update(*as_type(float, theta, samples))
    assert found.accepted == 1
    assert found.kl == pytest.approx(expected.kl, rel=1e-6)
    assert found.surrogate == pytest.approx(expected.surrogate, rel=1e-6)
    for name, array in from_params(found.params).items():
        assert array == pytest.approx(expected.theta[name], abs=1e-8), name
        assert np.abs(array - theta[name]).max() > 1e-3, f"{name} did not move"


@given(st.integers(0, 10**6))
def test_an_accepted_update_stays_in_the_trust_region_and_loses_nothing(update: Any, seed: int) -> None:
    theta, samples = random_problem(seed)
    found: Update = update(*as_type(np.float32, theta, samples))
    assert found.accepted == 1
    new = from_params(found.params)
    surrogate, kl = surrogate_and_kl(new, theta["log_std"], samples)
    start, _ = surrogate_and_kl(theta, theta["log_std"], samples)
    assert 0 < kl <= 1.5 * 0.01 + 1e-5
    assert surrogate >= start - 1e-5
    assert found.kl == pytest.approx(kl, abs=1e-4)
    assert found.surrogate == pytest.approx(surrogate - start, abs=1e-4)


def unchanged(found: Update, theta: Arrays) -> None:
    """Exactly the old parameters, and a report that says so."""
    for name, array in from_params(found.params).items():
        assert np.array_equal(array, theta[name].astype(np.float32)), name
    assert [float(number) for number in (found.accepted, found.kl, found.surrogate)] == [0, 0, 0]


def test_without_any_advantage_nothing_changes(update: Any) -> None:
    theta, samples = random_problem(5)
    unchanged(update(*as_type(np.float32, theta, samples._replace(advantage=np.zeros(20)))), theta)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_one_advantage_that_is_no_number_changes_nothing(bad: float, update: Any) -> None:
    theta, samples = random_problem(6)
    advantage = samples.advantage.copy()
    advantage[3] = bad
    unchanged(update(*as_type(np.float32, theta, samples._replace(advantage=advantage))), theta)


def test_a_line_search_that_finds_nothing_changes_nothing(quick_jit: Any) -> None:
    theta, samples = random_problem(7)
    impatient = Trpo(line_search_steps=2, kl_slack=1e-6)
    unchanged(quick_jit(updating(impatient))(*as_type(np.float32, theta, samples)), theta)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("kl_bound", 0.0),
        ("cg_steps", 0),
        ("fisher_every", 0),
        ("line_search_steps", 0),
        ("kl_slack", float("nan")),
        ("damping", -0.1),
        ("discount", 1.1),
        ("gae_lambda", -0.1),
        ("value_minibatch", 0),
        ("value_learning_rate", 0.0),
        ("value_epochs", -1),
        ("time_limit", "never"),
    ],
)
def test_a_wrong_setting_is_named(name: str, value: Any) -> None:
    with pytest.raises(SwarmbedError, match=name):
        replace(Trpo(), **{name: value})
