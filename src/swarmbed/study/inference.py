"""How sure a comparison of trainings is. One number per run goes in; effect, interval and two p-values come out.

Runs are few (three to sixteen) and each is expensive, so the tests are those that are exact or near it for few numbers:
the probability of improvement (improvement.py) for two methods, Student's t for means, Fisher's and the binomial test
for counts. A percentile bootstrap of five runs would be too narrow.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy import special

from swarmbed.evaluation.statistics import wilson_interval
from swarmbed.study.improvement import BETTER, MATTERS, interval, pairs_won, tails

LEVEL = 0.95  # of the intervals that are shown


class Effect(NamedTuple):
    """A number with its 95 % interval, which is NaN where nothing was repeated."""

    label: str
    value: float
    low: float = math.nan
    high: float = math.nan


class Evidence(NamedTuple):
    """What the runs say about a statement.

    ``p_holds`` is how likely runs that speak for it so clearly would be if it were false, ``p_fails`` how likely runs
    that speak against it so clearly would be if it were true: a small one decides. ``is_proved``: the runs leave no
    doubt that it holds, whenever they are looked at.
    """

    effects: tuple[Effect, ...]
    p_holds: float = 1.0
    p_fails: float = 1.0
    is_proved: bool = False


def mean_above(values: Sequence[float], bound: float, label: str) -> Evidence:
    """Whether the mean over runs lies above a bound: Student's t.

    t = (mean − bound) / (s / √n) with n − 1 degrees of freedom.
    """
    runs, value = len(values), float(np.mean(values))
    if len(set(values)) == 1:  # a single run, or runs that all gave one number, show no spread
        return Evidence((Effect(label, value),))
    error = float(np.std(values, ddof=1)) / math.sqrt(runs)
    reach = error * float(special.stdtrit(runs - 1, (1 + LEVEL) / 2))
    below = float(special.stdtr(runs - 1, (value - bound) / error))
    return Evidence((Effect(label, value, value - reach, value + reach),), 1.0 - below, below)


def beats(ours: Sequence[float], theirs: Sequence[float], label: str) -> Evidence:
    """Whether a run of ours is likely to be better than one of theirs: θ > ½ speaks for it, θ < ¾ against it."""
    won, numbers = pairs_won(ours, theirs), (len(ours), len(theirs))
    effect = Effect(label, won / math.prod(numbers), *interval(won, *numbers, LEVEL))
    return Evidence((effect,), tails(won, *numbers, BETTER).upper, tails(won, *numbers, MATTERS).lower)


def beats_run_by_run(ours: Sequence[float], theirs: Sequence[float], label: str) -> Evidence:
    """The same where two numbers belong to each run: θ is the share of runs in which ours is larger."""
    runs = len(ours)
    won = sum(pairs_won([mine], [other]) for mine, other in zip(ours, theirs, strict=True))
    effect = Effect(label, won / runs, *wilson_interval(won, runs))
    p_holds = share_above(math.floor(won), runs, BETTER, label).p_holds
    return Evidence((effect,), p_holds, share_above(math.ceil(won), runs, MATTERS, label).p_fails)


def share_above(found: int, trials: int, bound: float, label: str) -> Evidence:
    """Whether the probability of success lies above a bound: exact binomial tails, Wilson's interval."""
    probabilities = [math.comb(trials, k) * bound**k * (1 - bound) ** (trials - k) for k in range(trials + 1)]
    effect = Effect(label, found / trials, *wilson_interval(found, trials))
    return Evidence((effect,), min(1.0, sum(probabilities[found:])), min(1.0, sum(probabilities[: found + 1])))


def share_higher(found: int, trials: int, their_found: int, their_trials: int, label: str) -> Evidence:
    """Whether one success probability is higher than another: Fisher's exact test, Newcombe's interval of the
    difference.

    Given the total number of successes, ours follow a hypergeometric distribution if both probabilities are equal.
    """
    successes = found + their_found
    ways = math.comb(trials + their_trials, successes)
    possible = range(max(0, successes - their_trials), min(trials, successes) + 1)
    chance = {k: math.comb(trials, k) * math.comb(their_trials, successes - k) / ways for k in possible}
    effect = Effect(
        label, found / trials - their_found / their_trials, *_newcombe(found, trials, their_found, their_trials)
    )
    p_holds, p_fails = (sum(chance[k] for k in possible if inside(k)) for inside in (found.__le__, found.__ge__))
    return Evidence((effect,), min(1.0, p_holds), min(1.0, p_fails))


def all_of(parts: Sequence[Evidence]) -> Evidence:
    """Whether every one of several statements is true.

    It holds when the least certain part does: no correction is needed. It fails when any part does, and with k parts
    there are k opportunities for a false positive, so the smallest of their p-values counts k times.
    """
    effects = tuple(effect for part in parts for effect in part.effects)
    p_fails = min(1.0, len(parts) * min(part.p_fails for part in parts))
    is_proved = all(part.is_proved for part in parts)
    return Evidence(effects, max(part.p_holds for part in parts), p_fails, is_proved)


def _newcombe(found: int, trials: int, their_found: int, their_trials: int) -> tuple[float, float]:
    """d − √((p − l)² + (u′ − p′)²), d + √((u − p)² + (p′ − l′)²) with both Wilson intervals [l, u], [l′, u′]."""
    ours, theirs = found / trials, their_found / their_trials
    (low, high), (their_low, their_high) = wilson_interval(found, trials), wilson_interval(their_found, their_trials)
    down, up = math.hypot(ours - low, their_high - theirs), math.hypot(high - ours, theirs - their_low)
    return ours - theirs - down, ours - theirs + up
