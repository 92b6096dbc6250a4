"""An episode as one self-contained page: no server, no other file, nothing from the internet."""

import base64
import html
import json
import re
from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from swarmbed.draw import world
from swarmbed.draw.page_files import page_files
from swarmbed.draw.recording import Recording, describe, tell
from swarmbed.draw.scene import PLAIN_LOOK, Look, OnFrame, check_look
from swarmbed.draw.squeeze import squeezed
from swarmbed.draw.style import make_folder
from swarmbed.spec.files import write_atomically

SCRIPTS = (
    "geometry.js", "raster.js", "camera.js", "paint.js", "agents.js", "stage.js", "chart.js", "arena.js", "layers.js",
    "pointer.js", "replay.js",
)  # fmt: skip
LEVELS = 2**16 - 1  # a coordinate takes two bytes: a hundred units in steps of 0.0015


def draw_replay(
    recording: Recording, path: str | Path, look: Look = PLAIN_LOOK, on_frame: OnFrame | None = None
) -> Path:
    """Write the page: the viewer's own drawing code, and the episode as numbers."""
    path = Path(path)
    check_look(recording.task, look)
    files = {name: content.decode() for name, content in page_files().items()}
    parts = {
        "title": html.escape(describe(recording)),
        "icon": "data:image/svg+xml;base64," + base64.b64encode(files["icon.svg"].encode()).decode(),
        "style": files["style.css"],
        "theme": files["theme.js"],
        "scripts": "\n".join(files[name] for name in SCRIPTS),
        # "<" could end the script element that holds the numbers.
        "episode": json.dumps(episode(recording, look), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c"),
    }
    # All at once, so nothing inside a part is mistaken for a placeholder.
    page = re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], files["replay.html"])
    make_folder(path)
    write_atomically(path, page.encode())
    if on_frame is not None:
        on_frame(1, 1)
    return path


def episode(recording: Recording, look: Look) -> dict[str, Any]:
    """The recording as the page reads it: x, y and heading of all agents over time as levels of two bytes, compressed.

    Positions are exact to half a level, the width or height of the world / 65535 / 2; headings to half of 2π / 65536.

    Agents that are never present are left out; presence over time is stored, one bit each, only if agents come or go.
    """
    every = look.every or 1
    times = [*range(0, recording.length, every), recording.length]
    agents, evaders = recording.states.agents, recording.states.evaders
    scene = world.world(recording.task, recording.states)
    low, size = np.array(scene["low"]), np.array(scene["high"]) - np.array(scene["low"])
    there = np.asarray(recording.states.present)[times]
    (ever,) = np.nonzero(there.any(axis=0))
    there = there[:, ever]
    position = np.where(there[..., None], np.asarray(agents.position)[times][:, ever], low)
    heading = np.where(there, np.asarray(agents.heading)[times][:, ever], 0.0)
    poses = np.concatenate([_levels(position, low, size), _turns(heading)[..., None]], axis=-1, dtype=np.uint16)
    prey = None if evaders is None else _levels(evaders, low, size)[times]
    story = tell(recording)
    return {
        **scene,
        "name": recording.name,
        "ids": ever.tolist(),
        "evader_count": 0 if evaders is None else evaders.shape[1],
        "steps": times,
        "every": every,
        "agents": squeezed(poses.T),
        "present": None if there.all() else base64.b64encode(np.packbits(there, bitorder="little").tobytes()).decode(),
        "evaders": None if prey is None else squeezed(prey.T),
        "values": None if story.metric is None else world.numbers(story.values[times]),
        "news": _changes(story.news),
        "ended": recording.length if recording.terminated else None,
        "trail": look.trail,
        "speed": look.fps,
        "layers": {"edges": look.edges, "cells": look.cells, "radius": look.radius, "traces": look.trail > 0},
    }


def _changes(news: tuple[str, ...]) -> list[list[Any]]:
    """The steps at which there is something new to say, and what."""
    before = ("", *news)
    return [[time, now] for time, (now, last) in enumerate(zip(news, before, strict=False)) if now != last]


def _levels(position: Any, low: Any, size: Any) -> Any:
    share = (np.asarray(position, float) - low) / size
    return np.round(np.clip(share, 0.0, 1.0) * LEVELS).astype(np.uint16)


def _turns(heading: Any) -> Any:
    share = np.asarray(heading, float) / (2 * pi)
    return np.round((share - np.floor(share)) * 2**16).astype(np.uint32).astype(np.uint16)
