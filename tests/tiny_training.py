"""Training runs of a second, for tests of what they write."""

from pathlib import Path

import numpy as np
from safetensors.numpy import load_file

from swarmbed.cli.main import main

TINY = [
    "--agents", "3", "--horizon", "12", "--environments", "4", "--segment", "8", "--sampled-agents", "2",
    "--features", "8", "--hidden", "8", "--value-epochs", "1", "--no-video", "--no-curve", "--no-progress",
    "--devices", "1", "--checkpoint-every", "2",
]  # fmt: skip


def run_tiny(out: Path, *more: str, task: str = "pursuit") -> int:
    return main(["train", task, *TINY, "--out", str(out), *more])


def resume(out: Path, *more: str) -> int:
    return main(["train", "--resume", str(out), "--no-video", "--no-curve", "--no-progress", "--devices", "1", *more])


def copy_run(source: Path, target: Path, *, iterations: int) -> Path:
    """The run as it was after that many iterations."""
    (target / "checkpoints").mkdir(parents=True)
    for path in sorted((source / "checkpoints").iterdir()):
        if int(path.stem) <= iterations:
            (target / "checkpoints" / path.name).write_bytes(path.read_bytes())
    (target / "config.toml").write_text((source / "config.toml").read_text())
    rows = (source / "metrics.csv").read_text().splitlines()[: iterations + 1]
    (target / "metrics.csv").write_text("\n".join(rows) + "\n")
    return target


def same_policy(one: Path, other: Path, name: str = "policy.safetensors") -> bool:
    first, second = load_file(one / name), load_file(other / name)
    return set(first) == set(second) and all(np.array_equal(first[key], second[key]) for key in first)
