"""Means over the CPU devices of one process without putting their threads to sleep.

XLA's own collectives block, and waking a thread again takes longer than the step of a value fit, of which an iteration
takes 1,280. So where there is a C compiler, those of one process meet in ``meeting.c``, where they wait awake; anywhere
else they meet in XLA's collective.

A thread that waits awake does nothing else, and XLA may begin independent parts of a program in any order. If one
device waited here and another in a collective, neither would ever leave. So such means come in a series of which each
depends on the last, and everything else that devices do together must be done before the series begins (``earlier``),
or depend on its end.
"""

import ctypes
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax
from jaxtyping import Float

from swarmbed.compute import devices
from swarmbed.compute.c_compiler import find_compiler, load
from swarmbed.spec.errors import SwarmbedError

SOURCE = Path(__file__).with_name("meeting.c")
FLAGS = ("-std=c11", "-O3")
MOST_DEVICES = 64  # as in the source

Vector = Float[Array, " n"]


def series_of_means(earlier: Any) -> Callable[[Vector], Vector]:
    """The function vector → its mean over all devices, for one call after the other, each of which needs the result of
    the one before.

    ``earlier`` holds something of everything that devices have done together before.
    """
    count = devices.device_count()
    if count == 1:
        return lambda vector: vector
    if not (count <= MOST_DEVICES and is_possible()):
        return devices.mean_over_devices
    who = jnp.stack([jnp.int32(devices.device_index()), jnp.int32(count)])
    told = jnp.stack([leaf.sum().astype(jnp.float32) for leaf in jax.tree.leaves(earlier)])
    who = jax.ffi.ffi_call("swarmbed_pass_after", jax.ShapeDtypeStruct(who.shape, who.dtype), vmap_method=_VMAP)(
        who, told
    )

    def mean(vector: Vector) -> Vector:
        if vector.dtype != jnp.float32:
            return lax.pmean(vector, devices.AXIS)
        result = jax.ShapeDtypeStruct(vector.shape, vector.dtype)
        call = jax.ffi.ffi_call("swarmbed_mean_over_devices", result, has_side_effect=True, vmap_method=_VMAP)
        found: Vector = call(vector, who)
        return found

    return mean


_VMAP = "broadcast_all"  # several vectors are one longer vector to the source


def is_possible() -> bool:
    """Are all devices threads of this process, and is there a library in which they can meet?"""
    return jax.default_backend() == "cpu" and jax.process_count() == 1 and _library() is not None


@cache
def _library() -> ctypes.CDLL | None:
    """The compiled source, made known to XLA; None where it cannot be compiled."""
    compiler = find_compiler()
    if compiler is None:
        return None
    try:
        library = load(compiler, {SOURCE.name: SOURCE.read_text()}, (*FLAGS, f"-I{jax.ffi.include_dir()}"), SOURCE.name)
    except (SwarmbedError, OSError):
        return None
    for name in ("mean_over_devices", "pass_after"):
        jax.ffi.register_ffi_target(f"swarmbed_{name}", jax.ffi.pycapsule(getattr(library, name)), platform="cpu")
    return library
