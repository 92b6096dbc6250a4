"""What the tests of controllers share."""

from collections.abc import Callable
from functools import cache
from typing import Any

import jax
import numpy as np
import pytest


@pytest.fixture(scope="session")
def act(quick_jit: Callable[..., Any]) -> Callable[..., Any]:
    """``act(controller, task, state)``: the actions, compiled once per controller and task."""
    key = jax.random.key(0)
    compiled = cache(lambda controller, task: quick_jit(lambda state: controller.control(task, state, key)))
    return lambda controller, task, state: np.asarray(compiled(controller, task)(state))
