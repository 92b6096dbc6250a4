"""Several policies and controllers side by side, from equal starts, for one or more sizes of the swarm.

An entry may be one controller or policy, or a method that was trained several times.
"""

from collections.abc import Mapping, Sequence

from swarmbed.evaluation.comparison import Comparison, Panel, Standing, standing_of
from swarmbed.evaluation.entries import POLICIES, Who, common_task, misfit, named_runs
from swarmbed.evaluation.evaluate import EPISODES, evaluate
from swarmbed.evaluation.progress import Report, reporting
from swarmbed.policy.find import NamedController, choose_task
from swarmbed.spec.arguments import TASK, checked_arguments
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import Task


@checked_arguments(policies=POLICIES, task=TASK)
def compare(
    policies: Who | Sequence[Who] | Mapping[str, Who | Sequence[Who]],
    task: Task | str | None = None,
    *,
    num_agents: int | Sequence[int] | None = None,
    episodes: int = EPISODES,
    seed: int = 0,
    stochastic: bool = False,
    progress: bool | Report = True,
) -> Comparison:
    """Evaluate several policies and controllers on the same starts of a task, with swarms of one size or several.

    ``policies`` is a list, or a dictionary from names to one policy or to several training runs of one method.
    Without ``num_agents``, swarms are as large as the task's: where its ``sizes`` are mixed, every episode draws one.
    Policies observe the task as they were trained to. A policy that cannot run with some size of swarm is missing
    there, with the reason; one that fits no size is an error. The first policy is the one that the others are compared
    with. In a notebook the result displays its figure and its table.

    >>> compare(["consensus", "random"], num_agents=[5, 10], episodes=50)  # doctest: +SKIP
    """
    entries: dict[str, list[NamedController]] = named_runs(policies, stochastic)
    task = make(task) if isinstance(task, str) else task
    base = task if task is not None else common_task(entries)
    sizes = [num_agents] if isinstance(num_agents, int) else num_agents
    tasks = [base.resized(size) for size in sizes] if sizes else [base]
    misfits = [{name: reason for name, runs in entries.items() if (reason := misfit(runs, task))} for task in tasks]
    for name in entries:
        if all(name in missing for missing in misfits):
            raise SwarmbedError(f"{name}: {misfits[0][name]}")
    total = episodes * sum(len(runs) for missing in misfits for name, runs in entries.items() if name not in missing)
    finished = 0
    panels = []
    with reporting(progress, total, "comparing") as report:
        for task, missing in zip(tasks, misfits, strict=True):
            standings: dict[str, Standing] = {}
            for name in (name for name in entries if name not in missing):
                ours = []
                for run in entries[name]:
                    shifted = False if report is None else _shifted(report, finished)
                    ours.append(evaluate(run, choose_task(run, task), episodes=episodes, seed=seed, progress=shifted))
                    finished += episodes
                standings[name] = standing_of(name, ours, standings.get(next(iter(entries))))
            panels.append(Panel(task, standings, missing))
    return Comparison(tuple(panels), tuple(entries), episodes, seed, stochastic)


def _shifted(on_progress: Report, finished: int) -> Report:
    return lambda count: on_progress(finished + count)
