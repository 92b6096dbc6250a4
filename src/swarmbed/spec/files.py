"""Files that are either complete or absent: trees of arrays as safetensors, text, and a checksum over both."""

import errno
import hashlib
import json
import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from swarmbed.spec import limits
from swarmbed.spec.errors import SwarmbedError

_UNFINISHED = ".unfinished"
SHOWN = 32  # letters of a name that is being written


class UnreadableError(SwarmbedError):
    """A file is there and may be good, but this process cannot read it now."""


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file atomically: a crash leaves the old content or the new."""
    with whole(path) as unfinished, unfinished.open("wb") as file:
        file.write(content)


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A temporary file that becomes ``path`` on success and is removed otherwise.

    It is next to the target and synced to disk before it takes the target's name, so that name always refers to the old
    file or to the complete new one.
    A link stays, and what it leads to is replaced. What is neither a file nor a folder, such as a pipe or /dev/stdout,
    is written to at the end, and never replaced.
    """
    if path.exists() and not path.is_file() and not path.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            yield Path(folder) / "content"
            try:
                with path.open("wb") as file:
                    file.write((Path(folder) / "content").read_bytes())
            except OSError as error:
                error.filename = str(path)  # a full device does not say its name
                raise
        return
    path = Path(os.path.realpath(path)) if path.is_symlink() else path
    if path.is_symlink():  # it leads back to itself
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    # A name may be as long as the file system allows, and this one is longer by a few letters.
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:SHOWN]}.", suffix=_UNFINISHED)
    except OSError as error:
        error.filename = str(path)  # the name that was asked for
        raise
    os.close(handle)
    unfinished = Path(name)
    try:
        yield unfinished
        with unfinished.open("r+b") as file:
            os.fsync(file.fileno())
        unfinished.chmod(0o644)
        unfinished.replace(path)
    except BaseException as error:
        unfinished.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, name):
            error.filename = str(path)  # a full disk does not say for which file there was no room
        raise
    _sync_folder(path.parent)


def read_json(path: Path) -> Any:
    """What a JSON file holds; a damaged one is a :class:`SwarmbedError`."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # bytes that are no text, too, and brackets without end
        raise SwarmbedError(f"file {path} is damaged or not JSON ({error})") from error


def json_checksum(content: Any) -> str:
    """A checksum of what a JSON file holds, however it is laid out there."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def is_temporary(path: Path) -> bool:
    """Whether a file is a partial one that a crash left behind."""
    return path.name.startswith(".") and path.name.endswith(_UNFINISHED)


def _sync_folder(folder: Path) -> None:
    """Sync the folder's own entries to disk, where folders can be opened: not on Windows."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def tree_to_arrays(tree: Any) -> dict[str, np.ndarray]:
    """Every leaf under the path that leads to it. Random keys are stored as the numbers they are made of."""
    leaves = jax.tree_util.tree_flatten_with_path(tree)[0]
    return {_name(path): np.asarray(_plain(leaf)) for path, leaf in leaves}


def arrays_to_tree(template: Any, arrays: Mapping[str, np.ndarray], what: str) -> Any:
    """Put arrays back into a tree of the template's structure and shapes."""
    leaves, structure = jax.tree_util.tree_flatten_with_path(template)
    found = []
    for path, leaf in leaves:
        name = _name(path)
        if name not in arrays:
            raise SwarmbedError(f"{what} has no array {name!r}; it was written with other settings")
        needed, given = jax.eval_shape(_plain, leaf), arrays[name]
        if given.shape != needed.shape:
            raise SwarmbedError(f"{what}: {name} has shape {given.shape}, but {needed.shape} is needed")
        if given.dtype.kind != needed.dtype.kind:
            raise SwarmbedError(f"{what}: {name} holds numbers of type {given.dtype}, but {needed.dtype} is needed")
        is_key = jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
        value = jnp.asarray(given, needed.dtype)
        found.append(jax.random.wrap_key_data(value) if is_key else value)
    return jax.tree_util.tree_unflatten(structure, found)


def save_arrays(path: Path, arrays: dict[str, np.ndarray], metadata: dict[str, str]) -> None:
    """Arrays and words in one safetensors file that carries a checksum of itself."""
    metadata = {**metadata, "sha256": _checksum(arrays, metadata)}
    ordered = {name: np.array(value, order="C") for name, value in arrays.items()}
    write_atomically(path, _in_order(save(ordered, metadata)))


def _in_order(content: bytes) -> bytes:
    """The same safetensors file with a sorted header: equal content gives equal bytes."""
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    text = json.dumps(header, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # arrays begin at a multiple of eight
    return len(text).to_bytes(8, "little") + text + content[8 + length :]


def load_arrays(path: Path) -> tuple[dict[str, np.ndarray], dict[str, str]]:
    """Read a file that :func:`save_arrays` wrote; anything else, or a damaged one, is a :class:`SwarmbedError`."""
    if not path.is_file():
        raise SwarmbedError(f"file {path} does not exist")
    try:
        with path.open("rb") as file:
            file.read(1)
    except OSError as error:  # no right to read it, too many open files: that says nothing about what is in it
        raise UnreadableError(f"file {path} cannot be read: {error.strerror or error}") from error
    # A sparse file can claim any size.
    limits.check_memory(f"file {path}", 2 * path.stat().st_size)
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = dict(file.metadata() or {})
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  not a dict
    except (SafetensorError, OSError, ValueError, TypeError, AttributeError, KeyError) as error:
        # The last three: numbers of a kind that numpy does not have.
        raise SwarmbedError(f"file {path} is damaged or not a safetensors file ({error})") from error
    expected = metadata.pop("sha256", None)
    if expected is None:
        raise SwarmbedError(f"file {path} was not written by swarmbed: it carries no checksum")
    if expected != _checksum(arrays, metadata):
        raise SwarmbedError(f"file {path} is damaged: its checksum does not match")
    return arrays, metadata


def _checksum(arrays: Mapping[str, np.ndarray], metadata: Mapping[str, str]) -> str:
    digest = hashlib.sha256()
    for name in sorted(metadata):
        digest.update(f"{name}={metadata[name]}\0".encode())
    for name in sorted(arrays):
        value = np.array(arrays[name], order="C")  # ascontiguousarray would turn a number into a list of one
        digest.update(f"{name}:{value.dtype}:{value.shape}\0".encode())
        digest.update(value.tobytes())
    return digest.hexdigest()


def _plain(leaf: Any) -> Any:
    is_key = hasattr(leaf, "dtype") and jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return jax.random.key_data(leaf) if is_key else leaf


def _name(path: tuple[Any, ...]) -> str:
    return jax.tree_util.keystr(path, simple=True, separator=".")
