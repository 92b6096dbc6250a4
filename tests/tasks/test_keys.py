"""Every random key is used once: JAX's own checker watches the starts and steps of all tasks."""

from typing import Any

import jax
import pytest

import swarmbed

TASKS = ["rendezvous", "rendezvous-local", "pursuit", "pursuit-local", "multi-pursuit"]


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize(
    "settings", [{}, {"sizes": (2, 3), "loss_rate": 0.1, "join_rate": 0.1}], ids=["fixed", "fluid"]
)
def test_no_key_is_used_twice(name: str, settings: dict[str, Any]) -> None:
    task = swarmbed.make(name, num_agents=3, substeps=1, **settings)

    def begin_and_step(start_key: Any, action_key: Any, step_key: Any) -> Any:
        return task.advance(step_key, task.initial(start_key), task.sample_action(action_key))

    with jax.debug_key_reuse(True):  # it looks at the trace; nothing has to be compiled
        jax.jit(begin_and_step).trace(*(jax.random.key(seed) for seed in range(3)))


def test_the_checker_would_notice() -> None:
    def twice(key: Any) -> Any:
        return jax.random.uniform(key) + jax.random.normal(key)

    with jax.debug_key_reuse(True), pytest.raises(jax.errors.KeyReuseError):
        jax.jit(twice).trace(jax.random.key(0))
