"""Training from Python: what one passes, what one gets back, going on, several seeds."""

import math
import os
import shutil
import signal
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import swarmbed
from swarmbed import BatchSettings, SwarmbedError
from swarmbed.algorithms.analytic import Analytic
from swarmbed.algorithms.ppo import Ppo
from swarmbed.algorithms.trpo import Trpo
from swarmbed.embeddings.moments import Moments
from swarmbed.networks.perceptron import Perceptron
from swarmbed.run.folder import RunFolder
from swarmbed.run.stopping import Interrupted
from toy_task import Drift

KEY = jax.random.key(0)
QUICK = Trpo(value_epochs=1, cg_steps=2, line_search_steps=2)
SMALL: dict[str, Any] = {
    "batch": BatchSettings(environments=4, segment=12, sampled_agents=2), "network": Perceptron((4,)),
    "embedding": Moments(), "algorithm": QUICK, "progress": False,
}  # fmt: skip
pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace", "toy_programs_are_kept")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> swarmbed.TrainingResult:
    return swarmbed.train(Drift(), iterations=3, out=tmp_path_factory.mktemp("runs") / "run", **SMALL)


def test_a_task_that_was_never_registered_trains_and_its_policy_loads(trained: swarmbed.TrainingResult) -> None:
    assert [row["iteration"] for row in trained.metrics] == [1, 2, 3]
    loaded = swarmbed.load_policy(trained.folder)
    assert type(loaded.task).__name__ == "Drift"
    assert np.array_equal(loaded.params.log_std, trained.policy.params.log_std)


def test_the_metrics_are_rows_with_what_the_task_declares(trained: swarmbed.TrainingResult) -> None:
    assert set(trained.metrics[0]) >= {"iteration", "mean_return", "kl", "offset"}
    assert math.isfinite(trained.metrics[-1]["offset"])


def test_the_best_policy_is_the_one_behind_the_best_return(trained: swarmbed.TrainingResult) -> None:
    saved = swarmbed.load_policy(trained.folder / "best_policy.safetensors")
    assert np.array_equal(trained.best_policy.params.log_std, saved.params.log_std)


def test_a_run_draws_itself(trained: swarmbed.TrainingResult) -> None:
    shown = trained.plot()
    assert shown._repr_png_().startswith(b"\x89PNG")
    assert "mean coordinate" in [axes.get_title() for axes in shown.figure.axes]


def test_a_run_goes_on_from_python(trained: swarmbed.TrainingResult, tmp_path: Path) -> None:
    shutil.copytree(trained.folder, tmp_path / "run")
    longer = swarmbed.train(resume=tmp_path / "run", iterations=5, progress=False)
    whole = swarmbed.train(Drift(), iterations=5, out=tmp_path / "whole", **SMALL)
    assert [row["iteration"] for row in longer.metrics] == [1, 2, 3, 4, 5]
    assert np.array_equal(longer.policy.params.log_std, whole.policy.params.log_std)


def test_resuming_refuses_other_settings(trained: swarmbed.TrainingResult) -> None:
    with pytest.raises(SwarmbedError, match="resume keeps the run's own settings: leave num_agents out"):
        swarmbed.train(resume=trained.folder, num_agents=4)


def test_a_callback_sees_every_iteration_and_may_stop(tmp_path: Path) -> None:
    seen = []

    def watch(iteration: Any) -> bool:
        seen.append((iteration.number, iteration.metrics["iteration"], iteration.policy.params.log_std.shape))
        return iteration.number == 2

    result = swarmbed.train(Drift(), iterations=9, out=tmp_path / "run", callback=watch, **SMALL)
    assert seen == [(1, 1, (2,)), (2, 2, (2,))]
    assert len(result.metrics) == 2
    assert (tmp_path / "run" / "checkpoints" / "000002.safetensors").is_file()


def test_several_seeds_give_several_policies_and_one_figure(tmp_path: Path) -> None:
    results = swarmbed.train(Drift(), iterations=2, seeds=3, seed=4, out=tmp_path / "runs", **SMALL)
    assert results.seeds == (4, 5, 6)
    assert len(results.policies) == 3
    assert [(row["seed"], row["iteration"]) for row in results.metrics] == [(s, i) for s in (4, 5, 6) for i in (1, 2)]
    assert results.best_run.final_return == max(run.final_return for run in results.runs)
    assert results.policy is results.best_run.policy
    assert not np.array_equal(results.policies[0].params.log_std, results.policies[1].params.log_std)
    (axes,) = results.plot().figure.axes
    assert len(axes.collections) == 1  # the band over seeds
    assert [path.name for path in sorted((tmp_path / "runs").iterdir())] == ["seed-4", "seed-5", "seed-6"]


def test_a_stop_in_the_last_iteration_of_a_seed_is_not_forgotten(tmp_path: Path) -> None:
    with pytest.raises(Interrupted, match="stopped after iteration 1"):
        swarmbed.train(
            Drift(), iterations=1, seeds=2, out=tmp_path / "runs",
            callback=lambda iteration: os.kill(os.getpid(), signal.SIGTERM), **SMALL,
        )  # fmt: skip
    assert [path.name for path in (tmp_path / "runs").iterdir()] == ["seed-0"]


def test_a_class_that_has_changed_is_compiled_anew(tmp_path: Path) -> None:
    """As when a cell of a notebook is run again; settings are as equal as before."""

    class Mine(Drift):
        offset = 0.0

        def reward(self, state: Any, action: Any, next_state: Any) -> Any:
            return super().reward(state, action, next_state) + self.offset

    before = swarmbed.train(Mine(), iterations=1, out=tmp_path / "a", **SMALL)
    Mine.offset = 1000.0
    after = swarmbed.train(Mine(), iterations=1, out=tmp_path / "b", **SMALL)
    assert after.metrics[0]["mean_return"] > before.metrics[0]["mean_return"] + 1000


