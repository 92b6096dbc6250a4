"""Files that are whole or not there."""

import os
from pathlib import Path
from typing import Any

import pytest

from swarmbed.spec.files import write_atomically


def test_files_are_written_where_folders_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows, which knows no O_DIRECTORY and answers PermissionError to who opens a folder."""
    really_open = os.open

    def refuse_folders(path: Any, *rest: Any, **options: Any) -> int:
        if Path(path).is_dir():
            raise PermissionError(path)
        return really_open(path, *rest, **options)

    monkeypatch.setattr(os, "open", refuse_folders)
    monkeypatch.delattr(os, "O_DIRECTORY")
    write_atomically(tmp_path / "deep" / "file", b"content")
    assert (tmp_path / "deep" / "file").read_bytes() == b"content"
    assert list((tmp_path / "deep").iterdir()) == [tmp_path / "deep" / "file"]


def test_a_write_that_fails_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_atomically(tmp_path / "file", b"old")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_atomically(tmp_path / "file", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("file", b"old")]


def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path) -> None:
    write_atomically(tmp_path / ("n" * 255), b"content")
    assert [path.name for path in tmp_path.iterdir()] == ["n" * 255]
