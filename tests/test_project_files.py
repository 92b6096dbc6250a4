"""Workflows, the lock file and the package's metadata say the same about what is supported."""

import re
import tomllib
from pathlib import Path

import swarmbed

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def workflow(name: str) -> str:
    return (ROOT / ".github" / "workflows" / f"{name}.yml").read_text("utf-8")


def extras() -> dict[str, list[str]]:
    return PROJECT["optional-dependencies"]


def test_the_tests_run_on_every_python_that_the_package_claims() -> None:
    claimed = [words.rsplit(" ", 1)[1] for words in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", words)]
    (tried,) = re.findall(r"python: \[(.*)\]", workflow("tests"))
    assert re.findall(r'"([\d.]+)"', tried) == claimed
    assert PROJECT["requires-python"] == f">={claimed[0]}"


def test_the_tests_run_on_the_oldest_versions_too() -> None:
    assert "versions: oldest" in workflow("tests")
    assert "lowest-direct" in workflow("tests")


def test_every_direct_requirement_has_a_lowest_version() -> None:
    groups = [PROJECT["dependencies"], *extras().values()]
    unbounded = [each for group in groups for each in group if ">=" not in each and not each.startswith("swarmbed[")]
    assert unbounded == []


def test_extras_that_commands_name_exist() -> None:
    named = {
        extra for file in [*WORKFLOWS, ROOT / "Makefile"] for extra in re.findall(r"'\.\[(.*?)\]'", file.read_text())
    }
    assert named
    assert {extra for group in named for extra in group.split(",")} <= set(extras())


def test_the_lock_file_pins_everything_that_is_required() -> None:
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)", (ROOT / "requirements-dev.txt").read_text(), re.MULTILINE))
    wanted = [*PROJECT["dependencies"], *(each for group in extras().values() for each in group)]
    names = {re.split(r"[\[>=;< ]", each)[0].lower().replace("_", "-") for each in wanted} - {"swarmbed"}
    assert names - {name.lower().replace("_", "-") for name in pinned} == set()


def test_the_release_is_published_without_a_password() -> None:
    text = workflow("release")
    assert "id-token: write" in text
    assert "secrets." not in text


def test_the_citation_names_this_version() -> None:
    assert f"version: {swarmbed.__version__}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


def test_the_changelog_has_a_section_for_this_version() -> None:
    assert f"\n## {swarmbed.__version__} " in (ROOT / "CHANGELOG.md").read_text("utf-8")
