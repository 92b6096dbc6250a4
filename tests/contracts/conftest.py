"""Controllers are tried on every task there is; here that is one that compiles quickly."""

import importlib
from collections.abc import Callable, Collection

import pytest
from honest_plugins import Points

from swarmbed.contracts import check_spec
from swarmbed.spec import registry

Failures = Callable[..., dict[str, str]]


@pytest.fixture(autouse=True)
def only_points(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.tasks.all()
    monkeypatch.setattr(registry.tasks, "members", {"points": Points})


@pytest.fixture
def failures(monkeypatch: pytest.MonkeyPatch) -> Failures:
    """``failures(family, spec, checks)``: what each check that failed has found.

    Only the essential checks and the named ones are run: that the others let an honest spec pass is a test by itself,
    and each of them costs a compilation.
    """

    def find(family: str, spec: type, checks: Collection[str] | None = None) -> dict[str, str]:
        module = importlib.import_module(f"swarmbed.contracts.{family}")
        wanted = [check for check in module.CHECKS if checks is None or check.essential or check.name in checks]
        monkeypatch.setattr(module, "CHECKS", wanted)
        return {o.check.name: o.found for o in check_spec(family, "it", spec, {"seed"}) if o.found is not None}

    return find


@pytest.fixture
def is_found(failures: Failures) -> Callable[[str, type, list[str], str], None]:
    """``is_found(family, spec, checks, words)``: just these checks fail, and the first of them says so."""

    def assert_it(family: str, spec: type, checks: list[str], words: str) -> None:
        found = failures(family, spec, checks)
        assert list(found) == checks
        assert words in found[checks[0]]

    return assert_it
