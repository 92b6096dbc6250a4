"""Episodes as pictures: run one, then show it as a page that plays it (html), snapshots (png) or a film (gif, mp4).

swarmbed.render("consensus", num_agents=50)                                       # in a notebook, that is all
swarmbed.render("runs/first", seed=3, look={"cells": True}, out="pursuit.mp4")
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from swarmbed.controllers.base import Controller
from swarmbed.draw.film import draw_animation
from swarmbed.draw.formats import WRITERS, writer_for
from swarmbed.draw.page import draw_trace
from swarmbed.draw.picture import Picture, draw
from swarmbed.draw.recording import Recording, record
from swarmbed.draw.scene import PLAIN_LOOK, Look, OnFrame, check_look
from swarmbed.draw.style import make_folder
from swarmbed.policy.find import NamedController, as_named_controller, choose_task
from swarmbed.spec.arguments import TASK, WHO, checked_arguments
from swarmbed.spec.errors import choose
from swarmbed.spec.settings import build
from swarmbed.tasks import make
from swarmbed.tasks.base import Task

__all__ = ["WRITERS", "Look", "Picture", "Recording", "draw_animation", "draw_trace", "record", "render", "writer_for"]


@checked_arguments(who=WHO, task=TASK, look="a Look, or its settings by name")
def render(
    who: str | Path | Controller | NamedController,
    task: Task | str | None = None,
    *,
    out: str | Path | None = None,
    format: str = "html",
    seed: int = 0,
    episode: int = 0,
    num_agents: int | None = None,
    steps: int | None = None,
    stochastic: bool = False,
    look: Look | Mapping[str, Any] = PLAIN_LOOK,
    on_frame: OnFrame | None = None,
) -> Picture:
    """Run one episode and draw it. In a notebook the result displays itself; with ``out`` it is also written to a file.

    ``who`` and ``task`` are as in :func:`swarmbed.evaluate`. The episode is number ``episode`` of an evaluation with
    this ``seed``; it ends with the task or after ``steps`` (default: the horizon). ``format`` is html (a page that
    plays the episode), png (snapshots and the whole trajectory), gif or mp4; with ``out``, its extension decides.
    ``look`` says what is drawn besides the agents, by name: ``edges``, ``cells``, ``radius``, ``snapshots``,
    ``every``, ``fps``, ``trail``. ``on_frame`` is called with the number of pictures drawn and their total.

    >>> render("consensus", "rendezvous", num_agents=50, look={"edges": True})  # doctest: +SKIP
    """
    choose("format", format, [extension.removeprefix(".") for extension in WRITERS])
    if out is not None:
        writer_for(out)
        make_folder(Path(out))
    look = look if isinstance(look, Look) else build(Look, dict(look), "look")
    named = as_named_controller(who, stochastic=stochastic)
    chosen = choose_task(named, make(task) if isinstance(task, str) else task)
    chosen = chosen if num_agents is None else chosen.resized(num_agents)
    check_look(chosen, look)
    recording = record(named, chosen, seed, steps, episode=episode)
    if out is None:
        return draw(recording, format, look, on_frame)
    path = writer_for(out)(recording, Path(out), look, on_frame)
    return Picture(recording, path.suffix.removeprefix(".").lower(), path.read_bytes(), look, path)
