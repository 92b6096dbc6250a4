"""Compiled programs that outlive the process.

JAX keeps what the compiler made, but it has to trace and lower a function before it knows that it has seen it; for a
training iteration that takes longer than the iteration. Here the whole program is kept under everything that it depends
on: the settings, this package's source, the versions of JAX and its compiler, the devices. So only functions that come
from this package alone are kept: a user's own class could change without our noticing.

A program is machine code, so reading one means running it: files that another user could have written are not read.
"""

import hashlib
import os
import pickle
import platform
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from typing import Any

import jax
from jax.experimental import serialize_executable
from jax.experimental.compilation_cache import compilation_cache

from swarmbed.compute import compiling
from swarmbed.spec.files import write_atomically

FORMAT = 2
KEPT = 32  # the newest; a program takes a few megabytes
_PLAIN = (str, int, float, bool, type(None))


def folder() -> Path:
    """Where programs and JAX's own compilations are kept: where the user keeps caches, unless SWARMBED_CACHE says."""
    if chosen := os.environ.get("SWARMBED_CACHE"):
        return Path(chosen)
    caches = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (caches if caches.is_absolute() else Path.home() / ".cache") / "swarmbed"


def kept(
    spec: Any,
    function: str,
    arguments: Any,
    devices: Sequence[Any],
    compile_it: Callable[[], Any],
    *,
    depends_on: Any = None,
) -> Any:
    """What ``compile_it()`` gave for this function of a spec and arguments of these shapes, in this process or another.

    ``devices`` are those that the program runs on; ``depends_on`` is what else makes it another program.
    A program that cannot be kept or read is compiled as if there were none.
    """
    if not (is_ours(spec) and _is_on("jax_enable_compilation_cache") and jax.process_count() == 1):
        return compile_it()
    shapes = jax.tree.map(lambda leaf: (leaf.shape, str(leaf.dtype), str(getattr(leaf, "sharding", ""))), arguments)
    where = (list(map(str, devices)), depends_on, _surroundings())
    words = repr((FORMAT, spec, function, shapes, compiling.often(), where))
    path = folder() / "programs" / hashlib.sha256(words.encode()).hexdigest()
    program = _read(path, devices)
    if program is None:
        with _without_jax_cache():
            program = compile_it()
        _write(path, program)
    return program


@contextmanager
def _without_jax_cache() -> Iterator[None]:
    """A program that JAX has read from its own cache lacks parts when it is written again, and fails when it runs."""
    jax.config.update("jax_enable_compilation_cache", False)
    compilation_cache.reset_cache()  # else JAX asks only once per process whether it has a cache
    try:
        yield
    finally:
        jax.config.update("jax_enable_compilation_cache", True)
        compilation_cache.reset_cache()


def _read(path: Path, devices: Sequence[Any]) -> Any:
    try:
        if not (_is_private(path.parent) and _is_private(path)):
            return None
        content = path.read_bytes()
        checksum, content = content[:32], content[32:]
        if hashlib.sha256(content).digest() != checksum:
            return None
        path.touch()  # the newest are those that were used last
        program, in_tree, out_tree = pickle.loads(content)
        return serialize_executable.deserialize_and_load(program, in_tree, out_tree, execution_devices=devices)
    except Exception:
        return None  # none there, or another version's


def _write(path: Path, program: Any) -> None:
    try:
        content = pickle.dumps(serialize_executable.serialize(program))
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        write_atomically(path, hashlib.sha256(content).digest() + content)
        by_age = sorted(path.parent.iterdir(), key=lambda file: file.stat().st_mtime, reverse=True)
        for file in by_age[KEPT:]:
            file.unlink(missing_ok=True)
    except Exception:
        return  # a full disk or a program that cannot be written: the next process compiles again


def _is_private(path: Path) -> bool:
    """Whether a file or folder is our own and no other user may write to it. Windows has other permissions: there we
    assume so, since home folders are private."""
    if not hasattr(os, "getuid"):
        return True
    facts = path.stat()
    return facts.st_uid == os.getuid() and not facts.st_mode & 0o022


def is_ours(value: Any) -> bool:
    """Whether a spec and all it holds are plain values, and classes of this package and their objects."""
    if isinstance(value, tuple):
        return all(is_ours(part) for part in value)
    if isinstance(value, type):
        return _is_written_here(value)
    if is_dataclass(value) and _is_written_here(type(value)):
        return all(is_ours(getattr(value, field.name)) for field in fields(value))
    return type(value) in _PLAIN


def _is_written_here(kind: type) -> bool:
    """Whether a class is one that this package's source spells out; one that was made while running, such as a task
    with another reward, is not, whatever module it says it belongs to."""
    module = sys.modules.get(kind.__module__)
    return kind.__module__.startswith("swarmbed.") and getattr(module, kind.__qualname__, None) is kind


@cache
def source_of(*folders: str) -> str:
    """What changes when the code in these folders of the package does."""
    source = hashlib.sha256()
    for folder in folders:
        for file in sorted((Path(__file__).parents[1] / folder).rglob("*.*")):
            if file.suffix in (".py", ".c"):
                source.update(file.read_bytes())
    return source.hexdigest()


@cache
def _surroundings() -> tuple[str, ...]:
    """Everything but the settings that a program depends on."""
    client = jax.devices()[0].client
    devices = str([str(device) for device in jax.devices()])
    flags = " ".join(sorted(os.environ.get("XLA_FLAGS", "").split()))
    numbers = str(_is_on("jax_enable_x64"))
    return (source_of("."), jax.__version__, client.platform_version, devices, flags, numbers, _processor())


def _is_on(option: str) -> bool:
    return bool(getattr(jax.config, option))


def _processor() -> str:
    """What machine code runs here: a home folder may be shared by machines that differ."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line for line in lines if line.startswith(("flags", "Features")))
    except (OSError, StopIteration):
        return platform.machine() + platform.processor()
