"""One page and its session: messages in, frames out. The simulation runs in a thread, so nothing waits for it."""

import asyncio
import json
import logging
import time
from collections import deque
from concurrent.futures import Executor
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from swarmbed.spec.errors import SwarmbedError
from swarmbed.viewer import frames, gate, messages, wire
from swarmbed.viewer.messages import Message
from swarmbed.viewer.pace import Pace
from swarmbed.viewer.session import Session

BUDGET = 1 / 20  # seconds of simulation per picture, at most
UNDRAWN = 3  # frames on their way to a page that says when it has drawn them
POLL = 0.1  # seconds between looks at what is being compiled
FULL = 256  # messages that may wait

log = logging.getLogger("swarmbed.viewer")


class Connection:
    """Reads messages as they come, and in between keeps the swarm moving and the page up to date."""

    def __init__(self, socket: WebSocket, session: Session, threads: Executor) -> None:
        self.socket, self.session, self.threads = socket, session, threads
        self.inbox: deque[Message] = deque()
        self.complaints: deque[str] = deque(maxlen=8)
        self.news = asyncio.Event()
        self.rate = gate.RateLimit()
        self.pace = Pace()
        self.told: frames.Told = {}
        self.scenes = 0
        self.sent = self.drawn = 0
        self.closed = False
        self.expects_look = False  # what a selected agent senses is being compiled

    async def run(self, first: messages.Setup) -> None:
        """Show something until the page goes away; then nothing is waited for any more."""
        reader = asyncio.create_task(self._read())
        shower = asyncio.create_task(self._show(first))
        try:
            await asyncio.wait((reader, shower), return_when=asyncio.FIRST_COMPLETED)
        finally:
            # Before the tasks end: a thread that waits for an engine of this page holds its place among the threads.
            self.session.workshop.leave()
            gone = self.closed  # a reader that is cancelled says so, too
            for task in (reader, shower):
                task.cancel()
            await asyncio.gather(reader, shower, return_exceptions=True)
            if self.socket.application_state is WebSocketState.CONNECTED and not gone:
                await self.socket.close(1011)

    async def _show(self, first: messages.Setup) -> None:
        try:
            await self._send(frames.hello(self.session, first))
            self.inbox.appendleft(first)
            while not self.closed:
                await self._turn()
        except WebSocketDisconnect:
            pass
        except Exception:
            # Sending to a page that has just gone fails in several ways, and none of them matters.
            if not self.closed:
                log.exception("the viewer failed; the page gets an error, and other pages continue")
                await self._send({"type": "error", "message": "the simulation failed; the terminal shows why"})

    async def _turn(self) -> None:
        """What is new, one step, one frame, then wait for the next reason."""
        self.news.clear()
        changed = await self._obey()
        while self.complaints:
            await self._send({"type": "error", "message": self.complaints.popleft()})
        session = self.session
        if session.scenes != self.scenes and session.swarms:
            self.scenes = session.scenes
            await self._send_scene(session)
        was_expecting = self._is_expecting()  # what is ready by now is no longer expected, but is to be shown
        steps = 0
        if session.playing and self._may_send():
            steps = self.pace.steps(session.speed, time.monotonic())
        if session.swarms and (steps or session.is_waiting):
            await self._in_thread(self._advance, steps)
        if session.swarms and (changed or steps or was_expecting):
            await self._send_frame(session)
        await self._rest()

    def _is_expecting(self) -> bool:
        return self.expects_look or self.session.is_waiting

    async def _rest(self) -> None:
        """Until the next frame is due or there is news."""
        if self.inbox or self.closed:
            return
        if self.session.playing:
            wait = self.pace.wait(self.session.speed, time.monotonic()) if self._may_send() else 1.0
        else:
            wait = POLL if self._is_expecting() else 3600.0
        if wait <= 0:
            await asyncio.sleep(0)
            return
        try:
            async with asyncio.timeout(wait):
                await self.news.wait()
                # News is answered at once, but not more often than there are pictures.
                await asyncio.sleep(min(wait, 1 / 120))
        except TimeoutError:
            pass

    async def _obey(self) -> bool:
        """Carry out all messages that are waiting; whether there were any."""
        any_news = False
        while self.inbox:
            message = self.inbox.popleft()
            any_news = True
            was_playing = self.session.playing
            try:
                if isinstance(message, messages.Setup):
                    await self._set_up(message)
                else:
                    await self._in_thread(self.session.apply, message)
            except SwarmbedError as error:
                self.complaints.append(str(error))
            if self.session.playing and not was_playing:
                self.pace.reset()
        return any_news

    async def _set_up(self, setup: messages.Setup) -> None:
        """Show the start, so there is something to see while the rest is being compiled."""
        await self._say_busy(f"finding the policies for {setup.task}")
        draft = await self._in_thread(self.session.draft, setup)
        await self._send_scene(draft)
        await self._send_frame(draft)
        await self._say_busy(f"compiling the simulation of {draft.count} agents")
        await self._in_thread(self.session.adopt, draft)

    async def _say_busy(self, sentence: str) -> None:
        await self._send({"type": "busy", "message": sentence})

    async def _send_scene(self, session: Session) -> None:
        self.told.clear()
        await self._send(await self._in_thread(frames.scene, session))

    async def _send_frame(self, session: Session) -> None:
        frame = await self._in_thread(frames.frame, session, self.told)
        self.expects_look = any(arena["look"] and not arena["look"]["ready"] for arena in frame["arenas"])
        if not self.closed:
            await self.socket.send_bytes(wire.pack(frame))
        self.sent += 1

    def _advance(self, steps: int) -> None:
        try:
            self.session.advance(steps, BUDGET)
        except SwarmbedError as error:
            self.complaints.append(str(error))

    def _may_send(self) -> bool:
        return self.drawn == 0 or self.sent - self.drawn < UNDRAWN

    async def _read(self) -> None:
        try:
            while True:
                received = await self.socket.receive()
                if received["type"] == "websocket.disconnect":
                    break
                if not self.rate.allows():
                    if self.rate.refused % gate.PATIENCE == 0:
                        await self.socket.close(1008, "too many messages")
                        break
                    if self.rate.refused % 100 == 1:
                        self._complain(f"too many messages; at most {gate.PER_SECOND:g} per second are read")
                    continue
                text = received.get("text")
                self._take(text if isinstance(text, str) else b"")
        finally:
            self.closed = True
            self.news.set()

    def _take(self, text: str | bytes) -> None:
        """Put a message where the next turn finds it."""
        try:
            message = messages.parse(text)
        except SwarmbedError as error:
            self._complain(str(error))
            return
        if isinstance(message, messages.Drawn):
            was_blocked = not self._may_send()
            self.drawn = min(self.drawn + 1, self.sent)
            if was_blocked:
                self.news.set()
            return
        if self.inbox and messages.replaces(message, self.inbox[-1]):
            self.inbox.pop()  # a moving mouse or slider: only its last position counts
        if len(self.inbox) >= FULL:
            self._complain("too many messages are waiting; this one was dropped")
            return
        self.inbox.append(message)
        self.news.set()

    def _complain(self, sentence: str) -> None:
        self.complaints.append(sentence)
        self.news.set()

    async def _send(self, content: dict[str, Any]) -> None:
        if not self.closed:
            await self.socket.send_text(json.dumps(content, separators=(",", ":"), allow_nan=False))

    async def _in_thread(self, function: Any, *arguments: Any) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self.threads, function, *arguments)
