"""A function is compiled when it is called with numbers, and traced with its caller otherwise."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from swarmbed.compute.on_call import compiled_on_call
from swarmbed.tasks import make


@dataclass(frozen=True)
class Gain:
    value: Any


@pytest.fixture
def scaled() -> Any:
    runs: list[bool] = []

    def scale(gain: Gain, x: Any) -> Any:
        runs.append(isinstance(x, jax.core.Tracer))
        return gain.value * x

    call = lambda gain, x: compiled_on_call(scale, gain, x)  # noqa: E731
    call.runs = runs  # type: ignore[attr-defined]
    call.horizons = lambda task, x: [runs.append(True), task.horizon * x][1]  # type: ignore[attr-defined]
    return call


def test_equal_specs_of_the_package_share_a_program(scaled: Any) -> None:
    for horizon in (3, 3, 5):
        compiled_on_call(scaled.horizons, make("rendezvous", horizon=horizon), jnp.array(2.0))
    assert scaled.runs == [True, True]


def test_an_object_of_somebodys_own_class_has_its_own(scaled: Any) -> None:
    three = Gain(3)
    assert [float(scaled(gain, jnp.array(2.0))) for gain in (three, three, Gain(3))] == [6, 6, 6]
    assert scaled.runs == [True, True]


def test_the_same_objects_in_another_tuple_share_a_program() -> None:
    gain, traced = Gain(3), []

    def scale(gains: tuple[Gain, Gain], x: Any) -> Any:
        traced.append(x)
        return (gains[0].value + gains[1].value) * x

    assert [float(compiled_on_call(scale, (gain, gain), jnp.array(2.0))) for _ in range(3)] == [12, 12, 12]
    assert len(traced) == 1


def test_under_a_transformation_it_belongs_to_the_callers_program(scaled: Any) -> None:
    assert float(jax.grad(lambda x: scaled(Gain(3.0), x) ** 2)(jnp.array(2.0))) == 36
    program = jax.make_jaxpr(lambda x: scaled(Gain(3.0), x))(2.0)
    assert [equation.primitive.name for equation in program.eqns] == ["mul"]


def test_a_spec_that_holds_an_array_is_not_compiled(scaled: Any) -> None:
    assert float(scaled(Gain(jnp.array(3.0)), jnp.array(2.0))) == 6
    assert scaled.runs == [False]
