# %% [markdown]
# # Your own task, in a cell
#
# Twelve agents should form a ring around the middle of the world. The class below is all it takes: no file, no
# registration. `SwarmTask` provides the world, unicycles, neighbours and walls.

# %%
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt

import swarmbed


# %%
@dataclass(frozen=True)
class Ring(swarmbed.SwarmTask):
    """A ring around the middle: r = −(mean distance to the ring) / radius."""

    metrics = (swarmbed.Metric("off_ring", "distance to the ring", unit="units", better="lower"),)

    num_agents: int = swarmbed.setting(12, "number of agents", at_least=1)
    horizon: int = swarmbed.setting(120, "time steps after which an episode is truncated", at_least=1)
    radius: float = swarmbed.setting(25.0, "radius of the ring, units", above=0)

    def transition(self, state, action, key):
        self.check_action(action)
        return state._replace(agents=self.body.move(state.agents, action, self.space))

    def to_middle(self, state):
        return jnp.array([self.width, self.height]) / 2 - state.agents.position

    def off_ring(self, state):
        off = jnp.abs(jnp.linalg.norm(self.to_middle(state), axis=1) - self.radius)
        return jnp.where(state.present, off, 0.0).sum() / jnp.maximum(self.population(state), 1)

    def reward(self, state, action, next_state):
        return -self.off_ring(next_state) / self.radius

    def terminated(self, state):
        return jnp.array(False)

    def measure(self, state):
        return {"off_ring": self.off_ring(state)}

    def sense(self, state, viewers, transmitted):
        """What every SwarmTask senses, and the position of the middle in the agent's own frame."""
        x, y = self.to_middle(state)[viewers].T / self.radius
        heading = state.agents.heading[viewers]
        ahead = x * jnp.cos(heading) + y * jnp.sin(heading)
        left = -x * jnp.sin(heading) + y * jnp.cos(heading)
        own = {**self.sense_self(state, viewers), "middle ahead": ahead, "middle left": left}
        return swarmbed.Sensed(own, (self.sense_neighbours(state, viewers, transmitted),))


# %% [markdown]
# It is an environment right away. If it were in a file, `swarmbed check ring.py` would test that it keeps the promises
# that the rest of the library relies on.

# %%
ring = Ring(dynamics="single")  # actions are velocities
observation, state = jax.jit(ring.reset)(jax.random.key(0))
print(ring.column_names.local, observation.local.shape)

# %% [markdown]
# Train a policy for a few seconds, and compare it with random actions from the same starts.

# %%
result = swarmbed.train(
    ring,
    iterations=20,
    batch=swarmbed.BatchSettings(environments=24, segment=60),
    out="runs/ring",
    overwrite=True,
    progress=False,
)
comparison = swarmbed.compare({"trained": result.policy, "random": "random"}, ring, episodes=32, progress=False)
print(comparison)


# %%
def one_step(state, key):
    step = ring.step(key, state, result.policy.act(state))
    return step.state, step.reward


keys = jax.random.split(jax.random.key(1), ring.horizon)
episode, rewards = jax.jit(lambda state: jax.lax.scan(one_step, state, keys))(state)
figure, axes = plt.subplots(figsize=(4, 4))
axes.add_patch(plt.Circle((50, 50), ring.radius, fill=False, color="#999999"))
axes.plot(*state.agents.position.T, "o", color="#0072b2", markerfacecolor="white", label="start")
axes.plot(*episode.agents.position.T, "o", color="#0072b2", label="end")
axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal")
axes.legend()
plt.show()
