"""A policy file from somebody else: whatever its header says, it is a policy or one sentence."""

from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save_file

import swarmbed
from swarmbed import SwarmbedError
from swarmbed.policy.headers import shipped_policies
from swarmbed.spec import files

SOURCE = shipped_policies()["pursuit-global-nn-extended"]


def altered(path: Path, old: str, new: str) -> Path:
    """A shipped policy with other settings, and a checksum that is right."""
    arrays, metadata = files.load_arrays(SOURCE)
    assert old in metadata["config"]
    files.save_arrays(path, arrays, metadata | {"config": metadata["config"].replace(old, new, 1)})
    return path


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[task]", "[run]"),
        ("[embedding]", "[batch]"),
        ('name = "pursuit"', ""),
        ('name = "pursuit"', "name = 3"),
        ('name = "pursuit"', 'name = ["pursuit"]'),
        ("num_agents = 10", "num_agents = 0"),
        ("num_agents = 10", "num_agents = true"),
        ("num_agents = 10", f"num_agents = {10**30}"),
        ("num_agents = 10", "num_agents = 1e30"),
        ("num_agents = 10", "num_agents = 0x" + "f" * 5000),
        ("horizon = 1024", f"horizon = {10**12}"),
        ("width = 100.0", "width = nan"),
        ("width = 100.0", "width = 1e300"),
        ("hidden = [\n    64,\n]", "hidden = [0]"),
        ("hidden = [\n    64,\n]", "hidden = [2147483647, 2147483647]"),
        ("hidden = [\n    64,\n]", "hidden = 64"),
        ("features = [\n    64,\n]", "features = [2147483647]"),
        ("features = [\n    64,\n]", "features = " + "[" * 200 + "]" * 200),
    ],
)
def test_settings_that_make_no_policy_are_one_sentence(old: str, new: str, tmp_path: Path) -> None:
    try:
        path = altered(tmp_path / "strange.safetensors", old, new)
    except AssertionError:
        pytest.fail(f"{old!r} is not in the header: {files.load_arrays(SOURCE)[1]['config']}")
    with pytest.raises(SwarmbedError, match=r"strange\.safetensors"):
        swarmbed.load_policy(path)


@pytest.mark.parametrize("agents", [10**6, 10**9])
def test_a_swarm_that_no_machine_holds_is_refused_with_its_size(agents: int, tmp_path: Path) -> None:
    path = altered(tmp_path / "large.safetensors", "num_agents = 10", f"num_agents = {agents}")
    with pytest.raises(SwarmbedError, match=r"needs about .*B of memory"):
        swarmbed.evaluate(path, progress=False)
    with pytest.raises(SwarmbedError, match=r"needs about .*B of memory"):
        swarmbed.render(path)
    with pytest.raises(SwarmbedError, match=r"needs about .*B of memory|has embedding|but this run has"):
        swarmbed.train(swarmbed.load_policy(path).task, init=path, progress=False, out=tmp_path / "run")


def test_a_header_without_settings_is_one_sentence(tmp_path: Path) -> None:
    arrays, metadata = files.load_arrays(SOURCE)
    files.save_arrays(tmp_path / "bare.safetensors", arrays, {"format": metadata["format"]})
    with pytest.raises(SwarmbedError, match="it has no settings"):
        swarmbed.load_policy(tmp_path / "bare.safetensors")


def test_a_file_that_claims_more_than_the_machine_has_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "sparse.safetensors"
    save_file({"weight": np.zeros(1, np.float32)}, path)
    with path.open("r+b") as file:
        file.truncate(10**13)
    with pytest.raises(SwarmbedError, match=r"needs about 20 TB of memory"):
        swarmbed.load_policy(path)


@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_weights_that_are_no_numbers_are_refused(number: float, tmp_path: Path) -> None:
    arrays, metadata = files.load_arrays(SOURCE)
    name = max(arrays, key=lambda name: arrays[name].size)
    arrays[name].reshape(-1)[-1] = number
    files.save_arrays(tmp_path / "diverged.safetensors", arrays, metadata)
    with pytest.raises(SwarmbedError, match=r"diverged\.safetensors holds weights that are not finite numbers, in "):
        swarmbed.load_policy(tmp_path / "diverged.safetensors")


@pytest.mark.parametrize(
    "name", ["intruder", "intruder.py", "./intruder.py", "intruder:Task", "os:system", "../intruder"]
)
def test_a_name_in_a_header_never_loads_code(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "intruder.py").write_text("from pathlib import Path; Path('was here').touch()")
    path = altered(tmp_path / "strange.safetensors", 'name = "pursuit"', f'name = "{name}"')
    with pytest.raises(SwarmbedError, match="which is not part of swarmbed"):
        swarmbed.load_policy(path)
    assert not (tmp_path / "was here").exists()
