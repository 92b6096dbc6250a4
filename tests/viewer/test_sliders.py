"""The panel offers every disturbance that tasks have, with the unit and the range of its setting."""

from math import pi

import pytest

from swarmbed.tasks.disturbances.settings import KINDS, Kind
from swarmbed.viewer import sliders

CONTROLS = {control["name"]: control for group in sliders.panel() for control in group["settings"]}


def test_every_declared_disturbance_is_offered_once() -> None:
    offered = [control["name"] for group in sliders.panel() for control in group["settings"]]
    assert sorted(offered) == sorted(sliders.DECLARED)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_slider_begins_where_the_disturbance_is_off_and_has_its_unit(kind: Kind) -> None:
    control = CONTROLS[kind.name]
    assert (control["low"], control["default"], control["unit"]) == (0, 0, kind.unit)


@pytest.mark.parametrize(
    ("name", "end"),
    [("message_loss", 1.0), ("blind_angle", 2 * pi), ("message_delay", 16.0), ("stop_rate", 0.1), ("stop_time", 30.0)],
)
def test_a_slider_ends_at_the_bound_of_its_setting_or_where_sweeps_end(name: str, end: float) -> None:
    assert CONTROLS[name]["end"] == pytest.approx(end)


def test_every_place_of_a_slider_is_allowed() -> None:
    for control in CONTROLS.values():
        for place in ("low", "end") if control["unit"] else ():
            value = int(control[place]) if control["whole"] else control[place]
            assert sliders.checked(control["name"], value) == value
