"""Order: sorting by counting how many elements come before each one, quantiles, places in sorted arrays, histograms.

A graph has no sort; ranks of elements are an einsum of comparisons, n^2 of them for n elements, and never in memory.
Good for up to some 100,000 elements along an axis; sort larger results with NumPy.
"""
from __future__ import annotations

import math
from typing import Any, Dict, Optional, Tuple

import numpy as np

from ..array import Array, as_array
from ..dtypes import kind
from ..errors import DTypeError, refuse
from ..node import Ein, Leaf
from .elementwise import FUNCTIONS, astype, clip, written
from .elementwise import where as choose
from .joining import concat, flip
from .operands import letters, normalized_axes, normalized_axis, of_order
from .reductions import reduced
from .shapes import moveaxis, ravel, reshape, swapaxes

# y comes before x: it is less (NaN is the last), or equal and stands before it.
_BEFORE = "(y < x || x != x && y == y) || (y == x || x != x && y != y) && [{other}] < [{one}]"


def argsort(x: Any, axis: Optional[int] = -1, kind: Any = None, order: Any = None, *, stable: bool = True,
            descending: bool = False) -> Array:
    """The indices that sort along an axis; equal elements keep their order."""
    if descending:  # the last of equal elements first when they are counted from the end
        array = ravel(x) if axis is None else as_array(x)
        place = -1 if axis is None else axis
        return flip(array.shape[place] - 1 - argsort(flip(array, place), place), place)
    _without_fields("argsort", order)
    return _along(x, axis, lambda rows: _arranged(rows, f"where(x == [{_labels(rows)[-1]}], [{_labels(rows)[-2]}], 0)",
                                                  with_elements=False))


def sort(x: Any, axis: Optional[int] = -1, kind: Any = None, order: Any = None, *, stable: bool = True,
         descending: bool = False) -> Array:
    """Elements from the least to the largest along an axis; NaN comes last.

    >>> import einloom as el
    >>> el.run(el.sort(el.tensor([3, 1, 2]))).tolist()
    [1, 2, 3]
    """
    if descending:
        return flip(sort(x, axis), -1 if axis is None else axis)
    _without_fields("sort", order)
    return _along(x, axis, lambda rows: _arranged(rows, f"where(x == [{_labels(rows)[-1]}], y, 0)", with_elements=True))


def partition(a: Any, kth: Any, axis: Optional[int] = -1, kind: Any = None, order: Any = None) -> Array:
    """A sorted array, which is one of the orders that NumPy's partition may give."""
    return sort(a, axis, kind, order)


def argpartition(a: Any, kth: Any, axis: Optional[int] = -1, kind: Any = None, order: Any = None) -> Array:
    """The indices that sort, which are some that NumPy's argpartition may give."""
    return argsort(a, axis, kind, order)


def _without_fields(what: str, order: Any) -> None:
    if order is not None:
        raise refuse(what, "no order=, which names fields of records", repr(order), "leave it out")


def _along(x: Any, axis: Optional[int], function: Any) -> Array:
    array = ravel(x) if axis is None else of_order(x, 1, "sort")
    if kind(array.node.dtype) == "c":
        raise DTypeError("sort: expected numbers that have an order, found complex ones; sort their abs or real")
    place = normalized_axis(-1 if axis is None else axis, array.ndim, "sort")
    return swapaxes(function(swapaxes(array, place, -1)), place, -1)


def _labels(rows: Array) -> Tuple[str, ...]:
    return letters(rows.ndim + 1)


def _arranged(rows: Array, join: str, with_elements: bool) -> Array:
    """The elements, or their indices, at the places that their ranks name."""
    labels = _labels(rows)
    one, other = labels[:-1], labels[:-2] + labels[-1:]
    sizes = {**dict(zip(one, rows.shape)), labels[-1]: rows.shape[-1]}
    before = _BEFORE.format(one=labels[-2], other=labels[-1])
    rank = Ein([(rows.node, one), (rows.node, other)], one, "i64", sizes, join=before)
    read = [(rank, one), (rows.node, one)] if with_elements else [(rank, one)]
    return Array(Ein(read, other, rows.node.dtype if with_elements else "i64", sizes, join=join))


