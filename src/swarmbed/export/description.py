"""The inputs and outputs of an exported policy: every number, in order, with its scale. Each format carries it."""

import json
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from swarmbed.export.meaning import action_columns, meaning_of
from swarmbed.networks.perceptron import Perceptron
from swarmbed.policy.policy import Policy
from swarmbed.spec import config
from swarmbed.spec.observation import Layout
from swarmbed.tasks.base import Task
from swarmbed.tasks.evasion import EvasionTask

OUTPUT = "the mean action, in units of [-1, 1], before clipping: clip it to [-1, 1], then multiply by its limit"


class Column(NamedTuple):
    """One number: its name, and how it is measured."""

    name: str
    meaning: str


class SetDescription(NamedTuple):
    """One set: its name, its elements' columns, and the number of elements it must have (None: any)."""

    name: str
    columns: tuple[Column, ...]
    slots: int | None


@dataclass(frozen=True)
class Description:
    """Inputs and output of a policy, in words."""

    summary: str
    local: tuple[Column, ...]
    sets: tuple[SetDescription, ...]
    action: tuple[Column, ...]
    deviation: tuple[float, ...]
    control_seconds: float | None
    config: str

    @property
    def set_names(self) -> tuple[str, ...]:
        return tuple(s.name for s in self.sets)

    def as_dict(self) -> dict[str, Any]:
        """Plain data, for JSON and for ONNX's metadata."""
        inputs: list[dict[str, Any]] = []
        if self.local:
            inputs.append({"name": "local", "shape": ["batch", len(self.local)], "columns": _plain(self.local)})
        for name, columns, slots in self.sets:
            shape = ["batch", slots or name, len(columns)]
            inputs.append({"name": name, "shape": shape, "columns": _plain(columns)})
            inputs.append({"name": f"{name}_mask", "shape": shape[:2], "meaning": "true where an element is present"})
        output = {"name": "action", "shape": ["batch", len(self.action)], "meaning": OUTPUT}
        return {
            "summary": self.summary,
            "inputs": inputs,
            "output": output | {"columns": _plain(self.action)},
            "training_deviation": list(self.deviation),
            **({} if self.control_seconds is None else {"control_seconds": self.control_seconds}),
            "config": self.config,
        }

    def as_json(self) -> str:
        return json.dumps(self.as_dict(), indent=1, ensure_ascii=False) + "\n"


def describe(policy: Policy) -> Description:
    """The inputs and outputs of a policy, and the settings it was trained with."""
    task, names, layout = policy.task, policy.task.column_names, exported_layout(policy)
    settings = config.to_sections(policy.specs)
    fixed = not policy.model.any_number_of_slots
    sets = []
    for name, columns, seen in zip(_set_names(task, len(names.sets)), names.sets, layout.sets, strict=True):
        meanings = tuple(Column(column, meaning_of(task, column, name)) for column in columns)
        sets.append(SetDescription(name, meanings, seen.slots if fixed else None))
    deviation = np.exp(np.asarray(policy.params.log_std))
    return Description(
        f"swarmbed policy for task {settings['task']['name']} with {_how(policy, settings)}, "
        f"trained with {task.num_agents} agents",
        tuple(Column(column, meaning_of(task, column, "local")) for column in names.local),
        tuple(sets),
        tuple(Column(*column) for column in action_columns(task)),
        tuple(float(f"{value:.6g}") for value in deviation),
        getattr(task, "control_seconds", None),
        config.dump(settings),
    )


def exported_layout(policy: Policy) -> Layout:
    """The inputs without an agent's own slot, which is always absent and useless on a robot. Only a user's own network
    whose weights are tied to slots gets them all, since we cannot know which ones it needs."""
    layout = policy.task.layout
    sets = [s._replace(is_ragged=False) for s in layout.sets]  # one robot's set has no empty slots to save
    if isinstance(policy.network, Perceptron) or policy.model.any_number_of_slots:
        sets = [s._replace(slots=s.slots - s.includes_self, includes_self=False) for s in sets]
    return Layout(layout.local, tuple(sets))


def _how(policy: Policy, settings: config.Config) -> str:
    """What tells policies apart: the embedding where the network is the usual one, else the network."""
    family = "embedding" if isinstance(policy.network, Perceptron) else "network"
    return f"{family} {settings[family]['name']}"


def _set_names(task: Task, count: int) -> tuple[str, ...]:
    """Words that programs use as names: the set with the agent's own slot holds its neighbours."""
    if isinstance(task, EvasionTask):
        return ("neighbours", "evaders")[:count]
    if count == 1 and task.self_in_sets[:1] == (True,):
        return ("neighbours",)
    return tuple(f"set{index}" for index in range(count))


def _plain(columns: tuple[Column, ...]) -> list[dict[str, str]]:
    return [column._asdict() for column in columns]
