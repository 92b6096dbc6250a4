"""The page on export: the programs that it shows compile and run."""

import re
import subprocess
from pathlib import Path

import pytest

import swarmbed
from swarmbed.compute.c_compiler import find_compiler
from swarmbed.export import write

PAGE = (Path(__file__).parents[3] / "docs" / "export.md").read_text()
POLICY = "rendezvous-global-nn-extended"


def block(language: str) -> str:
    """The only block of code in a language."""
    (code,) = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    return str(code)


@pytest.mark.skipif(find_compiler() is None, reason="no C compiler")
def test_the_program_for_a_robot_compiles_without_warnings_and_prints_an_action(tmp_path: Path) -> None:
    write(swarmbed.load_policy(POLICY), tmp_path / "meet.h")
    (tmp_path / "main.c").write_text(block("c"))
    (line,) = re.findall(r"^gcc (.*) && \./robot$", PAGE, re.MULTILINE)
    subprocess.run([str(find_compiler()), *line.split()], cwd=tmp_path, check=True)
    said = subprocess.run([tmp_path / "robot"], capture_output=True, text=True, check=True).stdout
    told = re.fullmatch(r"acceleration (-?\d+\.\d{3}), turning acceleration (-?\d+\.\d{3})\n", said)
    assert told is not None
    assert all(-1 <= float(number) <= 1 for number in told.groups())


def test_the_program_for_onnxruntime_gives_an_action_per_agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax2onnx")
    pytest.importorskip("onnxruntime")
    monkeypatch.chdir(tmp_path)
    write(swarmbed.load_policy(POLICY), tmp_path / "meet.onnx")
    names: dict[str, object] = {}
    exec(compile(block("py"), "export.md", "exec"), names)
    assert names["action"].shape == (3, 2)  # type: ignore[attr-defined]
