"""A drawn episode, held in memory: it displays in a notebook and can be written to a file."""

import base64
import html
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from swarmbed.draw.formats import WRITERS, writer_for
from swarmbed.draw.recording import Recording, describe, ending
from swarmbed.draw.scene import PLAIN_LOOK, Look, OnFrame
from swarmbed.draw.style import make_folder
from swarmbed.spec.files import write_atomically

HEIGHT = 640  # pixels of the page in a notebook


@dataclass(frozen=True)
class Picture:
    """An episode in one of the formats of :func:`swarmbed.render`; ``path`` is where it was written, if it was."""

    recording: Recording = field(repr=False)
    format: str
    content: bytes = field(repr=False)
    look: Look = PLAIN_LOOK
    path: Path | None = None

    def save(self, path: str | Path) -> Path:
        """Write the episode; the extension of another format draws it again in that format."""
        path = Path(path)
        write = writer_for(path)
        make_folder(path)
        if path.suffix.lower() != f".{self.format}":
            return write(self.recording, path, self.look, None)
        write_atomically(path, self.content)
        return path

    def __str__(self) -> str:
        size = f"{self.format}, {len(self.content) / 1000:.0f} kB"
        return f"{describe(self.recording)}: {ending(self.recording)} ({size})"

    def _repr_html_(self) -> str | None:
        words = html.escape(str(self))
        if self.format == "html":
            # A page of its own within the notebook's: its scripts reach nothing outside.
            style = f"width: 100%; height: {HEIGHT}px; border: 0"
            page = html.escape(self.content.decode())
            return f'<iframe sandbox="allow-scripts" title="{words}" style="{style}" srcdoc="{page}"></iframe>'
        data = base64.b64encode(self.content).decode()
        if self.format == "mp4":
            source = f'src="data:video/mp4;base64,{data}"'
            return f'<video controls autoplay loop muted title="{words}" style="max-width: 100%" {source}></video>'
        if self.format == "gif":
            return f'<img alt="{words}" style="max-width: 100%" src="data:image/gif;base64,{data}">'
        return None

    def _repr_png_(self) -> bytes | None:
        return self.content if self.format == "png" else None


def draw(recording: Recording, format: str, look: Look = PLAIN_LOOK, on_frame: OnFrame | None = None) -> Picture:
    """The picture of a recording, without a file."""
    with TemporaryDirectory() as folder:
        path = WRITERS[f".{format}"](recording, Path(folder) / f"episode.{format}", look, on_frame)
        return Picture(recording, format, path.read_bytes(), look)
