"""The loop of a training run: iterate, log, write checkpoints, and never lose a run."""

import errno
import math
import shlex
import time
from contextlib import AbstractContextManager, ExitStack, nullcontext
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import jax
import numpy as np
from jax.sharding import Mesh

from swarmbed.algorithms.base import ThroughTheSwarm
from swarmbed.compute import devices, programs
from swarmbed.compute.on_call import Itself
from swarmbed.learn import estimate
from swarmbed.learn.learner import Learner, Spread, TrainState
from swarmbed.learn.schedule import numbers_at, schedules_for, settled
from swarmbed.policy.files import save_policy
from swarmbed.policy.find import load_policy
from swarmbed.policy.policy import Policy
from swarmbed.run import checkpoint, distributed, finite, starts
from swarmbed.run.checkpoint import Checkpoint
from swarmbed.run.folder import COLUMNS, RunFolder, checkpoint_files, is_flat
from swarmbed.run.iteration import Callback, Iteration
from swarmbed.run.kept_rows import kept_rows
from swarmbed.run.loggers import make_loggers
from swarmbed.run.progress import TrainingProgress
from swarmbed.run.result import TrainingResult
from swarmbed.run.settings import Outputs, RunSettings
from swarmbed.run.stopping import Interrupted, Requests, heard
from swarmbed.spec import config, registry
from swarmbed.spec.errors import SwarmbedError, say
from swarmbed.spec.program import program
from swarmbed.spec.table import Row

REFUSALS = 10  # refused updates in a row that are worth a warning


def spread(learner: Learner, mesh: Mesh) -> Spread:
    """One compiled iteration for all runs of a learner, such as those of several seeds."""
    return _spread(learner if programs.is_ours(learner) else Itself(learner), mesh)


@lru_cache(maxsize=4)
def _spread(learner: Learner | Itself, mesh: Mesh) -> Spread:
    return Spread(learner.spec if isinstance(learner, Itself) else learner, mesh)


