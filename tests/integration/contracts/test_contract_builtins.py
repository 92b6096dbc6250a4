"""Everything that comes with the package, and the examples, keep the contract that others are held to."""

from pathlib import Path

import pytest

from swarmbed.cli.commands.check import taken_flags
from swarmbed.contracts import check_spec, subjects_of_file
from swarmbed.spec import registry

EXAMPLES = Path(__file__).parents[3] / "examples"
# It takes as long to compile as all others together, and is a pursuit but for the evaders that come back.
LONG = ("multi_pursuit",)
BUILT_IN = [
    pytest.param(
        family.folder, name, spec, id=f"{family.kind}-{name}", marks=[pytest.mark.slow] if name in LONG else []
    )
    for family in registry.FAMILIES
    for name, spec in family.all().items()
    if spec.__module__.startswith("swarmbed.")
]


@pytest.fixture(autouse=True)
def only_points(monkeypatch: pytest.MonkeyPatch) -> None:
    """Built-in controllers need built-in tasks; one with evaders and one without, since cells take long to compile."""
    monkeypatch.setattr(
        registry.tasks, "members", {name: registry.tasks.get(name) for name in ("rendezvous", "pursuit")}
    )


def broken(family: str, name: str, spec: type) -> dict[str, str | None]:
    outcomes = check_spec(family, name, spec, taken_flags())
    return {outcome.check.name: outcome.found for outcome in outcomes if not outcome.passed}


@pytest.mark.parametrize(("family", "name", "spec"), BUILT_IN)
def test_what_is_built_in_keeps_every_promise(family: str, name: str, spec: type) -> None:
    assert broken(family, name, spec) == {}


@pytest.mark.usefixtures("plugins_leave_no_trace")
@pytest.mark.parametrize("file", ["dispersion.py", "attention.py"])
def test_the_examples_keep_every_promise(file: str) -> None:
    (subject,) = subjects_of_file(EXAMPLES / file)
    assert subject.trouble is None
    assert broken(subject.family, subject.name, subject.spec) == {}
