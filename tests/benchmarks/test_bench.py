"""swarmbed bench: what is measured is what is claimed. Nothing here asserts a time."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from swarmbed import benchmarks
from swarmbed.benchmarks import Column, Effort, Group, Row, machine, runner, simulator, table, timing
from swarmbed.cli.main import main
from swarmbed.learn import rollout
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.observation import Observation, ObservedSet
from swarmbed.tasks import make
from toy_task import Drift

TINY = Drift(horizon=3)
ENVIRONMENTS, STEPS = 2, 5
START_KEY, KEY = jax.random.split(jax.random.key(0))  # the ones that a stepper begins with


@pytest.fixture(scope="module")
def start() -> rollout.Environments:
    return rollout.start(TINY, START_KEY, ENVIRONMENTS)


@pytest.fixture(scope="module")
def twice(quick_jit: Callable[..., Any], start: rollout.Environments) -> tuple[Any, Any]:
    """(environments, key, total) after one call, and after a second one that goes on from there."""
    step = quick_jit(lambda environments, key: simulator.advanced(TINY, environments, key, STEPS))
    once = step(start, KEY)
    return once, step(once[0], once[1])


def report_of(rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return {**runner.new_report(Effort(2, quick=True)), "groups": {"machine": {"title": "Machine", "rows": rows}}}


# What the simulator row computes.


def test_the_total_holds_every_number_of_an_observation_once() -> None:
    # 1 + 2, then 10 · 4 and two true marks, then 100 · 2 and one.
    first = ObservedSet(jnp.full((1, 2, 2), 10.0), jnp.array([[True, True]]))
    second = ObservedSet(jnp.full((1, 2, 1), 100.0), jnp.array([[True, False]]))
    assert float(simulator.total_of(Observation(jnp.array([[1.0, 2.0]]), (first, second)))) == 3 + 42 + 201


def test_a_call_sums_the_observations_and_rewards_of_the_rollout_that_training_uses(
    quick_jit: Callable[..., Any], start: rollout.Environments, twice: tuple[Any, Any]
) -> None:
    def act(state: Any, transmitted: Any, key: Any) -> tuple[jax.Array, None]:
        return jax.random.uniform(key, (ENVIRONMENTS, TINY.num_agents, 2), minval=-1.0, maxval=1.0), None

    def by_hand(environments: rollout.Environments) -> jax.Array:
        rollout_key = jax.random.split(KEY)[0]
        steps = rollout.rollout(TINY, act, environments, rollout_key, STEPS)[1].steps
        observations = jax.vmap(jax.vmap(TINY.observe))(steps.state)
        return sum((leaf.sum() for leaf in jax.tree.leaves((observations, steps.reward))), jnp.zeros(()))

    assert float(twice[0][2]) == pytest.approx(float(quick_jit(by_hand)(start)), rel=1e-5)


def test_episodes_that_end_while_they_are_measured_start_again(start: rollout.Environments, twice: Any) -> None:
    # Only time ends them, after 3 steps: 5 steps later an environment of age a has age (a + 5) mod 3.
    assert twice[0][0].state.age.tolist() == [(age + 5) % 3 for age in start.state.age.tolist()]


@pytest.mark.usefixtures("short_compilations")
def test_each_call_goes_on_where_the_last_one_ended_with_new_actions(twice: tuple[Any, Any]) -> None:
    call = simulator.stepper(TINY, ENVIRONMENTS, STEPS)
    assert [float(call()), float(call())] == pytest.approx([float(twice[0][2]), float(twice[1][2])], rel=1e-5)
    assert float(twice[0][2]) != pytest.approx(float(twice[1][2]), rel=1e-3)


def test_the_fastest_batch_is_the_one_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds = {8: 3.0, 16: 1.0, 32: 2.0}
    monkeypatch.setattr(simulator, "BATCH_SIZES", tuple(seconds))
    monkeypatch.setattr(simulator, "stepper", lambda task, size, steps: (size, steps))
    asked = []

    def pretend(call: tuple[int, int], repetitions: int) -> timing.Timing:
        asked.append((*call, repetitions))
        return timing.Timing(float(call[0]), (seconds[call[0]],) * repetitions, (1.0,) * repetitions)

    monkeypatch.setattr(simulator, "repeat", pretend)
    batch, tried, chosen = simulator.fastest_batch(TINY, Effort(repetitions=6))
    assert batch == 16
    assert tried == {"8": 1365.3, "16": 4096.0, "32": 2048.0}  # 4096 steps in 3, 1 and 2 seconds
    assert chosen.compile_seconds == 16.0 and len(chosen.seconds) == 6
    assert asked == [(8, 512, 3), (16, 256, 3), (32, 128, 3), (16, 256, 6)]  # size × steps = 4096 each time


def test_the_ratio_is_the_median_speed_over_that_of_the_numpy_simulator(monkeypatch: pytest.MonkeyPatch) -> None:
    measured = timing.Timing(9.0, (2.0, 1.0, 4.0), (1.0, 1.0, 2.0))
    monkeypatch.setattr(simulator, "fastest_batch", lambda task, effort: (16, {}, measured))
    facts = simulator.Case("name", "title", "pursuit", 256, 100, {"num_agents": 4}).measure(Effort())
    assert facts["steps_per_second"] == 2048  # 4096 steps in 2 s
    assert facts["steps_per_second_best"] == 4096
    assert facts["steps_per_processor_second"] == 4096
    assert facts["agent_steps_per_second"] == 4 * 2048
    assert facts["ratio"] == 8
    assert facts["core_share"] == pytest.approx(4 / 7, abs=1e-3)


def test_the_rows_are_the_experiments_whose_numpy_speed_is_known() -> None:
    tasks = {case.name: make(case.task, **case.settings) for case in simulator.CASES}
    assert {name: (task.num_agents, task.observation) for name, task in tasks.items()} == {
        "rendezvous-20": (20, "extended"),
        "rendezvous-100": (100, "extended"),
        "rendezvous-local": (20, "comm"),
        "pursuit-10": (10, "extended"),
        "pursuit-local": (20, "comm"),
        "multi-pursuit": (50, "extended"),
    }


# The frame.


def test_functions_that_are_compared_are_timed_in_turn() -> None:
    order: list[str] = []

    def call(name: str) -> Any:
        order.append(name)
        return jnp.zeros(())

    first, second = timing.repeat_in_turn([lambda: call("a"), lambda: call("b")], 3, at_least=0.0)
    assert order == ["a", "b"] * 5  # compiled, called once to see how long it takes, then three repetitions
    assert len(first.seconds) == len(second.seconds) == 3


def test_a_repetition_repeats_a_call_that_is_too_short_to_time() -> None:
    calls = []
    found = timing.repeat(lambda: calls.append(1) or jnp.zeros(()), 3, at_least=0.01)
    assert len(found.seconds) == len(found.processor_seconds) == 3
    assert len(calls) > 2 + 3


def test_a_file_with_a_group_is_a_new_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "extra_group.py").write_text(
        "from swarmbed.benchmarks import Column, Group, Row\n"
        "GROUP = Group('Extra', (Column('x', 'x'),), (Row('extra-row', 'a row', lambda effort: {'x': 1}),))\n"
    )
    monkeypatch.setattr(benchmarks, "__path__", [*benchmarks.__path__, str(tmp_path)])
    names = list(benchmarks.groups())
    sys.modules.pop("swarmbed.benchmarks.extra_group")
    assert names[:2] == ["machine", "simulator"] and "extra_group" in names


def test_only_takes_names_of_rows_and_of_whole_groups() -> None:
    picked = benchmarks.chosen(["machine", "pursuit-10"])
    assert {name: [row.name for row in group.rows] for name, group in picked.items()} == {
        "machine": ["matrix-product"],
        "simulator": ["pursuit-10"],
    }


def test_an_unknown_benchmark_is_refused_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--only", "rendezvous-21"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("swarmbed: benchmark 'rendezvous-21' does not exist; --only takes some of: machine, ")
    assert error.count("\n") == 1


def test_one_core_rows_run_without_threads_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XLA_FLAGS", "--xla_mine=1")
    assert runner.environment(1)["XLA_FLAGS"] == "--xla_mine=1 --xla_cpu_multi_thread_eigen=false"
    assert runner.environment(2)["XLA_FLAGS"] == "--xla_mine=1"
    assert runner.environment(1)["JAX_PLATFORMS"] == "cpu"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system cannot confine a process to a core")
def test_a_process_is_confined_and_its_parent_is_free_afterwards() -> None:
    before = os.sched_getaffinity(0)
    with runner.confined_to(1) as cores:
        assert os.sched_getaffinity(0) == set(cores or ()) == {max(before)}
    assert os.sched_getaffinity(0) == before


def test_a_measurement_that_crashes_is_named_and_gives_a_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "crash.sh"
    script.write_text("#!/bin/sh\necho 'out of luck' >&2\nexit 3\n")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    assert main(["bench", "--only", "matrix-product"]) == 2
    captured = capsys.readouterr()
    assert "not measured; the measurement ended with exit code 3: out of luck" in captured.out
    assert "swarmbed: bench: 1 measurement(s) failed: matrix-product" in captured.err


def test_the_line_that_names_the_error_is_shown_even_if_others_follow() -> None:
    assert runner.last_words("Traceback\n  File x\njax.errors.SomeError: too large\n------\nSome frames hidden.\n") == (
        "jax.errors.SomeError: too large"
    )
    assert runner.last_words("Killed\n") == "Killed"
    assert runner.last_words("") == "it said nothing"


def test_a_row_that_cannot_be_measured_here_says_why_and_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = tmp_path / "unavailable.sh"
    script.write_text("""#!/bin/sh\necho '{"note": "looking"}'\necho '{"unavailable": "no such extra"}'\n""")
    script.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(script))
    assert main(["bench", "--only", "matrix-product"]) == 0
    assert "matrix product 1024³: not measured; no such extra" in capsys.readouterr().out


