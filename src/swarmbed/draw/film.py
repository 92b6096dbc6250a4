"""An episode as a film: the world, a clock above it and the task's metric below, written as GIF or MP4."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from numpy.typing import NDArray
from PIL import Image

from swarmbed.draw.curves import Curve, log_scale
from swarmbed.draw.encoder import Encoder
from swarmbed.draw.recording import Recording, clock, describe, tell
from swarmbed.draw.scene import AGENT_COLOR, EVADER_CELL, EVADER_COLOR, PLAIN_LOOK, Look, OnFrame, Scene, check_look
from swarmbed.draw.shapes import stage_of
from swarmbed.draw.story import axis_of
from swarmbed.draw.style import GREY, INK, make_folder, plain_axes
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.files import whole

Frame = NDArray[np.uint8]
HOLD_SECONDS = 1.5  # how long a film stays on its last picture


def draw_animation(
    recording: Recording, path: str | Path, look: Look = PLAIN_LOOK, on_frame: OnFrame | None = None
) -> Path:
    """The episode as a film: GIF or MP4, by the extension. It ends when the episode does."""
    path = Path(path)
    films: dict[str, Callable[..., None]] = {".gif": _write_gif, ".mp4": _write_mp4}
    if path.suffix.lower() not in films:
        raise SwarmbedError(f"film {path} must end in one of: {', '.join(films)}")
    check_look(recording.task, look)
    # A GIF of every step would be twice as large and look the same.
    every = look.every or (2 if path.suffix.lower() == ".gif" else 1)
    times = [*range(0, recording.length, every), recording.length]
    seconds = every / look.fps

    def pictures(dpi: int) -> Iterator[Frame]:
        for index, picture in enumerate(frames(recording, look, times, dpi)):
            yield picture
            if on_frame is not None:
                on_frame(index + 1, len(times))

    make_folder(path)
    with whole(path) as unfinished:
        films[path.suffix.lower()](unfinished, pictures, len(times), seconds)
    return path


def frames(recording: Recording, look: Look, times: list[int], dpi: int) -> Iterator[Frame]:
    """One picture (height, width, 3) per time. What does not move is drawn only once."""
    figure = Figure(dpi=dpi, facecolor="white")
    canvas: Any = FigureCanvasAgg(figure)  # its methods have no types
    film = Film(figure, recording, look)
    for artist in film.artists:
        artist.set_animated(True)
    canvas.draw()
    background = canvas.copy_from_bbox(figure.bbox)
    for time in times:
        canvas.restore_region(background)
        film.show(time)
        for artist in film.artists:
            figure.draw_artist(artist)
        yield np.asarray(canvas.buffer_rgba())[..., :3].copy()


class Film:
    """The page of a film: the world, a clock above it, the task's metric as a growing line below."""

    def __init__(self, figure: Figure, recording: Recording, look: Look) -> None:
        self.recording, self.story = recording, tell(recording)
        metric, values = self.story.metric, self.story.values
        stage = stage_of(recording.task, recording.states)
        world = stage.fitted(5.2, longest=8.0)
        left, strip, head = 0.55, 1.45 if metric else 0.35, 0.55
        # A video's sides must be even numbers of pixels.
        width, height = (2 * round(inches * figure.dpi / 2) / figure.dpi for inches in (
            max(left + world[0] + 0.2, 4.0), head + world[1] + 0.4 + strip))  # fmt: skip
        figure.set_size_inches(width, height)
        axes = figure.add_axes((left / width, 1 - (head + world[1]) / height, world[0] / width, world[1] / height))
        self.scene = Scene(axes, recording.task, recording.states, look)
        title = describe(recording)
        size = min(11.0, 100 * (width - 0.8) / len(title))
        figure.text(left / width, 1 - 0.3 / height, title, fontsize=size, color=INK, va="center", weight="bold")
        line = (strip - 0.2) / height
        self.caption = figure.text(left / width, line, "", fontsize=9.5, color=INK, va="center")
        self.clock = figure.text(1 - 0.2 / width, line, "", fontsize=9.5, color=INK, va="center", ha="right")
        self.artists = [*self.scene.artists, self.clock, self.caption]
        if metric:
            low = figure.add_axes((left / width, 0.42 / height, 1 - (left + 0.2) / width, (strip - 0.72) / height))
            plain_axes(low)
            low.tick_params(labelsize=8)
            # Below the curve, where there is room for it: the strip is too low for words along its side.
            low.set_xlabel("step", loc="right", fontsize=8, color=INK)
            self.axis = figure.text(left / width, 0.11 / height, axis_of(metric), fontsize=8, color=INK, va="center")
            low.set_xlim(0, max(recording.length, 1))
            low.set_ylim(1.08 * min(float(np.nanmin(values)), 0.0), 1.08 * max(float(np.nanmax(values)), 0.0) or 1.0)
            if metric.log:
                log_scale(low, [Curve(np.arange(len(values)), values)])
            (self.line,) = low.plot([], [], color=AGENT_COLOR, linewidth=1.4)
            (self.dot,) = low.plot([], [], "o", color=AGENT_COLOR, markersize=4, clip_on=False)
            self.artists += [self.line, self.dot]

    def show(self, time: int) -> None:
        self.scene.show(time)
        self.clock.set_text(clock(self.recording.task, time))
        self.caption.set_text(self.story.at(time))
        self.caption.set_color(EVADER_COLOR if self.story.news[time] else INK)
        if self.story.metric:
            self.line.set_data(np.arange(time + 1), self.story.values[: time + 1])
            self.dot.set_data([time], [self.story.values[time]])


def _write_mp4(path: Path, pictures: Callable[[int], Iterator[Frame]], count: int, seconds: float) -> None:
    with Encoder(path, 1 / seconds) as encoder:
        for picture in pictures(120):
            encoder.add(picture)
        for _ in range(round(HOLD_SECONDS / seconds)):
            encoder.add(picture)


def _write_gif(path: Path, pictures: Callable[[int], Iterator[Frame]], count: int, seconds: float) -> None:
    # One palette for all pictures: faster than a new one each time, and colours do not flicker.
    palette = Image.new("P", (1, 1))
    palette.putpalette(_tints())
    images = (Image.fromarray(p).quantize(palette=palette, dither=Image.Dither.NONE) for p in pictures(80))
    milliseconds = [max(round(1000 * seconds), 20)] * count
    milliseconds[-1] += round(1000 * HOLD_SECONDS)
    next(images).save(path, format="GIF", save_all=True, append_images=images, duration=milliseconds, loop=0)


def _tints() -> list[int]:
    """Red, green, blue of the palette: everything that is drawn is one of five colours, mixed with white.

    The tints keep away from white, since pillow rounds colours before it looks for the nearest one.
    """
    strengths = {AGENT_COLOR: 0.08, EVADER_COLOR: 0.08, INK: 0.08, GREY: 0.08, EVADER_CELL: 0.5}
    tints = [np.ones((1, 3)), np.zeros((1, 3))]
    for ink, weakest in strengths.items():
        tints.append(1 - np.linspace(weakest, 1, 50)[:, None] * (1 - np.array(to_rgb(ink))))
    return [int(level) for level in np.round(255 * np.concatenate(tints)).ravel()]
