"""How sure a number is: bootstrap intervals, interquartile means, probabilities of being better.

Scores come as one number per episode, or as a table (runs, episodes) when a method was trained several times. Episode i
has the same start for all methods, so two of them can be compared start by start.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVEL = 0.95
RESAMPLES = 2000
NORMAL_QUANTILE = 1.959963984540054  # 97.5 % of a standard normal lies below it
CHUNK = 4_000_000  # numbers held at a time while resampling

Numbers = NDArray[np.float64]


class Interval(NamedTuple):
    """Where the true value lies with 95 % confidence."""

    low: Any
    high: Any


class Estimate(NamedTuple):
    """A value with its interval."""

    value: float
    low: float
    high: float


def mean_interval(values: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> Interval:
    """Percentile bootstrap of the mean over the first axis; further axes (time) each get their own interval.

    Resampling draws n of n episodes with replacement. Only how often each was drawn matters, so a resampled mean is
    (counts / n) · values, and all of them together are one matrix product.
    """
    table = np.asarray(values, dtype=np.float64)
    return mean_interval_over_runs(table[None], resamples=resamples, seed=seed)


def mean_interval_over_runs(values: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> Interval:
    """The same for several runs: values (runs, episodes, …), mean over both first axes.

    Runs and starts are drawn separately: every resample takes the same starts for all runs, as the evaluation did. The
    interval thus accounts for the variation between training runs, not only between starts.
    """
    table = np.asarray(values, dtype=np.float64)
    runs, episodes = table.shape[:2]
    flat = table.reshape(runs * episodes, -1)
    means = []
    for times_run, times_start in _draws(runs, episodes, resamples, seed):
        times = (times_run[:, :, None] * times_start[:, None, :]).reshape(-1, runs * episodes)
        means.append(times @ flat / (runs * episodes))
    return _percentiles(np.concatenate(means).reshape(-1, *table.shape[2:]))


def interquartile_mean(values: ArrayLike) -> NDArray[np.float64]:
    """Mean of the middle half along the last axis. A value that a quartile cuts counts by the share that is inside.

    Of 1, 2, 3, 4, 5 the middle half is ¾ of 2, all of 3 and ¾ of 4.
    """
    ordered = np.sort(np.asarray(values, dtype=np.float64), axis=-1)
    count = ordered.shape[-1]
    edges = np.arange(count + 1) / count
    inside = np.clip(edges[1:], 0.25, 0.75) - np.clip(edges[:-1], 0.25, 0.75)
    return np.asarray(ordered @ (inside / inside.sum()))


def iqm_estimate(scores: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """Interquartile mean over runs of their mean scores, from a table (runs, episodes), by stratified bootstrap: runs
    and starts are drawn separately, the same starts for all runs."""
    table = np.asarray(scores, dtype=np.float64)
    runs, episodes = table.shape
    drawn = []
    for times_run, times_start in _draws(runs, episodes, resamples, seed):
        means = times_start @ table.T / episodes
        who = np.repeat(np.tile(np.arange(runs), len(means)), times_run.astype(np.int64).ravel()).reshape(-1, runs)
        drawn.append(interquartile_mean(np.take_along_axis(means, who, axis=1)))
    low, high = _percentiles(np.concatenate(drawn))
    return Estimate(float(interquartile_mean(table.mean(axis=1))), float(low), float(high))


def median_of_top_five(scores: ArrayLike) -> float:
    """Median, over the five best runs (all, if there are fewer), of a run's mean score: the paper's summary."""
    means = np.asarray(scores, dtype=np.float64).mean(axis=1)
    return float(np.median(np.sort(means)[-5:]))


def probability_better(ours: ArrayLike, theirs: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0) -> Estimate:
    """P(ours > theirs) + ½ P(ours = theirs) from equal starts; both are tables (runs, episodes) of the same episodes.

    Every run of ours is compared with every run of theirs on each start. One run against one: Wilson interval over the
    starts. Several: bootstrap over the runs of both and the starts, at least as wide as Wilson's over the starts.
    """
    first, second = np.asarray(ours, dtype=np.float64), np.asarray(theirs, dtype=np.float64)
    episodes = first.shape[1]
    wins = (first[:, None] > second[None]) + 0.5 * (first[:, None] == second[None])
    value = float(wins.mean())
    if wins.shape[:2] == (1, 1):
        return Estimate(value, *wilson_interval(value * episodes, episodes))
    random = np.random.default_rng(seed)
    draw = lambda count: random.multinomial(count, np.full(count, 1 / count), resamples)  # noqa: E731
    pairs = (draw(episodes) @ wins.reshape(-1, episodes).T).reshape(-1, *wins.shape[:2])
    means = np.einsum("kab,ka,kb->k", pairs, draw(len(first)), draw(len(second))) / wins.size
    low, high = _percentiles(means)
    least = wilson_interval(value * episodes, episodes)
    return Estimate(value, min(float(low), least.low), max(float(high), least.high))


def share_kept(
    disturbed: ArrayLike, undisturbed: ArrayLike, floor: ArrayLike, *, resamples: int = RESAMPLES, seed: int = 0
) -> list[Estimate]:
    """The share of a policy's lead over a floor that is left at each of several strengths: (R_s − F) / (R_0 − F).

    ``disturbed`` is (strengths, runs, episodes), ``undisturbed`` (runs, episodes), ``floor`` (episodes,), all from the
    same starts. A resample draws runs and starts once for all of them. NaN where there is no lead to lose.
    """
    table = np.concatenate([np.asarray(undisturbed, np.float64)[None], np.asarray(disturbed, np.float64)])
    low_end = np.asarray(floor, np.float64)
    runs, episodes = table.shape[1:]
    drawn = []
    for times_run, times_start in _draws(runs, episodes, resamples, seed):
        means = np.einsum("sre,kr,ke->sk", table, times_run / runs, times_start / episodes, optimize=True)
        drawn.append(means - times_start @ low_end / episodes)
    lead, kept = table.mean(axis=(1, 2)) - low_end.mean(), np.concatenate(drawn, axis=1)
    if lead[0] <= 0:
        return [Estimate(np.nan, np.nan, np.nan)] * (len(table) - 1)
    # A resample without a lead says nothing about what is left of it.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(kept[0] > 0, kept / kept[0], np.nan)
    tail = (1 - LEVEL) / 2
    bounds = np.nanquantile(ratios, [tail, 1 - tail], axis=1)
    return [Estimate(float(lead[s] / lead[0]), *map(float, bounds[:, s])) for s in range(1, len(table))]


def wilson_interval(successes: float, trials: int) -> Interval:
    """Wilson's interval of a probability; unlike the bootstrap it stays honest when all or none succeed.

    (p + z²/2n ± z √(p(1−p)/n + z²/4n²)) / (1 + z²/n) with p = successes / n, z = 1.96.
    """
    low, high = _wilson(np.float64(successes), trials)
    return Interval(float(low), float(high))


def share_interval_over_runs(successes: ArrayLike) -> Interval:
    """The interval of every share in a table of zeros and ones, (runs, trials, …): Wilson's for one run, bootstrapped
    for several, but at least as wide as Wilson's: all or none of a few trials say less than a bootstrap believes."""
    table = np.asarray(successes, dtype=np.float64)
    if len(table) == 1:
        return share_interval(table[0])
    low, high = mean_interval_over_runs(table)
    least = _wilson(table.mean(axis=(0, 1)) * table.shape[1], table.shape[1])
    return Interval(np.minimum(low, least[0]), np.maximum(high, least[1]))


