"""Prints the table on credit in docs/learning.md: ``python docs/make_credit.py``, ten minutes of one core.

The policy gradient of one policy, estimated from several batches: how much do the estimates agree when pursuers learn
from all captures, and when each learns from those around it?
"""

from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree

import swarmbed
from swarmbed.algorithms.base import PolicyParams
from swarmbed.algorithms.trpo import Trpo, policy_gradient
from swarmbed.learn import rollout
from swarmbed.learn.experience import act_with, collect, make_batch
from swarmbed.learn.learner import Learner

POLICY = "multi-pursuit-nn-basic"
RADII = (None, 25.0)
WARM_UP, BATCHES = 10, 8  # iterations that fit the critic, then batches whose gradients are compared
LOG_STD = -0.7


def gradients(radius: float | None) -> tuple[np.ndarray, float]:
    """One gradient per batch, and the share of the variance that the critic explains."""
    policy = swarmbed.load_policy(POLICY)
    task: Any = replace(policy.task, credit_radius=radius)
    learner = Learner(task, policy.embedding, Trpo(initial_log_std=LOG_STD))
    params = PolicyParams(policy.params.network, jnp.full(task.action_size, LOG_STD))
    model, value, algorithm, how = learner.policy_model, learner.value, learner.algorithm, learner.sampling()
    assert value is not None

    @partial(jax.jit, donate_argnums=0)
    def look(environments: Any, critic: Any, key: Any) -> Any:
        run_key, batch_key, fit_key = jax.random.split(key, 3)
        environments, segment = collect(task, act_with(task, model, params), environments, run_key, how)
        batch = make_batch(task, value, critic, algorithm, segment, batch_key, how)  # type: ignore[arg-type]
        gradient = ravel_pytree(policy_gradient(model, params, batch))[0]
        explained = 1 - jnp.var(batch.target - batch.value) / jnp.var(batch.target)
        return environments, value.fit(critic, batch, fit_key), gradient, explained

    environments = rollout.start(task, jax.random.key(0), how.environments)
    critic, found = value.init(jax.random.key(1)), []
    for key in jax.random.split(jax.random.key(2), WARM_UP + BATCHES):
        environments, fitted, gradient, explained = look(environments, critic, key)
        found.append(np.asarray(gradient, float))
        # A critic that follows the last batch errs the other way in the next: what is compared has one critic.
        critic = fitted if len(found) <= WARM_UP else critic
    return np.stack(found[WARM_UP:]), float(explained)


def main() -> None:
    headings = (
        "what a pursuer learns from",
        "agreement of two such gradients (mean cosine)",
        "variance that the critic explains",
    )
    print(f"| {' | '.join(headings)} |\n|---|---|---|")
    for radius in RADII:
        found, explained = gradients(radius)
        unit = found / np.linalg.norm(found, axis=1, keepdims=True)
        agreement = np.mean([one @ other for one, other in combinations(unit, 2)])
        name = "all captures" if radius is None else f"captures within {radius:g} units"
        print(f"| {name} | {agreement:.2f} | {explained:.2f} |", flush=True)


if __name__ == "__main__":
    main()
