"""The worked examples of plug-ins: they keep the contract, compute what they say, and train like built-in ones."""

import csv
import importlib.util
import math
from pathlib import Path
from types import ModuleType

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import swarmbed
from swarmbed import load_policy
from swarmbed.cli.main import main
from swarmbed.contracts import check_spec
from swarmbed.embeddings.base import SetLayout
from swarmbed.export.function import exported, largest_difference
from swarmbed.export.stablehlo import convert, open_model
from swarmbed.sim.unicycle import Agents
from swarmbed.spec import registry
from swarmbed.tasks.base import State
from toy_task import Drift

EXAMPLES = Path(__file__).parents[3] / "examples"
PLUGINS = ["--plugin", str(EXAMPLES / "dispersion.py"), "--plugin", str(EXAMPLES / "attention.py")]


def module(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


Dispersion = module("dispersion").Dispersion
Attention = module("attention").Attention
EquinoxNetwork = module("equinox_network").EquinoxNetwork


pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace")


@pytest.mark.parametrize(
    ("family", "spec"), [("tasks", Dispersion), ("embeddings", Attention), ("networks", EquinoxNetwork)]
)
def test_an_example_keeps_the_contract(family: str, spec: type) -> None:
    assert [outcome for outcome in check_spec(family, "it", spec) if not outcome.passed] == []


def test_the_wanted_distance_is_that_of_a_triangular_lattice() -> None:
    # 100 × 100 units for 20 agents: cells of 500 square units, √3/2 · d² = 500.
    task = Dispersion(num_agents=20)
    wanted = task.wanted(task.initial(jax.random.key(0)))
    assert math.isclose(float(wanted), math.sqrt(500 / (math.sqrt(3) / 2)), rel_tol=1e-6)


def test_the_wanted_distance_counts_those_who_are_there() -> None:
    task = Dispersion(num_agents=20)
    state = task.initial(jax.random.key(0))
    half = state._replace(present=jnp.arange(20) < 10)
    assert math.isclose(float(task.wanted(half)), math.sqrt(2) * float(task.wanted(state)), rel_tol=1e-6)


def test_the_reward_is_the_mean_share_of_the_wanted_distance_to_the_nearest() -> None:
    task = Dispersion(num_agents=3, spacing=10.0)
    position = jnp.array([[10.0, 10.0], [15.0, 10.0], [90.0, 90.0]])
    state = State(Agents(position, jnp.zeros(3)))
    # Two agents are 5 apart: half of what is wanted. The third has more than enough. (½ + ½ + 1) / 3 − 1 = −⅓.
    assert math.isclose(float(task.reward(state, jnp.zeros((3, 2)), state)), -1 / 3, abs_tol=1e-6)


def test_agents_start_in_the_middle() -> None:
    state = Dispersion(num_agents=50, start_side=20.0).initial(jax.random.key(0))
    assert float(jnp.abs(state.agents.position - 50).max()) <= 10.0


def attend(embedding: object, elements: list[list[float]], query: list[float]) -> np.ndarray:
    """φ is the element itself (weights are the identity), one head, all elements present."""
    params = {"weight": jnp.eye(2), "bias": jnp.zeros(2), "query": jnp.array(query)[:, None]}
    layout = SetLayout(len(elements), 2, includes_self=False)
    prepared = embedding.prepare(layout, jnp.array([elements]), jnp.ones((1, len(elements)), bool))  # type: ignore[attr-defined]
    return np.asarray(embedding.apply(params, prepared)[0])  # type: ignore[attr-defined]


def test_attention_without_a_preference_is_the_mean() -> None:
    found = attend(Attention(units=2, heads=1), [[1.0, 0.0], [3.0, 4.0]], [0.0, 0.0])
    np.testing.assert_allclose(found, [2.0, 2.0], rtol=1e-6)


def test_attention_weighs_by_the_softmax_of_its_scores() -> None:
    found = attend(Attention(units=2, heads=1), [[1.0, 0.0], [3.0, 4.0]], [0.0, math.log(3) / 4])
    # Scores 0 and log 3: weights ¼ and ¾. ¼ · 1 + ¾ · 3 = 2.5 and ¾ · 4 = 3.
    np.testing.assert_allclose(found, [2.5, 3.0], rtol=1e-6)


def test_a_network_made_with_equinox_trains_and_its_policy_loads(tmp_path: Path) -> None:
    registry.load_plugin(EXAMPLES / "equinox_network.py")
    batch = swarmbed.BatchSettings(environments=2, segment=4)
    network = registry.networks.make("equinox_network", {"layer_size": 4})
    out = tmp_path / "run"
    result = swarmbed.train(Drift(), network=network, batch=batch, iterations=1, out=out, progress=False)
    loaded = load_policy(out)
    assert loaded.network == network
    before, after = (jax.tree.leaves(policy.params) for policy in (result.policy, loaded))
    assert len(before) == 5  # weight and bias of the hidden and the last layer (there are no sets), log-deviations
    for mine, theirs in zip(before, after, strict=True):
        np.testing.assert_array_equal(mine, theirs)


def test_the_mean_of_a_network_made_with_equinox_is_over_those_who_are_there() -> None:
    network = EquinoxNetwork(layer_size=3)
    elements, mask = jnp.array([[[1.0], [3.0], [9.0]]]), jnp.array([[True, True, False]])
    full = swarmbed.Observation(jnp.zeros((1, 0)), (swarmbed.ObservedSet(elements, mask),))
    params = network.init(jax.random.key(0), full, 1)
    first, second = params.elements[0]
    features = [jax.nn.relu(second(jax.nn.relu(first(jnp.array([x]))))) for x in (1.0, 3.0)]
    wanted = params.last(jax.nn.relu(params.hidden((features[0] + features[1]) / 2)))
    np.testing.assert_allclose(network.apply(params, full)[0], wanted, rtol=1e-5)


def test_settings_of_a_plugin_are_flags_with_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["train", "dispersion", *PLUGINS, "--embedding", "attention", "--help"])
    assert stopped.value.code == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "--spacing NUMBER desired distance d* to the nearest, units; left out: what fits the world" in told
    assert "--heads INT heads; each has its own weights over the set (default: 4)" in told


