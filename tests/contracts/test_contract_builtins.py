"""Everything that comes with the package keeps the contract it holds others to."""

import pytest

from swarmbed.contracts import check_spec
from swarmbed.spec import registry

# The Voronoi cells behind these take a minute to compile; tests/test_contracts.py looks at them in every run.
LONG = ("pursuit", "multi_pursuit", "voronoi_pursuit")
BUILT_IN = [
    pytest.param(
        family.folder, name, spec, id=f"{family.kind}-{name}", marks=[pytest.mark.slow] if name in LONG else []
    )
    for family in registry.FAMILIES
    for name, spec in family.all().items()
    if spec.__module__.startswith("swarmbed.")
]


@pytest.fixture(autouse=True)
def only_points() -> None:
    """Built-in controllers need built-in tasks; those that compile quickly will do."""


@pytest.mark.parametrize(("family", "name", "spec"), BUILT_IN)
def test_what_is_built_in_keeps_every_promise(family: str, name: str, spec: type) -> None:
    broken = {outcome.check.name: outcome.found for outcome in check_spec(family, name, spec) if not outcome.passed}
    assert broken == {}
