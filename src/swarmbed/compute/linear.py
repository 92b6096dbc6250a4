"""A linear function whose transpose is written by hand, and which can be vmapped.

jax.custom_derivatives has a ``linear_call`` that does the same but cannot be vmapped, and learners are vmapped over
seeds. Reverse-mode differentiation pulls a cotangent back through the transpose of the tangent map; where the
compiler's own transpose is slow, this provides a better one.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

# (residuals, x) → y, linear in x. It must be hashable, as module-level functions and partials of specs are.
Linear = Callable[[Any, Array], Array]


def linear_call(forward: Linear, transpose: Linear, residuals: Any, x: Array) -> Array:
    """forward(residuals, x), whose transpose in x is transpose(residuals, y)."""
    leaves, structure = jax.tree.flatten(residuals)
    result: Array = _primitive.bind(*leaves, x, forward=forward, transpose=transpose, structure=structure)
    return result


@dataclass(frozen=True)
class _Batched:
    """A linear function for a batch: axes of the residuals' leaves (None: the same for all); x leads with it."""

    function: Linear
    axes: tuple[int | None, ...]

    def __call__(self, residuals: Any, x: Array) -> Array:
        leaves, structure = jax.tree.flatten(residuals)
        one = lambda *arrays: self.function(jax.tree.unflatten(structure, arrays[:-1]), arrays[-1])  # noqa: E731
        return jax.vmap(one, (*self.axes, 0))(*leaves, x)


def _evaluate(*arrays: Any, forward: Linear, transpose: Linear, structure: Any) -> Array:
    return forward(jax.tree.unflatten(structure, arrays[:-1]), arrays[-1])


def _shape(*arrays: Any, **parameters: Any) -> Any:
    shapes = [jax.ShapeDtypeStruct(array.shape, array.dtype) for array in arrays]
    result = jax.eval_shape(lambda *a: _evaluate(*a, **parameters), *shapes)
    return jax.core.ShapedArray(result.shape, result.dtype)


def _differentiate(primals: Any, tangents: Any, **parameters: Any) -> tuple[Any, Any]:
    *residuals, _ = primals
    *residual_tangents, x_tangent = tangents
    if any(type(tangent) is not ad.Zero for tangent in residual_tangents):
        raise TypeError("a linear_call cannot be differentiated with respect to its residuals")
    value = _primitive.bind(*primals, **parameters)
    if type(x_tangent) is ad.Zero:
        return value, ad.Zero(jax.typeof(value).to_tangent_aval())
    return value, _primitive.bind(*residuals, x_tangent, **parameters)


def _pull_back(cotangent: Any, *arrays: Any, forward: Linear, transpose: Linear, structure: Any) -> list[Any]:
    *residuals, x = arrays
    if type(cotangent) is ad.Zero:
        return [*(None for _ in residuals), ad.Zero(x.aval)]
    pulled = _primitive.bind(*residuals, cotangent, forward=transpose, transpose=forward, structure=structure)
    return [*(None for _ in residuals), pulled]


def _batch(arrays: Any, axes: Any, *, forward: Linear, transpose: Linear, structure: Any) -> tuple[Any, int]:
    *residuals, x = arrays
    *residual_axes, x_axis = axes  # None: not mapped
    size = next(array.shape[axis] for array, axis in zip(arrays, axes, strict=True) if axis is not None)
    x = jnp.broadcast_to(x, (size, *x.shape)) if x_axis is None else jnp.moveaxis(x, x_axis, 0)
    forward, transpose = (_Batched(function, tuple(residual_axes)) for function in (forward, transpose))
    return _primitive.bind(*residuals, x, forward=forward, transpose=transpose, structure=structure), 0


_primitive = Primitive("swarmbed_linear_call")
_primitive.def_impl(_evaluate)
_primitive.def_abstract_eval(_shape)
ad.primitive_jvps[_primitive] = _differentiate
ad.primitive_transposes[_primitive] = _pull_back
batching.primitive_batchers[_primitive] = _batch
mlir.register_lowering(_primitive, mlir.lower_fun(_evaluate, multiple_results=False))
