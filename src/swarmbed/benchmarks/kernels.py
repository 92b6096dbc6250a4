"""The hot loop: forward, gradient and Fisher product of the neural mean embedding, as a share of the machine's peak.

Operations are counted as pairs × 64 units × 14 for the forward pass (two per feature and unit), three times that for
the gradient and five times for the Fisher product. The peak is that of a 1024³ float32 matrix product on the same core.
"""

import statistics
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from swarmbed.benchmarks import Column, Effort, Group, Row
from swarmbed.benchmarks.timing import repeat_in_turn, rounded
from swarmbed.compute.chunks import piece_size, sum_over
from swarmbed.embeddings.neural import Neural
from swarmbed.spec.observation import SetLayout

AGENTS, SLOTS, FEATURES, UNITS = 40_960, 20, 7, 64
PAIRS = AGENTS * (SLOTS - 1)  # an agent's own slot is there, masked, and not counted as work
FORWARD_OPERATIONS = PAIRS * UNITS * 2 * FEATURES
PRODUCT_OPERATIONS = 2 * 1024**3


def measure(kind: str, required: float, effort: Effort) -> dict[str, Any]:
    """Rate of one kernel, and of a matrix product in the same process, measured in turn."""
    square = jnp.ones((1024, 1024))
    product = jax.jit(lambda a: a @ a)
    call, factor = _kernel(kind)
    peak, timing = repeat_in_turn([lambda: product(square), call], 2 * effort.repetitions)
    peak_rates = [PRODUCT_OPERATIONS / seconds for seconds in peak.seconds]
    rates = [factor * FORWARD_OPERATIONS / seconds for seconds in timing.seconds]
    shares = [rate / most for rate, most in zip(rates, peak_rates, strict=True)]
    return {
        "gflops": rounded(statistics.median(rates) / 1e9, 4),
        "peak_gflops": rounded(statistics.median(peak_rates) / 1e9, 4),
        "share": rounded(statistics.median(shares), 3),
        "share_lowest": rounded(min(shares), 3),
        "share_highest": rounded(max(shares), 3),
        "required_share": required,
        **timing.facts(),
    }


def _kernel(kind: str) -> tuple[Callable[[], Any], int]:
    embedding, layout = Neural(), SetLayout(SLOTS, FEATURES, includes_self=True)
    element_key, weight_key, out_key = jax.random.split(jax.random.key(0), 3)
    elements = jax.random.normal(element_key, (AGENTS, SLOTS, FEATURES))
    present = jnp.arange(SLOTS)[None, :] != (jnp.arange(AGENTS) % SLOTS)[:, None]
    sets = jax.jit(lambda e, m: embedding.prepare(layout, e, m))(elements, present)
    params = embedding.init(layout, weight_key)
    # Two outputs stand for the head that follows; without it the product's two halves would be fused into one.
    readout = jax.random.normal(out_key, (UNITS, 2)) / UNITS
    size = piece_size(sets)

    def outputs(params: Any, piece: Array) -> Array:
        return embedding.apply(params, piece) @ readout

    def gradient(params: Any, piece: Array) -> Any:
        return jax.grad(lambda p: jnp.square(outputs(p, piece)).sum())(params)

    def fisher(params: Any, piece: Array) -> Any:
        forward = lambda p: outputs(p, piece)  # noqa: E731
        _, change = jax.jvp(forward, (params,), (jax.tree.map(jnp.cos, params),))
        return jax.vjp(forward, params)[1](change)[0]

    def forward(params: Any, piece: Array) -> Array:
        return outputs(params, piece).sum(0)

    function, factor = {"forward": (forward, 1), "gradient": (gradient, 3), "fisher": (fisher, 5)}[kind]
    compiled = jax.jit(lambda params, sets: sum_over(lambda piece: function(params, piece), sets, size))
    return lambda: compiled(params, sets), factor


GROUP = Group(
    title="Embedding kernels",
    note="Neural mean embedding, 40,960 agents × 19 neighbours, 7 features, 64 units, one core. share: of the rate of "
    "a 1024³ float32 matrix product in the same process, median, lowest and highest of repetitions taken in turn; "
    "target: the share to reach.",
    columns=(
        Column("gflops", "GFLOP/s", ".1f"),
        Column("peak_gflops", "peak", ".1f"),
        Column("share", "share", ".2f"),
        Column("share_lowest", "lowest", ".2f"),
        Column("share_highest", "highest", ".2f"),
        Column("required_share", "target", ".2f"),
        Column("median_seconds", "s", ".4f"),
        Column("compile_seconds", "compile s", ".1f"),
    ),
    rows=(
        Row("kernel-forward", "forward", lambda effort: measure("forward", 0.35, effort)),
        Row("kernel-gradient", "gradient", lambda effort: measure("gradient", 0.45, effort)),
        Row("kernel-fisher", "Fisher product", lambda effort: measure("fisher", 0.6, effort)),
    ),
    position=20,
)
