"""Episodes take little room in a page, and nothing but the rounding to levels is lost."""

import base64
import zlib

import numpy as np
import pytest

from swarmbed.draw.html import draw_replay, episode
from swarmbed.draw.recording import Recording
from swarmbed.draw.scene import Look
from swarmbed.draw.squeeze import squeezed, unsqueezed
from swarmbed.sim.unicycle import Agents
from swarmbed.tasks import make
from swarmbed.tasks.base import State


def test_series_come_back_as_they_were_also_where_they_wrap_around() -> None:
    levels = np.random.default_rng(0).integers(0, 2**16, (3, 5, 17)).astype(np.uint16)
    np.testing.assert_array_equal(unsqueezed(squeezed(levels), levels.shape), levels)


def test_a_steady_motion_is_its_start_its_speed_and_zeros() -> None:
    # 10, 13, 16: changes 10, 3, 3, and their changes 10, −7, 0. Zigzag: 20, 13, 0; low bytes, then high bytes.
    planes = zlib.decompress(base64.b64decode(squeezed([[10, 13, 16]])))
    assert planes == bytes([20, 13, 0, 0, 0, 0])


@pytest.fixture(scope="module")
def crowd() -> Recording:
    """A thousand unicycles that turn and hurry as a policy would make them, for 500 steps in a world that wraps."""
    random, agents, steps = np.random.default_rng(1), 1000, 500
    turn = np.cumsum(random.normal(0, 0.05, (steps + 1, agents)), 0).clip(-1, 1)
    heading = random.uniform(0, 2 * np.pi, agents) + np.cumsum(0.3 * turn, 0)
    speed = 1 / (1 + np.exp(np.cumsum(random.normal(0, 0.1, (steps + 1, agents)), 0)))
    way = np.cumsum(speed[..., None] * np.stack([np.cos(heading), np.sin(heading)], -1), 0)
    size = np.array([700.0, 500.0])
    position = (random.uniform(0, 1, (agents, 2)) * size + way) % size
    task = make("pursuit", num_agents=agents, width=700.0, height=500.0)
    evaders = position[:, :1]
    metrics = {"captured": np.zeros(steps + 1), "evader_distance": np.ones(steps + 1)}
    state = State(Agents(position, heading), evaders, np.ones((steps + 1, agents), bool))  # type: ignore[arg-type]
    return Recording(task, state, steps, metrics, "turning", False)


def test_a_thousand_agents_and_five_hundred_steps_are_a_page_of_less_than_five_megabytes(crowd, tmp_path) -> None:
    path = draw_replay(crowd, tmp_path / "crowd.html")
    assert path.stat().st_size < 5e6 / 2  # half of it, for motions that are less smooth than these


def test_positions_and_headings_are_within_half_a_level(crowd: Recording) -> None:
    found = unsqueezed(episode(crowd, Look())["agents"], (3, 1000, 501)).astype(float)
    position, heading = np.asarray(crowd.states.agents.position), np.asarray(crowd.states.agents.heading)
    for axis, size in ((0, 700.0), (1, 500.0)):
        error = found[axis].T * size / 65535 - position[..., axis]
        assert np.abs(error).max() <= size / 65535 / 2 * (1 + 1e-9)
    turned = (found[2].T / 65536 - heading / (2 * np.pi) + 0.5) % 1 - 0.5
    assert np.abs(turned).max() <= 0.5 / 65536 * (1 + 1e-6)
