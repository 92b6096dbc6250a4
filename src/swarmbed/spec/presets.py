"""Named groups of settings; docs/learning.md and docs/training.md say what was measured with them.

``recipe`` is a different group for every task: what reached most there. docs/learning.md says how many seeds that did
not choose it confirm it.
"""

from swarmbed.spec.config import DEFAULTS, Config, merged
from swarmbed.spec.errors import SwarmbedError, choose

RECIPE = "recipe"
# Gradients through the simulator; the logarithm of the distances counts too once the swarm gathers.
_GATHER: Config = {
    "task": {"observation": "displacement", "horizon": 500},
    "algorithm": {"name": "analytic", "episodes": "continued", "initial_log_std": -4.0},
    "batch": {"environments": 32, "segment": 64},
    "run": {"iterations": 400, "checkpoint_every": 50, "schedule": ["precision_cost=0:0,0:150,0.03:200"]},
}
# Where agents see only a part of the swarm, a gradient that fades was confirmed.
_FADING = ["learning_rate=0.005:0,0.0005:250,0.0001:400", "gradient_kept=0.97:0,0.97:200,0.99:300"]
RECIPES: dict[str, Config] = {
    "rendezvous-global": _GATHER,
    "rendezvous-local": merged(_GATHER, {"run": {"schedule": [*_FADING, *_GATHER["run"]["schedule"]]}}),
    "pursuit-global": {
        "algorithm": {"initial_log_std": -0.7},
        "run": {"iterations": 120, "schedule": ["approach_cost=3:0,3:30,0:60"]},
    },
    # The swarm learns to close in on an evader that it sees from everywhere, and keeps it while sight shrinks. On the
    # last ten units it shrinks slowly, and noise stays: else most runs forget it there, or learn too little.
    "pursuit-local": {
        "task": {"observation": "comm"},
        "algorithm": {"initial_log_std": -0.7},
        "run": {
            "iterations": 450,
            "schedule": [
                "approach_cost=3:0,3:30,0:60",
                "sight_radius=70.7:0,70.7:60,30:110,20:230",
                "least_log_std=-0.9:0,-0.9:240,-2:320",
            ],
        },
    },
    # Each pursuer learns from the captures around it: with those of everybody, its own part drowns in noise.
    "multi-pursuit": {
        "task": {"observation": "basic", "credit_radius": 25.0, "distance_credit": "own"},
        "algorithm": {"initial_log_std": -0.7},
        "run": {"iterations": 60, "schedule": ["approach_cost=1:0,1:20,0:40"]},
    },
}
SAME_TASK = {"rendezvous": "rendezvous-global", "pursuit": "pursuit-global", "multi_pursuit": "multi-pursuit"}

PRESETS: dict[str, tuple[str, Config]] = {
    "paper": ("the paper's settings, which are the defaults", {}),
    RECIPE: (f"what learns the task most reliably, for {', '.join(RECIPES)}", {}),
    "calm": (
        "less exploration noise at the start, for pursuit",
        {"algorithm": {"initial_log_std": -0.7}},
    ),
    # One start in seven falls back to a chase; its critic tells by iteration 30.
    "few": (
        "pursuit by few pursuers: 4 to 8 of them, own distances, noise that stays, the best of three starts",
        {
            "task": {"num_agents": 8, "sizes": list(range(4, 9)), "distance_credit": "own"},
            "algorithm": {"initial_log_std": -0.7, "discount": 0.995},
            "run": {
                "iterations": 240,
                "starts": "3:30",
                "schedule": ["approach_cost=0.6:0,0.6:40,0:80", "least_log_std=-0.9:0,-0.9:120,-2:180"],
            },
        },
    ),
    "quick": (
        "rendezvous within a minute: gradients through the simulator",
        {
            "task": {"observation": "displacement", "horizon": 384},
            "algorithm": {
                "name": "analytic",
                "episodes": "continued",
                "gradient_kept": 0.97,
                "initial_log_std": -4.0,
            },
            "batch": {"environments": 32, "segment": 64},
            "run": {"iterations": 60, "checkpoint_every": 20, "schedule": ["learning_rate=0.005:0,0.0005:60"]},
        },
    ),
}


def preset(name: str, task: str | None = None) -> Config:
    """The settings of a preset, for the task of that name."""
    settings = PRESETS[choose("preset", name, tuple(PRESETS))][1]
    return recipe(DEFAULTS["task"] if task is None else task) if name == RECIPE else settings


def recipe(task: str) -> Config:
    variant = SAME_TASK.get(task, task)
    if variant not in RECIPES:
        raise SwarmbedError(f"there is no recipe for task {task!r}; there are recipes for {', '.join(RECIPES)}")
    return RECIPES[variant]
