"""Named settings beside the paper's; what was measured with them is in docs/training.md and docs/results.md."""

from swarmbed.config import Config
from swarmbed.errors import choose

PRESETS: dict[str, tuple[str, Config]] = {
    "paper": ("the paper's settings, which are the defaults", {}),
    "bold": (
        "larger trust region, calmer exploration, for pursuit; slows rendezvous down",
        {"algorithm": {"name": "trpo", "kl_bound": 0.03, "damping": 0.05, "initial_log_std": -0.7}},
    ),
}


def preset(name: str) -> Config:
    return PRESETS[choose("preset", name, tuple(PRESETS))][1]
