"""What a task promises about shapes: of its states, of what agents see, of the actions it takes."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import TypeCheckError

from swarmbed.contracts.check import Check, promise, require, same_structure, shapes_of
from swarmbed.contracts.task_subject import TaskSubject
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import Metric, Observation, ObservedSet

CHECKS: list[Check] = []


@promise(
    CHECKS, "refuses impossible settings",
    why="num_agents and horizon below 1 have no meaning, and the error must say so in one sentence",
    remedy="call super().__post_init__() at the start of your own __post_init__",
    essential=True,
)  # fmt: skip
def _refuses(subject: TaskSubject) -> None:
    require(subject.task.horizon >= 1, f"horizon is {subject.task.horizon}")
    for name in ("num_agents", "horizon"):
        try:
            replace(subject.spec(), **{name: 0})
        except SwarmbedError:
            continue
        require(False, f"{name} = 0 is accepted")


@promise(
    CHECKS, "the five functions have the right shapes",
    why="rollouts, learners and figures rely on them; a loop over time needs a state whose shape never changes",
    remedy="return what tasks/base.py says, with float32 numbers, boolean masks and a boolean end",
    essential=True,
)  # fmt: skip
def require_shapes(subject: TaskSubject) -> None:
    task, n = subject.task, subject.agents
    state = jax.eval_shape(task.initial, jax.random.key(0))
    agents = getattr(state, "agents", None)
    require(
        all(hasattr(state, name) for name in ("agents", "present", "age", "_replace")),
        "initial must give a State, or a NamedTuple of your own with the fields agents, present and age, "
        f"not {type(state).__name__}",
    )
    for name, part, wanted in (
        ("agents.position", getattr(agents, "position", None), (n, 2)),
        ("agents.heading", getattr(agents, "heading", None), (n,)),
        ("present", state.present, (n,)),
        ("age", state.age, ()),
    ):
        shape = getattr(part, "shape", None)
        require(shape == wanted, f"state.{name} must have shape {wanted}, not {shape}")
    for path, shape, _ in shapes_of(agents):
        require(shape[:1] == (n,), f"state.agents.{path} must have one row per agent ({n}), but has shape {shape}")
    action = jax.ShapeDtypeStruct((n, task.action_size), jnp.float32)
    moved = jax.eval_shape(task.transition, state, action, jax.random.key(0))
    before, after = shapes_of(state), shapes_of(moved)
    require(
        same_structure(moved, state) and before == after,
        f"transition gives a state of another shape or type: {_first_difference(before, after)}",
    )
    _check_observation(jax.eval_shape(task.observe, state), n)
    for name, found, kind in (
        ("reward", jax.eval_shape(task.reward, state, action, moved), "f"),
        ("terminated", jax.eval_shape(task.terminated, state), "b"),
    ):
        wanted_type = {"f": "a float", "b": "a boolean"}[kind]
        require(
            found.shape == () and found.dtype.kind == kind,
            f"{name} must be {wanted_type} without axes, not {found.dtype} of shape {found.shape}",
        )


@promise(
    CHECKS, "credit is one number per agent",
    why="learners take the numbers of the agents that they sampled in place of the reward",
    remedy="return floats of shape (num_agents,), or None to let everybody learn from the reward",
    essential=True,
)  # fmt: skip
def _credit(subject: TaskSubject) -> None:
    task, n = subject.task, subject.agents
    state = jax.eval_shape(task.initial, jax.random.key(0))
    found = jax.eval_shape(task.credit, state, jax.ShapeDtypeStruct((n, task.action_size), jnp.float32), state)
    if found is not None:
        fits = found.shape == (n,) and found.dtype.kind == "f"
        require(fits, f"credit must be floats of shape {(n,)}, not {found.dtype} of shape {found.shape}")


@promise(
    CHECKS, "measure gives a number for every declared metric",
    why="training columns, evaluations, figures and the viewer read the declaration, then look up the number",
    remedy="list every name that measure returns in metrics: ClassVar[tuple[Metric, ...]] = (Metric(name, label), …)",
    essential=True,
)  # fmt: skip
def _metrics(subject: TaskSubject) -> None:
    task = subject.task
    declared = task.metrics
    all_metrics = isinstance(declared, tuple) and all(isinstance(metric, Metric) for metric in declared)
    require(all_metrics, "metrics must be a tuple of Metric")
    names = [metric.name for metric in declared]
    measured = jax.eval_shape(lambda key: task.measure(task.initial(key)), jax.random.key(0))
    require(
        sorted(names) == sorted(measured),
        f"metrics declares {_listed(names)}, but measure gives {_listed(list(measured))}",
    )
    for name, found in measured.items():
        require(
            found.shape == () and found.dtype.kind == "f",
            f"metric {name} must be a float without axes, not {found.dtype} of shape {found.shape}",
        )


def _listed(names: list[str]) -> str:
    return ", ".join(names) or "none"


def _check_observation(seen: Any, n: int) -> None:
    require(isinstance(seen, Observation), f"observe must give an Observation, not {type(seen).__name__}")
    columns = [("local", seen.local, 2, "f")]
    for index, one in enumerate(seen.sets):
        require(isinstance(one, ObservedSet), f"set {index} must be an ObservedSet, not {type(one).__name__}")
        columns += [(f"elements of set {index}", one.elements, 3, "f"), (f"mask of set {index}", one.mask, 2, "b")]
        require(one.mask.shape == one.elements.shape[:2], f"mask and elements of set {index} do not fit together")
    for name, array, axes, kind in columns:
        require(
            array.ndim == axes and array.shape[0] == n, f"{name} has shape {array.shape}, not {axes} axes led by {n}"
        )
        require(array.dtype.kind == kind, f"{name} has type {array.dtype}, not {'float' if kind == 'f' else 'bool'}")


def _first_difference(before: list[Any], after: list[Any]) -> str:
    pairs = [(old, new) for old, new in zip(before, after, strict=False) if old != new]
    return f"{pairs[0][0]} became {pairs[0][1]}" if pairs else f"{len(before)} arrays became {len(after)}"


@promise(
    CHECKS, "an action of the wrong shape is refused",
    why="one action for a whole swarm would be broadcast to all agents without any error",
    remedy="let transition begin with self.check_action(action)",
)  # fmt: skip
def _action_shape(subject: TaskSubject) -> None:
    task, n, numbers = subject.task, subject.agents, subject.task.action_size
    state = jax.eval_shape(task.initial, jax.random.key(0))
    for wrong in ((numbers,), (1, numbers), (n + 1, numbers), (n, numbers + 1)):
        action = jax.ShapeDtypeStruct(wrong, jnp.float32)
        try:
            jax.eval_shape(task.transition, state, action, jax.random.key(0))
        except (SwarmbedError, TypeCheckError):  # our own sentence, or that of annotations checked at run time
            continue
        except Exception as error:
            unclear = f"an action of shape {wrong} ends in {type(error).__name__} from deep inside"
        else:
            unclear = f"an action of shape {wrong} is accepted"
        require(False, f"{unclear}, not in a sentence that names the shape {(n, numbers)}")
