"""Swarms for Stable-Baselines3: every agent is an environment, so PPO trains one policy that all agents share.

from stable_baselines3 import PPO
from swarmbed.interop.stable_baselines3 import SwarmVecEnv

PPO("MlpPolicy", SwarmVecEnv("rendezvous", num_swarms=8, num_agents=5)).learn(100_000)
"""

from collections.abc import Iterable
from typing import Any

import numpy as np

from swarmbed.interop import as_task, missing
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import Task

try:
    import gymnasium  # noqa: F401  swarmbed.interop.vector needs it
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise missing(error) from error

from swarmbed.interop.vector import SwarmVectorEnv


class SwarmVecEnv(VecEnv):  # type: ignore[misc,unused-ignore]
    """Swarms whose every agent is a sub-environment, number ``swarm * num_agents + agent``.

    Observations are vectors (``MlpPolicy``) or, with ``flatten=False``, dictionaries (``MultiInputPolicy``); see
    :mod:`swarmbed.interop.spaces`. Infos hold ``terminal_observation`` and ``TimeLimit.truncated`` where an episode
    ends, and then the task's metrics.
    """

    def __init__(self, task: str | Task, num_swarms: int = 1, *, flatten: bool = True, **settings: Any) -> None:
        self.swarms = SwarmVectorEnv(as_task(task, settings), num_swarms, flatten=flatten, autoreset_mode="SameStep")
        self.render_mode = None
        super().__init__(self.swarms.num_envs, self.swarms.single_observation_space, self.swarms.single_action_space)

    def reset(self) -> Any:
        """New episodes; the seeds that ``seed`` set are used once."""
        seed = next((seed for seed in self._seeds if seed is not None), None)
        observation, _ = self.swarms.reset(seed=seed)
        self._reset_seeds()
        self._reset_options()
        return observation

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[Any, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        observation, reward, terminated, truncated, told = self.swarms.step(self._actions)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        ended = terminated | truncated
        metrics = [metric.name for metric in self.swarms.task.metrics]
        for index in np.flatnonzero(ended):
            infos[index] = {
                "terminal_observation": told["final_obs"][index],
                "TimeLimit.truncated": bool(truncated[index] and not terminated[index]),
                **{name: float(told["final_info"][name][index]) for name in metrics},
            }
        return observation, reward.astype(np.float32), ended, infos

    def close(self) -> None:
        self.swarms.close()

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        """An attribute of the swarms, once for every agent that is asked about."""
        value = getattr(self if attr_name == "render_mode" else self.swarms, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        """Always refused: programs are compiled for one task that all agents share."""
        raise SwarmbedError(f"{attr_name!r} cannot be set: all agents share one task; make another SwarmVecEnv")

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **named: Any) -> list[Any]:
        """A method of the swarms, called once; its answer, once for every agent."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise SwarmbedError(f"{method_name!r} is a method of all swarms together: leave indices out")
        answer = getattr(self.swarms, method_name)(*arguments, **named)
        return [answer for _ in range(self.num_envs)]

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]
