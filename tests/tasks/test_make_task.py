"""Tasks by name, and what a wrong setting says."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.observation import Layout, SetLayout
from swarmbed.tasks import make


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
    task: Any = make("pursuit-local", comm_radius=None, num_agents=3)
    assert (task.comm_radius, task.num_agents, task.sight_radius) == (None, 3, 20.0)


def test_an_unknown_task_is_refused_and_all_known_ones_named() -> None:
    with pytest.raises(SwarmbedError) as caught:
        make("rendevous")
    known = ", ".join(registry.tasks.names())
    assert str(caught.value) == f"task 'rendevous' does not exist; did you mean 'rendezvous'? (choose one of: {known})"


COUNT, ABOVE = "must be a whole number of at least 1", "must be a number above 0"


@pytest.mark.parametrize(
    ("name", "setting", "value", "message"),
    [
        ("rendezvous", "observation", "full", "must be one of basic, extended, comm, displacement, not 'full'"),
        ("multi_pursuit", "observation", "comm", "must be one of basic, extended, displacement, not 'comm'"),
        ("rendezvous", "world", "sphere", "must be one of closed, torus, not 'sphere'"),
        ("rendezvous", "dynamics", "triple", "must be one of single, double, not 'triple'"),
        ("rendezvous", "velocity_frame", "map", "must be one of world, own, not 'map'"),
        ("rendezvous", "num_agents", 0, f"{COUNT}, not 0"),
        ("rendezvous", "num_agents", 2.5, f"{COUNT}, not 2.5"),
        ("rendezvous", "num_agents", "many", f"{COUNT}, not 'many'"),
        ("rendezvous", "num_agents", True, f"{COUNT}, not True"),
        ("pursuit", "num_agents", 0, f"{COUNT}, not 0"),
        ("multi_pursuit", "num_agents", -3, f"{COUNT}, not -3"),
        ("rendezvous", "horizon", 0, f"{COUNT}, not 0"),
        ("multi_pursuit", "num_evaders", 0, f"{COUNT}, not 0"),
        ("rendezvous", "substeps", 0, f"{COUNT}, not 0"),
        ("rendezvous", "width", -1, f"{ABOVE}, not -1"),
        ("rendezvous", "height", float("nan"), f"{ABOVE}, not nan"),
        ("rendezvous", "height", float("inf"), f"{ABOVE}, not inf"),
        ("rendezvous", "max_speed", 0, f"{ABOVE}, not 0"),
        ("rendezvous", "max_turn_rate", -1, f"{ABOVE}, not -1"),
        ("pursuit", "max_turn_rate", 0, f"{ABOVE}, not 0"),
        ("rendezvous", "max_acceleration", 0, f"{ABOVE}, not 0"),
        ("rendezvous", "max_turn_acceleration", 0, f"{ABOVE}, not 0"),
        ("rendezvous", "substep_seconds", 0, f"{ABOVE}, not 0"),
        ("pursuit", "capture_radius", 0, f"{ABOVE}, not 0"),
        ("multi_pursuit", "capture_radius", 0, f"{ABOVE}, not 0"),
        ("rendezvous", "comm_radius", -40, f"{ABOVE} or left out, not -40"),
        ("pursuit", "sight_radius", 0, f"{ABOVE} or left out, not 0"),
        ("pursuit", "comm_radius", "far", f"{ABOVE} or left out, not 'far'"),
        ("pursuit", "evader_speed_ratio", -1, "must be a number of at least 0, not -1"),
        ("rendezvous", "action_cost", -0.1, "must be a number of at least 0, not -0.1"),
        ("rendezvous", "start_margin", 0.5, "must be a number between 0 and 0.5 (not 0.5), not 0.5"),
        ("rendezvous", "velocity_kept", 2, "must be a number between 0 and 1, not 2"),
    ],
)
def test_a_wrong_setting_is_refused_in_one_sentence(name: str, setting: str, value: Any, message: str) -> None:
    with pytest.raises(SwarmbedError) as caught:
        make(name, **{setting: value})
    assert str(caught.value) == f"task {name!r}: {setting} {message}"


def test_a_task_that_is_made_without_make_checks_its_settings_too() -> None:
    with pytest.raises(SwarmbedError) as caught:
        replace(make("rendezvous"), width=-1.0)
    assert str(caught.value) == "width must be a number above 0, not -1.0"


@pytest.mark.parametrize(
    ("given", "meant"),
    [("com_radius", "comm_radius"), ("agents", "num_agents"), ("observe", "observation"), ("agents_num", "num_agents")],
)
def test_an_unknown_setting_is_refused_with_a_guess_and_all_that_there_are(given: str, meant: str) -> None:
    # The second and third are flags of the command line; Python uses the names of the fields.
    with pytest.raises(SwarmbedError) as caught:
        make("pursuit", **{given: 5})
    message = str(caught.value)
    assert message.startswith(f"task 'pursuit' has no setting {given!r}; did you mean {meant!r}? it has: ")
    for name in ("num_agents", "observation", "capture_radius", "width"):
        assert name in message


def test_a_setting_unlike_any_other_is_refused_without_a_guess() -> None:
    with pytest.raises(SwarmbedError, match="has no setting 'xyzzy'; it has: "):
        make("pursuit", xyzzy=5)


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
    one, same, other = (make("rendezvous", num_agents=n, width=width) for n, width in ((5, 9), (5, 9.0), (6, 9)))
    assert one == same
    assert hash(one) == hash(same)
    assert one != other


SIGHTS = {
    f"{name}, {observation}": (name, {"observation": observation})
    for name in ("rendezvous", "pursuit", "multi_pursuit")
    for observation in ("basic", "extended", "comm", "displacement")
    if (name, observation) != ("multi_pursuit", "comm")
}
each_sight = pytest.mark.parametrize(("name", "settings"), SIGHTS.values(), ids=SIGHTS.keys())


@each_sight
def test_every_column_of_an_observation_has_a_name(name: str, settings: dict[str, Any]) -> None:
    task = make(name, num_agents=4, **settings)
    columns, shape, layout = task.column_names, task.observation_shape, task.layout
    assert shape.local.shape == (4, len(columns.local)) == (4, layout.local)
    assert [one.elements.shape for one in shape.sets] == [(4, s.slots, s.features) for s in layout.sets]
    assert [len(names) for names in columns.sets] == [s.features for s in layout.sets]


def test_a_layout_is_read_from_a_task() -> None:
    # On a torus with single integrators nothing is local; neighbours have five numbers, evaders three.
    layout = make("multi_pursuit", num_agents=4, num_evaders=3).layout
    assert layout == Layout(0, (SetLayout(4, 5, True), SetLayout(3, 3, False)))
