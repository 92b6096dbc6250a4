"""The built-in embeddings in C99: each writes the statements that fill ``out`` from ``count`` elements of a set."""

from collections.abc import Callable
from math import pi
from typing import Any, NamedTuple

import numpy as np

from swarmbed.embeddings.base import Embedding, Params
from swarmbed.embeddings.concatenation import Concatenation
from swarmbed.embeddings.histogram import Histogram
from swarmbed.embeddings.moments import SMALLEST_DEVIATION, Moments
from swarmbed.embeddings.neural import Neural
from swarmbed.embeddings.rbf import Rbf
from swarmbed.export.c_text import activate, array, dense, indented, number


class Block(NamedTuple):
    """``tables`` declare constants, ``code`` computes; ``size`` numbers are written to ``out``.

    The code may use ``count`` (elements), ``elements`` (their first number) and ``out``.
    """

    tables: list[str]
    code: list[str]
    size: int


def block_for(embedding: Embedding, params: Params, features: int, slots: int) -> Block | None:
    """The statements of a built-in embedding; None for any other one."""
    writer = _WRITERS.get(type(embedding))
    return None if writer is None else writer(embedding, params, features, slots)


def _neural(embedding: Neural, params: Params, features: int, slots: int) -> Block:
    tables: list[str] = []
    phi: list[str] = []
    source, inputs = "element", features
    for index, layer in enumerate(params):
        outputs = layer["bias"].shape[0]
        tables += [*array(f"weight{index}", layer["weight"]), *array(f"bias{index}", layer["bias"])]
        phi += [f"float phi{index}[{outputs}];"]
        phi += dense(f"weight{index}", f"bias{index}", source, f"phi{index}", inputs, outputs)
        phi += [activate(embedding.activation, f"phi{index}", outputs)]
        source, inputs = f"phi{index}", outputs
    pool = {"mean": _mean, "softmax": _softmax, "max": _maximum}[embedding.pooling]
    before, inside, after = pool(source, inputs, embedding)
    code = [*before, *_zero(inputs), *_for_each(features, [*phi, *inside]), *after]
    return Block(tables, code, inputs)


Pooling = tuple[list[str], list[str], list[str]]


def _mean(phi: str, size: int, embedding: Neural) -> Pooling:
    return [], [f"for (int k = 0; k < {size}; k++) out[k] += {phi}[k];"], _divided(size)


def _maximum(phi: str, size: int, embedding: Neural) -> Pooling:
    better = f"if (e == 0 || {phi}[k] > out[k]) out[k] = {phi}[k];"
    return [], [f"for (int k = 0; k < {size}; k++)", f"    {better}"], []


def _softmax(phi: str, size: int, embedding: Neural) -> Pooling:
    """In one pass: whenever a larger exponent comes along, what was summed so far shrinks accordingly."""
    inside = [
        f"for (int k = 0; k < {size}; k++) {{",
        f"    const float exponent = {number(embedding.temperature)} * {phi}[k];",
        "    if (e == 0 || exponent > largest[k]) {",
        "        const float kept = e == 0 ? 0.0f : expf(largest[k] - exponent);",
        "        total[k] = total[k] * kept + 1.0f;",
        f"        out[k] = out[k] * kept + {phi}[k];",
        "        largest[k] = exponent;",
        "    } else {",
        "        const float share = expf(exponent - largest[k]);",
        "        total[k] += share;",
        f"        out[k] += share * {phi}[k];",
        "    }",
        "}",
    ]
    before = [f"float total[{size}] = {{0.0f}}, largest[{size}] = {{0.0f}};"]
    return before, inside, ["if (count > 0)", f"    for (int k = 0; k < {size}; k++) out[k] /= total[k];"]


def _histogram(embedding: Histogram, params: Params, features: int, slots: int) -> Block:
    bins, dimensions = embedding.bins, 1 + embedding.angles
    shares = ["const float share0 = element[0];"]
    for which in range(embedding.angles):
        angle = f"({_angle(which)} + {number(pi)}) / {number(2 * pi)}"
        shares += [f"const float share{which + 1} = {angle};"]
    find = []
    for dimension in range(dimensions):
        # Compared as floats before the cast: a number that does not fit an int must not get there.
        find += [
            f"const float floor{dimension} = floorf(share{dimension} * {number(bins)});",
            f"const int bin{dimension} = floor{dimension} > 0.0f ? "
            f"(floor{dimension} < {number(bins - 1)} ? (int)floor{dimension} : {bins - 1}) : 0;",
        ]
    inside = [*shares, *find, f"out[{_place([f'bin{d}' for d in range(dimensions)], bins)}] += 1.0f;"]
    size = bins**dimensions
    return Block([], [*_zero(size), *_for_each(features, inside), *_divided(size)], size)


