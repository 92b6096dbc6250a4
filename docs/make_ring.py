"""Draws docs/images/ring.png and prints the numbers of the table in docs/learning.md: ``python docs/make_ring.py``.

Two runs of pursuit with the paper's settings that differ in nothing but the seed: one closes a ring, one chases.
"""

from pathlib import Path
from typing import NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

import swarmbed
from swarmbed.draw.style import BLUE, GREY, VERMILLION, new_figure, plain_axes, save
from swarmbed.learn.rollout import episode
from swarmbed.tasks.base import State, Task

ROOT = Path(__file__).parent.parent
RUNS = ROOT / "results" / "runs" / "pursuit-global-nn-extended"
SHOWN = {"chases (seed 4)": RUNS / "seed-4.safetensors", "closes a ring (seed 2)": RUNS / "seed-2.safetensors"}
STARTS, STEPS, SIDE = 48, 150, 100.0
MOMENT = 60  # the step of the snapshot and of the table


class Life(NamedTuple):
    """What happened from all starts: way from the evader to each pursuer, moves per step, and when it was caught."""

    way: NDArray[np.float64]  # (starts, steps + 1, N, 2)
    moved: NDArray[np.float64]  # (starts, steps, N, 2)
    length: NDArray[np.int64]


def live(path: Path, task: Task, starts: int = STARTS, steps: int = STEPS) -> Life:
    policy = swarmbed.load_policy(str(path))

    def control(task: Task, state: State, key: jax.Array) -> jax.Array:
        return policy(task.observe(state))

    def run(key: jax.Array) -> tuple[State, jax.Array]:
        start_key, run_key = jax.random.split(key)
        lived = episode(task, control, task.initial(start_key), run_key, steps, keep_states=True)
        assert lived.states is not None
        return lived.states, lived.length

    states, length = jax.jit(jax.vmap(run))(jax.random.split(jax.random.key(5), starts))
    position = np.asarray(states.agents.position, float)
    nearest = lambda way: way - SIDE * np.round(way / SIDE)  # noqa: E731
    return Life(
        nearest(position - np.asarray(states.evaders, float)), nearest(np.diff(position, axis=1)), np.asarray(length)
    )


def numbers(life: Life) -> dict[str, float]:
    """At the moment, over the starts from which the evader still runs."""
    way, moved = life.way[life.length > MOMENT, MOMENT], life.moved[life.length > MOMENT, MOMENT]
    distance = np.sort(np.hypot(way[..., 0], way[..., 1]), axis=1)
    angle = np.sort(np.arctan2(way[..., 1], way[..., 0]), axis=1)
    gaps = np.diff(np.concatenate([angle, angle[:, :1] + 2 * np.pi], axis=1), axis=1)
    unit = way / np.hypot(way[..., 0], way[..., 1])[..., None]
    around = unit[..., 0] * moved[..., 1] - unit[..., 1] * moved[..., 0]
    return {
        "nearest": distance[:, 0].mean(),
        "median": np.median(distance, axis=1).mean(),
        "farthest": distance[:, -1].mean(),
        "largest gap, degrees": np.degrees(gaps.max(axis=1)).mean(),
        "mean speed around the evader, units/step": np.abs(around.mean(axis=1)).mean(),
        f"caught by step {STEPS}": float((life.length < STEPS).mean()),
    }


def draw(lives: dict[str, Life]) -> Path:
    figure = new_figure(8.0, 6.6)
    above, below = figure.subplots(2, len(lives), height_ratios=(1.25, 1))
    for axes, (name, life) in zip(above, lives.items(), strict=True):
        start = int(np.flatnonzero(life.length > MOMENT)[0])
        plain_axes(axes, title=name, xlabel=f"from the evader at step {MOMENT}, units", ylabel="units")
        x, y = life.way[start, MOMENT].T
        axes.quiver(x, y, *life.moved[start, MOMENT].T, color=BLUE, angles="xy", scale=22, width=0.008)
        axes.plot(x, y, "o", color=BLUE, label="pursuers and where they go")
        axes.plot(0, 0, "D", color=VERMILLION, label="evader")
        axes.set(xlim=(-50, 50), ylim=(-50, 50), aspect="equal")
    above[0].legend(loc="lower left", fontsize=8, frameon=False)
    for axes, life in zip(below, lives.values(), strict=True):
        distance = np.sort(np.hypot(life.way[..., 0], life.way[..., 1]), axis=2).mean(axis=0)
        plain_axes(axes, xlabel="time step", ylabel="distance from the evader, units")
        axes.fill_between(range(STEPS + 1), distance[:, 0], distance[:, -1], color=GREY, alpha=0.2, linewidth=0)
        for column in range(distance.shape[1]):
            axes.plot(distance[:, column], color=BLUE, linewidth=0.9)
        axes.set(ylim=(0, 70), xlim=(0, STEPS))
    below[0].set_title(f"nearest to farthest pursuer, mean of {STARTS} starts", fontsize=9, color=GREY)
    return save(figure, ROOT / "docs" / "images" / "ring.png")


if __name__ == "__main__":
    lives = {name: live(path, swarmbed.make("pursuit", num_agents=10)) for name, path in SHOWN.items()}
    for name, life in lives.items():
        print(name, *(f"{what} {value:.2f}" for what, value in numbers(life).items()), sep="\n  ")
    print(draw(lives))
