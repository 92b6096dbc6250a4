"""Disturbances that are turned up and down while a swarm moves.

A task with a range for every disturbance is one program for all strengths: they are numbers in the state. A swarm lives
in that program while anything is on, and otherwise in the program without disturbances, which is faster and exactly the
undisturbed swarm.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jaxtyping import Bool, Float, Int, PRNGKeyArray

from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import default_of
from swarmbed.tasks.base import State, Task
from swarmbed.tasks.disturbances import moving, sensing
from swarmbed.tasks.disturbances.settings import KINDS, Disturbed, undisturbed
from swarmbed.tasks.disturbances.state import drawn_strengths, strength_of, with_strengths
from swarmbed.tasks.swarm import SwarmTask
from swarmbed.viewer import sliders

TERMS = {"stop_time": np.float32, "pause_seconds": np.float32, "stopped_seen": np.bool_}
USUAL_TERMS: dict[str, Any] = {name: default_of(sliders.DECLARED[name]) for name in TERMS}  # the state has its own
STANDS_STILL, CONTRARY = 1, 2  # what a mark says, added up


@dataclass
class Asked:
    """What a page has set, by the name of the setting, and why it cannot be had, if so; its swarms share it."""

    values: dict[str, float | bool] = field(default_factory=dict)
    refused: str | None = None

    def refuse(self, error: SwarmbedError) -> None:
        self.refused = f"This swarm cannot be disturbed: {error}."

    def set(self, task: Task, what: str, value: float | bool) -> None:
        """Ask for a value that the setting allows."""
        # What was told is kept for as many steps as the program was compiled for.
        if what == "message_delay" and isinstance(task, Disturbed) and value > (most := opened(task).ranges[what][1]):
            raise SwarmbedError(f"message_delay is at most {most:g} steps in the viewer, not {value:g}")
        self.values[what] = value


class Missed(NamedTuple):
    """What one agent would know of undisturbed: whose messages were lost in this step and who is in its blind sector,
    and where the middle of that sector is, counter-clockwise from its heading, and how wide it is."""

    lost: Bool[Array, " N"]
    hidden: Bool[Array, " N"]
    blind: Float[Array, "2"]


@lru_cache(maxsize=64)
def plain(task: Task) -> Task:
    """The task with nothing on."""
    return replace(task, **undisturbed(task), **USUAL_TERMS) if isinstance(task, Disturbed) else task


@lru_cache(maxsize=64)
def opened(task: Disturbed) -> Disturbed:
    """The task with everything on, from 0 to the end of its slider or as far as the task itself goes."""
    ranges: dict[str, Any] = {}
    for kind in KINDS:
        end = max(sliders.end_of(kind.name), task.ranges.get(kind.name, (0, 0))[1])
        ranges[kind.name] = (0, int(end) if kind.is_count else end)
    return replace(task, **ranges, **USUAL_TERMS)


@lru_cache(maxsize=256)
def why_not(task: Task, slots: int) -> str | None:
    """Why a swarm in so many slots cannot be disturbed; None if it can be."""
    if not isinstance(task, Disturbed):
        return "This task has no disturbances."
    if getattr(plain(task).resized(slots), "cells", None) is not None:
        fewer = (
            " With fewer agents it compares all pairs and can be disturbed."
            if getattr(task, "search", "") == "auto"
            else ""
        )
        return f"This swarm finds its neighbours by cells, and such swarms have no disturbances.{fewer}"
    return None if _draws(task) else "The starts of this task draw no disturbances."


@lru_cache(maxsize=64)
def _draws(task: Disturbed) -> bool:
    """Whether a start of the task holds what is disturbed: one that a plug-in writes itself may not."""
    if type(task).initial is SwarmTask.initial:
        return True
    return jax.eval_shape(opened(task).resized(2).initial, jax.random.key(0)).disturbance is not None


def own_values(task: Task, start_key: PRNGKeyArray) -> dict[str, float | bool]:
    """What the task itself asks for in the episode with this start: strengths, one drawn of each range, and terms."""
    if not isinstance(task, Disturbed):
        return {}
    drawn = drawn_strengths(task, start_key) if task.ranges else {}
    strengths = {kind.name: float(drawn.get(kind.name, 0.0)) for kind in KINDS}
    return strengths | {name: getattr(task, name) for name in TERMS}


def is_on(values: Mapping[str, float | bool]) -> bool:
    return any(values.get(kind.name, 0.0) > 0 for kind in KINDS)


def tuned(state: State, values: Mapping[str, float | bool]) -> State:
    """The state of an opened task at these strengths and terms; everything drawn stays drawn."""
    if state.disturbance is None:
        return state
    strength = {name: np.float32(values[name]) for name in state.disturbance.strength}
    terms = {name: kind(values[name]) for name, kind in TERMS.items()}
    return state._replace(disturbance=state.disturbance._replace(strength=strength, terms=terms))


def without_terms(state: State) -> State:
    """The state with the arrays that a start of its task has."""
    if state.disturbance is None:
        return state
    return state._replace(disturbance=state.disturbance._replace(terms={}))


def shape_of(task: Task) -> Any:
    """The state of a task as an engine takes it, with shapes in place of arrays."""
    values = {kind.name: 0.0 for kind in KINDS} | dict.fromkeys(TERMS, 0.0)
    return jax.eval_shape(lambda key: tuned(task.initial(key), values), jax.random.key(0))


def marks_of(task: Task, state: State) -> Int[Array, " N"] | None:
    """Who is not as usual in the step that begins now; None where nothing is on."""
    if state.disturbance is None or not isinstance(task, Disturbed):
        return None
    marks = jnp.zeros(state.present.shape, jnp.int32)
    for sign, who in ((STANDS_STILL, moving.stands_still(task, state)), (CONTRARY, moving.are_contrary(state))):
        marks = marks if who is None else marks + sign * who
    return marks


def missed_by(task: Task, state: State, slot: Int[Array, ""]) -> Missed | None:
    """What the agent in a slot does not get to know; None where nothing is on."""
    if state.disturbance is None or not isinstance(task, SwarmTask):
        return None
    loss, width = (strength_of(state, name) for name in ("message_loss", "blind_angle"))
    if loss is None or width is None:
        return None

    def known(**strengths: Any) -> Bool[Array, " N"]:
        return task.perceive(with_strengths(state, strengths), slot[None]).mask[0]

    in_reach = known(message_loss=0.0, blind_angle=0.0)
    centre = sensing.blind_centre(state, slot[None])[0]
    lost, hidden = in_reach & ~known(blind_angle=0.0), in_reach & ~known(message_loss=0.0)
    return Missed(lost, hidden, jnp.stack([centre, width]))
