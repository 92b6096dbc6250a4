"""What ``import swarmbed`` offers."""

import ast
import subprocess
import sys
from pathlib import Path

import swarmbed
import swarmbed.run.train


def test_every_exported_name_is_there_and_no_module() -> None:
    for name in swarmbed.__all__:
        assert type(getattr(swarmbed, name)).__name__ != "module", name
    assert swarmbed.train is swarmbed.run.train.train


def test_type_checkers_are_told_the_same_names() -> None:
    tree = ast.parse(Path(swarmbed.__file__).read_text(encoding="utf-8"))
    (guarded,) = [node for node in tree.body if isinstance(node, ast.If)]
    told = {(node.module, alias.asname) for node in guarded.body for alias in node.names}  # type: ignore[attr-defined]
    assert told == {(module, name) for name, module in swarmbed._WHERE.items()}


def test_importing_loads_nothing_heavy() -> None:
    code = "import sys, swarmbed; print([name for name in ('jax', 'numpy', 'matplotlib') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_an_unknown_name_is_an_attribute_error() -> None:
    assert not hasattr(swarmbed, "trian")
    assert "train" in dir(swarmbed)


def test_a_misspelt_name_is_answered_with_the_right_one() -> None:
    done = subprocess.run([sys.executable, "-c", "import swarmbed; swarmbed.evalute"], capture_output=True, text=True)
    assert done.stderr.splitlines()[-1].endswith("has no attribute 'evalute'. Did you mean: 'evaluate'?")
