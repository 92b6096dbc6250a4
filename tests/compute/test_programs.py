"""Programs that outlive the process: found again where nothing has changed, compiled anew where anything has."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from swarmbed.compute import programs
from swarmbed.embeddings.neural import Neural
from swarmbed.tasks import make

X = jnp.arange(3.0)
ONE = jax.devices()[:1]


class Compilations:
    """Doubles an array; counts how often it was compiled for that."""

    def __init__(self) -> None:
        self.count = 0

    def __call__(self) -> Any:
        self.count += 1
        return jax.jit(lambda x: 2 * x).lower(X).compile()


@pytest.fixture
def compile_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Compilations:
    monkeypatch.setenv("SWARMBED_CACHE", str(tmp_path))
    return Compilations()


def test_a_program_is_compiled_once_and_computes_the_same(compile_it: Compilations) -> None:
    for _ in range(3):
        assert programs.kept(Neural(), "double", X, ONE, compile_it)(X).tolist() == [0, 2, 4]
    assert compile_it.count == 1


@dataclass(frozen=True)
class Foreign:
    """A spec of somebody's own, whose source may change."""

    number: int = 1


# Made while running, and not distinguished by any setting: its name and its module say that it is one of ours.
MADE = type("Neural", (Neural,), {"__module__": Neural.__module__})()
WITH_REWARD = make("rendezvous").with_reward(lambda state, action, next_state: action.sum())


@pytest.mark.parametrize("spec", [Foreign(), (Neural(), Foreign()), (Neural(), len), MADE, WITH_REWARD])
def test_what_is_not_ours_is_never_kept(spec: Any, compile_it: Compilations) -> None:
    for _ in range(2):
        programs.kept(spec, "double", X, ONE, compile_it)
    assert compile_it.count == 2


@pytest.mark.parametrize(
    ("spec", "function", "x"),
    [(Neural(features=(3,)), "double", X), (Neural(), "triple", X), (Neural(), "double", X[:2])],
    ids=["setting", "function", "shape"],
)
def test_other_settings_functions_and_shapes_are_other_programs(
    spec: Neural, function: str, x: Any, compile_it: Compilations
) -> None:
    programs.kept(Neural(), "double", X, ONE, compile_it)
    programs.kept(spec, function, x, ONE, compile_it)
    assert compile_it.count == 2


@pytest.mark.parametrize(("name", "value"), [("compiling.often", {"level": 3}), ("_surroundings", ("a new version",))])
def test_another_compiler_or_version_makes_another_program(
    name: str, value: Any, compile_it: Compilations, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs.kept(Neural(), "double", X, ONE, compile_it)
    monkeypatch.setattr(f"swarmbed.compute.programs.{name}", lambda: value)
    programs.kept(Neural(), "double", X, ONE, compile_it)
    assert compile_it.count == 2


@pytest.mark.parametrize("damage", [b"", b"x" * 100, None])
def test_a_damaged_program_is_compiled_anew(damage: bytes | None, compile_it: Compilations) -> None:
    programs.kept(Neural(), "double", X, ONE, compile_it)
    (file,) = (programs.folder() / "programs").iterdir()
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) if damage is None else damage)
    assert programs.kept(Neural(), "double", X, ONE, compile_it)(X).tolist() == [0, 2, 4]
    assert compile_it.count == 2


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs the rights of a Unix")
@pytest.mark.parametrize("where", ["file", "folder", "owner"])
def test_what_somebody_else_could_have_written_is_never_read(
    where: str, compile_it: Compilations, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs.kept(Neural(), "double", X, ONE, compile_it)
    folder = programs.folder() / "programs"
    (file,) = folder.iterdir()
    unpickled: list[bytes] = []
    monkeypatch.setattr("swarmbed.compute.programs.pickle.loads", unpickled.append)
    if where == "owner":
        monkeypatch.setattr(os, "getuid", lambda: 12345)
    else:
        (file if where == "file" else folder).chmod(0o777)
    programs.kept(Neural(), "double", X, ONE, compile_it)
    assert unpickled == []
    assert compile_it.count == 2


def test_only_the_newest_programs_stay(compile_it: Compilations, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(programs, "KEPT", 2)
    for number in range(1, 5):
        programs.kept(Neural(features=(number,)), "double", X, ONE, compile_it)
    assert len(list((programs.folder() / "programs").iterdir())) == 2


def test_a_cache_that_cannot_be_written_is_no_error(compile_it: Compilations) -> None:
    (programs.folder() / "programs").write_text("a file where the folder should be")
    assert programs.kept(Neural(), "double", X, ONE, compile_it)(X).tolist() == [0, 2, 4]


def test_the_folder_is_the_one_that_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(chosen: str, caches: str) -> Path:
        monkeypatch.setenv("SWARMBED_CACHE", chosen)
        monkeypatch.setenv("XDG_CACHE_HOME", caches)
        return programs.folder()

    monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
    mine, caches = str(tmp_path / "mine"), str(tmp_path / "caches")
    assert found(mine, caches) == tmp_path / "mine"
    assert found("", caches) == tmp_path / "caches" / "swarmbed"
    for not_a_folder in ("", "relative"):  # the standard says that a relative one is to be ignored
        assert found("", not_a_folder) == tmp_path / "home" / ".cache" / "swarmbed"
