"""How much work a reproduction may take."""

from dataclasses import dataclass, field

from swarmbed.run import starts
from swarmbed.spec.config import Config, merged
from swarmbed.study.experiments.base import Training


@dataclass(frozen=True)
class Budget:
    """``share`` of the experiment's iterations, episodes per evaluation, and settings that shrink every run."""

    name: str
    share: float
    episodes: int
    settings: Config = field(default_factory=dict)
    most_seeds: int | None = None

    @property
    def may_grow(self) -> bool:
        """May claims ask for more runs than planned? A quick look stays one."""
        return self.most_seeds is None

    def iterations(self, training: Training) -> int:
        return max(1, round(self.share * training.iterations))

    def config(self, training: Training, seed: int) -> Config:
        """All settings of one run."""
        run = {"iterations": self.iterations(training), "seed": seed, **self._starts(training)}
        return merged(merged(training.config, self.settings), {"run": run})

    def _starts(self, training: Training) -> dict[str, str]:
        """Short starts are a share of their iterations, too."""
        if (text := training.config.get("run", {}).get("starts")) is None:
            return {}
        number, iterations = starts.parse(text)
        return {"starts": f"{number}:{max(1, round(self.share * iterations))}"}

    def seeds(self, wanted: int) -> int:
        return wanted if self.most_seeds is None else min(wanted, self.most_seeds)


BUDGETS = {
    "paper": Budget("paper", 1.0, 1000),
    "quick": Budget("quick", 0.15, 100, most_seeds=1),
}
