"""What a task promises: five pure functions that treat all agents alike and never leave the real numbers."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from swarmbed.contracts.check import (
    Check,
    promise,
    quick_jit,
    require,
    require_equal,
    require_finite,
    same_structure,
    shapes_of,
)
from swarmbed.contracts.settings import settings_checks
from swarmbed.contracts.task_subject import TaskSubject
from swarmbed.errors import SwarmbedError
from swarmbed.tasks.base import Observation, ObservedSet

STEPS = 30
CHECKS: list[Check] = settings_checks()


@promise(
    CHECKS, "refuses impossible settings",
    why="num_agents and horizon below 1 have no meaning, and a user must be told so in one sentence",
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
    why="rollouts, learners and pictures rely on them; a loop over time needs a state whose shape never changes",
    remedy="return what tasks/base.py says, with float32 numbers, boolean masks and a boolean end",
    essential=True,
)  # fmt: skip
def _shapes(subject: TaskSubject) -> None:
    task, n = subject.task, subject.agents
    state = jax.eval_shape(task.initial, jax.random.key(0))
    agents = getattr(state, "agents", None)
    require(agents is not None, "initial gives a state without agents")
    for name, wanted in (("position", (n, 2)), ("heading", (n,))):
        shape = getattr(getattr(agents, name, None), "shape", None)
        require(shape == wanted, f"state.agents.{name} must have shape {wanted}, not {shape}")
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
        *((f"metric {key}", value, "f") for key, value in jax.eval_shape(task.metrics, state).items()),
    ):
        wanted_type = {"f": "a float", "b": "a boolean"}[kind]
        require(
            found.shape == () and found.dtype.kind == kind,
            f"{name} must be {wanted_type} without axes, not {found.dtype} of shape {found.shape}",
        )


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
    CHECKS, "the same key gives the same result",
    why="runs must be repeatable, and compiled functions are traced only once, so hidden randomness freezes",
    remedy="draw everything random from the key with jax.random; use no numpy.random and no state of your own",
)  # fmt: skip
def _pure(subject: TaskSubject) -> None:
    again = TaskSubject(subject.spec)
    require_equal(subject.start, again.start, "initial gives another state when it is traced again", within=0)
    require_equal(subject.next_state, again.next_state, "transition moves on differently when it is traced again", 0)
    require_equal(subject.judged, again.judged, "observation or reward differ when they are traced again", within=0)


@promise(
    CHECKS, "relabelling agents changes nothing but the labels",
    why="agents are identical and share one policy; what they see and earn must not depend on their number",
    remedy="use no agent's index, except to leave an agent out of its own set",
)  # fmt: skip
def _relabelling(subject: TaskSubject) -> None:
    order = np.array([2, 0, 4, 1, 3])
    relabel = lambda state: state._replace(agents=jax.tree.map(lambda leaf: leaf[order], state.agents))  # noqa: E731
    action = subject.action(0)
    other = subject.judge(relabel(subject.start), action[order], relabel(subject.next_state))
    judged = subject.judged
    require_equal(judged.reward, other.reward, "the reward changes")
    require_equal(judged.terminated, other.terminated, "the end changes")
    require_equal(judged.observation.local[order], other.observation.local, "the local properties are not permuted")
    for index, (seen, again) in enumerate(zip(judged.observation.sets, other.observation.sets, strict=True)):
        for agent in range(subject.agents):
            old = np.asarray(seen.elements)[order[agent]][np.asarray(seen.mask)[order[agent]]]
            new = np.asarray(again.elements)[agent][np.asarray(again.mask)[agent]]
            require(_same_set(old, new), f"an agent sees another set {index}")


def _same_set(old: np.ndarray, new: np.ndarray) -> bool:
    """Equal up to order and rounding: every element has a partner."""
    if old.shape != new.shape:
        return False
    apart = np.abs(old[:, None] - new[None, :]).max(-1, initial=0.0)
    return bool(apart.size == 0 or (apart.min(1).max() < 1e-4 and apart.min(0).max() < 1e-4))


@promise(
    CHECKS, "an agent is absent from its own set",
    why="self_in_sets says where a set has a slot for the agent itself; concatenation drops that slot",
    remedy="mask the diagonal, or set self_in_sets = (False,) if the set holds something other than agents",
)  # fmt: skip
def _own_slot(subject: TaskSubject) -> None:
    declared = subject.task.self_in_sets
    for index, (includes_self, seen) in enumerate(zip(declared, subject.judged.observation.sets, strict=False)):
        if includes_self:
            slots = seen.mask.shape[1]
            require(slots == subject.agents, f"set {index} has {slots} slots, but self_in_sets expects one per agent")
            require(not np.diag(np.asarray(seen.mask)).any(), f"in set {index} agents are present in their own set")


@promise(
    CHECKS, "observe_from agrees with observe",
    why="policies act on observe, learners look again through observe_from; both must show the same",
    remedy="leave observe_from and transmit alone, or write observe as observe_from of everybody",
)  # fmt: skip
def _observe_from(subject: TaskSubject) -> None:
    backwards = jax.tree.map(lambda leaf: leaf[::-1], subject.judged.observation)
    require_equal(backwards, subject.judged.looked_at, "the two give different numbers for the same agents")


@promise(
    CHECKS, "actions beyond [-1, 1] are clipped",
    why="a Gaussian policy draws actions outside of it all the time",
    remedy="let transition begin with jnp.clip(action, -1, 1)",
)  # fmt: skip
def _clipped(subject: TaskSubject) -> None:
    wild, key = subject.action(1, scale=5.0), jax.random.key(1)
    far = subject.transition(subject.start, wild, key)
    near = subject.transition(subject.start, jnp.clip(wild, -1, 1), key)
    require_equal(far, near, "an action of 5 moves an agent further than an action of 1")


@promise(
    CHECKS, "numbers stay finite",
    why="one NaN spreads to every weight",
    remedy="guard divisions, roots and arctangents before the call, with jnp.where on their argument",
)  # fmt: skip
def _finite(subject: TaskSubject) -> None:
    state = subject.start
    for step in range(STEPS):
        action = subject.action(step, scale=2.0)
        moved = subject.transition(state, action, jax.random.key(step))
        require_finite(subject.judge(state, action, moved), f"after {step} random steps, what agents see or earn")
        state = moved
    action = subject.action(0)
    moved = subject.transition(subject.crowded, action, jax.random.key(0))
    require_finite(moved, "with all agents on one spot, the next state")
    require_finite(
        subject.judge(subject.crowded, action, moved), "with all agents on one spot, what agents see or earn"
    )


@promise(
    CHECKS, "gradients stay finite",
    why="who differentiates through the simulator gets NaN from a guard that comes after the singular call",
    remedy="put jnp.where around the argument and around the result (a double where)",
)  # fmt: skip
def _gradients(subject: TaskSubject) -> None:
    def total(agents: Any, action: Array, state: Any) -> Array:
        moved = subject.task.transition(state._replace(agents=agents), action, jax.random.key(0))
        seen = [leaf.sum() for leaf in jax.tree.leaves(subject.task.observe(moved)) if leaf.dtype.kind == "f"]
        return sum(seen, subject.task.reward(state, action, moved))

    gradient = quick_jit(jax.grad(total, argnums=(0, 1)))
    for state, where in ((subject.start, "at a random start"), (subject.crowded, "with all agents on one spot")):
        found = gradient(state.agents, jnp.zeros_like(subject.action(0)), state)
        require_finite(found, f"{where}, the gradient of what agents see and earn")


@promise(
    CHECKS, "many swarms at once behave like each alone",
    why="training runs hundreds of environments under jax.vmap",
    remedy="write for one swarm, without a batch axis, and branch with jnp.where instead of if",
)  # fmt: skip
def _batched(subject: TaskSubject) -> None:
    task, action = subject.task, subject.action(0)

    def step(key: Array) -> Any:
        state = task.initial(key)
        moved = task.transition(state, action, key)
        return moved, task.observe(state), task.reward(state, action, moved), task.terminated(moved)

    keys = jax.random.split(jax.random.key(5), 3)
    together, one_by_one = quick_jit(lambda keys: (jax.vmap(step)(keys), jax.lax.map(step, keys)))(keys)
    require_equal(together, one_by_one, "under jax.vmap a swarm behaves differently")


@promise(
    CHECKS, "runs with one agent and with two",
    why="sets are empty with one agent, and means over pairs divide by zero",
    remedy="divide by jnp.maximum(count, 1), and say so in __post_init__ if the task needs more agents",
)  # fmt: skip
def _few_agents(subject: TaskSubject) -> None:
    for agents in (1, 2):
        few = TaskSubject(subject.spec, agents)
        try:
            few.task  # noqa: B018  building it is the question
        except SwarmbedError:
            continue
        require_finite(few.judged, f"with {agents} agent{'s' if agents > 1 else ''}, what agents see or earn")
