# %% [markdown]
# # Looking inside a mean embedding
#
# A pursuer turns its neighbours into 64 numbers: the mean over the neighbours of 64 features φ(o), one ReLU unit each.
# What do these units respond to? Each reads one neighbour at a time, so its response can be plotted: put a neighbour at
# every position around the agent and colour that position by the unit's output.

# %%
import jax
import jax.numpy as jnp
import matplotlib.pyplot as plt
import numpy as np

import swarmbed

policy = swarmbed.load_policy("pursuit-global-nn-extended")
task = policy.task
weight, bias = (np.asarray(policy.params.network["embeddings"][0][0][name]) for name in ("weight", "bias"))
print(task.column_names.sets[0], weight.shape)

# %% [markdown]
# ## Receptive fields
#
# The agent is in the middle of each square and faces up. A neighbour that faces the same way is moved over the whole
# square, 70 units wide. Units are ordered by importance: the spread of their response times the norm of the weights
# that read them.

# %%
reach = 35.0
across = np.linspace(-reach, reach, 61)
x, y = np.meshgrid(across, across)  # y ahead, x to the right
distance = np.hypot(x, y)
scaled = distance / task.space.diameter
ahead, left = (part / np.maximum(distance, 1e-9) for part in (y, -x))
places = np.stack([scaled, ahead, left, np.ones_like(x), np.zeros_like(x)], -1)
response = np.maximum(places @ weight + bias, 0.0)

readers = np.asarray(policy.params.network["head"][0]["weight"])[-64:]
importance = response.std((0, 1)) * np.linalg.norm(readers, axis=1)
order = np.argsort(-importance)

figure, axes = plt.subplots(8, 8, figsize=(7, 7))
for axis, unit in zip(axes.flat, order, strict=True):
    axis.imshow(response[..., unit], origin="lower", extent=(-reach, reach) * 2, cmap="magma")
    axis.plot(0, 0, "^", color="white", markersize=3)
    axis.set_axis_off()
figure.suptitle("what 64 features respond to: a neighbour at every place around the agent", y=0.93)
plt.show()

# %% [markdown]
# Most units are *sectors*: they fire for neighbours in some direction, wide or narrow, near or far. A few respond to
# close neighbours on one side only, and some never fire. That is what a ReLU of distance, cosine and sine can do. The
# mean of a sector over the swarm is roughly the share of the swarm in that direction, so together they form a soft
# histogram of where the others are, with bins placed by training.

# %%
dead = int((response.max((0, 1)) == 0).sum())
share = float((response > 0).mean())
effective = float(np.exp(-(p := importance / importance.sum()) @ np.log(np.maximum(p, 1e-12))))
print(f"{dead} of 64 units never fire here; a unit fires on {100 * share:.0f} % of the places on average")
print(f"importance is spread as if {effective:.0f} units mattered equally")

# %% [markdown]
# ## What one neighbour does to the action
#
# Now look at the whole policy. The evader is 20 units ahead; one neighbour is moved over the plane. The colour is the
# turn that the policy commands, before clipping to [−1, 1], relative to its mean over all positions: red is more to the
# left, blue more to the right.

# %%
count = x.size
local = jnp.tile(jnp.array([20.0 / task.space.diameter, 1.0, 0.0]), (count, 1))
elements = jnp.asarray(places.reshape(count, 1, 5), jnp.float32)
observation = swarmbed.Observation(local, (swarmbed.ObservedSet(elements, jnp.ones((count, 1), bool)),))
action = np.asarray(jax.jit(lambda observation: policy(observation))(observation)).reshape(*x.shape, -1)
turn = action[..., 1]
largest = np.abs(turn - turn.mean()).max()

figure, axes = plt.subplots(figsize=(4.6, 4))
look = {"origin": "lower", "extent": (-reach, reach) * 2, "cmap": "coolwarm", "vmin": -largest, "vmax": largest}
shown = axes.imshow(turn - turn.mean(), **look)
axes.plot(0, 0, "^", color="black")
axes.plot(0, 20, "o", color="#d55e00")
axes.set(xlabel="neighbour to the right (units)", ylabel="neighbour ahead (units)")
figure.colorbar(shown, label="turn, relative to its mean")
plt.show()

# %%
right, left_side = turn[:, x[0] > 2].mean(), turn[:, x[0] < -2].mean()
print(f"mean turn with the neighbour on the right {right:+.2f}, on the left {left_side:+.2f} (positive: to the left)")

# %% [markdown]
# The turn is positive everywhere: with the evader straight ahead, this policy turns left and so circles it. The
# position of the neighbour changes how sharply.
#
# ## What it loses
#
# Two swarms that the policy cannot tell apart: three neighbours, and each of them twice. The embedding is the same, so
# the action is the same. The embedding does not contain the number of neighbours.

# %%
three = jnp.asarray(places[[10, 30, 50], [40, 20, 55]], jnp.float32)
once = swarmbed.Observation(local[:1], (swarmbed.ObservedSet(three[None], jnp.ones((1, 3), bool)),))
six = jnp.concatenate([three, three])
twice = swarmbed.Observation(local[:1], (swarmbed.ObservedSet(six[None], jnp.ones((1, 6), bool)),))
print("difference of the actions:", float(jnp.abs(policy(once) - policy(twice)).max()))
