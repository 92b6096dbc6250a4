"""How each number that an agent senses or does is measured, in one line of words.

A task of your own may say it for its columns with a dictionary ``column_meanings`` as a class attribute.
"""

from swarmbed.tasks.base import Task
from swarmbed.tasks.evasion import EvasionTask
from swarmbed.tasks.pursuit import PATH_SCALE, Pursuit
from swarmbed.tasks.rendezvous import Rendezvous
from swarmbed.tasks.swarm import CLOSE, NEAR, SwarmTask

UNKNOWN = "as the task computes it"


def meaning_of(task: Task, column: str, where: str) -> str:
    """What a column of the local properties (``where`` is "local") or of a set's elements means, with its scale."""
    told: dict[str, str] = getattr(task, "column_meanings", {})
    if column in told:
        return told[column]
    if not isinstance(task, SwarmTask):
        return UNKNOWN
    known = _own(task) if where == "local" else _seen(task, where)
    return known.get(column, UNKNOWN)


def action_columns(task: Task) -> list[tuple[str, str]]:
    """The numbers of an action: names, and the limit that each is a fraction of."""
    if not isinstance(task, SwarmTask) or task.action_size != 2:
        return [(f"action {index}", UNKNOWN) for index in range(task.action_size)]
    if task.dynamics == "single":
        return [
            ("speed", f"forward speed / {task.max_speed:.6g} units/s"),
            ("turn rate", f"counter-clockwise turn rate / {task.max_turn_rate:.6g} rad/s"),
        ]
    return [
        ("acceleration", f"forward acceleration / {task.max_acceleration:.6g} units/s²"),
        ("turning acceleration", f"counter-clockwise turning acceleration / {task.max_turn_acceleration:.6g} rad/s²"),
    ]


def _own(task: SwarmTask) -> dict[str, str]:
    """Local properties."""
    near = "(1 - wall distance) times the " if task.observation == "displacement" else ""
    known = {
        "wall distance": f"distance to the nearest wall / {min(task.width, task.height) / 2:.6g} units",
        "wall cos": f"{near}cos of the direction of the nearest wall, counter-clockwise from the heading",
        "wall sin": f"{near}sin of the direction of the nearest wall, counter-clockwise from the heading",
        "speed": f"own forward speed / {task.max_speed:.6g} units/s",
        "turn rate": f"own counter-clockwise turn rate / {task.max_turn_rate:.6g} rad/s",
        "own neighbourhood size": "number of own neighbours / (number of agents in the swarm - 1)",
    }
    if isinstance(task, EvasionTask):
        known |= {
            "evader distance": f"distance to the evader / {task.sight_range:.6g} units; 1 when it is not seen",
            "evader bearing cos": "cos of the evader's bearing, counter-clockwise from the heading; 0 when not seen",
            "evader bearing sin": "sin of the evader's bearing, counter-clockwise from the heading; 0 when not seen",
            "own path to evader": f"own shortest path to the evader over neighbours {_path_scale(task)}",
        }
        known |= {
            f"evader {name}": f"{told}; 0 when not seen"
            for name, told in _displacement(float(task.sight_range)).items()
        }
    return known


def _seen(task: SwarmTask, where: str) -> dict[str, str]:
    """Columns of an element."""
    reach = task.sight_range if where == "evaders" and isinstance(task, EvasionTask) else task.comm_range
    worldly = task.velocity_frame == "world" and task.observation != "displacement"
    frame = "in the world's frame" if worldly else "in the frame of the own heading"
    velocity = f"own velocity minus the neighbour's, {frame}, / {2 * task.max_speed:.6g} units/s"
    known = {
        "distance": f"distance / {reach:.6g} units",
        "bearing cos": "cos of the bearing, counter-clockwise from the own heading",
        "bearing sin": "sin of the bearing, counter-clockwise from the own heading",
        "orientation cos": "cos of the bearing under which the neighbour sees this agent",
        "orientation sin": "sin of the bearing under which the neighbour sees this agent",
        "heading cos": "cos of the neighbour's heading, counter-clockwise from the own heading",
        "heading sin": "sin of the neighbour's heading, counter-clockwise from the own heading",
        "velocity x": f"x of the relative velocity: {velocity}",
        "velocity y": f"y of the relative velocity: {velocity}",
    } | _displacement(float(reach))
    if isinstance(task, Rendezvous):
        known["transmitted"] = (
            "transmitted by the neighbour: number of its neighbours / (number of agents in the swarm - 1)"
        )
    if isinstance(task, Pursuit):
        known["transmitted"] = (
            f"transmitted by the neighbour: its shortest path to the evader over neighbours {_path_scale(task)}"
        )
    return known


def _displacement(reach: float) -> dict[str, str]:
    """The columns of the observation set *displacement*."""
    scales = {
        "": f"/ {reach:.6g} units",
        "near ": f"/ (distance + {NEAR * reach:.6g} units)",
        "close ": f"/ (distance + {CLOSE * reach:.6g} units)",
    }
    known = {}
    for name, scale in scales.items():
        known[f"{name}ahead"] = f"distance along the own heading {scale}"
        known[f"{name}left"] = f"distance to the left of the own heading {scale}"
    return known


def _path_scale(task: SwarmTask) -> str:
    return f"/ {PATH_SCALE * task.comm_range:.6g} units, at most 1; 1 when there is none"
