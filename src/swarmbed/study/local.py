"""Runs spread over processes of this machine, one core each."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from swarmbed.compute import huge_pages
from swarmbed.run.stopping import Interrupted, Requests, heard
from swarmbed.study.budget import Budget
from swarmbed.study.plan import Evaluation, Job, Work
from swarmbed.study.store import Store

ATTEMPTS = 3
POLL_SECONDS = 0.5
PATIENCE = 60.0  # seconds for the last iteration of what is stopped; most take less


More = Callable[[Sequence[Work]], Work | None]


def nothing_more(under_way: Sequence[Work]) -> None:
    return None


def evaluate_command(evaluation: Evaluation, store: Store, budget: Budget) -> list[str]:
    """The arguments of the command that evaluates runs for claims."""
    where = ["--results", str(store.results), "--work", str(store.work), "--budget", budget.name]
    return ["reproduce", evaluation.experiment, "--evaluate", *where]


@dataclass
class Running:
    """A piece of work in a process of its own."""

    job: Work
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
    waiting: list[Work] = field(default_factory=list)
    running: list[Running] = field(default_factory=list)
    finished: list[Work] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    attempts: dict[str, int] = field(default_factory=dict)
    more: More = nothing_more

    @property
    def jobs_under_way(self) -> list[Work]:
        return [running.job for running in self.running]

    def run(self, jobs: Sequence[Work], more: More = nothing_more) -> None:
        """Until every job is done or has failed too often, and there are no ``more`` for a worker that is free."""
        self.waiting, self.more = list(jobs), more
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
        self._take_up(cores)
        while self.running and requests.number is None:
            self.watch(self)
            time.sleep(POLL_SECONDS)
            if self._collect():
                self.watch(self)
                self._take_up(cores)
        self.watch(self)

    def _take_up(self, cores: list[int]) -> None:
        busy = [running.core for running in self.running]
        for core in [core for core in cores if core not in busy][: self.workers - len(busy)]:
            job = self.waiting.pop(0) if self.waiting else self.more(self.jobs_under_way)
            if job is None:
                return
            self.running.append(self._start(job, core))

    def _start(self, job: Work, core: int) -> Running:
        command = [sys.executable, "-m", "swarmbed.study.worker", str(core)]
        if isinstance(job, Evaluation):
            command += evaluate_command(job, self.store, self.budget)
            log = self.store.work / f"{job}.txt".replace(" ", "-")
            log.parent.mkdir(parents=True, exist_ok=True)
        else:
            folder = self.store.prepare(job.training, job.seed, self.budget)
            command += ["train", "--resume", str(folder.path), "--devices", "1"]
            command += ["--iterations", str(job.iterations), "--no-video", "--no-curve"]
            log = folder.path / "log.txt"
        with log.open("ab") as output:
            # Nothing is ever written to its input: that it closes tells the worker that we are gone.
            # In a session of its own: a Ctrl-C is for us, who ask it to stop once. The second time would be at once.
            process = subprocess.Popen(
                command, stdout=output, stderr=output, stdin=subprocess.PIPE, start_new_session=True,
                env=huge_pages.environment(),
            )  # fmt: skip
        return Running(job, process, core, log)

    def _collect(self) -> bool:
        """Take in what has ended; returns whether anything has."""
        ended = [running for running in self.running if running.process.poll() is not None]
        for running in ended:
            self.running.remove(running)
            job = running.job
            if running.process.returncode == 0:
                if isinstance(job, Job):
                    self.store.harvest(job.training, job.seed)
                self.finished.append(job)
                self.attempts.pop(str(job), None)
                continue
            self.attempts[str(job)] = self.attempts.get(str(job), 0) + 1
            if self.attempts[str(job)] < ATTEMPTS:
                self.waiting.insert(0, job)
            else:
                last = running.log.read_text(errors="replace").strip().splitlines()[-1:]
                self.failed[str(job)] = "".join(last)
        return bool(ended)

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
