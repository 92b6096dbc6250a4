"""A policy as an ONNX model with an open batch and an open number of neighbours."""

import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from swarmbed.export.function import Exported, Run, check_weights, missing, not_convertible

OPSET = 18  # from 2022: old enough for the runtimes on robots, new enough for all we need


def convert(made: Exported, name: str) -> bytes:
    """The model's bytes; what its inputs and outputs mean is in ``metadata_props``."""
    check_weights(made)
    try:
        from jax2onnx import to_onnx
    except ModuleNotFoundError as error:
        raise missing("onnx", error) from error
    with _quiet():
        try:
            model = to_onnx(
                made.function, made.abstract(), model_name=name, opset=OPSET,
                input_names=list(made.names), output_names=["action"],
            )  # fmt: skip
        except Exception as error:
            raise not_convertible(made, "ONNX", error) from error
    model.doc_string = made.description.summary
    for key, value in made.description.as_dict().items():
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        model.metadata_props.add(key=key, value=text)
    return bytes(model.SerializeToString())


def open_model(made: Exported, content: bytes) -> Run:
    """The model in onnxruntime, on one core."""
    try:
        import onnxruntime
    except ModuleNotFoundError as error:
        raise missing("onnx", error) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3  # its warnings are about optimisations that it did not find
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [given.name for given in session.get_inputs()]

    def run(arrays: Sequence[np.ndarray]) -> np.ndarray:
        return np.asarray(session.run(None, dict(zip(names, arrays, strict=True)))[0])

    return run


@contextmanager
def _quiet() -> Iterator[None]:
    """The converter warns about intermediate values whose type it does not write down; the model does not need it."""
    logger = logging.getLogger("onnx_ir")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)
