"""Draws docs/images/data_flow.png: ``python docs/make_data_flow.py``."""

from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from swarmbed.draw.style import BLUE, GREEN, GREY, INK, ORANGE, VERMILLION, new_figure, save

BOXES = (
    ("State", "agents, evaders,\npresence, age", BLUE),
    ("local + sets", "one view per agent,\nmasks for absence", BLUE),
    ("vector", "mean embedding\nof each set", GREEN),
    ("action", "one shared policy,\nGaussian", GREEN),
    ("State′", "reward, end?", BLUE),
    ("samples", "advantages of\n8 agents a swarm", ORANGE),
    ("parameters", "TRPO step,\nvalue fit", VERMILLION),
)
ARROWS = ("observe", "embed", "policy", "transition", "rollout", "update")
PACKAGES = (
    (0, 1, "sim, tasks"),
    (2, 3, "embeddings, networks"),
    (4, 4, "tasks"),
    (5, 5, "learn"),
    (6, 6, "algorithms, learn"),
)
WIDTH, GAP, HEIGHT = 1.8, 1.0, 1.1


def left(index: int) -> float:
    return index * (WIDTH + GAP)


def draw(axes: Axes) -> None:
    for index, (title, below, color) in enumerate(BOXES):
        box = FancyBboxPatch(
            (left(index), 0), WIDTH, HEIGHT, boxstyle="round,pad=0,rounding_size=0.12", fc="white", ec=color, lw=1.6
        )
        axes.add_patch(box)
        middle = left(index) + WIDTH / 2
        axes.text(middle, HEIGHT * 0.74, title, ha="center", va="center", fontsize=10, weight="bold", color=INK)
        axes.text(middle, HEIGHT * 0.33, below, ha="center", va="center", fontsize=7, color=INK)
    for index, name in enumerate(ARROWS):
        start, end = (left(index) + WIDTH, HEIGHT / 2), (left(index + 1), HEIGHT / 2)
        axes.add_patch(FancyArrowPatch(start, end, arrowstyle="-|>", mutation_scale=12, color=INK, lw=1.2))
        axes.text((start[0] + end[0]) / 2, HEIGHT * 0.62, name, ha="center", va="bottom", fontsize=7, color=INK)
    for first, last, name in PACKAGES:
        begin, finish = left(first), left(last) + WIDTH
        axes.plot([begin, finish], [-0.2, -0.2], color=GREY, lw=1)
        axes.text((begin + finish) / 2, -0.28, name, ha="center", va="top", fontsize=8, color=GREY)
    axes.set_xlim(-0.1, left(len(BOXES) - 1) + WIDTH + 0.1)
    axes.set_ylim(-0.7, HEIGHT + 0.15)
    axes.set_aspect("equal")
    axes.axis("off")


if __name__ == "__main__":
    figure = new_figure(11, 1.35)
    draw(figure.add_subplot())
    save(figure, Path(__file__).parent / "images" / "data_flow.png")
