"""Run campaigns and report counts: a table, and faults.json."""

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from faults.shim import Shim, preload

GOALS = {  # tries of one long run
    "crash_points": None, "failing_calls": None, "corruptions": 2000, "kills": 200, "wrong_inputs": 20_000,
    "hostile_policies": 2000, "hostile_clients": 100_000,
}  # fmt: skip
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
    chosen = [
        name for name in options.only if "SWARMBED_SHIM" in os.environ or name not in ("crash_points", "failing_calls")
    ]
    seconds = 60.0 if options.hours is None else 3600 * options.hours
    print(f"seed {options.seed}, {seconds:.0f} s for {', '.join(chosen)}", flush=True)
    watches = [] if options.hours is None else [_watch(what, options.hours) for what in ("training", "viewer")]
    failed = conduct_all(chosen, options.seed, seconds, options.json)
    for watch in watches:
        print(f"memory of a {watch.communicate()[0].strip()}", flush=True)
    return failed


def _watch(what: str, hours: float) -> "subprocess.Popen[str]":
    """The memory of something that runs beside all campaigns, without the shim."""
    environment = {name: value for name, value in os.environ.items() if name not in ("LD_PRELOAD", "SWARMBED_SHIM")}
    command = [sys.executable, "-m", "faults.flat", what, "--hours", str(hours)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)


def conduct_all(chosen: list[str], seed: int, seconds: float, out: Path | None) -> int:
    from faults import campaign, clients, corruption, crashes, inputs, kills, policies

    tries = {
        "crash_points": crashes.crash_points, "failing_calls": crashes.failing_calls, "kills": kills.kills,
        "corruptions": corruption.corruptions, "wrong_inputs": inputs.wrong_inputs,
        "hostile_policies": policies.hostile_policies, "hostile_clients": clients.hostile_clients,
    }  # fmt: skip
    left, report = seconds, {}
    for index, name in enumerate(chosen):
        # What one campaign does not need of its share goes to those after it.
        count = campaign.conduct(tries[name], seed, left / (len(chosen) - index), GOALS[name])
        left = max(left - count.seconds, 0.0)
        report[name] = {
            "tries": count.tries, "failed": count.failed, "goal": GOALS[name] or "all",
            "seconds": round(count.seconds, 1),
            "complete": count.complete or (GOALS[name] is not None and count.tries >= GOALS[name]),
            "complaints": count.complaints,
        }  # fmt: skip
        end = "" if report[name]["complete"] else f" (of {report[name]['goal']})"
        print(
            f"{name:<18}{count.tries - count.failed:>8} of {count.tries:<8}{end:<14}{count.seconds:>8.0f} s", flush=True
        )
        for complaint in count.complaints:
            print(f"    {complaint}", flush=True)
        if out is not None:
            out.write_text(json.dumps({"seed": seed, "campaigns": report}, indent=1) + "\n")
    return 1 if any(entry["failed"] for entry in report.values()) else 0


if __name__ == "__main__":
    code = main()
    sys.stdout.flush()
    os._exit(code)  # threads of a server or of JAX do not hold us up
