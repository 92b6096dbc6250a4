"""What cannot fit is one sentence with the estimate, before anything is compiled or allocated."""

import time
from dataclasses import replace

import jax
import pytest

import swarmbed
from swarmbed import SwarmbedError
from swarmbed.learn import estimate
from swarmbed.spec import limits
from toy_task import Drift


def test_the_bytes_of_a_swarm_are_those_of_its_arrays() -> None:
    task = swarmbed.make("rendezvous", num_agents=10, observation="basic")
    # position, heading, speed, turn rate: 5 floats each; presence 1 byte each; age 4 bytes
    assert estimate.state_bytes(task) == 10 * 5 * 4 + 10 + 4
    # wall distance, wall cos and sin, speed, turn rate; distance, bearing cos and sin and a mask of each of ten slots
    seen = 10 * 5 * 4 + 10 * 10 * (3 * 4 + 1)
    assert estimate.swarm_bytes(task) == estimate.state_bytes(task) + 3 * seen


@pytest.mark.parametrize("agents", [10**6, 10**9, 2**31 - 1])
def test_a_swarm_that_no_machine_holds_is_refused_at_once(agents: int) -> None:
    began = time.monotonic()
    task = swarmbed.make("rendezvous", num_agents=agents)
    words = f"with {agents} agents.* needs about .*B of memory, but there are .*; .*SWARMBED_MEMORY_GB="
    with pytest.raises(SwarmbedError, match=words):
        task.reset(jax.random.key(0))
    with pytest.raises(SwarmbedError, match=words):
        swarmbed.evaluate("consensus", task, progress=False)
    with pytest.raises(SwarmbedError, match=words):
        swarmbed.render("consensus", task)
    with pytest.raises(SwarmbedError, match=words):
        swarmbed.train(task, progress=False)
    assert time.monotonic() - began < 60


@pytest.mark.parametrize("setting", ["num_agents", "horizon"])
@pytest.mark.parametrize("value", [2**31, 10**12, 10**30])
def test_a_number_that_no_array_can_count_to_is_refused(setting: str, value: int) -> None:
    with pytest.raises(SwarmbedError, match=f"{setting} must be a number that fits into 32 bits, not {value}"):
        swarmbed.make("rendezvous", **{setting: value})


def test_an_evaluation_that_would_take_years_is_refused() -> None:
    with pytest.raises(SwarmbedError, match=r"1000 episodes of 100000000 steps"):
        swarmbed.evaluate("consensus", swarmbed.make("rendezvous", horizon=10**8), progress=False)


def test_limits_can_be_set(monkeypatch: pytest.MonkeyPatch) -> None:
    task = Drift(num_agents=1000)
    limits.check_memory("this", 10**6)
    monkeypatch.setenv("SWARMBED_MEMORY_GB", "0.000001")
    with pytest.raises(SwarmbedError, match=r"this needs about 1 MB of memory, but there are 1 kB"):
        limits.check_memory("this", 10**6)
    with pytest.raises(SwarmbedError, match="drift with 1000 agents"):
        estimate.check_swarm(task)
    monkeypatch.setenv("SWARMBED_MEMORY_GB", "1e30")
    estimate.check_swarm(replace(task, num_agents=2**31 - 1))
    monkeypatch.setenv("SWARMBED_HOURS", "0.001")
    with pytest.raises(SwarmbedError, match=r"this would take about 0\.0028 hours, more than the 0\.001"):
        limits.check_time("this", 10.0)
    monkeypatch.setenv("SWARMBED_HOURS", "soon")
    with pytest.raises(SwarmbedError, match="SWARMBED_HOURS must be a number above 0, not 'soon'"):
        limits.check_time("this", 10.0)


def test_a_machine_has_some_memory() -> None:
    assert limits.memory_of_this_machine() > 10**8
