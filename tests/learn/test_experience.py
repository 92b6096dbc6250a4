"""From a segment to a batch, with a swarm that only counts: reward 1 per step, and a critic that reads the clock.

Every agent senses its own name and the clock, so that each row of a batch says where it came from. γ = λ = ½.
"""

from dataclasses import dataclass, replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array
from jaxtyping import Bool, Float, PRNGKeyArray

from swarmbed.algorithms.base import Batch, PolicyParams
from swarmbed.algorithms.trpo import Trpo
from swarmbed.embeddings.moments import Moments
from swarmbed.learn import rollout
from swarmbed.learn.critic import Critic, Value
from swarmbed.learn.experience import Sampling, act_with, collect, make_batch
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.networks.perceptron import Inputs, PerceptronModel
from swarmbed.sim.unicycle import Agents
from swarmbed.spec.observation import Layout
from swarmbed.tasks.base import Observation, State, Task

KEY = jax.random.key(0)
HOW = Sampling(environments=3, steps=4, agents=2, group=1)
HALVES = Trpo(discount=0.5, gae_lambda=0.5)


@dataclass(frozen=True)
class Counting(Task):
    """The heading is the clock, x is the agent's name: a random number for its swarm, and its index."""

    num_agents: int = 5
    ends_at: Any = 1000

    def initial(self, key: PRNGKeyArray) -> State:
        name = 10.0 * jax.random.randint(key, (), 1, 10**5) + jnp.arange(self.num_agents)
        return State(Agents(jnp.stack([name, jnp.zeros(self.num_agents)], -1), jnp.zeros(self.num_agents)))

    def transition(self, state: State, action: Float[Array, "N A"], key: PRNGKeyArray) -> State:
        return state._replace(agents=state.agents._replace(heading=state.agents.heading + 1))

    def observe(self, state: State) -> Observation:
        return Observation(jnp.stack([state.agents.x, state.agents.heading], -1), ())

    def reward(self, state: State, action: Float[Array, "N A"], next_state: State) -> Float[Array, ""]:
        return jnp.ones(())

    def terminated(self, state: State) -> Bool[Array, ""]:
        return state.agents.heading[0] >= self.ends_at


@dataclass(frozen=True)
class ClockReader(Value):
    """V(s) = clock."""

    def predict(self, critic: Critic, inputs: Inputs) -> Float[Array, " B"]:
        return inputs.local[:, 1]


CLOCK = ClockReader(PerceptronModel(Layout(2, ()), 1, Moments(), ()), 1e-3, 1, 1)
NOBODY = Critic({}, (), jnp.zeros(()), jnp.ones(()), jnp.zeros(()))


def telling(state: State, transmitted: Array | None, key: PRNGKeyArray) -> tuple[Array, Array]:
    """Actions and means that tell whose they are and when."""
    name, clock = state.agents.position[..., 0], state.agents.heading
    return jnp.stack([name, clock], -1), jnp.stack([clock + 0.5, -name], -1)


@pytest.fixture(scope="module")
def batch_of(quick_jit: Any) -> Any:
    """``batch_of(task, algorithm, seed)``: four steps of three swarms from the start, two agents of each."""

    def run(key: PRNGKeyArray, numbers: dict[str, Array], task: Task, algorithm: Trpo) -> Batch:
        task = replace(task, **numbers)
        begin = rollout.start(task, KEY, HOW.environments, random_age=False)
        _, segment = rollout.rollout(task, telling, begin, KEY, HOW.steps)
        return make_batch(task, CLOCK, NOBODY, algorithm, segment, key, HOW)

    program = quick_jit(run, static_argnums=(2, 3))

    def call(task: Task, algorithm: Trpo = HALVES, seed: int = 1) -> Batch:
        # Tasks that differ only in when they end and who is there share a program.
        numbers = {name: getattr(task, name) for name in ("ends_at", "there") if hasattr(task, name)}
        alike = replace(task, **dict.fromkeys(numbers, 0))
        return jax.tree.map(np.asarray, program(jax.random.key(seed), numbers, alike, algorithm))

    return call


def targets_by_time(batch: Batch) -> list[list[float]]:
    """(clock, target) of every sample, each pair once."""
    pairs = np.stack([batch.inputs.local[:, 1], batch.target], -1)
    return np.unique(pairs, axis=0).tolist()


def test_a_truncation_bootstraps_from_the_state_that_was_cut_off(batch_of: Any) -> None:
    # Clocks 0, 1, 2 and, after the reset, 0. What follows is worth 1, 2, 3 (not the next start's 0) and 1.
    # δ = 1 + ½V′ − V = 1.5, 1, 0.5 | 1.5.   Â = 1.5 + 1.125/4, 1 + 0.5/4, 0.5 | 1.5.   Target = Â + V.
    assert targets_by_time(batch_of(Counting(horizon=3))) == [[0, 1.5], [0, 1.78125], [1, 2.125], [2, 2.5]]


