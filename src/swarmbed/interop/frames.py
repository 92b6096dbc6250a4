"""Pictures of single moments of a swarm, as numbers."""

from typing import Any

import jax
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from numpy.typing import NDArray

from swarmbed.draw.scene import Look, Scene
from swarmbed.draw.shapes import Stage, stage_of
from swarmbed.tasks.base import State, Task

DPI = 80
SIDE, LONGEST = 5.0, 8.0  # inches of a square world, and of the longer side of any other
MARGIN = 0.45  # inches for the numbers along the axes
LOOK = Look(trail=0)


class Camera:
    """Takes pictures of one task. What stands still is drawn once: the world, as long as it stays the same.

    A task without a world is shown in a square around its agents.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.scene: Scene | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return Camera, (self.task,)  # a copy draws its own figure: drawings can be neither copied nor pickled

    def picture(self, state: State) -> NDArray[np.uint8]:
        """The swarm as (height, width, 3) colours."""
        states = jax.tree.map(lambda leaf: np.asarray(leaf)[None], state)
        stage = stage_of(self.task, states)
        if self.scene is None or not _same(self.scene.stage, stage):
            self.scene = self._prepared(states, stage)
        self.scene.states = states
        self.scene.show(0)
        self.canvas.restore_region(self.background)
        for artist in self.scene.artists:
            self.canvas.figure.draw_artist(artist)
        return np.asarray(self.canvas.buffer_rgba())[..., :3].copy()

    def _prepared(self, states: State, stage: Stage) -> Scene:
        world = stage.fitted(SIDE, LONGEST)
        # A video's sides must be even numbers of pixels.
        width, height = (2 * round((side + 2 * MARGIN) * DPI / 2) / DPI for side in world)
        figure = Figure(figsize=(width, height), dpi=DPI, facecolor="white")
        self.canvas: Any = FigureCanvasAgg(figure)  # its methods have no types
        axes = figure.add_axes((MARGIN / width, MARGIN / height, world[0] / width, world[1] / height))
        scene = Scene(axes, self.task, states, LOOK)
        for artist in scene.artists:
            artist.set_animated(True)
        self.canvas.draw()
        self.background = self.canvas.copy_from_bbox(figure.bbox)
        return scene


def _same(one: Stage, other: Stage) -> bool:
    return bool(np.array_equal(one.low, other.low) and np.array_equal(one.high, other.high))
