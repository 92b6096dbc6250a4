"""Training: iterate, log, keep checkpoints, and never lose a run."""

import errno
import math
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import numpy as np

from swarmbed.algorithms.base import Algorithm
from swarmbed.compute import devices
from swarmbed.embeddings.base import Embedding
from swarmbed.learn.learner import BatchSettings, Learner, TrainState
from swarmbed.policy.find import load_policy
from swarmbed.policy.policy import Policy, save_policy
from swarmbed.run import checkpoint, distributed
from swarmbed.run.checkpoint import Checkpoint
from swarmbed.run.folder import COLUMNS, Row, RunFolder, is_flat
from swarmbed.run.loggers import make_loggers
from swarmbed.run.progress import TrainingProgress
from swarmbed.spec import config, registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import as_dict, build, setting
from swarmbed.tasks import make
from swarmbed.tasks.base import Task


@dataclass(frozen=True)
class RunSettings:
    """How long a run goes on and what it starts from."""

    iterations: int = setting(60, "training iterations")
    seed: int = setting(0, "seed of everything random")
    checkpoint_every: int = setting(5, "iterations between checkpoints")
    until_flat: bool = setting(False, "stop as soon as the learning curve is flat")
    init: str | None = setting(None, "trained policy to start from (WHO)")

    def __post_init__(self) -> None:
        for name in ("iterations", "checkpoint_every"):
            if getattr(self, name) < 1:
                raise SwarmbedError(f"{name} must be a whole number of at least 1, not {getattr(self, name)}")


@dataclass(frozen=True)
class Outputs:
    """What a run writes and shows besides its folder; none of it changes the result."""

    progress: bool = setting(True, "show progress")
    tensorboard: bool = setting(False, "log to TensorBoard too (extra: tensorboard)")
    wandb: bool = setting(False, "log to Weights & Biases too, offline without a login (extra: wandb)")


@dataclass(frozen=True)
class TrainingResult:
    """Where the run is, its last policy, and one row per iteration."""

    folder: Path
    policy: Policy
    metrics: list[Row]


def train(
    task: str | Task = "rendezvous",
    *,
    embedding: str | Embedding = "neural",
    algorithm: str | Algorithm = "trpo",
    observe: str | None = None,
    agents: int | None = None,
    iterations: int = 60,
    seed: int = 0,
    out: str | Path | None = None,
    init: str | None = None,
    batch: BatchSettings | None = None,
    overwrite: bool = False,
    progress: bool = True,
) -> TrainingResult:
    """Train a policy and return it, from Python or a notebook.

    Names stand for their defaults; pass a spec (``make("pursuit", num_agents=5)``, ``Neural(pooling="max")``) to
    set more. Without ``out`` the run gets a new folder under ``runs/``.
    """
    short = {"observe": observe, "agents": agents}
    given = {name: value for name, value in short.items() if value is not None}
    learner = Learner(
        make(task, **given) if isinstance(task, str) else task,
        registry.embeddings.get(embedding)() if isinstance(embedding, str) else embedding,
        registry.algorithms.get(algorithm)() if isinstance(algorithm, str) else algorithm,
        batch or BatchSettings(),
    )
    run = RunSettings(iterations=iterations, seed=seed, init=init)
    folder = Path(out) if out is not None else free_folder(learner)
    return start_run(learner, run, folder, overwrite=overwrite, outputs=Outputs(progress=progress))


def start_run(
    learner: Learner,
    run: RunSettings,
    folder: Path,
    *,
    overwrite: bool = False,
    outputs: Outputs = Outputs(),  # noqa: B008  frozen
    num_devices: int | None = None,
) -> TrainingResult:
    """A new run in a folder of its own."""
    devices.set_up(num_devices)
    trainer = Trainer(learner, run, RunFolder(folder), outputs, num_devices)
    state = trainer.initial_state()
    if jax.process_index() == 0:
        trainer.folder.claim(config.learner_to_config(learner) | {"run": as_dict(run)}, overwrite)
    with trainer.alone():
        return trainer.run_from(Checkpoint(0, 0.0, state, checkpoint.on_host(state.policy), -math.inf))


def resume_run(
    folder: Path,
    *,
    iterations: int | None = None,
    outputs: Outputs = Outputs(),  # noqa: B008  frozen
    num_devices: int | None = None,
) -> TrainingResult:
    """Go on where a run stopped; ``iterations`` may be raised."""
    devices.set_up(num_devices)
    settings = RunFolder(folder).read_config()
    run_section = dict(settings.pop("run", {}))
    if iterations is not None:
        run_section["iterations"] = iterations
    run = build(RunSettings, run_section, "section [run]")
    trainer = Trainer(config.config_to_learner(settings), run, RunFolder(folder), outputs, num_devices)
    with trainer.alone():
        if iterations is not None and trainer.writes:
            trainer.folder.config.write_text(config.dump(settings | {"run": as_dict(run)}))
        return trainer.resume()


def free_folder(learner: Learner, parent: Path = Path("runs")) -> Path:
    """A folder name that says what is trained and is not taken."""
    words = [registry.tasks.name_of(learner.task), registry.embeddings.name_of(learner.embedding)]
    name = "-".join([*words, str(getattr(learner.task, "observation", ""))]).strip("-")
    taken = lambda n: (parent / (name if n == 1 else f"{name}-{n}")).exists()  # noqa: E731
    number = next(n for n in range(1, 10_000) if not taken(n))
    return parent / (name if number == 1 else f"{name}-{number}")


