"""Writes docs/leaderboard.md from results/leaderboard: ``python docs/make_leaderboard.py``."""

import json
from pathlib import Path

from swarmbed.study.boards import BOARDS
from swarmbed.study.leaderboard import HEADINGS, cells, ranked

DOCS = Path(__file__).parent
RESULTS = DOCS.parent / "results" / "leaderboard"
RUN = "`swarmbed leaderboard --run`"
INTRODUCTION = """# Leaderboard

Every shipped policy and every classical controller that fits, on the paper's tasks at fixed sizes, from published
starts. `swarmbed leaderboard` shows the same; `python docs/make_leaderboard.py` makes this page from
`results/leaderboard`.

- **Starts.** Start *i* is `task.initial(fold_in(split(key(2019))[0], i))`; `swarmbed evaluate WHO --seed 2019` uses the
  same. The fingerprint is over the board's name and the random bits; the result files also hold the positions of the
  first starts.
- **Rank** is one more than the number of entries that are better on the same starts with 95 % confidence (paired
  bootstrap). Entries that the starts cannot distinguish share a rank.
- **Return** is the mean return of an episode, with a 95 % bootstrap interval over the starts. The interval is about
  this policy, not about how well another training run of the same method would do.
- **Training** is the processor time of the run that the policy comes from; in brackets, its time by the clock where
  only that was recorded. That of the robust policies was not recorded. **Size** is the number of weights or gains,
  **decision** the time from state to action on one busy server, all agents at once, divided by their number.
- A policy is the best by training return of the runs that its method had when the policy was chosen, so methods with
  more runs have an advantage. [Results](results.md) compares all runs.

## Submit your own

```
swarmbed submit policy.safetensors --board rendezvous-global --json row.json
swarmbed submit policy.onnx --board pursuit-global
swarmbed submit my_module:act --board multi-pursuit
```

Submit a swarmbed policy file, an ONNX file with the inputs that `swarmbed export` writes, or a Python function
`act(local, sets)` on numpy arrays. It runs from the same starts; the command prints the board with your row, and the
row itself to send in an issue or a pull request.
"""


def text() -> str:
    lines = [INTRODUCTION]
    for name, board in BOARDS.items():
        path = RESULTS / f"{name}.json"
        if not path.is_file():
            lines += [f"## {board.variant}, {board.agents} agents", "", f"Not evaluated yet: {RUN}.", ""]
            continue
        kept = json.loads(path.read_text(encoding="utf-8"))
        starts = kept["starts"]
        waiting = [name for name in board.entrants() if name not in kept["rows"]]
        lines += [
            f"## {board.variant}, {board.agents} agents",
            "",
            f"{starts['episodes']} starts, seed {starts['seed']}, fingerprint `{starts['fingerprint']}`."
            + (f" Not evaluated yet ({RUN}): {', '.join(waiting)}." if waiting else ""),
            "",
            "| " + " | ".join(HEADINGS) + " |",
            "|" + "---|" * len(HEADINGS),
        ]
        lines += ["| " + " | ".join(cells(*entry)) + " |" for entry in ranked(kept["rows"])]
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    (DOCS / "leaderboard.md").write_text(text(), encoding="utf-8")
