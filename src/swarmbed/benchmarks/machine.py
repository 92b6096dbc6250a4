"""The machine: what it is, and how fast one of its cores multiplies matrices, which bounds everything else."""

import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp

from swarmbed.benchmarks import Column, Effort, Group, Row
from swarmbed.benchmarks.timing import Timing, repeat, rounded

PEAK_SIZE = 1024
_PROCESSOR = Path("/proc/cpuinfo")
_CACHES = Path("/sys/devices/system/cpu/cpu0/cache")


def describe() -> dict[str, Any]:
    """The processor, its cores and caches, the memory, and the versions that matter."""
    return {
        "processor": processor_name(),
        "cores": os.cpu_count(),
        "usable_cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "caches": caches(),
        "memory_gib": memory_gib(),
        "load_average": [rounded(load, 3) for load in os.getloadavg()] if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "python": platform.python_version(),
        "jax": version("jax"),
        "jaxlib": version("jaxlib"),
        "numpy": version("numpy"),
    }


def sentences(machine: dict[str, Any]) -> list[str]:
    """The same in three lines."""
    caches = ", ".join(f"{name} {size}" for name, size in machine["caches"].items()) or "caches unknown"
    memory = "memory unknown" if machine["memory_gib"] is None else f"{machine['memory_gib']:.0f} GiB memory"
    cores = f"{machine['cores']} cores"
    if machine["usable_cores"] != machine["cores"]:
        cores += f", {machine['usable_cores']} of them usable"
    return [
        f"{machine['processor']}, {cores}, {memory}",
        f"{caches} (as the first core sees them)",
        f"{machine['system']}, Python {machine['python']}, jax {machine['jax']}, jaxlib {machine['jaxlib']}",
    ]


def processor_name() -> str:
    if _PROCESSOR.is_file():
        fields = dict(line.split(":", 1) for line in _PROCESSOR.read_text().splitlines() if ":" in line)
        named = {key.strip(): value.strip() for key, value in fields.items()}
        if "model name" in named:
            family = [named[key] for key in ("cpu family", "model", "stepping") if key in named]
            return named["model name"] + (f" (family {'/'.join(family)})" if family else "")
    return platform.processor() or platform.machine()


def caches() -> dict[str, str]:
    """{"L1d": "32K", "L2": "512K", …}; empty where the system does not say."""
    found = {}
    for index in sorted(_CACHES.glob("index*")):
        level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        found[f"L{level}" + {"Data": "d", "Instruction": "i"}.get(kind, "")] = size
    return found


def memory_gib() -> float | None:
    if "SC_PHYS_PAGES" not in getattr(os, "sysconf_names", {}):
        return None
    return rounded(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30, 4)


def matrix_product(repetitions: int, size: int = PEAK_SIZE) -> Timing:
    """The time of one size³ float32 matrix product: size³ multiplications and as many additions."""
    left, right = (jax.random.normal(key, (size, size), jnp.float32) for key in jax.random.split(jax.random.key(0)))
    product = jax.jit(jnp.dot)
    return repeat(lambda: product(left, right), repetitions)


def measure_peak(effort: Effort) -> dict[str, Any]:
    operations, timing = 2 * PEAK_SIZE**3, matrix_product(effort.repetitions)
    return {
        "gflops": rounded(operations / timing.median / 1e9),
        "gflops_best": rounded(operations / timing.best / 1e9),
        "gflops_per_processor_second": rounded(operations / timing.processor / 1e9),
        "size": PEAK_SIZE,
        **timing.facts(),
    }


GROUP = Group(
    title="Machine",
    note="2 · 1024³ operations over the time of one float32 product, one core.",
    columns=(
        Column("gflops", "GFLOP/s", ".1f"),
        Column("gflops_best", "best", ".1f"),
        Column("gflops_per_processor_second", "per CPU s", ".1f"),
    ),
    rows=(Row("matrix-product", f"matrix product {PEAK_SIZE}³", measure_peak),),
    position=0,
)
