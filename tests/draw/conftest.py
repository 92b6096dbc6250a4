"""Recordings made by hand."""

import numpy as np
import pytest

from swarmbed.draw.recording import Recording
from swarmbed.sim.unicycle import Agents
from swarmbed.tasks import make
from swarmbed.tasks.base import State


def _recording(task, position, evaders=None, metrics=None, terminated=False, present=None):
    """position is (moments, agents, 2), evaders likewise; metrics that are not given are zero throughout."""
    position = np.asarray(position, float)
    agents = Agents(position, np.zeros(position.shape[:2]))
    states = State(agents, None if evaders is None else np.asarray(evaders, float), present)
    metrics = {metric.name: np.zeros(len(position)) for metric in task.metrics} | (metrics or {})
    return Recording(task, states, len(position) - 1, metrics, "somebody", terminated)


@pytest.fixture(scope="session")
def recording_of():
    return _recording


@pytest.fixture(scope="session")
def walk():
    """Two agents on a torus of 100 × 60, one unit per step eastwards, over the border after three steps."""
    steps = np.arange(7.0)
    position = np.stack([np.stack([(97.5 + steps) % 100, 0 * steps + y], -1) for y in (10.0, 40.0)], axis=1)
    task = make("rendezvous", num_agents=2, world="torus", height=60.0)
    return _recording(task, position, metrics={"mean_distance": np.linspace(30, 24, 7)})


@pytest.fixture(scope="session")
def chase():
    """Three pursuers around an evader that one of them has reached at the last of five moments."""
    task = make("pursuit", num_agents=3, comm_radius=30.0, sight_radius=20.0)
    position = np.tile([[45.0, 50.0], [20.0, 50.0], [90.0, 50.0]], (5, 1, 1))
    position[:, 0, 0] += np.arange(5.0)
    metrics = {"captured": np.array([0, 0, 0, 0, 1.0]), "evader_distance": 5 - np.arange(5.0)}
    return _recording(task, position, np.tile([50.0, 50.0], (5, 1, 1)), metrics, terminated=True)
