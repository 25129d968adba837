"""Aggregations over axes: sums, means, extremes and where they are, norms and running sums."""
from __future__ import annotations

from typing import Any, Optional

from ..array import Array, as_array
from ..dtypes import kind, name_of, reduced_type
from ..errors import refuse
from ..expression import Call, Index, Number, Operand
from ..node import Ein, Node, Op
from ..sources import zeros
from .operands import letters, mapped, normalized_axes, normalized_axis


def reduced(agg: str, x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Array:
    """One aggregation over axes (all, where None is given), as one EinSum."""
    node = as_array(x).node
    axes = normalized_axes(axis, len(node.shape), agg)
    labels = letters(len(node.shape))
    if agg in ("min", "max", "argmin", "argmax") and any(node.shape[one] == 0 for one in axes):
        raise refuse(agg, "at least one element", f"shape {node.shape}", "a least of nothing is not defined")
    kept = tuple(label for position, label in enumerate(labels) if position not in axes)
    found = name_of(dtype) if dtype is not None else reduced_type(agg, node.dtype)
    if not axes:
        return _of_single_elements(agg, node, found)
    sizes = dict(zip(labels, node.shape))
    result = Array(Ein([(node, labels)], kept, found, sizes, agg=agg))
    return _with_axes(result, labels, axes) if keepdims else result


def _of_single_elements(agg: str, node: Node, dtype: str) -> Array:
    """An aggregation over no axes at all."""
    x = Operand(0)
    trees = {"any": Call("!=", (x, Number(0))), "count": Call("!=", (x, Number(0))), "norm": Call("abs", (x,)),
             "var": Call("-", (x, x)), "std": Call("-", (x, x))}
    trees["all"] = trees["any"]
    if agg in ("argmin", "argmax"):
        return zeros(node.shape, "i64")
    return mapped(trees.get(agg, Call(f"cast_{dtype}", (x,))), [node], dtype, agg)


def _with_axes(result: Array, labels: Any, axes: Any) -> Array:
    """The reduced axes come back with extent 1."""
    kept = tuple(label for position, label in enumerate(labels) if position not in axes)
    sizes = {label: 1 for label in labels}
    sizes.update(zip(kept, result.shape))
    return Array(Ein([(result.node, kept)], labels, result.node.dtype, sizes))


def _reduction(agg: str) -> Any:
    def function(x: Any, axis: Any = None, keepdims: bool = False, dtype: Any = None) -> Array:
        return reduced(agg, x, axis, keepdims, dtype)

    function.__name__ = function.__qualname__ = agg
    function.__doc__ = f"`{agg}` over `axis` (a number, several, or None for all); `keepdims` leaves extents of 1."
    return function


FUNCTIONS = {agg: _reduction(agg) for agg in "sum prod min max any all mean logsumexp".split()}
FUNCTIONS.update(amin=FUNCTIONS["min"], amax=FUNCTIONS["max"])


def var(x: Any, axis: Any = None, keepdims: bool = False, ddof: float = 0, correction: Optional[float] = None) -> Array:
    """The variance; divided by the number of elements less `ddof` (the array API's `correction`).

    >>> import einloom as el
    >>> el.var(el.input("X", (3, 4)), axis=0, keepdims=True).shape
    (1, 4)
    """
    return _spread("var", x, axis, keepdims, ddof if correction is None else correction)


def std(x: Any, axis: Any = None, keepdims: bool = False, ddof: float = 0, correction: Optional[float] = None) -> Array:
    """The root of the variance."""
    return _spread("std", x, axis, keepdims, ddof if correction is None else correction)


def _spread(agg: str, x: Any, axis: Any, keepdims: bool, ddof: float) -> Array:
    if ddof == 0:
        return reduced(agg, x, axis, keepdims)
    node = as_array(x).node
    axes = normalized_axes(axis, len(node.shape), agg)
    shape = [1 if position in axes else extent for position, extent in enumerate(node.shape)]
    if not keepdims:
        shape = [extent for position, extent in enumerate(shape) if position not in axes]
    return Array(Op(agg, [node], shape, reduced_type(agg, node.dtype), axes=list(axes), ddof=ddof,
                    **({"keepdims": True} if keepdims else {})))


def argmax(x: Any, axis: Optional[int] = None, keepdims: bool = False) -> Array:
    """The index of the first largest element along an axis, or in the flattened array."""
    return _position("argmax", x, axis, keepdims)


def argmin(x: Any, axis: Optional[int] = None, keepdims: bool = False) -> Array:
    """The index of the first least element along an axis, or in the flattened array."""
    return _position("argmin", x, axis, keepdims)


def _position(agg: str, x: Any, axis: Optional[int], keepdims: bool) -> Array:
    array = as_array(x)
    if axis is None and array.ndim != 1:
        shape = [1] * array.ndim if keepdims else []
        return Array(Op(agg, [array.node], shape, "i64", **({"keepdims": True} if keepdims else {})))
    return reduced(agg, array, 0 if axis is None else axis, keepdims)


def count_nonzero(x: Any, axis: Any = None, keepdims: bool = False) -> Array:
    """How many elements are not 0."""
    return reduced("count", x, axis, keepdims)


def ptp(x: Any, axis: Any = None, keepdims: bool = False) -> Array:
    """The largest less the least."""
    return reduced("max", x, axis, keepdims) - reduced("min", x, axis, keepdims)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """Vector norms of order 2 (the default), 1, inf and others, and the Frobenius norm of matrices.

    >>> import einloom as el
    >>> el.linalg.norm(el.input("X", (3, 4)), axis=1).shape
    (3,)
    """
    array = as_array(x)
    if ord in (None, 2, "fro") and not (ord == 2 and axis is None and array.ndim == 2):
        return reduced("norm", array, axis, keepdims)
    if axis is None and array.ndim == 2 or isinstance(ord, str):
        raise refuse("linalg.norm", "a norm of vectors, or the Frobenius norm", f"ord={ord!r} of a matrix",
                     "name an axis, or leave ord out")
    size = abs(array)
    if ord == 1:
        return reduced("sum", size, axis, keepdims)
    if ord in (float("inf"), float("-inf")):
        return reduced("max" if ord > 0 else "min", size, axis, keepdims)
    return reduced("sum", size ** ord, axis, keepdims) ** (1.0 / ord)


def _running(agg: str, x: Any, axis: Optional[int], outside: Number) -> Array:
    """An aggregation over the elements up to each one: a `where` over a prefix, which devices run as a scan."""
    from .shapes import ravel
    array = as_array(x)
    if axis is None:
        array, axis = (array if array.ndim == 1 else ravel(array)), 0
    position = normalized_axis(axis, array.ndim, f"cum{agg}")
    labels = letters(array.ndim)
    upto = letters(array.ndim + 1)[-1]
    out = labels[:position] + (upto,) + labels[position + 1:]
    sizes = {**dict(zip(labels, array.shape)), upto: array.shape[position]}
    join = Call("where", (Call("<=", (Index(labels[position]), Index(upto))), Operand(0), outside))
    return Array(Ein([(array.node, labels)], out, reduced_type(agg, array.node.dtype), sizes, join=join, agg=agg))


def cumsum(x: Any, axis: Optional[int] = None) -> Array:
    """Sums of the elements up to each one."""
    return _running("sum", x, axis, Number(0))


cumulative_sum = cumsum


def cumprod(x: Any, axis: Optional[int] = None) -> Array:
    """Products of the elements up to each one."""
    return _running("prod", x, axis, Number(1))


cumulative_prod = cumprod


def cov(m: Any, rowvar: bool = True, ddof: int = 1) -> Array:
    """The covariance of variables, which are rows (or columns, with `rowvar=False`)."""
    array = as_array(m)
    rows = array if rowvar else array.T
    centred = rows - reduced("mean", rows, 1, True)
    return centred @ (centred.conj() if kind(array.node.dtype) == "c" else centred).T / (rows.shape[1] - ddof)
