"""A training run that takes no time, and whether one that was hurt ends as the one that was not."""

import shutil
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

import swarmbed
from swarmbed.algorithms.trpo import Trpo
from swarmbed.embeddings.moments import Moments
from swarmbed.learn.learner import Spread
from swarmbed.run.folder import RunFolder
from swarmbed.run.settings import Outputs, RunSettings
from swarmbed.run.train import resume_run, start_run
from swarmbed.spec.files import is_temporary

# A task of the package: its compiled programs are kept between processes.
LEARNER = swarmbed.Learner(
    swarmbed.make("rendezvous", num_agents=3, horizon=12),
    Moments(),
    Trpo(value_epochs=1, cg_steps=2, line_search_steps=2),
    swarmbed.BatchSettings(environments=4, segment=8, sampled_agents=2),
)
ITERATIONS = 4
QUIET = Outputs(progress=False)
_starts: dict[int, Any] = {}
_init = Spread.init


def _init_once(self: Spread, seed: int) -> Any:
    """A start is a pure function of its seed, and compiling it takes longer than the whole run."""
    if seed not in _starts:
        _starts[seed] = _init(self, seed)
    return jax.tree.map(jnp.copy, _starts[seed])


Spread.init = _init_once  # type: ignore[method-assign]


def start(folder: Path, *, overwrite: bool = False) -> Any:
    run = RunSettings(iterations=ITERATIONS, seed=7, checkpoint_every=2)
    return start_run(LEARNER, run, folder, overwrite=overwrite, outputs=QUIET, num_devices=1)


def resume(folder: Path, iterations: int | None = None) -> Any:
    return resume_run(folder, iterations=iterations, outputs=QUIET, num_devices=1)


class Reference:
    """The run as it should be."""

    def __init__(self, folder: Path) -> None:
        start(folder)
        self.folder = RunFolder(folder)
        self.policy = self.folder.policy.read_bytes()
        self.best = self.folder.best_policy.read_bytes()
        self.rows = self._rows(self.folder)

    def copy(self, folder: Path) -> Path:
        shutil.rmtree(folder, ignore_errors=True)
        return Path(shutil.copytree(self.folder.path, folder))

    def difference(self, folder: Path) -> str | None:
        """What is not as in the reference; None where all is."""
        run = RunFolder(folder)
        if run.policy.read_bytes() != self.policy or run.best_policy.read_bytes() != self.best:
            return "its policy is another one"
        if self._rows(run) != self.rows:
            return "its rows are others"
        left = [path.name for path in folder.rglob("*") if is_temporary(path)]
        return f"{left[0]} was left behind" if left else None

    @staticmethod
    def _rows(run: RunFolder) -> list[str]:
        timed = ("seconds", "processor_seconds")
        return [str({name: value for name, value in row.items() if name not in timed}) for row in run.read_metrics()]
