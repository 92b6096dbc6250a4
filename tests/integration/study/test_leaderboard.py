"""The leaderboard: its starts, its ranks, its files, and other people's policies."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from metrics_files import write_metrics
from swarmbed import SwarmbedError, make
from swarmbed.cli.main import main
from swarmbed.evaluation.evaluate import evaluate
from swarmbed.policy.find import NamedController
from swarmbed.policy.headers import notes_of, shipped_policies
from swarmbed.study import boards, leaderboard
from swarmbed.study.boards import BOARDS, Board, board_named, check_same_starts, published_starts
from swarmbed.study.submission import Outside, submitted

SMALL = Board("rendezvous-local", 3)


def row(returns: list[float], **changes: Any) -> leaderboard.Row:
    mean = float(np.mean(returns))
    return {
        "return_mean": mean, "return_ci": [mean, mean], "returns": returns, "kind": "policy", "numbers": 1234,
        "decision_microseconds": 1.25, "training_processor_minutes": None, "made_from": "x", "swarmbed": "0", **changes,
    }  # fmt: skip


def test_every_board_has_policies_and_a_controller() -> None:
    for board in BOARDS.values():
        entrants = board.entrants()
        assert "random" in entrants
        assert any(name.startswith(f"{board.variant}-") for name in entrants)


def test_a_board_is_known_by_its_task_too() -> None:
    assert board_named("pursuit-local") == BOARDS["pursuit-local-20"] == board_named("pursuit-local-20")
    with pytest.raises(SwarmbedError, match="did you mean 'pursuit-local-20'"):
        board_named("pursuit-local-2")


def test_the_published_starts_are_those_of_an_evaluation() -> None:
    told = published_starts(SMALL, 4)
    start_key, _ = jax.random.split(jax.random.key(boards.SEED))
    state = jax.jit(SMALL.task.initial)(jax.random.fold_in(start_key, 2))
    np.testing.assert_allclose(told["first_positions"][2], state.agents.position, atol=0.006)


def test_other_starts_have_another_fingerprint() -> None:
    told = published_starts(SMALL, 4)
    assert published_starts(SMALL, 4) == told
    assert published_starts(SMALL, 5)["fingerprint"] != told["fingerprint"]
    assert published_starts(replace(SMALL, agents=4), 4)["fingerprint"] != told["fingerprint"]
    with pytest.raises(SwarmbedError, match="draws different starts from the published ones"):
        check_same_starts(told, told | {"first_positions": (np.array(told["first_positions"]) + 1).tolist()})


def test_a_rank_counts_only_those_that_are_surely_better() -> None:
    rows = {
        "best": row([5.0, 6.0, 7.0, 8.0]),  # one better than the next on every start
        "second": row([4.0, 5.0, 6.0, 7.0]),
        "level": row([4.5, 4.4, 6.6, 6.4]),  # now better, now worse than the second, which has the higher mean
        "worst": row([0.0, 0.0, 0.0, 0.0]),
    }
    assert [(rank, name) for rank, name, _ in leaderboard.ranked(rows)] == [
        (1, "best"), (2, "second"), (2, "level"), (4, "worst"),
    ]  # fmt: skip


def test_a_row_in_words() -> None:
    told = row(
        [-2.0], metric="captured", share=True, metric_mean=0.5, metric_ci=[0.25, 0.75], training_processor_minutes=7.5
    )
    expected = ("3", "me", "−2 [−2, −2]", "captured 50.0 % [25.0, 75.0]", "7.5 min", "1,234", "1.2 µs")
    assert leaderboard.cells(3, "me", told) == expected
    by_the_clock = told | {"training_processor_minutes": None, "training_clock_minutes": 90.3}
    assert leaderboard.cells(3, "me", by_the_clock)[4] == "(90.3 min)"
    assert leaderboard.cells(3, "me", told | {"training_processor_minutes": None})[4] == ""


def test_what_a_policy_cost_is_read_from_the_run_that_it_comes_from(tmp_path: Path) -> None:
    """A run is known by its seed and its score; the other one has the same seed and another score."""
    notes = notes_of(shipped_policies()["pursuit-global-recipe"])
    metrics = lambda name: tmp_path / "runs" / name / f"seed-{notes['seed']}.csv"  # noqa: E731
    write_metrics(metrics("another"), {"mean_return": -1.0, "seconds": 60.0})
    assert leaderboard.training_cost("pursuit-global-recipe", tmp_path) == {"training_processor_minutes": None}
    its_own = {"mean_return": float(notes["score"]), "seconds": 60.0}
    for worked, minutes in ((math.nan, None), (90.0, 1.5)):
        write_metrics(metrics("its-own"), its_own | {"processor_seconds": worked})
        assert leaderboard.training_cost("pursuit-global-recipe", tmp_path) == {
            "training_processor_minutes": minutes, "training_clock_minutes": 1.0,
        }  # fmt: skip
    assert leaderboard.training_cost("voronoi_pursuit", tmp_path) == {"training_processor_minutes": None}


@pytest.mark.parametrize("damage", [b"", b"{", b"\xff", b"[]", b"{}", b'{"starts": 3, "rows": {}}', None])
def test_damaged_rows_are_one_sentence_and_stay_as_they_are(
    damage: bytes | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    board = BOARDS["rendezvous-local-20"]
    path = tmp_path / f"{board.name}.json"
    kept = {"task": "x", "agents": 3, "starts": {"fingerprint": "x", "episodes": 1}, "rows": {"me": {"returns": []}}}
    path.write_bytes(json.dumps(kept).encode() if damage is None else damage)
    before = path.read_bytes()
    for more in ([], ["--run", "--episodes", "1"]):
        assert main(["leaderboard", board.name, "--results", str(tmp_path), *more]) == 2
        said = capsys.readouterr().err
        assert said.count("\n") == 1 and f"file {path} is damaged" in said
    assert path.read_bytes() == before


def test_more_starts_than_any_machine_runs_are_refused_with_an_estimate(tmp_path: Path) -> None:
    with pytest.raises(SwarmbedError, match=r"needs about .*B of memory"):
        leaderboard.begin(SMALL, tmp_path / "board.json", 10**12)


def test_rows_are_kept_and_a_changed_policy_is_measured_again(tmp_path: Path) -> None:
    board, path = BOARDS["pursuit-local-20"], tmp_path / "board.json"
    kept = leaderboard.begin(board, path, 2)
    assert leaderboard.missing(board, kept) == board.entrants()
    kept["rows"]["random"] = row([1.0], made_from=leaderboard.made_from("random"))
    kept["rows"]["pursuit-local-nn-comm"] = row([1.0], made_from="an earlier file")
    leaderboard.write(kept, path)
    assert leaderboard.begin(board, path, 2) == kept
    assert "random" not in leaderboard.missing(board, kept)
    assert "pursuit-local-nn-comm" in leaderboard.missing(board, kept)
    with pytest.raises(SwarmbedError, match="rows from 2 other starts, which cannot be compared"):
        leaderboard.begin(board, path, 3)


@pytest.mark.parametrize(
    ("old", "new"), [("1.0]", "7.0]"), ('"episodes": 2', '"episodes": 3'), ('"random"', '"rondom"')]
)
def test_a_board_that_was_altered_is_refused(old: str, new: str, tmp_path: Path) -> None:
    board, path = BOARDS["pursuit-local-20"], tmp_path / "board.json"
    kept = leaderboard.begin(board, path, 2)
    kept["rows"]["random"] = row([1.0, 1.0], made_from="anything")
    leaderboard.write(kept, path)
    text = path.read_text()
    assert old in text and leaderboard.read(board, path) == kept
    path.write_text(text.replace(old, new))
    with pytest.raises(SwarmbedError, match="its checksum does not match"):
        leaderboard.read(board, path)


def test_the_published_files_have_the_starts_that_are_drawn_here() -> None:
    folder = Path(__file__).parents[3] / "results" / "leaderboard"
    found = sorted(folder.glob("*.json"))
    assert found
    for path in found:
        kept = json.loads(path.read_text())
        starts = kept["starts"]
        check_same_starts(published_starts(BOARDS[kept["board"]], starts["episodes"]), starts)
        for name, entry in kept["rows"].items():
            assert len(entry["returns"]) == starts["episodes"], name
            assert np.mean(entry["returns"]) == pytest.approx(entry["return_mean"], rel=1e-3)


def ahead(local: Any, sets: Any) -> np.ndarray:
    return np.tile([1.0, 0.0], (len(local), 1))


def test_a_python_function_acts_as_a_controller_of_ours_would() -> None:
    task = make("rendezvous-local", num_agents=3, horizon=5)
    state = jax.jit(task.initial)(jax.random.key(0))
    action = Outside(ahead).control(task, state, jax.random.key(0))
    np.testing.assert_array_equal(action, [[1.0, 0.0]] * 3)
    found = evaluate(NamedController("ahead", Outside(ahead)), task, episodes=3, seed=1, progress=False)
    assert found.returns.shape == (3,)
    assert np.isfinite(found.returns).all()


def test_a_function_is_found_in_the_present_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_swarm_policy.py").write_text("def act(local, sets):\n    return local[:, :2] * 0\n")
    monkeypatch.chdir(tmp_path)
    assert submitted("my_swarm_policy:act").name == "my_swarm_policy:act"
    with pytest.raises(SwarmbedError, match="has no function 'nothing'"):
        submitted("my_swarm_policy:nothing")
    with pytest.raises(SwarmbedError, match="cannot be imported"):
        submitted("no_such_module:act")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["leaderboard", "chess"], "board 'chess' does not exist"),
        (["submit", "no.onnx", "--board", "pursuit-global"], "file no.onnx does not exist"),
        (["leaderboard", "pursuit-local", "--results", "nowhere"], "no results of the board pursuit-local-20"),
    ],
)
def test_a_mistake_is_one_sentence(arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert sentence in capsys.readouterr().err
