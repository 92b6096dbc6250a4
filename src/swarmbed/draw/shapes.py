"""The swarm as shapes, in plain numpy: ways, marks, circles and Voronoi cells, in a world whose border may wrap.

A line or a cell that crosses a periodic border is drawn once per side, each copy sticking out of the picture where the
axes cut it off. So nothing jumps across the plot, and nothing ends in the middle of it.
"""

from math import inf
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swarmbed.sim.world import Torus
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.swarm import SwarmTask

Points = NDArray[np.floating[Any]]
_CIRCLE = np.stack([np.cos(np.linspace(0, 2 * np.pi, 73)), np.sin(np.linspace(0, 2 * np.pi, 73))], -1)
_DART = np.array([[1.0, 0.0], [-0.75, 0.62], [-0.4, 0.0], [-0.75, -0.62]])
_SHIFTS = np.array([(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)], float)


class Stage(NamedTuple):
    """The visible rectangle, and the period of the world where it has one."""

    low: Points
    high: Points
    period: Points | None = None

    @property
    def unit(self) -> float:
        """A length that suits the picture: one percent of a square of the same area."""
        return float(np.sqrt(np.prod(self.high - self.low))) / 100

    def fitted(self, inches: float, longest: float) -> Points:
        """Width and height on paper: the area of a square of so many inches, no side longer than ``longest``."""
        size = self.high - self.low
        return np.asarray(size * min(inches / (100 * self.unit), longest / size.max()))

    def nearest(self, displacement: Points) -> Points:
        """The shortest displacement equivalent to this one."""
        if self.period is None:
            return displacement
        return displacement - self.period * np.round(displacement / self.period)


def stage_of(task: Task, states: State) -> Stage:
    """The task's world; a task without one gets the square that its agents visit while they are there."""
    if isinstance(task, SwarmTask):
        size = np.array([task.width, task.height])
        return Stage(np.zeros(2), size, size if isinstance(task.space, Torus) else None)
    seen = np.asarray(states.agents.position, float)[np.asarray(states.present)]
    if states.evaders is not None:
        seen = np.concatenate([seen, np.asarray(states.evaders).reshape(-1, 2)])
    if not len(seen):
        seen = np.zeros((1, 2))
    middle, half = (seen.min(0) + seen.max(0)) / 2, max(float(np.ptp(seen, axis=0).max()) / 2, 0.5) * 1.05
    return Stage(middle - half, middle + half)


def segments(stage: Stage, start: Points, end: Points, longest: float = inf) -> tuple[Points, NDArray[np.intp]]:
    """Straight pieces from each start to the nearest image of its end, (S, 2, 2), and which start each belongs to.

    A piece that crosses the border appears twice, once leaving and once entering; over a corner also in between. One
    that is longer than ``longest`` is not a move but something put elsewhere, and is left out.
    """
    start, end = start.reshape(-1, 2), end.reshape(-1, 2)
    way = stage.nearest(end - start)
    (kept,) = np.nonzero(np.hypot(way[:, 0], way[:, 1]) <= longest)
    pieces = np.stack([start, start + way], axis=1)[kept]
    if stage.period is None:
        return pieces, kept
    borders = np.round((start + way - end)[kept] / stage.period)  # −1, 0 or 1 crossings of each side
    copies, owners = [pieces], [kept]
    for sides in ((1, 0), (0, 1), (1, 1)):
        (crossing,) = np.nonzero(((borders != 0) | (np.array(sides) == 0)).all(axis=1))
        copies.append(pieces[crossing] - (borders[crossing] * sides * stage.period)[:, None])
        owners.append(kept[crossing])
    return np.concatenate(copies), np.concatenate(owners)


def darts(position: Points, heading: Points, size: float) -> Points:
    """One mark per agent, (N, 4, 2), that points along its heading."""
    cos, sin = np.cos(heading)[:, None], np.sin(heading)[:, None]
    ahead, left = size * _DART[:, 0], size * _DART[:, 1]
    return position[:, None] + np.stack([ahead * cos - left * sin, ahead * sin + left * cos], -1)


def discs(centre: Points, radius: float) -> list[Points]:
    """A circle of this radius around every centre."""
    return [middle + radius * _CIRCLE for middle in centre]


def images(stage: Stage, shapes: list[Points]) -> tuple[list[Points], list[int]]:
    """The shapes, and on a torus their copies next door, as far as they are in the picture; and whose copy each is."""
    if stage.period is None:
        return shapes, list(range(len(shapes)))
    found: list[Points] = []
    owners: list[int] = []
    for owner, shape in enumerate(shapes):
        low, high = shape.min(0), shape.max(0)
        for shift in _SHIFTS * stage.period:
            if (low + shift < stage.high).all() and (high + shift > stage.low).all():
                found.append(shape + shift)
                owners.append(owner)
    return found, owners


def cells(stage: Stage, sites: Points) -> list[Points]:
    """The Voronoi cell of every site: the points that are closer to it than to any other site or image.

    Each cell starts as a rectangle (the world itself, or one period around the site) and is cut by the bisector with
    one rival after another, nearest first: 2(x − e)·(q − e) ≤ |q − e|². A rival more than twice as far away as the
    cell's farthest corner cuts nothing any more, so only a handful are looked at. Cells reach over a periodic border.
    """
    images_of = np.zeros((1, 2)) if stage.period is None else _SHIFTS * stage.period
    same_spot = (1e-6 * stage.unit) ** 2
    result = []
    for site in sites:
        half = None if stage.period is None else stage.period / 2
        low, high = (stage.low - site, stage.high - site) if half is None else (-half, half)
        corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
        rivals = (stage.nearest(sites - site)[:, None] + images_of).reshape(-1, 2)
        square = (rivals**2).sum(1)
        # The site itself and any other on the same spot share one cell.
        order = np.argsort(square)[np.count_nonzero(square <= same_spot) :]
        reach = max(x * x + y * y for x, y in corners)
        for index in order:
            if square[index] > 4 * reach:
                break
            cut = _cut(corners, float(rivals[index, 0]), float(rivals[index, 1]), float(square[index]))
            if cut is not corners and cut:
                corners, reach = cut, max(x * x + y * y for x, y in cut)
        result.append(np.array(corners) + site)
    return result


def _cut(corners: list[tuple[float, float]], qx: float, qy: float, square: float) -> list[tuple[float, float]]:
    """The part of a convex polygon with 2x·q ≤ |q|²; the polygon itself where nothing is cut."""
    excess = [2 * (x * qx + y * qy) - square for x, y in corners]
    if max(excess) <= 0:
        return corners
    kept: list[tuple[float, float]] = []
    for index, (x, y) in enumerate(corners):
        before_x, before_y = corners[index - 1]
        here, before = excess[index], excess[index - 1]
        if (here > 0) != (before > 0):
            share = before / (before - here)
            kept.append((before_x + share * (x - before_x), before_y + share * (y - before_y)))
        if here <= 0:
            kept.append((x, y))
    return kept
