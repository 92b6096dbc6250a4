"""``python -m swarmbed`` is the command line."""

import sys

from swarmbed.cli.main import main

sys.exit(main())
