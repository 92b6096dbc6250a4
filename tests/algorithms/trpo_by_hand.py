"""TRPO once more, in numpy, with explicit matrices: slow, small and easy to check against the formulas.

The network is the smallest that has every part: one set of three slots with three numbers each, four units of φ, mean
pooling, two local properties, four hidden units, two action numbers. Parameters are one dictionary of named arrays.
"""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from swarmbed.algorithms.base import Batch, PolicyParams
from swarmbed.embeddings.base import SetLayout
from swarmbed.embeddings.neural import Neural
from swarmbed.networks.perceptron import PerceptronModel
from swarmbed.spec.observation import Layout
from swarmbed.tasks.base import Observation, ObservedSet

NETWORK = PerceptronModel(Layout(2, (SetLayout(3, 3, True),)), 2, Neural(features=(4,)), (4,))
SHAPES = {"W1": (3, 4), "b1": (4,), "W2": (6, 4), "b2": (4,), "W3": (4, 2), "b3": (2,), "log_std": (2,)}
Arrays = dict[str, np.ndarray]


class Samples(NamedTuple):
    """A batch in numpy, before anything is prepared."""

    elements: np.ndarray
    mask: np.ndarray
    local: np.ndarray
    action: np.ndarray
    mean: np.ndarray
    advantage: np.ndarray


def random_problem(seed: int, samples: int = 20) -> tuple[Arrays, Samples]:
    """Weights, and actions drawn from the policy that they make; some sets are empty, the first one always."""
    generator = np.random.default_rng(seed)
    theta = {name: generator.normal(scale=0.7, size=shape) for name, shape in SHAPES.items()}
    elements, local = generator.normal(size=(samples, 3, 3)), generator.normal(size=(samples, 2))
    mask = generator.random((samples, 3)) < 0.6
    mask[0] = False
    mean = forward(theta, elements, mask, local)
    action = mean + np.exp(theta["log_std"]) * generator.normal(size=mean.shape)
    advantage = generator.normal(size=samples)
    return theta, Samples(elements, mask, local, action, mean, (advantage - advantage.mean()) / advantage.std())


def forward(theta: Arrays, elements: np.ndarray, mask: np.ndarray, local: np.ndarray) -> np.ndarray:
    features = np.maximum(elements @ theta["W1"] + theta["b1"], 0) * mask[..., None]
    embedding = features.sum(1) / np.maximum(mask.sum(1), 1)[:, None]
    hidden = np.maximum(np.concatenate([embedding, local], 1) @ theta["W2"] + theta["b2"], 0)
    return hidden @ theta["W3"] + theta["b3"]


def flat(theta: Arrays) -> np.ndarray:
    return np.concatenate([theta[name].ravel() for name in SHAPES])


def named(vector: np.ndarray) -> Arrays:
    ends = np.cumsum([np.prod(shape) for shape in SHAPES.values()])
    parts = zip(np.split(vector, ends[:-1]), SHAPES.items(), strict=True)
    return {name: part.reshape(shape) for part, (name, shape) in parts}


def jacobian(theta: Arrays, elements: np.ndarray, mask: np.ndarray, local: np.ndarray) -> np.ndarray:
    """d mean / d θ of one sample, (2, parameters), by the chain rule written out."""
    before = elements @ theta["W1"] + theta["b1"]
    count = max(mask.sum(), 1)
    embedding = (np.maximum(before, 0) * mask[:, None]).sum(0) / count
    inputs = np.concatenate([embedding, local])
    inner = inputs @ theta["W2"] + theta["b2"]
    rows = []
    for output in range(2):
        back = {name: np.zeros(shape) for name, shape in SHAPES.items()}
        back["W3"][:, output], back["b3"][output] = np.maximum(inner, 0), 1.0
        to_inner = theta["W3"][:, output] * (inner > 0)
        back["W2"], back["b2"] = np.outer(inputs, to_inner), to_inner
        to_features = (before > 0) * mask[:, None] * (theta["W2"][:4] @ to_inner) / count
        back["W1"], back["b1"] = elements.T @ to_features, to_features.sum(0)
        rows.append(flat(back))
    return np.stack(rows)


def jacobians(theta: Arrays, samples: Samples) -> np.ndarray:
    return np.stack([jacobian(theta, *row) for row in zip(samples.elements, samples.mask, samples.local, strict=True)])


def gradient(theta: Arrays, samples: Samples) -> np.ndarray:
    """E[∇ log π(a) Â]."""
    precision = np.exp(-2 * theta["log_std"])
    error = samples.action - forward(theta, samples.elements, samples.mask, samples.local)
    per_sample = np.einsum("bop,bo->bp", jacobians(theta, samples), error * precision)
    per_sample[:, -2:] += np.square(error) * precision - 1
    return (per_sample * samples.advantage[:, None]).mean(0)


