"""The reference machine: what one of its cores achieves, in processor time, so that load matters little.

The numbers come from ``benchmarks/results``, which is not part of an installed package; a test keeps the two equal.
"""

RESULTS = "2026-11-16T023101_amd-epyc-family-25-1-1.json"
MACHINE = "one core of an AMD EPYC (family 25, model 1)"
# Row of swarmbed bench: (group, key, unit, what the reference reached)
REFERENCE: dict[str, tuple[str, str, str, float]] = {
    "matrix-product": ("machine", "gflops_per_processor_second", "GFLOP/s", 71.911),
    "rendezvous-20": ("simulator", "steps_per_processor_second", "steps/s", 130030.0),
}
