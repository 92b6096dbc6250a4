"""Runs of code that gave other numbers do not count, and are named."""

from pathlib import Path

import pytest
from study_files import ONE_ITERATION, A, Study

from swarmbed import __version__
from swarmbed.study import generation

STAMPED = f"# swarmbed {__version__}, commit 0123456789ab, generation"


def kept(folder: Path, name: str, text: str) -> Path:
    path = folder / "runs" / "method" / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"[run]\nseed = 0\n\n{text}\n", encoding="utf-8")
    return path


def test_what_is_stamped_is_read_back(tmp_path: Path) -> None:
    made = generation.made_by(kept(tmp_path, "seed-0", generation.stamp("0123456789ab")))
    assert made == (__version__, generation.GENERATION)
    assert made.counts


def test_a_run_from_before_there_were_generations_is_of_the_first(tmp_path: Path) -> None:
    assert generation.made_by(kept(tmp_path, "seed-0", "# swarmbed 0.1.0, commit d0d5329cada7")) == ("0.1.0", 1)


def test_the_census_names_older_code_and_what_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(tmp_path, "seed-0", "# swarmbed 0.1.0, commit d0d5329cada7")
    kept(tmp_path, "seed-1", f"{STAMPED} 1")
    assert generation.census(tmp_path) == (
        f"runs: 1 by swarmbed 0.1.0, 1 by swarmbed {__version__}; the results test checks that older ones equal this "
        "version's"
    )
    kept(tmp_path, "seed-2", f"{STAMPED} 2")
    monkeypatch.setattr(generation, "GENERATION", 2)
    assert generation.census(tmp_path) == (
        f"runs: 1 by swarmbed {__version__}. Not counted, since that code gave other numbers: "
        f"1 by swarmbed 0.1.0 (generation 1), 1 by swarmbed {__version__} (generation 1)"
    )


def test_a_run_of_another_generation_is_trained_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = Study(tmp_path)
    study.returns(A, [-1.0, -2.0])
    study.store.metrics_path(A, 1).with_suffix(".toml").write_text(f"{STAMPED} 2\n")
    assert study.store.finished_seeds(A, ONE_ITERATION) == [0]
    before = study.store.run_folder(A, 0).path
    monkeypatch.setattr(generation, "GENERATION", 2)
    assert study.store.finished_seeds(A, ONE_ITERATION) == [1]
    assert study.store.run_folder(A, 0).path != before  # nothing of the earlier code's checkpoints is taken up
