"""The example that trains a swarm with another library."""

import importlib.util
from pathlib import Path

import pytest

pytest.importorskip("cma", reason="the example needs the package cma")

EXAMPLE = Path(__file__).parents[3] / "examples" / "other_library.py"


def test_the_quick_example_learns_to_meet(capsys: pytest.CaptureFixture[str]) -> None:
    spec = importlib.util.spec_from_file_location("other_library", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)

    before, after = example.main(["--quick"])

    # Untrained agents hardly move: the return is −40 steps × mean distance / 141. One that closes in does far better.
    assert after.episode_return.mean() > 0.75 * before.episode_return.mean()
    assert after.last_distance.mean() < 0.5 * before.last_distance.mean()
    printed = capsys.readouterr().out
    assert f"before    return {before.episode_return.mean():7.2f}" in printed
    assert f"after     return {after.episode_return.mean():7.2f}" in printed
