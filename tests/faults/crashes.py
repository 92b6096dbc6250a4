"""Every call to the file system as a crash, and every one failing: what a run leaves can always go on."""

import contextlib
import errno
import io
import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from faults import shim
from faults.campaign import Outcome, described
from faults.place import new_place
from faults.shim import Shim
from faults.tiny_run import ITERATIONS, Reference, resume, start
from swarmbed.run.folder import RunFolder
from swarmbed.spec.errors import SwarmbedError

Act = Callable[[Path], object]


def crash_points(chance: random.Random) -> Iterator[Outcome]:
    """A crash before each call, and in the middle of each write: of a new run, a longer one, one that is replaced."""
    yield from _each(chance, ((shim.CRASH, 0), (shim.TORN, 0)))


def failing_calls(chance: random.Random) -> Iterator[Outcome]:
    """Each call failing once, all calls failing from one on (a full disk), and each write writing a part."""
    numbers = (errno.ENOSPC, errno.EIO, errno.EDQUOT)
    kinds = [(how, number) for how in (shim.FAIL_ONCE, shim.FAIL_FROM) for number in numbers]
    yield from _each(chance, (*kinds, (shim.SHORT, 0)))


def _each(chance: random.Random, faults: tuple[tuple[int, int], ...]) -> Iterator[Outcome]:
    place = new_place()
    meddler, reference = Shim.only(), Reference(place / "reference")
    run = place / "run"
    prepared: dict[str, tuple[Callable[[], object], Act]] = {
        "start": (lambda: shutil.rmtree(run, ignore_errors=True), start),
        "longer": (lambda: _shortened(reference, run), lambda folder: resume(folder, ITERATIONS)),
        "overwrite": (lambda: reference.copy(run), lambda folder: start(folder, overwrite=True)),
    }
    points = []
    for name, (prepare, act) in prepared.items():
        prepare()
        with meddler.armed(run):
            act(run)
        points += [(name, how, number, when + 1) for how, number in faults for when in range(meddler.calls)]
    chance.shuffle(points)
    try:
        for name, how, number, when in points:
            prepare, act = prepared[name]
            prepare()
            where = f"{name}, fault {how} {errno.errorcode.get(number, '')} at call {when}"
            yield _tried(meddler, run, act, how, number, when, where) or _goes_on(reference, run, where, meddler.last)
    finally:
        shutil.rmtree(place, ignore_errors=True)


def _shortened(reference: Reference, run: Path) -> None:
    """The run as it was after two iterations, to be made longer."""
    folder = RunFolder(reference.copy(run))
    newest = max(folder.checkpoints.glob("*.safetensors"))
    newest.unlink()


def _tried(meddler: Shim, run: Path, act: Act, how: int, number: int, when: int, where: str) -> Outcome:
    try:
        with meddler.armed(run, how, when, number):
            act(run)
    except (SwarmbedError, OSError):
        return None  # a sentence, on the command line
    except Exception as error:
        # A process that has crashed says nothing; one that plays dead may stumble over what it did not write.
        return None if how in (shim.CRASH, shim.TORN) else f"{where}: {described(error)}"
    return None


def _goes_on(reference: Reference, run: Path, where: str, call: str) -> Outcome:
    """Resume, or start again where there was nothing to resume yet: the end is the same."""
    try:
        with contextlib.redirect_stderr(io.StringIO()):  # what it says about the crash has its own tests
            resume(run, ITERATIONS) if RunFolder(run).config.is_file() else start(run)
        wrong = reference.difference(run)
    except Exception as error:
        wrong = described(error)
    return None if wrong is None else f"{where} ({call}): {wrong}"
