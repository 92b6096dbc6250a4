"""Policies of other libraries under stress: functions of what the environments show."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swarmbed
from swarmbed.cli.main import main
from swarmbed.evaluation.evaluate import evaluate
from swarmbed.evaluation.stress import stress, turned_on
from swarmbed.interop.outside import OutsidePolicy, outside_policy
from swarmbed.interop.pettingzoo import parallel_env
from swarmbed.tasks.disturbances.settings import BY_NAME

TASK: Any = swarmbed.make("rendezvous-local", num_agents=3, horizon=8)
LOSS = BY_NAME["message_loss"]


def towards_the_others(seen: dict[str, np.ndarray]) -> np.ndarray:
    """Turn to where the others are and go there; nothing of swarmbed or JAX in it. Columns: d, cos φ, sin φ, …"""
    there = seen["mask_0"].astype(bool)
    ahead, left = ((seen["set_0"][..., 0] * seen["set_0"][..., i] * there).sum(1) for i in (1, 2))
    return np.stack([np.hypot(ahead, left).clip(0, 1), np.arctan2(left, ahead) / np.pi], -1)


def test_a_policy_from_outside_does_what_its_twin_inside_does() -> None:
    policy = swarmbed.load_policy("rendezvous-local-nn-extended")

    def outside(seen: dict[str, np.ndarray]) -> np.ndarray:
        sets = (swarmbed.ObservedSet(seen["set_0"], seen["mask_0"].astype(bool)),)
        return np.asarray(policy.mean(swarmbed.Observation(seen["local"], sets), TASK))

    task = turned_on(TASK, LOSS, 0.5)
    strong = swarmbed.make("rendezvous-local", num_agents=3, horizon=8, message_loss=0.5)
    found = OutsidePolicy(outside).returns(task, LOSS, np.arange(4), np.full(4, 0.5, np.float32), seed=0)
    np.testing.assert_allclose(found, evaluate(policy, strong, episodes=4, progress=False).returns, rtol=1e-4)


def test_the_environments_take_the_same_disturbances() -> None:
    quiet = parallel_env("rendezvous-local", num_agents=3, message_loss=1.0, horizon=8)
    seen, _ = quiet.reset(seed=1)
    assert not any(one["mask_0"].any() for one in seen.values())
    assert quiet.state().shape == quiet.state_space.shape  # the key of the disturbance is no part of it
    # Somebody who hears nobody stands still, by the rule above.
    rows = {name: np.stack([one[name] for one in seen.values()]) for name in seen["agent_0"]}
    assert not towards_the_others(rows).any()


def test_a_card_shows_it_beside_a_controller() -> None:
    card = stress(
        {"ours": "consensus", "theirs": OutsidePolicy(towards_the_others)}, TASK, disturbances=["message_loss"],
        episodes=4, progress=False,
    )  # fmt: skip
    theirs = card.sweeps["message_loss"]["theirs"]
    assert theirs.kept[0].value == 1 and theirs.returns[-1] < theirs.returns[0]


def test_the_command_takes_module_and_function(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "their_policy.py").write_text(
        "import numpy as np\ndef act(vectors):\n    return np.tanh(vectors[:, :2])\nact.flatten = True\n"
    )
    monkeypatch.chdir(tmp_path)
    flags = ["--task", "rendezvous-local", "--agents", "2", "--horizon", "5", "--episodes", "2", "--quick"]
    assert main(["stress", "--policy", "their_policy:act", *flags, "--only", "message_loss"]) == 0
    assert "their_policy:act" in capsys.readouterr().out and (tmp_path / "stress" / "card.html").is_file()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("nothing", "must be module:function"),
        ("no_such_module:act", "cannot be imported"),
        ("json:no_such_function", "has no function"),
        ("json:__name__", "has no function"),
    ],
)
def test_what_cannot_be_loaded_is_one_sentence(text: str, words: str) -> None:
    with pytest.raises(swarmbed.SwarmbedError, match=words):
        outside_policy(text)


def test_wrong_actions_are_named() -> None:
    bad = OutsidePolicy(lambda seen: np.zeros((2, 2)), "bad")
    with pytest.raises(swarmbed.SwarmbedError, match=r"bad must return actions of shape \(6, 2\), not \(2, 2\)"):
        bad.returns(TASK, None, np.arange(2), np.zeros(2, np.float32), seed=0)
