"""Several processes, on one machine or many, as one trainer."""

from dataclasses import dataclass

import jax

from swarmbed.errors import SwarmbedError
from swarmbed.settings import setting

SILENCE = 30  # seconds without a sign of life after which a process counts as dead


@dataclass(frozen=True)
class Cluster:
    """Who takes part. All three are needed for more than one process."""

    coordinator: str | None = setting(None, "HOST:PORT of process 0, for training on several machines")
    processes: int = setting(1, "number of processes that train together")
    process_id: int = setting(0, "which of them this one is, from 0")

    def __post_init__(self) -> None:
        if self.processes < 1 or not 0 <= self.process_id < self.processes:
            raise SwarmbedError(
                f"--process-id must lie between 0 and --processes − 1, not {self.process_id} of {self.processes}"
            )
        if self.processes > 1 and not (self.coordinator and ":" in self.coordinator):
            raise SwarmbedError("--processes needs --coordinator HOST:PORT, the address of process 0")


def join(cluster: Cluster) -> None:
    """Wait for the other processes, then see all their devices as one machine's."""
    if cluster.processes == 1:
        return
    # Collectives of several devices in one process can wait for each other in different orders; one device cannot.
    jax.config.update("jax_num_cpu_devices", 1)
    jax.distributed.initialize(
        cluster.coordinator, cluster.processes, cluster.process_id, heartbeat_timeout_seconds=SILENCE
    )
