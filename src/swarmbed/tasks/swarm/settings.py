"""Settings of a swarm of unicycles, and what follows from them alone: world, body, range, slots."""

from dataclasses import dataclass
from functools import cached_property
from math import pi

from swarmbed.sim.cells import Cells
from swarmbed.sim.unicycle import DYNAMICS, DoubleIntegrator, SingleIntegrator, Unicycle
from swarmbed.sim.world import WORLDS, World
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.settings import setting
from swarmbed.tasks import nearby
from swarmbed.tasks.disturbances.settings import Disturbed


@dataclass(frozen=True)
class SwarmSettings(Disturbed):
    """Where a swarm lives, how its agents move, and how far they sense."""

    observation: str = setting(
        "extended", "what agents sense", flag="observe", choices=("basic", "extended", "displacement")
    )
    world: str = setting("closed", "closed (walls) or torus (periodic)", choices=tuple(WORLDS))
    width: float = setting(100.0, "width of the world, in units", above=0)
    height: float = setting(100.0, "height of the world, in units", above=0)
    dynamics: str = setting(
        "double", "actions are velocities (single) or accelerations (double)", choices=tuple(DYNAMICS)
    )
    comm_radius: float | None = setting(
        None, "radius d_c within which agents are neighbours; left out: all are", above=0
    )
    max_speed: float = setting(10.0, "top speed of an agent, units/s", above=0)
    max_turn_rate: float = setting(pi, "fastest turn of an agent, rad/s", above=0)
    max_acceleration: float = setting(10.0, "largest acceleration (double integrator), units/s²", above=0)
    max_turn_acceleration: float = setting(pi, "largest turning acceleration (double integrator), rad/s²", above=0)
    velocity_kept: float = setting(
        0.99, "share of the velocities that friction leaves per sub-step (double integrator)", at_least=0, at_most=1
    )
    substeps: int = setting(10, "Euler sub-steps per control step", at_least=1)
    substep_seconds: float = setting(0.01, "length of a sub-step, s", above=0)
    velocity_frame: str = setting(
        "world", "frame of relative velocities (own: the heading is ahead)", choices=("world", "own")
    )
    start_margin: float = setting(
        0.05, "share of the world left empty along each border when starts are drawn", at_least=0, below=0.5
    )
    sizes: tuple[int, ...] = setting(
        (), "sizes of the swarm, from which every episode draws one; left out: always the number of agents", at_least=1
    )
    search: str = setting(
        "auto",
        "how neighbours within d_c are found: by comparing all pairs, by cells, or by the faster of the two (auto)",
        choices=("auto", "pairs", "cells"),
    )
    neighbour_slots: int | None = setting(
        None,
        "most neighbours that an agent can sense when they are found by cells; left out: four times those of a "
        "uniform swarm, and at least 128",
        at_least=1,
    )
    loss_rate: float = setting(0.0, "how often an agent leaves during an episode, per agent and second", at_least=0)
    join_rate: float = setting(
        0.0, "how often an empty slot is filled, per slot and second; also one that was empty at the start", at_least=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sizes and max(self.sizes) > self.num_agents:
            raise SwarmbedError(f"sizes must be at most the number of agents, {self.num_agents}, not {max(self.sizes)}")
        if self.search == "cells" and self.comm_radius is None:
            raise SwarmbedError("search by cells needs a comm_radius; without one every agent is a neighbour")
        if self.search == "cells" and self.ranges:
            raise SwarmbedError(f"search by cells does not support disturbances, but {next(iter(self.ranges))} is on")

    @cached_property
    def space(self) -> World:
        return WORLDS[self.world](self.width, self.height)

    @cached_property
    def body(self) -> Unicycle:
        common = (self.max_speed, self.max_turn_rate, self.substeps, self.substep_seconds)
        if self.dynamics == "single":
            return SingleIntegrator(*common)
        return DoubleIntegrator(*common, self.max_acceleration, self.max_turn_acceleration, self.velocity_kept)

    @cached_property
    def slots(self) -> int:
        """How many neighbours an agent can sense at most."""
        if self.comm_radius is None:
            return self.num_agents
        most = nearby.default_slots(self.space, self.comm_radius, self.num_agents)
        return most if self.neighbour_slots is None else max(min(self.neighbour_slots, self.num_agents - 1), 1)

    @cached_property
    def cells(self) -> Cells | None:
        """The grid on which neighbours are searched; None where all pairs are compared."""
        if self.comm_radius is None or self.ranges:
            return None
        return nearby.cells_for(self.space, self.comm_radius, self.num_agents, self.search, self.slots)

    @property
    def is_large(self) -> bool:
        return self.num_agents >= nearby.LARGE

    @property
    def everybody_is_seen(self) -> bool:
        """Mixed sizes do not matter: the slots that they leave empty are the last ones."""
        comes_and_goes = self.loss_rate > 0 or self.join_rate > 0
        return self.comm_radius is None and not comes_and_goes and not self.hides_agents

    @property
    def comm_range(self) -> float:
        """The largest distance at which a neighbour is sensed."""
        return self.space.diameter if self.comm_radius is None else self.comm_radius

    @property
    def control_seconds(self) -> float:
        return self.substeps * self.substep_seconds
