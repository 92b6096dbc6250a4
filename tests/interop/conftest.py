"""Shared by the tests of other people's interfaces."""

from collections.abc import Iterator

import jax
import pytest

pytest.importorskip("gymnasium", reason="needs swarmbed[interop]")
pytest.importorskip("pettingzoo", reason="needs swarmbed[interop]")


@pytest.fixture(autouse=True, scope="module")
def quick_compilation() -> Iterator[None]:
    """Many small programs that run for a few steps each: compiling them is what takes the time."""
    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", before)
