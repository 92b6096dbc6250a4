"""Only pages of this server may talk to it, and not without end."""

import pytest

from swarmbed.viewer import gate
from swarmbed.viewer.pace import Pace

HOST = "127.0.0.1:8765"


@pytest.mark.parametrize(
    ("origin", "host", "allowed"),
    [
        ("http://127.0.0.1:8765", HOST, True),
        ("http://localhost:8765", "localhost:8765", True),
        ("http://localhost:9000", "localhost:9000", True),  # through a forwarded port
        (None, HOST, True),  # no browser
        ("http://evil.example", HOST, False),
        ("http://127.0.0.1:3000", HOST, False),  # another program of this machine
        ("http://localhost:8765", HOST, False),
        ("https://127.0.0.1:8765", HOST, False),
        ("null", HOST, False),  # a page from the file system, or in a sandbox
        ("http://127.0.0.1:8765.evil.example", HOST, False),
        ("http://evil.example:8765", "evil.example:8765", False),  # a foreign name that leads here
        ("http://[", HOST, False),
        ("http://127.0.0.1:8765", None, False),
        (None, "evil.example", False),
    ],
)
def test_only_this_servers_own_pages_are_let_in(origin: str | None, host: str | None, allowed: bool) -> None:
    assert gate.is_same_origin(origin, host) is allowed


def test_a_full_bucket_lets_a_burst_through_and_then_no_more() -> None:
    limit = gate.RateLimit(per_second=0.0, burst=3)
    assert [limit.allows() for _ in range(5)] == [True, True, True, False, False]
    assert limit.refused == 2


def test_steps_follow_the_clock() -> None:
    pace = Pace()
    pace.due, pace.last = 0.0, 100.0
    # 40 steps per second: one step every 25 ms, two after 50 ms, and what is left over counts next time.
    assert [pace.steps(40, 100.0 + t) for t in (0.02, 0.025, 0.075, 0.09, 0.10)] == [0, 1, 2, 0, 1]


def test_time_that_was_lost_is_not_made_up_for() -> None:
    pace = Pace()
    pace.due, pace.last = 0.0, 100.0
    # After ten seconds away: 0.1 s and one step at 40 per second make five, not four hundred.
    assert pace.steps(40, 110.0) == 5
