"""A run that is asked to stop, or that meets a number that is none, loses nothing."""

import contextlib
import os
import shlex
import signal
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

import swarmbed
from swarmbed.algorithms.trpo import Trpo
from swarmbed.run import checkpoint
from swarmbed.run.folder import RunFolder
from swarmbed.run.stopping import Interrupted
from swarmbed.spec import registry
from swarmbed.spec.settings import setting
from toy_task import Drift

pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace")
SMALL: dict[str, Any] = {
    "embedding": "moments", "batch": swarmbed.BatchSettings(environments=4, segment=8, sampled_agents=2),
    "algorithm": Trpo(value_epochs=1, cg_steps=2, line_search_steps=2), "progress": False,
}  # fmt: skip


def iterations_kept(folder: Path) -> list[int]:
    return sorted(int(path.stem) for path in RunFolder(folder).checkpoints.glob("*.safetensors"))


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
def test_a_signal_ends_the_run_after_the_iteration_with_a_checkpoint(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    number = getattr(signal, name)
    before = signal.getsignal(number)

    def ask(iteration: Any) -> None:
        if iteration.number == 2:
            os.kill(os.getpid(), number)

    with pytest.raises(
        Interrupted, match=f"after iteration [23]; resume with: swarmbed train --resume {tmp_path}"
    ) as stop:
        swarmbed.train(Drift(), iterations=50, callback=ask, out=tmp_path / "run", **SMALL)
    assert stop.value.exit_code == 128 + number
    assert "stopping after this iteration, with a checkpoint" in capfd.readouterr().err
    assert signal.getsignal(number) is before
    done = len(RunFolder(tmp_path / "run").read_metrics())
    assert done in (2, 3)  # the signal may be heard in the next iteration
    assert iterations_kept(tmp_path / "run") == [done]
    longer = swarmbed.train(resume=tmp_path / "run", iterations=done + 1, progress=False)
    assert [row["iteration"] for row in longer.metrics] == list(range(1, done + 2))


def test_the_command_that_goes_on_can_be_typed_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "plugin_files", ["my tasks.py"])
    folder = tmp_path / "a b"

    def ask(iteration: Any) -> None:
        if iteration.number == 1:
            os.kill(os.getpid(), signal.SIGTERM)

    with pytest.raises(Interrupted) as stop:
        swarmbed.train(Drift(), iterations=50, callback=ask, out=folder, **SMALL)
    typed = shlex.split(str(stop.value).split("resume with: ")[1])
    assert typed[1:] == ["train", "--resume", str(folder), "--plugin", "my tasks.py"]


@dataclass(frozen=True)
class Exploding(Drift):
    """The reward is no number in one step, soon before the episode ends: each environment starts at another age."""

    number: str = setting("nan", "what the reward is then")

    def reward(self, state: Any, action: Any, next_state: Any) -> Any:
        return jnp.where(next_state.age == 11, float(self.number), super().reward(state, action, next_state))


@pytest.mark.parametrize("number", ["nan", "inf", "-inf"])
def test_a_reward_that_is_no_number_stops_the_run_and_is_not_kept(number: str, tmp_path: Path) -> None:
    # Eight steps in an episode of twelve: some environment is in its eleventh step, and in the next one begins anew.
    words = r"iteration 1: the reward of environment \d is not finite, so the run stops here; no checkpoint"
    with pytest.raises(swarmbed.SwarmbedError, match=words):
        swarmbed.train(Exploding(number=number), iterations=3, out=tmp_path / "run", **SMALL)
    assert iterations_kept(tmp_path / "run") == []
    assert RunFolder(tmp_path / "run").read_metrics() == []


@dataclass(frozen=True)
class Stray(Drift):
    """An evader whose place is no number after a while, though nobody is rewarded for it."""

    def initial(self, key: Any) -> Any:
        return super().initial(key)._replace(evaders=jnp.zeros((1, 2)))

    def transition(self, state: Any, action: Any, key: Any) -> Any:
        lost = jnp.where(state.age >= 5, jnp.nan, state.evaders)
        return super().transition(state, action, key)._replace(evaders=lost)


