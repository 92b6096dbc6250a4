"""Running through time, with a task small enough to follow by hand.

A clock counts: every step adds 1 to x, and the reward is the new x. It ends by itself when x reaches ``heading``; the
time runs out after four steps. A new clock starts at 0 and would end at 99.
"""

from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.learn.rollout import Environments, cut_off_slots, episode, rollout, start
from swarmbed.sim.unicycle import Agents
from swarmbed.tasks import make
from swarmbed.tasks.base import Metric, Observation, State, Task


@dataclass(frozen=True)
class Clock(Task):
    """One agent whose x counts the steps; its y is a random number that tells one clock from another."""

    metrics: ClassVar[tuple[Metric, ...]] = (
        Metric("x", "x"), Metric("rang", "rang", kind="event"), Metric("ticks", "ticks", kind="count"),
    )  # fmt: skip

    num_agents: int = 1
    horizon: int = 4

    def initial(self, key: Any) -> State:
        return State(Agents(jnp.stack([jnp.zeros(1), jax.random.uniform(key, (1,))], -1), jnp.full(1, 99.0)))

    def transition(self, state: State, action: Any, key: Any) -> State:
        position = state.agents.position + jnp.array([1.0, 0.0]) * action
        return State(state.agents._replace(position=position))

    def observe(self, state: State) -> Observation:
        return Observation(state.agents.position, ())

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return next_state.agents.position[0, 0]

    def terminated(self, state: State) -> Any:
        return state.agents.position[0, 0] >= state.agents.heading[0]

    def measure(self, state: State) -> dict[str, Any]:
        return {"x": state.agents.position[0, 0], "rang": self.terminated(state) * 1.0, "ticks": jnp.ones(())}

    def transmit(self, state: State) -> Any:
        return 10 * state.agents.position[:, 0]


CLOCK = Clock()
KEY = jax.random.key(0)


def clock(x: Any, end: Any) -> State:
    x = jnp.asarray(x, float)
    return State(Agents(jnp.stack([x, -jnp.ones_like(x)], -1)[..., None, :], jnp.asarray(end, float)[..., None]))


def tick(state: State, transmitted: Any, key: Any) -> tuple[Any, Any]:
    """Every agent adds one; what else is kept is what was transmitted, plus one."""
    return jnp.ones_like(state.agents.position), transmitted + 1


# Four clocks. A ends by itself at 2. B runs out of time at 4. C is three steps old, so that its time runs out at once.
# D ends by itself in the very step in which its time would run out.
FOUR = Environments(
    clock([0, 0, 50, 0], [2, 99, 99, 4])._replace(age=jnp.array([0, 0, 3, 0])),
    jnp.zeros(4),
    jnp.arange(4) != 2,
    {"rang": jnp.zeros(4), "ticks": jnp.zeros(4)},
)


class Story(NamedTuple):
    """Six steps of the four clocks."""

    after: Environments
    segment: Any


@pytest.fixture(scope="module")
def run(quick_jit: Any) -> Any:
    return quick_jit(lambda environments, key, steps: rollout(CLOCK, tick, environments, key, steps), static_argnums=2)


@pytest.fixture(scope="module")
def story(run: Any) -> Story:
    return Story(*jax.tree.map(np.asarray, run(FOUR, KEY, 6)))


def count(state: State) -> Any:
    return np.asarray(state.agents.position)[..., 0, 0]


def test_steps_hold_the_state_before_each_step(story: Story) -> None:
    wanted = [[0, 0, 50, 0], [1, 1, 0, 1], [0, 2, 1, 2], [1, 3, 2, 3], [2, 0, 3, 0], [3, 1, 0, 1]]
    np.testing.assert_array_equal(count(story.segment.steps.state), wanted)


def test_rewards_come_from_the_new_state_and_not_from_the_restarted_one(story: Story) -> None:
    wanted = [[1, 1, 51, 1], [2, 2, 1, 2], [1, 3, 2, 3], [2, 4, 3, 4], [3, 1, 4, 1], [4, 2, 1, 2]]
    np.testing.assert_array_equal(story.segment.steps.reward, wanted)


