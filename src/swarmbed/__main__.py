"""``python -m swarmbed`` is the command line."""

import sys

from swarmbed.cli import main

sys.exit(main())
