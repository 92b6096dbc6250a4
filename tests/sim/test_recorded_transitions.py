"""The simulator against transitions that other people's simulator computed (see tests/data/README.md).

In float64 the two agree to 1e-9. In float32 they agree to 2e-4: units, units/s, or the cosine and sine of an angle.
"""

import functools
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.sim import relations
from swarmbed.sim.unicycle import Agents
from swarmbed.tasks import make
from swarmbed.tasks.base import State

DATA = Path(__file__).parent.parent / "data"
TOLERANCE = {"float64": 1e-9, "float32": 2e-4}
TASKS: dict[str, tuple[str, dict[str, Any]]] = {
    "rendezvous_single_n20": ("rendezvous", {"dynamics": "single", "comm_radius": 40}),
    "rendezvous_double_n20": ("rendezvous", {}),
    "pursuit_global_n8": ("pursuit", {"num_agents": 8}),
    "pursuit_local_n20": ("pursuit-local", {"observation": "comm"}),
    # Evaders that are about to respawn are recorded where they respawned, so nobody may be caught again.
    "multi_pursuit_n16_e3": ("multi_pursuit", {"num_agents": 16, "num_evaders": 3, "capture_radius": 1e-9}),
}
EVERY_FILE = sorted(TASKS)
WITH_EVADERS = [name for name in EVERY_FILE if "pursuit" in name]


@functools.cache
def recorded(name: str) -> dict[str, Any]:
    with np.load(DATA / f"{name}.npz") as file:
        return dict(file)


def agents_of(state: Any) -> Agents:
    return Agents(state[:, :2], state[:, 2], *(state[:, 3:].T if state.shape[1] == 5 else ()))


def replay(name: str, before: Any, evaders: Any, actions: Any, after: Any, evaders_after: Any) -> dict[str, Any]:
    """One transition from the recorded state before, and what is sensed in the recorded state after."""
    base, settings = TASKS[name]
    task: Any = make(base, **settings)
    state = task.transition(State(agents_of(before), evaders), actions, jax.random.key(0))
    agents = agents_of(after)
    everybody = agents.position if evaders_after is None else jnp.concatenate([agents.position, evaders_after])
    facing = relations.heading_vector(agents.heading)
    found = {
        "state": state,
        "distance": relations.displacement(task.space, everybody, everybody).distance,
        "bearing": relations.bearing(relations.displacement(task.space, agents.position, everybody), facing),
        "observation": task.observe(State(agents, evaders_after)),
    }
    if agents.speed is not None and agents.turn_rate is not None:
        heading_before_last_turn = agents.heading - 0.01 * agents.turn_rate
        found["velocity"] = agents.speed[:, None] * jnp.stack(relations.heading_vector(heading_before_last_turn), -1)
    if name == "pursuit_local_n20":
        found["path"] = task.path_to_evader(State(agents, evaders_after))
    return found


@pytest.fixture(scope="module")
def replayed(quick_jit: Any) -> Any:
    @functools.cache
    def run(name: str, precision: str) -> Any:
        data = recorded(name)
        with jax.enable_x64(precision == "float64"):
            columns = ("state_before", "evader_move_from", "actions", "state_after", "evader_after")
            arguments = [jnp.asarray(data[column]) if column in data else None for column in columns]
            found = quick_jit(jax.vmap(functools.partial(replay, name)))(*arguments)
            assert found["distance"].dtype == precision
            return jax.tree.map(np.asarray, found)

    return run


def assert_near(found: Any, wanted: Any, precision: str) -> None:
    np.testing.assert_allclose(found, wanted, rtol=0, atol=TOLERANCE[precision])


# In float32 one file of each task will do: the others run the same code with other settings.
SINGLE = ("rendezvous_double_n20", "pursuit_local_n20", "multi_pursuit_n16_e3")
PRECISIONS = [(name, "float64") for name in EVERY_FILE] + [(name, "float32") for name in SINGLE]
each_file = pytest.mark.parametrize(("name", "precision"), PRECISIONS)
each_file_with_evaders = pytest.mark.parametrize(("name", "precision"), [p for p in PRECISIONS if p[0] in WITH_EVADERS])
each_precision = pytest.mark.parametrize("precision", ["float64", "float32"])


