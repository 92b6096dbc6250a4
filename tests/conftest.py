"""What all tests share: checked array annotations, kept compilations, float64 where a test asks for it."""

import functools
import gc
import hashlib
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import jax
import jaxtyping
import pytest
from hypothesis import settings

# The flag that training sets before it computes anything: runs in this process and in others must give the same bits.
FLAGS = ["--xla_cpu_multi_thread_eigen=false"]
# Tests run a program a few times only, so that their time goes into compiling it: every operation that is not inside a
# compiled function is a program, too. These halve it, here and in other processes (swarmbed.compute.compiling).
os.environ["SWARMBED_COMPILE"] = "quick"
if jax.__version_info__[:2] == (0, 10):  # another version may not know them, and stops at a flag that it does not know
    FLAGS += [
        "--xla_backend_optimization_level=0",
        "--xla_llvm_disable_expensive_passes=true",
        "--xla_cpu_use_fusion_emitters=false",
    ]
os.environ["XLA_FLAGS"] = " ".join([os.environ.get("XLA_FLAGS", ""), *FLAGS]).strip()

# Before anything of swarmbed is imported: every call in the simulator checks the shapes and types it is annotated with.
# The numeric tower lets a whole number pass where a float is asked for, as mypy does.
jaxtyping.install_import_hook(
    ["swarmbed.sim", "swarmbed.tasks"], "beartype.beartype(conf=beartype.BeartypeConf(is_pep484_tower=True))"
)

# The same examples in every run, so that a failure on somebody else's machine can be seen here too.
settings.register_profile("swarmbed", max_examples=20, deadline=None, derandomize=True)
settings.load_profile("swarmbed")

# Tracing makes many objects that live on; looking through them all the time takes a tenth of the tests' time.
gc.set_threshold(200_000, 50, 100)

MOST_MAPS = 30_000


def pytest_configure(config: pytest.Config) -> None:
    """Keep compiled functions in .pytest_cache, next to what else pytest remembers; those of other processes too."""
    # A shell starts what it puts into the background with SIGINT ignored, and nohup ignores SIGHUP; tests that send one
    # count on being heard.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP"):
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    cache = getattr(config, "cache", None)  # missing under -p no:cacheprovider
    if cache is not None:
        toy = hashlib.sha256(Path(__file__).with_name("toy_task.py").read_bytes()).hexdigest()[:8]
        folder = cache.mkdir(f"swarmbed-{toy}")  # programs of the toy task are kept too
        os.environ["SWARMBED_CACHE"] = str(folder)
        jax.config.update("jax_compilation_cache_dir", str(folder / "compiled"))
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
        jax.config.update("jax_persistent_cache_min_entry_size_bytes", 0)


@pytest.fixture(scope="module")
def toy_programs_are_kept() -> Iterator[None]:
    """For tests that train the toy task again and again. A user's own class would be compiled anew each time."""
    from swarmbed.compute import programs  # after the import hook above

    def written_here(kind: type) -> bool:
        return kind.__module__.endswith("toy_task") or ours(kind)

    ours = programs._is_written_here
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(programs, "_is_written_here", written_here)
        yield


@pytest.fixture(scope="module", autouse=True)
def few_compiled_programs() -> Iterator[None]:
    """Every compiled program holds mapped memory, of which Linux allows a process 65,530 pieces; beyond them the
    compiler crashes. So what has been compiled is forgotten in time."""
    yield
    maps = Path("/proc/self/maps")
    if maps.is_file() and maps.read_bytes().count(b"\n") > MOST_MAPS:
        from swarmbed.evaluation import episodes

        episodes._program.cache_clear()
        jax.clear_caches()
        gc.collect()


@pytest.fixture
def unchecked_types(monkeypatch: pytest.MonkeyPatch) -> None:
    """Annotations are not checked while a test runs, as for everybody else: wrong arguments reach the functions."""
    monkeypatch.setattr(jaxtyping.config, "jaxtyping_disable", True)


@pytest.fixture
def float64() -> Iterator[None]:
    """Double precision for one test."""
    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="session")
def quick_jit() -> Callable[..., Any]:
    """jax.jit, tuned for a short compilation: most functions are run a few times only."""
    from swarmbed.compute import compiling  # after the import hook above

    return functools.partial(jax.jit, compiler_options=compiling.once())


@pytest.fixture(scope="session")
def compiled(quick_jit: Callable[..., Any]) -> Callable[[object, str], Any]:
    """``compiled(task, "observe")`` is that method, compiled once for all tests."""
    return functools.cache(lambda spec, method: quick_jit(getattr(spec, method)))


@pytest.fixture(scope="module")
def short_compilations(quick_jit: Any) -> Iterator[None]:
    """For tests that compile many small functions and run each once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jax, "jit", quick_jit)
        yield


@pytest.fixture
def plugins_leave_no_trace() -> Iterator[None]:
    """What a test registers is gone after it: the registry belongs to the process."""
    from swarmbed.spec import registry  # after the import hook above

    before = {family.folder: dict(family.all()) for family in registry.FAMILIES}
    yield
    for family in registry.FAMILIES:
        family.members.clear()
        family.members.update(before[family.folder])
