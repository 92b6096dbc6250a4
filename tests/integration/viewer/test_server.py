"""The server lets its own pages in and nobody else, and goes on whatever it is sent."""

import json
import socket
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from swarmbed.cli import main as cli
from swarmbed.spec.errors import SwarmbedError
from swarmbed.viewer import launch, wire


def live(address: str, origin: str | None = "same", **more: Any) -> ClientConnection:
    origin = f"http://{address}" if origin == "same" else origin
    return connect(f"ws://{address}/live", origin=origin, open_timeout=30, **more)  # type: ignore[arg-type]


def next_of(page: ClientConnection, kind: str) -> dict[str, Any]:
    """The next message of a kind."""
    while True:
        received = page.recv(timeout=60)
        message = wire.unpack(received) if isinstance(received, bytes) else json.loads(received)
        if message["type"] == kind and not message.get("draft"):
            return message  # type: ignore[no-any-return]


def test_a_page_is_told_the_scene_and_then_frames(address: str) -> None:
    with live(address) as page:
        next_of(page, "hello")
        scene, frame = next_of(page, "scene"), next_of(page, "frame")
    assert (scene["task"], scene["who"], scene["torus"]) == ("pursuit-global", "random", True)
    assert scene["metric"]["axis"] == "distance to the evader (units)"
    (arena,) = frame["arenas"]
    assert (frame["count"], arena["step"], len(arena["x"]), len(arena["evader_x"])) == (6, 0, 6, 1)


def test_play_makes_time_pass_and_pause_stops_it(address: str) -> None:
    with live(address) as page:
        next_of(page, "frame")
        page.send('{"type": "play"}')
        while next_of(page, "frame")["arenas"][0]["step"] < 5:
            pass
        page.send('{"type": "pause"}')
        while next_of(page, "frame")["playing"]:
            pass


def test_a_paused_page_is_told_when_a_new_size_is_compiled(address: str) -> None:
    with live(address) as page:
        next_of(page, "frame")
        page.send('{"type": "agents", "count": 40}')  # needs 64 slots, which nobody has asked for before
        frame = next_of(page, "frame")
        while frame["count"] != 40:
            assert frame["waiting"]
            frame = next_of(page, "frame")
        assert not frame["waiting"] and len(frame["arenas"][0]["x"]) == 40


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1"])
def test_a_foreign_origin_is_refused(address: str, origin: str) -> None:
    with pytest.raises(InvalidStatus, match="403"), live(address, origin):
        pass


def test_a_foreign_host_is_refused(address: str) -> None:
    request = urllib.request.Request(f"http://{address}/", headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="421"):
        urllib.request.urlopen(request, timeout=10)


def test_bad_messages_are_answered_and_the_page_goes_on(address: str) -> None:
    with live(address) as page:
        next_of(page, "frame")
        for bad in ("nonsense", "[]", '{"type": "agents", "count": -3}', b"\x00\xff", "x" * 3000):
            page.send(bad)
            assert next_of(page, "error")["message"]
        page.send('{"type": "step"}')
        assert next_of(page, "frame")["arenas"][0]["step"] == 1


def test_a_huge_message_ends_its_own_connection_only(address: str) -> None:
    with live(address) as flooder, live(address) as other:
        next_of(flooder, "frame")
        next_of(other, "frame")
        flooder.send("x" * 100_000)
        with pytest.raises(ConnectionClosed):
            while True:
                flooder.recv(timeout=20)
        other.send('{"type": "step"}')
        assert next_of(other, "frame")["arenas"][0]["step"] == 1


def test_a_flood_of_messages_is_cut_short(address: str) -> None:
    with live(address) as page:
        next_of(page, "frame")
        for _ in range(600):
            page.send('{"type": "release"}')
        assert "too many messages" in next_of(page, "error")["message"]
        page.send('{"type": "step"}')


@pytest.mark.parametrize("message", ['{"type": "step"}', '{"type": "restart", "seed": 1}', '{"type": "drawn"}'])
def test_a_page_that_does_not_stop_is_closed_and_others_are_served(message: str, address: str) -> None:
    """Every message is a right one; the page sends them as fast as it can and reads nothing."""
    with live(address) as flooder, live(address) as other:
        next_of(other, "frame")
        with pytest.raises(ConnectionClosed) as closed:
            for _ in range(200_000):
                flooder.send(message)
            for _ in range(300):  # a client that reads nothing learns late that it was closed
                time.sleep(0.1)
                flooder.send(message)
        assert closed.value.rcvd is None or closed.value.rcvd.code == 1008
        other.send('{"type": "step"}')
        assert next_of(other, "frame")["arenas"][0]["step"] == 1


def test_only_files_of_the_page_are_served(address: str) -> None:
    with urllib.request.urlopen(f"http://{address}/stage.js", timeout=10) as answer:
        assert answer.headers["Content-Type"].startswith("text/javascript")
        assert "connect-src 'self'" in answer.headers["Content-Security-Policy"]
    for path in ("server.py", "%2e%2e%2fserver.py", "page/stage.js"):
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://{address}/{path}", timeout=10)


def test_the_page_asks_for_nothing_from_elsewhere() -> None:
    folder = Path(launch.__file__).parent.parent / "draw" / "web"
    for file in folder.iterdir():
        text = file.read_text().replace("http://www.w3.org/2000/svg", "")  # the name of a language, not an address
        assert "http://" not in text and "https://" not in text and "//cdn" not in text, file.name


def test_it_listens_on_this_machine_only() -> None:
    with launch.open_port(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


def test_a_port_that_is_taken_is_one_sentence_and_exit_code_two(capsys: pytest.CaptureFixture[str]) -> None:
    with launch.open_port(0) as taken:
        port = taken.getsockname()[1]
        assert cli.main(["view", "consensus", "--no-browser", "--port", str(port)]) == 2
    message = f"swarmbed: port {port} is taken; give another one with --port, or 0 for any\n"
    assert capsys.readouterr().err == message


def test_without_a_port_the_next_free_one_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as first:
        first.bind(("127.0.0.1", 0))
        first.listen()
        port = first.getsockname()[1]
        monkeypatch.setattr(launch, "USUAL_PORT", port)
        with launch.open_port(None) as second:
            assert port < second.getsockname()[1] < port + launch.TRIES
        monkeypatch.setattr(launch, "TRIES", 1)
        with pytest.raises(SwarmbedError, match=f"ports {port} to {port} are all taken"):
            launch.open_port(None)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nobody-knows-me"], "'nobody-knows-me' is not a run folder, policy file"),
        (["consensus", "--task", "pursuit"], "does not fit task"),
        (
            ["consensus", "--agents", "10001"],
            "agents must be a whole number between 2 and 10000 or left",
        ),
        (["consensus", "--port", "70000"], "port must lie between 0 and 65535, not 70000"),
        (["consensus", "--seed", "-1"], "seed must be a whole number between 0 and"),
        (["consensus", "--speed", "3"], "'--speed' is not an option here"),
    ],
)
def test_a_wrong_setting_is_one_sentence(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["view", "--no-browser", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1
