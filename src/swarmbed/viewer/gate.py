"""Who may talk to the server: pages that it served itself, on this machine, and not too often."""

import time
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")
PER_SECOND = 200.0  # messages; a page sends one per picture and one per move of the mouse
BURST = 400.0
PATIENCE = 2000  # messages beyond the limit after which the connection is closed


def is_local(host: str | None) -> bool:
    """Whether a Host header names this machine. Another name that resolves here is an attack (DNS rebinding)."""
    if not host:
        return False
    try:
        return urlsplit(f"//{host}").hostname in LOOPBACK
    except ValueError:
        return False


def is_same_origin(origin: str | None, host: str | None) -> bool:
    """Whether a connection comes from a page of this server, or from a program that is no browser.

    Browsers always say which page opens a connection, and cannot be made to lie about it.
    """
    if not is_local(host):
        return False
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme == "http" and parts.netloc.lower() == str(host).lower()


class RateLimit:
    """A bucket of tokens: one per message, refilled at a steady rate."""

    def __init__(self, per_second: float = PER_SECOND, burst: float = BURST) -> None:
        self.per_second, self.burst = per_second, burst
        self.tokens, self.last = burst, time.monotonic()
        self.refused = 0

    def allows(self) -> bool:
        """Whether one more message is all right now."""
        now = time.monotonic()
        self.tokens = min(self.burst, self.tokens + (now - self.last) * self.per_second)
        self.last = now
        if self.tokens < 1:
            self.refused += 1
            return False
        self.tokens -= 1
        return True