def test_a_state_that_is_no_number_stops_the_run_and_is_not_kept(tmp_path: Path) -> None:
    words = r"iteration 1: the state of environment \d is not finite, so the run stops here"
    with pytest.raises(swarmbed.SwarmbedError, match=words):
        swarmbed.train(Stray(), iterations=3, out=tmp_path / "run", **SMALL)
    assert iterations_kept(tmp_path / "run") == []


@dataclass(frozen=True)
class Blind(Drift):
    """What one agent sees is no number in one step."""

    def observe(self, state: Any) -> Any:
        seen = super().observe(state)
        return seen._replace(local=seen.local.at[0].set(jnp.where(state.age == 5, jnp.nan, seen.local[0])))


def test_an_observation_that_is_no_number_stops_the_run_and_is_not_kept(tmp_path: Path) -> None:
    # The policy answers with an action that is no number, and the point goes where that leads.
    words = r"iteration 1: the (reward|state) of environment \d is not finite, so the run stops here"
    with pytest.raises(swarmbed.SwarmbedError, match=words):
        swarmbed.train(Blind(), iterations=3, out=tmp_path / "run", **SMALL)
    assert iterations_kept(tmp_path / "run") == []


@dataclass(frozen=True)
class Unmeasurable(Drift):
    """A metric that is no number at the end of every episode."""

    number: str = setting("nan", "what it is then")

    def measure(self, state: Any) -> dict[str, Any]:
        return {"offset": jnp.where(state.age >= 11, float(self.number), 0.0)}


def test_a_metric_of_the_task_that_is_no_number_stops_the_run(tmp_path: Path) -> None:
    with pytest.raises(swarmbed.SwarmbedError, match=r"iteration \d: the metric offset is not a number, so"):
        swarmbed.train(Unmeasurable(), iterations=3, out=tmp_path / "run", **SMALL)
    assert iterations_kept(tmp_path / "run") == []


def test_a_metric_of_the_task_may_be_infinite(tmp_path: Path) -> None:
    """As the distance of nobody is, when all agents have left."""
    rows = swarmbed.train(Unmeasurable(number="inf"), iterations=2, out=tmp_path / "run", **SMALL).metrics
    assert len(rows) == 2 and np.isinf(rows[-1]["offset"])


