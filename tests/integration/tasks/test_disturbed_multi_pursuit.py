"""What holds for every disturbance holds for several evaders, too; they compile for a long time."""

from collections.abc import Callable

import pytest

from disturbed_lives import FACTS


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: fact.__name__)
def test_it_holds_that(fact: Callable[[str], None]) -> None:
    fact("multi-pursuit")
