"""Episodes as pictures: record one, then write it as a page (.png) or a film (.gif, .mp4).

    recording = record(find("consensus"), make("rendezvous"), seed=1, steps=200)
    draw_trace(recording, "rendezvous.png")
    draw_animation(recording, "rendezvous.mp4")

A new format is one line in WRITERS: an extension, and a function that writes a recording to a path.
"""

from collections.abc import Callable
from pathlib import Path

from swarmbed.draw.film import draw_animation
from swarmbed.draw.html import draw_replay
from swarmbed.draw.page import draw_trace
from swarmbed.draw.recording import Recording, record
from swarmbed.draw.scene import Look, OnFrame
from swarmbed.spec.errors import SwarmbedError

__all__ = ["WRITERS", "Look", "OnFrame", "Recording", "draw_animation", "draw_trace", "record", "writer_for"]

Writer = Callable[[Recording, Path, Look, OnFrame | None], Path]
WRITERS: dict[str, Writer] = {
    ".png": draw_trace,
    ".gif": draw_animation,
    ".mp4": draw_animation,
    ".html": draw_replay,
}


def writer_for(path: str | Path) -> Writer:
    """The function that writes files with this extension."""
    extension = Path(path).suffix.lower()
    if extension not in WRITERS:
        raise SwarmbedError(f"out must be a file that ends in one of: {', '.join(WRITERS)}, not {str(path)!r}")
    return WRITERS[extension]
