"""The folder of a training run: its files, its lock, and its table of metrics."""

import math
import os
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # not a Unix: there is no lock
    fcntl = None  # type: ignore[assignment]

from swarmbed.spec import config, files, table
from swarmbed.spec.errors import SwarmbedError, say
from swarmbed.spec.table import Row

COLUMNS = (
    "iteration", "env_steps", "samples", "seconds", "mean_return", "mean_length", "kl", "surrogate", "entropy",
    "explained_variance",
)  # fmt: skip


class RunFolder:
    """Paths and files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.toml"
        self.metrics = path / "metrics.csv"
        self.policy = path / "policy.safetensors"
        self.best_policy = path / "best_policy.safetensors"
        self.checkpoints = path / "checkpoints"
        self.starts = path / "starts"  # one folder like this for each short start
        self.curve = path / "learning_curve.png"
        self.video = path / "episode.mp4"

    @property
    def title(self) -> str:
        """What the run is called while it trains; the folder of a start has only a number."""
        return f"start {self.path.name}" if self.path.parent.name == self.starts.name else self.path.name

    def claim(self, settings: config.Config, overwrite: bool) -> None:
        """Make the folder, which is held, this run's own. One that holds anything is refused unless it may be
        overwritten."""
        self.sweep()
        if any(self.path.iterdir()):
            if not overwrite:
                holds = "another run" if self.config.is_file() else "other files"
                raise SwarmbedError(
                    f"folder {self.path} holds {holds}; choose another --out, --resume it, or pass --overwrite"
                )
            if not self.config.is_file():
                raise SwarmbedError(f"folder {self.path} does not hold a run, so --overwrite will not touch it")
            self._clear()
        self.write_config(settings)

    def make(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise SwarmbedError(f"{self.path} is a file; --out needs a folder")
        self.path.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes from reading or writing the folder. The lock ends with its process."""
        if not self.path.is_dir():
            exists = "is a file, not the folder of a training run" if self.path.exists() else "does not exist"
            raise SwarmbedError(f"{self.path} {exists}")
        if fcntl is None:
            yield
            return
        folder = os.open(self.path, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            os.close(folder)
            raise SwarmbedError(
                f"another process is training in folder {self.path}; wait for it, or stop it"
            ) from error
        except OSError:  # a file system without locks
            pass
        try:
            yield
        finally:
            os.close(folder)

    def write_config(self, settings: config.Config) -> None:
        files.write_atomically(self.config, config.sealed(config.dump(settings)).encode())

    def read_config(self) -> config.Config:
        if not self.config.is_file():
            one = next(iter(sorted(self.path.glob("seed-*/config.toml"))), None)
            hint = f"; it holds runs of several seeds, such as {one.parent}" if one is not None else ""
            raise SwarmbedError(f"folder {self.path} is not the folder of a training run: it has no config.toml{hint}")
        settings = config.read(self.config)
        # A run writes all its settings. A file that was cut short would otherwise stand for defaults.
        missing = [name for name in ("task", "embedding", "algorithm", "batch", "run") if name not in settings]
        if missing:
            raise SwarmbedError(f"{self.config} is damaged: it has no section [{missing[0]}]")
        return settings

    def config_is_as_written(self) -> bool | None:
        """Whether config.toml is what we wrote, by its checksum; None for one of an earlier version, without any."""
        return config.seal_holds(self.config.read_bytes().decode(errors="replace"))

    def write_metrics(self, rows: list[Row], columns: tuple[str, ...]) -> None:
        """The whole table at once."""
        files.write_atomically(self.metrics, table.write(columns, rows))

    def append_metrics(self, row: Row, columns: tuple[str, ...]) -> None:
        with self.metrics.open("ab") as file:
            file.write(table.line([row[name] for name in columns]).encode())

    def read_metrics(self, report: Callable[[str], None] = say) -> list[Row]:
        return read_rows(self.metrics, report)

    def _clear(self) -> None:
        """Remove what a run writes, and nothing else. The configuration goes last: as long as it exists, the folder
        counts as a run's, so after a crash on the way it can still be overwritten."""
        for start in self.starts.iterdir() if self.starts.is_dir() else ():
            if (start / "config.toml").is_file():
                RunFolder(start)._clear()
                if not any(start.iterdir()):  # a logger's folder stays, as at the top
                    start.rmdir()
        if self.starts.is_dir() and not any(self.starts.iterdir()):
            self.starts.rmdir()
        for file in checkpoint_files(self.checkpoints):
            file.unlink()
        # A link to another disk stays: it was not made by a run.
        if self.checkpoints.is_dir() and not self.checkpoints.is_symlink() and not any(self.checkpoints.iterdir()):
            self.checkpoints.rmdir()
        for file in (self.metrics, self.policy, self.best_policy, self.curve, self.video, self.config):
            file.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove partial files that a crash left behind."""
        for folder in (self.path, self.checkpoints):
            for file in folder.glob(".*") if folder.is_dir() else ():
                if files.is_temporary(file) and not file.is_dir():
                    file.unlink(missing_ok=True)


def checkpoint_files(folder: Path) -> list[Path]:
    """The checkpoints in a folder, newest first: files named by their iteration. Any other file is somebody else's.

    A folder that cannot be read is an error: a run that took it for empty would start over.
    """
    found = folder.iterdir() if folder.is_dir() else iter(())  # glob would say nothing
    own = [path for path in found if re.fullmatch(r"[0-9]+\.safetensors", path.name)]
    return sorted(own, key=lambda path: int(path.stem), reverse=True)


def read_rows(path: Path, report: Callable[[str], None] = say) -> list[Row]:
    """A file of metrics: its complete rows. What cannot be read, or is out of order, is reported and left out."""
    if not path.is_file():
        return []
    found = table.read(path)
    missing = [name for name in COLUMNS if name not in found.columns]
    if missing:
        report(f"{path} is damaged: it has no column {missing[0]}; its rows are left out")
        return []
    for complaint in found.complaints:
        report(f"{complaint}; this row is left out")
    rows = table.in_sequence(found.rows, "iteration")
    kept = {id(row) for row in rows}
    for row in found.rows:
        if id(row) not in kept:
            report(f"{path}: the row of iteration {row['iteration']:g} does not follow the one before; it is left out")
    return rows


def is_flat(returns: list[float], tolerance: float = 0.01, least: int = 50) -> bool:
    """Whether learning has stopped: the median return of the last fifth is within 1 % of that of the fifth before."""
    known = [value for value in returns if not math.isnan(value)]
    fifth = len(known) // 5
    if len(known) < least or fifth < 1:
        return False
    before, last = (sorted(part)[fifth // 2] for part in (known[-2 * fifth : -fifth], known[-fifth:]))
    return abs(last - before) <= tolerance * abs(before)