def test_only_clocks_that_end_by_themselves_are_terminated(story: Story) -> None:
    wanted = np.zeros((6, 4), bool)
    wanted[1, 0] = wanted[3, 3] = True
    np.testing.assert_array_equal(story.segment.steps.terminated, wanted)


def test_only_clocks_that_run_out_of_time_are_truncated(story: Story) -> None:
    wanted = np.zeros((6, 4), bool)
    wanted[5, 0] = wanted[3, 1] = wanted[0, 2] = wanted[4, 2] = True
    np.testing.assert_array_equal(story.segment.steps.truncated, wanted)


def test_states_in_which_the_time_ran_out_are_kept_in_order(story: Story) -> None:
    cut_off = count(story.segment.cut_off)
    np.testing.assert_array_equal(cut_off[0, :3], [4, 4, 51])
    assert cut_off[1, 2] == 4


def test_there_are_as_many_slots_as_the_time_can_run_out() -> None:
    # With a horizon of 4 and any age: within 1 to 4 steps at most once, within 5 to 8 at most twice.
    assert [cut_off_slots(CLOCK, steps) for steps in (1, 4, 5, 8, 9)] == [1, 1, 2, 2, 3]


def test_the_tally_sums_over_whole_episodes_only(story: Story) -> None:
    # A: 1 + 2 in 2 steps, then 1 + 2 + 3 + 4 in 4. B, D, and C after its partial first episode: 10 in 4 steps each.
    assert tuple(map(float, story.segment.tally[:3])) == (5.0, 3.0 + 4 * 10.0, 2.0 + 4 * 4.0)


def test_the_tally_follows_what_the_task_declares(story: Story) -> None:
    # Where it ended: A at 2, all others at 4. A and D rang. Every step of a whole episode is a tick.
    measured = {name: float(total) for name, total in story.segment.tally.metrics.items()}
    assert measured == {"x": 2.0 + 4 * 4.0, "rang": 2.0, "ticks": 2.0 + 4 * 4.0}
    np.testing.assert_array_equal(story.after.so_far["ticks"], [0, 2, 1, 2])


def test_a_first_partial_episode_is_not_counted(run: Any) -> None:
    _, segment = run(FOUR, KEY, 1)
    assert bool(segment.steps.truncated[0, 2])
    assert float(segment.tally.episodes) == 0.0


def test_the_last_states_are_where_the_next_segment_starts(story: Story) -> None:
    np.testing.assert_array_equal(count(story.segment.last), [0, 2, 1, 2])
    np.testing.assert_array_equal(count(story.after.state), [0, 2, 1, 2])
    np.testing.assert_array_equal(story.after.state.age, [0, 2, 1, 2])
    np.testing.assert_array_equal(story.after.episode_return, [0, 3, 1, 3])
    assert story.after.is_whole.all()


def test_two_short_segments_are_one_long_one(story: Story, run: Any) -> None:
    halfway, first = run(FOUR, KEY, 3)
    _, second = run(halfway, jax.random.key(1), 3)
    together = np.concatenate([first.steps.reward, second.steps.reward])
    np.testing.assert_array_equal(together, story.segment.steps.reward)
    assert jax.tree.map(jnp.add, first.tally, second.tally) == story.segment.tally


def test_every_restart_is_a_start_of_its_own(story: Story) -> None:
    # B and D restart after the fourth step, A after the second, C after the first and the fifth.
    mark = np.asarray(story.segment.steps.state.agents.position)[..., 0, 1]
    restarts = [mark[4, 1], mark[4, 3], mark[2, 0], mark[1, 2], mark[5, 2]]
    assert len(set(restarts)) == 5
    assert (np.array(restarts) >= 0).all()


def test_what_is_transmitted_is_stored_and_given_to_the_policy(story: Story) -> None:
    steps = story.segment.steps
    np.testing.assert_array_equal(steps.transmitted[..., 0], 10 * count(steps.state))
    np.testing.assert_array_equal(steps.extra, steps.transmitted + 1)


