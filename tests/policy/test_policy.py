"""Policies as controllers and as files."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from safetensors.numpy import save_file

from swarmbed import SwarmbedError, load_policy, make
from swarmbed.algorithms.base import PolicyParams
from swarmbed.embeddings.base import Embedding
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.embeddings.neural import Neural
from swarmbed.networks.perceptron import Perceptron
from swarmbed.policy.files import FORMAT, save_policy
from swarmbed.policy.policy import Policy
from swarmbed.spec import files
from swarmbed.tasks.base import Observation, State, Task

TWENTY: Any = make("rendezvous", num_agents=20, comm_radius=60.0)
KEY = jax.random.key(0)
OLD = Path(__file__).parents[1] / "data" / "version-0.1.0"


def policy_for(task: Task, embedding: Embedding, hidden: tuple[int, ...] = (4,)) -> Policy:
    """Random weights, larger than fresh ones, so that actions differ clearly."""
    generator = np.random.default_rng(0)
    network = Perceptron(hidden).model(task.layout, embedding, task.action_size)
    shapes = jax.eval_shape(network.init, KEY)
    weights = jax.tree.map(lambda leaf: jax.numpy.array(generator.normal(size=leaf.shape), "float32"), shapes)
    return Policy(task, embedding, PolicyParams(weights, jax.numpy.array([-1.0, 0.5])), Perceptron(hidden))


POLICY = policy_for(TWENTY, Neural(features=(5,)))
ALL_SEEN: Any = replace(TWENTY, comm_radius=None)
CONCATENATING = policy_for(ALL_SEEN, Concatenation(units=5))


@pytest.fixture(scope="module")
def acts(quick_jit: Any) -> Any:
    """``acts(policy, task, state)``, compiled once per policy and task."""
    programs: dict[Any, Any] = {}

    def call(policy: Policy, state: State, task: Task = TWENTY, key: Any = KEY) -> np.ndarray:
        which = (id(policy.params), policy.stochastic, task)
        if which not in programs:
            programs[which] = quick_jit(lambda state, key: policy.control(task, state, key))
        return np.asarray(programs[which](state, key))

    return call


@pytest.fixture(scope="module")
def start(compiled: Any) -> Any:
    return lambda task=TWENTY: compiled(task, "initial")(KEY)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    save_policy(POLICY, tmp_path / "policy.safetensors")
    return tmp_path / "policy.safetensors"


# Acting.


def test_agents_may_be_relabelled(acts: Any, start: Any) -> None:
    order = np.random.default_rng(1).permutation(20)
    state = start()
    relabelled = state._replace(agents=jax.tree.map(lambda leaf: leaf[order], state.agents))
    action = acts(POLICY, state)
    assert np.ptp(action, axis=0).min() > 0.01
    assert acts(POLICY, relabelled) == pytest.approx(action[order], abs=1e-5)


def test_a_subclass_may_have_its_own_mean(start: Any, quick_jit: Any) -> None:
    class Halved(Policy):
        def mean(self, observation: Observation, task: Task | None = None) -> jax.Array:
            return super().mean(observation, task) / 2

    halved = Halved(*POLICY._parts[:2], POLICY.params, POLICY.network)
    both_ways = quick_jit(lambda state: [(who.act(state), who(TWENTY.observe(state))) for who in (halved, POLICY)])
    for found, wanted in zip(*both_ways(start(TWENTY)), strict=True):
        np.testing.assert_allclose(found, wanted / 2, rtol=1e-5)


@pytest.mark.parametrize("num_agents", [1, 5, 40])
def test_a_policy_for_twenty_agents_runs_with_any_number(num_agents: int, acts: Any, start: Any) -> None:
    task = replace(TWENTY, num_agents=num_agents)
    POLICY.check(task)
    action = acts(POLICY, start(task), task)
    assert action.shape == (num_agents, 2)
    assert np.isfinite(action).all()


def test_a_greedy_policy_takes_the_mean_and_a_stochastic_one_scatters_around_it(acts: Any, start: Any) -> None:
    drawing = POLICY.sampling(True)
    mean = acts(POLICY, start())
    assert np.array_equal(acts(POLICY, start(), key=jax.random.key(7)), mean)
    state, keys = start(), jax.random.split(jax.random.key(1), 50)
    draws = np.asarray(jax.jit(jax.vmap(lambda key: drawing.control(TWENTY, state, key)))(keys))
    # 1000 draws per number: five standard errors of a deviation are 5/√2000 = 11 %.
    assert (draws - mean).std((0, 1)) == pytest.approx(np.exp([-1.0, 0.5]), rel=0.11)


def test_a_policy_is_a_function_of_observations_and_of_states(acts: Any, start: Any, compiled: Any) -> None:
    state = start()
    mean = acts(POLICY, state)
    assert np.asarray(POLICY(compiled(TWENTY, "observe")(state))) == pytest.approx(mean, abs=1e-4)
    assert np.asarray(POLICY.act(state)) == pytest.approx(mean, abs=1e-4)
    drawn = np.asarray(POLICY.act(state, jax.random.key(3)))
    noise = np.asarray(jax.random.normal(jax.random.key(3), mean.shape))
    assert drawn == pytest.approx(mean + np.exp([-1.0, 0.5]) * noise, abs=1e-4)


# Fitting.


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"observation": "basic"}, "trained with observation 'extended', but the task has 'basic'"),
        ({"dynamics": "single"}, "trained with dynamics 'double', but the task has 'single'"),
        ({"velocity_frame": "own"}, "trained with velocity_frame 'world', but the task has 'own'"),
        ({"world": "torus"}, r"trained to read \[wall distance, .*\] .*, but here agents sense \[speed, turn rate\]"),
    ],
)
def test_a_policy_says_why_it_does_not_fit_a_task(changes: dict[str, str], message: str) -> None:
    with pytest.raises(SwarmbedError, match=message):
        POLICY.check(replace(TWENTY, **changes))


def test_a_policy_does_not_fit_another_kind_of_task() -> None:
    with pytest.raises(SwarmbedError, match="trained with dynamics 'double'"):
        POLICY.check(make("pursuit"))


def test_concatenation_runs_with_the_number_of_agents_it_was_trained_with_only() -> None:
    CONCATENATING.check(replace(ALL_SEEN, horizon=7))
    with pytest.raises(SwarmbedError, match="only with the 20 agents it was trained with, not with 21"):
        CONCATENATING.check(replace(ALL_SEEN, num_agents=21))


def test_a_concatenating_policy_does_not_fit_a_task_in_which_others_are_out_of_sight() -> None:
    with pytest.raises(SwarmbedError, match="concatenation needs a task in which every agent always sees all others"):
        CONCATENATING.check(TWENTY)


def test_a_concatenating_policy_does_not_act_where_others_are_out_of_sight() -> None:
    with pytest.raises(SwarmbedError, match="concatenation needs a task in which every agent always sees all others"):
        jax.eval_shape(lambda key: CONCATENATING.control(TWENTY, TWENTY.initial(key), key), KEY)


def test_a_concatenating_policy_of_several_sizes_runs_at_its_largest() -> None:
    task: Any = make("rendezvous", num_agents=4, sizes=(2, 3, 4))
    policy_for(task, Concatenation(units=5)).check(task.resized(4))


def test_another_world_size_radius_or_horizon_is_no_obstacle() -> None:
    POLICY.check(replace(TWENTY, width=50.0, comm_radius=None, horizon=7, num_agents=3))


# Files.


def test_a_policy_read_back_from_its_file_acts_the_same(saved: Path, acts: Any, start: Any) -> None:
    found = load_policy(saved)
    assert found.specs == POLICY.specs
    assert np.array_equal(acts(found, start()), acts(POLICY, start()))


def test_a_policy_saves_itself(tmp_path: Path) -> None:
    assert POLICY.save(tmp_path / "deep" / "mine.safetensors") == tmp_path / "deep" / "mine.safetensors"
    jax.tree.map(
        np.testing.assert_array_equal, load_policy(tmp_path / "deep" / "mine.safetensors").params, POLICY.params
    )


def test_a_policy_of_version_0_1_still_loads() -> None:
    arrays, metadata = files.load_arrays(OLD / "policy.safetensors")
    assert metadata["format"] == "swarmbed-policy-1"
    found = load_policy(OLD)
    assert (found.network, found.embedding) == (Perceptron((8,)), Neural(features=(8,)))
    assert np.array_equal(found.params.network["head"][1]["weight"], arrays["network.head.layer1.weight"])
    assert np.array_equal(
        found.params.network["embeddings"][0][0]["bias"], arrays["network.embeddings.set0.layer0.bias"]
    )


def test_a_concatenating_policy_survives_its_file_too(tmp_path: Path) -> None:
    save_policy(CONCATENATING, tmp_path / "policy.safetensors")
    found = load_policy(tmp_path)
    assert found.embedding == Concatenation(units=5)
    jax.tree.map(np.testing.assert_array_equal, found.params, CONCATENATING.params)


def test_a_concatenating_policy_that_was_trained_with_a_radius_loads_but_does_not_run(tmp_path: Path) -> None:
    save_policy(replace(CONCATENATING, task=TWENTY), tmp_path / "policy.safetensors")
    with pytest.raises(SwarmbedError, match=r"^concatenation needs a task in which every agent always sees all others"):
        load_policy(tmp_path).check(TWENTY)


def refused(path: Path, message: str) -> None:
    with pytest.raises(SwarmbedError, match=message):
        load_policy(path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    refused(tmp_path / "nowhere.safetensors", "nowhere.safetensors' is not a run folder, policy file")


@pytest.mark.parametrize("byte", [0, 8, 200, -1])
def test_a_single_wrong_byte_is_noticed(byte: int, saved: Path) -> None:
    # In the length of the header, in its brace, within it, and in the last weight.
    content = bytearray(saved.read_bytes())
    content[byte] ^= 0b0000_0100
    saved.write_bytes(content)
    refused(saved, "damaged")


@pytest.mark.parametrize("kept", [0, 5, 300, -1])
def test_a_file_that_was_cut_short_is_noticed(kept: int, saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:kept])
    refused(saved, "damaged")


def test_a_text_file_is_no_policy(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("x = 1\n" * 100)
    refused(tmp_path / "notes.txt", "damaged or not a safetensors file")


def test_somebody_elses_weights_are_no_policy(tmp_path: Path) -> None:
    save_file({"weight": np.zeros(3, np.float32)}, tmp_path / "model.safetensors")
    refused(tmp_path / "model.safetensors", "was not written by swarmbed")


def test_our_own_files_of_another_kind_are_no_policy(tmp_path: Path) -> None:
    files.save_arrays(tmp_path / "other.safetensors", {"x": np.zeros(3)}, {"format": "swarmbed-checkpoint-1"})
    refused(tmp_path / "other.safetensors", f"not a policy that this version of swarmbed can read .{FORMAT}")


def test_weights_that_do_not_belong_to_the_settings_are_refused(tmp_path: Path) -> None:
    save_policy(replace(POLICY, network=Perceptron((3,))), tmp_path / "policy.safetensors")
    refused(tmp_path, r"has shape .*, but .* is needed")


def test_settings_that_nobody_knows_are_refused(tmp_path: Path) -> None:
    config = '[task]\nname = "rendezvous"\nwings = 2\n[embedding]\nname = "neural"\n[batch]\nhidden = [4]\n'
    files.save_arrays(tmp_path / "policy.safetensors", {"x": np.zeros(3)}, {"format": FORMAT, "config": config})
    refused(tmp_path, "has no setting 'wings'")


def test_a_policy_of_a_plug_in_that_was_not_loaded_asks_for_it(saved: Path) -> None:
    arrays, metadata = files.load_arrays(saved)
    metadata["config"] = metadata["config"].replace('name = "rendezvous"', 'name = "foraging"')
    files.save_arrays(saved, arrays, metadata)
    refused(saved, "was trained with the task 'foraging', .*; load the file that defines it with --plugin FILE.py")
