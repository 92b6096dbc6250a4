"""A policy with numpy alone: what it needs, and numbers worked by hand. tests/integration compares all that ship."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from swarmbed.policy import with_numpy
from swarmbed.policy.headers import shipped_policies
from swarmbed.policy.with_numpy import NumpyPolicy, load

ALONE = """
import sys
from swarmbed.policy.with_numpy import load
load("pursuit-global-nn-extended")
print([name for name in ("jax", "safetensors", "swarmbed.spec.errors") if name in sys.modules])
"""
HEAD = {"network.head.0.weight": np.eye(3), "network.head.0.bias": np.zeros(3)}  # what goes in comes out
LOCAL = np.array([[0.5]])
ELEMENTS = np.array([[[1.0, -2.0], [3.0, 4.0], [9.0, 9.0]]])
MASK = np.array([[True, True, False]])


def policy(**embedding: object) -> NumpyPolicy:
    layer = {"network.embeddings.0.0.weight": np.eye(2), "network.embeddings.0.0.bias": np.zeros(2)}
    return NumpyPolicy(HEAD | layer, {"embedding": embedding})


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("mean", [2.0, 2.0, 0.5]),  # ReLU gives (1, 0) and (3, 4)
        ("max", [3.0, 4.0, 0.5]),
        ("softmax", [(np.e + 3 * np.e**3) / (np.e + np.e**3), 4 * np.e**4 / (1 + np.e**4), 0.5]),
    ],
)
def test_neural_features_are_pooled_over_those_present(pooling: str, expected: list[float]) -> None:
    neural = policy(name="neural", pooling=pooling, activation="relu", temperature=1.0)
    np.testing.assert_allclose(neural(LOCAL, [(ELEMENTS, MASK)]), [expected])


def test_the_first_moment_is_the_mean() -> None:
    np.testing.assert_allclose(policy(name="moments", order=1)(LOCAL, [(ELEMENTS, MASK)]), [[2.0, 1.0, 0.5]])


@pytest.mark.parametrize("pooling", ["mean", "max", "softmax"])
def test_the_empty_set_is_zero(pooling: str) -> None:
    neural = policy(name="neural", pooling=pooling, activation="relu", temperature=1.0)
    np.testing.assert_array_equal(neural(LOCAL, [(ELEMENTS, ~MASK & False)]), [[0.0, 0.0, 0.5]])


def test_an_embedding_of_somebody_else_is_refused() -> None:
    with pytest.raises(ValueError, match="'mine' is not one that ships"):
        policy(name="mine")(LOCAL, [(ELEMENTS, MASK)])


def test_it_imports_neither_jax_nor_the_rest() -> None:
    done = subprocess.run([sys.executable, "-c", ALONE], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_both_files_work_where_swarmbed_is_not_installed(tmp_path: Path) -> None:
    for name in ("with_numpy", "with_numpy_embeddings"):
        shutil.copy(Path(with_numpy.__file__).with_name(f"{name}.py"), tmp_path)
    shutil.copy(shipped_policies()["pursuit-global-rbf-basic"], tmp_path / "policy.safetensors")
    program = (
        "import sys, numpy as np; sys.modules['swarmbed'] = None; from with_numpy import load\n"
        "policy = load('policy.safetensors')\n"
        "print(policy(np.zeros((1, 3)), [(np.zeros((1, 9, 3)), np.zeros((1, 9), bool))]).shape)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=tmp_path)
    assert done.stdout == "(1, 2)\n", done.stderr


def test_a_file_of_something_else_says_so(tmp_path: Path) -> None:
    header = b'{"__metadata__": {"format": "pt"}}'
    path = tmp_path / "other.safetensors"
    path.write_bytes(len(header).to_bytes(8, "little") + header)
    with pytest.raises(ValueError, match="not a swarmbed policy"):
        load(path)
