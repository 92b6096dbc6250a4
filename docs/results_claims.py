"""The verdicts in docs/results.md."""

from swarmbed.study.claim_report import effects, runs
from swarmbed.study.claims import Judgement


def at_a_glance(judged: dict[tuple[str, str], list[Judgement]]) -> list[str]:
    """Every finding with its verdict; the key is an experiment's name and the anchor of its section."""
    lines = ["", "| experiment | the paper | here |", "|---|---|---|"]
    for (name, anchor), judgements in judged.items():
        lines += [f"| [{name}](#{anchor}) | {j.claim.finding} | **{j.verdict.value}** |" for j in judgements]
    return lines


def claim_table(judgements: list[Judgement]) -> list[str]:
    """What is tested of each finding, what the runs say, and what is missing."""
    lines = ["| the paper | tested | verdict | effect [95 %] | runs | |", "|---|---|---|---|---|---|"]
    for judgement in judgements:
        missing = f"missing: {judgement.missing}" if judgement.missing else ""
        remarks = "; ".join(remark for remark in (judgement.claim.comment, missing) if remark)
        cells = [judgement.claim.finding, judgement.claim.tested.words, f"**{judgement.verdict.value}**"]
        cells += ["<br>".join(effects(judgement)), runs(judgement), remarks]
        lines.append("| " + " | ".join(cells) + " |")
    return lines
