"""The boards of the leaderboard: the paper's tasks at fixed sizes, on reproducible starts.

Start i of a board is ``task.initial(fold_in(split(key(SEED))[0], i))``, as in every evaluation with that seed, and what
happens later depends on i in the same way. The fingerprint says whether a machine draws the same starts.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import jax
import numpy as np

from swarmbed.controllers.base import Controller
from swarmbed.policy.find import fits
from swarmbed.policy.headers import shipped_policies
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError, choose
from swarmbed.tasks import make
from swarmbed.tasks.base import Task

SEED = 2019
FIRST = 3  # starts whose positions are published for comparison


@dataclass(frozen=True)
class Board:
    """A task variant at one size."""

    variant: str
    agents: int

    @property
    def name(self) -> str:
        return f"{self.variant}-{self.agents}"

    @property
    def task(self) -> Task:
        return make(self.variant, num_agents=self.agents)

    def entrants(self) -> list[str]:
        """The entries of the board: the shipped policies of the variant and the controllers that fit the task."""
        policies = [name for name in shipped_policies() if name.startswith(f"{self.variant}-")]
        task = self.task
        kinds: dict[str, type[Controller]] = registry.controllers.all()
        return [*policies, *(name for name, kind in kinds.items() if fits(kind(), task))]


BOARDS = {
    board.name: board
    for board in (
        Board("rendezvous-global", 20),
        Board("rendezvous-local", 20),
        Board("pursuit-global", 10),
        Board("pursuit-local", 20),
        Board("multi-pursuit", 50),
    )
}


def board_named(name: str) -> Board:
    """A board by its name, or by its task's where there is one board of it."""
    same_task = [board for board in BOARDS.values() if board.variant == name]
    return same_task[0] if len(same_task) == 1 else BOARDS[choose("board", name, tuple(BOARDS))]


def published_starts(board: Board, episodes: int) -> dict[str, Any]:
    """What is published of the starts: the seed, how many, a fingerprint, and where the agents of the first ones are.

    The fingerprint is of the board's name and the random bits behind every start: words and whole numbers, so it is the
    same on every machine that draws the same starts. Positions tell whether the task makes the same of them.
    """
    start_key, _ = jax.random.split(jax.random.key(SEED))
    keys = jax.vmap(lambda index: jax.random.fold_in(start_key, index))(np.arange(episodes))
    bits = np.asarray(jax.random.key_data(keys)).astype("<u4")
    digest = hashlib.sha256(board.name.encode() + bits.tobytes()).hexdigest()
    first = jax.jit(jax.vmap(board.task.initial))(keys[:FIRST])
    positions = np.asarray(first.agents.position, np.float64).round(2).tolist()
    return {"seed": SEED, "episodes": episodes, "fingerprint": digest[:16], "first_positions": positions}


def check_same_starts(ours: dict[str, Any], theirs: dict[str, Any]) -> None:
    """Raise an error if two sets of starts differ; positions may differ in the last digit shown."""
    same = ours["fingerprint"] == theirs["fingerprint"] and np.allclose(
        ours["first_positions"], theirs["first_positions"], atol=0.02
    )
    if not same:
        raise SwarmbedError(
            "this machine or version draws different starts from the published ones, so rows cannot be compared "
            f"(fingerprint {ours['fingerprint']}, published {theirs['fingerprint']})"
        )
