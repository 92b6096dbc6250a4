"""Tasks by name, and what a wrong setting says."""

from typing import Any

import jax
import jax.numpy as jnp
import pytest

from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make, task_names

MISSING = "does not exist; choose one of:"
POSITIVE_RADIUS = "must be a positive number, or left out for global sight"


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("rendezvous", {"num_agents": 20, "world": "closed", "dynamics": "double", "comm_radius": None}),
        ("rendezvous-global", {"num_agents": 20, "world": "closed", "dynamics": "double", "comm_radius": None}),
        ("rendezvous-local", {"num_agents": 20, "world": "closed", "dynamics": "single", "comm_radius": 40.0}),
        ("pursuit", {"num_agents": 10, "world": "torus", "dynamics": "single", "sight_radius": None}),
        ("pursuit-global", {"num_agents": 10, "world": "torus", "dynamics": "single", "sight_radius": None}),
        ("pursuit-local", {"num_agents": 20, "world": "torus", "comm_radius": 40.0, "sight_radius": 20.0}),
        ("multi_pursuit", {"num_agents": 50, "num_evaders": 5, "world": "torus", "dynamics": "single"}),
        ("multi-pursuit", {"num_agents": 50, "num_evaders": 5, "world": "torus", "dynamics": "single"}),
    ],
)
def test_names_stand_for_the_experiments_of_the_paper(name: str, wanted: dict[str, Any]) -> None:
    task = make(name)
    wanted = {"width": 100.0, "height": 100.0, "horizon": 1024, **wanted}
    assert {setting: getattr(task, setting) for setting in wanted} == wanted


def test_settings_override_those_of_a_variant() -> None:
    task: Any = make("pursuit-local", comm_radius=None, agents=3)
    assert (task.comm_radius, task.num_agents, task.sight_radius) == (None, 3, 20.0)


def test_an_unknown_task_is_refused_and_all_known_ones_named() -> None:
    with pytest.raises(SwarmbedError) as caught:
        make("rendevous")
    assert str(caught.value) == f"task 'rendevous' does not exist; choose one of: {', '.join(task_names())}"


@pytest.mark.parametrize(
    ("name", "setting", "value", "message"),
    [
        ("rendezvous", "observation", "full", f"observation set 'full' {MISSING} basic, extended, comm"),
        ("multi_pursuit", "observation", "comm", f"observation set 'comm' {MISSING} basic, extended"),
        ("rendezvous", "world", "sphere", f"world 'sphere' {MISSING} closed, torus"),
        ("rendezvous", "dynamics", "triple", f"dynamics 'triple' {MISSING} single, double"),
        ("rendezvous", "velocity_frame", "map", f"velocity_frame 'map' {MISSING} world, own"),
        ("rendezvous", "num_agents", 0, "num_agents must be a whole number of at least 1, not 0"),
        ("rendezvous", "horizon", 0, "horizon must be a whole number of at least 1, not 0"),
        ("multi_pursuit", "num_evaders", 0, "num_evaders must be a whole number of at least 1, not 0"),
        ("rendezvous", "width", -1, "width must be a positive number, not -1.0"),
        ("rendezvous", "max_speed", 0, "max_speed must be a positive number, not 0.0"),
        ("pursuit", "capture_radius", 0, "capture_radius must be a positive number, not 0.0"),
        ("pursuit", "evader_speed_ratio", -1, "evader_speed_ratio must not be negative, but is -1.0"),
        ("rendezvous", "start_margin", 0.5, "start_margin must lie between 0 and 0.5, not 0.5"),
        ("rendezvous", "velocity_kept", 2, "velocity_kept must lie between 0 and 1, not 2.0"),
        ("rendezvous", "comm_radius", -40, f"comm_radius {POSITIVE_RADIUS}, not -40.0"),
        ("pursuit", "sight_radius", 0, f"sight_radius {POSITIVE_RADIUS}, not 0.0"),
        ("rendezvous", "agents", "many", "task 'rendezvous': agents must be a whole number, not 'many'"),
        ("rendezvous", "num_agents", 2.5, "task 'rendezvous': num_agents must be a whole number, not 2.5"),
        ("pursuit", "comm_radius", "far", "task 'pursuit': comm_radius must be a number or nothing, not 'far'"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_sentence(name: str, setting: str, value: Any, message: str) -> None:
    with pytest.raises(SwarmbedError) as caught:
        make(name, **{setting: value})
    assert str(caught.value) == message


def test_an_unknown_setting_is_refused_with_a_guess_and_all_that_there_are() -> None:
    with pytest.raises(SwarmbedError) as caught:
        make("rendezvous", com_radius=40)
    message = str(caught.value)
    assert message.startswith("task 'rendezvous' has no setting 'com_radius'; did you mean 'comm_radius'? it has: ")
    for name in ("agents", "observe", "action_cost", "width"):
        assert name in message


@pytest.mark.parametrize("shape", [(3, 2), (4, 3), (4,), (2, 4)])
def test_actions_of_a_wrong_shape_are_refused_and_the_right_shape_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(SwarmbedError) as caught:
        make("rendezvous", num_agents=4).check_action(jnp.zeros(shape))
    assert str(caught.value) == f"action must have shape (4, 2) (agents, numbers per agent), not {shape}"


@pytest.mark.parametrize("name", ["rendezvous", "pursuit", "multi_pursuit"])
def test_a_step_refuses_actions_for_another_number_of_agents(name: str) -> None:
    task = make(name, num_agents=4)
    state = jax.eval_shape(task.initial, jax.random.key(0))
    with pytest.raises(SwarmbedError) as caught:
        jax.eval_shape(lambda s: task.transition(s, jnp.zeros((3, 2)), jax.random.key(0)), state)
    assert str(caught.value) == "action must have shape (4, 2) (agents, numbers per agent), not (3, 2)"


@pytest.mark.parametrize("name", ["pursuit", "multi_pursuit"])
def test_a_pursuit_refuses_a_state_without_evaders(name: str) -> None:
    task = make(name, num_agents=2)
    state = jax.eval_shape(task.initial, jax.random.key(0))._replace(evaders=None)
    with pytest.raises(SwarmbedError) as caught:
        jax.eval_shape(task.observe, state)
    assert str(caught.value) == "the state has no evaders; a pursuit task needs state.evaders of shape (E, 2)"


def test_equal_settings_make_equal_tasks() -> None:
    # Functions are compiled once per task, so that equality must go by settings and not by identity.
    assert make("rendezvous", agents=5) == make("rendezvous", num_agents=5)
    assert hash(make("rendezvous", agents=5)) == hash(make("rendezvous", num_agents=5))
    assert make("rendezvous", agents=5) != make("rendezvous", agents=6)
