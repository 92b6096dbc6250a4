"""Numbers that change little from one time to the next, as a short text: what a page with a whole episode in it holds.

Levels are whole numbers of two bytes. Of every series the changes of its changes are kept, which for anything that
moves smoothly are nearly nothing; small numbers of either sign get a high byte of zero (zigzag); low bytes come first,
then high bytes; all of it is deflated, and written as base64. Every step is exact, also where a level wraps around.
"""

import base64
import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.uint16]


def squeezed(levels: Any) -> str:
    """The text of series (…, time), one after the other."""
    series = np.asarray(levels, np.uint16)
    for _ in range(2):
        series = np.diff(series, axis=-1, prepend=np.uint16(0))
    signed = series.view(np.int16)
    zigzag = ((signed << 1) ^ (signed >> 15)).view(np.uint16).ravel()
    planes = np.concatenate([zigzag & 255, zigzag >> 8]).astype(np.uint8)
    return base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()


def unsqueezed(text: str, shape: tuple[int, ...]) -> Levels:
    """The series in a text, as the page reads them."""
    planes = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8).astype(np.uint16)
    low, high = np.split(planes, 2)
    zigzag = low | (high << 8)
    series = ((zigzag >> 1) ^ (0 - (zigzag & 1))).astype(np.uint16).reshape(shape)
    for _ in range(2):
        series = np.cumsum(series, axis=-1, dtype=np.uint16)
    return series
