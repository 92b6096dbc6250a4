"""When a claim is tested, and how much error each test may make.

Results are tested whenever a run is added, and every test can give a false positive. A claim may err with 5 % in all
(2.5 % on either side). The error of several tests never exceeds the sum of their errors, so any division of the 5 %
holds for any order in which runs arrive, as long as the results do not choose it:

- ½ % is shared evenly by all tests before the plan is complete: an obvious result can be decided early (though "better"
  only in plans of eight runs or more) and is looked at again when the next run is in, until the plan is complete;
- what is open when the plan is complete is tested by the runs of the plan alone, then by the first 10 runs of every
  method and by the first 16, which is as many trials as the paper made of anything. The test of 16 has 2.5 %, since it
  is the last; those before it share 2 %.

A plan of 16 runs has 4.5 % for its end, and one of 10 to 15 runs 2 % and 2.5 %. Intervals shown are 95 %, whatever the
level at which a claim is decided. There is no correction for the number of claims.

``--decide`` chooses by results which claim to train for, which can move the early tests, though none of the later ones.
Even if it foresaw all results and had each early test made that misleads, a side would err in less than 3 % (a test).
Comparisons of methods whose spreads differ much err more often (improvement.py).

A claim of several parts (better than A, than B and than C) is tested part by part, each by the runs of its own methods,
so a part that is clear asks for no more of them. The claim holds once every part does: whoever says so wrongly has said
so of a part that is false, which happens with the error of that part alone. It fails once one part does: with k parts
there are k opportunities for that, so each has a k-th of the error.
"""

from typing import NamedTuple

LEAST_RUNS = 3
LATER = (10, 16)  # runs of every method, for claims that the plan leaves open
ERROR = 0.05  # probability of a wrong decision over all tests
EARLY_ERROR = 0.005  # the part of it shared by the tests before the end of the plan
LAST_ERROR = 0.025  # the part of it for the last test, if the plan is not the last


class Count(NamedTuple):
    """Runs of one method: how many there are to judge by, how many are planned, and how many are trained."""

    training: str
    label: str
    runs: int
    planned: int
    trained: int
    evaluated_in: str = ""  # the experiment that evaluates them; empty where training itself gives the number


class Stage(NamedTuple):
    """A number of runs of every method at which a claim is tested, and the error of that test."""

    runs: int
    error: float


def stages(planned: int, *, may_grow: bool = True) -> list[Stage]:
    """The tests of complete sets of runs: the plan's, and then the later ones that are larger."""
    later = [runs for runs in LATER if runs > planned and may_grow]
    error = ERROR - EARLY_ERROR
    if not later:
        return [Stage(planned, error)]
    before = [planned, *later[:-1]]
    return [*(Stage(runs, (error - LAST_ERROR) / len(before)) for runs in before), Stage(later[-1], LAST_ERROR)]


def early_error(counts: list[Count]) -> float:
    """The error of one test before the plan is complete."""
    return EARLY_ERROR / max(sum(count.planned - LEAST_RUNS for count in counts), 1)


def are_complete(counts: list[Count]) -> bool:
    return all(count.runs >= count.planned for count in counts)
