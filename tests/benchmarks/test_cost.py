"""The cost model: the line that is fitted, and where its table goes."""

import runpy
from pathlib import Path
from typing import Any

import pytest

from swarmbed.benchmarks import cost

ROOT = Path(__file__).parents[2]


def test_a_line_is_found_again_and_fits_without_error() -> None:
    # 2 µs per agent and 0.1 µs per neighbour.
    a, b, error = cost.line_through([5, 10, 40], [2.5e-6, 3e-6, 6e-6])
    assert (a, b) == pytest.approx((2e-6, 1e-7)) and error < 1e-9


def test_errors_count_relative_to_what_was_measured() -> None:
    # Through (1, 1), (2, 2) and (1000, 1010): a fit of absolute errors would miss the first point by 0.5 %.
    _, _, error = cost.line_through([1, 2, 1000], [1.0, 2.0, 1010.0])
    assert error == pytest.approx(0.0033, abs=1e-4)


@pytest.fixture
def renew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """benchmarks/run.py's ``renew`` with two documents of ours, of which the second has a mark."""
    names = runpy.run_path(str(ROOT / "benchmarks" / "run.py"))
    documents = [tmp_path / "first.md", tmp_path / "second.md"]
    documents[0].write_text("first\n<!-- bench: others -->\n")
    documents[1].write_text("second\n<!-- bench: cost -->\nold\n<!-- end -->\n")
    function = names["renew"]
    monkeypatch.setitem(function.__globals__, "DOCUMENTS", documents)
    monkeypatch.setitem(function.__globals__, "HERE", tmp_path / "benchmarks")
    monkeypatch.setitem(function.__globals__, "renewed", lambda text, report: f"{text}{','.join(report['groups'])}\n")
    return lambda *groups: function({"groups": dict.fromkeys(groups)}) or [d.read_text() for d in documents]


def test_a_table_goes_where_its_mark_is_and_otherwise_into_the_first_document(renew: Any) -> None:
    first, second = renew("cost", "machine")
    assert first.endswith("\nmachine\n") and second.endswith("\ncost\n")
