"""Named groups of settings; docs/training.md and docs/results.md say what was measured with them."""

from swarmbed.spec.config import Config
from swarmbed.spec.errors import choose

PRESETS: dict[str, tuple[str, Config]] = {
    "paper": ("the paper's settings, which are the defaults", {}),
    "calm": (
        "less exploration noise at the start, for pursuit",
        {"algorithm": {"initial_log_std": -0.7}},
    ),
    "quick": (
        "rendezvous within a minute: gradients through the simulator",
        {
            "task": {"observation": "displacement"},
            "algorithm": {"name": "analytic"},
            "batch": {"environments": 16, "segment": 128},
            "run": {"iterations": 60, "checkpoint_every": 20, "schedule": ["learning_rate=0.005:0,0.0005:60"]},
        },
    ),
}


def preset(name: str) -> Config:
    return PRESETS[choose("preset", name, tuple(PRESETS))][1]
