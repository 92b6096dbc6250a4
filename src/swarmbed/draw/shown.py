"""A matplotlib figure that shows itself in a notebook, without pyplot."""

import io
from dataclasses import dataclass
from pathlib import Path

from matplotlib.figure import Figure

from swarmbed.draw.style import save


@dataclass(frozen=True)
class Shown:
    """``figure`` is matplotlib's, to be changed at will; ``save`` writes it; as the last line of a cell it is shown."""

    figure: Figure

    def save(self, path: str | Path) -> Path:
        """Write the figure; the extension decides the format."""
        return save(self.figure, path)

    def _repr_png_(self) -> bytes:
        page = io.BytesIO()
        self.figure.savefig(page, format="png")
        return page.getvalue()
