"""render(): a picture of the present state."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from swarmbed import SwarmbedError, make
from swarmbed.draw.scene import AGENT_COLOR
from swarmbed.interop.gymnasium import SwarmEnv, make_vec, whole_swarms
from swarmbed.interop.pettingzoo import parallel_env
from toy_task import Drift

ENVIRONMENTS = pytest.mark.parametrize("environment", [parallel_env, SwarmEnv, make_vec, whole_swarms])
# An oblong world of 100 × 50 units with one agent.
OBLONG: dict[str, Any] = {"num_agents": 1, "width": 100.0, "height": 50.0}


def blue(frame: np.ndarray) -> np.ndarray:
    """Where a picture has the colour of agents."""
    wanted = np.round(255 * np.array(to_rgb(AGENT_COLOR)))
    return np.asarray(np.abs(frame.astype(float) - wanted).max(axis=-1) < 8)


def one(frames: Any) -> np.ndarray:
    return frames[0] if isinstance(frames, tuple) else frames


@ENVIRONMENTS
def test_a_picture_is_bytes_with_even_sides_in_the_world_s_shape(environment: Callable[..., Any]) -> None:
    env = environment("rendezvous", render_mode="rgb_array", **OBLONG)
    env.reset(seed=0)
    frame = one(env.render())
    height, width, colors = frame.shape
    assert (frame.dtype, colors, height % 2, width % 2) == (np.uint8, 3, 0, 0)
    assert width > 1.5 * height
    assert "rgb_array" in env.metadata["render_modes"]
    assert env.metadata["render_fps"] == 10  # a step is a tenth of a second
    assert env.render_mode == "rgb_array"


@ENVIRONMENTS
def test_the_agent_is_drawn_where_it_is(environment: Callable[..., Any]) -> None:
    env = environment("rendezvous", render_mode="rgb_array", **OBLONG)
    for seed in (0, 1):
        env.reset(seed=seed)
        x, y = np.asarray(env._episodes.state().agents.position[0])
        frame = one(env.render())
        rows, columns = np.nonzero(blue(frame))
        # The world lies between margins of 36 pixels on each side; the first row of a picture is its top.
        height, width = frame.shape[:2]
        assert columns.mean() == pytest.approx(36 + (width - 72) * x / 100, abs=6)
        assert height - rows.mean() == pytest.approx(36 + (height - 72) * y / 50, abs=6)


def test_a_vector_environment_gives_one_picture_for_each_swarm() -> None:
    envs = make_vec("rendezvous", num_swarms=3, num_agents=2, render_mode="rgb_array")
    envs.reset(seed=[4, 4, 5])
    frames = envs.render()
    assert isinstance(frames, tuple)
    assert len(frames) == 3
    np.testing.assert_array_equal(frames[0], frames[1])
    assert (frames[0] != frames[2]).any()


def test_a_picture_follows_the_steps() -> None:
    env = SwarmEnv(make("rendezvous", num_agents=2, dynamics="single"), render_mode="rgb_array")
    env.reset(seed=0)
    first = env.render()
    for _ in range(20):
        env.step(np.array([[1.0, 0.0], [1.0, 0.0]]))
    assert (env.render() != first).any()
    np.testing.assert_array_equal(env.render(), env.render())


def test_a_task_without_a_world_is_shown_around_its_agents() -> None:
    env = SwarmEnv(Drift(num_agents=2), render_mode="rgb_array")
    env.reset(seed=0)
    for push in (0.0, 30.0):
        env.step(np.full((2, 2), push))
        frame = env.render()
        assert frame.shape[0] == frame.shape[1]
        assert blue(frame).sum() > 20
    assert env.metadata["render_fps"] == 10


@ENVIRONMENTS
def test_without_a_render_mode_there_is_no_picture(environment: Callable[..., Any]) -> None:
    env = environment(Drift())
    env.reset(seed=0)
    assert env.render() is None


@ENVIRONMENTS
def test_an_unknown_render_mode_is_refused(environment: Callable[..., Any]) -> None:
    with pytest.raises(SwarmbedError, match="render_mode must be rgb_array or left out, not 'ansi'"):
        environment(Drift(), render_mode="ansi")


@ENVIRONMENTS
def test_a_picture_before_the_first_reset_is_refused(environment: Callable[..., Any]) -> None:
    with pytest.raises(SwarmbedError, match="render was called before reset"):
        environment(Drift(), render_mode="rgb_array").render()


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_an_environment_that_has_drawn_can_still_be_copied(duplicate: Callable[[SwarmEnv], SwarmEnv]) -> None:
    env = SwarmEnv("rendezvous", render_mode="rgb_array", **OBLONG)
    env.reset(seed=0)
    first = env.render()
    np.testing.assert_array_equal(duplicate(env).render(), first)
