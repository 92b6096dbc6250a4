"""The formats an episode can be drawn in. A new one is one line: an extension, and a function that writes a file."""

from collections.abc import Callable
from pathlib import Path

from swarmbed.draw.film import draw_animation
from swarmbed.draw.html import draw_replay
from swarmbed.draw.page import draw_trace
from swarmbed.draw.recording import Recording
from swarmbed.draw.scene import Look, OnFrame
from swarmbed.spec.errors import SwarmbedError

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
