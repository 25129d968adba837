"""Aggregations over axes: sums, means, extremes and where they are, norms and running sums."""
from __future__ import annotations

import math
from typing import Any, Optional, Sequence

import numpy as np

from ..array import Array, as_array
from ..checked import by_axis
from ..dtypes import kind, name_of, reduced_type, stored
from ..errors import DTypeError, refuse
from ..expression import Call, Index, Number, Operand
from ..node import Ein, Node, Op
from ..sources import full, zeros
from .elementwise import FUNCTIONS as elementwise
from .elementwise import astype, finished, written
from .elementwise import where as choose
from .joining import concat
from .operands import letters, mapped, normalized_axes, normalized_axis
from .selection import Selection
from .shapes import atleast_2d, broadcast_to, ravel, squeeze


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


# What a masked-out element counts as, and how a first value joins in.
_IDENTITY = {"sum": 0, "prod": 1, "any": False, "all": True}
_JOINS = {"sum": "add", "prod": "multiply", "max": "maximum", "min": "minimum"}


def selected(agg: str, x: Any, axis: Any, keepdims: bool, where: Any, initial: Any = None, dtype: Any = None) -> Array:
    """One aggregation of the elements where a mask is true."""
    array = as_array(x)
    mask = broadcast_to(astype(where, "bool"), array.shape)
    if agg == "mean":
        total = selected("sum", array, axis, keepdims, mask, dtype=dtype or reduced_type("mean", array.node.dtype))
        return astype(total / _counted(where, array, axis, keepdims), total.dtype)
    if agg in _IDENTITY:
        return _begun(agg, reduced(agg, choose(mask, array, _IDENTITY[agg]).astype(array.dtype), axis, keepdims, dtype),
                      initial)
    if agg in ("max", "min"):
        return _begun(agg, reduced(agg, choose(mask, array, limit(agg, array)), axis, keepdims), initial)
    raise refuse(agg, "no mask", "where=", "write where(mask, x, other) in place of x")


def _counted(where: Any, array: Array, axis: Any, keepdims: bool) -> Array:
    """How many elements a mask chooses: once for all where it is the same along the axes that stay."""
    mask = astype(where, "bool")
    axes = normalized_axes(axis, array.ndim, "sum")
    same = mask.ndim == array.ndim and all(mask.shape[one] == array.shape[one] for one in axes)
    return reduced("sum", mask if same else broadcast_to(mask, array.shape), axis, keepdims)


def limit(agg: str, array: Array) -> Any:
    """What is never the maximum (or minimum) beside others of the type."""
    found = kind(array.node.dtype)
    if found == "f":
        return -math.inf if agg == "max" else math.inf
    if found == "b":
        return agg == "min"
    if found == "c":
        raise DTypeError(f"{agg}: expected numbers that have an order, found complex ones; take their abs, .real or "
                         ".imag")
    known = np.iinfo(stored(array.node.dtype))
    return int(known.min if agg == "max" else known.max)


def _begun(agg: str, result: Array, initial: Any) -> Array:
    """The aggregation begins with a value."""
    if initial is None:
        return result
    return elementwise[_JOINS[agg]](result, initial)


def _reduce(agg: str, x: Any, axis: Any, dtype: Any, out: Any, keepdims: bool, initial: Any, where: Any) -> Array:
    if isinstance(x, Selection):
        return x.reduced(lambda array, axes, mask: _reduce(agg, array, axes, dtype, out, keepdims, initial, mask),
                         axis, keepdims, agg)
    if where is not None and where is not True:
        result = selected(agg, x, axis, keepdims, where, initial, dtype)
    elif initial is not None and agg in ("max", "min"):
        array = as_array(x)
        shape = array.shape
        empty = any(shape[one] == 0 for one in normalized_axes(axis, len(shape), agg))
        if empty:
            result = as_array(initial) + zeros(reduced("sum", array, axis, keepdims).shape, array.dtype)
        else:
            result = _begun(agg, reduced(agg, array, axis, keepdims), initial)
    else:
        result = _begun(agg, reduced(agg, x, axis, keepdims, dtype), initial)
    return finished(agg, result, out, True, None)


def _typed_reduction(agg: str) -> Any:
    def function(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False,
                 initial: Any = None, where: Any = None) -> Array:
        return _reduce(agg, x, axis, dtype, out, keepdims, initial, where)

    return _described(function, agg)


def _reduction(agg: str) -> Any:
    def function(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None,
                 where: Any = None) -> Array:
        return _reduce(agg, x, axis, None, out, keepdims, initial, where)

    return _described(function, agg)


def _described(function: Any, agg: str) -> Any:
    function.__name__ = function.__qualname__ = agg
    function.__doc__ = (f"`{agg}` over `axis` (a number, several, or None for all); `keepdims` leaves extents of 1, "
                        "`where` is a mask of what counts.")
    return by_axis(function)


def _truth(agg: str) -> Any:
    def function(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = None) -> Array:
        return _reduce(agg, x, axis, None, out, keepdims, None, where)

    return _described(function, agg)


