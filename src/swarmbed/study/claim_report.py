"""Claims for people: the cells of a table, on the command line as in docs/results.md."""

import math
from collections import Counter
from collections.abc import Iterable

from rich.table import Table

from swarmbed.study.claims import Judgement
from swarmbed.study.inference import Effect


def effects(judgement: Judgement) -> list[str]:
    """Each effect with its 95 % interval."""
    return [_effect(effect) for effect in judgement.effects]


def runs(judgement: Judgement) -> str:
    """How many runs of each method it is judged by, of how many planned; a dash where no method is trained."""
    if not judgement.counts:
        return "–"
    most = max(count.planned for count in judgement.counts)
    planned = {count.planned for count in judgement.counts}
    if planned == {most}:
        return f"{', '.join(str(count.runs) for count in judgement.counts)} of {most}"
    return ", ".join(f"{count.runs} of {count.planned}" for count in judgement.counts)


def summary(judgements: Iterable[Judgement]) -> str:
    """``3 hold, 1 fails, 30 open``."""
    found = Counter(judgement.verdict.value for judgement in judgements)
    return ", ".join(f"{found[verdict]} {word}" for verdict, word in WORDS.items())


WORDS = {"holds": "hold", "fails": "fail", "open": "open"}


def table(by_experiment: dict[str, list[Judgement]]) -> Table:
    """Every claim: verdict, effect, runs so far, and what is missing."""
    title = f"claims: {summary(j for judgements in by_experiment.values() for j in judgements)}"
    shown = Table(title=title, title_justify="left", box=None)
    for heading in ("experiment", "the paper", "tested", "verdict", "effect [95 %]", "runs", "missing"):
        shown.add_column(heading, overflow="fold")
    for name, judgements in by_experiment.items():
        for judgement in judgements:
            shown.add_row(
                name, judgement.claim.finding, judgement.claim.tested.words, judgement.verdict.value,
                "\n".join(effects(judgement)) or "–", runs(judgement), judgement.missing or "–",
            )  # fmt: skip
            name = ""
    return shown


def _effect(effect: Effect) -> str:
    value = f"{effect.label}: {_number(effect.value)}"
    return value if math.isnan(effect.low) else f"{value} [{_number(effect.low)}, {_number(effect.high)}]"


def _number(value: float) -> str:
    return f"{0.0 if abs(value) < 1e-12 else value:.3g}".replace("-", "−")  # rounding leaves a hair of zero