def test_what_a_plugin_brings_along_is_trained_unless_another_one_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    for words, titles in (
        (["train", *PLUGINS], ("task dispersion:", "embedding attention:")),
        (["train", "rendezvous", *PLUGINS, "--embedding", "rbf"], ("task rendezvous:", "embedding rbf:")),
    ):
        with pytest.raises(SystemExit):
            main([*words, "--help"])
        told = capsys.readouterr().out
        assert all(f"\n{title}\n" in told for title in titles)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both examples in one tiny training run."""
    folder = tmp_path_factory.mktemp("runs") / "both"
    tiny = ["--agents", "3", "--horizon", "4", "--environments", "2", "--segment", "8", "--hidden", "4"]
    tiny += ["--units", "4", "--heads", "2", "--iterations", "1", "--value-epochs", "1", "--devices", "1"]
    quiet = ["--no-curve", "--no-video", "--no-progress"]
    words = ["train", "dispersion", *PLUGINS, "--embedding", "attention", *tiny, *quiet, "--out", str(folder)]
    assert main(words) == 0
    return folder


def test_examples_train_like_built_in_ones(run: Path) -> None:
    (row,) = csv.DictReader((run / "metrics.csv").open())
    assert row["env_steps"] == "16"
    # At most 4 steps of −1 each.
    assert -4 <= float(row["mean_return"]) <= 0


def test_a_policy_of_plugins_is_exported_like_any_other(run: Path) -> None:
    for plugin in PLUGINS[1::2]:
        registry.load_plugin(plugin)
    made = exported(load_policy(run))
    assert largest_difference(made, open_model(made, convert(made, "policy")), counts=(1, 9)) < 1e-5
