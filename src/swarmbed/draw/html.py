"""An episode as one page that plays by itself: no server, no other file, nothing from the internet."""

import base64
import html
import json
import re
from math import pi
from pathlib import Path
from typing import Any

import numpy as np

from swarmbed.draw.film import complete
from swarmbed.draw.page_files import page_files
from swarmbed.draw.recording import Recording, describe, headline
from swarmbed.draw.scene import PLAIN_LOOK, Look, OnFrame, check_look
from swarmbed.draw import world

SCRIPTS = ("geometry.js", "paint.js", "stage.js", "chart.js", "arena.js", "layers.js", "replay.js")
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
    # All at once, so that nothing inside a part is taken for a place to fill.
    page = re.sub(r"\{\{(\w+)\}\}", lambda place: parts[place[1]], files["replay.html"])
    with complete(path) as unfinished:
        unfinished.write_text(page, encoding="utf-8")
    if on_frame is not None:
        on_frame(1, 1)
    return path


def episode(recording: Recording, look: Look) -> dict[str, Any]:
    """The recording as the page reads it: positions and headings in two bytes each, base64."""
    every = look.every or 1
    times = [*range(0, recording.length, every), recording.length]
    agents, evaders = recording.states.agents, recording.states.evaders
    scene = world.world(recording.task, recording.states)
    low, size = np.array(scene["low"]), np.array(scene["high"]) - np.array(scene["low"])
    story = headline(recording)
    poses = np.concatenate(
        [_levels(agents.position, low, size), _turns(agents.heading)[..., None]], axis=-1, dtype=np.uint16
    )
    return {
        **scene,
        **world.headline(recording.metrics),
        "name": recording.name,
        "count": recording.task.num_agents,
        "evader_count": 0 if evaders is None else evaders.shape[1],
        "steps": times,
        "every": every,
        "agents": _text(poses[times]),
        "evaders": None if evaders is None else _text(_levels(evaders, low, size)[times]),
        "values": None if story is None else world.numbers(story.values[times]),
        "ended": recording.length if recording.terminated else None,
        "trail": look.trail,
        "speed": look.fps,
        "layers": {"edges": look.edges, "cells": look.cells, "radius": look.radius, "traces": look.trail > 0},
    }


def _levels(position: Any, low: Any, size: Any) -> Any:
    share = (np.asarray(position, float) - low) / size
    return np.round(np.clip(share, 0.0, 1.0) * LEVELS).astype(np.uint16)


def _turns(heading: Any) -> Any:
    share = np.asarray(heading, float) / (2 * pi)
    return np.round((share - np.floor(share)) * 2**16).astype(np.uint32).astype(np.uint16)


def _text(numbers: Any) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers, dtype="<u2").tobytes()).decode()
