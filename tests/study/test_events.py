"""How often the policies of a method's runs catch: measured once for every policy."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from study_files import A, Study

from swarmbed.study import events
from swarmbed.study.events import event_numbers

ROWS = [{"mean_return": -1.0, "captured": 0.5}]
CAUGHT = {"seed-0": 0.0, "seed-1": 0.5, "seed-2": 1.0}


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The policies that were evaluated, in order; seed 1 catches in half of its episodes, 2 in all, 3 late."""
    names: list[str] = []

    def evaluate(policy: str, **_: Any) -> SimpleNamespace:
        names.append(Path(policy).stem)
        curve = np.full((4, events.SOON + 100), CAUGHT.get(names[-1], 0.0))
        curve[:, events.SOON + 1 :] = CAUGHT.get(names[-1], 1.0)
        return SimpleNamespace(curves={"captured_by": curve})

    monkeypatch.setattr(events, "evaluate", evaluate)
    return names


def numbers_of(study: Study, runs: int, earlier: dict[str, Any]) -> dict[str, Any]:
    study.policies(A, runs)
    return event_numbers(study.store, A, dict.fromkeys(range(runs), ROWS), earlier)


def test_a_trial_finds_the_capture_if_it_catches_soon_in_half_of_its_episodes(tmp_path: Path, ran: list[str]) -> None:
    numbers = numbers_of(Study(tmp_path), 4, {})
    assert ran == ["seed-0", "seed-1", "seed-2", "seed-3"]
    assert numbers["captured_share"] == {"0": 0.0, "1": 0.5, "2": 1.0, "3": 1.0}
    assert numbers["captured_soon_share"] == {"0": 0.0, "1": 0.5, "2": 1.0, "3": 0.0}
    assert (numbers["captured_found"], numbers["captured_trials"]) == (2, 4)
    assert numbers["captured_in_training"] == dict.fromkeys("0123", 0.5)


def test_a_policy_that_was_evaluated_before_is_not_run_again(tmp_path: Path, ran: list[str]) -> None:
    study = Study(tmp_path)
    first = numbers_of(study, 2, {})
    ran.clear()
    study.store.run_policy_path(A, 0).write_text("another policy")
    assert numbers_of(study, 3, first)["captured_share"] == {"0": 0.0, "1": 0.5, "2": 1.0}
    assert ran == ["seed-0", "seed-2"]


@pytest.mark.parametrize("damage", [{"evaluated_as": [1, 1, 1]}, {"captured_share": {"0": "lost"}}, {"policies": {}}])
def test_numbers_of_other_episodes_or_damaged_ones_are_not_taken_over(
    damage: dict[str, Any], tmp_path: Path, ran: list[str]
) -> None:
    study = Study(tmp_path)
    first = numbers_of(study, 1, {})
    numbers_of(study, 1, first | damage)
    assert ran == ["seed-0", "seed-0"]
