"""A swarm as a PettingZoo parallel environment: agents by name, all moving at once, all with the same reward."""

from typing import Any

import jax
import numpy as np

from swarmbed.interop import missing
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import Task

try:
    import gymnasium
    from pettingzoo import ParallelEnv
except ModuleNotFoundError as error:
    raise missing(error) from error

from swarmbed.interop import spaces, swarms


def parallel_env(task: str, *, flatten: bool = False, **settings: Any) -> "SwarmParallelEnv":
    """A task by name and settings, like :func:`swarmbed.make`. ``flatten`` gives observations as one vector.

    >>> env = parallel_env("pursuit", num_agents=5)
    >>> observations, infos = env.reset(seed=1)
    >>> observations["agent_0"]["set_0"].shape
    (5, 5)
    """
    return SwarmParallelEnv(make(task, **settings), flatten=flatten, name=task)


class SwarmParallelEnv(ParallelEnv[str, Any, np.ndarray]):  # type: ignore[misc]  # PettingZoo ships no types
    """One swarm, whose agents all end in the same step: *terminated* when the task reached its end, *truncated* when
    the time (the task's ``horizon``) ran out. The metrics of the task are in everybody's info."""

    def __init__(self, task: Task, *, flatten: bool = False, name: str = "swarm") -> None:
        self.task, self.flatten = task, flatten
        self.metadata = {"name": f"swarmbed_{name}", "render_modes": [], "is_parallelizable": True}
        self.render_mode = None
        self.possible_agents = [f"agent_{i}" for i in range(task.num_agents)]
        self.agents: list[str] = []
        # One space object for each agent, because each has its own random generator.
        self.observation_spaces = {agent: spaces.observation_space(task, flatten) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.action_space(task) for agent in self.possible_agents}
        size = sum(leaf.size for leaf in jax.tree.leaves(jax.eval_shape(task.initial, jax.random.key(0))))
        self.state_space = gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float32)
        self._swarm: swarms.Swarms | None = None

    def observation_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> gymnasium.spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """A new episode. Without a seed the random numbers go on from where they are; options are not used."""
        keys = None if self._swarm is None else self._swarm.keys
        if seed is not None or keys is None:
            keys = swarms.seeded([swarms.fresh_seed() if seed is None else seed])
        self._swarm, view = swarms.begin(self.task, keys, flatten=self.flatten)
        self.agents = list(self.possible_agents)
        return self._by_agent(swarms.as_numpy(view))

    def step(
        self, actions: dict[str, Any]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """One time step with an action from every agent."""
        if self._swarm is None:
            raise SwarmbedError("step was called before reset; call reset() first")
        if not self.agents:
            if actions:
                raise SwarmbedError("the episode has ended and no agent is left to act; call reset() first")
            return {}, {}, {}, {}, {}
        absent = [agent for agent in self.agents if agent not in actions]
        if absent:
            raise SwarmbedError(f"actions must hold one action for every agent, but {absent[0]!r} is missing")
        action = swarms.checked_actions(
            self.task, [actions[agent] for agent in self.agents], self.task.num_agents, "all agents together"
        )
        self._swarm, outcome = swarms.advance(self.task, self._swarm, action, flatten=self.flatten)
        outcome = swarms.as_numpy(outcome)
        observations, infos = self._by_agent(outcome.view)
        terminated, truncated = bool(outcome.terminated[0]), bool(outcome.truncated[0])
        acted = self.agents
        if terminated or truncated:
            self.agents = []
        return (
            observations,
            dict.fromkeys(acted, float(outcome.reward[0])),
            dict.fromkeys(acted, terminated),
            dict.fromkeys(acted, truncated),
            infos,
        )

    def state(self) -> np.ndarray:
        """The whole swarm as one vector: positions (x, y of each agent), headings, speeds and turn rates where there
        are any, then the evaders' positions. For methods that look at everything while training."""
        if self._swarm is None:
            raise SwarmbedError("state was called before reset; call reset() first")
        leaves = [np.ravel(leaf) for leaf in jax.tree.leaves(self._swarm.state)]
        return np.concatenate(leaves).astype(np.float32)

    def _by_agent(self, view: swarms.View) -> tuple[dict[str, Any], dict[str, dict[str, Any]]]:
        """Observations and infos of every agent, by name."""
        metrics = {name: float(value[0]) for name, value in view.metrics.items()}
        observations = {agent: spaces.row(view.observation, i) for i, agent in enumerate(self.possible_agents)}
        return observations, {agent: dict(metrics) for agent in self.possible_agents}
