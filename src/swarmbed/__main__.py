"""``python -m swarmbed`` is the command line."""

from swarmbed.cli.main import entry

entry()