def test_with_a_terminal_time_limit_nothing_follows_the_cut(batch_of: Any) -> None:
    # δ of the third step is 1 − 2 = −1.   Â = 1.5 + 0.75/4, 1 − 1/4, −1 | 1.5.
    found = batch_of(Counting(horizon=3), replace(HALVES, time_limit="terminal"))
    assert targets_by_time(found) == [[0, 1.5], [0, 1.6875], [1, 1.75], [2, 1.0]]


def test_a_termination_does_not_bootstrap(batch_of: Any) -> None:
    # Episodes end when the clock shows 2: clocks 0, 1 | 0, 1.   δ = 1.5, 1 − 1 = 0.
    assert targets_by_time(batch_of(Counting(ends_at=2))) == [[0, 1.5], [1, 1.0]]


def test_several_truncations_within_a_segment_each_have_their_own_state(batch_of: Any) -> None:
    # Cut off after every step: V′ = 1 each time, target = 1 + ½.
    assert targets_by_time(batch_of(Counting(horizon=1))) == [[0, 1.5]]


@dataclass(frozen=True)
class Paid(Counting):
    """Each agent learns from its own number within the swarm, not from the reward of 1."""

    def credit(self, state: State, action: Float[Array, "N A"], next_state: State) -> Float[Array, " N"] | None:
        return state.agents.x % 10


def test_agents_with_credit_of_their_own_learn_from_that_alone(batch_of: Any) -> None:
    # Agent i is paid i per step until the clock shows 2: δ = i + ½ − 0, i − 1.   Â = i + ½ + (i − 1)/4, i − 1.
    batch = batch_of(Paid(ends_at=2))
    name, clock = batch.inputs.local.T
    paid = name % 10
    assert len(set(paid)) > 1
    np.testing.assert_allclose(batch.target, np.where(clock == 0, 1.25 * paid + 0.25, paid), atol=1e-5)


def test_actions_means_values_and_inputs_stay_together(batch_of: Any) -> None:
    batch = batch_of(Counting())
    name, clock = batch.inputs.local.T
    assert np.array_equal(batch.action, np.stack([name, clock], -1))
    assert np.array_equal(batch.mean, np.stack([clock + 0.5, -name], -1))
    assert np.array_equal(batch.value, clock)


def test_advantages_are_standardised_and_stay_with_their_targets(batch_of: Any) -> None:
    batch = batch_of(Counting(horizon=3))
    plain = batch.target - batch.value
    assert batch.advantage == pytest.approx((plain - plain.mean()) / plain.std(), abs=1e-5)


