"""Most tests of runs train the toy task."""

import pytest


@pytest.fixture(scope="module", autouse=True)
def trained_often(toy_programs_are_kept: None) -> None:
    pass
