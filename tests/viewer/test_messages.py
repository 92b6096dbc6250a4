"""Whatever arrives is checked: a good message becomes an object, anything else one sentence."""

import json

import pytest

from swarmbed.spec.errors import SwarmbedError
from swarmbed.viewer import messages


def test_a_message_becomes_an_object_of_its_kind() -> None:
    text = '{"type": "hold", "arena": 1, "what": "evader", "number": 0, "x": 3, "y": 4.5}'
    assert messages.parse(text) == messages.Hold(arena=1, what="evader", number=0, x=3.0, y=4.5)


@pytest.mark.parametrize(
    ("what", "value"), [("message_loss", 0.3), ("message_delay", 3), ("stopped_seen", False), ("stop_rate", 1)]
)
def test_a_disturbance_is_set_to_a_value_that_its_setting_allows(what: str, value: float | bool) -> None:
    assert messages.parse(json.dumps({"type": "disturb", "what": what, "value": value})) == messages.Disturb(
        what, value
    )


def test_of_a_slider_on_the_move_only_the_last_place_counts() -> None:
    first, second = messages.Disturb("message_loss", 0.1), messages.Disturb("message_loss", 0.2)
    assert messages.replaces(second, first)
    assert not messages.replaces(second, messages.Disturb("stop_share", 0.1))
    assert not messages.replaces(messages.Play(), second)


def test_fields_that_are_left_out_have_their_defaults() -> None:
    setup = messages.parse('{"type": "setup", "task": "pursuit-global"}')
    assert setup == messages.Setup("pursuit-global", None, None, None, 0)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "JSON object"),
        ("null", "JSON object"),
        ("[1, 2]", "JSON object"),
        ("[" * 2000, "JSON object"),  # deeper than the reader can count
        ("{}", "must have a type"),
        ('{"type": 3}', "must have a type"),
        ('{"type": "explode"}', "'explode' does not exist"),
        ('{"type": "play", "now": 1}', "play has no setting 'now'"),
        ('{"type": "hold", "arena": 0}', "a field is missing"),
        ('{"type": "agents", "count": 1}', "count must be a whole number between 2 and 10000, not 1"),
        ('{"type": "agents", "count": 10001}', "between 2 and 10000, not 10001"),
        ('{"type": "agents", "count": 2.5}', "whole number"),
        ('{"type": "agents", "count": true}', "whole number"),
        ('{"type": "agents", "count": "20"}', "whole number"),
        ('{"type": "agents", "count": null}', "whole number"),
        ('{"type": "agents", "count": ' + "9" * 1000 + "}", "count must be a number of reasonable size"),
        ('{"type": "add", "x": NaN, "y": 0}', "x must be a number"),
        ('{"type": "add", "x": 1e999, "y": 0}', "x must be a number"),
        ('{"type": "add", "x": 1e15, "y": 0}', "x must be a number of reasonable size"),
        ('{"type": "add", "x": ' + "[" * 500 + "]" * 500 + ', "y": 0}', "x must be a single value"),
        ('{"type": "speed", "steps_per_second": 0.1}', "between 0.5 and 1000, not 0.1"),
        (
            '{"type": "hold", "arena": 0, "what": "wall", "number": 0, "x": 0, "y": 0}',
            "one of agent, evader, not 'wall'",
        ),
        ('{"type": "loop", "on": 1}', "true or false"),
        (
            '{"type": "disturb", "what": "message_loss", "value": 2}',
            "message_loss must be a number between 0 and 1, not 2",
        ),
        ('{"type": "disturb", "what": "stop_rate", "value": -1}', "stop_rate must be a number of at least 0, not -1"),
        ('{"type": "disturb", "what": "message_delay", "value": 0.5}', "message_delay must be a whole number between"),
        ('{"type": "disturb", "what": "pause_seconds", "value": 0}', "pause_seconds must be a number above 0, not 0"),
        ('{"type": "disturb", "what": "stopped_seen", "value": 1}', "stopped_seen must be true or false, not 1"),
        ('{"type": "disturb", "what": "message_loss", "value": [0, 0.3]}', "value must be a single value"),
        ('{"type": "disturb", "what": "message_loss", "value": null}', "value must be"),
        ('{"type": "disturb", "what": "message_loss", "value": NaN}', "value must be a number of reasonable size"),
        ('{"type": "disturb", "what": "num_agents", "value": 3}', "what must be one of stop_rate, stop_share"),
        ('{"type": "disturb", "what": "message_loss"}', "a field is missing; it has: what, value"),
        ('{"type": "setup", "task": "' + "a" * 300 + '"}', "at most 200 characters"),
        ('{"type": "setup", "task": "' + "a" * 3000 + '"}', "at most 2048 bytes"),
        (b"\x00\x01", "must be text"),
    ],
)
def test_a_bad_message_is_answered_with_a_sentence(text: str | bytes, words: str) -> None:
    with pytest.raises(SwarmbedError, match=words):
        messages.parse(text)
