"""Where metrics go besides the run folder: TensorBoard and Weights & Biases, both optional."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, Protocol, runtime_checkable

from swarmbed.spec.errors import SwarmbedError


@runtime_checkable
class Logger(Protocol):
    """Takes one row per iteration."""

    def log(self, iteration: int, row: dict[str, float]) -> None: ...

    def close(self) -> None: ...


class TensorBoard:
    """Scalars in the event format that TensorBoard reads."""

    def __init__(self, folder: Path) -> None:
        try:
            from tensorboardX import SummaryWriter
        except ImportError as error:
            raise SwarmbedError("--tensorboard needs the extra: pip install 'swarmbed[tensorboard]'") from error
        self._writer = SummaryWriter(str(folder / "tensorboard"))

    def log(self, iteration: int, row: dict[str, float]) -> None:
        for name, value in _known(row).items():
            self._writer.add_scalar(name, value, iteration)

    def close(self) -> None:
        self._writer.close()


class WeightsAndBiases:
    """A run of Weights & Biases; without a login it is written offline and can be synced later."""

    def __init__(self, folder: Path, settings: dict[str, Any]) -> None:
        try:
            import wandb
        except ImportError as error:
            raise SwarmbedError("--wandb needs the extra: pip install 'swarmbed[wandb]'") from error
        mode: Literal["online", "offline"] = "online" if wandb.api.api_key else "offline"
        self._run = wandb.init(project="swarmbed", name=folder.name, dir=str(folder), config=settings, mode=mode)

    def log(self, iteration: int, row: dict[str, float]) -> None:
        self._run.log(_known(row), step=iteration)

    def close(self) -> None:
        self._run.finish()


def make_loggers(folder: Path, settings: dict[str, Any], *, tensorboard: bool, wandb: bool) -> list[Logger]:
    chosen: list[Callable[[], Logger]] = []
    if tensorboard:
        chosen.append(lambda: TensorBoard(folder))
    if wandb:
        chosen.append(lambda: WeightsAndBiases(folder, settings))
    return [make() for make in chosen]


def _known(row: dict[str, float]) -> dict[str, float]:
    return {name: value for name, value in row.items() if not math.isnan(value)}
