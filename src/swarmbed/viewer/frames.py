"""What is sent to a page: the scene once, then a frame per picture.

Plain dictionaries, ready to become JSON; in a frame, what there is one of per agent is a numpy array (see ``wire``).
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from swarmbed.draw.world import number, plain, world
from swarmbed.policy.policy import Policy
from swarmbed.tasks.base import Task
from swarmbed.tasks.swarm import SwarmTask
from swarmbed.viewer import sliders
from swarmbed.viewer.disturbing import Missed
from swarmbed.viewer.engine import FEWEST, MOST, is_fixed_size
from swarmbed.viewer.messages import Setup
from swarmbed.viewer.session import Session
from swarmbed.viewer.swarm import LiveSwarm

Told = dict[int, NDArray[np.int32]]  # per arena, the agents that a page knows to be present
ROWS = 48  # elements of a set that are written out; more cannot be read while they change


def hello(session: Session, first: Setup) -> dict[str, Any]:
    """The first message: what there is to choose from, and what comes first."""
    return {
        "type": "hello",
        "tasks": list(session.catalog.tasks),
        "first": {"task": first.task, "who": first.who, "agents": first.agents, "seed": first.seed},
        "fewest": FEWEST,
        "most": MOST,
        "disturbances": sliders.panel(),
    }


def scene(session: Session) -> dict[str, Any]:
    """Everything that stays the same until the next setup."""
    first = session.swarms[0]
    fixed = any(is_fixed_size(swarm.named.controller) for swarm in session.swarms)
    return {
        "type": "scene",
        "task": session.task,
        "tasks": list(session.catalog.tasks),
        "fitting": session.catalog.fitting(session.task),
        "who": session.names[0],
        "versus": session.names[1] if len(session.names) > 1 else None,
        "fixed": fixed,
        **world(first.task, first.state),
        "arenas": [_arena(name, swarm) for name, swarm in zip(session.names, session.swarms, strict=True)],
    }


def frame(session: Session, told: Told) -> dict[str, Any]:
    """The current moment; the present agents are listed only where they differ from ``told``."""
    return {
        "type": "frame",
        "draft": session.is_draft,
        "playing": session.playing,
        "speed": session.speed,
        "loop": session.loops,
        "seed": session.seed,
        "count": session.count,
        "waiting": bool(session.waiting),
        "disturbances": _disturbances(session),
        "arenas": [_moment(session, index, told) for index in range(len(session.swarms))],
    }


def _disturbances(session: Session) -> dict[str, Any]:
    """All values, why none can be set, and whether what was set still waits for its program."""
    first = session.swarms[0]
    return {
        "values": {name: value if isinstance(value, bool) else number(value) for name, value in first.values.items()},
        "reason": None if session.is_draft else first.why_not(session.count),  # to know it, plug-ins are tried out
        "waiting": session.is_waiting and not session.waiting,
    }


def _arena(name: str, swarm: LiveSwarm) -> dict[str, Any]:
    columns, controller = swarm.task.column_names, swarm.named.controller
    trained = getattr(swarm.named.task, "num_agents", None)
    return {
        "name": name,
        "is_policy": isinstance(controller, Policy),
        "trained_with": trained,
        "local": list(columns.local),
        "sets": [list(names) for names in columns.sets],
        "actions": _action_names(swarm.task),
    }


def _action_names(task: Task) -> list[str]:
    if isinstance(task, SwarmTask) and task.action_size == 2:
        return ["speed", "turn rate"] if task.dynamics == "single" else ["acceleration", "turn acceleration"]
    return [f"action {index + 1}" for index in range(task.action_size)]


def _moment(session: Session, index: int, told: Told) -> dict[str, Any]:
    swarm = session.swarms[index]
    there, agents, evaders = swarm.present, swarm.state.agents, swarm.state.evaders
    position = np.asarray(agents.position, np.float32)[there]
    told_of: dict[str, Any] = {
        "x": position[:, 0],
        "y": position[:, 1],
        "heading": np.asarray(agents.heading, np.float32)[there],
    }
    if evaders is not None:
        place = np.asarray(evaders, np.float32)
        told_of |= {"evader_x": place[:, 0], "evader_y": place[:, 1]}
    if swarm.moment is not None and swarm.moment.marks is not None:
        told_of["marks"] = np.asarray(swarm.moment.marks, np.int32)[there]
    ids = swarm.ids[there].astype(np.int32)
    if not np.array_equal(told.get(index, ()), ids):
        told_of["ids"] = told[index] = ids
    value = swarm.story.value
    return told_of | {
        "step": swarm.step,
        "value": None if value is None else number(value),
        "news": swarm.story.news,
        "return": number(swarm.total_return),
        "ended": swarm.ended_at if swarm.ended_at >= 0 else None,
        "look": _look(session, index),
    }


def _look(session: Session, index: int) -> dict[str, Any] | None:
    """What the selected agent senses; None if none is selected here, or it is gone."""
    swarm = session.swarms[index]
    if session.selected is None or session.selected[0] != index:
        return None
    number = session.selected[1]
    if swarm.slot_of(number) is None:
        return None
    if not session.workshop.can_look(swarm.engine):
        return {"agent": number, "ready": False}
    view = swarm.look(number)
    assert view is not None
    sets = []
    for position, seen in enumerate(view.observation.sets):
        mask, elements = np.asarray(seen.mask[0]), np.asarray(seen.elements[0])
        members = np.flatnonzero(mask)
        members = members[np.argsort(elements[members, 0], kind="stable")] if elements.shape[1] else members
        own = (*swarm.task.self_in_sets, *(False for _ in view.observation.sets))[position] and len(mask) == len(
            swarm.ids
        )
        names = swarm.ids[members] if own else members
        sets.append({"members": names.tolist(), "of_agents": bool(own), "elements": plain(elements[members[:ROWS]])})
    return {
        "agent": number,
        "ready": True,
        "local": plain(view.observation.local[0]),
        "sets": sets,
        "embeddings": [plain(vector[0]) for vector in view.embeddings],
        "action": plain(np.clip(view.action, -1.0, 1.0)),
        "missed": None if view.missed is None else _missed(swarm, view.missed),
    }


def _missed(swarm: LiveSwarm, missed: Missed) -> dict[str, Any]:
    """Neighbours by number, nearest or not, and the blind sector."""
    centre, width = plain(missed.blind)
    return {
        "lost": swarm.ids[np.asarray(missed.lost)].tolist(),
        "hidden": swarm.ids[np.asarray(missed.hidden)].tolist(),
        "blind": {"centre": centre, "width": width},
    }
