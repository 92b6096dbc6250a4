"""Every algorithm takes swarms of mixed sizes."""

from pathlib import Path

import jax
import jax.numpy as jnp
import pytest

import swarmbed
from swarmbed.learn.learner import BatchSettings
from swarmbed.tasks import make


@pytest.mark.parametrize(
    ("algorithm", "embedding"),
    [("trpo", "neural"), ("ppo", "neural"), ("analytic", "neural"), ("trpo", "concatenation")],
)
def test_every_algorithm_learns_from_mixed_sizes(algorithm: str, embedding: str, tmp_path: Path) -> None:
    result = swarmbed.train(
        make("pursuit", num_agents=6, sizes=(2, 4, 6), horizon=16),
        algorithm=algorithm,
        embedding=embedding,
        batch=BatchSettings(environments=4, segment=16),
        iterations=2,
        schedule=["approach_cost=1:0,0:2"],  # a setting that changes, while swarms of one size get fewer slots
        seed=0,
        progress=False,
        out=tmp_path / "run",
    )
    assert len(result.metrics) == 2
    actions = result.policy.act(result.policy.task.initial(jax.random.key(0)), jax.random.key(1))
    assert actions.shape == (6, 2) and bool(jnp.isfinite(actions).all())
