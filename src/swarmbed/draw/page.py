"""An episode on one page: four snapshots, and the whole trajectory beside them."""

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from swarmbed.draw.recording import Recording, clock, describe, snapshot_times, tell
from swarmbed.draw.scene import AGENT_COLOR, EVADER_COLOR, PLAIN_LOOK, Look, OnFrame, Scene, check_look, trail
from swarmbed.draw.shapes import stage_of
from swarmbed.draw.style import INK, save
from swarmbed.spec.errors import SwarmbedError


def draw_trace(
    recording: Recording, path: str | Path, look: Look = PLAIN_LOOK, on_frame: OnFrame | None = None
) -> Path:
    """Four snapshots, and the whole episode beside them: pale at its start, marks where it ends."""
    check_look(recording.task, look)
    figure = trace_figure(recording, look)
    if on_frame is not None:
        on_frame(1, 1)
    return save(figure, path)


def trace_figure(recording: Recording, look: Look = PLAIN_LOOK) -> Figure:
    """The page itself: snapshots in two rows on the left, the whole episode on the right."""
    task, states, length = recording.task, recording.states, recording.length
    times = look.snapshots or snapshot_times(recording)
    for time in times:
        if not 0 <= time <= length:
            raise SwarmbedError(f"snapshots must lie between 0 and {length}, where this episode ends, not at {time}")
    big = stage_of(task, states).fitted(4.6, longest=6.5)
    columns = -(-len(times) // 2)
    gap, side, left, bottom, top = 0.34, 0.26, 0.55, 0.5, 0.66
    small = big * (big[1] - gap) / 2 / big[1]
    width = left + columns * (small[0] + side) + 0.55 + big[0] + 0.25
    height = bottom + big[1] + top
    figure = Figure(figsize=(width, height), dpi=130, facecolor="white")
    FigureCanvasAgg(figure)

    def panel(x: float, y: float, extent: NDArray[np.floating[Any]], title: str) -> Axes:
        axes = figure.add_axes((x / width, y / height, extent[0] / width, extent[1] / height))
        axes.set_title(title, fontsize=9, color=INK, pad=4)
        return axes

    for index, time in enumerate(times):
        row, column = divmod(index, columns)
        y = bottom + (0 if row else small[1] + gap)
        axes = panel(left + column * (small[0] + side), y, small, clock(task, time))
        Scene(axes, task, states, look, mark=3.4).show(time)
        axes.set_xticks(np.linspace(*axes.get_xlim(), 3))
        axes.set_yticks(np.linspace(*axes.get_ylim(), 3))
        axes.tick_params(labelleft=column == 0, labelbottom=row == 1 or len(times) <= columns)
    axes = panel(width - 0.25 - big[0], bottom, big, whole_episode(recording))
    _whole_way(axes, recording)
    axes.set_xlabel("x (units)", fontsize=9, color=INK)
    axes.set_ylabel("y (units)", fontsize=9, color=INK)
    title = describe(recording)
    size = min(11.0, 100 * (width - 3.2) / len(title))
    figure.text(left / width, 1 - 0.2 / height, title, fontsize=size, color=INK, va="center", weight="bold")
    figure.legend(
        handles=_legend(recording), loc="upper right", bbox_to_anchor=(1 - 0.2 / width, 1 - 0.06 / height),
        ncols=3, frameon=False, fontsize=9, labelcolor=INK, handletextpad=0.1, columnspacing=1.2, borderpad=0,
    )  # fmt: skip
    return figure


def _legend(recording: Recording) -> list[Line2D]:
    """What the marks mean."""
    has_evaders = recording.states.evaders is not None
    marks = {"start": ("o", INK, "white"), "pursuer" if has_evaders else "agent": (">", AGENT_COLOR, AGENT_COLOR)}
    if has_evaders:
        marks["evader"] = ("o", EVADER_COLOR, EVADER_COLOR)
    return [
        Line2D([], [], linestyle="", marker=mark, color=edge, markerfacecolor=face, markersize=5.5, label=label)
        for label, (mark, edge, face) in marks.items()
    ]


def _whole_way(axes: Axes, recording: Recording) -> None:
    task, states, length = recording.task, recording.states, recording.length
    scene = Scene(axes, task, states, Look(trail=0), mark=2.2)
    scene.show(length)
    pieces, colors = trail(task, scene.stage, states, 0, length, fade=False)
    axes.add_collection(LineCollection(list(pieces), colors=list(colors), linewidths=0.9, zorder=3), autolim=False)
    present = np.asarray(states.present)
    (ever,) = np.nonzero(present.any(axis=0))
    # An agent starts where it is first seen.
    starts = [(np.asarray(states.agents.position)[present.argmax(axis=0)[ever], ever], AGENT_COLOR)]
    if states.evaders is not None:
        starts.append((np.asarray(states.evaders[0]), EVADER_COLOR))
    for position, color in starts:
        axes.plot(position[:, 0], position[:, 1], "o", markersize=3.2, color=color, markerfacecolor="white", zorder=3.5)


def whole_episode(recording: Recording) -> str:
    """How the episode went, in a few words."""
    story, length = tell(recording), recording.length
    if story.news[-1]:
        return f"whole episode · {story.news[-1]}"
    return " · ".join(filter(None, ["whole episode", f"{length} step{'s' if length != 1 else ''}", story.at(length)]))
