"""The C header: strict C99, equal to the policy, and plain about what it wants."""

import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from swarmbed import SwarmbedError, registry
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.embeddings.histogram import Histogram
from swarmbed.embeddings.neural import Neural
from swarmbed.embeddings.rbf import Rbf
from swarmbed.export import c_header
from swarmbed.export.c_compile import Compiled, compile_header
from swarmbed.export.function import largest_difference
from swarmbed.policy import Policy
from swarmbed.tasks import make_task
from tests.export.conftest import EMBEDDINGS, TASKS

STRICT = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1")
COMPILER = shutil.which("gcc") or shutil.which("cc") or ""
pytestmark = pytest.mark.skipif(not COMPILER, reason="no C compiler")


def compiled(policy: Policy, name: str = "policy") -> Compiled:
    return compile_header(COMPILER, c_header.convert(policy, name).decode(), STRICT)


@pytest.mark.parametrize("embedding", EMBEDDINGS)
@pytest.mark.parametrize("task", TASKS)
def test_a_strictly_compiled_header_gives_the_policys_actions(
    make_policy: Callable[..., Policy], task: str, embedding: str
) -> None:
    policy = make_policy(TASKS[task], EMBEDDINGS[embedding])
    compile_header(COMPILER, c_header.convert(policy, "policy").decode(), STRICT)
    run = c_header.open_model(policy, c_header.convert(policy, "policy"))
    assert run is not None
    assert largest_difference(policy, run) < 1e-5


@pytest.mark.parametrize("embedding", [Histogram(bins=3, angles=2), Rbf(centres=3, angles=2, angle_width=1.0)])
def test_three_dimensional_bins_and_bumps_come_along(
    make_policy: Callable[..., Policy], embedding: Histogram | Rbf
) -> None:
    policy = make_policy(TASKS["one set"], embedding, hidden=())
    run = c_header.open_model(policy, c_header.convert(policy, "policy"))
    assert run is not None
    assert largest_difference(policy, run) < 1e-5


@pytest.mark.parametrize("embedding", [Neural(features=(16,)), Concatenation(units=16)])
def test_agents_of_a_swarm_get_from_c_what_the_policy_gives_them(
    make_policy: Callable[..., Policy], embedding: Neural | Concatenation
) -> None:
    task = make_task("rendezvous", num_agents=5)
    policy = make_policy(task, embedding)
    header = compiled(policy)
    observation = task.observe(task.initial(jax.random.key(3)))
    wanted = np.asarray(policy.mean(observation))
    for agent in range(5):
        others = np.delete(np.asarray(observation.sets[0].elements[agent]), agent, axis=0)
        action = header.act([np.asarray(observation.local[agent])], [others], 2)
        np.testing.assert_allclose(action, wanted[agent], atol=1e-5)


def test_a_lone_agent_is_decided_for_from_local_properties_alone(rendezvous_policy: Policy) -> None:
    local = np.array([0.3, 1.0, 0.0, 0.1, -0.2], np.float32)
    params = jax.tree.map(np.asarray, rendezvous_policy.params.network)["head"]
    # The embedding of nobody is zero, so the head sees 64 zeros and then the local properties.
    joined = np.concatenate([np.zeros(64, np.float32), local])
    hidden = np.maximum(joined @ params["layer0"]["weight"] + params["layer0"]["bias"], 0)
    by_hand = hidden @ params["layer1"]["weight"] + params["layer1"]["bias"]
    action = compiled(rendezvous_policy).act([local], [np.zeros((0, 7), np.float32)], 2)
    np.testing.assert_allclose(action, by_hand, atol=1e-5)


def test_a_negative_count_is_nobody(rendezvous_policy: Policy) -> None:
    import ctypes

    library = compiled(rendezvous_policy).library
    floats = ctypes.c_float * 35
    local, elements = floats(*[0.5] * 5), floats(*[0.5] * 35)
    nobody, negative = floats(), floats()
    library.act(local, ctypes.c_int(0), elements, nobody)
    library.act(local, ctypes.c_int(-3), elements, negative)
    assert list(nobody[:2]) == list(negative[:2])


