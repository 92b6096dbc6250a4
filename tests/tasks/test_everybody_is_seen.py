"""Whether agents always see all others: what a task says about it, and what they see."""

from typing import Any

import jax
import numpy as np

from swarmbed.tasks import make
from swarmbed.tasks.disturbances.settings import HIDING, KINDS

AGENTS = 4
# All that hides nobody, strong enough to show at once.
DISTURBED: dict[str, Any] = {kind.name: kind.sweep[-1] for kind in KINDS if kind.name not in HIDING}


def test_disturbances_that_hide_nobody_leave_all_others_in_every_set(quick_jit: Any) -> None:
    task = make("rendezvous", num_agents=AGENTS, stop_time=0.0, **DISTURBED)

    def second_look(key: Any) -> Any:
        _, state = task.reset(key)
        return task.step(key, state, task.sample_action(key)).observation.sets[0].mask

    assert task.everybody_is_seen
    masks = np.asarray(quick_jit(jax.vmap(second_look))(jax.random.split(jax.random.key(0), 8)))
    assert (masks == ~np.eye(AGENTS, dtype=bool)).all()
