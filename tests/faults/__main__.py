"""Run campaigns and report counts: a table, and faults.json."""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from faults.report import EVERY, GOALS, Report
from faults.shim import Shim, preload

LEAST = 1.0  # seconds for which another round is worth it
NEED_SHIM = ("crash_points", "failing_calls")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m faults", description="Faults on purpose, counted.")
    parser.add_argument("--hours", type=float, help="at most so long, shared by all (default: a minute in all)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", nargs="*", choices=GOALS, default=list(GOALS), metavar="CAMPAIGN")
    parser.add_argument("--json", type=Path, metavar="FILE", help="where the counts go")
    options = parser.parse_args()
    if preload():
        Shim.only()  # from here on, the processes that we start are without it
    else:
        print("no C compiler, or not Linux: crash points and failing calls are left out", file=sys.stderr)
    os.environ["SWARMBED_COMPILE"] = "quick"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} --xla_cpu_multi_thread_eigen=false".strip()
    chosen = [name for name in options.only if "SWARMBED_SHIM" in os.environ or name not in NEED_SHIM]
    seconds = 60.0 if options.hours is None else 3600 * options.hours
    print(f"seed {options.seed}, {seconds:.0f} s for {', '.join(chosen)}", flush=True)
    with TemporaryDirectory() as folder:
        is_long = options.hours is not None and options.only == list(GOALS)
        watched = {what: Path(folder) / what for what in ("training", "viewer") if is_long}
        report = Report(options.seed, options.json, watched)
        watches = [_watch(what, options.hours, out) for what, out in watched.items()]
        failed = conduct_all(chosen, options.seed, seconds, report)
        while any(watch.poll() is None for watch in watches):
            report.write()
            time.sleep(EVERY)
        report.end()
    return failed


def _watch(what: str, hours: float, out: Path) -> "subprocess.Popen[bytes]":
    """The memory of something that runs beside all campaigns, without the shim."""
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "SWARMBED_SHIM")}
    command = [sys.executable, "-m", "faults.flat", what, "--hours", str(hours), "--json", str(out)]
    return subprocess.Popen(command, env=environment)


def conduct_all(chosen: list[str], seed: int, seconds: float, report: Report) -> int:
    """One after the other, each for its share of the time; what has not ended by then goes on with what others left."""
    from faults import campaign, clients, corruption, crashes, inputs, kills, policies

    tries = {
        "crash_points": crashes.crash_points, "failing_calls": crashes.failing_calls, "kills": kills.kills,
        "corruptions": corruption.corruptions, "wrong_inputs": inputs.wrong_inputs,
        "hostile_policies": policies.hostile_policies, "hostile_clients": clients.hostile_clients,
    }  # fmt: skip
    campaigns = {name: campaign.Campaign(tries[name], seed, GOALS[name]) for name in chosen}
    left = seconds
    while waiting := [name for name in chosen if not campaigns[name].count.complete]:
        for index, name in enumerate(waiting):
            count = campaigns[name].count
            before = count.seconds
            campaigns[name].conduct(
                left / (len(waiting) - index), lambda name=name, count=count: report.now(name, count)
            )  # type: ignore[misc]
            report.told(name, count)
            left -= count.seconds - before
        if left < LEAST:
            break
    return 1 if any(entry.count.failed for entry in campaigns.values()) else 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # threads of a server or of JAX do not hold us up
