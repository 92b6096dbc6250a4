"""How a page's connection ends when the server closes it: at once, without listening any longer."""

import asyncio
from typing import Any

from uvicorn.protocols.websockets.auto import AutoWebSocketsProtocol

FOR_AN_ANSWER = 0.01  # seconds


def prompt_protocol(**parts: Any) -> asyncio.Protocol:
    """The usual protocol, but a page that is told to go has no ten seconds in which all that it sends is still read.

    Reading costs so much that others would get no frames while a page that was closed for flooding goes on.
    """
    assert AutoWebSocketsProtocol is not None  # the extra that brings the server brings this, too
    protocol = AutoWebSocketsProtocol(**parts)
    protocol.close_timeout = FOR_AN_ANSWER  # type: ignore[attr-defined]
    return protocol