@each_file
def test_agents_move_to_the_recorded_positions(name: str, precision: str, replayed: Any) -> None:
    assert_near(replayed(name, precision)["state"].agents.position, recorded(name)["state_after"][..., :2], precision)


@each_file
def test_agents_turn_to_the_recorded_headings(name: str, precision: str, replayed: Any) -> None:
    difference = replayed(name, precision)["state"].agents.heading - recorded(name)["state_after"][..., 2]
    assert_near(np.angle(np.exp(1j * difference)), 0.0, precision)


@each_precision
def test_double_integrators_reach_the_recorded_velocities(precision: str, replayed: Any) -> None:
    agents = replayed("rendezvous_double_n20", precision)["state"].agents
    wanted = recorded("rendezvous_double_n20")["state_after"]
    assert_near(agents.speed, wanted[..., 3], precision)
    assert_near(agents.turn_rate, wanted[..., 4], precision)


@each_precision
def test_world_frame_velocities_are_the_recorded_ones(precision: str, replayed: Any) -> None:
    name = "rendezvous_double_n20"
    assert_near(replayed(name, precision)["velocity"], recorded(name)["velocity_after"], precision)


@each_file_with_evaders
def test_evaders_flee_to_the_recorded_positions(name: str, precision: str, replayed: Any) -> None:
    data = recorded(name)
    compared = data["evader_dir_is_periodic"]
    assert compared.any()
    assert not compared.all()
    off = replayed(name, precision)["state"].evaders - data["evader_after"]
    off -= 100 * np.round(off / 100)
    assert_near(off[compared], 0.0, precision)


@each_precision
def test_evaders_that_see_nobody_stand_still(precision: str, replayed: Any) -> None:
    data = recorded("pursuit_local_n20")
    alone = (data["evader_dir"] == 0).all(axis=-1)
    assert alone.any()
    evaders = replayed("pursuit_local_n20", precision)["state"].evaders
    np.testing.assert_array_equal(evaders[alone], data["evader_move_from"][alone].astype(precision))


@each_file
def test_distances_are_the_recorded_ones(name: str, precision: str, replayed: Any) -> None:
    wanted = recorded(name)["distance_after"]
    pairs = ~np.eye(wanted.shape[-1], dtype=bool)
    assert_near(replayed(name, precision)["distance"][:, pairs], wanted[:, pairs], precision)


@each_file
def test_bearings_are_the_recorded_ones(name: str, precision: str, replayed: Any) -> None:
    wanted = recorded(name)["bearing_after"]
    agent, other = np.indices(wanted.shape[1:])
    pairs = agent != other
    bearing = replayed(name, precision)["bearing"]
    assert_near(bearing.cos[:, pairs], np.cos(wanted)[:, pairs], precision)
    assert_near(bearing.sin[:, pairs], np.sin(wanted)[:, pairs], precision)


@each_file
def test_neighbours_are_observed_at_the_recorded_distance_and_bearing(name: str, precision: str, replayed: Any) -> None:
    data = recorded(name)
    num_agents = data["actions"].shape[1]
    # Largest distances that can be sensed: d_c where there is one, else the diagonal, on a torus half of it.
    scale = 40.0 if data["comm_radius"] == 40 else np.hypot(100, 100) / (1 if "rendezvous" in name else 2)
    elements, mask = replayed(name, precision)["observation"].sets[0]
    distance, bearing = data["distance_after"][:, :num_agents, :num_agents], data["bearing_after"][..., :num_agents]
    np.testing.assert_array_equal(mask, (distance <= scale) & ~np.eye(num_agents, dtype=bool))
    wanted = np.stack([distance / scale, np.cos(bearing), np.sin(bearing)], axis=-1)
    assert_near(elements[mask][:, :3], wanted[mask], precision)


@each_precision
def test_paths_to_the_evader_have_the_recorded_length(precision: str, replayed: Any) -> None:
    wanted = recorded("pursuit_local_n20")["path_to_evader_after"]
    assert np.isinf(wanted).any()
    assert np.isfinite(wanted).any()
    assert_near(replayed("pursuit_local_n20", precision)["path"], wanted, precision)
