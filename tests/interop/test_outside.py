"""Policies from outside are told apart, so that what was measured of one is never taken for another's."""

from typing import Any

import numpy as np

from swarmbed.interop.outside import OutsidePolicy


class Net:
    def __init__(self, weight: float) -> None:
        self.weight = weight

    def __call__(self, seen: Any) -> Any:
        return np.full((len(seen["local"]), 2), self.weight)


def still(seen: Any) -> Any:
    return np.zeros((len(seen["local"]), 2))


def ahead(seen: Any) -> Any:
    return np.ones((len(seen["local"]), 2))


def test_functions_of_a_module_are_known_again_and_told_apart() -> None:
    assert OutsidePolicy(still).fingerprint() == OutsidePolicy(still).fingerprint()
    assert OutsidePolicy(still, "x").fingerprint() != OutsidePolicy(ahead, "x").fingerprint()


def test_objects_and_closures_are_known_only_as_themselves() -> None:
    for make in (Net, lambda weight: lambda seen: np.full((len(seen["local"]), 2), weight)):
        one, other = OutsidePolicy(make(1.0), "x"), OutsidePolicy(make(2.0), "x")
        assert one.fingerprint() == one.fingerprint() != other.fingerprint()
