"""How hard the compiler should try: what runs once should compile quickly, what runs for hours may take longer.

A new user mostly waits for the training iteration to compile. The XLA options below were measured on its CPU backend
(benchmarks, group startup): they halve the time without slowing down the result. With the environment variable
``SWARMBED_COMPILE=quick`` everything is compiled like code that runs once, for trying things out.
"""

import os
from functools import cache
from typing import Any

import jax

# The older fusion emitters give smaller programs.
_SMALL = {"xla_cpu_use_fusion_emitters": False}
# The compiler's own time is all that counts.
_ONCE = _SMALL | {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
# Loops are vectorised at level 1 already. The older fusion emitters would compile faster and run a tenth slower. Where
# the processor has registers of 512 bits, XLA leaves half of each unused by default: an iteration takes a sixth
# less with them. Left alone, a device would share out its loops over all cores, though every core has a device.
_OFTEN = {
    "xla_backend_optimization_level": 1,
    "xla_cpu_prefer_vector_width": 512,
    "xla_disable_hlo_passes": "cpu-parallel-task-assigner",
}


def once() -> dict[str, Any]:
    """Compiler options of a program that runs once."""
    return _known(_ONCE)


def often() -> dict[str, Any]:
    """Compiler options of a program that runs many times, such as a training iteration."""
    return _known(_ONCE if _is_quick() else _OFTEN)


def _is_quick() -> bool:
    return os.environ.get("SWARMBED_COMPILE") == "quick"


def _known(wanted: dict[str, Any]) -> dict[str, Any]:
    """Those of the options that this version of XLA knows; none where the devices are no CPUs."""
    if jax.default_backend() != "cpu":
        return {}
    return {name: value for name, value in wanted.items() if _is_known(name, value)}


@cache
def _is_known(name: str, value: Any) -> bool:
    try:
        jax.jit(lambda: 0, compiler_options={name: value}).lower().compile()
    except jax.errors.JaxRuntimeError:
        return False
    return True
