"""Shared by the tests of other people's interfaces."""

import pytest

from quick_interop import quick_compilation

__all__ = ["quick_compilation"]

pytest.importorskip("gymnasium", reason="needs swarmbed[interop]")
pytest.importorskip("pettingzoo", reason="needs swarmbed[interop]")
