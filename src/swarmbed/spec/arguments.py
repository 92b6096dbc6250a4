"""Arguments of the public functions, checked against their annotations: what is of the wrong kind is named."""

import inspect
import types
from collections.abc import Callable
from functools import cache, wraps
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from swarmbed.spec.errors import SwarmbedError, shown
from swarmbed.spec.settings import describe, is_number

WHO = "a policy, a controller, or the name or path of one"
TASK = "a task or the name of one"
Function = TypeVar("Function", bound=Callable[..., Any])


def checked_arguments(**words: str) -> Callable[[Function], Function]:
    """A function that refuses arguments of the wrong kind with a :class:`SwarmbedError` that says what is allowed.

    ``words`` describe what an argument may be, where its annotation alone would be cryptic. Whether a value of the
    right kind makes sense is for the function itself to check.
    """

    def decorate(function: Function) -> Function:
        signature = inspect.signature(function)
        hints = cache(lambda: get_type_hints(function))  # only now are all names of its module known

        @wraps(function)
        def checked(*arguments: Any, **named: Any) -> Any:
            bound = signature.bind(*arguments, **named)
            for name, value in bound.arguments.items():
                kind = signature.parameters[name].kind
                hint = hints().get(name, Any)
                if kind is not inspect.Parameter.VAR_KEYWORD:
                    for each in value if kind is inspect.Parameter.VAR_POSITIONAL else (value,):
                        if not is_a(each, hint):
                            raise SwarmbedError(
                                f"{name} must be {words.get(name) or describe(hint)}, not {shown(each)}"
                            )
                    if is_number(value, whole=True):  # Python's own, which a JSON file can hold as well
                        bound.arguments[name] = int(value)
            return function(*bound.args, **bound.kwargs)

        return checked  # type: ignore[return-value]

    return decorate


def is_a(value: Any, hint: Any) -> bool:
    """Whether a value is of the annotated kind, as far as one can see without looking into it."""
    origin = get_origin(hint)
    if hint is Any or isinstance(hint, TypeVar):
        return True
    if origin in (Union, types.UnionType):
        return any(is_a(value, option) for option in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if hint is None or hint is type(None):
        return value is None
    if isinstance(value, bool):
        return hint is bool
    if hint in (int, float):
        return is_number(value, whole=hint is int)
    kind = origin or hint
    return isinstance(value, kind) if isinstance(kind, type) else callable(value)
