"""Without the extra, one sentence says what to install."""

import importlib
import sys

import pytest

from swarmbed import SwarmbedError


@pytest.mark.parametrize(
    ("module", "package"), [("pettingzoo", "pettingzoo"), ("pettingzoo", "gymnasium"), ("gymnasium", "gymnasium")]
)
def test_a_missing_package_is_named_with_what_to_install(
    monkeypatch: pytest.MonkeyPatch, module: str, package: str
) -> None:
    for name in list(sys.modules):
        # A module that is None cannot be imported; the package's own modules must not be found either.
        if name == package or name.startswith(f"{package}."):
            monkeypatch.delitem(sys.modules, name)
        if name.startswith("swarmbed.interop."):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(SwarmbedError) as caught:
        importlib.import_module(f"swarmbed.interop.{module}")
    assert str(caught.value) == (
        f"swarmbed.interop needs the package {package!r}, which is missing: install swarmbed[interop]"
    )
