"""Settings: declared once, then checked by name and type."""

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import pytest

from swarmbed import SwarmbedError
from swarmbed.spec.settings import Spec, as_dict, build, checked, default_of, describe, flag_name, setting


@dataclass(frozen=True)
class Kettle(Spec):
    """A spec with one setting of every kind."""

    num_cups: int = setting(2, "cups", flag="cups")
    boil_at: float = setting(100.0, "degrees")
    whistles: bool = setting(False, "whether it whistles")
    colour: str = setting("red", "colour")
    lid_radius: float | None = setting(None, "radius of the lid")
    sizes: tuple[int, ...] = setting((1, 2), "sizes", at_least=1, not_empty=True)
    fuel: str = setting("gas", "what heats it", choices=("gas", "wood"))
    share: float = setting(0.5, "how full it is", above=0, at_most=1)
    age: int = setting(3, "years", at_least=0)
    seed: int = setting(0, "which one", at_least=0, at_most=2**31 - 1)


def test_a_spec_is_built_from_settings_by_name() -> None:
    assert build(Kettle, {"num_cups": 3, "colour": "blue"}, "kettle") == Kettle(num_cups=3, colour="blue")


def test_the_short_flag_is_for_the_command_line_only() -> None:
    with pytest.raises(SwarmbedError, match=r"^kettle has no setting 'cups'; did you mean 'num_cups'\?"):
        build(Kettle, {"cups": 3}, "kettle")


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        ({"fuel": "coal"}, "fuel must be one of gas, wood, not 'coal'"),
        ({"share": 0}, "share must be a number between 0 and 1 (not 0), not 0"),
        ({"share": 1.5}, "share must be a number between 0 and 1 (not 0), not 1.5"),
        ({"share": float("nan")}, "share must be a number between 0 and 1 (not 0), not nan"),
        ({"boil_at": float("inf")}, "boil_at must be a number, not inf"),
        ({"age": -1}, "age must be a whole number of at least 0, not -1"),
        ({"boil_at": 10**400}, f"boil_at must be a number, not {str(10**400)[:100]} …"),
        ({"seed": 2**31}, "seed must be a whole number between 0 and 2147483647, not 2147483648"),
        ({"sizes": ()}, "sizes must be a list of one or more, each a whole number of at least 1, not ()"),
        ({"sizes": (2, 0)}, "sizes must be a list of one or more, each a whole number of at least 1, not (2, 0)"),
    ],
)
def test_bounds_and_choices_hold_however_a_spec_is_made(values: dict[str, Any], wanted: str) -> None:
    with pytest.raises(SwarmbedError) as direct:
        Kettle(**values)
    assert str(direct.value) == wanted
    with pytest.raises(SwarmbedError) as built:
        build(Kettle, values, "kettle")
    assert str(built.value) == f"kettle: {wanted}"


def test_the_ends_of_bounds_are_inside_or_outside_as_declared() -> None:
    assert Kettle(share=1, age=0).share == 1.0
    assert isinstance(Kettle(share=1).share, float)


def test_a_setting_without_a_default_must_be_given() -> None:
    @dataclass(frozen=True)
    class Cup(Spec):
        size: int = setting(..., "size")

    with pytest.raises(TypeError, match="size"):
        Cup()
    assert Cup(2).size == 2


def test_a_whole_number_passes_as_a_float() -> None:
    value = build(Kettle, {"boil_at": 90}, "kettle").boil_at
    assert value == 90.0
    assert isinstance(value, float)


def test_a_list_passes_as_a_tuple() -> None:
    assert build(Kettle, {"sizes": [4, 5, 6]}, "kettle").sizes == (4, 5, 6)


def test_none_passes_only_where_it_is_allowed() -> None:
    assert build(Kettle, {"lid_radius": None}, "kettle").lid_radius is None
    with pytest.raises(SwarmbedError, match=r"^kettle: boil_at must be a number, not None$"):
        build(Kettle, {"boil_at": None}, "kettle")


@pytest.mark.parametrize(
    ("name", "value", "wanted"),
    [
        ("num_cups", "many", "a whole number, not 'many'"),
        ("num_cups", 2.0, "a whole number, not 2.0"),
        ("num_cups", True, "a whole number, not True"),
        ("boil_at", "hot", "a number, not 'hot'"),
        ("boil_at", True, "a number, not True"),
        ("whistles", 1, "true or false, not 1"),
        ("colour", 3, "a word, not 3"),
        ("lid_radius", "wide", "a number or left out, not 'wide'"),
        ("sizes", 4, "a list of one or more, each a whole number of at least 1, not 4"),
        ("sizes", [4, "five"], "a list of one or more, each a whole number of at least 1, not [4, 'five']"),
    ],
)
def test_a_wrong_type_is_refused_and_the_right_one_named(name: str, value: Any, wanted: str) -> None:
    with pytest.raises(SwarmbedError) as caught:
        build(Kettle, {name: value}, "kettle")
    assert str(caught.value) == f"kettle: {name} must be {wanted}"


