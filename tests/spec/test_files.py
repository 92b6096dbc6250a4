"""Files that are whole or not there."""

import ast
import os
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import swarmbed
from swarmbed.spec import files
from swarmbed.spec.errors import SwarmbedError
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


def test_a_write_that_fails_names_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left") as failure:
        write_atomically(tmp_path / "file", b"new")
    assert failure.value.filename == str(tmp_path / "file")


SOURCE = Path(swarmbed.__file__).parent
# Each of these writes to a file that nobody else sees, or adds lines to one that may end in half a line.
ELSEWHERE = {
    "spec/files.py: .open('wb')": "the one function",
    "run/folder.py: .open('ab')": "a row of metrics.csv; half a row is noticed and mended",
    "study/local.py: .open('ab')": "the log of a worker",
    "study/worker.py: .write_text": "a worker's own priority, which the system offers as a file",
    "compute/c_compiler.py: .write_text": "sources in a folder that is gone after the compiler has read them",
    "draw/film.py: .save": "a GIF, into the file that the one function gave it",
}


def test_every_file_is_written_through_one_function() -> None:
    found = {
        f"{path.relative_to(SOURCE).as_posix()}: {way}"
        for path in SOURCE.rglob("*.py")
        for call in ast.walk(ast.parse(path.read_text()))
        if isinstance(call, ast.Call) and (way := _way_of_writing(call))
    }
    assert found == set(ELSEWHERE)


WRITERS = ("write_text", "write_bytes", "savefig", "to_csv", "savez", "tofile")
MEMORY = "page"  # what figures are drawn into before they are written


def _way_of_writing(call: ast.Call) -> str | None:
    """How a call writes a file by itself, if it does."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in WRITERS and not (call.args and ast.unparse(call.args[0]) == MEMORY):
        return f".{name}"
    if name == "save" and any(word.arg == "save_all" for word in call.keywords):
        return ".save"
    modes = [*call.args[:2], *(word.value for word in call.keywords if word.arg == "mode")]
    texts = [mode.value for mode in modes if isinstance(mode, ast.Constant) and isinstance(mode.value, str)]
    writes = [text for text in texts if set(text) <= set("rwaxbt+") and set(text) & set("wax")]
    return f".open({writes[0]!r})" if name == "open" and writes else None


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "deep" / "file")
    for content in (b"old", b"new"):
        write_atomically(tmp_path / "link", content)
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "deep" / "file").read_bytes() == content


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append((tmp_path / "pipe").read_bytes()))
    reader.start()
    write_atomically(tmp_path / "pipe", b"content")
    reader.join(10)
    assert got == [b"content"]
    assert (tmp_path / "pipe").is_fifo() and len(list(tmp_path.iterdir())) == 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_device_is_written_to_and_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "full").symlink_to("/dev/full")  # through a link, in case it is
    with pytest.raises(OSError, match="No space left"):
        write_atomically(tmp_path / "full", b"content")
    assert (tmp_path / "full").is_char_device()


def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path) -> None:
    write_atomically(tmp_path / ("n" * 255), b"content")
    assert [path.name for path in tmp_path.iterdir()] == ["n" * 255]


def test_a_link_that_leads_to_itself_is_an_error_of_the_operating_system(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    with pytest.raises(OSError, match="Too many levels") as error:
        files.write_atomically(loop, b"x")
    assert error.value.filename == str(loop) and loop.is_symlink()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="Linux has a device that is always full")
def test_a_full_device_is_named() -> None:
    with pytest.raises(OSError, match="No space left") as error:
        files.write_atomically(Path("/dev/full"), b"x")
    assert error.value.filename == "/dev/full"


def test_numbers_of_another_kind_do_not_stand_for_weights() -> None:
    with pytest.raises(SwarmbedError, match=r"a file: a holds numbers of type bool, but float32 is needed"):
        files.arrays_to_tree({"a": np.zeros(2, np.float32)}, {"a": np.zeros(2, bool)}, "a file")
    found = files.arrays_to_tree({"a": np.zeros(2, np.float32)}, {"a": np.ones(2, np.float16)}, "a file")
    assert found["a"].dtype == np.float32
