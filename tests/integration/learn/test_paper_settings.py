"""The paper's settings keep their numbers: four iterations of two small learners, recorded with version 0.1's code.

On one machine with the compiler options of a training run the numbers were equal bit for bit; here the tolerance is for
other machines and quicker compilations.
"""

from typing import Any

import jax
import numpy as np
import pytest

from swarmbed.algorithms.ppo import Ppo
from swarmbed.algorithms.trpo import Trpo
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.tasks import make

NAMES = ("mean_return", "kl", "surrogate", "explained_variance")
RECORDED: Any = {
    "rendezvous": (Trpo(), (-7.409916, 0.005595419, 0.02119325, 0.01590019)),
    "pursuit": (Ppo(minibatch=200), (-11.2937, 0.001267188, 0.004893974, -0.01460016)),
}


@pytest.mark.parametrize("name", RECORDED)
def test_what_is_off_by_default_changes_no_number(name: str, quick_jit: Any) -> None:
    algorithm, wanted = RECORDED[name]
    assert (algorithm.critic, algorithm.shared_noise) == ("own", 0)
    task = make(name, num_agents={"rendezvous": 6, "pursuit": 5}[name], horizon=24)
    learner = Learner(task, algorithm=algorithm, batch=BatchSettings(environments=8, segment=16, sampled_agents=4))
    state, iterate = quick_jit(learner.init)(jax.random.key(5)), quick_jit(learner.iterate)
    for _ in range(4):
        state, metrics = iterate(state)
    np.testing.assert_allclose([float(metrics[n]) for n in NAMES], wanted, rtol=5e-3, atol=1e-4)
