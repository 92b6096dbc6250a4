"""A progress bar on stderr in a terminal; nothing elsewhere."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

Report = Callable[[int], None]


class Bar(Progress):
    """A progress bar that says nothing where it is disabled: rich before 14.3 ends even that one with an empty line."""

    def stop(self) -> None:
        if not self.disable:
            super().stop()


@contextmanager
def progress_bar(total: int, doing: str) -> Iterator[Report]:
    """Yields a function to call with the number finished of ``total``. Until the first call, the bar says
    *compiling*."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        work = bar.add_task(f"{doing} (compiling)", total=total)
        yield lambda finished: bar.update(work, completed=finished, description=doing)


def reporting(progress: bool | Report, total: int, doing: str) -> AbstractContextManager[Report | None]:
    """What Python's functions do with ``progress``: a bar, nothing, or a function of the caller's."""
    if progress is True:
        return progress_bar(total, doing)
    return nullcontext(None if progress is False else progress)
