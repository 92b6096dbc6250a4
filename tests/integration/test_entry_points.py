"""Installed packages bring their own tasks, embeddings, algorithms and controllers, without --plugin.

Each test makes a package in a folder and asks another process, because a process looks for packages only once.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = '''
from dataclasses import dataclass

import jax.numpy as jnp

from swarmbed.controllers.base import Controller
from swarmbed.embeddings.moments import Moments
from swarmbed.spec.settings import setting
from swarmbed.tasks.rendezvous import Rendezvous


@dataclass(frozen=True)
class Stampede(Rendezvous):
    """Everybody away from everybody."""

    panic: float = setting(0.5, "how much")


@dataclass(frozen=True)
class Middle(Moments):
    """The mean alone."""

    order: int = setting(1, "moments")


@dataclass(frozen=True)
class Idle(Controller):
    """Nobody moves."""

    def control(self, task, state, key):
        return jnp.zeros((task.num_agents, task.action_size))
'''


def install(folder: Path, entry_points: str) -> None:
    """What pip leaves behind: a module, and a folder that says what it offers."""
    (folder / "herd_of_mine.py").write_text(SOURCE)
    about = folder / "herd_of_mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: herd-of-mine\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(entry_points)


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """swarmbed, in a process that finds the package."""
    environment = {**os.environ, "PYTHONPATH": str(folder), "COLUMNS": "200"}
    command = [sys.executable, "-m", "swarmbed", *words]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def herd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    install(
        folder,
        "[swarmbed.tasks]\nstampede_of_mine = herd_of_mine:Stampede\n"
        "[swarmbed.embeddings]\nmiddle_of_mine = herd_of_mine:Middle\n"
        "[swarmbed.controllers]\nidle_of_mine = herd_of_mine:Idle\n",
    )
    return folder


def test_what_a_package_offers_is_listed_beside_the_built_in_ones(herd: Path) -> None:
    listed = run(herd, "list")
    assert listed.returncode == 0
    assert listed.stderr == ""
    for name in ("rendezvous", "stampede_of_mine", "middle_of_mine", "idle_of_mine"):
        assert f"\n{name} " in listed.stdout


def test_settings_of_an_installed_task_and_embedding_are_flags(herd: Path) -> None:
    told = run(herd, "train", "stampede_of_mine", "--embedding", "middle_of_mine", "--help")
    assert told.returncode == 0
    assert "--panic NUMBER" in told.stdout
    assert "embedding middle_of_mine:" in told.stdout


@pytest.mark.parametrize(
    ("point", "reason"),
    [
        ("gone_of_mine = herd_of_mine:Gone", "has no attribute 'Gone'"),
        ("idle_task_of_mine = herd_of_mine:Idle", "it is not a Task"),
        ("rendezvous = herd_of_mine:Stampede", "the task 'rendezvous' already exists"),
    ],
)
def test_an_offer_that_cannot_be_used_is_left_out_and_named(point: str, reason: str, tmp_path: Path) -> None:
    install(tmp_path, f"[swarmbed.tasks]\n{point}\n")
    listed = run(tmp_path, "list")
    assert listed.returncode == 0
    assert "of_mine " not in listed.stdout
    assert "of package herd-of-mine (herd_of_mine:" in listed.stderr
    assert reason in listed.stderr
