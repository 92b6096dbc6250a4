"""What five thousand agents cost to draw: in processor time, which other work on the machine does not change."""

import sys
from pathlib import Path

import pytest
from browser import Browser

from swarmbed.spec.errors import SwarmbedError
from swarmbed.viewer.session import Session

sys.path.insert(0, str(Path(__file__).parents[3] / "benchmarks"))
from viewer import measure

MOVE = (
    "(() => { const stage = Swarmbed.app.arenas[0].stage, until = performance.now() + 5000; const go = () => {"
    " const { moment } = stage; stage.push({ ...moment, x: moment.x.map((x) => x + 0.5), step: moment.step + 1 }, 50);"
    " stage.isDirty = true; if (performance.now() < until) requestAnimationFrame(go); };"
    " requestAnimationFrame(go); })()"
)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processor time of a browser is read from /proc")
def test_a_frame_of_five_thousand_agents_takes_less_than_a_twentieth_of_a_second(
    browser: Browser, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(session: Session, draft: Session) -> None:
        raise SwarmbedError("nothing is compiled here: only the drawing is measured")

    monkeypatch.setattr(Session, "adopt", refuse)
    browser.open(f"http://{address}/", width=1440, height=900)
    browser.wait("Boolean(Swarmbed.app && Swarmbed.app.frame)", 240)
    browser.run("Swarmbed.app.send('setup', {task: 'rendezvous-local', who: 'random', agents: 5000, seed: 1})")
    browser.wait("Swarmbed.app.frame && Swarmbed.app.frame.count === 5000", 120)
    found = measure(browser, 5.0, MOVE)
    print(found)
    assert found["agents"] == 5000 and found["frames_per_second"] > 1
    assert found["processor_ms_per_frame"] < 50  # twenty frames per second on one core, traces included
