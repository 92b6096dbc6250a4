"""What the functions of somebody's task return is checked, and the sentence names the function."""

import re
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from swarmbed import Goal, Metric, Observation, ObservedSet, State, SwarmbedError
from toy_task import Drift

KEY = jax.random.key(0)


class NoState(Drift):
    def initial(self, key: Any) -> Any:
        return jnp.zeros(3)


class NoObservation(Drift):
    def observe(self, state: State) -> Any:
        return state.agents.position


class OneRow(Drift):
    def observe(self, state: State) -> Any:
        return Observation(state.agents.position[:1], ())


class FlatSet(Drift):
    def observe(self, state: State) -> Any:
        mask = jnp.ones((self.num_agents, 2), bool)
        return Observation(state.agents.position, (ObservedSet(jnp.zeros((self.num_agents, 2)), mask),))


class Unmeasured(Drift):
    metrics = (Metric("speed", "speed"),)


class PerAgent(Drift):
    metrics = (Metric("speed", "speed"),)

    def measure(self, state: State) -> Any:
        return {"speed": state.agents.heading}


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (NoState(), "initial of NoState must return a State, not "),
        (NoObservation(), "observe of NoObservation must return an Observation of local and a tuple of ObservedSet"),
        (OneRow(), "observe of OneRow must return local with 2 axes, of which the first is the 3 agents, not of shape"),
        (FlatSet(), "observe of FlatSet must return sets[0].elements with 3 axes, of which the first is the 3 agents"),
        (Unmeasured(), "Unmeasured declares the metric 'speed', but measure does not return it"),
        (
            PerAgent(),
            "the metric 'speed' of PerAgent must be one number for the whole swarm, not float32 of shape (3,)",
        ),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Drift) else "",
)
@pytest.mark.usefixtures("unchecked_types")
def test_the_start_and_what_agents_see_there(task: Drift, words: str) -> None:
    with pytest.raises(SwarmbedError, match=re.escape(words)):
        _ = task.layout


class Nowhere(Drift):
    def transition(self, state: State, action: Any, key: Any) -> Any:
        return None


class Growing(Drift):
    def transition(self, state: State, action: Any, key: Any) -> Any:
        return state._replace(extra=jnp.zeros(3))


class Shrinking(Drift):
    def transition(self, state: State, action: Any, key: Any) -> Any:
        return state._replace(present=state.present[:2])


@pytest.mark.parametrize(
    ("task", "words"),
    [
        (Nowhere(), "transition of Nowhere must return a State, not None"),
        (Growing(), "transition of Growing must keep the parts of the state: extra has others"),
        (Shrinking(), "must keep the shapes of the state: present has the shapes [(3,)] before and [(2,)] after"),
    ],
    ids=["nowhere", "growing", "shrinking"],
)
@pytest.mark.usefixtures("unchecked_types")
def test_the_state_keeps_its_shape(task: Drift, words: str) -> None:
    with pytest.raises(SwarmbedError, match=re.escape(words)):
        task.step(KEY, task.initial(KEY), jnp.zeros((3, 2)))


@pytest.mark.parametrize("metrics", [("speed",), Metric("speed", "speed"), [Metric("speed", "speed")]])
def test_metrics_are_a_tuple_of_declarations_already_when_a_class_is_written(metrics: Any) -> None:
    with pytest.raises(SwarmbedError, match="metrics of Wrong must be a tuple of Metric objects, not "):
        type("Wrong", (Drift,), {"metrics": metrics})


@pytest.mark.parametrize(
    ("goal", "better", "words"),
    [
        (Goal("met", "has met", "near"), "lower", "value of the goal 'met' must be a number, not 'near'"),
        (Goal("met", "has met", 1.0), None, "metric 'gap' has a goal: say which direction is better, lower or higher"),
    ],
)
def test_a_goal_has_a_number_and_a_direction(goal: Goal, better: str | None, words: str) -> None:
    with pytest.raises(SwarmbedError, match=words):
        Metric("gap", "gap", better=better, goal=goal)
