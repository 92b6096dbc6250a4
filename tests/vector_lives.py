"""Two vector environments side by side."""

from typing import Any

from gymnasium.utils.env_checker import data_equivalence


def assert_same_lives(ours: Any, theirs: Any, seed: int) -> None:
    """Both give the same for the same actions, in episodes of both kinds of end."""
    assert data_equivalence(ours.reset(seed=seed), theirs.reset(seed=seed))
    ours.action_space.seed(0)
    terminations = truncations = 0
    for _ in range(15):
        action = ours.action_space.sample()
        result = ours.step(action)
        assert data_equivalence(result, theirs.step(action))
        terminations, truncations = terminations + result[2].sum(), truncations + result[3].sum()
    assert terminations > 0
    assert truncations > 0