def _rbf(embedding: Rbf, params: Params, features: int, slots: int) -> Block:
    centres, dimensions = embedding.centres, 1 + embedding.angles
    tables = array("distance_centres", np.linspace(0.0, 1.0, centres, dtype=np.float32))
    tables += array("angle_centres", -pi + 2 * pi / centres * np.arange(centres))
    inside = [f"float {', '.join(f'bump{d}[{centres}]' for d in range(dimensions))};"]
    inside += [f"const float angle{which} = {_angle(which)};" for which in range(embedding.angles)]
    bumps = [f"const float off0 = (element[0] - distance_centres[m]) / {number(embedding.distance_width)};"]
    bumps += ["bump0[m] = expf(-0.5f * off0 * off0);"]
    for d in range(1, dimensions):
        turn = number(2 * pi)
        bumps += [
            f"float off{d} = angle{d - 1} - angle_centres[m];",
            f"off{d} = (off{d} - {turn} * rintf(off{d} / {turn})) / {number(embedding.angle_width)};",
            f"bump{d}[m] = expf(-0.5f * off{d} * off{d});",
        ]
    inside += [f"for (int m = 0; m < {centres}; m++) {{", *indented(bumps), "}"]
    letters = "abc"[:dimensions]
    for depth, letter in enumerate(letters):
        inside += indented([f"for (int {letter} = 0; {letter} < {centres}; {letter}++)"], depth)
    product = " * ".join(f"bump{d}[{letter}]" for d, letter in enumerate(letters))
    inside += indented([f"out[{_place(list(letters), centres)}] += {product};"], dimensions)
    size = centres**dimensions
    return Block(tables, [*_zero(size), *_for_each(features, inside), *_divided(size)], size)


def _moments(embedding: Moments, params: Params, features: int, slots: int) -> Block:
    f, order = features, embedding.order
    every = f"for (int i = 0; i < {f}; i++)"
    code = [*_zero(order * f), *_for_each(f, [f"{every} out[i] += element[i];"]), *_divided(f)]
    if order >= 2:
        square = [f"{every} {{", "    const float centred = element[i] - out[i];"]
        square += [f"    out[{f} + i] += centred * centred;", "}"]
        smallest = number(SMALLEST_DEVIATION**2)
        code += [*_for_each(f, square), *_divided(f, start=f)]
        code += [f"{every} out[{f} + i] = out[{f} + i] > {smallest} ? sqrtf(out[{f} + i]) : 0.0f;"]
    if order >= 3:
        higher = [f"{every} {{", f"    const float deviation = out[{f} + i];"]
        higher += ["    const float scaled = deviation > 0.0f ? (element[i] - out[i]) / deviation : 0.0f;"]
        higher += [f"    out[{2 * f} + i] += scaled * scaled * scaled;"]
        higher += [f"    out[{3 * f} + i] += scaled * scaled * scaled * scaled;"] if order == 4 else []
        code += [*_for_each(f, [*higher, "}"]), *_divided((order - 2) * f, start=2 * f)]
    return Block([], code, order * f)


def _concatenation(embedding: Concatenation, params: Params, features: int, slots: int) -> Block:
    tables = [*array("weight", params["weight"]), *array("bias", params["bias"])]
    units = embedding.units
    code = [
        f"const int numbers = {features} * (count < {slots} ? count : {slots});",
        f"for (int k = 0; k < {units}; k++) out[k] = bias[k];",
        "for (int i = 0; i < numbers; i++)",
        f"    for (int k = 0; k < {units}; k++) out[k] += elements[i] * weight[{units} * i + k];",
        activate("relu", "out", units),
    ]
    return Block(tables, code, units)


_WRITERS: dict[type, Callable[[Any, Params, int, int], Block]] = {
    Neural: _neural,
    Histogram: _histogram,
    Rbf: _rbf,
    Moments: _moments,
    Concatenation: _concatenation,
}


def _for_each(features: int, inside: list[str]) -> list[str]:
    first = f"const float *element = elements + {features} * e;"
    return ["for (int e = 0; e < count; e++) {", *indented([first, *inside]), "}"]


def _zero(size: int) -> list[str]:
    return [f"for (int k = 0; k < {size}; k++) out[k] = 0.0f;"]


def _divided(size: int, start: int = 0) -> list[str]:
    return ["if (count > 0)", f"    for (int k = {start}; k < {start + size}; k++) out[k] /= (float)count;"]


def _angle(which: int) -> str:
    """The angle from its cosine and sine; 0 where both are 0, as for two agents on one spot."""
    cos, sin = f"element[{1 + 2 * which}]", f"element[{2 + 2 * which}]"
    return f"({cos} != 0.0f || {sin} != 0.0f ? atan2f({sin}, {cos}) : 0.0f)"


def _place(indices: list[str], size: int) -> str:
    """Row-major position: (i · size + j) · size + k."""
    place = indices[0]
    for index in indices[1:]:
        place = f"({place}) * {size} + {index}"
    return place
