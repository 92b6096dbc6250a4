"""PPO: its first step against the reference, its clip, and when it stops."""

from dataclasses import replace
from typing import Any

import jax
import numpy as np
import pytest
from trpo_by_hand import (
    NETWORK,
    Arrays,
    Samples,
    as_type,
    from_params,
    gradient,
    named,
    random_problem,
    surrogate_and_kl,
)

from swarmbed import SwarmbedError
from swarmbed.algorithms.base import Update
from swarmbed.algorithms.ppo import Ppo

KEY = jax.random.key(0)
ONE_STEP = Ppo(epochs=1, minibatch=100, learning_rate=0.01, largest_gradient=1e6, stop_at_kl=1e6)


@pytest.fixture(scope="module")
def update(quick_jit: Any) -> Any:
    """``update(algorithm, theta, samples)``."""
    programs: dict[Ppo, Any] = {}

    def call(algorithm: Ppo, theta: Arrays, samples: Samples, dtype: Any = np.float32) -> Update:
        run = lambda p, b: algorithm.update(NETWORK, p, algorithm.memory(p), b, KEY)  # noqa: E731
        program = programs.setdefault(algorithm, quick_jit(run))
        found: Update = jax.tree.map(np.asarray, program(*as_type(dtype, theta, samples)))
        return found

    return call


def same(found: Update, theta: Arrays) -> bool:
    return all(np.array_equal(array, theta[name].astype("f")) for name, array in from_params(found.params).items())


def test_the_first_step_is_adams_along_the_policy_gradient(float64: None, update: Any) -> None:
    # At the start the ratio is 1 and nothing is clipped; Adam's first step is η g/(|g| + 10⁻⁸), upwards.
    theta, samples = random_problem(0, samples=100)
    uphill = named(gradient(theta, samples))
    found = update(ONE_STEP, theta, samples, float)
    for name, array in from_params(found.params).items():
        expected = theta[name] + 0.01 * uphill[name] / (np.abs(uphill[name]) + 1e-8)
        assert array == pytest.approx(expected, abs=1e-8), name
    surrogate, kl = surrogate_and_kl(from_params(found.params), theta["log_std"], samples)
    start, _ = surrogate_and_kl(theta, theta["log_std"], samples)
    assert [found.kl, found.surrogate, found.accepted] == pytest.approx([kl, surrogate - start, 1], rel=1e-6)


def test_the_entropy_bonus_widens_the_policy(update: Any) -> None:
    # Entropy grows by 1 per unit of log σ and depends on nothing else: without advantages only log σ moves, by η.
    theta, samples = random_problem(1, samples=100)
    samples = samples._replace(advantage=np.zeros(100))
    found = from_params(update(replace(ONE_STEP, entropy_bonus=0.5), theta, samples).params)
    assert found["log_std"] == pytest.approx(theta["log_std"] + 0.01, abs=1e-6)
    assert all(np.array_equal(found[name], theta[name].astype("f")) for name in theta if name != "log_std")


@pytest.mark.parametrize(
    ("shift", "sign", "moves"),
    [
        (0.5, 1, False),  # the ratio is far above 1 + ε and a good action: no more of that
        (0.5, -1, True),  # above, but a bad action: back
        (-0.5, 1, True),  # far below 1 − ε and a good action: back
        (-0.5, -1, False),  # below and a bad action: no more of that
        (0.0, 1, True),
    ],
)
def test_the_gradient_stops_where_the_ratio_has_left_the_clip(
    shift: float, sign: int, moves: bool, update: Any
) -> None:
    # Actions lie one deviation above the mean. Had the old mean been lower by half a deviation, the new density would
    # be larger by e^{(1.5² − 1)/2} = 1.87 per number; had it been higher, smaller by e^{(0.5² − 1)/2} = 0.69.
    theta, samples = random_problem(2, samples=100)
    deviation = np.exp(theta["log_std"])
    samples = samples._replace(
        action=samples.mean + deviation, mean=samples.mean - shift * deviation, advantage=np.full(100, float(sign))
    )
    assert same(update(ONE_STEP, theta, samples), theta) is not moves


def test_nothing_moves_once_the_divergence_is_too_large(update: Any) -> None:
    # Half a deviation in each of two numbers: KL = 2 · ½ · 0.25 = 0.25.
    theta, samples = random_problem(3, samples=100)
    samples = samples._replace(mean=samples.mean + 0.5 * np.exp(theta["log_std"]))
    assert same(update(replace(ONE_STEP, stop_at_kl=0.24), theta, samples), theta)
    assert not same(update(replace(ONE_STEP, stop_at_kl=0.26), theta, samples), theta)


def test_gradients_longer_than_allowed_are_shortened(update: Any) -> None:
    # Adam's step keeps its length whatever the gradient's, but its memory holds 0.1 · g: there the cut shows.
    theta, samples = random_problem(4, samples=100)
    uphill = gradient(theta, samples)
    assert np.linalg.norm(uphill) > 0.01
    memory = update(replace(ONE_STEP, largest_gradient=0.01), theta, samples).memory
    first_moment = memory[1][0].mu
    assert np.linalg.norm(np.concatenate([leaf.ravel() for leaf in jax.tree.leaves(first_moment)])) == pytest.approx(
        0.1 * 0.01, rel=1e-3
    )


def test_advantages_that_are_no_numbers_change_neither_policy_nor_memory(update: Any) -> None:
    theta, samples = random_problem(5, samples=100)
    advantage = samples.advantage.copy()
    advantage[3] = np.nan
    found = update(ONE_STEP, theta, samples._replace(advantage=advantage))
    assert same(found, theta)
    assert [float(number) for number in (found.accepted, found.kl, found.surrogate)] == [0, 0, 0]
    assert all(np.all(leaf == 0) for leaf in jax.tree.leaves(found.memory))


@pytest.mark.parametrize("name", ["clip", "epochs", "minibatch", "learning_rate", "largest_gradient", "stop_at_kl"])
def test_a_wrong_setting_is_named(name: str) -> None:
    with pytest.raises(SwarmbedError, match=f"{name} must be a (whole number of at least 1|number above 0), not 0"):
        Ppo(**{name: 0})  # type: ignore[arg-type]
