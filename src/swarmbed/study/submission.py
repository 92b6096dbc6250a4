"""A user's own policy for the leaderboard: a policy file, an ONNX file, or a Python function.

A Python function is ``module:function``. It gets what agents observe as numpy arrays and returns their actions:

    def act(local, sets):
        local                 (agents, properties)
        sets                  one (elements (agents, slots, features), mask (agents, slots)) for each set
        return …              (agents, numbers per action), in units of [-1, 1]

Agents of many swarms come in one call, so a function must not carry anything from one call to the next.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax import Array
from jaxtyping import Float, PRNGKeyArray

from swarmbed.controllers.base import Controller
from swarmbed.policy.find import NamedController, as_named_controller
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.functions import function_named
from swarmbed.tasks.base import State, Task

Act = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Outside(Controller):
    """A function outside of JAX that acts on what agents observe."""

    act: Act

    def __post_init__(self) -> None:
        """A function is not a setting: there is nothing to check."""

    def control(self, task: Task, state: State, key: PRNGKeyArray) -> Float[Array, "N A"]:
        seen = task.observe(state)
        shape = jax.ShapeDtypeStruct((task.num_agents, task.action_size), np.float32)

        def call(local: Any, *arrays: Any) -> np.ndarray:
            # Several swarms at once have more axes in front; a function sees agents only.
            front, rows = local.shape[:-1], int(np.prod(local.shape[:-1]))
            flat = [np.asarray(array).reshape(rows, *array.shape[len(front) :]) for array in (local, *arrays)]
            sets = list(zip(flat[1::2], flat[2::2], strict=True))
            action = np.asarray(self.act(flat[0], sets), np.float32)
            if action.shape != (rows, task.action_size):
                raise ValueError(f"actions must have shape {(rows, task.action_size)}, not {action.shape}")
            return action.reshape(*front, task.action_size)

        arrays = [leaf for observed in seen.sets for leaf in observed]
        return jax.pure_callback(call, shape, seen.local, *arrays, vmap_method="broadcast_all")


def submitted(what: str) -> NamedController:
    """What is submitted: ``module:function``, a file that ends in .onnx, or the name of a policy or controller."""
    if Path(what).suffix == ".onnx":
        return NamedController(Path(what).stem, Outside(_onnx(Path(what))))
    if ":" in what and not Path(what).exists():
        return NamedController(what, Outside(function_named(what, "WHO")))
    return as_named_controller(what)


def _onnx(path: Path) -> Act:
    """A model with the inputs that ``swarmbed export`` writes: local, then elements and mask of each set, in order."""
    if not path.is_file():
        raise SwarmbedError(f"file {path} does not exist")
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise SwarmbedError("an ONNX file needs onnxruntime: pip install 'swarmbed[export]'") from error
    try:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has a class of its own for every kind of damage
        raise SwarmbedError(f"file {path} is not a readable ONNX model: {error}") from error
    names = [one.name for one in session.get_inputs()]

    def act(local: np.ndarray, sets: list[tuple[np.ndarray, np.ndarray]]) -> Any:
        arrays = [local.astype(np.float32)] if "local" in names else []
        for elements, mask in sets:
            arrays += [elements.astype(np.float32), mask.astype(bool)]
        return session.run(None, dict(zip(names, arrays, strict=True)))[0]

    return act