@pytest.mark.parametrize("progress", [True, False])
def test_updates_that_are_refused_again_and_again_are_said_once(
    progress: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    never = SMALL | {"algorithm": replace(SMALL["algorithm"], kl_slack=1e-30), "progress": progress}
    result = swarmbed.train(Drift(), iterations=12, out=tmp_path / "run", **never)
    assert [row["accepted"] for row in result.metrics] == [0] * 12
    assert capfd.readouterr().err.count("the last 10 updates were rejected") == 1


def test_an_enormous_step_ends_in_one_sentence_and_is_not_kept(tmp_path: Path) -> None:
    wild = SMALL | {"algorithm": replace(SMALL["algorithm"], kl_bound=1e10)}
    # After two such steps the points are farther out than numbers go.
    with pytest.raises(swarmbed.SwarmbedError, match=r"^iteration \d: the reward of environment \d is not finite, so"):
        swarmbed.train(Drift(), iterations=50, out=tmp_path / "run", **wild)
    rows = RunFolder(tmp_path / "run").read_metrics()
    assert rows and np.isfinite([row["kl"] for row in rows]).all()


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    swarmbed.train(Drift(), iterations=2, out=tmp_path / "run", **SMALL)
    return tmp_path / "run"


@pytest.mark.parametrize("section", ["task", "embedding", "algorithm", "batch", "run"])
def test_a_configuration_that_was_cut_short_is_refused(section: str, finished: Path) -> None:
    file = finished / "config.toml"
    text = file.read_text()
    file.write_text(text[: text.index(f"[{section}]")])
    with pytest.raises(swarmbed.SwarmbedError, match=r"config.toml is damaged: it has no section \["):
        swarmbed.train(resume=finished, iterations=3)


def test_a_checkpoint_knows_the_settings_it_was_made_with(finished: Path) -> None:
    file = finished / "config.toml"
    altered = file.read_text().replace("discount = 0.99", "discount = 0.5")
    file.write_text(altered)
    words = r"made with discount = 0\.99 in section \[algorithm\], but config\.toml says 0\.5; nothing was changed"
    with pytest.raises(swarmbed.SwarmbedError, match=words):
        swarmbed.train(resume=finished, iterations=3)
    assert file.read_text() == altered
    assert iterations_kept(finished) == [2]


def test_damaged_checkpoints_do_not_crowd_out_good_ones(finished: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for path in RunFolder(finished).checkpoints.glob("*.safetensors"):
        path.unlink()
    for iteration in (58, 59, 60):
        (finished / "checkpoints" / f"{iteration:06d}.safetensors").write_bytes(b"damaged")
    swarmbed.train(resume=finished, iterations=2, progress=False)
    assert "starting from the beginning" in capsys.readouterr().err
    assert iterations_kept(finished) == [2]


def test_a_checkpoint_that_cannot_be_read_now_is_neither_passed_over_nor_deleted(
    finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = Path.open

    def refuse(path: Path, *how: Any, **more: Any) -> Any:
        if path.suffix == ".safetensors":
            raise PermissionError(13, "Permission denied", str(path))
        return plain(path, *how, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", refuse)
        with pytest.raises(swarmbed.SwarmbedError, match=r"000002\.safetensors cannot be read: Permission denied"):
            swarmbed.train(resume=finished, iterations=3, progress=False)
    assert iterations_kept(finished) == [2]
    assert [row["iteration"] for row in RunFolder(finished).read_metrics()] == [1, 2]


def test_only_the_newest_few_checkpoints_of_a_run_are_kept(tmp_path: Path) -> None:
    swarmbed.train(resume=make_long(tmp_path), iterations=6, progress=False)
    assert iterations_kept(tmp_path / "run") == [4, 5, 6]
    assert checkpoint.KEPT == 3


def make_long(tmp_path: Path) -> Path:
    """A run that writes a checkpoint after every iteration."""
    swarmbed.train(Drift(), iterations=1, out=tmp_path / "run", **SMALL)
    file = tmp_path / "run" / "config.toml"
    file.write_text(file.read_text().replace("checkpoint_every = 5", "checkpoint_every = 1"))
    return tmp_path / "run"


def test_equal_runs_are_equal_bytes(tmp_path: Path) -> None:
    one, other = (swarmbed.train(Drift(), iterations=2, out=tmp_path / name, **SMALL) for name in ("a", "b"))
    for file in ("policy.safetensors", "best_policy.safetensors"):
        assert (one.folder / file).read_bytes() == (other.folder / file).read_bytes()
    assert np.array_equal(one.policy.params.log_std, other.policy.params.log_std)


def test_what_a_crash_left_behind_is_swept(finished: Path) -> None:
    left = [finished / ".config.toml.ab12.unfinished", finished / "checkpoints" / ".000003.safetensors.x.unfinished"]
    mine = finished / ".notes"
    for file in (*left, mine):
        file.write_text("cut sho")
    swarmbed.train(resume=finished, iterations=3, progress=False)
    assert [file for file in (*left, mine) if file.exists()] == [mine]


def test_a_folder_that_a_crash_left_before_its_configuration_was_written_can_be_used(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / ".config.toml.ab12.unfinished").write_text("cut sho")
    swarmbed.train(Drift(), iterations=1, out=tmp_path / "run", **SMALL)
    assert iterations_kept(tmp_path / "run") == [1]


@pytest.mark.parametrize("deleted", range(8))
def test_a_crash_while_a_run_is_overwritten_leaves_a_folder_that_can_be_overwritten(
    deleted: int, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class CrashError(Exception):
        pass

    original, count = Path.unlink, 0

    def unlink(path: Path, missing_ok: bool = False) -> None:
        nonlocal count
        if count == deleted:
            raise CrashError
        count += 1
        original(path, missing_ok)

    folder = RunFolder(finished)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", unlink)
        with contextlib.suppress(CrashError):
            folder._clear()
    folder.claim({"task": {"name": "drift"}}, overwrite=True)
    assert folder.metrics.exists() is False
    assert iterations_kept(finished) == []
