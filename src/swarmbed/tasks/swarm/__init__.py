"""What the tasks share: unicycles in a rectangular world that sense their neighbours.

One idea per file, each a class that adds it to the one before:

    settings → presence → motion → search → senses (:class:`SwarmTask`)
"""

from swarmbed.tasks.swarm.columns import CLOSE as CLOSE
from swarmbed.tasks.swarm.columns import NEAR as NEAR
from swarmbed.tasks.swarm.columns import Columns as Columns
from swarmbed.tasks.swarm.columns import Sensed as Sensed
from swarmbed.tasks.swarm.columns import direction_columns as direction_columns
from swarmbed.tasks.swarm.columns import located_columns as located_columns
from swarmbed.tasks.swarm.senses import SwarmTask as SwarmTask
