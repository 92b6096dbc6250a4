"""All elements side by side, in index order: the baseline without an embedding."""

from dataclasses import dataclass
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array
from jaxtyping import Bool, Float, PRNGKeyArray

from swarmbed.embeddings.base import Embedding, Params, clear, column_normalised
from swarmbed.spec.errors import SwarmbedError
from swarmbed.spec.observation import SetLayout
from swarmbed.spec.settings import setting


@dataclass(frozen=True)
class Concatenation(Embedding):
    """The others in index order, the agent itself left out, through one layer of ReLU units.

    For one size of swarm, in which every agent always sees all others: its own slot is known by being empty.
    """

    permutation_invariant: ClassVar[bool] = False
    any_number_of_slots: ClassVar[bool] = False
    invariant_to_duplication: ClassVar[bool] = False

    units: int = setting(64, "units of the layer that reads the concatenated set", at_least=1)

    def check(self, layout: SetLayout) -> None:
        if layout.may_have_gaps or not layout.is_ordered:
            raise SwarmbedError(
                "concatenation needs a task in which every agent always sees all others, without comm_radius, "
                "loss_rate, join_rate, message_loss and blind_angle and with stopped_seen (a task of your own says so "
                "with everybody_is_seen = True); use another embedding here"
            )

    def prepare(self, layout: SetLayout, elements: Float[Array, "B S F"], mask: Bool[Array, "B S"]) -> Array:
        elements = clear(elements, mask)
        if layout.includes_self:
            # The agent's own slot is the first absent one, which ``check`` sees to; all after it move up by one.
            own = jnp.argmin(mask, axis=1)
            before = jnp.arange(layout.slots - 1)[None, :] < own[:, None]
            elements = jnp.where(before[..., None], elements[:, :-1], elements[:, 1:])
        return elements.reshape(elements.shape[0], -1)

    def init(self, layout: SetLayout, key: PRNGKeyArray) -> Params:
        inputs = (layout.slots - layout.includes_self) * layout.features
        return {"weight": column_normalised(key, inputs, self.units), "bias": jnp.zeros(self.units)}

    def apply(self, params: Params, prepared: Float[Array, "B I"]) -> Float[Array, "B K"]:
        return jax.nn.relu(prepared @ params["weight"] + params["bias"])