def test_a_deviation_that_is_not_trained_is_the_setting_whatever_policy_it_starts_from(
    trained: swarmbed.TrainingResult, tmp_path: Path
) -> None:
    settings = SMALL | {"algorithm": Analytic(initial_log_std=-3.0)}
    result = swarmbed.train(Drift(), iterations=1, init=trained.folder, out=tmp_path / "run", **settings)
    np.testing.assert_array_equal(result.policy.params.log_std, -3.0)


def test_settings_also_reach_a_task_object(tmp_path: Path) -> None:
    result = swarmbed.train(Drift(), num_agents=2, iterations=1, out=tmp_path / "run", **SMALL)
    assert result.policy.task.num_agents == 2
    with pytest.raises(SwarmbedError, match="task 'drift' has no setting 'observation'"):
        swarmbed.train(Drift(), observation="basic", **SMALL)


def test_a_preset_reaches_whichever_algorithm_is_named(tmp_path: Path) -> None:
    settings = {name: value for name, value in SMALL.items() if name != "algorithm"}
    swarmbed.train(Drift(), algorithm="ppo", preset="calm", iterations=1, out=tmp_path / "run", **settings)
    algorithm = RunFolder(tmp_path / "run").read_config()["algorithm"]
    assert (algorithm["name"], algorithm["initial_log_std"]) == ("ppo", -0.7)


def test_a_preset_and_an_algorithm_object_are_a_contradiction() -> None:
    with pytest.raises(SwarmbedError, match="the preset has settings for the algorithm: name the algorithm instead"):
        swarmbed.train(Drift(), preset="calm", **SMALL | {"algorithm": Ppo()})


@dataclass(frozen=True)
class Linear(swarmbed.PlainNetwork):
    """One layer on the local properties."""

    def init(self, key: Any, observation: swarmbed.Observation, outputs: int) -> Any:
        return {"weight": jnp.zeros((observation.local.shape[-1], outputs))}

    def apply(self, params: Any, observation: swarmbed.Observation) -> Any:
        return observation.local @ params["weight"]


class Foreign:
    """The same from somebody who never heard of swarmbed."""

    init, apply = Linear.init, Linear.apply


@pytest.mark.parametrize("network", [Linear(), Foreign()])
def test_a_network_of_ones_own_trains_and_loads(network: Any, tmp_path: Path) -> None:
    result = swarmbed.train(Drift(), iterations=2, out=tmp_path / "run", **SMALL | {"network": network})
    loaded = swarmbed.load_policy(tmp_path / "run")
    assert loaded.params.network["weight"].shape == (2, 2)
    assert np.array_equal(loaded.params.network["weight"], result.policy.params.network["weight"])


def test_what_is_no_network_is_refused() -> None:
    with pytest.raises(SwarmbedError, match=r"network must have init\(key, observation, outputs\) and apply"):
        swarmbed.train(Drift(), **SMALL | {"network": 3})


def test_another_reward_changes_what_is_learned_from_and_nothing_else(tmp_path: Path) -> None:
    task = Drift().with_reward(lambda state, action, next_state: jnp.full((), 7.0))
    result = swarmbed.train(task, iterations=2, out=tmp_path / "run", **SMALL)
    assert result.metrics[-1]["mean_return"] == pytest.approx(12 * 7.0)
    assert RunFolder(tmp_path / "run").read_config()["task"]["name"] == "drift_with_reward"


def test_results_are_short_to_read(trained: swarmbed.TrainingResult) -> None:
    assert repr(trained) == f"TrainingResult('{trained.folder}', 3 iterations, final_return={trained.final_return:.4g})"
    assert repr(trained.policy).startswith("Policy(drift, 3 agents, Moments(")
    assert repr(trained.policy).endswith(" weights)") and len(repr(trained.policy)) < 200
    several = swarmbed.TrainingResults(trained.folder.parent, (trained, trained), (4, 5))
    assert "seeds=(4, 5), final returns " in repr(several) and len(repr(several)) < 300
    assert len(several) == 2 and [run.folder for run in several] == [trained.folder] * 2


def test_what_is_no_observation_or_state_is_refused_by_a_policy(trained: swarmbed.TrainingResult) -> None:
    policy = trained.policy
    observation, state = policy.task.reset(KEY)
    for call, words in (
        (lambda: policy(state), "observation must be an Observation, as reset and step of its task return it"),
        (lambda: policy(jax.tree.map(lambda leaf: leaf[0], observation)), "of one swarm, local .* not \\(2,\\)"),
        (lambda: policy.act(observation), "state must be a State, as reset and step return it"),
        (lambda: policy.act(state, 3), "key must be a random key such as"),
        (lambda: policy.save(trained.folder), "is a folder; name the file to write, such as .*policy.safetensors"),
    ):
        with pytest.raises(SwarmbedError, match=words):
            call()


def test_the_folder_of_several_seeds_says_what_it_is(tmp_path: Path) -> None:
    (tmp_path / "seed-3").mkdir()
    (tmp_path / "seed-3" / "config.toml").touch()
    with pytest.raises(SwarmbedError, match=r"it has no config.toml; it holds runs of several seeds, such as .*seed-3"):
        swarmbed.train(resume=tmp_path, progress=False)
