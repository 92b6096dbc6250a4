"""A fixture for the tests of a module that runs many small programs, such as other people's interfaces."""

from collections.abc import Iterator

import jax
import pytest


@pytest.fixture(autouse=True, scope="module")
def quick_compilation() -> Iterator[None]:
    """Many small programs that run for a few steps each: compiling them is what takes the time."""
    before = jax.config.read("jax_disable_most_optimizations")
    jax.config.update("jax_disable_most_optimizations", True)
    yield
    jax.config.update("jax_disable_most_optimizations", before)
