"""Arguments of the wrong kind are named, and what they may be."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import swarmbed
from swarmbed import SwarmbedError
from swarmbed.spec.arguments import checked_arguments, is_a
from swarmbed.spec.errors import shown


@pytest.mark.parametrize(
    ("value", "hint", "fits"),
    [
        (3, int, True), (np.int64(3), int, True), (np.float32(3), int, False), (np.float32(3), float, True),
        (True, int, False), (3.0, int, False), (3, float, True), ("3", float, False),
        (True, bool, True),
        (None, int | None, True), ("a", str | Path, True), (Path(), str | Path, True), (b"a", str | Path, False),
        (print, Callable[[int], None], True), (3, Callable[[int], None], False), ({}, Mapping[str, Any], True),
        ([], Mapping[str, Any], False), (object(), Any, True), ("x", Literal["x", "y"], True),
        ("z", Literal["x"], False),
    ],
)  # fmt: skip
def test_a_value_is_of_a_kind_or_not(value: Any, hint: Any, fits: bool) -> None:
    assert is_a(value, hint) is fits


def test_every_item_of_a_list_of_arguments_is_checked() -> None:
    @checked_arguments(names="words")
    def join(*names: str, times: int = 1) -> str:
        return " ".join(names * times)

    assert join("a", "b", times=2) == "a b a b"
    with pytest.raises(SwarmbedError, match="names must be words, not 3"):
        join("a", 3)  # type: ignore[arg-type]
    with pytest.raises(SwarmbedError, match="times must be a whole number, not 'twice'"):
        join("a", times="twice")  # type: ignore[arg-type]


def test_whole_numbers_of_numpy_arrive_as_plain_ones() -> None:
    @checked_arguments()
    def kind_of(count: int, *, seed: int | None = None) -> list[type]:
        return [type(count), type(seed)]

    assert kind_of(np.int64(3), seed=np.uint8(4)) == [int, int]
    assert kind_of(3) == [int, type(None)]


def test_lists_functions_and_dictionaries_are_called_so() -> None:
    @checked_arguments()
    def take(names: Sequence[str] | None = None, report: bool | Callable[[int], None] = True) -> None: ...

    with pytest.raises(SwarmbedError, match=r"^names must be a list or left out, not 3$"):
        take(names=3)  # type: ignore[arg-type]
    with pytest.raises(SwarmbedError, match=r"^report must be true or false or a function, not 3$"):
        take(report=3)  # type: ignore[arg-type]


CALLS: list[tuple[str, Callable[[], Any]]] = [
    ("num_agents", lambda: swarmbed.make("pursuit", num_agents="many")),
    ("name_or_path", lambda: swarmbed.load_policy(3)),  # type: ignore[arg-type]
    ("who", lambda: swarmbed.evaluate(3)),  # type: ignore[arg-type]
    ("task", lambda: swarmbed.evaluate("consensus", 3)),  # type: ignore[arg-type]
    ("episodes", lambda: swarmbed.evaluate("consensus", episodes="many")),  # type: ignore[arg-type]
    ("seed", lambda: swarmbed.evaluate("consensus", seed=1.5)),  # type: ignore[arg-type]
    ("num_agents", lambda: swarmbed.evaluate("consensus", num_agents="5")),  # type: ignore[arg-type]
    ("policies", lambda: swarmbed.compare(3)),  # type: ignore[arg-type]
    ("policies", lambda: swarmbed.stress(3)),  # type: ignore[arg-type]
    ("disturbances", lambda: swarmbed.stress(["consensus"], disturbances=3)),  # type: ignore[arg-type]
    ("quick", lambda: swarmbed.stress(["consensus"], quick="yes")),  # type: ignore[arg-type]
    ("who", lambda: swarmbed.render(b"consensus")),  # type: ignore[arg-type]
    ("out", lambda: swarmbed.render("consensus", out=3)),  # type: ignore[arg-type]
    ("look", lambda: swarmbed.render("consensus", look=[])),  # type: ignore[arg-type]
    ("task", lambda: swarmbed.train(3)),  # type: ignore[arg-type]
    ("embedding", lambda: swarmbed.train(embedding=3)),  # type: ignore[arg-type]
    ("algorithm", lambda: swarmbed.train(algorithm=3)),  # type: ignore[arg-type]
    ("batch", lambda: swarmbed.train(batch=3)),  # type: ignore[arg-type]
    ("iterations", lambda: swarmbed.train(iterations="many")),  # type: ignore[arg-type]
    ("seeds", lambda: swarmbed.train(seeds=2.0)),  # type: ignore[arg-type]
    ("out", lambda: swarmbed.train(out=3)),  # type: ignore[arg-type]
    ("resume", lambda: swarmbed.train(resume=3)),  # type: ignore[arg-type]
    ("callback", lambda: swarmbed.train(callback=3)),  # type: ignore[arg-type]
    ("progress", lambda: swarmbed.train(progress="yes")),  # type: ignore[arg-type]
    ("task", lambda: swarmbed.auto_reset("pursuit")),  # type: ignore[arg-type]
    ("name", lambda: swarmbed.register(int, name=3)),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("name", "call"), CALLS)
def test_the_public_functions_name_the_argument_that_is_wrong(name: str, call: Callable[[], Any]) -> None:
    with pytest.raises(SwarmbedError, match=rf"\b{name}\b must be"):
        call()


def test_a_wrong_value_is_quoted_in_one_line_at_most() -> None:
    endless: list[Any] = []
    for _ in range(100_000):
        endless = [endless]
    assert shown(3) == "3"
    assert len(shown("x" * 10_000)) < 110
    assert shown(10**5000) == "a int that is too large to show"
    assert shown(endless) == "a list that is too large to show"
