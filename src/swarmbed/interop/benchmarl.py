"""Tasks for BenchMARL: its MAPPO, IPPO and other algorithms train on swarms.

from benchmarl.algorithms import MappoConfig
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from swarmbed.interop.benchmarl import SwarmTask

Experiment(SwarmTask("rendezvous", num_agents=5, horizon=100), MappoConfig.get_from_yaml(),
           model_config=MlpConfig.get_from_yaml(), seed=0, config=ExperimentConfig.get_from_yaml()).run()
"""

from collections.abc import Callable
from typing import Any

from swarmbed.interop import as_task, missing
from swarmbed.spec import registry
from swarmbed.tasks.base import Task

try:
    from benchmarl.environments.common import TaskClass
except ModuleNotFoundError as error:
    raise missing(error) from error

from swarmbed.interop.torchrl import GROUP, SwarmTorchEnv


class SwarmTask(TaskClass):  # type: ignore[misc,unused-ignore]
    """A task of swarmbed as BenchMARL asks for one; all agents are one group."""

    def __init__(self, task: str | Task, **settings: Any) -> None:
        self.task = as_task(task, settings)
        super().__init__(task if isinstance(task, str) else registry.task_name(task), settings)

    def get_env_fun(
        self, num_envs: int, continuous_actions: bool, seed: int | None, device: Any
    ) -> Callable[[], SwarmTorchEnv]:
        return lambda: SwarmTorchEnv(self.task, num_envs, seed=seed, device=device)

    def supports_continuous_actions(self) -> bool:
        return True

    def supports_discrete_actions(self) -> bool:
        return False

    def max_steps(self, env: Any) -> int:
        return self.task.horizon

    def has_render(self, env: Any) -> bool:
        return False

    def group_map(self, env: Any) -> dict[str, list[str]]:
        return {GROUP: [f"agent_{i}" for i in range(self.task.num_agents)]}

    def observation_spec(self, env: Any) -> Any:
        return env.full_observation_spec_unbatched.clone()

    def action_spec(self, env: Any) -> Any:
        return env.full_action_spec_unbatched

    def info_spec(self, env: Any) -> None:
        return None

    def state_spec(self, env: Any) -> None:
        return None

    def action_mask_spec(self, env: Any) -> None:
        return None

    @staticmethod
    def env_name() -> str:
        return "swarmbed"
