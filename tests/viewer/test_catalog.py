"""What a page can choose from: every task is offered with those who can run it."""

import pytest

from swarmbed.policy.files import load_outline
from swarmbed.policy.find import load_policy, shipped_policies
from swarmbed.spec import registry
from swarmbed.viewer.catalog import Catalog


@pytest.fixture(scope="module")
def offered() -> Catalog:
    return Catalog()


def test_every_task_can_be_chosen_and_its_own_policies_come_first(offered: Catalog) -> None:
    built_in = [task for task in offered.tasks if task in registry.tasks.variants]  # not what other tests registered
    assert built_in
    for task in built_in:
        assert offered.fitting(task)[0].startswith(f"{task}-"), task


def test_a_policy_with_senses_that_a_task_does_not_have_is_not_offered_there(offered: Catalog) -> None:
    # It hears what others transmit, which several evaders' pursuers cannot be made to.
    assert "pursuit-local-nn-comm" in offered.fitting("pursuit-local")
    assert "pursuit-local-nn-comm" not in offered.fitting("multi-pursuit")


def test_a_controller_offered_for_a_task_passes_its_own_check(offered: Catalog) -> None:
    name = "rendezvous-local-nn-comm"
    named = offered.controller(name)
    for task in offered.tasks:
        if name in offered.fitting(task):
            named.controller.check(offered.task_for(task, named))


def test_the_outline_of_a_policy_is_the_policy_without_its_weights() -> None:
    name = "pursuit-local-nn-comm"
    outline, policy = load_outline(shipped_policies()[name]), load_policy(name)
    assert outline.specs == policy.specs
    assert not outline.params.network and policy.params.network