def test_concatenation_reads_no_more_elements_than_it_has_places_for(make_policy: Callable[..., Policy]) -> None:
    header = compiled(make_policy(make_task("rendezvous", num_agents=3), Concatenation(units=8)))
    local, elements = np.full(5, 0.5, np.float32), np.linspace(-1, 1, 35, dtype=np.float32).reshape(5, 7)
    np.testing.assert_array_equal(header.act([local], [elements], 2), header.act([local], [elements[:2]], 2))


def test_an_element_on_the_border_between_bins_falls_where_the_policy_puts_it(
    make_policy: Callable[..., Policy],
) -> None:
    policy = make_policy(TASKS["one set"], Histogram(bins=4), hidden=())
    # Distances 0.25 and 1 lie on borders; bearing π is the upper end of the circle; (0, 0) has no bearing at all.
    elements = np.zeros((4, 7), np.float32)
    elements[:, :3] = [[0.25, 1, 0], [1.0, -1, 0], [0.5, 0, 1], [0.1, 0, 0]]
    run = c_header.open_model(policy, c_header.convert(policy, "policy"))
    assert run is not None
    arrays = [np.zeros((1, 5), np.float32), elements[None], np.ones((1, 4), bool)]
    from swarmbed.export.function import exported

    wanted = np.asarray(exported(policy).function(*map(jnp.asarray, arrays)))
    np.testing.assert_allclose(run(arrays), wanted, atol=1e-6)


def test_a_header_works_in_cpp_too(rendezvous_policy: Policy, tmp_path: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("no C++ compiler")
    (tmp_path / "policy.h").write_bytes(c_header.convert(rendezvous_policy, "policy"))
    source = '#include "policy.h"\nint main() { float a[2]; policy_act(a, 0, a, a); return 0; }\n'
    (tmp_path / "main.cpp").write_text(source.replace("policy_act(a, 0, a, a)", "float l[5] = {0}; policy_act(l, 0, l, a)"))
    command = ["g++", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "main.cpp"]
    assert subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stderr == ""


def test_a_header_holds_one_function_and_needs_no_library_for_relu(rendezvous_policy: Policy) -> None:
    text = c_header.convert(rendezvous_policy, "meet").decode()
    assert text.count("static inline void") == 1
    assert "static inline void meet_act(const float *local, int neighbours_count, const float *neighbours, " in text
    assert "#include" not in text


def test_the_comment_says_what_every_number_is_and_how_it_is_scaled(rendezvous_policy: Policy) -> None:
    text = c_header.convert(rendezvous_policy, "policy").decode()
    assert "[0] distance         distance / 141.421 units" in text
    assert "[3] speed          own forward speed / 10 units/s" in text
    assert "before clipping: clip them to [-1, 1]" in text


@pytest.mark.parametrize(
    ("stem", "name"), [("meet", "meet"), ("my-policy v2", "my_policy_v2"), ("2nd", "policy_2nd"), ("ü", "policy")]
)
def test_file_names_become_names_that_c_accepts(stem: str, name: str) -> None:
    assert c_header.identifier(stem) == name


@dataclass(frozen=True)
class Own(Neural):
    """Looks like a built-in one, but may compute anything."""


def test_an_embedding_of_ones_own_is_refused_in_one_sentence(
    make_policy: Callable[..., Policy], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(registry.embeddings.all(), "own", Own)
    policy = make_policy(TASKS["one set"], Own(features=(4,)))
    with pytest.raises(SwarmbedError, match=r"knows only the built-in embeddings \(.*neural.*\), not 'own'; use onnx"):
        c_header.convert(policy, "policy")


def test_weights_that_are_not_finite_are_refused(rendezvous_policy: Policy) -> None:
    from dataclasses import replace

    broken = rendezvous_policy.params._replace(log_std=jnp.array([0.0, jnp.nan]))
    with pytest.raises(SwarmbedError, match="not finite"):
        c_header.convert(replace(rendezvous_policy, params=broken), "policy")
