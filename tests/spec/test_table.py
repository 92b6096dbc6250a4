"""Tables of numbers: read back as they were written, line by line, whatever became of the other lines."""

import math
from pathlib import Path

import pytest

from swarmbed.spec import table

ROWS = [{"iteration": 1, "value": 0.1}, {"iteration": 2, "value": math.nan}, {"iteration": 3, "value": 1e-300}]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "table.csv").write_bytes(table.write(("iteration", "value"), ROWS))
    return tmp_path / "table.csv"


def test_numbers_come_back_to_the_last_bit_and_what_is_none_as_an_empty_field(path: Path) -> None:
    assert path.read_text() == "iteration,value\n1,0.1\n2,\n3,1e-300\n"
    found = table.read(path)
    assert [list(row.values()) for row in found.rows][::2] == [[1, 0.1], [3, 1e-300]]
    assert math.isnan(found.rows[1]["value"]) and not found.complaints


@pytest.mark.parametrize("cell", ['"0.1', "0.1 ", "1_0", "inf", "nan", "0x1", "0,1", "\x00", "é", "1.2.3", "-"])
def test_what_is_not_a_plain_number_costs_its_own_line_only(cell: str, path: Path) -> None:
    path.write_text(path.read_text().replace("1,0.1", f"1,{cell}"))
    found = table.read(path)
    assert [row["iteration"] for row in found.rows] == [2, 3]
    assert len(found.complaints) == 1 and "line 2 of" in found.complaints[0]


def test_bytes_that_are_no_text_cost_their_own_line_only(path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b"0.1", b"\xff\xfe1"))
    assert [row["iteration"] for row in table.read(path).rows] == [2, 3]


def test_a_last_line_without_its_end_does_not_count(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-2])
    assert [row["iteration"] for row in table.read(path).rows] == [1, 2]


def test_something_else_at_the_end_is_said(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"4,\x80")
    found = table.read(path)
    assert len(found.rows) == 3 and "the end of" in found.complaints[0]


def test_an_empty_file_has_no_rows(path: Path) -> None:
    path.write_bytes(b"")
    assert table.read(path) == (("",), [], [])


@pytest.mark.parametrize(
    ("numbers", "kept"),
    [
        ([1, 2, 9, 4, 5], [1, 2, 4, 5]),  # one that jumped ahead does not make the rest wrong
        ([1, 2, 2, 3], [1, 2, 3]),
        ([5, 1, 2, 3], [1, 2, 3]),
        ([1, 2.5, math.nan, 0, -1, 2], [1, 2]),
        ([1, 3, 4], [1, 3, 4]),  # a gap is what a lost row leaves
        ([], []),
    ],
)
def test_rows_are_kept_that_follow_each_other(numbers: list[float], kept: list[float]) -> None:
    assert [row["n"] for row in table.in_sequence([{"n": number} for number in numbers], "n")] == kept
