"""Algorithms run inside shard_map; here over a single device."""

from collections.abc import Callable
from typing import Any

import jax
import pytest
from jax.sharding import PartitionSpec as P

from swarmbed.compute import devices


@pytest.fixture(scope="session")
def on_device(quick_jit: Callable[..., Any]) -> Callable[..., Any]:
    """``on_device(function)``: the function, compiled, over a mesh of one device."""

    def wrap(function: Callable[..., Any]) -> Any:
        mesh = devices.mesh(1)
        return quick_jit(jax.shard_map(function, mesh=mesh, in_specs=P(), out_specs=P(), check_vma=False))

    return wrap
