"""Many swarms as one TorchRL environment, in TorchRL's layout for several agents: everything under the group *agents*.

env = SwarmTorchEnv("rendezvous", num_swarms=8, num_agents=5)
env.rollout(100)["agents", "observation"].shape            (8, 100, 5, numbers)
"""

from typing import Any

import numpy as np

from swarmbed.interop import as_task, missing
from swarmbed.tasks.base import Task

try:
    import torch
    from tensordict import TensorDict, TensorDictBase
    from torchrl.data import Binary, Bounded, Composite, Unbounded
    from torchrl.envs import EnvBase
except ModuleNotFoundError as error:
    raise missing(error) from error

from swarmbed.interop import spaces, swarms
from swarmbed.interop.episodes import Episodes

GROUP = "agents"


class SwarmTorchEnv(EnvBase):  # type: ignore[misc,unused-ignore]
    """Swarms that end and are reset one by one; the batch is the swarms. Agents of a swarm share their reward."""

    _batch_locked = True

    def __init__(
        self, task: str | Task, num_swarms: int = 1, *, seed: int | None = None, device: Any = "cpu", **settings: Any
    ) -> None:
        self.task, self.num_swarms = as_task(task, settings), num_swarms
        super().__init__(device=device, batch_size=torch.Size([num_swarms]))
        self.group_map = {GROUP: [f"agent_{i}" for i in range(self.task.num_agents)]}
        self._episodes = Episodes(self.task, num_swarms=num_swarms, owner="all swarms together", flatten=True)
        self._seeds: list[int] | None = None
        self._set_seed(seed)
        size = len(spaces.flat_names(self.task))
        self.observation_spec = self._grouped(observation=Unbounded(self._shape(size), device=device))
        self.action_spec = self._grouped(
            action=Bounded(-1.0, 1.0, self._shape(self.task.action_size), device=device, dtype=torch.float32)
        )
        self.reward_spec = self._grouped(reward=Unbounded(self._shape(1), device=device))
        one = lambda: Binary(n=1, shape=(num_swarms, 1), dtype=torch.bool, device=device)  # noqa: E731
        self.done_spec = Composite(done=one(), terminated=one(), truncated=one(), shape=self.batch_size, device=device)

    def _shape(self, numbers: int) -> tuple[int, ...]:
        return (self.num_swarms, self.task.num_agents, numbers)

    def _grouped(self, **specs: Any) -> Any:
        inner = Composite(specs, shape=(self.num_swarms, self.task.num_agents), device=self.device)
        return Composite({GROUP: inner}, shape=self.batch_size, device=self.device)

    def _reset(self, tensordict: TensorDictBase | None = None, **_: Any) -> TensorDictBase:
        some = None if tensordict is None else tensordict.get("_reset", None)
        if some is None or self._episodes.swarms is None:
            view = self._episodes.reset(self._seeds)
            self._seeds = None  # used once; later episodes continue with the random numbers
        else:
            view = self._episodes.restart(some.reshape(self.num_swarms).cpu().numpy())
        nobody = np.zeros(self.num_swarms, bool)
        return self._told(view, nobody, nobody, None)

    def _step(self, tensordict: TensorDictBase) -> TensorDictBase:
        action = tensordict[GROUP, "action"].detach().cpu().numpy()
        outcome = self._episodes.step(action.reshape(-1, self.task.action_size))
        return self._told(outcome.view, outcome.terminated, outcome.truncated, outcome.reward)

    def _told(self, view: swarms.View, terminated: Any, truncated: Any, reward: Any) -> TensorDictBase:
        observation = np.asarray(view.observation).reshape(self._shape(-1))
        group = {"observation": torch.as_tensor(observation, device=self.device)}
        if reward is not None:
            each = np.repeat(np.asarray(reward, np.float32)[:, None, None], self.task.num_agents, 1)
            group["reward"] = torch.as_tensor(each, device=self.device)
        ends = {"terminated": terminated, "truncated": truncated, "done": terminated | truncated}
        flags = {name: torch.as_tensor(values[:, None], device=self.device) for name, values in ends.items()}
        agents = TensorDict(group, batch_size=(self.num_swarms, self.task.num_agents), device=self.device)
        return TensorDict({GROUP: agents, **flags}, batch_size=self.batch_size, device=self.device)

    def _set_seed(self, seed: int | None) -> None:
        if seed is not None:
            self._seeds = [swarms.checked_seed(seed) + i for i in range(self.num_swarms)]
