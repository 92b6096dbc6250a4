"""Many swarms as one Gymnasium vector environment.

A sub-environment is an agent, number ``swarm * num_agents + agent``: the agents of a swarm share their reward and end
together, so any learner for vectorised single-agent environments trains one policy that all agents share. Or it is a
whole swarm (``joint``), as :class:`swarmbed.interop.whole_swarm.SwarmEnv` is.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from swarmbed.interop import spaces, swarms
from swarmbed.interop.episodes import Episodes, metadata
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import check_count
from swarmbed.tasks.base import Task

SUPPORTED: dict[AutoresetMode, swarms.Autoreset] = {
    AutoresetMode.NEXT_STEP: "next_step",
    AutoresetMode.SAME_STEP: "same_step",
}


class SwarmVectorEnv(VectorEnv[Any, np.ndarray, np.ndarray]):
    """Swarms that are reset when they end. ``metadata["autoreset_mode"]`` says when: in the following step, whose
    actions are then ignored (``NEXT_STEP``), or at once, with the last observation in ``infos["final_obs"]``
    (``SAME_STEP``).

    Infos hold the task's metrics and ``present``. An absent agent keeps its row: it sees zeros, gets no reward, and its
    action is ignored.
    """

    def __init__(
        self,
        task: Task,
        num_swarms: int = 1,
        *,
        joint: bool = False,
        flatten: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
    ) -> None:
        check_count("num_swarms", num_swarms, 1)
        if autoreset_mode not in SUPPORTED and autoreset_mode not in [mode.value for mode in SUPPORTED]:
            allowed = " or ".join(mode.value for mode in SUPPORTED)
            raise SwarmbedError(f"autoreset_mode must be {allowed}, not {autoreset_mode!r}")
        self.task, self.num_swarms, self.joint, self.flatten = task, num_swarms, joint, flatten
        self.num_envs = num_swarms if joint else num_swarms * task.num_agents
        self.metadata = {"autoreset_mode": AutoresetMode(autoreset_mode)} | metadata(task)
        self.render_mode = render_mode
        self.single_observation_space = spaces.observation_space(task, flatten)
        self.single_action_space = spaces.action_space(task)
        if joint:
            self.single_observation_space = spaces.joint_space(self.single_observation_space, task)
            self.single_action_space = spaces.joint_space(self.single_action_space, task)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._episodes = Episodes(
            task, num_swarms=num_swarms, owner="all swarms together", joint=joint, flatten=flatten,
            render_mode=render_mode, autoreset=SUPPORTED[self.metadata["autoreset_mode"]],
        )  # fmt: skip

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """New episodes for all swarms. A seed s gives the swarms the seeds s, s + 1, …; a list has one for each swarm;
        without one, the random numbers continue where they are."""
        if options and "reset_mask" in options:
            raise SwarmbedError("reset has no option 'reset_mask': swarms that end are reset by themselves")
        view = self._episodes.reset(self._seeds(seed))
        return self._seen(view), self._infos(view, np.ones(self.num_swarms, bool))

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """One time step of all swarms; ``actions`` has a row for every sub-environment."""
        acting = self._episodes.present
        outcome = self._episodes.step(actions)
        infos = self._infos(outcome.view, np.ones(self.num_swarms, bool))
        ended = outcome.terminated | outcome.truncated
        if outcome.final is not None and ended.any():
            infos |= self._final(outcome.final, ended)
        reward = self._each(outcome.reward).astype(np.float64)
        return (
            self._seen(outcome.view),
            reward if self.joint else np.where(np.ravel(acting), reward, 0.0),
            self._each(outcome.terminated),
            self._each(outcome.truncated),
            infos,
        )

    def render(self) -> tuple[np.ndarray, ...] | None:
        """A picture of the current state of each swarm, (height, width, 3), with ``render_mode="rgb_array"``."""
        return self._episodes.frames()

    def _seen(self, view: swarms.View) -> Any:
        return spaces.by_swarm(view.observation, self.task) if self.joint else view.observation

    def _each(self, values: Any) -> np.ndarray:
        """What each swarm has, once for each of its sub-environments."""
        return np.repeat(values, self.num_envs // self.num_swarms, axis=0)

    def _infos(self, view: swarms.View, which: np.ndarray) -> dict[str, Any]:
        """The metrics of the swarms ``which``, and which agents are present, each with the mask that Gymnasium
        expects."""
        present = view.present & which[:, None]
        infos: dict[str, Any] = {"present": present if self.joint else present.ravel(), "_present": self._each(which)}
        for name, values in view.metrics.items():
            infos[name] = self._each(np.where(which, values, 0.0)).astype(np.float64)
            infos[f"_{name}"] = self._each(which)
        return infos

    def _final(self, view: swarms.View, ended: Any) -> dict[str, Any]:
        """The last observations and infos of the swarms that ended, one object per sub-environment."""
        observations = np.full(self.num_envs, None, dtype=object)
        seen = self._seen(view)
        for i in np.flatnonzero(self._each(ended)):
            observations[i] = spaces.row(seen, int(i))
        return {
            "final_obs": observations,
            "_final_obs": self._each(ended),
            "final_info": self._infos(view, ended),
            "_final_info": self._each(ended),
        }

    def _seeds(self, seed: int | Sequence[int] | None) -> list[int] | None:
        """One seed for each swarm."""
        if seed is None:
            return None
        if isinstance(seed, (Sequence, np.ndarray)):
            if len(seed) != self.num_swarms:
                raise SwarmbedError(f"seed must be a list of {self.num_swarms}, one for each swarm, not of {len(seed)}")
            return list(seed)
        first = swarms.checked_seed(seed)
        super().reset(seed=first)
        return [first + i for i in range(self.num_swarms)]
