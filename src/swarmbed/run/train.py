"""Training from Python: start a run, resume one, or train one learner with several seeds."""

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax

from swarmbed.algorithms.base import LearningAlgorithm
from swarmbed.compute import devices
from swarmbed.embeddings.base import Embedding
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.learn.schedule import combined
from swarmbed.networks.base import as_network
from swarmbed.run.folder import RunFolder
from swarmbed.run.iteration import Callback
from swarmbed.run.result import TrainingResult, TrainingResults
from swarmbed.run.settings import Outputs, RunSettings
from swarmbed.run.trainer import Trainer
from swarmbed.spec import config, registry
from swarmbed.spec.arguments import TASK, checked_arguments
from swarmbed.spec.errors import SwarmbedError, say
from swarmbed.spec.presets import preset as preset_named
from swarmbed.spec.settings import build, check_count
from swarmbed.tasks.base import Task


@checked_arguments(
    task=TASK,
    embedding="an embedding or the name of one",
    algorithm="an algorithm or the name of one",
    callback="a function of one iteration or left out",
)
def train(
    task: str | Task | None = None,
    *,
    embedding: str | Embedding | None = None,
    network: str | Any = None,
    algorithm: str | LearningAlgorithm | None = None,
    batch: BatchSettings | None = None,
    preset: str | None = None,
    num_agents: int | None = None,
    observation: str | None = None,
    iterations: int | None = None,
    seed: int | None = None,
    seeds: int | None = None,
    init: str | Path | None = None,
    schedule: Sequence[str] | None = None,
    starts: str | None = None,
    out: str | Path | None = None,
    resume: str | Path | None = None,
    overwrite: bool = False,
    callback: Callback | None = None,
    progress: bool = True,
) -> Any:
    """Train a policy and return it, from Python or a notebook.

    ``task``, ``embedding``, ``network`` and ``algorithm`` are names, which stand for their defaults, or objects,
    including objects of classes written in a notebook cell. ``num_agents`` and ``observation`` change those settings of
    the task. ``schedule`` lists settings that change over the iterations, such as
    ``"evader_speed_ratio=1.2:0,2.0:60"``. ``starts="4:30"`` trains four starts of 30 iterations and continues the most
    promising. ``preset`` names a group of settings. ``seeds=8`` trains eight runs, with
    seeds from ``seed`` on, and returns a :class:`TrainingResults` instead of a :class:`TrainingResult`. ``callback`` is
    called after every iteration and may return True to stop. Without ``out`` the run gets a new folder under ``runs/``;
    ``resume=folder`` continues a run, up to ``iterations`` if given.

    >>> result = train("pursuit", num_agents=5, iterations=10)  # doctest: +SKIP
    >>> result.plot()  # doctest: +SKIP
    """
    outputs = Outputs(progress=progress)
    if resume is not None:
        given = {
            "task": task, "embedding": embedding, "network": network, "algorithm": algorithm, "batch": batch,
            "preset": preset, "num_agents": num_agents, "observation": observation, "seed": seed, "seeds": seeds,
            "init": init, "schedule": schedule, "starts": starts, "out": out,
        }  # fmt: skip
        for name in (name for name, value in given.items() if value is not None):
            raise SwarmbedError(f"resume keeps the run's own settings: leave {name} out (only iterations may change)")
        return resume_run(Path(resume), iterations=iterations, outputs=outputs, callback=callback)
    base = preset_named(preset, _named(task)) if preset is not None else {}
    learner = Learner(
        _with_settings(_spec("task", task, base), num_agents=num_agents, observation=observation),
        _spec("embedding", embedding, base),
        _spec("algorithm", algorithm, base),
        batch if batch is not None else build(BatchSettings, base.get("batch", {}), "section [batch]"),
        as_network(_spec("network", network, base)),
    )
    changes: dict[str, Any] = {"iterations": iterations, "seed": seed, "init": None if init is None else str(init)}
    changes["starts"] = starts
    chosen = base.get("run", {}) | {name: value for name, value in changes.items() if value is not None}
    if schedule is not None:
        chosen["schedule"] = combined(chosen.get("schedule", ()), tuple(schedule))
    run = build(RunSettings, chosen, "train")
    folder = Path(out) if out is not None else free_folder(learner)
    if seeds is None:
        return start_run(learner, run, folder, overwrite=overwrite, outputs=outputs, callback=callback)
    check_count("seeds", seeds, 1)
    return start_runs(learner, run, folder, seeds, overwrite=overwrite, outputs=outputs, callback=callback)


def _named(task: str | Task | None) -> str | None:
    """The task's name, by which a preset may differ."""
    return registry.task_name(task) if isinstance(task, Task) else task


