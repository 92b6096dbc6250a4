"""The C header: strict C99, equal to the policy, and plain about what it wants."""

import ctypes
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from random_policies import CASES, EMBEDDINGS, NAMES, ONE_SET, FarthestNeighbour, random_policy
from swarmbed import SwarmbedError
from swarmbed.compute import c_compiler
from swarmbed.embeddings.base import Embedding
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.embeddings.histogram import Histogram
from swarmbed.embeddings.neural import Neural
from swarmbed.embeddings.rbf import Rbf
from swarmbed.export import c_header
from swarmbed.export.c_compile import Compiled, compile_header
from swarmbed.export.function import Exported, Run, exported, largest_difference
from swarmbed.networks.base import Network
from swarmbed.networks.perceptron import Perceptron
from swarmbed.policy.policy import Policy
from swarmbed.tasks import make
from swarmbed.tasks.base import Task

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1")
COMPILER = shutil.which("gcc") or shutil.which("cc") or ""
needs_compiler = pytest.mark.skipif(not COMPILER, reason="no C compiler")

# Describing a policy gives a class of one's own a name; the registry belongs to the process.
pytestmark = pytest.mark.usefixtures("plugins_leave_no_trace")


@pytest.fixture(scope="module")
def rendezvous_policy() -> Policy:
    return random_policy(ONE_SET, Neural())