class Trainer:
    """One run: its learner, its folder, and the loop."""

    def __init__(
        self,
        learner: Learner,
        run: RunSettings,
        folder: RunFolder,
        outputs: Outputs,
        num_devices: int | None = None,
        callback: Callback | None = None,
        part_of: Path | None = None,
    ) -> None:
        mesh = devices.mesh(num_devices)
        estimate.check_training(learner, mesh.size)
        self.learner, self.run, self.folder, self.outputs, self.callback = learner, run, folder, outputs, callback
        self.schedules = schedules_for(run.schedule, learner.task, learner.algorithm)
        self.spread = spread(learner, mesh)
        self.writes = jax.process_index() == 0
        measured = [metric.name for metric in learner.task.metrics]
        measured += ["overlooked"] if learner.task.may_overlook else []
        self.columns = (*COLUMNS, *measured, "accepted", "episodes", "processor_seconds")
        self.resumed_as = part_of or folder.path  # a start is resumed with the run that it is a start of
        starts.check(run, self.columns, learner.algorithm.not_measured)

    @cached_property
    def settings(self) -> config.Config:
        """Every setting of the run, as its folder keeps them."""
        return config.to_sections(self.learner.specs | {"run": self.run})

    @cached_property
    def _made_with(self) -> str:
        """The learner's settings and the seed, as a checkpoint knows them; a run's length may change."""
        run: dict[str, Any] = {"seed": self.run.seed, "schedule": list(self.run.schedule)}
        if self.run.starts is not None:
            run |= {"starts": self.run.starts, "start_criterion": self.run.start_criterion}
        return config.dump(config.to_sections(self.learner.specs) | {"run": run})

    def beginning(self) -> Checkpoint:
        """A run before its first iteration."""
        for schedule in self.schedules if self.writes else ():
            own = getattr(self.learner.task, schedule.name, schedule.values[-1])
            if not math.isclose(own, schedule.values[-1]):
                say(
                    f"schedule: {schedule.name} ends at {schedule.values[-1]:g}, but the task's own is {own:g}, "
                    "with which policies are evaluated unless a flag says otherwise"
                )
        state = self.spread.init(self.run.seed)
        if self.run.init is not None:
            policy = self._trained(self.run.init)
            if isinstance(self.learner.algorithm, ThroughTheSwarm):  # it does not train the deviation: a setting
                policy = policy._replace(log_std=state.policy.log_std)
            memory = jax.device_put(self.learner.algorithm.memory(policy), self.spread.shardings.memory)
            state = state._replace(policy=policy, memory=memory)
        return Checkpoint(0, 0.0, state, checkpoint.on_host(state.policy), -math.inf)

    def check_schedules(self) -> None:
        """Raise an error if a scheduled number determines what is compiled, which only tracing shows."""
        if self.schedules:
            self.spread.check(numbers_at(self.schedules, 0))

    def newest(self) -> Checkpoint:
        """Where the run stopped; its beginning where there is no checkpoint."""
        shapes = jax.eval_shape(self.learner.init, jax.random.key(0))
        folder = self.folder.checkpoints
        found = checkpoint.load_newest(folder, shapes, self.spread.shardings, self._made_with, say)
        return found or self.beginning()

    def best_start(self) -> Checkpoint:
        """Train the starts that the run asks for, each in a folder of its own, and take over the most promising."""
        assert self.run.starts is not None
        points = [self._start(number) for number in range(starts.parse(self.run.starts).number)]
        chosen = starts.winner(points, self.run.start_criterion, self.learner.task)
        if self.outputs.progress and self.writes:
            starts.report(points, chosen, self.run, self.learner.task, say)
        return starts.adopted(points, chosen)

    def _start(self, number: int) -> Checkpoint:
        run = starts.settings_of(self.run, number)
        folder = RunFolder(self.folder.starts / str(number))
        part = Trainer(self.learner, run, folder, self.outputs, self.spread.mesh.size, part_of=self.folder.path)
        if self.writes:
            folder.make()
            folder.sweep()
            if not folder.config.is_file():
                folder.write_config(part.settings)
        part.run_from(part.newest())
        return part.newest()

    def alone(self) -> AbstractContextManager[None]:
        """Inside, no other run writes to the folder."""
        return self.folder.held() if self.writes else nullcontext()

    def run_from(self, point: Checkpoint) -> TrainingResult:
        """Go on from a checkpoint to the last iteration."""
        searching = point.iteration == 0 and self.run.starts is not None
        point = self.best_start() if searching else point
        kept = (point.rows or []) if searching else kept_rows(self.folder, point, self.columns)
        # A run that an earlier version began may lack a column.
        rows: list[Row] = [{name: row.get(name, math.nan) for name in self.columns} for row in kept]
        with ExitStack() as stack:
            loggers = []
            if self.writes:
                self.folder.write_metrics(rows, self.columns)
                if searching:
                    self._write(point)
                log_to = {"tensorboard": self.outputs.tensorboard, "wandb": self.outputs.wandb}
                loggers = make_loggers(self.folder.path, self.settings, **log_to)
                for logger in loggers:
                    stack.callback(logger.close)
            shown = self.outputs.progress and self.writes
            title, metric = self.folder.title, self.learner.task.headline
            progress = TrainingProgress(title, self.run.iterations, point.iteration, metric, enabled=shown)
            try:
                with heard() if jax.process_count() == 1 else nullcontext(Requests()) as requests, progress:
                    point = self._loop(point, rows, progress, loggers, requests)
            except OSError as error:
                raise self._disk_error(error) from error
            if requests.number is not None:  # in the last iteration too: other starts or seeds may follow
                words = f"stopped after iteration {point.iteration}; resume with: {self._resume_command}"
                raise Interrupted(requests.number, words)
        last = checkpoint.on_host(point.state.policy)
        return TrainingResult(self.folder.path, self._policy(last), self._policy(point.best), rows)

    def _loop(
        self, point: Checkpoint, rows: list[Row], progress: TrainingProgress, loggers: list[Any], requests: Requests
    ) -> Checkpoint:
        if point.iteration >= self.run.iterations:
            self._write(point)
            return point
        progress.compiling()
        iterate = self.spread.compiled(point.state, numbers_at(self.schedules, point.iteration))
        distributed.wait_for_all("compiled")
        progress.running()
        state, best, best_return = point.state, point.best, point.best_return
        began = time.monotonic() - point.seconds
        worked = time.process_time() - (rows[-1].get("processor_seconds", 0.0) if rows else 0.0)
        elsewhere = int(rows[-1]["env_steps"]) - point.iteration * self._steps if rows else 0  # steps of other starts
        for iteration in range(point.iteration + 1, self.run.iterations + 1):
            behind = checkpoint.on_host(state.policy)  # the policy that this iteration's episodes are made with
            started = time.monotonic()
            numbers = numbers_at(self.schedules, iteration - 1)
            state, metrics = iterate(state, numbers) if numbers else iterate(state)
            jax.block_until_ready(metrics)
            now = time.monotonic()
            row = self._row(iteration, elsewhere, metrics, now - began, time.process_time() - worked)
            declared = [metric.name for metric in self.learner.task.metrics]
            unknown = self.learner.algorithm.not_measured
            if wrong := finite.complaint(state, row, self.spread.mesh, declared, unknown):
                raise SwarmbedError(self._broken(iteration, wrong))
            rows.append(row)
            if iteration <= self._unsettled:
                best = behind
            elif row["mean_return"] > best_return:
                best, best_return = behind, row["mean_return"]
            point = Checkpoint(iteration, row["seconds"], state, best, best_return, rows)
            progress.iteration(row, self._steps / (now - started))
            self._log(row, loggers)
            if self.writes and _refused_in_a_row(rows) == REFUSALS:
                progress.warn(f"the last {REFUSALS} updates were rejected: the policy no longer changes")
            if row.get("overlooked", 0) > 0 and not any(earlier.get("overlooked", 0) > 0 for earlier in rows[:-1]):
                progress.warn("agents have more neighbours than slots and overlook the rest; raise --neighbour-slots")
            why = self._reason_to_stop(row, rows, state)
            stops = why is not None or requests.number is not None  # a request has its own sentences
            if stops or iteration % self.run.checkpoint_every == 0 or iteration == self.run.iterations:
                self._write(point)
            if why:
                progress.say(why)
            if stops:
                break
        return point

    def _reason_to_stop(self, row: Row, rows: list[Row], state: TrainState) -> str | None:
        if self.run.until_flat and is_flat([row["mean_return"] for row in rows[self._unsettled :]]):
            return "the learning curve is flat"
        if self.callback is not None:
            policy = lambda: self._policy(checkpoint.on_host(state.policy))  # noqa: E731
            if self.callback(Iteration(int(row["iteration"]), dict(row), self.folder.path, policy)):
                return "the callback stopped the run"
        return None

    def _broken(self, iteration: int, wrong: str) -> str:
        kept = checkpoint_files(self.folder.checkpoints)
        last = (
            f"the checkpoint of iteration {int(kept[0].stem)} is intact"
            if kept
            else "no checkpoint has been written yet"
        )
        return f"iteration {iteration}: {wrong}, so the run stops here; {last}"

    def _log(self, row: Row, loggers: list[Any]) -> None:
        if self.writes:
            self.folder.append_metrics(row, self.columns)
        for logger in loggers:
            logger.log(int(row["iteration"]), row)

    def _write(self, point: Checkpoint) -> None:
        """A checkpoint, and the policies that it holds as files of their own."""
        checkpoint.save(self.folder.checkpoints, point, self._made_with)
        last = checkpoint.on_host(point.state.policy)
        if self.writes:
            save_policy(self._policy(last), self.folder.policy)
            save_policy(self._policy(point.best), self.folder.best_policy)

    @property
    def _resume_command(self) -> str:
        """What to type into a shell."""
        plugins = [word for file in registry.plugin_files for word in ("--plugin", file)]
        return shlex.join([program(), "train", "--resume", str(self.resumed_as), *plugins])

    @cached_property
    def _unsettled(self) -> int:
        """Iterations with episodes of a task that a schedule still changes: their returns cannot be compared."""
        iterations = settled(self.schedules, self.learner.task)
        episode = -(-self.learner.task.horizon // self.learner.batch.segment)
        return iterations + episode if iterations else 0

    @property
    def _steps(self) -> int:
        """Environment steps of one iteration."""
        return self.learner.batch.environments * self.learner.batch.segment

    def _row(
        self, iteration: int, elsewhere: int, metrics: dict[str, Any], seconds: float, processor_seconds: float
    ) -> Row:
        steps, agents = iteration * self._steps + elsewhere, self.learner.sampling().agents
        row: Row = {"iteration": iteration, "env_steps": steps, "samples": steps * agents}
        row |= {"seconds": round(seconds, 3), "processor_seconds": round(processor_seconds, 3)}
        row |= {name: float(np.asarray(value)) for name, value in metrics.items()}
        return {name: row[name] for name in self.columns}

    def _policy(self, params: Any) -> Policy:
        return Policy(self.learner.task, self.learner.embedding, params, self.learner.network)

    def _trained(self, who: str) -> Any:
        """The parameters of a policy to start from."""
        policy, learner = load_policy(who), self.learner
        policy.check(learner.task)
        if (policy.embedding, policy.network) != (learner.embedding, learner.network):
            raise SwarmbedError(
                f"init {who} has {policy.embedding} and {policy.network}, "
                f"but this run has {learner.embedding} and {learner.network}"
            )
        return jax.device_put(policy.params, self.spread.shardings.policy)

    def _disk_error(self, error: OSError) -> Exception:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            return error
        return SwarmbedError(
            f"the disk is full; the last intact checkpoint is in {self.folder.checkpoints}; "
            f"resume with: {self._resume_command}"
        )


def _refused_in_a_row(rows: list[Row]) -> int:
    """How many updates in a row were refused at the end."""
    return next((count for count, row in enumerate(reversed(rows)) if row["accepted"]), len(rows))
