"""swarmbed train: from nothing to a policy, its learning curve and a video."""

import argparse
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, is_dataclass, replace
from pathlib import Path
from typing import Any

from rich.console import Console

from swarmbed.cli.flags import Parser, add_flags, given
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.learn.schedule import combined
from swarmbed.run.distributed import Cluster, ends_together, is_first_process, join
from swarmbed.run.folder import RunFolder
from swarmbed.run.result import TrainingResult, TrainingResults
from swarmbed.run.settings import Outputs, RunSettings
from swarmbed.run.train import free_folder, learner_from, resume_run, start_run
from swarmbed.spec import config, registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.presets import PRESETS, preset
from swarmbed.spec.program import program
from swarmbed.spec.settings import Spec, build, setting

SUMMARY = "Train a policy, or resume a run"
EXAMPLE = """
swarmbed train                                              # rendezvous, 20 agents: minutes on two cores
swarmbed train pursuit --preset recipe --out runs/pursuit
swarmbed train rendezvous-local --observe comm --embedding neural --pooling max --seed 3
swarmbed train --resume runs/pursuit --iterations 300
"""


@dataclass(frozen=True)
class Pictures(Spec):
    """What is plotted at the end."""

    curve: bool = setting(True, "plot learning_curve.png at the end")
    video: bool = setting(True, "render episode.mp4 at the end")


SPECS: tuple[tuple[type, str], ...] = (
    (RunSettings, "run"),
    (BatchSettings, "batch"),
    (Outputs, "output"),
    (Pictures, "pictures"),
    (Cluster, "several machines"),
)


def run(argv: Sequence[str]) -> None:
    choices, _ = _choices_parser().parse_known_args(list(argv))
    # The flags depend on the task, so the task has to be known before they are parsed.
    choices.task = argv[0] if argv and not argv[0].startswith("-") else None
    added = [registry.load_plugin(path) for path in choices.plugin]
    base = preset(choices.preset, choices.task) if choices.preset else {}
    if choices.config:
        base = config.merged(base, config.read(Path(choices.config)))
    names = _names(choices, base, added)
    options = _full_parser(names).parse(argv)
    if options.task != choices.task:
        raise SwarmbedError(f"TASK comes first: swarmbed train {options.task} …")
    cluster = Cluster(**given(options, Cluster))
    with ends_together(cluster):
        join(cluster)
        _train(options, base, names)


def _train(options: argparse.Namespace, base: config.Config, names: dict[str, str]) -> None:
    outputs, pictures = Outputs(**given(options, Outputs)), Pictures(**given(options, Pictures))
    if options.resume:
        _refuse_with_resume(options, names)
        result = resume_run(
            Path(options.resume), iterations=getattr(options, "iterations", None), outputs=outputs,
            num_devices=options.devices,
        )  # fmt: skip
        _finish(result, pictures, outputs, options.plugin)
        return
    learner, settings = _settings(options, base, names)
    folder = Path(options.out) if options.out else free_folder(learner)
    runs = []
    seeds = range(settings.seed, settings.seed + options.seeds)
    replace(settings, seed=seeds[-1])  # a seed that is too large is an error now, not after days
    for seed in seeds:
        where = folder if options.seeds == 1 else folder / f"seed-{seed}"
        result = start_run(
            learner, replace(settings, seed=seed), where, overwrite=options.overwrite, outputs=outputs,
            num_devices=options.devices,
        )  # fmt: skip
        _finish(result, pictures, outputs, options.plugin)
        runs.append(result)
    if len(runs) > 1 and pictures.curve and is_first_process():
        path = TrainingResults(folder, tuple(runs), tuple(seeds)).plot().save(folder / "learning_curves.png")
        Console(soft_wrap=True).print(f"{'all seeds':<15} {path}", highlight=False)


def _choices_parser() -> Parser:
    """What decides which other flags there are; help waits for the full parser."""
    parser = Parser("train", SUMMARY, EXAMPLE, add_help=False)
    _add_choices(parser)
    return parser


