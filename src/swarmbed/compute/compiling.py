"""How much the compiler should try: what runs once should compile quickly, what runs for hours may take a little longer.

Compiling a training iteration is most of what a new user waits for. XLA's options below were measured on its CPU
backend (benchmarks, group startup): they halve the time and leave the speed of the result as it is.
"""

from functools import cache
from typing import Any

import jax

# Programs that run once: the compiler's own time is all that counts.
ONCE = {"xla_backend_optimization_level": 0, "xla_llvm_disable_expensive_passes": True}
# The training iteration: loops are vectorised at level 1 already, and the older fusion emitters give smaller programs.
OFTEN = {"xla_backend_optimization_level": 1, "xla_cpu_use_fusion_emitters": False}


def options(wanted: dict[str, Any]) -> dict[str, Any]:
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