@pytest.fixture(scope="module")
def rendezvous_header(rendezvous_policy: Policy) -> str:
    return c_header.convert(exported(rendezvous_policy), "meet").decode()


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is compiled in this test, is compiled without mercy."""
    monkeypatch.setattr(compile_header, "__defaults__", (STRICT,))


def compiled(policy: Policy) -> Compiled:
    return compile_header(COMPILER, c_header.convert(exported(policy), "policy").decode(), STRICT)


def run_of(made: Exported) -> Run:
    run = c_header.open_model(made, c_header.convert(made, "policy"))
    assert run is not None
    return run


@needs_compiler
@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(("task", "embedding"), CASES, ids=NAMES)
def test_a_strictly_compiled_header_gives_the_policys_actions(task: Task, embedding: str) -> None:
    made = exported(random_policy(task, EMBEDDINGS[embedding]))
    assert largest_difference(made, run_of(made)) < 1e-5


@needs_compiler
@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize("embedding", [Histogram(bins=3, angles=2), Rbf(centres=3, angles=2, angle_width=1.0)])
def test_three_dimensional_bins_and_bumps_come_along(embedding: Embedding) -> None:
    made = exported(random_policy(ONE_SET, embedding, hidden=()))
    assert largest_difference(made, run_of(made)) < 1e-5


def in_order_of_text(layers: tuple[Any, ...]) -> tuple[Any, ...]:
    """Twelve layers or more with the eleven after the first, which are of one shape, in the order 1, 10, 11, 2, 3, …"""
    return (layers[0], *(layers[int(name)] for name in sorted(map(str, range(1, 12)))), *layers[12:])


@needs_compiler
@pytest.mark.usefixtures("strict")
@pytest.mark.parametrize(
    ("part", "embedding", "hidden"),
    [
        ("head", Neural(features=(8,)), (16,) * 12),
        ("embeddings", Neural(features=(16,) * 12), ()),
        ("embeddings", Neural(pooling="max", features=(16,) * 12), ()),
    ],
)
def test_more_than_ten_layers_stay_in_their_order(part: str, embedding: Embedding, hidden: tuple[int, ...]) -> None:
    policy = random_policy(ONE_SET, embedding, hidden)
    made = exported(policy)
    run = run_of(made)
    assert largest_difference(made, run) < 1e-5

    weights = policy.params.network
    mixed = in_order_of_text(weights["head"]) if part == "head" else (in_order_of_text(weights["embeddings"][0]),)
    mixed_up = replace(policy, params=policy.params._replace(network=weights | {part: mixed}))
    assert largest_difference(exported(mixed_up), run) > 1e-2  # so the order matters to these weights


@needs_compiler
@pytest.mark.parametrize("embedding", [Neural(features=(16,)), Concatenation(units=16)])
def test_agents_of_a_swarm_get_from_c_what_the_policy_gives_them(embedding: Embedding) -> None:
    policy = random_policy(ONE_SET, embedding)
    header = compiled(policy)
    observation = jax.jit(lambda key: ONE_SET.observe(ONE_SET.initial(key)))(jax.random.key(3))
    wanted = np.asarray(jax.jit(policy.mean)(observation))
    for agent in range(5):
        others = np.delete(np.asarray(observation.sets[0].elements[agent]), agent, axis=0)
        action = header.act([np.asarray(observation.local[agent])], [others], 2)
        np.testing.assert_allclose(action, wanted[agent], atol=1e-5)


@needs_compiler
def test_a_lone_agent_is_decided_for_from_local_properties_alone(rendezvous_policy: Policy) -> None:
    local = np.array([0.3, 1.0, 0.0, 0.1, -0.2], np.float32)
    params = jax.tree.map(np.asarray, rendezvous_policy.params.network)["head"]
    # The embedding of nobody is zero, so the head sees 64 zeros and then the local properties.
    joined = np.concatenate([np.zeros(64, np.float32), local])
    hidden = np.maximum(joined @ params[0]["weight"] + params[0]["bias"], 0)
    by_hand = hidden @ params[1]["weight"] + params[1]["bias"]
    action = compiled(rendezvous_policy).act([local], [np.zeros((0, 7), np.float32)], 2)
    np.testing.assert_allclose(action, by_hand, atol=1e-5)


@needs_compiler
def test_a_negative_count_is_nobody(rendezvous_policy: Policy) -> None:
    library = compiled(rendezvous_policy).library
    floats = ctypes.c_float * 35
    local, elements = floats(*[0.5] * 5), floats(*[0.5] * 35)
    nobody, negative = floats(), floats()
    library.act(local, ctypes.c_int(0), elements, nobody)
    library.act(local, ctypes.c_int(-3), elements, negative)
    assert list(nobody[:2]) == list(negative[:2]) != [0.0, 0.0]


@needs_compiler
def test_concatenation_reads_no_more_elements_than_it_has_places_for() -> None:
    header = compiled(random_policy(make("rendezvous", num_agents=3), Concatenation(units=8)))
    local, elements = np.full(5, 0.5, np.float32), np.linspace(-1, 1, 35, dtype=np.float32).reshape(5, 7)
    np.testing.assert_array_equal(header.act([local], [elements], 2), header.act([local], [elements[:2]], 2))


@needs_compiler
def test_elements_on_the_border_between_bins_fall_where_the_policy_puts_them() -> None:
    made = exported(random_policy(ONE_SET, Histogram(bins=4), hidden=()))
    # Distances 0.25 and 1 lie on borders; bearing π is the upper end of the circle; (0, 0) has no bearing at all.
    elements = np.zeros((4, 7), np.float32)
    elements[:, :3] = [[0.25, 1, 0], [1.0, -1, 0], [0.5, 0, 1], [0.1, 0, 0]]
    arrays = [np.zeros((1, 5), np.float32), elements[None], np.ones((1, 4), bool)]
    wanted = np.asarray(jax.jit(made.function)(*arrays))
    np.testing.assert_allclose(run_of(made)(arrays), wanted, atol=1e-6)


def test_a_header_is_valid_cpp_too(rendezvous_header: str, tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler")
    (tmp_path / "policy.h").write_text(rendezvous_header)
    main = '#include "policy.h"\nint main() { float local[5] = {0}, action[2]; meet_act(local, 0, local, action); }\n'
    (tmp_path / "main.cpp").write_text(main)
    command = ["g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "main.cpp"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stderr == ""


def test_a_header_holds_one_function_and_needs_no_library_for_relu(rendezvous_header: str) -> None:
    assert rendezvous_header.count("static inline void") == 1
    assert "void meet_act(const float *local, int neighbours_count, const float *neighbours, " in rendezvous_header
    assert "#include" not in rendezvous_header


def test_the_comment_says_what_every_number_is_and_how_it_is_scaled(rendezvous_header: str) -> None:
    # The diagonal of a world of 100 × 100 units is 141.421.
    assert "[0] distance         distance / 141.421 units" in rendezvous_header
    assert "[3] speed          own forward speed / 10 units/s" in rendezvous_header
    assert "before clipping: clip them to [-1, 1]" in rendezvous_header


@pytest.mark.parametrize(
    ("stem", "name"), [("meet", "meet"), ("my-policy v2", "my_policy_v2"), ("2nd", "policy_2nd"), ("ü", "policy")]
)
def test_file_names_become_names_that_c_accepts(stem: str, name: str) -> None:
    assert c_header.identifier(stem) == name


@dataclass(frozen=True)
class Own(Neural):
    """Looks like a built-in one, but may compute anything."""


@dataclass(frozen=True)
class OwnPerceptron(Perceptron):
    """Looks like the built-in one, but may compute anything."""


def test_an_embedding_of_ones_own_is_refused_in_one_sentence() -> None:
    made = exported(random_policy(ONE_SET, Own(features=(4,))))
    with pytest.raises(SwarmbedError, match=r"knows only the built-in embeddings \(.*neural.*\), not 'own'; use onnx"):
        c_header.convert(made, "policy")


@pytest.mark.parametrize("network", [FarthestNeighbour(), OwnPerceptron()])
def test_a_network_of_ones_own_is_refused_in_one_sentence(network: Network) -> None:
    made = exported(random_policy(ONE_SET, Neural(features=(4,)), network=network))
    with pytest.raises(SwarmbedError, match=r"knows only the network 'perceptron', not '\w+'; use onnx or stablehlo"):
        c_header.convert(made, "policy")


def test_weights_that_are_not_finite_are_refused(rendezvous_policy: Policy) -> None:
    broken = rendezvous_policy.params._replace(log_std=jnp.array([0.0, jnp.nan]))
    with pytest.raises(SwarmbedError, match="not finite"):
        c_header.convert(exported(replace(rendezvous_policy, params=broken)), "policy")


def test_without_a_compiler_nothing_is_tried(rendezvous_policy: Policy, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(c_compiler, "COMPILERS", ())
    assert c_header.open_model(exported(rendezvous_policy), b"") is None
