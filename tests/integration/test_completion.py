"""Completion, tried in the shells themselves; a shell that is not installed is passed over."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from swarmbed.cli.flags import parser_of
from swarmbed.cli.main import command_names

BASH = """
source {script}
COMP_WORDS=({words}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_shtab_swarmbed
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
# A shell inside a pseudo-terminal: keys are typed into it, and what it shows is read.
ZSH = """
zmodload zsh/zpty
zpty inner zsh -f -i
zpty -w inner 'PS1=; fpath=({folder} $fpath); autoload -Uz compinit; compinit -u -D; setopt list_rows_first; echo ready'
zpty -r inner line '*ready*ready*'
zpty -n -w inner $'{typed}\\t\\t'
repeat 40; do sleep 0.1; zpty -r -t inner part && print -rn -- $part; done
"""
CASES = [
    ("swarmbed rep", "reproduce"),
    ("swarmbed train rendezvous-g", "rendezvous-global"),
    ("swarmbed train --pooling soft", "softmax"),
    ("swarmbed train --kl-b", "--kl-bound"),
    ("swarmbed evaluate voronoi", "voronoi_pursuit"),
    ("swarmbed compare rendezvous-global-nn-extended-t", "rendezvous-global-nn-extended-tanh"),
]


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one script per shell."""
    folder = tmp_path_factory.mktemp("completion")
    for shell, name in (("bash", "swarmbed.bash"), ("zsh", "_swarmbed"), ("fish", "swarmbed.fish")):
        made = subprocess.run(
            [sys.executable, "-m", "swarmbed", "completion", shell], capture_output=True, text=True, check=True
        )
        (folder / name).write_text(made.stdout)
    return folder


def needs(shell: str) -> pytest.MarkDecorator:
    missing = shutil.which(shell) is None and not os.environ.get("CI")  # in CI a missing shell is a failure
    return pytest.mark.skipif(missing, reason=f"{shell} is not installed: make shells")


def run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, "TERM": "dumb"})
    return done.stdout


@needs("bash")
@pytest.mark.parametrize(("typed", "completed"), CASES)
def test_bash_completes(typed: str, completed: str, scripts: Path) -> None:
    script = BASH.format(script=scripts / "swarmbed.bash", words=typed)
    assert run(["bash", "--norc", "-c", script]).split() == [completed]


@needs("fish")
@pytest.mark.parametrize(("typed", "completed"), CASES)
def test_fish_completes(typed: str, completed: str, scripts: Path) -> None:
    told = run(["fish", "--no-config", "-c", f"source {scripts / 'swarmbed.fish'}; complete -C '{typed}'"])
    assert [line.split("\t")[0] for line in told.splitlines()] == [completed]


@needs("zsh")
@pytest.mark.parametrize(("typed", "completed"), CASES)
def test_zsh_completes(typed: str, completed: str, scripts: Path) -> None:
    told = run(["zsh", "-f", "-c", ZSH.format(folder=scripts, typed=typed)])
    assert f"{typed.rpartition(' ')[0]} {completed}" in told


@needs("bash")
def test_bash_completes_files_where_a_policy_is_asked_for(
    scripts: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_policy.safetensors").touch()
    monkeypatch.chdir(tmp_path)
    script = BASH.format(script=scripts / "swarmbed.bash", words="swarmbed render my_pol")
    assert run(["bash", "--norc", "-c", script]).split() == ["my_policy.safetensors"]


@pytest.mark.parametrize("name", command_names())
def test_every_command_tells_its_options_without_running(name: str) -> None:
    options = [option for action in parser_of(name)._actions for option in action.option_strings]
    assert "--help" in options
