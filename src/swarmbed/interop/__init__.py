"""Swarms behind the interfaces that other people's training code expects.

from swarmbed.interop.pettingzoo import parallel_env     # one swarm, agents by name
from swarmbed.interop.gymnasium import make_vec          # many swarms, every agent a sub-environment
"""

from swarmbed.spec.errors import SwarmbedError


def missing(error: ModuleNotFoundError) -> SwarmbedError:
    """The sentence for a package that is not installed."""
    package = str(error.name).partition(".")[0]
    return SwarmbedError(f"swarmbed.interop needs the package {package!r}, which is missing: install swarmbed[interop]")
