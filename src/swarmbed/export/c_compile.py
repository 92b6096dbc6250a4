"""Compiling a header and calling it from Python: how an export is checked and timed."""

import ctypes
import re
from typing import Any, NamedTuple

import numpy as np

from swarmbed.compute.c_compiler import load
from swarmbed.spec.errors import SwarmbedError

# The pointer is volatile so that the compiler cannot compute the same decision once for all repetitions.
SHIM = """
#include "policy.h"
void act({parameters});
void act({parameters}) {{ {name}({arguments}); }}
void repeat(long times, {parameters});
void repeat(long times, {parameters})
{{
    void (*volatile decide)({parameters}) = act;
    for (long i = 0; i < times; i++) decide({arguments});
}}
"""


class Compiled(NamedTuple):
    """A loaded library with ``act`` and ``repeat``."""

    library: Any

    def act(self, local: list[np.ndarray], sets: list[np.ndarray], outputs: int) -> np.ndarray:
        """One decision from plain arrays: local properties if there are any, elements of each set."""
        action = np.full(outputs, np.nan, np.float32)
        self.library.act(*_arguments(local, sets, action))
        return action

    def repeat(self, times: int, local: list[np.ndarray], sets: list[np.ndarray], outputs: int) -> None:
        """The same decision many times over, in C."""
        action = np.empty(outputs, np.float32)
        self.library.repeat(ctypes.c_long(times), *_arguments(local, sets, action))


def compile_header(compiler: str, header: str, flags: tuple[str, ...] = ("-std=c99", "-O2")) -> Compiled:
    """Compile a header as a shared library and load it."""
    found = re.search(r"static inline void (\w+)\((.*)\)", header)
    if found is None:
        raise SwarmbedError("the header defines no function of the expected form")
    name, parameters = found.groups()
    arguments = ", ".join(part.split()[-1].lstrip("*") for part in parameters.split(", "))
    shim = SHIM.format(name=name, parameters=parameters, arguments=arguments)
    return Compiled(load(compiler, {"policy.h": header, "shim.c": shim}, flags, "the exported header"))


def _arguments(local: list[np.ndarray], sets: list[np.ndarray], action: np.ndarray) -> list[Any]:
    given: list[Any] = [_pointer(values) for values in local]
    for elements in sets:
        given += [ctypes.c_int(elements.shape[0]), _pointer(elements)]
    return [*given, _pointer(action)]


def _pointer(values: np.ndarray) -> Any:
    return np.ascontiguousarray(values, np.float32).ctypes.data_as(ctypes.POINTER(ctypes.c_float))