def fisher_matrix(theta: Arrays, samples: Samples) -> np.ndarray:
    """E[Jᵀ diag(1/σ²) J], and 2 on the diagonal for every log-deviation."""
    jacobian = jacobians(theta, samples)
    matrix = np.einsum("bop,o,boq->pq", jacobian, np.exp(-2 * theta["log_std"]), jacobian) / len(jacobian)
    return matrix + np.diag(flat({name: np.full(shape, 2.0 * (name == "log_std")) for name, shape in SHAPES.items()}))


def surrogate_and_kl(theta: Arrays, old_log_std: np.ndarray, samples: Samples) -> tuple[float, float]:
    def log_density(mean: np.ndarray, log_std: np.ndarray) -> np.ndarray:
        return (-0.5 * np.square((samples.action - mean) / np.exp(log_std)) - log_std).sum(1)

    mean, log_std = forward(theta, samples.elements, samples.mask, samples.local), theta["log_std"]
    ratio = np.exp(log_density(mean, log_std) - log_density(samples.mean, old_log_std))
    scaled = (np.exp(2 * old_log_std) + np.square(samples.mean - mean)) / (2 * np.exp(2 * log_std))
    return float((ratio * samples.advantage).mean()), float((log_std - old_log_std + scaled - 0.5).sum(1).mean())


class Step(NamedTuple):
    theta: Arrays
    kl: float
    surrogate: float
    halvings: int


def trpo_step(theta: Arrays, samples: Samples, kl_bound: float) -> Step:
    """The whole update as the paper's settings have it: damping 0.1, 10 steps of conjugate gradients, every fifth."""
    few = Samples(*(array[::5] for array in samples))
    matrix = fisher_matrix(theta, few) + 0.1 * np.eye(len(flat(theta)))
    target = gradient(theta, samples)
    direction, residual, search = np.zeros_like(target), target.copy(), target.copy()
    for _ in range(10):
        if residual @ residual <= 1e-10:
            break
        rate = residual @ residual / (search @ matrix @ search)
        direction = direction + rate * search
        smaller = residual - rate * matrix @ search
        search = smaller + (smaller @ smaller) / (residual @ residual) * search
        residual = smaller
    step = np.sqrt(2 * kl_bound / (direction @ matrix @ direction)) * direction
    start, _ = surrogate_and_kl(theta, theta["log_std"], samples)
    for halvings in range(10):
        candidate = named(flat(theta) + step / 2**halvings)
        surrogate, kl = surrogate_and_kl(candidate, theta["log_std"], samples)
        if surrogate >= start and kl <= 1.5 * kl_bound:
            return Step(candidate, kl, surrogate - start, halvings)
    raise AssertionError("the line search found nothing")


# Between these arrays and the project's own.


def to_params(theta: Arrays) -> PolicyParams:
    layer = lambda number: {"weight": jnp.array(theta[f"W{number}"]), "bias": jnp.array(theta[f"b{number}"])}  # noqa: E731
    weights = {"embeddings": ((layer(1),),), "head": (layer(2), layer(3))}
    return PolicyParams(weights, jnp.array(theta["log_std"]))


def from_params(params: PolicyParams) -> Arrays:
    layers = [params.network["embeddings"][0][0], *params.network["head"]]
    arrays = {f"{short}{i}": layer[name] for i, layer in enumerate(layers, 1) for short, name in PARTS.items()}
    return {name: np.asarray(array) for name, array in (arrays | {"log_std": params.log_std}).items()}


PARTS = {"W": "weight", "b": "bias"}


def to_batch(samples: Samples) -> Batch:
    observed = ObservedSet(jnp.array(samples.elements), jnp.array(samples.mask))
    inputs = NETWORK.prepare(Observation(jnp.array(samples.local), (observed,)))
    action, mean, advantage = map(jnp.array, (samples.action, samples.mean, samples.advantage))
    return Batch(inputs, action, mean, advantage, jnp.zeros_like(advantage), jnp.zeros_like(advantage))


def as_type(dtype: Any, theta: Arrays, samples: Samples) -> tuple[PolicyParams, Batch]:
    """Both as the project's own data, in single or double precision; masks stay as they are."""
    theta = {name: array.astype(dtype) for name, array in theta.items()}
    cast = (array if array.dtype == bool else array.astype(dtype) for array in samples)
    return to_params(theta), to_batch(Samples(*cast))
