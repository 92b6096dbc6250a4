"""What every environment of this package holds: running swarms, NumPy in and out."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from swarmbed.interop import swarms
from swarmbed.spec.errors import SwarmbedError, shown
from swarmbed.tasks.base import State, Task

RENDER_MODES = ["rgb_array"]


class Episodes:
    """Swarms of one task. Actions are rows of agents, swarm after swarm, or with ``joint`` rows of whole swarms;
    ``owner`` names in errors whose they are."""

    def __init__(
        self,
        task: Task,
        *,
        num_swarms: int = 1,
        owner: str,
        joint: bool = False,
        flatten: bool = False,
        autoreset: swarms.Autoreset = "none",
        render_mode: str | None = None,
    ) -> None:
        if render_mode is not None and render_mode not in RENDER_MODES:
            raise SwarmbedError(f"render_mode must be {RENDER_MODES[0]} or left out, not {render_mode!r}")
        self.task, self.num_swarms, self.owner = task, num_swarms, owner
        self.flatten, self.autoreset, self.render_mode = flatten, autoreset, render_mode
        agents = (num_swarms, task.num_agents) if joint else (num_swarms * task.num_agents,)
        self.action_shape = (*agents, task.action_size)
        self.swarms: swarms.Swarms | None = None
        self.present: Any = None  # which agents are present, (swarms, N)
        self.camera: Any = None

    def reset(self, seeds: Sequence[int] | None) -> swarms.View:
        """New episodes. Without seeds the random numbers continue where they are."""
        if seeds is not None:
            keys = swarms.seeded(seeds)
        elif self.swarms is not None:
            keys = self.swarms.keys
        else:
            first = swarms.fresh_seed()
            keys = swarms.seeded([first + i for i in range(self.num_swarms)])
        self.swarms, view = swarms.begin(self.task, keys, flatten=self.flatten)
        view = _as_numpy(view)
        self.present = view.present
        return view

    def restart(self, which: np.ndarray) -> swarms.View:
        """New episodes for some of the swarms."""
        self.swarms, view = swarms.restart(self.task, self.begun("reset"), which, flatten=self.flatten)
        view = _as_numpy(view)
        self.present = view.present
        return view

    def step(self, actions: Any) -> swarms.Outcome:
        """One time step of all swarms."""
        action = self._checked(actions)
        self.swarms, outcome = swarms.advance(
            self.task, self.begun("step"), action, flatten=self.flatten, autoreset=self.autoreset
        )
        outcome = _as_numpy(outcome)
        self.present = outcome.view.present
        return outcome

    def state(self, index: int = 0) -> State:
        """The current state of one swarm."""
        taken: State = jax.tree.map(lambda leaf: leaf[index], self.begun("state").state)
        return taken

    def frames(self) -> tuple[np.ndarray, ...] | None:
        """A picture of the current state of each swarm; None without a render mode."""
        if self.render_mode is None:
            return None
        self.begun("render")
        if self.camera is None:
            from swarmbed.interop.frames import Camera  # the drawing library takes a second to load

            self.camera = Camera(self.task)
        return tuple(self.camera.picture(self.state(i)) for i in range(self.num_swarms))

    def begun(self, what: str) -> swarms.Swarms:
        """The swarms, or an error that says what was called too early."""
        if self.swarms is None:
            raise SwarmbedError(f"{what} was called before reset; call reset() first")
        return self.swarms

    def _checked(self, actions: Any) -> np.ndarray:
        """Actions as one array of numbers."""
        self.begun("step")
        try:
            array = np.asarray(actions, np.float32)
        except (TypeError, ValueError):
            raise SwarmbedError(f"actions of {self.owner} must be numbers, not {shown(actions)}") from None
        if array.shape != self.action_shape:
            raise SwarmbedError(f"actions of {self.owner} must have shape {self.action_shape}, not {array.shape}")
        if not np.isfinite(array).all():
            raise SwarmbedError(f"actions of {self.owner} must be finite numbers, but hold NaN or infinity")
        return array


def metadata(task: Task) -> dict[str, Any]:
    """The environments' metadata on pictures: the modes, and the number of steps per second of simulated time."""
    seconds = getattr(task, "control_seconds", None)
    return {"render_modes": list(RENDER_MODES), "render_fps": max(round(1 / seconds), 1) if seconds else 10}


def state_vector(state: State) -> np.ndarray:
    """All numbers of a state, one after another; random keys among them are left out."""
    return np.concatenate([np.ravel(leaf) for leaf in _numbers(state)]).astype(np.float32)


def state_size(task: Task) -> int:
    return sum(leaf.size for leaf in _numbers(jax.eval_shape(task.initial, jax.random.key(0))))


def _numbers(state: State) -> list[Array]:
    keys = (jax.dtypes.prng_key, jnp.unsignedinteger)  # the latter: a key as it is kept among plain arrays
    return [leaf for leaf in jax.tree.leaves(state) if not any(jnp.issubdtype(leaf.dtype, kind) for kind in keys)]


def _as_numpy(tree: Any) -> Any:
    """Arrays that belong to the caller, who may write into them."""
    return jax.tree.map(np.array, tree)
