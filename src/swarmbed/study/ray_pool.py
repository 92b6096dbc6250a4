"""Runs spread over a Ray cluster, without a shared file system.

A run travels as the bytes of its folder. A task advances it by a few iterations and sends it back; if its worker dies,
Ray repeats the task from what was sent, so at most one slice is lost.
"""

import io
import logging
import socket
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from swarmbed.run import starts
from swarmbed.run.folder import RunFolder
from swarmbed.spec.errors import SwarmbedError
from swarmbed.study.budget import Budget
from swarmbed.study.local import More, evaluate_command, nothing_more
from swarmbed.study.plan import Evaluation, Job, Work
from swarmbed.study.store import Store

SLICE = 10  # iterations per task
REACH_SECONDS = 10.0


def pack(folder: Path) -> bytes:
    """A run folder as bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        archive.add(folder, arcname=".")
    return buffer.getvalue()


def unpack(content: bytes, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
        archive.extractall(folder, filter="data")


def advance(content: bytes, iterations: int) -> bytes:
    """Go on with a run until it has so many iterations. Runs on a worker."""
    from swarmbed.run.settings import Outputs
    from swarmbed.run.train import resume_run

    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary) / "run"
        unpack(content, folder)
        resume_run(folder, iterations=iterations, outputs=Outputs(progress=False), num_devices=1)
        return pack(folder)


def check_reachable(address: str) -> None:
    """Ray itself waits for minutes before it gives up, and takes many lines to say so."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdigit():
        raise SwarmbedError(f"--on must name a cluster as ray://HOST:PORT, not {address!r}")
    try:
        socket.create_connection((host, int(port)), timeout=REACH_SECONDS).close()
    except OSError as error:
        raise SwarmbedError(f"no Ray cluster answers at {address} ({error})") from error


@dataclass
class RayPool:
    """Keeps as many slices under way as the cluster has cores."""

    store: Store
    budget: Budget
    address: str | None
    watch: Callable[["RayPool"], None] = lambda pool: None
    slice_iterations: int = SLICE
    waiting: list[Work] = field(default_factory=list)
    under_way: dict[Any, Job] = field(default_factory=dict)
    evaluating: list[tuple[Evaluation, subprocess.Popen[str]]] = field(default_factory=list)
    finished: list[Work] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def jobs_under_way(self) -> list[Work]:
        return [*self.under_way.values(), *(job for job, _ in self.evaluating)]

    def run(self, jobs: Sequence[Work], more: More = nothing_more) -> None:
        """Until every job is done or has failed, and there are no ``more`` for a core that is free."""
        try:
            import ray
        except ImportError as error:
            raise SwarmbedError("--on ray needs the extra: pip install 'swarmbed[cluster]'") from error
        started = not ray.is_initialized()
        if started:
            if self.address is not None:
                check_reachable(self.address)
            ray.init(address=self.address, log_to_driver=False, logging_level=logging.ERROR)
        remote = ray.remote(num_cpus=1, max_retries=5)(advance)
        self.waiting = list(jobs)
        try:
            self._take_up(ray, remote, more)
            while self.under_way or self.evaluating:
                done = self._wait(ray)
                for reference in done:
                    self._receive(ray, remote, reference)
                self.watch(self)
                if self._evaluated() or done:
                    self._take_up(ray, remote, more)
        finally:
            for _, process in self.evaluating:
                process.kill()
            if started:
                ray.shutdown()

    def _take_up(self, ray: Any, remote: Any, more: More) -> None:
        while len(self.under_way) < ray.cluster_resources().get("CPU", 1):
            job = self.waiting.pop(0) if self.waiting else more(self.jobs_under_way)
            if job is None:
                return
            if isinstance(job, Evaluation):
                self._evaluate(job)
            else:
                self._submit(remote, job)

    def _wait(self, ray: Any) -> list[Any]:
        """For a slice to end, though not for long."""
        if self.under_way:
            return list(ray.wait(list(self.under_way), num_returns=1, timeout=1.0)[0])
        time.sleep(0.5)
        return []

    def _evaluate(self, job: Evaluation) -> None:
        """Here, where the results are, while the cluster goes on training."""
        command = [sys.executable, "-m", "swarmbed", *evaluate_command(job, self.store, self.budget)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.evaluating.append((job, process))

    def _evaluated(self) -> bool:
        """Take in the evaluations that have ended; returns whether any has."""
        ended = [each for each in self.evaluating if each[1].poll() is not None]
        for job, process in ended:
            self.evaluating.remove((job, process))
            errors = process.communicate()[1]
            if process.returncode == 0:
                self.finished.append(job)
            else:
                self.failed[str(job)] = "".join(errors.strip().splitlines()[-1:])
        return bool(ended)

    def _submit(self, remote: Any, job: Job) -> None:
        folder = self.store.prepare(job.training, job.seed, self.budget)
        done = len(folder.read_metrics())
        target = min(job.iterations, max(done + self.slice_iterations, self._starts(job)))
        self.under_way[remote.remote(pack(folder.path), target)] = job

    def _starts(self, job: Job) -> int:
        """Iterations of the short starts of a run, which are one slice."""
        text = self.budget.config(job.training, job.seed)["run"].get("starts")
        return 0 if text is None else starts.parse(text).iterations

    def _receive(self, ray: Any, remote: Any, reference: Any) -> None:
        job = self.under_way.pop(reference)
        folder: RunFolder = self.store.run_folder(job.training, job.seed)
        try:
            unpack(ray.get(reference), folder.path)
        except ray.exceptions.RayError as error:
            self.failed[str(job)] = str(error).strip().splitlines()[-1]
            return
        if len(folder.read_metrics()) < job.iterations:
            self._submit(remote, job)
        else:
            self.store.harvest(job.training, job.seed)
            self.finished.append(job)