# Tables.

SPEEDS = {"gflops": 51.23, "gflops_best": 60.0, "gflops_per_processor_second": 52.0}
FACTS = {"title": "matrix product", "cores": 1, **SPEEDS}


def test_a_column_leaves_what_a_row_does_not_have_empty() -> None:
    column = Column("speed", "steps/s", ",.0f")
    assert [column.show({"speed": 12345.6}), column.show({}), column.show({"speed": "n/a"})] == ["12,346", "", "n/a"]


def test_a_markdown_table_has_a_line_per_row_and_says_what_was_not_measured() -> None:
    group = Group("Title", (Column("a", "A", ".1f"), Column("b", "B", "d")), (Row("r", "row", lambda effort: {}),))
    rows = {"r": {"title": "row", "a": 0.25, "b": 3}, "s": {"title": "other", "unavailable": "no such extra"}}
    assert table.markdown_table(group, rows).splitlines() == [
        "| | A | B |",
        "|---|---:|---:|",
        "| row | 0.2 | 3 |",
        "| other | not measured |  |",
    ]


def test_a_row_that_had_to_share_its_core_is_marked() -> None:
    assert table.remarks({"m": {**FACTS, "core_share": 0.97}}) == []
    (remark,) = table.remarks({"m": {**FACTS, "core_share": 0.41}})
    assert "41%" in remark and "matrix product" in remark


