"""Numbers that change during a run."""

import pytest

from swarmbed import SwarmbedError
from swarmbed.algorithms.trpo import Trpo
from swarmbed.learn.schedule import parse, schedules_for, settled
from swarmbed.tasks import make

PURSUIT = make("pursuit")


def test_a_number_moves_along_straight_lines_and_stands_still_outside() -> None:
    schedule = parse("evader_speed_ratio=1.2:10,2.0:60,1.0:80")
    assert [schedule.at(i) for i in (0, 10, 35, 60, 70, 500)] == pytest.approx([1.2, 1.2, 1.6, 2.0, 1.5, 1.0])


@pytest.mark.parametrize(
    ("text", "expected"), [("x=1:0,2:60", 60), ("x=3:0,3:30,0:60,0:90", 60), ("x=1:0,1:50", 0), ("x=2:7", 0)]
)
def test_a_schedule_has_an_end(text: str, expected: int) -> None:
    assert parse(text).settled == expected


def test_only_the_settings_of_a_spec_count() -> None:
    schedules = (parse("evader_speed_ratio=1:0,2:60"), parse("kl_bound=0.1:0,0.01:90"))
    assert (settled(schedules, PURSUIT), settled(schedules, Trpo()), settled((), PURSUIT)) == (60, 90, 0)


@pytest.mark.parametrize(
    "text", ["", "speed", "speed=", "=1:0", "speed=1", "speed=1:0,2", "speed=1:5,2:5", "speed=1:-1"]
)
def test_a_schedule_that_says_nothing_clear_is_refused(text: str) -> None:
    with pytest.raises(SwarmbedError, match="schedule must be NAME=VALUE:ITERATION"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("evader_sped=1:0", "neither task nor algorithm has a setting 'evader_sped'"),
        ("num_agents=10:0", "num_agents is not a number that can change during a run"),
        ("comm_radius=10:0", "comm_radius is not a number that can change during a run"),
        ("evader_speed_ratio=1:0,-1:5", "evader_speed_ratio must be a number of at least 0, not -1.0"),
        ("kl_bound=0:0", "kl_bound must be a number above 0, not 0.0"),
    ],
)
def test_what_is_scheduled_is_checked_like_any_setting(text: str, message: str) -> None:
    with pytest.raises(SwarmbedError, match=message):
        schedules_for((text,), PURSUIT, Trpo())


def test_a_number_that_counts_only_at_the_start_is_refused() -> None:
    with pytest.raises(SwarmbedError, match="initial_log_std counts only at the start"):
        schedules_for(("initial_log_std=-1:0,-3:60",), PURSUIT, Trpo())


def test_a_number_is_scheduled_once() -> None:
    with pytest.raises(SwarmbedError, match="schedule names discount twice"):
        schedules_for(("discount=0.9:0", "discount=0.8:0"), PURSUIT, Trpo())
