"""The champions of the published leaderboard."""

import json
from pathlib import Path
from typing import Any

import pytest

from swarmbed.policy.headers import shipped_policies
from swarmbed.study import published
from swarmbed.study.boards import BOARDS


def row(kind: str, score: float, end: float = 0.5, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "return_mean": score, "metric": "mean distance", "metric_mean": end} | more


@pytest.fixture
def boards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(published, "path_of", lambda board: tmp_path / f"{board}.json")
    return tmp_path


def test_the_champion_is_the_best_policy_and_chance_is_no_rival(boards: Path) -> None:
    rows = {
        "good": row("policy", -3.0),
        "bad": row("policy", -9.0),
        "rule": row("controller", -5.04, 0.97, share=True, metric="captured"),
        "random": row("controller", -4.0),
    }
    (boards / "a-20.json").write_text(json.dumps({"agents": 20, "rows": rows}))
    assert published.champions() == [("good", 20, "-3.0 (mean distance 0.5)", "rule", "-5.0 (captured 97 %)")]


@pytest.mark.parametrize("text", ["", "[]", '{"rows": {}}', '{"agents": 2, "rows": {"a": {"kind": "policy"}}}'])
def test_a_damaged_board_has_no_champion(boards: Path, text: str) -> None:
    (boards / "a-20.json").write_text(text)
    assert published.champions() == []


def test_every_task_of_the_leaderboard_has_a_champion_that_ships() -> None:
    champions = published.champions()
    assert len(champions) == len(BOARDS)
    assert {champion.name for champion in champions} <= shipped_policies().keys()