def test_renewing_a_document_replaces_only_what_stands_between_the_marks() -> None:
    document = "before\n<!-- bench: machine -->\nold\n<!-- end -->\nafter\n<!-- bench: other -->\nkept\n<!-- end -->\n"
    renewed = table.renewed(document, report_of({"matrix-product": FACTS}))
    assert renewed.startswith("before\n<!-- bench: machine -->\n\n| | GFLOP/s | best | per CPU s |\n")
    assert renewed.endswith("<!-- end -->\nafter\n<!-- bench: other -->\nkept\n<!-- end -->\n")
    assert "| matrix product | 51.2 | 60.0 | 52.0 |" in renewed and "old" not in renewed
    assert table.renewed(renewed, report_of({"matrix-product": FACTS})) == renewed


def test_a_group_without_a_place_gets_a_section_of_its_own() -> None:
    renewed = table.renewed("before\n<!-- bench: others -->\nafter\n", report_of({"matrix-product": FACTS}))
    assert renewed.startswith(f"before\n## Machine\n\n{machine.GROUP.note}\n\n<!-- bench: machine -->\n\n| | GFLOP/s")
    assert renewed.endswith("<!-- end -->\n\n<!-- bench: others -->\nafter\n")


@pytest.mark.parametrize("document", ["nothing here\n", "<!-- bench: machine -->\nno end\n"])
def test_a_document_without_a_place_for_a_table_is_refused(document: str) -> None:
    with pytest.raises(SwarmbedError, match="the document has"):
        table.renewed(document, report_of({"matrix-product": FACTS}))


def test_no_column_is_lost_in_a_narrow_window(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    table.print_table(machine.GROUP, {"m": FACTS})
    printed = capsys.readouterr().out
    assert all(text in printed for text in ("matrix product", "GFLOP/s", "51.2", "60.0", "CPU", "52.0"))


def test_the_machine_is_described_by_what_the_system_says() -> None:
    described = machine.describe()
    assert described["cores"] == os.cpu_count() and described["jax"] == jax.__version__
    assert described["processor"] and described["memory_gib"] > 0
    assert len(machine.sentences(described)) == 3
