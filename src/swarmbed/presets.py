"""Named settings that were measured to serve a task better than the paper's; the evidence is in docs/training.md."""

from swarmbed.config import Config
from swarmbed.errors import choose

PRESETS: dict[str, tuple[str, Config]] = {
    "paper": ("the paper's settings, which are the defaults", {}),
    "bold": (
        "larger trust region, calmer exploration: finds the capture in pursuit, slows rendezvous down",
        {"algorithm": {"name": "trpo", "kl_bound": 0.03, "damping": 0.05, "initial_log_std": -0.7}},
    ),
}


def preset(name: str) -> Config:
    return PRESETS[choose("preset", name, tuple(PRESETS))][1]
