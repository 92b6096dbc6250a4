"""Recording an episode, and the command that draws it."""

from dataclasses import dataclass
from math import pi

import imageio.v3 as imageio
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from quick_interop import quick_compilation as quick_compilation
from swarmbed.cli import main as cli
from swarmbed.controllers.random import Random
from swarmbed.controllers.voronoi_pursuit import VoronoiPursuit
from swarmbed.draw.page import trace_figure
from swarmbed.draw.render import draw_animation, record
from swarmbed.policy.find import NamedController
from swarmbed.sim.unicycle import Agents
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks import make
from swarmbed.tasks.base import Observation, ObservedSet, State, Task

RANDOM = NamedController("random", Random())


# Recording.


def test_a_recording_ends_with_the_capture():
    task = make("pursuit", num_agents=3, evader_speed_ratio=0.0, horizon=200, width=40.0, height=40.0)
    recording = record(NamedController("voronoi", VoronoiPursuit()), task)
    assert recording.terminated and 0 < recording.length < 200
    assert recording.states.agents.position.shape == (recording.length + 1, 3, 2)
    assert recording.metrics["captured"].tolist() == [0] * recording.length + [1]


def test_a_recording_starts_where_the_evaluation_of_that_episode_starts():
    task = make("rendezvous", num_agents=3)
    start_key, _ = jax.random.split(jax.random.key(7))
    wanted = jax.jit(task.initial)(jax.random.fold_in(start_key, 2)).agents.position
    recording = record(RANDOM, task, seed=7, steps=2, episode=2)
    assert np.allclose(recording.states.agents.position[0], wanted)
    assert recording.length == 2 and not recording.terminated
    assert isinstance(recording.states.agents.position, np.ndarray)
    assert (recording.states.agents.heading <= 2 * pi).all()


def test_steps_must_be_positive():
    with pytest.raises(SwarmbedError, match="steps must be a whole number of at least 1, not 0"):
        record(RANDOM, make("rendezvous"), steps=0)


def test_a_controller_that_does_not_fit_is_refused():
    with pytest.raises(SwarmbedError, match="does not fit"):
        record(NamedController("voronoi_pursuit", VoronoiPursuit()), make("rendezvous"), steps=1)


@dataclass(frozen=True)
class Somewhere(Task):
    """A task with no world, no metrics and no evaders."""

    def initial(self, key):
        return State(Agents(jnp.zeros((self.num_agents, 2)), jnp.zeros(self.num_agents)))

    def transition(self, state, action, key):
        return state._replace(agents=state.agents._replace(position=state.agents.position + jnp.array([4.0, 3.0])))

    def observe(self, state):
        nothing = ObservedSet(jnp.zeros((self.num_agents, 1, 1)), jnp.ones((self.num_agents, 1), bool))
        return Observation(state.agents.position, (nothing,))

    def reward(self, state, action, next_state):
        return jnp.zeros(())

    def terminated(self, state):
        return jnp.array(False)


def test_a_task_without_a_world_is_shown_where_it_takes_place(tmp_path):
    recording = record(RANDOM, Somewhere(num_agents=2), steps=10)
    assert recording.states.agents.position[-1].tolist() == [[40, 30], [40, 30]]
    axes = trace_figure(recording).axes[0]
    assert axes.get_xlim() == pytest.approx((-1, 41)) and axes.get_ylim() == pytest.approx((-6, 36))
    assert draw_animation(recording, tmp_path / "somewhere.gif").stat().st_size > 1000


# Command line.


def test_the_command_draws_and_says_what_it_wrote(tmp_path, capsys):
    out = tmp_path / "new" / "r.gif"
    assert (
        cli.main(["render", "random", "--task", "rendezvous", "--agents", "3", "--steps", "4", "--out", str(out)]) == 0
    )
    assert len(imageio.imread(out)) == 3
    printed = capsys.readouterr()
    assert printed.out.startswith(f"wrote {out} (") and printed.out.endswith("ended after 4 steps\n")
    assert printed.err == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "x.bmp"], "out must be a file that ends in one of: .png, .gif, .mp4, .html, not 'x.bmp'"),
        (["--out", "x"], "out must be a file that ends in one of: .png, .gif, .mp4, .html, not 'x'"),
        (["--out", "x.png", "--radius"], "radius needs a task with a comm_radius or a sight_radius"),
        (["--out", "x.gif", "--every", "0"], "every must be a whole number of at least 1 or left out, not 0"),
        (["--out", "x.gif", "--fps", "0"], "fps must be a number between 0 and 100 (not 0), not 0.0"),
        (["--out", "x.gif", "--trail", "-1"], "trail must be a whole number of at least 0, not -1"),
        (["--out", "folder.png"], "folder.png is a folder"),
        (["--out", "file/x.png"], "file is not a folder"),
        (["--out", "x.png", "--agents", "0"], "--agents must be a whole number of at least 1"),
    ],
)
def test_what_cannot_be_drawn_is_one_sentence(arguments, message, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").write_text("")
    assert cli.main(["render", "random", "--task", "rendezvous", "--agents", "2", "--steps", "1", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder.png"]


@dataclass(frozen=True)
class Lost(Random):
    """Steers towards no number from the third step on."""

    def control(self, task, state, key):
        return jnp.where(state.age >= 2, jnp.nan, super().control(task, state, key))


def test_what_cannot_be_drawn_is_said():
    task = make("rendezvous", num_agents=3, horizon=10)
    with pytest.raises(SwarmbedError, match="lost led to numbers that are not finite in step 3"):
        record(NamedController("lost", Lost()), task)