def test_two_different_agents_of_every_swarm_are_seen_at_every_step(batch_of: Any) -> None:
    batch = batch_of(Counting())
    names, counts = np.unique(batch.inputs.local[:, 0], return_counts=True)
    assert len(names) == HOW.environments * HOW.agents
    assert counts.tolist() == [HOW.steps] * len(names)
    swarms, members = np.unique(names // 10, return_counts=True)
    assert len(swarms) == HOW.environments
    assert members.tolist() == [HOW.agents] * HOW.environments
    for name in names:
        clocks = batch.inputs.local[batch.inputs.local[:, 0] == name, 1]
        assert sorted(clocks) == [0, 1, 2, 3]


def test_another_key_looks_at_other_agents(batch_of: Any) -> None:
    one, two = (set(batch_of(Counting(), seed=seed).inputs.local[:, 0]) for seed in (1, 2))
    assert one != two


def test_samples_come_in_random_order(batch_of: Any) -> None:
    clocks = batch_of(Counting()).inputs.local[:, 1]
    assert not np.array_equal(clocks, np.sort(clocks))


@pytest.mark.parametrize(("num_agents", "looked_at"), [(3, 3), (8, 8), (20, 8)])
def test_at_most_eight_agents_of_a_swarm_are_looked_at(num_agents: int, looked_at: int) -> None:
    assert Learner(Counting(num_agents), Moments(), Trpo(), BatchSettings()).sampling(1).agents == looked_at


def test_collecting_group_by_group_keeps_states_and_actions_together(quick_jit: Any) -> None:
    task, network = Counting(horizon=3), PerceptronModel(Layout(2, ()), 2, Moments(), ())
    how = Sampling(environments=4, steps=5, agents=2, group=2)
    # The mean action is (clock, −clock) and the first number has next to no noise.
    weight = jnp.array([[0.0, 0.0], [1.0, -1.0]])
    head = ({"weight": weight, "bias": jnp.zeros(2)},)
    params = PolicyParams({"embeddings": (), "head": head}, jnp.array([-20.0, 0.0]))

    def run(key: PRNGKeyArray) -> Any:
        return collect(task, act_with(task, network, params), rollout.start(task, key, 4, random_age=False), key, how)

    environments, segment = jax.tree.map(np.asarray, quick_jit(run)(KEY))
    clock = segment.steps.state.agents.heading
    assert clock.shape == (5, 4, 5)
    assert clock[:, 0, 0].tolist() == [0, 1, 2, 0, 1]
    assert np.array_equal(segment.steps.extra, np.stack([clock, -clock], -1))
    assert segment.steps.action[..., 0] == pytest.approx(clock, abs=1e-5)
    assert segment.steps.truncated[:, 1].tolist() == [False, False, True, False, False]
    assert segment.cut_off.agents.heading[0].tolist() == [[3.0] * 5] * 4
    assert np.array_equal(segment.last.agents.position, environments.state.agents.position)
    assert segment.last.agents.heading.tolist() == [[2.0] * 5] * 4
    # Every environment goes on where it was: x, the name, is the same in its last step and afterwards.
    assert np.array_equal(segment.steps.state.agents.position[4], environments.state.agents.position)
    # One whole episode each: three steps of reward 1.
    assert [float(number) for number in segment.tally[:3]] == [4, 12, 12]


def test_actions_scatter_around_the_mean_with_the_policys_deviation(quick_jit: Any) -> None:
    task, network = Counting(num_agents=50), PerceptronModel(Layout(2, ()), 2, Moments(), ())
    head = ({"weight": jnp.zeros((2, 2)), "bias": jnp.array([3.0, -4.0])},)
    params = PolicyParams({"embeddings": (), "head": head}, jnp.log(jnp.array([0.5, 2.0])))

    def run(key: PRNGKeyArray) -> Any:
        states = jax.vmap(task.initial)(jax.random.split(key, 40))
        return act_with(task, network, params)(states, None, key)

    action, mean = jax.tree.map(np.asarray, quick_jit(run)(KEY))
    assert np.unique(mean.reshape(-1, 2), axis=0).tolist() == [[3, -4]]
    # 2000 draws: five standard errors are 5/√2000 = 0.11 deviations for the mean, 5/√4000 = 8 % for the deviation.
    assert action.reshape(-1, 2).mean(0) == pytest.approx([3, -4], abs=0.23)
    assert action.reshape(-1, 2).std(0) == pytest.approx([0.5, 2.0], rel=0.08)


@dataclass(frozen=True)
class Dwindling(Counting):
    """Only the first ``there`` of the agents are there; the others hold nonsense."""

    there: Any = 3

    def initial(self, key: PRNGKeyArray) -> State:
        state = super().initial(key)
        present = jnp.arange(self.num_agents) < self.there
        nonsense = jnp.where(present[:, None], state.agents.position, jnp.nan)
        return state._replace(agents=state.agents._replace(position=nonsense), present=present)


@pytest.mark.parametrize("there", [1, 2, 3])
def test_a_batch_holds_samples_of_present_agents_only(batch_of: Any, there: int) -> None:
    batch = batch_of(Dwindling(there=there))
    indices = batch.inputs.local[:, 0] % 10
    assert np.isfinite(np.asarray(batch.advantage)).all()
    assert set(indices.tolist()) <= set(range(there))
    # Two agents per swarm are looked at; where only one is there, each of its samples appears twice.
    rows, times = np.unique(batch.inputs.local, axis=0, return_counts=True)
    assert set(times.tolist()) == {2 if there == 1 else 1}
    assert len(rows) == (12 if there == 1 else 24)


def test_advantages_are_standardised_over_present_agents_only(batch_of: Any) -> None:
    batch = batch_of(Dwindling(there=1), HALVES)
    unique = np.unique(np.column_stack([batch.inputs.local, batch.advantage]), axis=0)[:, -1]
    assert unique.mean() == pytest.approx(0, abs=1e-5)
    assert unique.std() == pytest.approx(1, abs=1e-3)


@dataclass(frozen=True)
class Leaving(Counting):
    """Both agents are there at first; the first one leaves with the second step and comes back with the fourth."""

    num_agents: int = 2

    def come_and_go(self, state: State, key: PRNGKeyArray) -> State:
        away = (state.age == 2) | (state.age == 3)
        return state._replace(present=~(away & (jnp.arange(2) == 0)))


def test_an_agent_that_leaves_ends_its_own_stream_and_not_the_swarms(batch_of: Any) -> None:
    # V = clock. Who stays: δ = 1.5, 1, 0.5, 0.   Â = 1.5 + 1.125/4, 1 + 0.5/4, 0.5, 0.
    # Who leaves: nothing follows its second step, δ = 1 − 1 = 0; Â = 1.5, 0. It was not there at clocks 2 and 3.
    batch = batch_of(Leaving())
    name = batch.inputs.local[:, 0] % 10
    leaves, stays = (jax.tree.map(lambda leaf, who=who: leaf[name == who], batch) for who in (0, 1))
    assert targets_by_time(stays) == [[0, 1.78125], [1, 2.125], [2, 2.5], [3, 3.0]]
    assert targets_by_time(leaves) == [[0, 1.5], [1, 1.0]]


def test_an_agent_that_leaves_as_the_time_runs_out_has_left(batch_of: Any) -> None:
    # Cut off after two steps. Who stays: V′ = 2, δ = 1.5, 1; Â = 1.75, 1. Who leaves: V′ = 0, δ = 1.5, 0.
    batch = batch_of(Leaving(horizon=2))
    name = batch.inputs.local[:, 0] % 10
    leaves, stays = (jax.tree.map(lambda leaf, who=who: leaf[name == who], batch) for who in (0, 1))
    assert targets_by_time(stays) == [[0, 1.75], [1, 2.0]]
    assert targets_by_time(leaves) == [[0, 1.5], [1, 1.0]]
