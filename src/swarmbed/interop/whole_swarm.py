"""A whole swarm as one Gymnasium environment: one joint action, one joint observation, one reward.

For learners that control the whole swarm centrally. To train one policy that all agents share, make every agent a
sub-environment instead: :func:`swarmbed.interop.gymnasium.make_vec`.
"""

from typing import Any

import gymnasium
import numpy as np

from swarmbed.interop import as_task, spaces, swarms
from swarmbed.interop.episodes import RENDER_MODES, Episodes, metadata
from swarmbed.tasks.base import Task


class SwarmEnv(gymnasium.Env[Any, np.ndarray]):
    """One swarm. Actions are (agents, numbers per agent), and every array of an observation has a row for each agent.

    *Terminated* means that the task reached its end, *truncated* that the time, its ``horizon``, ran out; both come
    from the task, so there is no time limit to wrap around it. Infos hold the task's metrics and ``present``.

    >>> env = SwarmEnv("rendezvous", num_agents=5)
    >>> env.action_space.shape, env.observation_space["set_0"].shape
    ((5, 2), (5, 5, 7))
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": 10}  # noqa: RUF012  as Gymnasium has it

    def __init__(
        self, task: str | Task, *, flatten: bool = False, render_mode: str | None = None, **settings: Any
    ) -> None:
        self.task, self.flatten, self.render_mode = as_task(task, settings), flatten, render_mode
        self.metadata = metadata(self.task)
        self.observation_space = spaces.joint_space(spaces.observation_space(self.task, flatten), self.task)
        self.action_space = spaces.joint_space(spaces.action_space(self.task), self.task)
        self._episodes = Episodes(self.task, owner="the swarm", flatten=flatten, render_mode=render_mode)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """A new episode. Without a seed the random numbers continue where they are; options are not used."""
        seeds = None if seed is None else [swarms.checked_seed(seed)]
        super().reset(seed=seed)
        view = self._episodes.reset(seeds)
        return self._seen(view), infos(view)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One time step with an action of every agent."""
        view, reward, terminated, truncated, _ = self._episodes.step(action)
        return self._seen(view), float(reward[0]), bool(terminated[0]), bool(truncated[0]), infos(view)

    def render(self) -> Any:
        """A picture of the current state, (height, width, 3), with ``render_mode="rgb_array"``; None without."""
        frames = self._episodes.frames()
        return None if frames is None else frames[0]

    def _seen(self, view: swarms.View) -> Any:
        return spaces.row(spaces.by_swarm(view.observation, self.task), 0)


def infos(view: swarms.View) -> dict[str, Any]:
    """The metrics of one swarm, and which of its agents are present."""
    return {"present": view.present[0]} | {name: float(value[0]) for name, value in view.metrics.items()}
