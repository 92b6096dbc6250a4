"""How long a run lasts, what it starts from, and what it shows."""

from dataclasses import dataclass

from swarmbed.spec.settings import Spec, setting


@dataclass(frozen=True)
class RunSettings(Spec):
    """How long a run lasts and what it starts from."""

    iterations: int = setting(60, "training iterations", at_least=1)
    seed: int = setting(0, "random seed of the run", at_least=0, below=2**32)
    checkpoint_every: int = setting(5, "iterations between checkpoints", at_least=1)
    until_flat: bool = setting(False, "stop as soon as the learning curve is flat")
    init: str | None = setting(None, "trained policy to start from (WHO)")
    schedule: tuple[str, ...] = setting(
        (), "settings of task or algorithm that change over the iterations, as NAME=VALUE:ITERATION,VALUE:ITERATION,…"
    )
    starts: str | None = setting(
        None, "several short starts, of which the most promising continues, as COUNT:ITERATIONS, such as 4:30"
    )
    start_criterion: str = setting(
        "explained_variance", "column of metrics.csv by which starts are compared (mean of the last five iterations)"
    )


@dataclass(frozen=True)
class Outputs(Spec):
    """What a run writes and shows besides its folder; none of it changes the result."""

    progress: bool = setting(True, "show progress")
    tensorboard: bool = setting(False, "log to TensorBoard too (extra: tensorboard)")
    wandb: bool = setting(False, "log to Weights & Biases too, offline without a login (extra: wandb)")
