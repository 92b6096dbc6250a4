"""What people install: the built wheel, away from this source tree."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(path.stem for path in (ROOT / "src" / "swarmbed" / "policy" / "shipped").glob("*.safetensors"))


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    (wheel,) = folder.glob("swarmbed-*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    return folder / "site"


def run(installed: Path, code: str, cwd: Path) -> str:
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(installed)},
    )  # fmt: skip
    assert answer.returncode == 0, answer.stderr
    return answer.stdout


def test_every_shipped_policy_loads_and_acts_from_the_wheel(installed: Path, tmp_path: Path) -> None:
    code = f"""
import jax, numpy as np, swarmbed
assert swarmbed.__file__.startswith({str(installed)!r}), swarmbed.__file__
for name in {SHIPPED!r}:
    policy = swarmbed.load_policy(name)
    action = policy.act(policy.task.initial(jax.random.key(0)))
    assert action.shape == (policy.task.num_agents, 2) and np.isfinite(action).all()
    print(name)
"""
    assert run(installed, code, tmp_path).split() == SHIPPED
    assert len(SHIPPED) >= 2


def test_the_wheel_lists_its_policies_with_their_scores(installed: Path, tmp_path: Path) -> None:
    listed = run(installed, "from swarmbed.cli.main import main; main(['list', 'policies'])", tmp_path)
    policies, champions = (part.splitlines() for part in listed.split("champions:"))
    scores = {words[0]: float(words[-1]) for words in map(str.split, policies) if words and words[0] in SHIPPED}
    assert sorted(scores) == SHIPPED
    assert all(-1000 < score < 1000 for score in scores.values())
    assert len([line for line in champions if line.split()[:1] and line.split()[0] in SHIPPED]) == 5


def test_the_wheel_holds_what_is_no_python_source(installed: Path) -> None:
    package = ROOT / "src" / "swarmbed"
    for file in [*(package / "draw" / "web").iterdir(), package / "py.typed", package / "compute" / "meeting.c"]:
        assert (installed / file.relative_to(ROOT / "src")).read_bytes() == file.read_bytes()
