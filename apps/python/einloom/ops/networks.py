"""What networks are made of: softmax and norms as the graph has them, one-hot vectors, lookups."""
from __future__ import annotations

from typing import Any, List

import numpy as np

from ..array import Array, as_array
from ..checked import by_axis
from ..dtypes import kind, name_of
from ..errors import refuse
from ..node import Op
from .indexing import take
from .operands import normalized_axes


@by_axis
def softmax(x: Any, axis: Any = -1) -> Array:
    """exp(x) divided by its sum over an axis, computed without overflow.

    >>> import einloom as el
    >>> el.softmax(el.input("S", (3, 4)), axis=1).shape
    (3, 4)
    """
    return _over_axes("softmax", [x], axis)


@by_axis
def log_softmax(x: Any, axis: Any = -1) -> Array:
    """The logarithm of softmax."""
    return _over_axes("log_softmax", [x], axis)


def rms_norm(x: Any, scale: Any = None, axis: Any = -1, eps: float = 1e-5) -> Array:
    """x*rsqrt(mean(x^2) + eps)*scale over axes."""
    return _over_axes("rms_norm", [x] if scale is None else [x, scale], axis, eps=eps)


def layer_norm(x: Any, scale: Any = None, bias: Any = None, axis: Any = -1, eps: float = 1e-5) -> Array:
    """(x - mean)*rsqrt(var + eps)*scale + bias over axes."""
    if scale is None and bias is not None:
        raise refuse("layer_norm", "a scale beside the bias", "none", "give a scale of ones")
    return _over_axes("layer_norm", [one for one in (x, scale, bias) if one is not None], axis, eps=eps)


def _over_axes(op: str, given: List[Any], axis: Any, **attributes: Any) -> Array:
    nodes = [as_array(one).node for one in given]
    axes = normalized_axes(axis, len(nodes[0].shape), op)
    dtype = nodes[0].dtype if kind(nodes[0].dtype) in "fc" else "f64"
    return Array(Op(op, nodes, nodes[0].shape, dtype, axes=list(axes), **attributes))


def one_hot(indices: Any, depth: int, axis: int = -1, dtype: Any = np.float64) -> Array:
    """1 at each index along a new axis; an index out of range gives zeros."""
    node = as_array(indices).node
    if kind(node.dtype) not in "iu":
        raise refuse("one_hot", "whole numbers", f"{node.dtype}", "convert with .astype(int)")
    place = normalized_axes(axis, len(node.shape) + 1, "one_hot")[0]
    shape = node.shape[:place] + (depth,) + node.shape[place:]
    wanted = name_of(dtype)
    return Array(Op("one_hot", [node], shape, wanted, depth=depth, dtype=wanted,
                    **({} if place == len(node.shape) else {"axis": place})))


def gather(x: Any, indices: Any, axis: int = 0) -> Array:
    """The slices of x at indices along an axis, as `take`."""
    return take(x, indices, axis=axis)


def bincount(x: Any, weights: Any = None, minlength: int = 0) -> Array:
    """How often each whole number below `minlength` comes, or the sum of its weights."""
    if minlength == 0:
        raise refuse("bincount", "a minlength", "none", "say how many numbers there are: shapes do not follow elements")
    marks = one_hot(x, minlength, dtype=np.int64)
    return marks.sum(axis=0) if weights is None else as_array(weights) @ marks.astype(as_array(weights).dtype)
