"""What a task promises about absent agents: they are not sensed or counted, and move nothing."""

from typing import Any

import jax
import numpy as np

from swarmbed.contracts.absence import GARBAGE, litter, littered, only_present, who_is_there, with_gaps
from swarmbed.contracts.check import Check, promise, require, require_equal
from swarmbed.contracts.task_subject import Judgement, TaskSubject
from swarmbed.spec.errors import SwarmbedError

CHECKS: list[Check] = []


@promise(
    CHECKS, "what absent agents hold does not matter",
    why="swarms of different sizes share one shape; the slots of absent agents may hold anything",
    remedy="put jnp.where(state.present, …, 0) around what you sum, count or compare, before you do it",
)  # fmt: skip
def _garbage(subject: TaskSubject) -> None:
    present = who_is_there(subject.agents)
    if present.all():
        return
    key, clean, action = jax.random.key(1), with_gaps(subject.start, present), subject.action(0)
    moved = subject.transition(clean, action, key)
    require(
        not moved.present.all(),
        "after one step absent agents are present: transition makes a new State instead of state._replace(…)",
    )
    judged = subject.judge(clean, action, moved)
    for words, garbage in GARBAGE.items():
        dirty, dirty_action = littered(clean, present, garbage), litter(action, present, garbage)
        other = subject.transition(dirty, dirty_action, key)
        where = f"when absent agents hold {words}"
        require_equal(only_present(moved, present), only_present(other, present), f"the next state changes {where}")
        after = littered(moved, present, garbage)
        _require_same(judged, subject.judge(dirty, dirty_action, after), present, where)


def _require_same(one: Judgement, other: Judgement, present: np.ndarray, where: str) -> None:
    """The same judgement, as far as it concerns present agents."""
    require_equal(one.reward, other.reward, f"the reward changes {where}")
    if one.credit is not None and other.credit is not None:
        require_equal(one.credit[present], other.credit[present], f"the credit of present agents changes {where}")
    require_equal(one.terminated, other.terminated, f"the end changes {where}")
    require_equal(one.metrics, other.metrics, f"the metrics change {where}")
    backwards = present[::-1]
    for seen, again, rows in (
        (one.observation, other.observation, present),
        (one.looked_at, other.looked_at, backwards),
    ):
        require_equal(seen.local[rows], again.local[rows], f"the local properties of present agents change {where}")
        for index, (before, after) in enumerate(zip(seen.sets, again.sets, strict=True)):
            require(
                np.array_equal(before.mask[rows], after.mask[rows]),
                f"present agents see other elements in set {index} {where}",
            )
            first, second = (np.where(s.mask[rows][..., None], s.elements[rows], 0.0) for s in (before, after))
            require_equal(first, second, f"present agents see set {index} differently {where}")


@promise(
    CHECKS, "a few agents among empty slots do what a swarm of that size does",
    why="a swarm that has lost agents is a smaller swarm: nothing may depend on the number of slots",
    remedy="use self.population(state) for the number of agents, and state.present for which they are",
)  # fmt: skip
def _fewer(subject: TaskSubject) -> None:
    present = who_is_there(subject.agents)
    few = subject.sized(int(present.sum()))
    try:
        few.task  # noqa: B018  building it is the question
    except SwarmbedError:
        return  # it needs more agents than that
    if present.all():
        return
    keys, state, action = jax.random.split(jax.random.key(1)), with_gaps(subject.start, present), subject.action(0)
    smaller, fewer_actions = only_present(state, present), action[present]
    moved = [subject.transition(state, action, key) for key in keys]
    after = only_present(moved[0], present)
    if _is_certain(moved):
        alone = few.transition(smaller, fewer_actions, keys[0])
        require_equal(alone, after, f"{few.agents} agents move differently among empty slots")
    judged, wanted = subject.judge(state, action, moved[0]), few.judge(smaller, fewer_actions, after)
    for name in ("reward", "terminated", "metrics"):
        require_equal(
            getattr(wanted, name), getattr(judged, name), f"empty slots change the {name} of {few.agents} agents"
        )
    if wanted.credit is not None and judged.credit is not None:
        require_equal(wanted.credit, judged.credit[present], "empty slots change the credit of present agents")
    for agent, row in enumerate(np.flatnonzero(present)):
        require_equal(
            wanted.observation.local[agent], judged.observation.local[row], "empty slots change local properties"
        )
        for index, (one, other) in enumerate(zip(wanted.observation.sets, judged.observation.sets, strict=True)):
            sets = [s.elements[i][s.mask[i]] for s, i in ((one, agent), (other, row))]
            require(same_set(*sets), f"empty slots change what is seen in set {index}")


def _is_certain(moved: list[Any]) -> bool:
    """Whether a step is deterministic: if not, swarms of two sizes draw different numbers."""
    first, second = (jax.tree.leaves(one) for one in moved)
    return all(np.array_equal(a, b, equal_nan=True) for a, b in zip(first, second, strict=True))


def same_set(old: Any, new: Any) -> bool:
    """Equal up to order and rounding: every element has a partner."""
    if old.shape != new.shape:
        return False
    apart = np.abs(old[:, None] - new[None, :]).max(-1, initial=0.0)
    return bool(apart.size == 0 or (apart.min(1).max() < 1e-4 and apart.min(0).max() < 1e-4))
