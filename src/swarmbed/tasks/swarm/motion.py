"""How a swarm starts, moves, and gains and loses agents."""

from dataclasses import dataclass, replace
from math import pi
from typing import TypeVar

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, PRNGKeyArray

from swarmbed.sim.unicycle import Agents
from swarmbed.tasks import turnover
from swarmbed.tasks.base import State
from swarmbed.tasks.disturbances import messages, moving
from swarmbed.tasks.disturbances.state import begin, with_newcomers
from swarmbed.tasks.swarm.presence import PresentSwarm

Own = TypeVar("Own", bound="MovingSwarm")


@dataclass(frozen=True)
class MovingSwarm(PresentSwarm):
    """Unicycles that start at random places and go where their actions take them."""

    def random_positions(self, key: PRNGKeyArray, count: int) -> Float[Array, "count 2"]:
        """Uniform in the inner part of the world."""
        size = jnp.array([self.width, self.height])
        low, high = self.start_margin, 1 - self.start_margin
        return size * jax.random.uniform(key, (count, 2), minval=low, maxval=high)

    def initial(self, key: PRNGKeyArray) -> State:
        position_key, heading_key, rest_key = jax.random.split(key, 3)
        state = State(self.random_agents(position_key, heading_key))
        if len(self.sizes):
            size_key, rest_key = jax.random.split(rest_key)
            state = state._replace(present=turnover.draw_present(size_key, self.num_agents, self.sizes))
        return begin(self, self.populate(state, rest_key), key)

    def random_agents(self, position_key: PRNGKeyArray, heading_key: PRNGKeyArray) -> Agents:
        """All agents at rest at random positions."""
        position = self.random_positions(position_key, self.num_agents)
        return self.body.at_rest(position, jax.random.uniform(heading_key, (self.num_agents,), maxval=2 * pi))

    def come_and_go(self, state: State, key: PRNGKeyArray) -> State:
        if not (self.loss_rate or self.join_rate):
            return state
        turnover_key, position_key, heading_key = jax.random.split(key, 3)
        newcomers = self.random_agents(position_key, heading_key)
        rates = self.loss_rate, self.join_rate, self.control_seconds
        after = turnover.come_and_go(turnover_key, state, newcomers, *rates)
        return with_newcomers(after, after.present & ~state.present)

    def resized(self: Own, num_agents: int) -> Own:
        return replace(self, num_agents=num_agents, sizes=())

    def transition(self, state: State, action: Float[Array, "N 2"], key: PRNGKeyArray) -> State:
        """All agents move according to their actions."""
        self.check_action(action)
        return self.move_agents(state, action)

    def move_agents(self, state: State, action: Float[Array, "N 2"]) -> State:
        """Agents one step further, as far as their disturbances let them."""
        if state.disturbance is None:
            return state._replace(agents=self.body.move(state.agents, action, self.space))
        fastest, still = moving.top_speed(state, self.max_speed), moving.stands_still(self, state)
        agents = self.body.move(state.agents, moving.disturbed_action(state, action), self.space, fastest)
        agents = agents if still is None else moving.held(still, state.agents, agents)
        return state._replace(agents=agents, disturbance=messages.remember(self, state))

    def terminated(self, state: State) -> Bool[Array, ""]:
        """Only time ends the episode."""
        return jnp.array(False)

    def populate(self, state: State, key: PRNGKeyArray) -> State:
        """Add what a task has besides agents."""
        return state
