"""Evaluating a policy or a controller: whole episodes from many starts, which end when the last of them has ended."""

from functools import partial
from typing import Any

from swarmbed.benchmarks import Column, Effort, Group, Row
from swarmbed.benchmarks.timing import repeat, rounded

EPISODES = 64  # of each repetition
SHOWN = 1000


def measure(who: str, task: str, agents: int, effort: Effort) -> dict[str, Any]:
    from swarmbed.compute import devices
    from swarmbed.evaluation.evaluate import evaluate
    from swarmbed.tasks import make

    devices.set_up(1, cache=False)
    env = make(task)
    run = partial(evaluate, who, env, num_agents=agents, episodes=EPISODES, progress=False)
    result = run()
    timing = repeat(lambda: run().returns, effort.repetitions)
    return {
        "seconds": rounded(SHOWN / EPISODES * timing.median, 3),
        "steps_per_second": rounded(result.lengths.sum() / timing.median),
        "mean_length": rounded(float(result.lengths.mean()), 4),
        "horizon": env.horizon,
        **timing.facts(),
        "compile_seconds": rounded(result.seconds - timing.median, 3),
    }


ROWS = (
    ("pursuit-global-nn-extended", "pursuit", 10),
    ("pursuit-global-nn-extended", "pursuit", 50),
    ("voronoi_pursuit", "pursuit", 10),
    ("pursuit-local-recipe", "pursuit-local", 20),
    ("multi-pursuit-recipe", "multi-pursuit", 50),
    ("rendezvous-global-recipe", "rendezvous", 20),
    ("consensus", "rendezvous", 20),
)

GROUP = Group(
    title="Evaluation",
    note=f"Seconds for {SHOWN} episodes of a shipped policy or a controller, with all that an evaluation measures. "
    "Episodes that run side by side go on until the last of them has ended.",
    columns=(
        Column("seconds", "s", ".1f"),
        Column("steps_per_second", "steps/s", ",.0f"),
        Column("mean_length", "mean length", ".0f"),
        Column("horizon", "horizon", ",.0f"),
        Column("compile_seconds", "compile s", ".1f"),
    ),
    rows=tuple(
        Row(f"evaluate-{who}-{agents}", f"{who}, N = {agents}", partial(measure, who, task, agents))
        for who, task, agents in ROWS
    ),
    position=35,
)
