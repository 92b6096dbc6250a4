"""A swarm as a PettingZoo parallel environment: agents by name, all moving at once, all with the same reward."""

from typing import Any

import numpy as np

from swarmbed.interop import as_task, missing
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import Task

try:
    import gymnasium
    from pettingzoo import ParallelEnv
except ModuleNotFoundError as error:
    raise missing(error) from error

from swarmbed.interop import spaces, swarms
from swarmbed.interop.episodes import Episodes, metadata, state_size, state_vector


def parallel_env(
    task: str | Task, *, flatten: bool = False, render_mode: str | None = None, **settings: Any
) -> "SwarmParallelEnv":
    """A task by name and settings, like :func:`swarmbed.make`, or a task object. ``flatten`` gives observations as one
    vector.

    >>> env = parallel_env("pursuit", num_agents=5)
    >>> observations, infos = env.reset(seed=1)
    >>> observations["agent_0"]["set_0"].shape
    (5, 5)
    """
    name = task if isinstance(task, str) else None
    return SwarmParallelEnv(as_task(task, settings), flatten=flatten, render_mode=render_mode, name=name)


class SwarmParallelEnv(ParallelEnv[str, Any, np.ndarray]):  # type: ignore[misc]  # PettingZoo ships no types
    """One swarm. An episode ends for all agents in the same step: *terminated* when the task reached its end,
    *truncated* when the time (the task's ``horizon``) ran out. The metrics of the task are in every agent's info.

    ``agents`` lists the agents that are present. One that leaves before the others is terminated in that step, with an
    observation of zeros; one that comes later joins with reward 0.
    """

    def __init__(
        self, task: Task, *, flatten: bool = False, render_mode: str | None = None, name: str | None = None
    ) -> None:
        self.task, self.flatten, self.render_mode = task, flatten, render_mode
        self.metadata = {"name": f"swarmbed_{name or registry.task_name(task)}", "is_parallelizable": True}
        self.metadata |= metadata(task)
        self.possible_agents = [f"agent_{i}" for i in range(task.num_agents)]
        self.agents: list[str] = []
        self._place = {agent: i for i, agent in enumerate(self.possible_agents)}
        # One space object for each agent, because each has its own random generator.
        self.observation_spaces = {agent: spaces.observation_space(task, flatten) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.action_space(task) for agent in self.possible_agents}
        self.state_space = gymnasium.spaces.Box(-np.inf, np.inf, (state_size(task),), np.float32)
        self._episodes = Episodes(task, owner="all agents together", flatten=flatten, render_mode=render_mode)

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """A new episode. Without a seed the random numbers continue where they are; options are not used."""
        view = self._episodes.reset(None if seed is None else [seed])
        self.agents = self._there(view)
        return self._seen(view, self.agents), self._infos(view, self.agents)

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """One time step with an action from every present agent."""
        self._episodes.begun("step")
        if not self.agents:
            if actions:
                raise SwarmbedError("the episode has ended and no agent is left to act; call reset() first")
            return {}, {}, {}, {}, {}
        outcome = self._episodes.step(self._all_actions(actions))
        acted, now = set(self.agents), self._there(outcome.view)
        there = set(now)
        told = [agent for agent in self.possible_agents if agent in acted or agent in there]
        terminated, truncated = bool(outcome.terminated[0]), bool(outcome.truncated[0])
        self.agents = [] if terminated or truncated else now
        return (
            self._seen(outcome.view, told),
            {agent: float(outcome.reward[0]) if agent in acted else 0.0 for agent in told},
            {agent: terminated or agent not in there for agent in told},
            {agent: truncated and agent in there for agent in told},
            self._infos(outcome.view, told),
        )

    def state(self) -> np.ndarray:
        """The whole swarm as one vector: positions (x, y of each agent), headings, speeds and turn rates where there
        are any, the evaders' positions, 1 for each present agent and 0 for each absent one, the age of the episode, and
        what else the task keeps. For methods with a centralised critic."""
        return state_vector(self._episodes.state())

    def render(self) -> np.ndarray | None:
        """A picture of the current state, (height, width, 3), with ``render_mode="rgb_array"``; None without."""
        frames = self._episodes.frames()
        return None if frames is None else frames[0]

    def _all_actions(self, actions: dict[str, Any]) -> list[Any]:
        """A row for every possible agent; zeros for absent ones."""
        forgotten = [agent for agent in self.agents if agent not in actions]
        if forgotten:
            raise SwarmbedError(f"actions must hold one action for every agent, but {forgotten[0]!r} is missing")
        if len(self.agents) == len(self.possible_agents):
            return [actions[agent] for agent in self.possible_agents]
        nothing, there = np.zeros(np.shape(actions[self.agents[0]])), set(self.agents)
        return [actions[agent] if agent in there else nothing for agent in self.possible_agents]

    def _there(self, view: swarms.View) -> list[str]:
        return [agent for agent, there in zip(self.possible_agents, view.present[0], strict=True) if there]

    def _seen(self, view: swarms.View, agents: list[str]) -> dict[str, Any]:
        return {agent: spaces.row(view.observation, self._place[agent]) for agent in agents}

    def _infos(self, view: swarms.View, agents: list[str]) -> dict[str, dict[str, Any]]:
        metrics = {name: float(value[0]) for name, value in view.metrics.items()}
        return {agent: dict(metrics) for agent in agents}
