"""Damage to every file of a run: noticed, and nothing that was good is lost."""

import contextlib
import io
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from faults.campaign import Outcome, described
from faults.place import new_place
from faults.tiny_run import ITERATIONS, Reference, resume
from swarmbed.policy.files import load_policy_file
from swarmbed.spec.errors import SwarmbedError


def damaged(content: bytes, chance: random.Random) -> tuple[str, bytes]:
    """The content with something done to it that disks, people and programs do."""
    size = max(len(content), 1)
    first, second = sorted(chance.sample(range(size + 1), 2)) if size > 1 else (0, 1)
    length = min(chance.choice((1, 4, 16, 64, 512)), size)
    start = chance.randrange(size - length + 1)
    ways: dict[str, Callable[[], bytes]] = {
        "cut short": lambda: content[:first],
        "empty": lambda: b"",
        "piece missing": lambda: content[:first] + content[second:],
        "bytes changed": lambda: content[:start] + chance.randbytes(length) + content[start + length :],
        "bit changed": lambda: (
            content[:start] + bytes([content[start] ^ 1 << chance.randrange(8)]) + content[start + 1 :]
        ),
        "zeros": lambda: content[:start] + bytes(length) + content[start + length :],
        "halves swapped": lambda: content[first:second] + content[:first] + content[second:],
        "something appended": lambda: content + chance.randbytes(length),
        "something inserted": lambda: content[:start] + chance.randbytes(length) + content[start:],
        "digit changed": lambda: _other_digit(content, chance),
    }
    how = chance.choice(list(ways))
    return how, ways[how]()


def _other_digit(content: bytes, chance: random.Random) -> bytes:
    places = [index for index, byte in enumerate(content[:20_000]) if 48 <= byte <= 57]
    if not places:
        return content[:-1]
    place = chance.choice(places)
    return (
        content[:place]
        + bytes([chance.choice([d for d in range(48, 58) if d != content[place]])])
        + content[place + 1 :]
    )


def corruptions(chance: random.Random) -> Iterator[Outcome]:
    """A finished run with one damaged file is taken up again, or its policy is loaded."""
    place = new_place()
    reference = Reference(place / "reference")
    names = sorted(str(p.relative_to(reference.folder.path)) for p in reference.folder.path.rglob("*") if p.is_file())
    try:
        while True:
            name = chance.choice(names)
            run = reference.copy(place / "run")
            before = (run / name).read_bytes()
            how, after = damaged(before, chance)
            if after == before:
                continue
            (run / name).write_bytes(after)
            outcome = _policy(run / name) if "policy" in name else _resumed(reference, run, name, after)
            yield None if outcome is None else f"{name}, {how}: {outcome}"
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _policy(path: Path) -> Outcome:
    try:
        load_policy_file(path)
    except SwarmbedError:
        return None
    except Exception as error:
        return described(error)
    return "nobody noticed"


def _resumed(reference: Reference, run: Path, name: str, after: bytes) -> Outcome:
    """Either a refusal that changes nothing, or a word about the damage and the same end."""
    said = io.StringIO()
    try:
        with contextlib.redirect_stderr(said):
            resume(run, ITERATIONS)
    except SwarmbedError:
        if (run / name).read_bytes() != after:
            return "refused, but changed"
        return None if name == "config.toml" else "refused, though the rest was good"
    except Exception as error:
        return described(error)
    newest = f"{ITERATIONS:06d}" in name or "checkpoints" not in name  # an older checkpoint is not even looked at
    if newest and not said.getvalue():
        return "nobody noticed"
    return reference.difference(run)