def quantile(x: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
             method: str = "linear", keepdims: bool = False, *, interpolation: Optional[str] = None) -> Array:
    """Quantiles, between neighbours by a straight line, or the `lower`, `higher`, their `midpoint`, the `nearest`."""
    method = interpolation or method
    if method not in _BETWEEN:
        raise refuse("quantile", f"a method, one of {', '.join(_BETWEEN)}", repr(method), "name one of these")
    if isinstance(q, Array):
        raise refuse("quantile", "shares that are known", "a lazy array", "give numbers")
    given = as_array(x)
    axes = normalized_axes(axis, given.ndim, "quantile")
    count = math.prod(given.shape[at] for at in axes)
    if not count:
        raise refuse("quantile", "at least one element", f"shape {given.shape}", "a middle of nothing is not defined")
    rows = moveaxis(given, axes, range(len(axes)))
    ordered = sort(reshape(rows, (count, *rows.shape[len(axes):])), 0)
    found = []
    for share in np.ravel(np.asarray(q, float)):
        position = share * (count - 1)
        low, high = int(np.floor(position)), min(int(np.floor(position)) + 1, count - 1)
        found.append(_with_nan(ordered, _between(ordered[low], ordered[high], _BETWEEN[method](float(position - low)))))
    if keepdims:
        full = [1 if at in axes else extent for at, extent in enumerate(given.shape)]
        found = [reshape(one, full) for one in found]
    if np.ndim(q) == 0:
        return written(found[0], out)
    return written(reshape(concat([one[None] for one in found]), np.shape(q) + found[0].shape), out)


def _between(low: Array, high: Array, part: float) -> Array:
    """Part of the way from one neighbour to the next. An infinite one counts only where it is reached."""
    if part == 0:
        return low * 1.0
    return low * 0.5 + high * 0.5 if part == 0.5 else low + (high - low) * part


def _with_nan(ordered: Array, found: Array) -> Array:
    """nan where any element is, which is sorted to the end."""
    return choose(FUNCTIONS["isnan"](ordered[-1]), ordered[-1], found) if kind(ordered.node.dtype) == "f" else found


# How far from the lower neighbour to the higher one.
_BETWEEN: Dict[str, Any] = {
    "linear": lambda share: share, "lower": lambda _: 0.0, "midpoint": lambda share: 0.5 * (share > 0),
    "higher": lambda share: float(share > 0), "nearest": lambda share: float(share > 0.5)}


def percentile(x: Any, q: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False,
               method: str = "linear", keepdims: bool = False, *, interpolation: Optional[str] = None) -> Array:
    """Quantiles in per cent."""
    shares = q if isinstance(q, Array) else np.asarray(q, float) / 100
    return quantile(x, shares, axis, out, overwrite_input, method, keepdims, interpolation=interpolation)


def median(x: Any, axis: Any = None, out: Any = None, overwrite_input: bool = False, keepdims: bool = False) -> Array:
    """The middle element, or the mean of the two in the middle; of nothing nan."""
    given = as_array(x)
    if not given.size:
        return written(reduced("mean", given, axis, keepdims), out)
    return quantile(x, 0.5, axis, out, keepdims=keepdims)


def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Array:
    """Where elements of v would be put into a sorted vector, so that it stays sorted."""
    vector = of_order(a, 1, "searchsorted", 1)
    if side not in ("left", "right"):
        raise refuse("searchsorted", "the side left or right", repr(side), "name one of these")
    ordered, wanted = (vector if sorter is None else vector[sorter]).node, as_array(v).node
    labels = letters(len(wanted.shape) + 1)
    sizes = {**dict(zip(labels, wanted.shape)), labels[-1]: ordered.shape[0]}
    return Array(Ein([(ordered, labels[-1:]), (wanted, labels[:-1])], labels[:-1], "i64", sizes,
                     join="x < y" if side == "left" else "x <= y"))


