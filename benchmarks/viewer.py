"""How smoothly the viewer draws a large swarm in headless Chromium, with the simulation beside it on the same machine.

    python benchmarks/viewer.py [--agents 5000] [--who rendezvous-local-nn-extended] [--seconds 5]

The world grows with the swarm, so that an agent has as many neighbours as one of twenty in the paper's world. Frames
are counted where they are drawn; the simulation goes at its own pace and frames in between are interpolated.
"""

import argparse
import json
import math
import os
import sys
import tempfile
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "integration" / "browser"))

import uvicorn
from browser import READY, Browser, find_chromium

from swarmbed.policy.find import find
from swarmbed.tasks import make
from swarmbed.viewer import launch, server
from swarmbed.viewer.catalog import Catalog
from swarmbed.viewer.messages import Setup

COUNT = (
    "new Promise((done) => { const stage = Swarmbed.app.arenas[0].stage, draw = stage.draw, times = [], costs = [],"
    " step = Swarmbed.app.frame.arenas[0].step, began = performance.now();"
    " stage.draw = (now) => { const start = performance.now(); times.push(start); draw.call(stage, now);"
    " costs.push(performance.now() - start); };"
    " %s; setTimeout(() => { delete stage.draw; const seconds = (performance.now() - began) / 1000;"
    " const gaps = [began, ...times].map((t, i, all) => (i ? t - all[i - 1] : 0));"
    " const sorted = costs.sort((a, b) => a - b);"
    " done({ frames_per_second: times.length / seconds, longest_gap_ms: Math.max(...gaps),"
    " drawing_ms: sorted[Math.floor(sorted.length / 2)], agents: Swarmbed.app.frame.count,"
    " steps_per_second: (Swarmbed.app.frame.arenas[0].step - step) / seconds }); }, %d); })"
)
ZOOM = (
    "(() => { let k = 0; const timer = setInterval(() => {"
    " Swarmbed.app.arenas[0].stage.camera.zoomBy(k++ < 20 ? 1.1 : 0.9);"
    " if (k > 40) clearInterval(timer); }, 50); })()"
)


def measure(page: Browser, seconds: float, during: str = "0") -> dict[str, float]:
    """What is drawn within some seconds, while ``during`` is done in the page."""
    before = processor_seconds(page.process.pid)
    found: dict[str, float] = page.run(COUNT % (during, round(1000 * seconds)))
    spent = processor_seconds(page.process.pid) - before
    found["processor_ms_per_frame"] = 1000 * spent / max(found["frames_per_second"] * seconds, 1)
    return {name: round(value, 2) for name, value in found.items()}


def processor_seconds(pid: int) -> float:
    """What a process and all that it started have used so far (Linux): this does not depend on other work."""
    total, parents = 0.0, {pid}
    found = []
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            number, _, rest = file.read_text().partition(" (")
        except OSError:
            continue  # it has just ended
        columns = rest.rpartition(") ")[2].split()
        found.append((int(number), int(columns[1]), (int(columns[11]) + int(columns[12])) / os.sysconf("SC_CLK_TCK")))
    for number, parent, seconds in sorted(found):  # a process started later has a larger number
        if number == pid or parent in parents:
            parents.add(number)
            total += seconds
    return total


def scenario(page: Browser, agents: int, seconds: float) -> dict[str, dict[str, float]]:
    """Play, play with edges, inspect an agent, remove a fifth of them, and zoom: each while the simulation runs."""
    page.run("Swarmbed.app.send('play')")
    page.wait("Swarmbed.app.frame.arenas[0].step > 0", 300)
    results = {"playing": measure(page, seconds)}
    results["with edges"] = measure(page, seconds, "Swarmbed.app.layers.set('edges', true)")
    page.run("Swarmbed.app.layers.set('edges', false)")
    page.run("Swarmbed.app.cycle(1)")
    page.wait("Boolean(document.querySelector('#inspector table'))", 300)
    results["inspecting"] = measure(page, seconds)
    results["removing"] = measure(page, seconds, f"Swarmbed.app.changeCount({agents - agents // 5})")
    page.wait(f"Swarmbed.app.frame.count === {agents - agents // 5}", 300)
    results["zooming"] = measure(page, seconds, ZOOM)
    return results


def show(who: str, agents: int) -> tuple[str, uvicorn.Server]:
    """A server that shows a policy at constant density; its address."""
    catalog, named = Catalog(), find(who)
    side = 100.0 * math.sqrt(agents / 20)
    name = catalog.add_task(replace(named.task or make("rendezvous-local"), width=side, height=side))
    listener = launch.open_port(0)
    running = uvicorn.Server(launch.config_for(server.make_app(catalog, Setup(name, who, None, agents, 1))))
    threading.Thread(target=running.run, kwargs={"sockets": [listener]}, daemon=True).start()
    return f"http://127.0.0.1:{listener.getsockname()[1]}/", running


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--agents", type=int, default=5000)
    parser.add_argument("--who", default="rendezvous-local-nn-extended")
    parser.add_argument("--seconds", type=float, default=5.0)
    parser.add_argument("--picture", type=Path, help="also write a screenshot")
    options = parser.parse_args()
    program = find_chromium()
    if program is None:
        parser.error("Chromium is not installed: make browser")
    address, running = show(options.who, options.agents)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile, Browser(program, Path(profile)) as page:
        began = time.monotonic()
        page.open(address, width=1440, height=900)
        page.wait(READY, 600)
        report: dict[str, Any] = {"who": options.who, "seconds_to_first_frame": round(time.monotonic() - began, 1)}
        report |= scenario(page, options.agents, options.seconds)
        if options.picture:
            page.screenshot(options.picture)
        report["complaints"] = page.complaints
    running.should_exit = True
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
