"""What more runs are expected to decide, against simulated studies."""

import numpy as np
import pytest

from swarmbed.study.claims import Part, Verdict
from swarmbed.study.inference import Evidence, mean_above
from swarmbed.study.looks import Count
from swarmbed.study.prospects import LEVEL, UNKNOWN, growth_of, prospect


def part_of(evidence: Evidence | None, *runs: int, planned: int = 16) -> Part:
    counts = tuple(Count(str(i), str(i), have, planned, have) for i, have in enumerate(runs))
    return Part(Verdict.OPEN, evidence, counts, 0.0)


def test_growth_is_that_of_the_squared_error() -> None:
    """From 1/4 + 1/16 to 1/16 + 1/16."""
    assert growth_of(part_of(None, 4, 16).counts) == pytest.approx((1 / 4 + 1 / 16) / (2 / 16))


def test_it_is_the_share_of_studies_that_would_be_decided() -> None:
    """Five runs with a mean of one standard error and a half. A study goes on: its true mean is drawn from what these
    runs leave possible, then eleven more runs are, and all sixteen are tested."""
    rng = np.random.default_rng(0)
    error = 1 / np.sqrt(5)
    truth = rng.normal(1.5 * error, error, size=200_000)
    mean = (5 * 1.5 * error + 11 * (truth + rng.normal(size=truth.shape) / np.sqrt(11))) / 16
    decided = (mean * 4 > 2.3263).mean()  # the quantile of 1 %
    p = 0.0668072  # of 1.5 standard errors
    assert prospect(part_of(Evidence((), p, 1 - p), 5), 1).holds == pytest.approx(decided, abs=0.004)
    assert LEVEL == 0.01


def test_what_is_clear_is_expected_to_be_decided_and_what_is_level_is_not() -> None:
    clear = prospect(part_of(mean_above([5.0, 5.5, 6.0, 5.2, 5.8], 4.0, "x"), 5), 1)
    level = prospect(part_of(mean_above([3.0, 5.5, 4.0, 2.2, 5.8], 4.0, "x"), 5), 1)
    assert clear.holds > 0.95 > 0.2 > level.holds
    assert clear.fails < 1e-3


def test_failing_needs_more_where_there_are_more_parts() -> None:
    part = part_of(Evidence((), 0.9, 0.05), 5)
    assert prospect(part, 5).fails < prospect(part, 1).fails
    assert prospect(part, 5).holds == prospect(part, 1).holds


def test_too_few_runs_tell_nothing() -> None:
    assert prospect(part_of(None, 5), 1) == UNKNOWN
    assert prospect(part_of(Evidence((), 0.5, 0.5), 2, 5), 1) == UNKNOWN
    assert prospect(part_of(Evidence((), 0.5, 0.5), 16), 1) == (0.0, 0.0)  # no more runs are planned
