"""How many steps are due, and when the next picture is: a steady speed, without ever running after lost time."""

from time import monotonic

FRAMES_PER_SECOND = 60.0
MOST_LATE = 0.1  # seconds; a delay longer than this is not made up for


class Pace:
    """Turns a speed in steps per second into steps per picture."""

    def __init__(self) -> None:
        self.due, self.last = 0.0, monotonic()

    def reset(self) -> None:
        """Start over: one step at once, the next after one interval."""
        self.due, self.last = 1.0, monotonic()

    def steps(self, speed: float, now: float) -> int:
        """Whole steps that are due now."""
        late = min(now - self.last, MOST_LATE + 1 / speed)
        self.due, self.last = self.due + late * speed, now
        whole = int(self.due + 1e-6)
        self.due -= whole
        return whole

    def wait(self, speed: float, now: float) -> float:
        """Seconds until there is a reason for the next picture."""
        until_step = (1.0 - self.due) / speed
        return max(until_step, 1 / FRAMES_PER_SECOND) - (now - self.last)
