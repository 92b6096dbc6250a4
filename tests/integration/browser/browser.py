"""A real Chromium for tests, driven over its DevTools protocol: open a page, run code in it, press, drag, look."""

import base64
import itertools
import json
import shutil
import subprocess
import time
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from websockets.sync.client import ClientConnection, connect

READY = "Boolean(Swarmbed.app && Swarmbed.app.frame && !Swarmbed.app.frame.draft)"  # compiled, and at the start
FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-default-browser-check",
    "--disable-extensions", "--mute-audio", "--remote-debugging-port=0", "--disable-dev-shm-usage",
)  # fmt: skip


def find_chromium() -> str | None:
    """The browser's program, if there is one."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return next((path for name in names if (path := shutil.which(name))), None)


class Browser:
    """One browser with one page. ``complaints`` collects everything that the page's console reports as an error."""

    def __init__(self, program: str, profile: Path) -> None:
        self.process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.numbers = itertools.count(1)
        self.complaints: list[str] = []
        self.requests: list[str] = []
        port, path = self._address(profile / "DevToolsActivePort")
        self.opened = ExitStack()
        self.socket: ClientConnection = self.opened.enter_context(
            connect(f"ws://127.0.0.1:{port}{path}", max_size=None, open_timeout=20)
        )
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    session: str | None = None

    def __enter__(self) -> "Browser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.session = None
        try:
            self.call("Browser.close")
            self.opened.close()
            self.process.wait(5)
        except (OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait(5)

    def call(self, method: str, **parameters: Any) -> Any:
        """One command of the protocol; returns its result."""
        number = next(self.numbers)
        content: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        if self.session is not None:
            content["sessionId"] = self.session
        self.socket.send(json.dumps(content))
        while True:
            answer = json.loads(self.socket.recv(timeout=30))
            self._notice(answer)
            if answer.get("id") == number:
                assert "error" not in answer, (method, answer)
                return answer["result"]

    def open(self, url: str, *, width: int = 1440, height: int = 900, dark: bool = False, scale: int = 1) -> None:
        """Load a page in a window of this size."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 600,
        )
        scheme = "dark" if dark else "light"
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Page.navigate", url=url)
        self.wait("document.readyState === 'complete'")

    def run(self, code: str) -> Any:
        """The value of an expression in the page."""
        result = self.call("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, condition: str, seconds: float = 30.0) -> Any:
        """Wait until an expression is true; returns its value."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            value = self.run(condition)
            if value:
                return value
            time.sleep(0.03)
        raise AssertionError(f"after {seconds} s this is still not true: {condition}; {self.complaints}")

    def mouse(self, kind: str, x: float, y: float, **more: Any) -> None:
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x: float, y: float) -> None:
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 6) -> None:
        """Press at ``start`` and move to ``end``, without letting go."""
        self.mouse("mousePressed", *start, button="left", clickCount=1)
        for step in range(1, steps + 1):
            share = step / steps
            x, y = (a + share * (b - a) for a, b in zip(start, end, strict=True))
            self.mouse("mouseMoved", x, y, button="left", buttons=1)
            time.sleep(0.03)

    def touch(self, kind: str, *places: tuple[float, float]) -> None:
        """Fingers: ``touchStart``, ``touchMove``, and ``touchEnd`` without places."""
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        self.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)

    def press(self, key: str, code: str = "") -> None:
        text = {"text": key} if len(key) == 1 else {}
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code, **(text if kind == "keyDown" else {}))

    def screenshot(self, path: Path, *, whole: bool = False) -> None:
        """The visible part of the page, or all of it, as a PNG."""
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)["data"]
        path.write_bytes(base64.b64decode(data))

    def _notice(self, event: dict[str, Any]) -> None:
        method, parameters = event.get("method"), event.get("params", {})
        if method == "Runtime.exceptionThrown":
            self.complaints.append(str(parameters["exceptionDetails"]))
        elif method == "Runtime.consoleAPICalled" and parameters["type"] in ("error", "warning", "assert"):
            self.complaints.append(str(parameters["args"]))
        elif method == "Log.entryAdded" and parameters["entry"]["level"] == "error":
            self.complaints.append(str(parameters["entry"]))
        elif method == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])

    def _address(self, file: Path) -> tuple[str, str]:
        """Where the browser listens; it writes that down once it does."""
        until = time.monotonic() + 30
        while time.monotonic() < until:
            lines = file.read_text().split() if file.is_file() else []
            if len(lines) == 2:
                return lines[0], lines[1]
            time.sleep(0.05)
        raise AssertionError("Chromium did not start within 30 s")
