"""A flag that takes several words may be given several times."""

from swarmbed.cli.flags import Parser, add_flags, given
from swarmbed.run.settings import RunSettings


def test_a_list_that_is_given_in_two_flags_holds_both() -> None:
    parser = Parser("made-up", "", "")
    add_flags(parser, RunSettings, "run")
    options = parser.parse(["--schedule", "a=1:0", "b=2:0", "--schedule", "c=3:0"])
    assert given(options, RunSettings)["schedule"] == ("a=1:0", "b=2:0", "c=3:0")
    assert "schedule" not in given(parser.parse([]), RunSettings)
