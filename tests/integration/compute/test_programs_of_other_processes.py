"""Compiled programs that one process writes and another reads."""

import os
import subprocess
import sys
from pathlib import Path

from swarmbed.compute import programs

PROGRAM = """
import jax, jax.numpy as jnp
from swarmbed.compute import devices, programs
from swarmbed.embeddings.neural import Neural
devices.set_up(2)  # of which the program uses one
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)
x = jnp.arange(300.0)
double = jax.jit(lambda x: jnp.sort(jnp.sin(2 * x)) @ jnp.cos(x))
if {first}:
    print(double(x))
else:
    print(programs.kept(Neural(), "double", x, jax.devices()[:1], lambda: double.lower(x).compile())(x))
"""


def test_every_source_file_counts() -> None:
    program = "from swarmbed.compute import programs; print(programs._surroundings()[0])"
    there = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.strip()
    assert programs._surroundings()[0] == there  # the same in every process


def test_a_program_that_jax_has_in_its_own_cache_is_kept_whole(tmp_path: Path) -> None:
    environment = os.environ | {"SWARMBED_CACHE": str(tmp_path)}

    def run(first: bool) -> str:
        command = [sys.executable, "-c", PROGRAM.format(first=first)]
        return subprocess.run(command, capture_output=True, text=True, check=True, env=environment).stdout

    expected = run(first=True)
    assert list((tmp_path / "compiled").iterdir())  # JAX keeps it as well
    assert run(first=False) == expected  # compiled while JAX has it
    assert len(list((tmp_path / "programs").iterdir())) == 1
    assert run(first=False) == expected  # read back