def share_interval(successes: ArrayLike) -> Interval:
    """Wilson's interval of every column of a table of zeros and ones, (trials, …)."""
    table = np.asarray(successes)
    return Interval(*_wilson(table.sum(axis=0), len(table)))


def _wilson(successes: Any, trials: int) -> tuple[Any, Any]:
    share, square = successes / trials, NORMAL_QUANTILE**2
    centre = share + square / (2 * trials)
    reach = NORMAL_QUANTILE * np.sqrt(share * (1 - share) / trials + square / (4 * trials**2))
    scale = 1 + square / trials
    # At 0 and n the exact ends are 0 and 1; rounding must not put them a hair beyond.
    return np.maximum(0.0, (centre - reach) / scale), np.minimum(1.0, (centre + reach) / scale)


def _draws(runs: int, episodes: int, resamples: int, seed: int) -> Iterator[tuple[Numbers, Numbers]]:
    """Pieces of (resamples, runs) and (resamples, episodes): how often each run and each start is drawn."""
    random = np.random.default_rng(seed)
    step = max(1, CHUNK // (runs * episodes))
    for start in range(0, resamples, step):
        size = min(step, resamples - start)
        times_run = random.multinomial(runs, np.full(runs, 1 / runs), size)
        times_start = random.multinomial(episodes, np.full(episodes, 1 / episodes), size)
        yield times_run.astype(np.float64), times_start.astype(np.float64)


def _percentiles(resampled: Numbers) -> Interval:
    tail = (1 - LEVEL) / 2
    low, high = np.quantile(resampled, [tail, 1 - tail], axis=0)
    return Interval(low, high)
