"""Runs spread over processes of this machine, one core each."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from swarmbed.run.stopping import Interrupted, Requests, heard
from swarmbed.study.budget import Budget
from swarmbed.study.plan import Job
from swarmbed.study.store import Store

ATTEMPTS = 3
POLL_SECONDS = 0.5
PATIENCE = 60.0  # seconds for the last iteration of what is stopped; most take less


@dataclass
class Running:
    """A job in a process of its own."""

    job: Job
    process: subprocess.Popen[bytes]
    core: int
    log: Path


@dataclass
class LocalPool:
    """Starts a process per free core; what is killed is taken up again from its last checkpoint."""

    store: Store
    budget: Budget
    workers: int
    watch: Callable[["LocalPool"], None] = lambda pool: None
    waiting: list[Job] = field(default_factory=list)
    running: list[Running] = field(default_factory=list)
    finished: list[Job] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    attempts: dict[tuple[str, int], int] = field(default_factory=dict)

    @property
    def jobs_under_way(self) -> list[Job]:
        return [running.job for running in self.running]

    def run(self, jobs: list[Job]) -> None:
        """Until every job is done or has failed too often."""
        self.waiting = list(jobs)
        cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(self.workers))
        try:
            with heard() as requests:
                self._run(cores, requests)
                if requests.number is not None and (self.waiting or self.running):
                    self._stop()  # a second signal does not wait for it
                    raise Interrupted(requests.number, "stopped; the same command resumes the runs")
        finally:
            self._stop()

    def _run(self, cores: list[int], requests: Requests) -> None:
        while (self.waiting or self.running) and requests.number is None:
            busy = [running.core for running in self.running]
            free = [core for core in cores if core not in busy][: self.workers - len(busy)]
            for core in free:
                if self.waiting:
                    self.running.append(self._start(self.waiting.pop(0), core))
            self._collect()
            self.watch(self)
            time.sleep(POLL_SECONDS)

    def _start(self, job: Job, core: int) -> Running:
        folder = self.store.prepare(job.training, job.seed, self.budget)
        command = [sys.executable, "-m", "swarmbed.study.worker", str(core)]
        command += ["train", "--resume", str(folder.path), "--devices", "1"]
        command += ["--iterations", str(job.iterations), "--no-video", "--no-curve"]
        log = folder.path / "log.txt"
        with log.open("ab") as output:
            # Nothing is ever written to its input: that it closes tells the worker that we are gone.
            # In a session of its own: a Ctrl-C is for us, who ask it to stop once. The second time would be at once.
            process = subprocess.Popen(
                command, stdout=output, stderr=output, stdin=subprocess.PIPE, start_new_session=True
            )
        return Running(job, process, core, log)

    def _collect(self) -> None:
        for running in [r for r in self.running if r.process.poll() is not None]:
            self.running.remove(running)
            job = running.job
            if running.process.returncode == 0:
                self.store.harvest(job.training, job.seed)
                self.finished.append(job)
                continue
            tries = self.attempts[job.training.name, job.seed] = self.attempts.get((job.training.name, job.seed), 0) + 1
            if tries < ATTEMPTS:
                self.waiting.insert(0, job)
            else:
                last = running.log.read_text(errors="replace").strip().splitlines()[-1:]
                self.failed[str(job)] = "".join(last)

    def _stop(self) -> None:
        """End what still runs: each finishes its iteration and writes a checkpoint, unless that takes too long."""
        for running in self.running:
            running.process.send_signal(signal.SIGTERM)
        deadline = time.monotonic() + PATIENCE
        for running in self.running:
            try:
                running.process.wait(max(deadline - time.monotonic(), 0))
            except subprocess.TimeoutExpired:
                running.process.kill()
                running.process.wait()
        self.running = []
