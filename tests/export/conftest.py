"""Shared by the tests of exports."""

import pytest


@pytest.fixture(autouse=True)
def _nothing_stays_registered(plugins_leave_no_trace: None) -> None:
    """Describing a policy gives a class of one's own a name; the registry belongs to the process."""
