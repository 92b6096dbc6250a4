# %% [markdown]
# # Classical against learned
#
# Rendezvous has a good classical solution: drive towards the centroid of your neighbours. Pursuit of a faster evader
# has a decent one: shrink its Voronoi cell. How do policies trained from scratch compare? All get the same starts and
# the same random events.

# %%
import matplotlib.pyplot as plt

import swarmbed

# %%
meeting = swarmbed.make("rendezvous", horizon=200)
rendezvous = swarmbed.compare(
    {"consensus": "consensus", "learned": "rendezvous-global-nn-extended"}, meeting, episodes=32, progress=False
)
print(rendezvous)

# %% [markdown]
# The tuned controller is faster: this task is almost linear, and consensus is nearly the best that can be done.

# %%
chase = swarmbed.make("pursuit", horizon=200)
pursuit = swarmbed.compare(
    {"voronoi": "voronoi_pursuit", "learned": "pursuit-global-nn-extended"}, chase, episodes=32, progress=False
)
print(pursuit)

# %% [markdown]
# In pursuit it is the other way round. The learned pursuers spread, circle the evader and close in together; each
# Voronoi pursuer only considers the boundary of its own cell.

# %%
for name, comparison in (("rendezvous", rendezvous), ("pursuit", pursuit)):
    comparison.draw(f"{name}.png")
    plt.figure(figsize=(7, 4))
    plt.imshow(plt.imread(f"{name}.png"))
    plt.axis("off")
plt.show()
