"""What is seen of one moment: agents as darts, evaders as discs, and on request edges, cells and radii."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from swarmbed.draw.shapes import Points, Stage, cells, darts, discs, images, segments, stage_of
from swarmbed.draw.style import BLUE, GREY, INK, VERMILLION
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import Spec, setting
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.evasion import EvasionTask
from swarmbed.tasks.swarm import SwarmTask

AGENT_COLOR, EVADER_COLOR = BLUE, VERMILLION
EVADER_CELL = "#FBE6D8"
OnFrame = Callable[[int, int], None]  # (pictures finished, pictures in all)


@dataclass(frozen=True)
class Look(Spec):
    """What is drawn besides the agents, and how a recording is cut into pictures."""

    edges: bool = setting(False, "lines between agents within communication range")
    cells: bool = setting(False, "Voronoi cells of agents and evaders")
    radius: bool = setting(False, "circles: communication radius and sight radius")
    snapshots: tuple[int, ...] | None = setting(
        None, "steps of the snapshots (.png)", flag="at", at_least=0, not_empty=True
    )
    every: int | None = setting(None, "steps per picture of a film; left out: 1, for a .gif 2", at_least=1)
    fps: float = setting(25.0, "steps per second of film", above=0, at_most=100)
    trail: int = setting(30, "length of the traces, steps", at_least=0)


PLAIN_LOOK = Look()


class Scene:
    """Axes that show a swarm. ``show(time)`` moves everything to that moment of the recorded states."""

    def __init__(self, axes: Axes, task: Task, states: State, look: Look, mark: float = 2.4) -> None:
        self.task, self.states, self.look = task, states, look
        self.stage = stage_of(task, states)
        self.mark = mark * self.stage.unit * crowding(int(np.asarray(states.present).sum(axis=-1).max(initial=0)))
        frame(axes, self.stage)
        self.cells = PolyCollection([], edgecolors="#BDBDBD", linewidths=0.7, zorder=1)
        self.circles = PolyCollection([], facecolors="none", linewidths=0.7, zorder=1.5)
        self.edges = LineCollection([], colors=GREY, linewidths=0.6, alpha=0.45, zorder=2)
        self.trails = LineCollection([], linewidths=1.3, zorder=3)
        # Marks may stick out over the border: half an agent at a wall would look like a mistake.
        self.agents = PolyCollection([], facecolors=AGENT_COLOR, edgecolors="white", linewidths=0.4, zorder=4)
        self.evaders = PolyCollection([], facecolors=EVADER_COLOR, edgecolors="white", linewidths=0.4, zorder=5)
        self.caught = PolyCollection([], facecolors="none", edgecolors=INK, linewidths=1.2, zorder=6)
        for artist in self.artists:
            axes.add_artist(artist)
        for artist in (self.agents, self.evaders, self.caught):
            artist.set_clip_on(False)

    @property
    def artists(self) -> list[Artist]:
        """Everything that moves, from the back to the front."""
        return [self.cells, self.circles, self.edges, self.trails, self.agents, self.evaders, self.caught]

    def show(self, time: int) -> None:
        there = np.asarray(self.states.present[time])
        position = np.asarray(self.states.agents.position[time])[there]
        heading = np.asarray(self.states.agents.heading[time])[there]
        evaders = np.zeros((0, 2)) if self.states.evaders is None else np.asarray(self.states.evaders[time])
        self.agents.set_verts(list(darts(position, heading, self.mark)))
        self.evaders.set_verts(discs(evaders, 0.5 * self.mark))
        prey = evaders[caught(self.task, self.stage, position, evaders)]
        self.caught.set_verts(discs(prey, 1.2 * self.mark))
        pieces, colors = trail(self.task, self.stage, self.states, max(time - self.look.trail, 0), time, fade=True)
        self.trails.set_segments(bundled(pieces, colors))
        self.trails.set_color(np.unique(colors, axis=0))  # type: ignore[arg-type]
        self._show_extras(position, evaders)

    def _show_extras(self, position: Points, evaders: Points) -> None:
        if self.look.cells:
            shapes, owners = images(self.stage, cells(self.stage, np.concatenate([position, evaders])))
            self.cells.set_verts(shapes)
            self.cells.set_facecolor([EVADER_CELL if owner >= len(position) else "none" for owner in owners])
        if self.look.edges:
            pieces = edges(self.task, self.stage, position)
            self.edges.set_segments(bundled(pieces, np.zeros((len(pieces), 1))))
        if self.look.radius:
            comm_radius, sight_radius = radii(self.task)
            heard = images(self.stage, discs(position, comm_radius))[0] if comm_radius is not None else []
            seen = images(self.stage, discs(evaders, sight_radius))[0] if sight_radius is not None else []
            self.circles.set_verts([*heard, *seen])
            self.circles.set_edgecolor([(*to_rgb(AGENT_COLOR), 0.45)] * len(heard) + [EVADER_COLOR] * len(seen))


def crowding(count: int) -> float:
    """How much smaller the marks of a crowd are, to leave room between them; 1 for up to fifty agents."""
    return float(min(1.0, (50 / max(count, 1)) ** 0.3))


def frame(axes: Axes, stage: Stage) -> None:
    """Axes of exactly the world's shape; a periodic border is dashed, walls are solid."""
    axes.set_aspect("equal")
    axes.set_xlim(stage.low[0], stage.high[0])
    axes.set_ylim(stage.low[1], stage.high[1])
    axes.tick_params(colors=INK, labelsize=8, length=3)
    for spine in axes.spines.values():
        spine.set_color(INK)
        spine.set_linewidth(0.9)
        spine.set_linestyle((0, (4, 3)) if stage.period is not None else "-")