def _add_choices(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("task", nargs="?", metavar="TASK", help=f"one of: {', '.join(registry.tasks.names())}")
    for family in (registry.embeddings, registry.networks, registry.algorithms):
        parser.add_argument(f"--{family.kind}", metavar="NAME", help=f"one of: {', '.join(family.names())}")
    known = "; ".join(f"{name}: {meaning}" for name, (meaning, _) in PRESETS.items())
    parser.add_argument("--preset", metavar="NAME", help=f"named settings ({known})")
    parser.add_argument("--config", metavar="FILE.toml", help="settings from a file, such as a run's config.toml")
    parser.add_argument(
        "--plugin", metavar="FILE.py", action="append", default=[],
        help="a file with your own task, embedding, network or algorithm; it is used unless you name another",
    )  # fmt: skip


def _names(choices: argparse.Namespace, base: config.Config, added: list[dict[str, list[str]]]) -> dict[str, str]:
    """What a flag or a file names; else the one that a plug-in defines; else the default."""
    found = {}
    for kind, default in config.DEFAULTS.items():
        brought = [name for families in added for name in families.get(f"{kind}s", [])]
        unnamed = brought[0] if len(brought) == 1 else default
        found[kind] = getattr(choices, kind) or str(base.get(kind, {}).get("name", unnamed))
    return found


def _chosen(names: dict[str, str]) -> list[tuple[str, type, dict[str, Any]]]:
    """Kind, class and settings behind each name; a class of another library has no flags."""
    families = {family.kind: family for family in registry.FAMILIES}
    found = [(kind, *families[kind].resolve(name)) for kind, name in names.items()]
    return [entry for entry in found if is_dataclass(entry[1])]


def _full_parser(names: dict[str, str]) -> Parser:
    parser = Parser("train", SUMMARY, EXAMPLE)
    _add_choices(parser)
    parser.add_argument("--out", metavar="DIR", help="folder of the run (default: a new one under runs/)")
    parser.add_argument("--resume", metavar="DIR", help="resume the run in this folder")
    parser.add_argument("--overwrite", action="store_true", help="allow --out to replace an existing run")
    parser.add_argument("--seeds", type=int, default=1, metavar="K", help="train K runs, seeds --seed … --seed + K − 1")
    parser.add_argument("--devices", type=int, metavar="D", help="XLA devices to use (default: one per core)")
    for kind, spec, preset_settings in _chosen(names):
        add_flags(parser, spec, f"{kind} {names[kind]}", preset_settings)
    for spec, title in SPECS:
        add_flags(parser, spec, title)
    return parser


def _settings(options: argparse.Namespace, base: config.Config, names: dict[str, str]) -> tuple[Learner, RunSettings]:
    """Defaults, then preset and file, then flags."""
    if options.seeds < 1:
        raise SwarmbedError(f"--seeds must be at least 1, not {options.seeds}")
    flags: config.Config = {kind: {"name": name} for kind, name in names.items()}
    for kind, spec, _ in _chosen(names):
        flags[kind] |= given(options, spec)
    flags |= {"batch": given(options, BatchSettings), "run": given(options, RunSettings)}
    settings = config.merged(base, flags)
    if "schedule" in flags["run"]:
        settings["run"]["schedule"] = combined(base.get("run", {}).get("schedule", ()), flags["run"]["schedule"])
    run_section = settings.pop("run", {})
    return learner_from(settings), build(RunSettings, run_section, "section [run]")


def _refuse_with_resume(options: argparse.Namespace, names: dict[str, str]) -> None:
    """A run continues with the settings it began with; only --iterations may change."""
    plain = [name for name in (*config.DEFAULTS, "preset", "config", "out") if getattr(options, name)]
    specs = [*(spec for _, spec, _ in _chosen(names)), BatchSettings, RunSettings]
    for name in [*plain, *(name for spec in specs for name in given(options, spec) if name != "iterations")]:
        raise SwarmbedError(f"--resume keeps the run's own settings: leave {name} out (only --iterations may change)")


def _finish(result: TrainingResult, pictures: Pictures, outputs: Outputs, plugins: list[str]) -> None:
    """Plot and render, which takes a while and is announced, and print where the files are."""
    if not is_first_process():
        return
    folder, made = RunFolder(result.folder), []
    watcher = Console(stderr=True, soft_wrap=True, quiet=not outputs.progress)
    if pictures.curve:
        watcher.print("plotting the learning curve …", style="dim", highlight=False)
        from swarmbed.draw.figures import training_curve

        training_curve(folder.metrics, folder.curve, result.policy.task.metrics)
        made.append(("learning curve", folder.curve))
    if pictures.video:
        from swarmbed.draw.render import draw_animation, record
        from swarmbed.policy.find import find

        watcher.print("rendering a video of an episode …", style="dim", highlight=False)
        trained = find(str(result.folder))
        draw_animation(record(trained, result.policy.task, steps=300), folder.video)
        made.append(("video", folder.video))
    console = Console(soft_wrap=True)
    for what, path in [("policy", folder.policy), ("best policy", folder.best_policy), *made]:
        console.print(f"{what:<15} {path}", highlight=False)
    named = [word for path in plugins for word in ("--plugin", path)]
    command = shlex.join([program(), "evaluate", str(result.folder), *named])
    console.print(f"{'evaluate it':<15} {command}", highlight=False, markup=False)
