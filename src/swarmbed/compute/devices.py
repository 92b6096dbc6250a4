"""One XLA device per core, the compilation cache, and the mesh over all devices of all machines."""

import os
from pathlib import Path

import jax
import numpy as np
from jax.sharding import Mesh

from swarmbed.algorithms.base import AXIS
from swarmbed.spec.errors import SwarmbedError


def available_cores() -> int:
    """Cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def set_up(devices: int | None = None, *, cache: bool = True) -> None:
    """Make ``devices`` CPU devices (default: one per core). Does nothing once something has been computed.

    Each device is one thread: two devices that both try to use both cores only get in each other's way.
    """
    if cache:
        folder = Path(os.environ.get("SWARMBED_CACHE", Path.home() / ".cache" / "swarmbed")) / "compiled"
        jax.config.update("jax_compilation_cache_dir", str(folder))
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


def _started() -> bool:
    from jax._src import xla_bridge

    return bool(xla_bridge._backends)
