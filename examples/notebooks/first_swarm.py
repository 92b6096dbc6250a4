# %% [markdown]
# # The first swarm
#
# Make a swarm, move it, let a trained policy drive it, and train a small policy yourself.

# %%
import jax
import matplotlib.pyplot as plt
import numpy as np

import swarmbed

# %% [markdown]
# ## An environment
#
# `make` returns a task. A task is an environment of pure functions: all randomness comes from a key.

# %%
env = swarmbed.make("rendezvous", num_agents=10, horizon=150)
observation, state = jax.jit(env.reset)(jax.random.key(0))
print("positions", state.agents.position.shape)
print("each agent senses", env.column_names.sets[0], "of", observation.sets[0].mask[0].sum(), "neighbours")

# %%
step = jax.jit(env.step)(jax.random.key(1), state, env.sample_action(jax.random.key(2)))
print("reward", step.reward, "terminated", step.terminated, "truncated", step.truncated, "info", step.info)

# %% [markdown]
# ## A trained policy
#
# This policy was trained with 20 agents. It drives 10 without any change, because it reads the neighbours as a set.

# %%
policy = swarmbed.load_policy("rendezvous-global-nn-extended")


def one_step(state, key):
    step = env.step(key, state, policy(env.observe(state)))
    return step.state, step.state.agents.position


last, path = jax.jit(lambda state, keys: jax.lax.scan(one_step, state, keys))(
    state, jax.random.split(jax.random.key(3), env.horizon)
)
path = np.concatenate([state.agents.position[None], path])

figure, axes = plt.subplots(figsize=(4, 4))
axes.plot(path[:, :, 0], path[:, :, 1], color="#0072b2", linewidth=0.8)
axes.plot(*path[0].T, "o", color="#0072b2", markerfacecolor="white")
axes.plot(*path[-1].T, "o", color="#d55e00")
axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal", title="ten agents meet")
plt.show()

# %% [markdown]
# One episode is an anecdote. `evaluate` runs many episodes, from starts that depend only on the seed.

# %%
print(swarmbed.evaluate(policy, env, episodes=32, progress=False))

# %% [markdown]
# ## Train a policy
#
# Five agents whose actions are velocities, a small batch, twelve iterations: enough to see the return rise. Plain
# `swarmbed.train("rendezvous")` trains at the paper's size, which takes minutes.

# %%
small = swarmbed.make("rendezvous", num_agents=5, horizon=150, dynamics="single")
result = swarmbed.train(
    small,
    iterations=12,
    batch=swarmbed.BatchSettings(environments=24, segment=64),
    out="runs/first-swarm",
    overwrite=True,
    progress=False,
)
trained = swarmbed.evaluate(result.policy, episodes=32, progress=False).returns.mean()
random = swarmbed.evaluate("random", small, episodes=32, progress=False).returns.mean()
print(f"mean return: random {random:.1f}, after twelve small iterations {trained:.1f}")
