"""A learner's batch comes from agents that are there, and from nothing that absent ones hold.

Every episode of the task here starts with other agents, so that one segment of an environment's life sees several
swarms, and an agent that is there in one of them is absent in the next.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed.embeddings.moments import Moments
from swarmbed.learn.experience import act_with, collect, make_batch
from swarmbed.learn.learner import BatchSettings, Learner
from swarmbed.networks.perceptron import Perceptron
from swarmbed.spec.settings import setting
from swarmbed.tasks.base import Observation, ObservedSet, State
from toy_task import Drift

ENVIRONMENTS, STEPS, SAMPLED = 6, 10, 3


@dataclass(frozen=True)
class RollCall(Drift):
    """Drift of five points of which each is there by chance, and at least one always; absent ones hold ``garbage``."""

    num_agents: int = setting(5, "number of points", at_least=1)
    horizon: int = setting(4, "steps of an episode", at_least=1)
    garbage: float | None = setting(None, "what stands in the place of absent agents; left out: no number at all")
    end: float = setting(0.8, "the episode ends where the mean of the points is beyond this")

    def initial(self, key: Any) -> State:
        state = super().initial(key)
        there = jax.random.bernoulli(jax.random.fold_in(key, 1), 0.5, (self.num_agents,))
        return self.littered(
            state._replace(present=there.at[jax.random.randint(key, (), 0, self.num_agents)].set(True))
        )

    def littered(self, state: State) -> State:
        garbage = jnp.nan if self.garbage is None else self.garbage
        return state._replace(agents=jax.tree.map(lambda leaf: self.of_present(state, leaf, garbage), state.agents))

    def of_present(self, state: State, rows: Any, otherwise: Any = 0.0) -> Any:
        return jnp.where(state.present.reshape(-1, *[1] * (rows.ndim - 1)), rows, otherwise)

    def transition(self, state: State, action: Any, key: Any) -> State:
        return self.littered(super().transition(state, action, key))

    def observe(self, state: State) -> Observation:
        position = state.agents.position
        others = state.present[None, :] & ~jnp.eye(self.num_agents, dtype=bool)
        return Observation(position, (ObservedSet(position[None, :] - position[:, None], others),))

    def mean(self, state: State) -> Any:
        return self.of_present(state, jnp.abs(state.agents.position).mean(-1)).sum() / state.present.sum()

    def reward(self, state: State, action: Any, next_state: State) -> Any:
        return -self.mean(next_state)

    def terminated(self, state: State) -> Any:
        return self.mean(state) > self.end

    def measure(self, state: State) -> dict[str, Any]:
        return {"offset": self.mean(state)}


@pytest.fixture(scope="module")
def learned(quick_jit: Any) -> Any:
    """``learned(task)``: a segment that an untrained policy lived through, and the batch that is made of it."""

    @cache
    def run(task: RollCall) -> Any:
        settings = BatchSettings(environments=ENVIRONMENTS, segment=STEPS, sampled_agents=SAMPLED)
        learner = Learner(task, Moments(order=1), batch=settings, network=Perceptron(hidden=(3,)))
        start_key, run_key, batch_key = jax.random.split(jax.random.key(0), 3)

        def both() -> Any:
            state, how = learner.init(start_key), learner.sampling(1)
            act = act_with(task, learner.policy_model, state.policy)
            _, segment = collect(task, act, state.environments, run_key, how)
            return segment, make_batch(task, learner.value, state.critic, learner.algorithm, segment, batch_key, how)

        return jax.tree.map(np.asarray, quick_jit(both)())

    return run


NOTHING, HUGE = RollCall(), RollCall(garbage=1e9)


def test_the_segment_holds_episodes_with_different_agents(learned: Any) -> None:
    # Else the tests below would ask for nothing: agents come and go at every start, and some are never there.
    steps = learned(NOTHING)[0].steps
    present = steps.state.present
    assert np.isnan(steps.state.agents.position[~present]).all()
    assert (present[1:] != present[:-1]).any(axis=2)[steps.truncated[:-1]].any()
    assert (present.sum(-1) < SAMPLED).any()
    assert steps.truncated.any()
    assert steps.terminated.any()


def test_every_number_of_a_batch_is_finite_though_absent_agents_hold_none(learned: Any) -> None:
    segment, batch = learned(NOTHING)
    assert len(batch.advantage) == ENVIRONMENTS * STEPS * SAMPLED
    for name, part in batch._asdict().items():
        assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(part)), name
    assert np.isfinite(segment.steps.reward).all()
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(segment.tally))


def test_samples_are_positions_of_agents_that_were_there(learned: Any) -> None:
    segment, batch = learned(HUGE)
    state = segment.steps.state
    there = {tuple(row) for row in state.agents.position[state.present].tolist()}
    samples = [tuple(row) for row in batch.inputs.local.tolist()]
    assert set(samples) <= there
    assert len(set(samples)) > len(there) / 3


def test_a_batch_is_the_same_whatever_absent_agents_hold(learned: Any) -> None:
    one, other = learned(NOTHING)[1], learned(HUGE)[1]
    for a, b in zip(jax.tree.leaves(one), jax.tree.leaves(other), strict=True):
        np.testing.assert_array_equal(a, b)
