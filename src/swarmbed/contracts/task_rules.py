"""What a task promises about its rules: all randomness comes from the key, and all agents are alike."""

from typing import Any

import jax
import numpy as np

from swarmbed.contracts.check import Check, promise, require, require_equal
from swarmbed.contracts.task_absence import same_set
from swarmbed.contracts.task_subject import TaskSubject

CHECKS: list[Check] = []


@promise(
    CHECKS, "the same key gives the same result",
    why="runs must be repeatable, and compiled functions are traced only once, so hidden randomness freezes",
    remedy="draw everything random from the key with jax.random; use no numpy.random and no state of your own",
)  # fmt: skip
def _pure(subject: TaskSubject) -> None:
    if subject.short.program == subject.program:
        return  # traced twice, even with another horizon, it is the same program
    again = TaskSubject(subject.spec, subject.agents)
    require_equal(subject.start, again.start, "initial gives another state when it is traced again", within=0)
    require_equal(subject.next_state, again.next_state, "a step moves on differently when it is traced again", 0)
    require_equal(subject.judged, again.judged, "observation or reward differ when they are traced again", within=0)


@promise(
    CHECKS, "relabelling agents changes nothing but the labels",
    why="agents are identical and share one policy; what they see and earn must not depend on their index",
    remedy="do not use the index of an agent, except to leave it out of its own set",
)  # fmt: skip
def _relabelling(subject: TaskSubject) -> None:
    order = _all_moved(subject.agents)
    action = subject.action(0)

    def relabel(state: Any) -> Any:
        return state._replace(agents=jax.tree.map(lambda leaf: leaf[order], state.agents), present=state.present[order])

    other = subject.judge(relabel(subject.start), action[order], relabel(subject.next_state))
    judged = subject.judged
    require_equal(judged.reward, other.reward, "the reward changes")
    if judged.credit is not None:
        require_equal(judged.credit[order], other.credit, "the credit of the agents is not permuted")
    require_equal(judged.terminated, other.terminated, "the end changes")
    require_equal(judged.metrics, other.metrics, "the metrics change")
    require_equal(judged.observation.local[order], other.observation.local, "the local properties are not permuted")
    for index, (seen, again) in enumerate(zip(judged.observation.sets, other.observation.sets, strict=True)):
        for agent in range(subject.agents):
            old = seen.elements[order[agent]][seen.mask[order[agent]]]
            new = again.elements[agent][again.mask[agent]]
            require(same_set(old, new), f"an agent sees another set {index}")


def _all_moved(agents: int) -> np.ndarray:
    """A random order in which no agent keeps its index."""
    random = np.random.default_rng(0)
    while True:
        order = random.permutation(agents)
        if agents == 1 or (order != np.arange(agents)).all():
            return order


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
            require(not np.diag(seen.mask).any(), f"in set {index} agents are present in their own set")


@promise(
    CHECKS, "everybody is seen where that is declared",
    why="concatenation takes the first empty slot of a set for the agent's own, where everybody_is_seen is true",
    remedy="declare everybody_is_seen = False if agents can be out of each other's sight",
)  # fmt: skip
def _everybody_seen(subject: TaskSubject) -> None:
    present = np.asarray(subject.next_state.present)
    others = present[None, :] & ~np.eye(subject.agents, dtype=bool)
    for index, (layout, seen) in enumerate(zip(subject.task.layout.sets, subject.judged.observation.sets, strict=True)):
        if layout.includes_self and not layout.may_have_gaps:
            all_seen = np.array_equal(seen.mask[present], others[present])
            require(all_seen, f"in set {index} agents do not see all others, though everybody_is_seen is true")


@promise(
    CHECKS, "observe_from agrees with observe",
    why="policies act on observe, learners use observe_from; both must give the same",
    remedy="leave observe_from and transmit alone, or write observe as observe_from of all agents",
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
    near = subject.transition(subject.start, np.clip(wild, -1, 1), key)
    require_equal(far, near, "an action of 5 moves an agent further than an action of 1")