def digitize(x: Any, bins: Any, right: bool = False) -> Array:
    """The bin of each element, for edges that rise or fall."""
    edges, sides = of_order(bins, 1, "digitize", 1), ("left", "right") if right else ("right", "left")
    known = edges.node.array if isinstance(edges.node, Leaf) else None
    rising = searchsorted(edges, x, sides[0])
    if edges.shape[0] < 2 or isinstance(known, np.ndarray) and known[0] <= known[-1]:
        return rising
    return choose(edges[0] <= edges[-1], rising, edges.shape[0] - searchsorted(flip(edges), x, sides[1]))


def histogram(x: Any, bins: Any = 10, range: Optional[Tuple[float, float]] = None, density: bool = False,
              weights: Any = None) -> Tuple[Array, Array]:
    """How many elements (or what sum of weights) lie in each bin, and the edges of the bins."""
    values, edges = ravel(x), histogram_bin_edges(x, bins, range)
    by = None if weights is None else ravel(weights)
    below = _below_each(values, edges, by)
    last = as_array(np.eye(edges.shape[0] - 1, dtype=np.int64)[-1])  # the last bin has its right edge too
    on_edge = (values == edges[-1]).astype(np.int64).sum() if by is None else choose(values == edges[-1], by, 0).sum()
    counts = below[1:] - below[:-1] + last * on_edge
    if density:
        counts = counts / ((edges[1:] - edges[:-1]) * counts.sum())
    return counts, edges


def histogram_bin_edges(x: Any, bins: Any = 10, range: Optional[Tuple[float, float]] = None,
                        weights: Any = None) -> Array:
    """The edges of so many bins, or those that are given."""
    values = ravel(x)
    if isinstance(bins, str):
        raise refuse("histogram", "a number of bins or their edges", repr(bins), "say how many: shapes do not follow "
                     "elements")
    if not isinstance(bins, (int, np.integer)):
        return as_array(bins)
    low: Any = values.min() if range is None else range[0]
    high: Any = values.max() if range is None else range[1]
    share = as_array(np.arange(int(bins) + 1) / int(bins))
    return low + share * (high - low)


def _below_each(values: Array, edges: Array, weights: Optional[Array]) -> Array:
    """How many values are below each edge, or the sum of their weights."""
    read = [(values.node, ("i",)), (edges.node, ("k",))]
    sizes = {"i": values.shape[0], "k": edges.shape[0]}
    if weights is None:
        return Array(Ein(read, ("k",), "i64", sizes, join="x < y"))
    return Array(Ein([*read, (weights.node, ("i",))], ("k",), weights.node.dtype, sizes, join="where(x < y, z, 0)"))


def isin(element: Any, test_elements: Any, assume_unique: bool = False, invert: bool = False, *,
         kind: Any = None) -> Array:
    """Whether each element is one of others."""
    node, others = as_array(element).node, ravel(test_elements).node
    labels = letters(len(node.shape) + 1)
    sizes = {**dict(zip(labels, node.shape)), labels[-1]: others.shape[0]}
    found = Array(Ein([(node, labels[:-1]), (others, labels[-1:])], labels[:-1], "bool", sizes, join="x == y",
                      agg="any"))
    return ~found if invert else found


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False, *, kind: Any = None) -> Array:
    """As `isin`, of the flattened array."""
    return isin(ravel(ar1), ar2, assume_unique, invert)


def interp(x: Any, xp: Any, fp: Any, left: Any = None, right: Any = None, period: Any = None) -> Array:
    """Values between points by straight lines; beyond the points those of the ends, or `left` and `right`."""
    if period is not None:
        raise refuse("interp", "no period", f"{period}", "append the first point behind the last one, and take x % it")
    points, values = as_array(xp), as_array(fp)
    at = clip(as_array(x), points[0], points[-1])
    place = astype(clip(searchsorted(points, at, side="right") - 1, 0, points.shape[0] - 2), np.int64)
    slope = (values[1:] - values[:-1]) / (points[1:] - points[:-1])
    found = values[:-1][place] + slope[place] * (at - points[:-1][place])
    found = found if left is None else choose(as_array(x) < points[0], left, found)
    return found if right is None else choose(as_array(x) > points[-1], right, found)
