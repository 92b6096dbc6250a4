"""How a budget shrinks the runs of the study."""

from pathlib import Path

from swarmbed.study.budget import BUDGETS, Budget
from swarmbed.study.experiments.base import few
from swarmbed.study.plan import Job
from swarmbed.study.ray_pool import RayPool
from swarmbed.study.store import Store

FEW = few("pursuit-global")  # 240 iterations, three starts of 30


def test_the_papers_budget_takes_a_training_as_it_is() -> None:
    assert BUDGETS["paper"].config(FEW, 4)["run"] == FEW.config["run"] | {"iterations": 240, "seed": 4}


def test_short_starts_are_a_share_of_their_iterations_too() -> None:
    run = Budget("a tenth", 0.1, 2).config(FEW, 0)["run"]
    assert (run["iterations"], run["starts"]) == (24, "3:3")
    run = Budget("hardly any", 0.001, 2).config(FEW, 0)["run"]
    assert (run["iterations"], run["starts"]) == (1, "3:1")


def test_the_first_slice_of_a_run_on_a_cluster_holds_its_short_starts(tmp_path: Path) -> None:
    class Remote:
        targets: list[int] = []  # noqa: RUF012

        def remote(self, content: bytes, target: int) -> int:
            self.targets.append(target)
            return len(self.targets)

    pool = RayPool(Store(tmp_path / "results", tmp_path / "work"), BUDGETS["paper"], None)
    pool._submit(Remote(), Job(FEW, 0, 240))
    assert Remote.targets == [30]
