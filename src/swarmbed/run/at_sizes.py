"""One training per size of swarm, all else equal: what a transfer matrix has as rows. Stopped runs are resumed."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from swarmbed.evaluation.reports import sizes_text
from swarmbed.learn.learner import Learner
from swarmbed.run.folder import RunFolder
from swarmbed.run.settings import Outputs, RunSettings
from swarmbed.run.train import learner_from, resume_run, start_run
from swarmbed.spec import config
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import build


def train_at_sizes(
    settings: config.Config,
    sizes: Iterable[Sequence[int]],
    folder: Path,
    *,
    seeds: int = 1,
    outputs: Outputs = Outputs(),  # noqa: B008  frozen
) -> dict[str, list[Path]]:
    """Train with every size (several: drawn for each episode) and every seed; the run folders, by what they saw.

    ``settings`` are those of all trainings, by section. A run that is already in its folder is resumed,
    or is taken as it is.
    """
    run = build(RunSettings, settings.get("run", {}), "section [run]")
    task = {name: value for name, value in settings.get("task", {}).items() if name != "sizes"}
    plan = {sizes_text(size): learner_from(settings | {"task": task | _of_size(size)}) for size in sizes}
    runs = {
        text: [(folder / text / f"seed-{run.seed + k}", replace(run, seed=run.seed + k)) for k in range(seeds)]
        for text in plan
    }
    for text, learner in plan.items():  # what does not go together is said before the first training
        for where, one in runs[text]:
            _check_same(where, learner, one)
    for text, learner in plan.items():
        for where, one in runs[text]:
            if RunFolder(where).config.is_file():
                resume_run(where, iterations=one.iterations, outputs=outputs)
            else:
                start_run(learner, one, where, outputs=outputs)
    return {text: [where for where, _ in ours] for text, ours in runs.items()}


def _of_size(sizes: Sequence[int]) -> dict[str, object]:
    return {"num_agents": max(sizes)} | ({"sizes": list(sizes)} if len(sizes) > 1 else {})


def _check_same(where: Path, learner: Learner, run: RunSettings) -> None:
    """Refuse to take a run with other settings for ours; it may be shorter than requested, and is then resumed."""
    folder = RunFolder(where)
    if not folder.config.is_file():
        return
    wanted = config.parse(config.dump(config.to_sections(learner.specs | {"run": run})), "the settings")
    found = folder.read_config()
    for section, settings in wanted.items():
        theirs = found.get(section, {})
        for name in settings | theirs:
            ours, there = settings.get(name), theirs.get(name)
            may_go_on = (section, name) == ("run", "iterations") and there is not None and there <= ours
            if there != ours and not may_go_on:
                raise SwarmbedError(f"{where} was trained with {name} = {there!r}, not {ours!r}; choose another --out")
