"""What a task promises about numbers: they stay finite, in any situation, in swarms of any size and in batches."""

from typing import Any

import jax
import numpy as np
from jax import Array

from swarmbed.contracts.check import Check, during, promise, quick_jit, require_equal, require_finite
from swarmbed.contracts.task_shapes import require_shapes
from swarmbed.contracts.task_subject import TaskSubject
from swarmbed.spec.errors import SwarmbedError

STEPS = 30
SIZES = {1: "1 agent", 2: "2 agents", 20: "20 agents"}
CHECKS: list[Check] = []


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
        require_finite(subject.judge(state, action, moved), f"after {step + 1} random steps, what agents see or earn")
        state = moved
    action, still = subject.action(0), np.zeros_like(subject.action(0))
    for where, hard in subject.hard_states.items():
        moved = subject.transition(hard, action, jax.random.key(0))
        require_finite(moved, f"with {where}, the next state")
        require_finite(subject.judge(hard, action, moved), f"with {where}, what agents see or earn")
        require_finite(subject.judge(hard, still, hard), f"with {where} that stay, what agents see or earn")


@promise(
    CHECKS, "gradients stay finite",
    why="a gradient through the simulator is NaN if a guard comes after the singular call",
    remedy="put jnp.where around the argument and around the result (a double where)",
)  # fmt: skip
def _gradients(subject: TaskSubject) -> None:
    gradient = quick_jit(jax.grad(_seen_and_earned, argnums=(1, 2)), static_argnums=0)
    for where, state in {"agents at a random start": subject.start, **subject.hard_states}.items():
        found = gradient(subject.task, state.agents, np.zeros_like(subject.action(0)), state)
        require_finite(found, f"with {where}, the gradient of what agents see and earn")


def _seen_and_earned(task: Any, agents: Any, action: Array, state: Any) -> Array:
    """One number that depends on everything a step gives."""
    moved = task.advance(jax.random.key(0), state._replace(agents=agents), action)
    seen = [leaf.sum() for leaf in jax.tree.leaves(task.observe(moved.state)) if leaf.dtype.kind == "f"]
    return sum(seen, moved.reward)


@promise(
    CHECKS, "a batch of swarms behaves like each swarm alone",
    why="training runs hundreds of environments under jax.vmap, all through step or advance",
    remedy="write for one swarm, without a batch axis, branch with jnp.where instead of if, and leave step alone",
)  # fmt: skip
def _batched(subject: TaskSubject) -> None:
    keys, states, actions, step = subject.walk
    for index, state in enumerate(states):
        together = jax.tree.map(lambda leaf, index=index: leaf[index], step)
        moved = subject.transition(state, actions[index], keys[index])._replace(age=together.state.age)
        judged = subject.judge(state, actions[index], moved)
        for what, alone, beside in (
            ("leads to another state", moved, together.state),
            ("earns another reward", judged.reward, together.reward),
            ("ends differently", judged.terminated, together.terminated),
            ("sees something else", judged.observation, together.observation),
            ("measures something else", judged.metrics, together.info),
        ):
            require_equal(alone, beside, f"under jax.vmap a swarm {what} than its functions give one by one")


@promise(
    CHECKS, "runs with one agent, with two and with twenty",
    why="sets are empty with one agent, means over pairs divide by zero, and one policy runs in swarms of any size",
    remedy="divide by jnp.maximum(count, 1), and raise SwarmbedError in __post_init__ if the task needs more agents",
)  # fmt: skip
def _sizes(subject: TaskSubject) -> None:
    for agents, words in SIZES.items():
        sized = subject.sized(agents)
        with during(f"with {words}", subject.spec):
            try:
                sized.task  # noqa: B018  building it is the question
            except SwarmbedError:
                continue
            # What is finite for a few is finite for many, which take long to compile.
            if agents > 2:
                require_shapes(sized)
            else:
                require_finite(sized.judged, "what agents see or earn")
