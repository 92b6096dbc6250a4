"""Timing a compiled function: what compiling costs, then the median and the best of several repetitions."""

import math
import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax

REPETITION_SECONDS = 0.25  # a repetition calls the function until this much time has gone by


@dataclass(frozen=True)
class Timing:
    """Seconds per call of every repetition, on the clock and of processor time, and what compiling took before."""

    compile_seconds: float
    seconds: tuple[float, ...]
    processor_seconds: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.seconds)

    @property
    def best(self) -> float:
        return min(self.seconds)

    @property
    def processor(self) -> float:
        """Median processor time of a call: what it takes when nothing else uses the core."""
        return statistics.median(self.processor_seconds)

    @property
    def core_share(self) -> float:
        """Processor time over wall-clock time, 1.0 for one busy core. Markedly less means that another process was
        running on the same core, and that speeds by the clock are too low."""
        return sum(self.processor_seconds) / sum(self.seconds)

    def facts(self) -> dict[str, float]:
        """What every row reports about how it was timed."""
        return {
            "median_seconds": rounded(self.median),
            "best_seconds": rounded(self.best),
            "processor_seconds": rounded(self.processor),
            "compile_seconds": rounded(self.compile_seconds, 3),
            "core_share": rounded(self.core_share, 3),
            "repetitions": len(self.seconds),
        }


def repeat(call: Callable[[], Any], repetitions: int, *, at_least: float = REPETITION_SECONDS) -> Timing:
    """Time ``call``, whose result is waited for. The first call compiles and is not counted among the repetitions."""
    return repeat_in_turn([call], repetitions, at_least=at_least)[0]


def repeat_in_turn(
    calls: Sequence[Callable[[], Any]], repetitions: int, *, at_least: float = REPETITION_SECONDS
) -> list[Timing]:
    """Time several functions, one repetition of each in turn: repetition i of all of them sees the same load, so their
    ratios can be trusted even if each of them fluctuates."""
    firsts = [_seconds(call, 1)[0] for call in calls]
    onces = [_seconds(call, 1)[0] for call in calls]
    counts = [max(1, math.ceil(at_least / max(once, 1e-9))) for once in onces]
    rounds = [[_seconds(call, count) for call, count in zip(calls, counts, strict=True)] for _ in range(repetitions)]
    return [
        Timing(max(first - once, 0.0), tuple(taken[i][0] for taken in rounds), tuple(taken[i][1] for taken in rounds))
        for i, (first, once) in enumerate(zip(firsts, onces, strict=True))
    ]


def rounded(value: float, digits: int = 5) -> float:
    """As many digits as mean something."""
    return float(f"{value:.{digits}g}")


def _seconds(call: Callable[[], Any], calls: int) -> tuple[float, float]:
    """Seconds per call on the clock, and of processor time."""
    began, processor_began = time.perf_counter(), time.process_time()
    for _ in range(calls):
        result = call()
    jax.block_until_ready(result)
    return (time.perf_counter() - began) / calls, (time.process_time() - processor_began) / calls