def _spec(kind: str, given: Any, base: config.Config) -> Any:
    """A spec from its name and the preset's settings for it; an object is taken as it is."""
    if given is not None and not isinstance(given, str):
        if base.get(kind):
            raise SwarmbedError(f"the preset has settings for the {kind}: name the {kind} instead of passing an object")
        return given
    return config.spec_from(config.merged(base, {kind: {"name": given}} if given else {}), kind)


def _with_settings(task: Task, **settings: Any) -> Task:
    changes = {name: value for name, value in settings.items() if value is not None}
    for name in changes:
        if not hasattr(task, name):
            raise SwarmbedError(f"task {registry.task_name(task)!r} has no setting {name!r}")
    size = changes.pop("num_agents", None)
    task = replace(task, **changes) if changes else task
    return task if size is None else task.resized(size)


def start_run(
    learner: Learner,
    run: RunSettings,
    folder: Path,
    *,
    overwrite: bool = False,
    outputs: Outputs = Outputs(),  # noqa: B008  frozen
    num_devices: int | None = None,
    callback: Callback | None = None,
) -> TrainingResult:
    """A new run in a folder of its own."""
    devices.set_up(num_devices)
    trainer = Trainer(learner, run, RunFolder(folder), outputs, num_devices, callback)
    point = trainer.beginning()
    if overwrite:  # what is wrong is said before anything is removed
        trainer.check_schedules()
    if trainer.writes:
        trainer.folder.make()
    with trainer.alone():
        if trainer.writes:
            trainer.folder.claim(trainer.settings, overwrite)
        return trainer.run_from(point)


def start_runs(learner: Learner, run: RunSettings, folder: Path, seeds: int, **options: Any) -> TrainingResults:
    """Runs with consecutive seeds, one after the other, in sibling folders; compiled once."""
    numbers = range(run.seed, run.seed + seeds)
    replace(run, seed=numbers[-1])  # a seed that is too large is an error now, not after days
    runs = [start_run(learner, replace(run, seed=n), folder / f"seed-{n}", **options) for n in numbers]
    return TrainingResults(folder, tuple(runs), tuple(numbers))


def resume_run(
    folder: Path,
    *,
    iterations: int | None = None,
    outputs: Outputs = Outputs(),  # noqa: B008  frozen
    num_devices: int | None = None,
    callback: Callback | None = None,
) -> TrainingResult:
    """Continue where a run stopped; ``iterations`` may be raised."""
    devices.set_up(num_devices)
    where = RunFolder(folder)
    with where.held() if jax.process_index() == 0 else nullcontext():
        settings = where.read_config()  # what is not a run's folder says so before anything is swept
        where.sweep()
        run_section = dict(settings.pop("run")) | ({} if iterations is None else {"iterations": iterations})
        run = build(RunSettings, run_section, "section [run]")
        trainer = Trainer(learner_from(settings), run, where, outputs, num_devices, callback)
        point = trainer.newest()
        _check_config(where, point.iteration > 0)
        if iterations is not None and trainer.writes:
            where.write_config(trainer.settings)
        return trainer.run_from(point)


def _check_config(folder: RunFolder, has_checkpoint: bool) -> None:
    """Settings that a checkpoint does not hold are trusted only if the configuration is as we wrote it."""
    if folder.config_is_as_written() is not False:
        return
    if not has_checkpoint:
        raise SwarmbedError(
            f"{folder.config} was changed: its checksum does not match, and there is no checkpoint "
            f"to compare it with; if the change is intended, start a new run with --config {folder.config}"
        )
    say(
        f"{folder.config} was changed: its checksum does not match. What is learned, and how, agrees "
        "with the checkpoint; the rest of section [run] is taken from the file"
    )


def learner_from(settings: config.Config) -> Learner:
    """A learner from settings by section; what is left out has its default."""
    named = {kind: config.spec_from(settings, kind) for kind in config.DEFAULTS}
    batch = build(BatchSettings, settings.get("batch", {}), "section [batch]")
    return Learner(**named | {"network": as_network(named["network"]), "batch": batch})


def free_folder(learner: Learner, parent: Path = Path("runs")) -> Path:
    """A free folder name that says what is trained."""
    words = [registry.tasks.name_of(learner.task), registry.embeddings.name_of(learner.embedding)]
    name = "-".join([*words, str(getattr(learner.task, "observation", ""))]).strip("-")
    taken = lambda n: (parent / (name if n == 1 else f"{name}-{n}")).exists()  # noqa: E731
    number = next(n for n in range(1, 10_000) if not taken(n))
    return parent / (name if number == 1 else f"{name}-{number}")
