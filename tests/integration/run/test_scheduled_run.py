"""A run whose numbers change with the iterations."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swarmbed
from swarmbed import BatchSettings, SwarmbedError
from swarmbed.algorithms.trpo import Trpo
from swarmbed.embeddings.moments import Moments
from swarmbed.learn.learner import Learner
from swarmbed.networks.perceptron import Perceptron
from swarmbed.run.folder import RunFolder
from swarmbed.run.settings import Outputs, RunSettings
from swarmbed.run.train import start_run
from toy_task import Drift

SMALL: dict[str, Any] = {
    "batch": BatchSettings(environments=4, segment=12, sampled_agents=2), "network": Perceptron((4,)),
    "embedding": Moments(), "algorithm": Trpo(value_epochs=1, cg_steps=2, line_search_steps=2), "progress": False,
}  # fmt: skip
SCHEDULE = ("noise=0.0:0,1.0:4", "kl_bound=0.01:0,0.1:4")
pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace")


def test_a_resumed_run_continues_its_schedule_exactly(tmp_path: Path) -> None:
    whole = swarmbed.train(Drift(), iterations=4, schedule=SCHEDULE, out=tmp_path / "whole", **SMALL)
    plain = swarmbed.train(Drift(), iterations=4, out=tmp_path / "plain", **SMALL)
    swarmbed.train(Drift(), iterations=2, schedule=SCHEDULE, out=tmp_path / "parts", **SMALL)
    resumed = swarmbed.train(resume=tmp_path / "parts", iterations=4, progress=False)
    assert RunFolder(resumed.folder).policy.read_bytes() == RunFolder(whole.folder).policy.read_bytes()
    assert RunFolder(plain.folder).policy.read_bytes() != RunFolder(whole.folder).policy.read_bytes()
    kl = [row["kl"] for row in whole.metrics]
    assert kl[-1] > 3 * kl[0]
    np.testing.assert_allclose([row["kl"] for row in resumed.metrics], kl, rtol=0)


def test_the_best_policy_is_one_of_the_task_as_it_is_in_the_end(tmp_path: Path) -> None:
    """Returns of an easier task do not count: without noise they are higher."""
    policies = []
    result = swarmbed.train(
        Drift(horizon=12), iterations=6, schedule=["noise=0.0:0,5.0:2"], out=tmp_path / "run",
        callback=lambda iteration: policies.append(iteration.policy), **SMALL,
    )  # fmt: skip
    returns = [row["mean_return"] for row in result.metrics]
    assert np.nanargmax(returns) < 2
    best = result.best_policy.params.log_std
    same = [bool((policy.params.log_std == best).all()) for policy in policies]
    assert not any(same[:2])
    assert same[2 + int(np.argmax(returns[3:]))]  # the policy behind that iteration


def test_a_curve_is_not_flat_before_the_task_has_settled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[int] = []
    monkeypatch.setattr("swarmbed.run.trainer.is_flat", lambda returns: bool(seen.append(len(returns))))
    learner = Learner(Drift(horizon=12), *(SMALL[name] for name in ("embedding", "algorithm", "batch", "network")))
    settings = RunSettings(iterations=5, schedule=("noise=0.0:0,1.0:2",), until_flat=True)
    start_run(learner, settings, tmp_path / "run", outputs=Outputs(progress=False))
    assert seen == [0, 0, 0, 1, 2]


def test_a_run_is_not_overwritten_by_one_that_cannot_be_trained(tmp_path: Path) -> None:
    settings = SMALL | {"batch": BatchSettings(environments=4, segment=4, sampled_agents=2)}
    swarmbed.train(Drift(), iterations=1, out=tmp_path / "run", **settings)
    before = RunFolder(tmp_path / "run").policy.read_bytes()
    task = swarmbed.make("rendezvous", num_agents=2)
    with pytest.raises(SwarmbedError, match="loss_rate determines what is compiled"):
        swarmbed.train(task, schedule=["loss_rate=0:0,1:5"], out=tmp_path / "run", overwrite=True, **settings)
    assert RunFolder(tmp_path / "run").policy.read_bytes() == before


def test_a_schedule_that_ends_elsewhere_than_the_task_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    swarmbed.train(Drift(noise=2.0), iterations=1, schedule=["noise=0:0,1:5"], out=tmp_path / "run", **SMALL)
    assert "noise ends at 1, but the task's own is 2" in capsys.readouterr().err
    swarmbed.train(Drift(noise=1.0), iterations=1, schedule=["noise=0:0,1:5"], out=tmp_path / "other", **SMALL)
    assert "schedule" not in capsys.readouterr().err


def test_a_number_that_decides_what_is_compiled_cannot_be_scheduled(tmp_path: Path) -> None:
    settings = SMALL | {"batch": BatchSettings(environments=4, segment=4, sampled_agents=2)}
    task = swarmbed.make("rendezvous", num_agents=2)
    with pytest.raises(SwarmbedError, match="loss_rate determines what is compiled"):
        swarmbed.train(task, iterations=1, schedule=["loss_rate=0:0,1:5"], out=tmp_path / "run", **settings)


def test_schedule_cannot_be_given_anew_to_a_run_that_goes_on(tmp_path: Path) -> None:
    with pytest.raises(SwarmbedError, match="leave schedule out"):
        swarmbed.train(resume=tmp_path, schedule=SCHEDULE)
