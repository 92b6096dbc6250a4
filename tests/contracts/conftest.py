"""Controllers are tried on every task there is; here that is one that compiles quickly."""

from collections.abc import Callable

import pytest
from honest_plugins import Points

from swarmbed.contracts import check_spec
from swarmbed.spec import registry


@pytest.fixture(autouse=True)
def only_points(monkeypatch: pytest.MonkeyPatch) -> None:
    registry.tasks.all()
    monkeypatch.setattr(registry.tasks, "members", {"points": Points})


@pytest.fixture
def failures() -> Callable[[str, type], dict[str, str]]:
    """What each check that failed has found."""
    return lambda family, spec: {
        o.check.name: o.found for o in check_spec(family, "it", spec, {"seed"}) if o.found is not None
    }