@by_axis
def logsumexp(x: Any, axis: Any = None, keepdims: bool = False) -> Array:
    """log(sum(exp(x))) over axes, computed without overflow."""
    return reduced("logsumexp", x, axis, keepdims)


FUNCTIONS = {**{agg: _typed_reduction(agg) for agg in ("sum", "prod", "mean")},
             **{agg: _reduction(agg) for agg in ("min", "max")}, **{agg: _truth(agg) for agg in ("any", "all")}}
FUNCTIONS.update(amin=FUNCTIONS["min"], amax=FUNCTIONS["max"], logsumexp=logsumexp)


@by_axis
def var(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
        where: Any = None, mean: Any = None, correction: Optional[float] = None) -> Array:
    """The variance; divided by the number of elements less `ddof` (the array API's `correction`).

    >>> import einloom as el
    >>> el.var(el.input("X", (3, 4)), axis=0, keepdims=True).shape
    (1, 4)
    """
    if isinstance(x, Selection):
        return x.reduced(lambda array, axes, mask: var(array, axes, dtype, out, ddof, keepdims, where=mask,
                                                       mean=mean, correction=correction), axis, keepdims, "var")
    ddof = ddof if correction is None else correction
    array = as_array(x) if dtype is None else as_array(x).astype(dtype)
    where = True if where is None else where
    if where is True and mean is None:
        return finished("var", _spread("var", array, axis, keepdims, ddof), out, True, None)
    centred = array - (selected("mean", array, axis, True, where) if mean is None else mean)
    centred = abs(centred) if kind(array.node.dtype) == "c" else centred
    total = selected("sum", centred * centred, axis, keepdims, where)
    count = _counted(where, array, axis, keepdims)
    return finished("var", (total / (count - ddof)).astype(total.dtype), out, True, None)


@by_axis
def std(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, ddof: float = 0, keepdims: bool = False, *,
        where: Any = None, mean: Any = None, correction: Optional[float] = None) -> Array:
    """The root of the variance."""
    if isinstance(x, Selection) or where is not None or mean is not None:
        result = elementwise["sqrt"](var(x, axis, dtype, None, ddof, keepdims, where=where, mean=mean,
                                         correction=correction))
    else:
        array = as_array(x) if dtype is None else as_array(x).astype(dtype)
        result = _spread("std", array, axis, keepdims, ddof if correction is None else correction)
    return finished("std", result, out, True, None)


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


@by_axis
def argmax(x: Any, axis: Optional[int] = None, out: Any = None, *, keepdims: bool = False) -> Array:
    """The index of the first largest element along an axis, or in the flattened array."""
    return written(_position("argmax", x, axis, keepdims), out)


@by_axis
def argmin(x: Any, axis: Optional[int] = None, out: Any = None, *, keepdims: bool = False) -> Array:
    """The index of the first least element along an axis, or in the flattened array."""
    return written(_position("argmin", x, axis, keepdims), out)


def _position(agg: str, x: Any, axis: Optional[int], keepdims: bool) -> Array:
    array = as_array(x)
    if axis is None and array.ndim != 1:
        shape = [1] * array.ndim if keepdims else []
        return Array(Op(agg, [array.node], shape, "i64", **({"keepdims": True} if keepdims else {})))
    return reduced(agg, array, 0 if axis is None else axis, keepdims)


def count_nonzero(x: Any, axis: Any = None, *, keepdims: bool = False) -> Array:
    """How many elements are not 0."""
    if isinstance(x, Selection):
        return FUNCTIONS["sum"](x != 0, axis, keepdims=keepdims)
    return reduced("count", x, axis, keepdims)


