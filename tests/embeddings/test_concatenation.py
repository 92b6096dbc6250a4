"""Elements side by side: who comes where."""

from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.cli.main import main
from swarmbed.embeddings.base import SetLayout
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import Observation, ObservedSet, State
from toy_task import Drift

# Agent i of four sees agent j as the pair (10 i + j, −j); nobody sees itself.
SEEN = np.array([[[10 * i + j, -j] for j in range(4)] for i in range(4)], np.float32)
OTHERS = ~np.eye(4, dtype=bool)


class Points(Drift):
    """Points that see each other, as somebody's own task has them."""

    def observe(self, state: State) -> Observation:
        position = state.agents.position
        others = ~jnp.eye(self.num_agents, dtype=bool)
        return Observation(position, (ObservedSet(position[None, :] - position[:, None], others),))


class OpenPoints(Points):
    """The same, and they say so."""

    everybody_is_seen = True


def test_others_come_in_index_order_and_the_agent_itself_is_left_out() -> None:
    rows = Concatenation().prepare(SetLayout(4, 2, True), jnp.array(SEEN), jnp.array(OTHERS))
    assert np.asarray(rows).tolist() == [
        [1, -1, 2, -2, 3, -3],
        [10, 0, 12, -2, 13, -3],
        [20, 0, 21, -1, 23, -3],
        [30, 0, 31, -1, 32, -2],
    ]


def test_a_set_without_the_agent_keeps_every_slot() -> None:
    # Evaders: the second one is out of sight, and zeros stand in its place.
    mask = np.array([[True, False, True, True]])
    rows = Concatenation().prepare(SetLayout(4, 2, False), jnp.array(SEEN[:1]), jnp.array(mask))
    assert np.asarray(rows).tolist() == [[0, 0, 0, 0, 2, -2, 3, -3]]


def test_one_layer_of_relu_units_reads_the_row(embed: Any, params_of: Any) -> None:
    embedding = Concatenation(units=3)
    params = params_of(embedding, SetLayout(4, 2, False))
    found = embed(embedding, SEEN / 10, OTHERS, params).vector
    rows = np.where(OTHERS[..., None], SEEN / 10, 0).reshape(4, 8)
    assert found == pytest.approx(np.maximum(rows @ params["weight"] + params["bias"], 0), abs=1e-5)


def test_the_layer_reads_one_slot_less_than_there_are_where_one_is_the_agent() -> None:
    init = lambda own: jax.eval_shape(lambda: Concatenation(units=5).init(SetLayout(4, 2, own), jax.random.key(0)))  # noqa: E731
    assert init(True)["weight"].shape == (6, 5)
    assert init(False)["weight"].shape == (8, 5)


def test_with_a_global_task_every_agent_reads_exactly_the_others(quick_jit: Any) -> None:
    task = make("rendezvous", num_agents=4, observation="basic")
    seen = quick_jit(lambda key: task.observe(task.initial(key)))(jax.random.key(0)).sets[0]
    rows = np.asarray(Concatenation().prepare(SetLayout(4, 3, True), *seen)).reshape(4, 3, 3)
    for agent in range(4):
        others = [other for other in range(4) if other != agent]
        assert np.array_equal(rows[agent], np.asarray(seen.elements)[agent, others])


def test_agents_that_a_smaller_swarm_does_not_have_are_zeros_in_the_last_places() -> None:
    # Three of four places are taken: the second agent sees the first and the third.
    mask = np.array([[True, False, True, False]])
    rows = Concatenation().prepare(SetLayout(4, 2, True), jnp.array(SEEN[1:2]), jnp.array(mask))
    assert np.asarray(rows).tolist() == [[10, 0, 12, -2, 0, 0]]


@pytest.mark.parametrize(
    "settings",
    [
        {"comm_radius": 40.0},
        {"comm_radius": 40.0, "search": "cells"},
        {"loss_rate": 0.1},
        {"join_rate": 0.1, "sizes": (2, 4)},
        {"message_loss": 0.3},
        {"blind_angle": (0.0, 1.0)},
        {"pause_share": 0.3, "stopped_seen": False},
    ],
)
def test_a_task_in_which_others_can_be_absent_or_out_of_sight_is_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SwarmbedError, match="concatenation needs a task in which every agent always sees all others"):
        Concatenation().check(make("rendezvous", num_agents=4, **settings).layout.sets[0])


@pytest.mark.parametrize("settings", [{}, {"sizes": (2, 4)}, {"pause_share": 0.3, "action_noise": 0.1}])
def test_a_task_in_which_everybody_sees_everybody_is_read(settings: dict[str, Any]) -> None:
    Concatenation().check(make("rendezvous", num_agents=4, **settings).layout.sets[0])


def test_evaders_may_be_out_of_sight() -> None:
    for layout in make("multi_pursuit", num_agents=4, sight_radius=20.0).layout.sets:
        Concatenation().check(layout)


def test_a_task_of_ones_own_is_refused_unless_it_says_that_everybody_is_seen() -> None:
    with pytest.raises(SwarmbedError, match="a task of your own says so with everybody_is_seen = True"):
        Concatenation().check(Points().layout.sets[0])
    Concatenation().check(OpenPoints().layout.sets[0])


def test_training_where_others_are_out_of_sight_is_refused_on_the_command_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["train", "rendezvous-local", "--embedding", "concatenation", "--iterations", "1", "--environments", "2"]
    assert main([*command, "--out", str(tmp_path / "run")]) == 2
    assert not (tmp_path / "run").exists()
    assert "concatenation needs a task in which every agent always sees all others" in capsys.readouterr().err


def test_units_must_be_positive() -> None:
    with pytest.raises(SwarmbedError, match=r"^units must be a whole number of at least 1, not 0$"):
        Concatenation(units=0)
