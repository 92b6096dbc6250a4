"""A policy as one C99 header with one function: for one agent and any number of neighbours, weights included.

This is what goes onto a robot: no heap, no threads, no files, nothing but the standard library's mathematics.
"""

import re
from collections.abc import Sequence
from functools import cache

import jax
import numpy as np

from swarmbed.compute.c_compiler import find_compiler
from swarmbed.export.c_compile import Compiled, compile_header
from swarmbed.export.c_embeddings import Block, block_for
from swarmbed.export.c_text import activate, array, comment, dense, indented
from swarmbed.export.description import Column, Description
from swarmbed.export.function import Exported, Run, check_weights
from swarmbed.networks.base import Params
from swarmbed.networks.perceptron import Perceptron
from swarmbed.spec import registry
from swarmbed.spec.errors import SwarmbedError


def convert(made: Exported, name: str) -> bytes:
    """The header's text; ``name`` becomes the function's, as ``name_act``."""
    check_weights(made)
    _check_network(made)
    params = jax.tree.map(np.asarray, made.policy.params.network)
    description, blocks = made.description, _blocks(made, params)
    symbol = identifier(name)
    guard = f"{symbol.upper()}_H"
    body = _body(params, description, blocks)
    # <math.h> only where something of it is used; most policies need none of it, and no -lm either.
    uses_math = re.search(r"\b(exp|expm1|tanh|atan2|sqrt|floor|rint)f\(", "\n".join(body))
    lines = [
        *comment(_preface(symbol, description, bool(uses_math))),
        f"#ifndef {guard}",
        f"#define {guard}",
        "",
        *(["#include <math.h>", ""] if uses_math else []),
        f"static inline void {symbol}_act({', '.join(_parameters(description))})",
        "{",
        *indented(body),
        "}",
        "",
        "#endif",
    ]
    return ("\n".join(lines) + "\n").encode("ascii")


def open_model(made: Exported, content: bytes) -> Run | None:
    """The header, compiled here; None without a compiler."""
    compiler = find_compiler()
    if compiler is None:
        return None
    compiled = compile_header(compiler, content.decode("ascii"))

    def run(arrays: Sequence[np.ndarray]) -> np.ndarray:
        return np.stack([_one(compiled, made, [array[row] for array in arrays]) for row in range(len(arrays[0]))])

    return run


def _one(compiled: Compiled, made: Exported, arrays: list[np.ndarray]) -> np.ndarray:
    """One agent: the elements that are present, or all of them, with zeros for absent ones, where order matters."""
    local = arrays[:1] if made.layout.local else []
    sets = []
    for index in range(len(made.layout.sets)):
        elements, mask = arrays[len(local) + 2 * index : len(local) + 2 * index + 2]
        sets.append(elements[mask] if made.any_number_of_slots else np.where(mask[:, None], elements, np.float32(0)))
    return compiled.act(local, sets, len(made.description.action))


def identifier(name: str) -> str:
    """A name that C accepts."""
    words = re.sub(r"\W+", "_", name, flags=re.ASCII).strip("_")
    return words if words[:1].isalpha() else f"policy_{words}".rstrip("_")


@cache
def built_in() -> str:
    return ", ".join(n for n, c in registry.embeddings.all().items() if c.__module__.startswith("swarmbed.embeddings"))


def _check_network(made: Exported) -> None:
    """Only a network whose layers are known can be written layer by layer."""
    if type(made.policy.network) is not Perceptron:
        name = registry.networks.name_of(made.policy.network)
        raise SwarmbedError(f"format c knows only the network 'perceptron', not {name!r}; use onnx or stablehlo")


def _blocks(made: Exported, params: Params) -> list[Block]:
    blocks = []
    for index, layout in enumerate(made.layout.sets):
        block = block_for(made.policy.embedding, params["embeddings"][index], layout.features, layout.slots)
        if block is None:
            name = registry.embeddings.name_of(made.policy.embedding)
            raise SwarmbedError(
                f"format c knows only the built-in embeddings ({built_in()}), not {name!r}; use onnx or stablehlo"
            )
        blocks.append(block)
    return blocks


def _parameters(description: Description) -> list[str]:
    local = ["const float *local"] if description.local else []
    sets = [f"int {name}_count, const float *{name}" for name in description.set_names]
    return [*local, *sets, "float *action"]


def _body(params: Params, description: Description, blocks: list[Block]) -> list[str]:
    """Embeddings and local properties side by side in ``joined``, then the head."""
    width = sum(block.size for block in blocks) + len(description.local)
    lines, start = [f"float joined[{width}];"], 0
    for name, block in zip(description.set_names, blocks, strict=True):
        given = [
            f"const int count = {name}_count;",
            f"const float *elements = {name};",
            f"float *out = joined + {start};",
        ]
        lines += [f"{{ /* {name} */", *indented([*block.tables, *given, *block.code]), "}"]
        start += block.size
    if description.local:
        count = len(description.local)
        lines += [f"for (int i = 0; i < {count}; i++) joined[{start} + i] = local[i];"]
    source, head = "joined", params["head"]
    for index, layer in enumerate(head):
        inputs, outputs = layer["weight"].shape
        is_last = index == len(head) - 1
        target = "action" if is_last else f"hidden{index}"
        weight, bias = f"head_weight{index}", f"head_bias{index}"
        lines += [*array(weight, layer["weight"]), *array(bias, layer["bias"])]
        lines += [] if is_last else [f"float {target}[{outputs}];"]
        lines += dense(weight, bias, source, target, inputs, outputs)
        lines += [] if is_last else [activate("relu", target, outputs)]
        source = target
    return lines


def _preface(symbol: str, description: Description, uses_math: bool) -> list[str]:
    """The comment to read before connecting it to sensors and motors."""
    lines = [description.summary + ".", "", "One call is one decision of one agent. All numbers are 32-bit floats.", ""]
    names = ["local"] if description.local else []
    names += [f"{name}_count, {name}" for name in description.set_names]
    lines += [f"    {symbol}_act({', '.join([*names, 'action'])});", ""]
    if description.local:
        lines += [f"local: {len(description.local)} numbers", *_table(description.local), ""]
    for name, columns, slots in description.sets:
        if slots is None:
            how = "any number of elements, in any order; count may be 0"
        else:
            how = f"{slots} elements in the order of training; all zeros for one that is absent"
        lines += [f"{name}: {how}; element e starts at {name}[{len(columns)} * e]", *_table(columns), ""]
    lines += [
        f"action: {len(description.action)} numbers, written by the function. They are the mean action, in units of"
    ]
    lines += [
        "[-1, 1], before clipping: clip them to [-1, 1], then multiply by the limit.",
        *_table(description.action),
    ]
    if description.control_seconds is not None:
        lines += [
            "",
            f"It was trained to decide every {description.control_seconds:.6g} s and to hold the action in between.",
        ]
    lines += ["", "C99 or C++. Link with -lm." if uses_math else "C99 or C++. Needs no library.", ""]
    return [*lines, "Settings of its training:", *(f"    {line}" for line in description.config.splitlines() if line)]


def _table(columns: tuple[Column, ...]) -> list[str]:
    width = max(len(column.name) for column in columns)
    return [f"    [{i}] {column.name:<{width}}  {column.meaning}" for i, column in enumerate(columns)]