def test_environments_start_at_all_ages_and_only_the_new_born_are_whole(quick_jit: Any) -> None:
    environments = quick_jit(lambda key: start(CLOCK, key, 64))(KEY)
    assert set(np.asarray(environments.state.age).tolist()) == {0, 1, 2, 3}
    np.testing.assert_array_equal(environments.is_whole, environments.state.age == 0)
    np.testing.assert_array_equal(environments.episode_return, np.zeros(64))


def test_environments_can_all_start_at_age_zero(quick_jit: Any) -> None:
    environments = quick_jit(lambda key: start(CLOCK, key, 8, random_age=False))(KEY)
    np.testing.assert_array_equal(environments.state.age, np.zeros(8))
    assert environments.is_whole.all()


@pytest.fixture(scope="module")
def play(quick_jit: Any) -> Any:
    def one(x: float, end: float, num_steps: int | None = None, keep_states: bool = True) -> Any:
        def add_one(task: Task, state: State, key: Any) -> Any:
            return jnp.ones_like(state.agents.position)

        played = quick_jit(lambda s, k: episode(CLOCK, add_one, s, k, num_steps, keep_states=keep_states))
        return jax.tree.map(np.asarray, played(clock(x, end), KEY))

    return one


def test_an_episode_stands_still_once_it_has_ended(play: Any) -> None:
    played = play(0, 2)
    assert (float(played.total_return), int(played.length), bool(played.terminated)) == (3.0, 2, True)
    np.testing.assert_array_equal(played.metrics["x"], [0, 1, 2, 2, 2])
    np.testing.assert_array_equal(count(played.states), [0, 1, 2, 2, 2])


def test_an_episode_that_runs_out_of_time_is_not_terminated(play: Any) -> None:
    played = play(0, 99)
    assert (float(played.total_return), int(played.length), bool(played.terminated)) == (10.0, 4, False)
    np.testing.assert_array_equal(played.metrics["x"], [0, 1, 2, 3, 4])


def test_an_episode_that_starts_at_its_end_has_no_steps(play: Any) -> None:
    played = play(7, 7)
    assert (float(played.total_return), int(played.length), bool(played.terminated)) == (0.0, 0, True)
    np.testing.assert_array_equal(played.metrics["x"], [7] * 5)


def test_an_episode_may_be_shorter_than_the_horizon(play: Any) -> None:
    played = play(0, 99, num_steps=2)
    np.testing.assert_array_equal(played.metrics["x"], [0, 1, 2])


def test_states_are_kept_only_on_request(play: Any) -> None:
    assert play(0, 2, keep_states=False).states is None


def test_a_rollout_is_a_scan_over_the_tasks_step(quick_jit: Any) -> None:
    """Evaders on a torus, and nothing random in a step: the rollout's states are those that ``step`` leads to."""
    task = make("pursuit", num_agents=3, horizon=50)
    action = task.sample_action(jax.random.key(7))
    environments = quick_jit(lambda key: start(task, key, 2, random_age=False))(KEY)
    act = lambda state, transmitted, key: (jnp.broadcast_to(action, (2, 3, 2)), None)  # noqa: E731
    _, segment = quick_jit(lambda e: rollout(task, act, e, KEY, 6))(environments)

    def stepped(state: State, _: None) -> Any:
        step = task.step(KEY, state, action)
        return step.state, (state, step.reward)

    first = jax.tree.map(lambda leaf: leaf[0], environments.state)
    last, (states, rewards) = quick_jit(lambda s: jax.lax.scan(stepped, s, length=6))(first)
    np.testing.assert_allclose(segment.steps.state.agents.position[:, 0], states.agents.position, atol=1e-4)
    np.testing.assert_allclose(segment.steps.reward[:, 0], rewards, atol=1e-6)
    np.testing.assert_allclose(segment.last.evaders[0], last.evaders, atol=1e-4)
    assert segment.last.age.tolist() == [6, 6] and int(last.age) == 6