def trail(
    task: Task, stage: Stage, states: State, first: int, last: int, *, fade: bool
) -> tuple[Points, NDArray[np.floating[Any]]]:
    """The paths of all agents and evaders from one time to another, with colours; older pieces are paler.

    With ``fade`` they vanish towards ``first``, and the trail of an agent that leaves vanishes with it. Without, they
    stay visible, and their colour depends not on time but on the share of the path still ahead, so an agent that
    arrives early arrives in full colour. Absent agents leave no line.
    """
    pieces: list[Points] = [np.zeros((0, 2, 2))]
    colors: list[NDArray[np.floating[Any]]] = [np.zeros((0, 4))]
    limits = (longest_step(task), longest_step(task) * getattr(task, "evader_speed_ratio", 1.0))
    walkers = (states.agents.position, states.evaders)
    for path, limit, color in zip(walkers, limits, (AGENT_COLOR, EVADER_COLOR), strict=True):
        if path is None or last <= first:
            continue
        way = np.asarray(path[first : last + 1])
        there = np.ones(way.shape[:2], bool)
        if color == AGENT_COLOR:
            there = np.asarray(states.present[first : last + 1])
            way = np.where(there[..., None], way, 0.0)  # what an absent agent's place holds may be no number at all
        until_now = np.logical_and.accumulate(there[::-1], axis=0)[::-1]
        is_seen = until_now[:-1] if fade else there[:-1] & there[1:]
        found, index = segments(stage, way[:-1], way[1:], limit)
        walker, step = index % way.shape[1], index // way.shape[1]
        kept = is_seen[step, walker]
        found, walker, step = found[kept], walker[kept], step[kept]
        if fade:
            rgb = np.broadcast_to(to_rgb(color), (len(step), 3))
            alpha = 0.7 * (step + 1) / (last - first)
        else:
            pace = np.hypot(*np.moveaxis(stage.nearest(np.diff(way, axis=0)), -1, 0))
            walked = np.cumsum(np.where(is_seen, pace, 0.0), axis=0)
            share = walked[step, walker] / np.maximum(walked[-1, walker], 1e-12)
            rgb = 1 - (1 - np.array(to_rgb(color))) * (0.25 + 0.75 * share[:, None])
            alpha = np.ones(len(step))
        pieces.append(found)
        colors.append(np.column_stack([rgb, alpha]))
    return np.concatenate(pieces), np.concatenate(colors)


def bundled(pieces: Points, colors: NDArray[np.floating[Any]]) -> list[Points]:
    """The pieces of every colour as one line with gaps: a few long lines are drawn much faster than many short ones.

    Lines are in the order of ``np.unique(colors, axis=0)``.
    """
    _, owner = np.unique(colors, axis=0, return_inverse=True)
    with_gap = np.concatenate([pieces, np.full((len(pieces), 1, 2), np.nan)], axis=1)
    return [with_gap[owner.ravel() == line].reshape(-1, 2) for line in range(owner.max(initial=-1) + 1)]


def longest_step(task: Task) -> float:
    """How far an agent can get in one step, with a margin for rounding; one that is farther away was put there."""
    return 1.5 * task.max_speed * task.control_seconds if isinstance(task, SwarmTask) else inf


def radii(task: Task) -> tuple[float | None, float | None]:
    """How far agents hear each other, and how far pursuers and evaders see each other; None is everywhere."""
    return getattr(task, "comm_radius", None), getattr(task, "sight_radius", None)


def caught(task: Task, stage: Stage, position: Points, evaders: Points) -> NDArray[np.bool_]:
    """Which evaders have one of these pursuers within the capture radius."""
    if not isinstance(task, EvasionTask):
        return np.zeros(len(evaders), bool)
    way = stage.nearest(position[:, None] - evaders[None])
    return np.asarray(np.hypot(way[..., 0], way[..., 1]).min(axis=0, initial=inf) <= task.capture_radius)


def edges(task: Task, stage: Stage, position: Points) -> Points:
    """A line between every two of these agents that are neighbours."""
    first, second = np.triu_indices(len(position), 1)
    radius = radii(task)[0]
    return segments(stage, position[first], position[second], inf if radius is None else radius)[0]


def check_look(task: Task, look: Look) -> None:
    """Say so if something cannot be drawn of this task."""
    if look.radius and radii(task) == (None, None):
        raise SwarmbedError("radius needs a task with a comm_radius or a sight_radius, and this one has neither")
