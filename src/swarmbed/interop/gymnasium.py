"""Many swarms as one Gymnasium vector environment, for training one policy that all agents share.

Each agent of each swarm is a sub-environment: number ``swarm * num_agents + agent``. The agents of a swarm share their
reward and end together, so any learner for vectorised single-agent environments trains the swarm with shared weights.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from swarmbed.interop import missing
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import Task

try:
    from gymnasium.vector import AutoresetMode, VectorEnv
    from gymnasium.vector.utils import batch_space
except ModuleNotFoundError as error:
    raise missing(error) from error

from swarmbed.interop import spaces, swarms

SUPPORTED: dict[AutoresetMode, swarms.Autoreset] = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
}


def make_vec(
    task: str,
    num_swarms: int = 1,
    *,
    flatten: bool = False,
    autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    **settings: Any,
) -> "SwarmVectorEnv":
    """Swarms of a task by name and settings, like :func:`swarmbed.make`. ``flatten`` makes observations vectors.

    >>> envs = make_vec("rendezvous", num_swarms=4, num_agents=5, flatten=True)
    >>> envs.num_envs
    20
    """
    return SwarmVectorEnv(make(task, **settings), num_swarms, flatten=flatten, autoreset_mode=autoreset_mode)


class SwarmVectorEnv(VectorEnv[Any, np.ndarray, np.ndarray]):
    """Swarms that are reset when they end. ``metadata["autoreset_mode"]`` says when: in the following step, whose
    actions are then ignored (``NEXT_STEP``), or at once, with the last observation in ``infos["final_obs"]``
    (``SAME_STEP``)."""

    def __init__(
        self,
        task: Task,
        num_swarms: int = 1,
        *,
        flatten: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        if isinstance(num_swarms, bool) or not isinstance(num_swarms, int) or num_swarms < 1:
            raise SwarmbedError(f"num_swarms must be a whole number of at least 1, not {num_swarms!r}")
        if autoreset_mode not in SUPPORTED and autoreset_mode not in [mode.value for mode in SUPPORTED]:
            allowed = " or ".join(mode.value for mode in SUPPORTED)
            raise SwarmbedError(f"autoreset_mode must be {allowed}, not {autoreset_mode!r}")
        self.task, self.num_swarms, self.flatten = task, num_swarms, flatten
        self.num_envs = num_swarms * task.num_agents
        self.metadata = {"autoreset_mode": AutoresetMode(autoreset_mode), "render_modes": []}
        self.render_mode = None
        self.single_observation_space = spaces.observation_space(task, flatten)
        self.single_action_space = spaces.action_space(task)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._swarms: swarms.Swarms | None = None

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """New episodes for all swarms. A seed s gives the swarms the seeds s, s + 1, …; a list has one for each swarm;
        without one, the random numbers go on from where they are."""
        if options and "reset_mask" in options:
            raise SwarmbedError("reset has no option 'reset_mask': swarms that end are reset by themselves")
        keys = None if self._swarms is None else self._swarms.keys
        if seed is not None or keys is None:
            keys = swarms.seeded(self._seeds(seed))
        self._swarms, view = swarms.begin(self.task, keys, flatten=self.flatten)
        view = swarms.as_numpy(view)
        return view.observation, self._infos(view.metrics, np.ones(self.num_swarms, bool))

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One time step of all swarms; ``actions`` has a row for every agent of every swarm."""
        if self._swarms is None:
            raise SwarmbedError("step was called before reset; call reset() first")
        action = swarms.checked_actions(self.task, actions, self.num_envs, "all swarms together")
        self._swarms, outcome = swarms.advance(
            self.task, self._swarms, action, flatten=self.flatten, autoreset=SUPPORTED[self.metadata["autoreset_mode"]]
        )
        outcome = swarms.as_numpy(outcome)
        infos = self._infos(outcome.view.metrics, np.ones(self.num_swarms, bool))
        ended = outcome.terminated | outcome.truncated
        if outcome.final is not None and ended.any():
            infos |= self._final(outcome.final, ended)
        return (
            outcome.view.observation,
            self._per_agent(outcome.reward).astype(np.float64),
            self._per_agent(outcome.terminated),
            self._per_agent(outcome.truncated),
            infos,
        )

    def _per_agent(self, values: np.ndarray) -> np.ndarray:
        """A number of each swarm, once for each of its agents."""
        return np.repeat(values, self.task.num_agents)

    def _infos(self, metrics: dict[str, Any], which: np.ndarray) -> dict[str, Any]:
        """The metrics of the swarms ``which``, each with the mask that Gymnasium puts beside it."""
        infos: dict[str, Any] = {}
        for name, values in metrics.items():
            infos[name] = self._per_agent(np.where(which, values, 0.0)).astype(np.float64)
            infos[f"_{name}"] = self._per_agent(which)
        return infos

    def _final(self, view: swarms.View, ended: np.ndarray) -> dict[str, Any]:
        """The last observations and infos of the swarms that ended, one object per sub-environment."""
        observations = np.full(self.num_envs, None, dtype=object)
        for i in np.flatnonzero(self._per_agent(ended)):
            observations[i] = spaces.row(view.observation, int(i))
        return {
            "final_obs": observations,
            "_final_obs": self._per_agent(ended),
            "final_info": self._infos(view.metrics, ended),
            "_final_info": self._per_agent(ended),
        }

    def _seeds(self, seed: int | Sequence[int] | None) -> list[int]:
        """One seed for each swarm."""
        if isinstance(seed, (Sequence, np.ndarray)):
            if len(seed) != self.num_swarms:
                raise SwarmbedError(f"seed must be a list of {self.num_swarms}, one for each swarm, not of {len(seed)}")
            return list(seed)
        first = swarms.checked_seed(swarms.fresh_seed() if seed is None else seed)
        super().reset(seed=first)
        return [first + i for i in range(self.num_swarms)]
