"""What the benchmark of mixed sizes counts."""

import pytest

from swarmbed.benchmarks.mixed import mean_over, passed, sensed


def test_pairs_are_sensed_by_everybody_and_again_by_those_whose_experience_is_used() -> None:
    # 3 agents sense 2 others each, twice; of 10 agents with 9 others, 8 are sampled.
    assert sensed((3,)) == 12
    assert sensed((3, 10)) == (12 + 18 * 9) / 2


def test_the_cost_of_a_size_that_was_not_measured_lies_on_a_line() -> None:
    # 1, 2, 3, then 3 + 2, 3 + 4
    assert mean_over((1, 2, 3, 4, 5), (1, 3, 5), (1.0, 3.0, 7.0)) == pytest.approx((1 + 2 + 3 + 5 + 7) / 5)


def test_an_update_passes_the_pairs_of_the_sampled_agents_many_times() -> None:
    # Gradients of the policy and in five epochs of the critic (3 each), ten Fisher products (5 each) with a fifth of
    # the samples, a batch and a line search: 18 + 10 + 2 passes; and one in the rollout.
    assert passed((3,)) == (3 + 30 * 3) * 2
    assert passed((3, 10)) == (186 + (10 + 30 * 8) * 9) / 2
