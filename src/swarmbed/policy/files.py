"""Policy files: one safetensors file with the weights, and the settings as TOML in its header."""

import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

from swarmbed.algorithms.base import PolicyParams
from swarmbed.embeddings.base import Embedding
from swarmbed.networks.base import Network, as_network
from swarmbed.policy.policy import Policy
from swarmbed.spec import config, files, registry
from swarmbed.spec.errors import SwarmbedError
from swarmbed.tasks.base import Task

FORMAT = "swarmbed-policy-2"
EARLIER = ("swarmbed-policy-1",)


def save_policy(policy: Policy, path: Path, notes: dict[str, str] | None = None) -> None:
    """Write a policy; ``notes`` go into the header."""
    metadata = {"format": FORMAT, "config": config.dump(config.to_sections(policy.specs)), **(notes or {})}
    files.save_arrays(path, files.tree_to_arrays(policy.params), metadata)


def load_policy_file(path: Path) -> Policy:
    """Read a policy; a file that is missing, damaged or of another kind is an error."""
    arrays, metadata = files.load_arrays(path)
    task, embedding, network = _parts(path, metadata)
    if metadata["format"] in EARLIER:
        arrays = {modern_name(name): value for name, value in arrays.items()}
    template = _template(path, task, embedding, network)
    params = files.arrays_to_tree(template, arrays, f"file {path}")
    for name, value in files.tree_to_arrays(params).items():
        if not np.isfinite(value).all():
            raise SwarmbedError(f"file {path} holds weights that are not finite numbers, in {name}")
    return Policy(task, embedding, params, network)


def _template(path: Path, task: Task, embedding: Embedding, network: Network) -> PolicyParams:
    """The shapes of the weights that the settings in a header ask for."""
    # Earlier versions trained concatenation where others can be out of sight; such a policy loads, but does not run.
    sets = tuple(each._replace(may_have_gaps=False) for each in task.layout.sets)
    try:
        model = network.model(task.layout._replace(sets=sets), embedding, task.action_size)
        return jax.eval_shape(lambda: PolicyParams(model.init(jax.random.key(0)), jnp.zeros(task.action_size)))
    except SwarmbedError as error:
        raise SwarmbedError(f"the header of {path} does not describe a valid policy: {error}") from error
    except (TypeError, ValueError, OverflowError, ZeroDivisionError) as error:
        # Settings that are valid one by one but not together, such as sizes whose product no array can have.
        reason = next(iter(str(error).splitlines()), type(error).__name__)
        raise SwarmbedError(f"the header of {path} does not describe a valid policy: {reason[:200]}") from error


def load_outline(path: Path) -> Policy:
    """A policy without its weights: enough to know what it was trained on and what it fits, and much faster."""
    task, embedding, network = _parts(path, files.load_arrays(path)[1])
    return Policy(task, embedding, PolicyParams({}, jnp.zeros(task.action_size)), network)


def _parts(path: Path, metadata: dict[str, str]) -> tuple[Task, Embedding, Network]:
    """What a policy file's header says that the policy is made of."""
    if metadata.get("format") not in (FORMAT, *EARLIER):
        raise SwarmbedError(f"file {path} is not a policy that this version of swarmbed can read ({FORMAT})")
    if "config" not in metadata:
        raise SwarmbedError(f"the header of {path} is damaged: it has no settings")
    settings = config.parse(metadata["config"], f"the header of {path}")
    missing = [section for section in ("task", "embedding") if "name" not in settings.get(section, {})]
    if missing:
        raise SwarmbedError(f"the header of {path} is damaged: it does not name the {missing[0]}")
    for family in (registry.tasks, registry.embeddings, registry.networks):
        name = settings.get(family.kind, {}).get("name", config.DEFAULTS[family.kind])
        if name not in family.names():
            raise SwarmbedError(
                f"file {path} was trained with the {family.kind} {name!r}, which is not part of swarmbed; load the "
                "file that defines it with --plugin FILE.py or, in Python, swarmbed.register(the class)"
            )
    try:
        task, embedding = config.spec_from(settings, "task"), config.spec_from(settings, "embedding")
        return task, embedding, as_network(config.spec_from(settings, "network"))
    except SwarmbedError as error:
        raise SwarmbedError(f"the header of {path} is wrong: {error}") from error


def modern_name(name: str) -> str:
    """Arrays were called ``head.layer0.weight`` in the first format; layers and sets are just numbered now."""
    return re.sub(r"\b(?:layer|set)(\d+)\b", r"\1", name)
