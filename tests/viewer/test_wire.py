"""A message with arrays in it becomes bytes and comes back."""

import numpy as np

from swarmbed.viewer import wire


def test_arrays_and_words_come_back_as_they_were() -> None:
    x, ids = np.array([1.5, -2.25], np.float32), np.array([7, 8, 9], np.int32)
    message = {"type": "frame", "playing": True, "arenas": [{"x": x, "ids": ids, "news": None}, {"x": x[:0]}]}
    found = wire.unpack(wire.pack(message))
    assert found["type"] == "frame" and found["playing"] is True and found["arenas"][0]["news"] is None
    np.testing.assert_array_equal(found["arenas"][0]["x"], x)
    np.testing.assert_array_equal(found["arenas"][0]["ids"], ids)
    assert len(found["arenas"][1]["x"]) == 0


def test_the_bytes_are_those_of_the_description() -> None:
    # {"a":{"array":"int32","length":1}} has 34 characters: two spaces more make it a multiple of four.
    packed = wire.pack({"a": np.array([258], np.int32)})
    assert packed == (36).to_bytes(4, "little") + b'{"a":{"array":"int32","length":1}}  ' + bytes([2, 1, 0, 0])


def test_five_thousand_agents_are_sixty_kilobytes() -> None:
    numbers = {name: np.zeros(5000, np.float32) for name in ("x", "y", "heading")}
    assert len(wire.pack({"arenas": [numbers]})) < 60_200


def test_a_column_of_an_array_is_packed_like_any_other() -> None:
    position = np.arange(6, dtype=np.float32).reshape(3, 2)
    assert wire.unpack(wire.pack({"y": position[:, 1]}))["y"].tolist() == [1.0, 3.0, 5.0]
