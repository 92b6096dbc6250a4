"""Huge pages: asked for where the system gives them to those who ask, and once only."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from swarmbed.cli import main
from swarmbed.compute import huge_pages
from swarmbed.study import local
from swarmbed.study.budget import BUDGETS
from swarmbed.study.plan import Evaluation
from swarmbed.study.store import Store


@pytest.fixture
def system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A system with a recent glibc that gives huge pages to those who ask."""
    path = tmp_path / "enabled"
    path.write_text("always [madvise] never\n")
    monkeypatch.setattr(huge_pages, "SYSTEM", path)
    monkeypatch.setattr(huge_pages.platform, "libc_ver", lambda: ("glibc", "2.36"))
    monkeypatch.delenv(huge_pages.VARIABLE, raising=False)
    return path


def asked() -> str | None:
    found = huge_pages.environment()
    return None if found is None else found[huge_pages.VARIABLE]


@pytest.mark.usefixtures("system")
def test_the_allocator_is_told_to_ask() -> None:
    assert asked() == "glibc.malloc.hugetlb=1"


@pytest.mark.usefixtures("system")
def test_what_else_it_was_told_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(huge_pages.VARIABLE, "glibc.malloc.check=1")
    assert asked() == "glibc.malloc.check=1:glibc.malloc.hugetlb=1"


@pytest.mark.usefixtures("system")
def test_who_has_decided_keeps_the_decision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(huge_pages.VARIABLE, "glibc.malloc.hugetlb=0")
    assert asked() is None


@pytest.mark.parametrize("enabled", ["[always] madvise never", "always madvise [never]"])
def test_nothing_is_asked_where_everybody_or_nobody_gets_them(system: Path, enabled: str) -> None:
    system.write_text(enabled)
    assert asked() is None


def test_nothing_is_asked_elsewhere(system: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for library in (("glibc", "2.31"), ("glibc", ""), ("", ""), ("musl", "2.40")):
        monkeypatch.setattr(huge_pages.platform, "libc_ver", lambda library=library: library)
        assert asked() is None
    monkeypatch.setattr(huge_pages.platform, "libc_ver", lambda: ("glibc", "2.36"))
    system.unlink()
    assert asked() is None


@pytest.mark.usefixtures("system")
def test_a_version_may_have_more_than_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(huge_pages.platform, "libc_ver", lambda: ("glibc", "2.36-9+deb12"))
    assert asked() == "glibc.malloc.hugetlb=1"


def test_only_commands_that_allocate_much_start_again(monkeypatch: pytest.MonkeyPatch) -> None:
    began: list[str] = []
    monkeypatch.setattr(huge_pages, "start_again", lambda: began.append(sys.argv[1]))
    for command in ("train", "reproduce", "bench", "list", "evaluate"):
        monkeypatch.setattr(sys, "argv", ["swarmbed", command, "--help"])
        with pytest.raises(SystemExit):
            main.entry()
    assert began == ["train", "reproduce", "bench"]


@pytest.mark.usefixtures("system")
def test_workers_of_a_study_get_them_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, str]] = []
    monkeypatch.setattr(local.subprocess, "Popen", lambda *_, env, **__: given.append(env))
    pool = local.LocalPool(Store(tmp_path, tmp_path / "work"), BUDGETS["quick"], 1)
    pool._start(Evaluation("cost"), 0)
    assert given[0][huge_pages.VARIABLE] == "glibc.malloc.hugetlb=1"


@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot replace itself there, nor is there glibc")
def test_a_process_starts_again_once_as_itself(system: Path) -> None:
    """The same process, with its arguments, which has been told and does not start a third time."""
    code = (
        "import os, sys; from pathlib import Path; from swarmbed.compute import huge_pages;"
        f"huge_pages.SYSTEM = Path({str(system)!r}); huge_pages.platform.libc_ver = lambda: ('glibc', '2.36');"
        "print('begins', flush=True); huge_pages.start_again();"
        "print(os.getpid(), sys.argv[1:], os.environ['GLIBC_TUNABLES'])"
    )
    process = subprocess.Popen([sys.executable, "-c", code, "a b", "--c"], stdout=subprocess.PIPE, text=True)
    shown = process.communicate(timeout=60)[0].splitlines()
    assert shown == ["begins", "begins", f"{process.pid} ['a b', '--c'] glibc.malloc.hugetlb=1"]


def test_where_it_cannot_start_again_it_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []

    def refused(path: str, *_: object) -> None:
        tried.append(path)
        raise PermissionError

    monkeypatch.setattr(huge_pages, "environment", lambda: dict(os.environ))
    monkeypatch.setattr(huge_pages.os, "execve", refused)
    huge_pages.start_again()
    assert tried == [sys.executable]