def test_an_unknown_setting_is_refused_with_a_guess_and_all_that_there_are() -> None:
    with pytest.raises(SwarmbedError) as caught:
        build(Kettle, {"color": "blue"}, "kettle")
    message = str(caught.value)
    assert message.startswith("kettle has no setting 'color'; did you mean 'colour'? it has: ")
    assert all(f.name in message for f in fields(Kettle))


def test_checked_settings_come_in_their_declared_types() -> None:
    assert checked(Kettle, {"num_cups": 3, "boil_at": 90}, "kettle") == {"num_cups": 3, "boil_at": 90.0}


def test_settings_as_a_dictionary_leave_out_none_and_build_the_same_spec_again() -> None:
    kettle = Kettle(num_cups=7, sizes=(3,))
    assert as_dict(kettle) == {"num_cups": 7, "boil_at": 100.0, "whistles": False, "colour": "red", "sizes": [3]} | {
        "fuel": "gas", "share": 0.5, "age": 3, "seed": 0,
    }  # fmt: skip
    assert build(Kettle, as_dict(kettle), "kettle") == kettle


def test_flags_are_short_names_or_names_with_dashes() -> None:
    assert [flag_name(f) for f in fields(Kettle)] == [
        "cups",
        "boil-at",
        "whistles",
        "colour",
        "lid-radius",
        "sizes",
        "fuel",
        "share",
        "age",
        "seed",
    ]


def test_defaults_are_those_of_the_fields() -> None:
    assert [default_of(f) for f in fields(Kettle)] == [2, 100.0, False, "red", None, (1, 2), "gas", 0.5, 3, 0]


def test_types_are_described_in_words() -> None:
    assert describe(float | None) == "a number or left out"
    assert describe(tuple[int, ...]) == "a list, each item a whole number"


# Classes that do not say that they are dataclasses, as one writes them in a notebook cell.


class Samovar(Kettle):
    """A kettle with a setting more and another default."""

    taps: int = setting(1, "taps", at_least=1)
    num_cups: int = setting(20, "cups")


def test_a_class_with_settings_is_a_dataclass_without_saying_so() -> None:
    samovar = Samovar(taps=2, colour="gold")
    assert (samovar.taps, samovar.num_cups, samovar.colour) == (2, 20, "gold")
    assert [f.name for f in fields(Samovar)][-1] == "taps"
    assert samovar == Samovar(colour="gold", taps=2) and hash(samovar) == hash(Samovar(colour="gold", taps=2))
    with pytest.raises(SwarmbedError, match=r"^taps must be a whole number of at least 1, not 0$"):
        Samovar(taps=0)
    with pytest.raises(AttributeError):
        samovar.taps = 3  # type: ignore[misc]


def test_it_is_one_when_it_is_built_by_name_and_when_another_derives_from_it() -> None:
    class Urn(Kettle):
        legs: int = setting(3, "legs")

    assert build(Urn, {"legs": 4}, "urn").legs == 4

    class Pot(Kettle):
        handle: str = setting("wood", "what the handle is made of")

    @dataclass(frozen=True)
    class BigPot(Pot):
        litres: float = setting(5.0, "how much it holds")

    assert [f.name for f in fields(BigPot)][-2:] == ["handle", "litres"]
    assert BigPot().handle == "wood"


def test_a_setting_that_is_overwritten_by_a_plain_value_is_refused_and_not_ignored() -> None:
    class Small(Kettle):
        num_cups = 1

    class Annotated(Kettle):
        num_cups: int = 1

    @dataclass(frozen=True)
    class Decorated(Kettle):
        num_cups = 1  # type: ignore[misc]

    for kind in (Small, Annotated, Decorated):
        words = rf"^{kind.__name__} sets num_cups, which is a setting: declare its default with num_cups: int = setting"
        with pytest.raises(SwarmbedError, match=words):
            kind()


@pytest.mark.parametrize(
    ("name", "value"), [("num_cups", np.int64(3)), ("boil_at", np.float32(0.5)), ("sizes", (np.int32(4), 5))]
)
def test_numbers_of_numpy_become_plain_numbers(name: str, value: Any) -> None:
    found = getattr(Kettle(**{name: value}), name)
    assert found == value
    assert {type(item) for item in (found if isinstance(found, tuple) else (found,))} <= {int, float}


@pytest.mark.parametrize(("name", "value"), [("num_cups", np.float64(3)), ("boil_at", np.bool_(True))])
def test_numbers_of_another_kind_stay_refused(name: str, value: Any) -> None:
    with pytest.raises(SwarmbedError, match=f"^{name} must be a"):
        Kettle(**{name: value})
