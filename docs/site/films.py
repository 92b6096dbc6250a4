"""The gallery: a film of every task with its best shipped policy, and of the classical controllers.

A film is the page that ``swarmbed render … --out x.html`` writes, drawn by the viewer's own code. Films are kept in
build/films and rendered again when the policy, the drawing code or the simulator has changed.
"""

import hashlib
from dataclasses import dataclass
from pathlib import Path

import swarmbed
from swarmbed.policy.find import shipped_policies
from swarmbed.policy.headers import notes_of
from swarmbed.spec import registry

SOURCE = Path(swarmbed.__file__).parent
DEPENDS_ON = ("draw", "sim", "tasks", "controllers", "embeddings", "networks", "policy")
CLASSICAL = {"rendezvous-global": "consensus", "pursuit-global": "voronoi_pursuit"}
CLASSICAL_STEPS = {"rendezvous-global": 200}
STEPS = {"rendezvous-global": 300, "rendezvous-local": 300, "multi-pursuit": 400}
LOOKS = {"local": {"edges": True}, "pursuit-global": {"cells": True}}
SEED = 1


@dataclass(frozen=True)
class Film:
    """An episode to show: the policy or controller, its task, and the file that plays it."""

    task: str
    who: str
    path: Path

    @property
    def kind(self) -> str:
        return "classical" if self.who in CLASSICAL.values() else "learned"

    @property
    def name(self) -> str:
        """On the site."""
        return f"{self.task}-{self.kind}.html"


def champions() -> dict[str, str]:
    """The shipped policy with the best score of every named task."""
    best: dict[str, tuple[float, str]] = {}
    for name, path in shipped_policies().items():
        task = next((task for task in registry.tasks.variants if name.startswith(task + "-")), None)
        if task is not None and "score" in (notes := notes_of(path)):
            best[task] = max(best.get(task, (-float("inf"), "")), (float(notes["score"]), name))
    return {task: name for task, (_, name) in best.items()}


def make(folder: Path, only_kept: bool = False) -> list[Film]:
    """All films, those that are up to date from the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = [*champions().items(), *CLASSICAL.items()]
    shown = []
    for task, who in sorted(wanted):
        film = Film(task, who, folder / f"{who}-{fingerprint(who)}.html")
        if not film.path.is_file():
            if only_kept:
                older = sorted(folder.glob(f"{who}-*.html"), key=lambda path: path.stat().st_mtime)
                shown += [Film(task, who, older[-1])] if older else []
                continue
            print(f"film of {who} in {task}")
            steps = (CLASSICAL_STEPS if film.kind == "classical" else STEPS).get(task)
            look = next((look for part, look in LOOKS.items() if part in task), {})
            swarmbed.render(who, task, out=film.path, seed=SEED, steps=steps, look=look)
        shown.append(film)
    return shown


def fingerprint(who: str) -> str:
    """Of everything that a film is made from."""
    sources = [path for package in DEPENDS_ON for path in (SOURCE / package).rglob("*") if path.suffix != ".pyc"]
    policy = shipped_policies().get(who)
    files = sorted(path for path in sources if path.is_file() and path.suffix != ".safetensors")
    digest = hashlib.sha256()
    for path in [*files, *([policy] if policy else [])]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:10]


ABOUT = """\
# Gallery

One episode of every task with the best policy that ships with swarmbed, and of the classical controllers. Press play;
drag the slider; switch on edges, Voronoi cells and traces. These are not videos: each is a page that
`swarmbed render WHO --out episode.html` wrote, drawn by the code of [the viewer](viewer.md).
"""
WATCH = {
    "rendezvous-global": "Twenty agents that all sense each other meet at one point.",
    "rendezvous-local": "The same with a communication radius of 40: the lines connect neighbours.",
    "pursuit-global": "Ten pursuers catch an evader that is twice as fast. Its Voronoi cell is shaded.",
    "pursuit-local": "Twenty pursuers that see the evader only within 20 units and relay how far away it is.",
    "multi-pursuit": "Fifty pursuers, five evaders. A caught evader reappears elsewhere.",
}


def text(films: list[Film]) -> str:
    parts = [ABOUT]
    for task in dict.fromkeys(film.task for film in films):
        parts += [f"## {task}", "", WATCH.get(task, ""), ""]
        for film in (film for film in films if film.task == task):
            parts += [f"**`{film.who}`** ({film.kind}): `swarmbed view {film.who} --task {task}`", "", frame(film), ""]
    return "\n".join(parts)


def frame(film: Film) -> str:
    return f'<iframe class="film" src="films/{film.name}" title="{film.who} in {film.task}" loading="lazy"></iframe>'
