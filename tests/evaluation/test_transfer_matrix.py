"""What a matrix says: shares of the best lead in a column, labels, tables, what to mind."""

import pytest

import swarmbed
from swarmbed.evaluation.reports import sizes_text
from swarmbed.evaluation.statistics import Estimate
from swarmbed.evaluation.transfer_matrix import Cell, TransferMatrix, trained_with
from toy_task import Drift


def cell(value: float, final: float | None = None, overlooking: int = 0) -> Cell:
    end = None if final is None else Estimate(final, final - 1, final + 1)
    return Cell(Estimate(value, value - 1, value + 1), end, (value,), overlooking)


def matrix_of(task: swarmbed.Task, cells: dict[str, dict[int, Cell]], floor: dict[int, Cell]) -> TransferMatrix:
    tasks = {n: task.resized(n) for n in floor}
    missing = {name: {n: "no slot for it" for n in floor if n not in row} for name, row in cells.items()}
    trained = dict.fromkeys(cells, "") | {"a": "20"}
    return TransferMatrix(task, "growing", tasks, dict.fromkeys(floor, 9), trained, cells, missing, floor, 0)


DRIFT = matrix_of(
    Drift(),
    {"a": {5: cell(-10.0, 1.0), 7: cell(-50.0, 4.0)}, "b": {5: cell(-60.0, 3.0)}, "c": {5: cell(-135.0, 6.0)}},
    {5: cell(-110.0, 5.0), 7: cell(-40.0, 3.0)},
)


def test_a_share_is_that_of_the_best_lead_over_random_actions_in_the_column() -> None:
    # Floor −110, best −10: a lead of 100. −60 has half of it, −135 a quarter of it less than nothing.
    assert [DRIFT.share(name, 5) for name in "abc"] == pytest.approx([1.0, 0.5, -0.25])


def test_a_metric_of_which_less_is_better_leads_by_being_less() -> None:
    # Floor 5, best 1: a lead of 4. 3 has half of it, 6 a quarter of it less than nothing.
    assert [DRIFT.share(name, 5, final=True) for name in "abc"] == pytest.approx([1.0, 0.5, -0.25])


def test_where_nobody_beats_random_actions_there_is_no_share() -> None:
    assert DRIFT.share("a", 7) is None and DRIFT.share("a", 7, final=True) is None


def test_an_empty_cell_has_no_share_and_the_reason_is_said() -> None:
    assert DRIFT.share("b", 7) is None
    assert DRIFT.remarks == ["b: no slot for it", "c: no slot for it"]


def test_neighbours_that_were_overlooked_are_said() -> None:
    crowded = matrix_of(Drift(), {"a": {5: cell(-1.0, 0.0, overlooking=2)}}, {5: cell(-2.0, 0.0)})
    assert "With 5 agents some had more neighbours than slots" in crowded.remarks[0]


def test_a_capture_is_shown_as_a_percentage() -> None:
    caught, floor = Estimate(0.5, 0.25, 0.75), Estimate(0.0, 0.0, 0.1)
    one = lambda final: {5: Cell(Estimate(-1.0, -2.0, 0.0), final, (-1.0,))}  # noqa: E731
    pursuit = matrix_of(swarmbed.make("pursuit"), {"a": one(caught)}, one(floor))
    assert "50.0 % [25.0, 75.0]" in str(pursuit) and "captured by step 1024" in str(pursuit)


def test_a_matrix_shows_itself_in_a_notebook() -> None:
    page = DRIFT._repr_html_()
    assert "<svg" in page and "cannot run" in page


@pytest.mark.parametrize(
    ("sizes", "text"), [((20,), "20"), ((5, 6, 7), "5..7"), ((5, 10), "5,10"), ((5, 6), "5,6"), ((5, 7, 8), "5,7,8")]
)
def test_sizes_are_written_as_the_command_line_reads_them(sizes: tuple[int, ...], text: str) -> None:
    assert sizes_text(sizes) == text


def test_what_a_row_was_trained_with_comes_from_its_tasks() -> None:
    mixed = swarmbed.make("rendezvous", num_agents=7, sizes=(5, 6, 7))
    assert trained_with([mixed, swarmbed.make("rendezvous", num_agents=20)]) == "5..7 and 20"
    assert trained_with([None]) == ""
