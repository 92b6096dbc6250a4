"""The folder of a training run: what is in it, who may write to it, and its table of metrics."""

import csv
import io
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:  # not a Unix: nobody else is kept out
    fcntl = None  # type: ignore[assignment]

from swarmbed.spec import config, files
from swarmbed.spec.errors import SwarmbedError

COLUMNS = (
    "iteration", "env_steps", "samples", "seconds", "mean_return", "mean_length", "kl", "surrogate", "entropy",
    "explained_variance",
)  # fmt: skip
Row = dict[str, float]


class RunFolder:
    """Paths and files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.config = path / "config.toml"
        self.metrics = path / "metrics.csv"
        self.policy = path / "policy.safetensors"
        self.best_policy = path / "best_policy.safetensors"
        self.checkpoints = path / "checkpoints"
        self.curve = path / "learning_curve.png"
        self.video = path / "episode.mp4"

    def claim(self, settings: config.Config, overwrite: bool) -> None:
        """Make the folder, which is held, this run's own. One that holds anything is refused unless it may be
        overwritten."""
        self.sweep()
        if any(self.path.iterdir()):
            if not overwrite:
                holds = "another run" if self.config.is_file() else "other files"
                raise SwarmbedError(
                    f"folder {self.path} holds {holds}; choose another --out, go on with --resume, or say --overwrite"
                )
            if not self.config.is_file():
                raise SwarmbedError(f"folder {self.path} is not a run's, so --overwrite will not touch it")
            self._clear()
        self.write_config(settings)

    def make(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise SwarmbedError(f"{self.path} is a file; --out needs a folder")
        self.path.mkdir(parents=True, exist_ok=True)

    @contextmanager
    def held(self) -> Iterator[None]:
        """Keep other processes from reading or writing the folder meanwhile. The lock dies with its process."""
        if not self.path.is_dir():
            raise SwarmbedError(f"folder {self.path} does not exist")
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
        files.write_atomically(self.config, config.dump(settings).encode())

    def read_config(self) -> config.Config:
        if not self.config.is_file():
            raise SwarmbedError(f"folder {self.path} is not the folder of a training run: it has no config.toml")
        settings = config.read(self.config)
        # A run writes all its settings. A file that was cut short would otherwise stand for defaults.
        missing = [name for name in ("task", "embedding", "algorithm", "batch", "run") if name not in settings]
        if missing:
            raise SwarmbedError(f"{self.config} is damaged: it has no section [{missing[0]}]")
        return settings

    def write_metrics(self, rows: list[Row], columns: tuple[str, ...]) -> None:
        """The whole table at once."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(row[name]) for name in columns] for row in rows)
        files.write_atomically(self.metrics, text.getvalue().encode())

    def append_metrics(self, row: Row, columns: tuple[str, ...]) -> None:
        with self.metrics.open("a", newline="") as file:
            csv.writer(file, lineterminator="\n").writerow([_cell(row[name]) for name in columns])

    def read_metrics(self) -> list[Row]:
        return read_rows(self.metrics)

    def _clear(self) -> None:
        """Remove what a run writes, and nothing else. The configuration goes last: while it is there, the folder is a
        run's, so that a crash on the way leaves something that can be overwritten again."""
        for file in self.checkpoints.glob("*.safetensors"):
            file.unlink()
        if self.checkpoints.is_dir() and not any(self.checkpoints.iterdir()):
            self.checkpoints.rmdir()
        for file in (self.metrics, self.policy, self.best_policy, self.curve, self.video, self.config):
            file.unlink(missing_ok=True)

    def sweep(self) -> None:
        """Remove what a crash has left of files that were being written."""
        for folder in (self.path, self.checkpoints):
            for file in folder.glob(".*") if folder.is_dir() else ():
                if files.is_temporary(file):
                    file.unlink(missing_ok=True)


def read_rows(path: Path) -> list[Row]:
    """A file of metrics: the rows that are whole; a last one that a crash cut short is left out."""
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return [
        {name: float(cell) if cell else math.nan for name, cell in row.items()}
        for row in rows
        if None not in row.values() and None not in row
    ]


def _cell(value: Any) -> str:
    if isinstance(value, float) and math.isnan(value):
        return ""
    return str(value) if isinstance(value, int) or float(value) != int(value) else str(int(value))


def is_flat(returns: list[float], tolerance: float = 0.01, least: int = 50) -> bool:
    """Whether learning has stopped: the median return of the last fifth is within 1 % of that of the fifth before."""
    known = [value for value in returns if not math.isnan(value)]
    fifth = len(known) // 5
    if len(known) < least or fifth < 1:
        return False
    before, last = (sorted(part)[fifth // 2] for part in (known[-2 * fifth : -fifth], known[-fifth:]))
    return abs(last - before) <= tolerance * abs(before)