def ptp(x: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Array:
    """The largest less the least."""
    return written(FUNCTIONS["max"](x, axis, None, keepdims) - FUNCTIONS["min"](x, axis, None, keepdims), out)


def norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Array:
    """Norms of vectors of any order (default 2); of matrices the Frobenius norm (the default), and 1, inf, -1 and -inf.

    >>> import einloom as el
    >>> el.linalg.norm(el.input("X", (3, 4)), axis=1).shape
    (3,)
    """
    array = as_array(x)
    if kind(array.node.dtype) not in "fc":
        array = astype(array, "f64")
    axes = normalized_axes(axis, array.ndim, "linalg.norm")
    if ord is None or ord == "fro" and len(axes) == 2:
        return reduced("norm", array, axis, keepdims)
    if len(axes) == 2:
        return _matrix_norm(array, ord, axes, keepdims)
    if len(axes) != 1 or isinstance(ord, str):
        raise refuse("linalg.norm", "one axis, or two of matrices", f"ord={ord!r} over {len(axes)}", "name the axes")
    return _vector_norm(array, ord, axes[0], keepdims)


def _vector_norm(array: Array, ord: Any, axis: int, keepdims: bool) -> Array:
    size = abs(array)
    if ord == 2:
        return reduced("norm", array, axis, keepdims)
    if ord == 0:
        return reduced("sum", astype(array != 0, size.dtype), axis, keepdims)
    if ord == 1:
        return reduced("sum", size, axis, keepdims)
    if abs(ord) == math.inf:
        return reduced("max" if ord > 0 else "min", size, axis, keepdims)
    return reduced("sum", size ** ord, axis, keepdims) ** (1.0 / ord)


def _matrix_norm(array: Array, ord: Any, axes: Sequence[int], keepdims: bool) -> Array:
    """The largest or least sum of absolute values of a column (1, -1) or of a row (inf, -inf)."""
    if ord not in (1, -1, math.inf, -math.inf):
        raise refuse("linalg.norm", "of matrices the order 'fro', 1, -1, inf or -inf", f"{ord!r}", "give one of these; "
                     "of one axis any number; singular values are numpy.linalg.svd's")
    sums = reduced("sum", abs(array), axes[0] if abs(ord) == 1 else axes[1], True)
    return reduced("max" if ord > 0 else "min", sums, axes, keepdims)


def running(agg: str, x: Any, axis: Optional[int], outside: Any, dtype: Any = None) -> Array:
    """An aggregation over the elements up to each one: a `where` over a prefix, which devices run as a scan."""
    array = as_array(x)
    if axis is None:
        array, axis = (array if array.ndim == 1 else ravel(array)), 0
    position = normalized_axis(axis, array.ndim, f"cum{agg}")
    labels = letters(array.ndim)
    upto = letters(array.ndim + 1)[-1]
    out = labels[:position] + (upto,) + labels[position + 1:]
    sizes = {**dict(zip(labels, array.shape)), upto: array.shape[position]}
    join = Call("where", (Call("<=", (Index(labels[position]), Index(upto))), Operand(0), Number(outside)))
    found = reduced_type(agg, array.node.dtype) if dtype is None else name_of(dtype)
    return Array(Ein([(array.node, labels)], out, found, sizes, join=join, agg=agg))


def cumsum(x: Any, axis: Optional[int] = None, dtype: Any = None, out: Any = None) -> Array:
    """Sums of the elements up to each one."""
    return written(running("sum", x, axis, 0, dtype), out)


def cumulative_sum(x: Any, /, *, axis: Optional[int] = None, dtype: Any = None, out: Any = None,
                   include_initial: bool = False) -> Array:
    """Sums of the elements up to each one, or (`include_initial`) before it, and of all."""
    return written(_with_first(cumsum(x, axis, dtype), axis, 0, include_initial), out)


def _with_first(found: Array, axis: Optional[int], first: Any, include: bool) -> Array:
    if not include:
        return found
    place = normalized_axis(0 if axis is None else axis, found.ndim, "cumulative_sum")
    shape = found.shape[:place] + (1,) + found.shape[place + 1:]
    return concat([full(shape, first, found.dtype), found], axis=place)


def cumprod(x: Any, axis: Optional[int] = None, dtype: Any = None, out: Any = None) -> Array:
    """Products of the elements up to each one."""
    return written(running("prod", x, axis, 1, dtype), out)


def cumulative_prod(x: Any, /, *, axis: Optional[int] = None, dtype: Any = None, out: Any = None,
                    include_initial: bool = False) -> Array:
    """Products of the elements up to each one, or (`include_initial`) before it, and of all."""
    return written(_with_first(cumprod(x, axis, dtype), axis, 1, include_initial), out)


def cov(m: Any, y: Any = None, rowvar: bool = True, bias: bool = False, ddof: Optional[int] = None,
        fweights: Any = None, aweights: Any = None, *, dtype: Any = None) -> Array:
    """The covariance of variables, which are rows (or columns, with `rowvar=False`)."""
    if fweights is not None or aweights is not None:
        raise refuse("cov", "no weights", "fweights or aweights", "write (w * centred) @ centred.T / sum(w)")

    def rows_of(given: Any) -> Array:
        rows = atleast_2d(as_array(given))
        return rows if rowvar or as_array(given).ndim == 1 else rows.T

    rows = rows_of(m) if y is None else concat([rows_of(m), rows_of(y)])
    centred = rows - reduced("mean", rows, 1, True)
    less = ddof if ddof is not None else 0 if bias else 1
    conjugate = centred.conj() if kind(rows.node.dtype) == "c" else centred
    found = centred @ conjugate.T / (rows.shape[1] - less)
    return squeeze(found if dtype is None else found.astype(dtype), tuple(range(2)) if found.shape == (1, 1) else ())


def corrcoef(x: Any, y: Any = None, rowvar: bool = True, bias: Any = None, ddof: Any = None, *,
             dtype: Any = None) -> Array:
    """Correlation coefficients of variables, which are rows (or columns, with `rowvar=False`)."""
    found = cov(x, y, rowvar, dtype=dtype)
    if not found.ndim:
        return found / found
    spread = elementwise["sqrt"](found.diagonal().real if kind(found.node.dtype) == "c" else found.diagonal())
    return found / spread[:, None] / spread[None, :]
