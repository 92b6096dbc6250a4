"""What answers at once: help and list read files instead of importing them."""

import json
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from swarmbed.policy.files import load_policy_file
from swarmbed.policy.headers import header_of, settings_of, shipped_policies
from swarmbed.spec import config, files, registry, source
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import default_of
from swarmbed.tasks import VARIANTS

REPORT = """
import sys
from swarmbed.cli.main import main
main({arguments})
import json
print(json.dumps([name for name in ("jax", "numpy", "matplotlib", "optax") if name in sys.modules]), file=sys.stderr)
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["list"], ["list", "policies"]])
def test_what_answers_at_once_imports_no_heavy_library(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REPORT.format(arguments=arguments)], capture_output=True, text=True, check=True
    )
    assert json.loads(done.stderr) == []


@pytest.mark.parametrize("family", registry.FAMILIES, ids=lambda family: family.folder)
def test_files_tell_the_same_as_importing_them(family: registry.Family) -> None:
    built_in = {name: kind for name, kind in family.all().items() if kind.__module__.startswith("swarmbed.")}
    read = source.members(family.folder, family.root or family.base)
    assert list(read) == list(built_in)
    for name, kind in built_in.items():
        assert read[name].summary == (kind.__doc__ or "").splitlines()[0]
        defaults = {field.name: default_of(field) for field in fields(kind)}
        assert list(read[name].settings) == list(defaults)
        for setting, value in read[name].settings.items():
            text = isinstance(value, str) and not isinstance(defaults[setting], str)  # such as 2 * pi
            assert text or value == defaults[setting]


def test_a_constant_is_read_from_the_file() -> None:
    assert source.constant("swarmbed.tasks", "VARIANTS") == VARIANTS
    with pytest.raises(LookupError, match="has no constant NOTHING"):
        source.constant("swarmbed.tasks", "NOTHING")


def test_the_header_of_a_policy_tells_what_the_whole_file_tells() -> None:
    path = shipped_policies()["pursuit-local-nn-comm"]
    whole = files.load_arrays(path)[1]
    assert {name: text for name, text in header_of(path).items() if name != "sha256"} == whole
    task = load_policy_file(path).task
    assert config.spec_from(settings_of(path), "task") == task


@pytest.mark.parametrize("content", [b"", b"short", b"\xff" * 64, (4).to_bytes(8, "little") + b"[1]]"])
def test_a_header_that_cannot_be_read_is_one_sentence(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "policy.safetensors"
    path.write_bytes(content)
    with pytest.raises(SwarmbedError, match="is damaged or not a safetensors file"):
        header_of(path)
