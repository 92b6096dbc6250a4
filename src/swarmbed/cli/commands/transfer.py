"""swarmbed transfer: policies with swarms of sizes that they were not trained with."""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console

from swarmbed.cli.flags import Parser, count, given, swarm_sizes
from swarmbed.cli.who_flags import WHO_HELP, add_task_flags, named_task, with_settings
from swarmbed.compute import devices
from swarmbed.evaluation import reports
from swarmbed.evaluation.entries import common_task, read_entries
from swarmbed.evaluation.transfer import (
    AGENT_STEPS,
    EPISODES,
    LEAST,
    QUICK_EPISODES,
    QUICK_SIZES,
    QUICK_STEPS,
    SIZES,
    transfer,
)  # fmt: skip
from swarmbed.evaluation.transfer_matrix import DENSITIES
from swarmbed.policy.find import SENSES, as_named_controller
from swarmbed.run.at_sizes import train_at_sizes
from swarmbed.spec import config
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.presets import preset
from swarmbed.tasks.base import Task

SUMMARY = "Run policies with swarms of sizes they were not trained with"
EXAMPLE = """
swarmbed transfer rendezvous-local-nn-comm consensus --quick
swarmbed transfer 20=runs/a0,runs/a1 50=runs/b0 consensus --agents 5 20 100 1000 --density constant
swarmbed transfer --task rendezvous-local --train 10 20 50 5..50 --iterations 60 --out transfer/rendezvous-local
"""


def _parser() -> Parser:
    parser = Parser("transfer", SUMMARY, EXAMPLE)
    parser.add_argument(
        "policies", nargs="*", metavar="WHO", help=f"{WHO_HELP}; several runs of one method as NAME=WHO,WHO,…"
    )
    parser.add_argument(
        "--agents", type=count, nargs="+", dest="run_with", metavar="INT",
        help=f"sizes to run with (default: {_listed(SIZES)}, with --quick {_listed(QUICK_SIZES)})",
    )  # fmt: skip
    parser.add_argument(
        "--density", choices=DENSITIES, default="growing",
        help="growing: every size runs in the task's world; constant: the world's area grows with the swarm, from the "
        "task's own number of agents on (default: growing)",
    )  # fmt: skip
    parser.add_argument(
        "--episodes", type=count, metavar="INT",
        help=f"episodes with each size, at most (default: {EPISODES}, with --quick {QUICK_EPISODES})",
    )  # fmt: skip
    parser.add_argument(
        "--agent-steps", type=count, default=AGENT_STEPS, metavar="INT",
        help=f"agents × steps × episodes of a cell: large swarms get fewer episodes, but at least {LEAST} "
        f"(default: {AGENT_STEPS})",
    )  # fmt: skip
    parser.add_argument("--seed", type=int, default=0, metavar="INT", help="seed of the starts (default: 0)")
    parser.add_argument(
        "--quick", action="store_true", help=f"fewer sizes and episodes, at most {QUICK_STEPS} steps each"
    )
    parser.add_argument(
        "--out", default="transfer", metavar="DIR",
        help="folder for transfer.png, transfer.json, transfer.txt and the trained policies; an interrupted command "
        "resumes there (default: transfer)",
    )  # fmt: skip
    parser.add_argument(
        "--so-far", action="store_true", help="measure nothing: show what an earlier call has measured in --out"
    )
    training = parser.add_argument_group("training")
    training.add_argument(
        "--train", type=_sizes, nargs="+", default=[], metavar="SIZES",
        help="train a policy with each of these sizes first: 20; 5..50 or 5,10,20: every episode draws one",
    )  # fmt: skip
    training.add_argument("--iterations", type=count, metavar="INT", help="iterations of each run (default: 60)")
    training.add_argument("--seeds", type=count, metavar="K", help="runs with each size (default: 1)")
    training.add_argument("--embedding", metavar="NAME", help="of every training (default: neural)")
    training.add_argument("--preset", metavar="NAME", help="named settings, as in 'swarmbed train'")
    training.add_argument("--config", metavar="FILE.toml", help="all other settings, such as a run's config.toml")
    return parser


def run(argv: Sequence[str]) -> None:
    parser = _parser()
    spec = add_task_flags(parser, argv, without=("num_agents", "sizes"))
    options = parser.parse(argv)
    if not options.policies and not options.train:
        raise SwarmbedError("transfer: name at least one policy or controller, or give --train SIZES")
    _check_training_flags(options)
    entries: dict[str, Any] = dict(read_entries(options.policies))
    devices.set_up()
    task: Task | None
    if options.train:
        settings = _settings(options, spec)
        task = config.spec_from(settings, "task")
        trained = train_at_sizes(settings, options.train, Path(options.out) / "trained", seeds=options.seeds or 1)
        ours = {f"trained {text}": [as_named_controller(where) for where in runs] for text, runs in trained.items()}
        for name in ours.keys() & entries.keys():
            raise SwarmbedError(f"two policies are called {name!r}; give them different names with NAME=WHO")
        entries = ours | entries
    else:
        task = with_settings(named_task(options) or common_task(entries), options, spec)
    matrix = transfer(
        entries, task, num_agents=options.run_with, density=options.density, episodes=options.episodes,
        agent_steps=options.agent_steps, seed=options.seed, quick=options.quick, so_far=options.so_far,
        out=options.out,
    )  # fmt: skip
    for number, (label, table) in enumerate(matrix.tables()):
        reports.show(f"{matrix.title}\n\n{label}" if number == 0 else f"\n{label}", table)
    console = Console(soft_wrap=True)
    for remark in matrix.remarks:
        console.print(remark, highlight=False)
    console.print(f"{options.out}/transfer.png, transfer.json, transfer.txt", highlight=False)


def _check_training_flags(options: argparse.Namespace) -> None:
    if options.train:
        if options.so_far:
            raise SwarmbedError("transfer: --so-far measures and trains nothing: name run folders in place of --train")
        if options.task is None and options.config is None:
            raise SwarmbedError("transfer: --train needs --task")
        return
    for name in ("iterations", "seeds", "embedding", "preset", "config"):
        if getattr(options, name) is not None:
            raise SwarmbedError(f"transfer: --{name} goes with --train")
    for name in SENSES:
        if hasattr(options, name):
            raise SwarmbedError("transfer: what agents sense goes with --train; a trained policy brings it along")


def _settings(options: argparse.Namespace, spec: type) -> config.Config:
    """Settings of the trainings: preset, then file, then flags."""
    base = preset(options.preset, options.task) if options.preset else {}
    if options.config is not None:
        base = config.merged(base, config.read(Path(options.config)))
    task = ({"name": options.task} if options.task is not None else {}) | given(options, spec)
    flags: config.Config = {"task": task}
    if options.embedding is not None:
        flags["embedding"] = {"name": options.embedding}
    if options.iterations is not None:
        flags["run"] = {"iterations": options.iterations}
    return config.merged(base, flags)


def _sizes(text: str) -> tuple[int, ...]:
    sizes = swarm_sizes(text)
    sizes = (sizes,) if isinstance(sizes, int) else sizes
    if min(sizes) < 1:
        raise argparse.ArgumentTypeError(f"must be at least 1, not {text!r}")
    return sizes


def _listed(sizes: Sequence[int]) -> str:
    return " ".join(map(str, sizes))