class Trainer:
    """One run: its learner, its folder, and the loop."""

    def __init__(
        self, learner: Learner, run: RunSettings, folder: RunFolder, outputs: Outputs, num_devices: int | None
    ) -> None:
        self.learner, self.run, self.folder, self.outputs = learner, run, folder, outputs
        self.mesh = devices.mesh(num_devices)
        start = lambda: learner.task.metrics(learner.task.initial(jax.random.key(0)))  # noqa: E731
        captures = "captured" in jax.eval_shape(start)
        self.columns = (*COLUMNS, *(["captured"] if captures else []), "accepted", "episodes", "processor_seconds")
        self.writes = jax.process_index() == 0

    def initial_state(self) -> TrainState:
        state = self.learner.init(self.run.seed, self.mesh)
        if self.run.init is None:
            return state
        policy = load_policy(self.run.init)
        policy.check(self.learner.task)
        if (policy.embedding, policy.hidden) != (self.learner.embedding, self.learner.batch.hidden):
            raise SwarmbedError(
                f"--init {self.run.init} has embedding {policy.embedding} and hidden layers {policy.hidden}, "
                f"but this run has {self.learner.embedding} and {self.learner.batch.hidden}"
            )
        return state._replace(policy=jax.device_put(policy.params, self.learner.shardings(self.mesh).policy))

    def resume(self) -> TrainingResult:
        template = self.learner.init(self.run.seed, self.mesh)
        warn = lambda text: print(f"swarmbed: {text}", file=sys.stderr)  # noqa: E731
        point = checkpoint.load_newest(self.folder.checkpoints, template, self.learner.shardings(self.mesh), warn)
        if point is None:
            state = self.initial_state()
            point = Checkpoint(0, 0.0, state, checkpoint.on_host(state.policy), -math.inf)
        return self.run_from(point)

    def alone(self) -> AbstractContextManager[None]:
        """Inside, no other run writes to the folder."""
        return self.folder.held() if self.writes else nullcontext()

    def run_from(self, point: Checkpoint) -> TrainingResult:
        rows = [row for row in self.folder.read_metrics() if row["iteration"] <= point.iteration]
        if self.writes:
            self.folder.write_metrics(rows, self.columns)
        settings = config.learner_to_config(self.learner) | {"run": as_dict(self.run)}
        log_to = {"tensorboard": self.outputs.tensorboard, "wandb": self.outputs.wandb}
        loggers = make_loggers(self.folder.path, settings, **log_to) if self.writes else []
        shown = self.outputs.progress and self.writes
        with TrainingProgress(self.folder.path.name, self.run.iterations, point.iteration, enabled=shown) as progress:
            try:
                point = self._loop(point, rows, progress, loggers)
            except OSError as error:
                raise self._disk_error(error) from error
            finally:
                for logger in loggers:
                    logger.close()
        return TrainingResult(self.folder.path, self._policy(checkpoint.on_host(point.state.policy)), rows)

    def _loop(self, point: Checkpoint, rows: list[Row], progress: TrainingProgress, loggers: list[Any]) -> Checkpoint:
        if point.iteration >= self.run.iterations:
            self._write(point)
            return point
        progress.compiling()
        iterate = self.learner.iteration(self.mesh).lower(point.state).compile()
        distributed.wait_for_all("compiled")
        progress.running()
        how = self.learner.sampling(1)
        state, best, best_return = point.state, point.best, point.best_return
        began = time.monotonic() - point.seconds
        worked = time.process_time() - (rows[-1].get("processor_seconds", 0.0) if rows else 0.0)
        last = time.monotonic()
        for iteration in range(point.iteration + 1, self.run.iterations + 1):
            behind = checkpoint.on_host(state.policy)  # the policy that this iteration's episodes are made with
            state, metrics = iterate(state)
            jax.block_until_ready(metrics)
            row = self._row(iteration, metrics, time.monotonic() - began, time.process_time() - worked)
            if row["mean_return"] > best_return:
                best, best_return = behind, row["mean_return"]
            rows.append(row)
            now = time.monotonic()
            progress.iteration(row, how.environments * how.steps / (now - last))
            last = now
            flat = self.run.until_flat and is_flat([row["mean_return"] for row in rows])
            point = Checkpoint(iteration, row["seconds"], state, best, best_return)
            if self.writes:
                self.folder.append_metrics(row, self.columns)
                for logger in loggers:
                    logger.log(iteration, row)
            if iteration % self.run.checkpoint_every == 0 or iteration == self.run.iterations or flat:
                self._write(point)
            if flat:
                progress.say("the learning curve is flat")
                break
        return point

    def _write(self, point: Checkpoint) -> None:
        """A checkpoint, and the policies that it holds as files of their own."""
        checkpoint.save(self.folder.checkpoints, point)
        last = checkpoint.on_host(point.state.policy)
        if self.writes:
            save_policy(self._policy(last), self.folder.policy)
            save_policy(self._policy(point.best), self.folder.best_policy)

    def _row(self, iteration: int, metrics: Any, seconds: float, processor_seconds: float) -> Row:
        how = self.learner.sampling(1)
        steps = how.environments * how.steps
        values = {name: float(np.asarray(value)) for name, value in metrics._asdict().items()}
        counters = {"iteration": iteration, "env_steps": iteration * steps, "samples": iteration * steps * how.agents}
        times = {"seconds": round(seconds, 3), "processor_seconds": round(processor_seconds, 3)}
        row: Row = counters | times | values
        return {name: row[name] for name in self.columns}

    def _policy(self, params: Any) -> Policy:
        return Policy(self.learner.task, self.learner.embedding, self.learner.batch.hidden, params)

    def _disk_error(self, error: OSError) -> Exception:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return error
        return SwarmbedError(
            f"the disk is full; the last good checkpoint is still in {self.folder.checkpoints}, "
            f"go on with: swarmbed train --resume {self.folder.path}"
        )
