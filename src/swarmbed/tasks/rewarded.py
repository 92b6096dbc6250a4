"""A task with another reward than its class has."""

import inspect
from collections.abc import Callable
from dataclasses import fields
from itertools import count
from typing import Any, TypeVar

from swarmbed.spec.errors import SwarmbedError, shown

Own = TypeVar("Own")


def rewarded(task: Own, reward: Callable[..., Any]) -> Own:
    """The same task, of a class of its own with this reward; the same function gives the same class again."""
    _check(reward)
    return _class_with(type(task), reward)(**{f.name: getattr(task, f.name) for f in fields(task)})  # type: ignore[arg-type]


def _check(reward: Any) -> None:
    wanted = "reward must be a function of (state, action, next_state)"
    if not callable(reward):
        raise SwarmbedError(f"{wanted}, not {shown(reward)}")
    try:
        inspect.signature(reward).bind(None, None, None)
    except TypeError as error:
        raise SwarmbedError(f"{wanted}, but this one has {error}") from None
    except ValueError:
        return  # a built-in function, which does not say what it takes


def _class_with(kind: type[Own], reward: Callable[..., Any]) -> type[Own]:
    """Each function gets its own class, with its own name: runs and policies find their task by it."""
    siblings = kind.__subclasses__()
    for sibling in siblings:
        if vars(sibling).get("_replaced_by", (None,))[0] is reward:
            return sibling
    taken = {sibling.__name__ for sibling in siblings}
    names = (f"{kind.__name__}WithReward{'' if number == 1 else number}" for number in count(1))
    name = next(name for name in names if name not in taken)
    body = {
        "reward": lambda self, state, action, next_state: reward(state, action, next_state),
        "credit": lambda self, state, action, next_state: None,  # that of the class belongs to the reward it replaces
        "_replaced_by": (reward,),
        "__reduce__": lambda self: (rewarded, (_without(self, kind), reward)),
        "__copy__": _copied,  # not by way of __reduce__: while a schedule is traced, settings may not be numbers
        "__module__": kind.__module__,
        "__doc__": kind.__doc__,
    }
    return type(name, (kind,), body)


def _without(task: Any, kind: type[Own]) -> Own:
    """The task as it was before its reward was replaced."""
    return kind(**{f.name: getattr(task, f.name) for f in fields(task)})


def _copied(task: Own) -> Own:
    twin = object.__new__(type(task))
    vars(twin).update(vars(task))
    return twin
