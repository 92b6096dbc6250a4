"""Small pieces of C99: numbers, arrays, fully connected layers."""

import numpy as np
from numpy.typing import ArrayLike

PER_LINE = 8

ACTIVATIONS = {
    "relu": "({0} > 0.0f ? {0} : 0.0f)",
    "tanh": "tanhf({0})",
    "elu": "({0} > 0.0f ? {0} : expm1f({0}))",
}


def number(value: float) -> str:
    """A float literal with all significant digits: compiling it restores the same 32 bits."""
    return f"{np.float32(value)}f"


def array(name: str, values: ArrayLike) -> list[str]:
    """``static const float name[n] = {…};``"""
    flat = np.asarray(values, np.float32).reshape(-1)
    rows = [flat[start : start + PER_LINE] for start in range(0, flat.size, PER_LINE)]
    body = [f"    {', '.join(f'{value}f' for value in row)}," for row in rows]
    return [f"static const float {name}[{flat.size}] = {{", *body, "};"]


def dense(weight: str, bias: str, source: str, target: str, inputs: int, outputs: int) -> list[str]:
    """target = source · W + b. The inner loop runs over neighbouring numbers, which compilers turn into vectors."""
    return [
        f"for (int k = 0; k < {outputs}; k++) {target}[k] = {bias}[k];",
        f"for (int i = 0; i < {inputs}; i++)",
        f"    for (int k = 0; k < {outputs}; k++) {target}[k] += {source}[i] * {weight}[{outputs} * i + k];",
    ]


def activate(name: str, target: str, size: int) -> str:
    expression = ACTIVATIONS[name].format(f"{target}[k]")
    return f"for (int k = 0; k < {size}; k++) {target}[k] = {expression};"


def indented(lines: list[str], levels: int = 1) -> list[str]:
    return [f"{'    ' * levels}{line}" if line else line for line in lines]


def comment(lines: list[str]) -> list[str]:
    """A block comment in plain ASCII that no text inside can end."""
    safe = [line.replace("²", "^2").replace("*/", "* /").replace("/*", "/ *") for line in lines]
    plain = [line.encode("ascii", "replace").decode() for line in safe]
    return ["/*", *(f" * {line}".rstrip() for line in plain), " */"]
