"""The viewer's page in a real browser."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import READY, Browser, find_chromium

from viewer_server import address, catalog, quick_engines, workshop

__all__ = ["address", "catalog", "quick_engines", "workshop"]


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    program = find_chromium()
    if program is None and os.environ.get("CI"):
        pytest.fail("Chromium is not installed: make browser")
    if program is None:
        pytest.skip("Chromium is not installed: make browser")
    profile: Path = tmp_path_factory.mktemp("profile")
    with Browser(program, profile) as opened:
        yield opened


@pytest.fixture
def page(browser: Browser, address: str) -> Browser:
    """The page, loaded and paused at the start of an episode."""
    browser.complaints.clear()
    browser.requests.clear()
    browser.open(f"http://{address}/", width=1280, height=800)
    browser.wait(READY, 180)
    return browser
