"""One XLA device per core, the compilation cache, and the mesh axis that batches are spread over.

Inside ``shard_map`` a batch is one device's share, and the collectives below span all devices. Outside of it the axis
is absent: there is one device, and they change nothing.
"""

import os
from typing import Any

import jax
import numpy as np
from jax import lax
from jax.flatten_util import ravel_pytree
from jax.sharding import Mesh

from swarmbed.compute import programs
from swarmbed.spec.errors import SwarmbedError

AXIS = "devices"


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_up(devices: int | None = None, *, cache: bool = True) -> None:
    """Make ``devices`` CPU devices (default: one per core). Does nothing once something has been computed.

    Each device is one thread: two devices that both try to use both cores only get in each other's way.
    """
    if cache and not getattr(jax.config, "jax_compilation_cache_dir", None):  # who has set one keeps it
        jax.config.update("jax_compilation_cache_dir", str(programs.folder() / "compiled"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.5)
    if _started():
        return
    flag = "--xla_cpu_multi_thread_eigen=false"
    if flag not in os.environ.get("XLA_FLAGS", ""):
        os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {flag}".strip()
    if getattr(jax.config, "jax_num_cpu_devices", None) in (-1, None):
        jax.config.update("jax_num_cpu_devices", devices or available_cores())


def mesh(devices: int | None = None) -> Mesh:
    """A mesh over the first ``devices`` devices, or over all of them."""
    everything = jax.devices()
    if devices is not None and not 1 <= devices <= len(everything):
        raise SwarmbedError(f"devices must lie between 1 and {len(everything)}, the number there is, not {devices}")
    return Mesh(np.array(everything[:devices]), (AXIS,))


def device_count() -> int:
    """Devices that work on the current computation; 1 outside ``shard_map``."""
    try:
        return lax.axis_size(AXIS)
    except NameError:
        return 1


def device_index() -> Any:
    """Which of them this is."""
    return lax.axis_index(AXIS) if _is_spread() else 0


def mean_over_devices(tree: Any) -> Any:
    """The mean of every array over all devices.

    All arrays travel as one: what a collective costs on a small machine is waking the other device, not the bytes.
    """
    if device_count() == 1:
        return tree
    flat, unflatten = ravel_pytree(tree)
    return unflatten(lax.pmean(flat, AXIS))


def sum_over_devices(tree: Any) -> Any:
    """The sum of every array over all devices."""
    return lax.psum(tree, AXIS) if _is_spread() else tree


def _is_spread() -> bool:
    try:
        lax.axis_size(AXIS)
    except NameError:
        return False
    return True


def _started() -> bool:
    from jax._src import xla_bridge

    return bool(xla_bridge._backends)
