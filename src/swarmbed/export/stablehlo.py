"""A policy as StableHLO: what XLA, IREE and every later JAX read. Sizes stay open."""

from collections.abc import Sequence

import jax
import numpy as np
from jax import export

from swarmbed.export.function import Exported, Run, check_weights, missing, not_convertible

PLATFORMS = ("cpu", "cuda", "rocm", "tpu")


def convert(made: Exported, name: str) -> bytes:
    """A file that ``jax.export.deserialize`` reads, with the weights in it."""
    check_weights(made)
    try:
        import flatbuffers  # noqa: F401  JAX writes files with it, but does not bring it along
    except ModuleNotFoundError as error:
        raise missing("stablehlo", error) from error
    try:
        return bytes(export.export(jax.jit(made.function), platforms=PLATFORMS)(*made.abstract()).serialize())
    except Exception as error:
        raise not_convertible(made, "StableHLO", error) from error


def open_model(made: Exported, content: bytes) -> Run:
    """The content as something to call."""
    model = export.deserialize(bytearray(content))

    def run(arrays: Sequence[np.ndarray]) -> np.ndarray:
        return np.asarray(model.call(*arrays))

    return run
