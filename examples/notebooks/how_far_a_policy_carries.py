# %% [markdown]
# # How far does a policy carry?
#
# A policy trained with ten pursuers runs with any number of them, against any evader, in a world of any size. But does
# it still work? Where does it stop working?

# %%
import matplotlib.pyplot as plt

import swarmbed

NAME = "pursuit-global-nn-extended"
EPISODES, HORIZON = 32, 200


def caught(who, **settings):
    """Share of episodes with a capture within the horizon."""
    task = swarmbed.make("pursuit", horizon=HORIZON, **settings)
    return float(swarmbed.evaluate(who, task, episodes=EPISODES, progress=False).summary()["captured_by"][-1])


# %% [markdown]
# ## More agents, fewer agents
#
# The policy was trained with ten.

# %%
sizes = (5, 10, 20)
by_size = {who: [caught(who, num_agents=size) for size in sizes] for who in (NAME, "voronoi_pursuit")}
for size, learned, classical in zip(sizes, *by_size.values(), strict=True):
    print(f"{size:3} pursuers: learned {100 * learned:3.0f} %, Voronoi {100 * classical:3.0f} %")

# %% [markdown]
# ## Faster and slower evaders
#
# The policy was trained against an evader that is twice as fast as the pursuers.

# %%
ratios = (1.5, 2.0, 3.0)
by_ratio = [caught(NAME, evader_speed_ratio=ratio) for ratio in ratios]
for ratio, share in zip(ratios, by_ratio, strict=True):
    print(f"evader {ratio} × as fast: {100 * share:3.0f} %")

# %% [markdown]
# ## Larger worlds
#
# The policy was trained in 100 × 100 units. Distances are divided by the largest that can be sensed, so a larger world
# looks the same to the policy but takes longer to cross.

# %%
sides = (70.0, 100.0, 140.0)
by_side = [caught(NAME, width=side, height=side) for side in sides]
for side, share in zip(sides, by_side, strict=True):
    print(f"world {side:.0f} × {side:.0f}: {100 * share:3.0f} %")

# %%
figure, axes = plt.subplots(1, 3, figsize=(9, 2.8), sharey=True)
for who, label in ((NAME, "learned"), ("voronoi_pursuit", "Voronoi")):
    axes[0].plot(sizes, by_size[who], "o-", label=label)
axes[1].plot(ratios, by_ratio, "o-")
axes[2].plot(sides, by_side, "o-")
labels = ("pursuers", "evader's speed ÷ pursuer's", "side of the world")
for axis, name, here in zip(axes, labels, (10, 2, 100), strict=True):
    axis.set(xlabel=name, ylim=(-0.05, 1.05))
    axis.axvline(here, color="#999999", linestyle=":")
axes[0].set_ylabel(f"caught within {HORIZON} steps")
axes[0].legend()
figure.tight_layout()
plt.show()

# %% [markdown]
# Dotted lines mark the training conditions. Thirty-two episodes give intervals of up to ± 17 points; the thousand
# episodes of `swarmbed compare` give ± 3.
