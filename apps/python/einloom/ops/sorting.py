"""Order: sorting by counting how many elements come before each one, quantiles, places in sorted arrays, histograms.

A graph has no sort; ranks of elements are an einsum of comparisons, n^2 of them for n elements, and never in memory.
Good for up to some 100,000 elements along an axis; sort larger results with NumPy.
"""
from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np

from ..array import Array, as_array
from ..dtypes import kind
from ..errors import DTypeError
from ..node import Ein
from .elementwise import astype, clip
from .operands import letters, normalized_axis, of_order
from .shapes import concat, ravel, reshape, swapaxes

# y comes before x: it is less (NaN is the last), or equal and stands before it.
_BEFORE = "(y < x || x != x && y == y) || (y == x || x != x && y != y) && [{other}] < [{one}]"


def argsort(x: Any, axis: Optional[int] = -1, **_: Any) -> Array:
    """The indices that sort along an axis; equal elements keep their order."""
    return _along(x, axis, lambda rows: _arranged(rows, f"where(x == [{_labels(rows)[-1]}], [{_labels(rows)[-2]}], 0)",
                                                  with_elements=False))


def sort(x: Any, axis: Optional[int] = -1, **_: Any) -> Array:
    """Elements from the least to the largest along an axis; NaN comes last.

    >>> import einloom as el
    >>> el.run(el.sort(el.tensor([3, 1, 2]))).tolist()
    [1, 2, 3]
    """
    return _along(x, axis, lambda rows: _arranged(rows, f"where(x == [{_labels(rows)[-1]}], y, 0)", with_elements=True))


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


def quantile(x: Any, q: Any, axis: Optional[int] = None, keepdims: bool = False) -> Array:
    """Quantiles, between neighbours by a straight line."""
    array = ravel(x) if axis is None else as_array(x)
    place = normalized_axis(axis or 0, array.ndim, "quantile")
    ordered = swapaxes(sort(array, place), place, 0)
    found = []
    for share in np.atleast_1d(np.asarray(q, float)):
        position = share * (array.shape[place] - 1)
        low = int(np.floor(position))
        high = min(low + 1, array.shape[place] - 1)
        found.append(ordered[low] + (ordered[high] - ordered[low]) * float(position - low))
    if keepdims:
        full = [1] * as_array(x).ndim if axis is None else [1 if at == place else n for at, n in enumerate(array.shape)]
        found = [reshape(one, full) for one in found]
    return found[0] if np.ndim(q) == 0 else concat([one[None] for one in found])


def percentile(x: Any, q: Any, axis: Optional[int] = None, keepdims: bool = False) -> Array:
    """Quantiles in per cent."""
    return quantile(x, np.asarray(q, float) / 100, axis, keepdims)


def median(x: Any, axis: Optional[int] = None, keepdims: bool = False) -> Array:
    """The middle element, or the mean of the two in the middle."""
    return quantile(x, 0.5, axis, keepdims)


def searchsorted(a: Any, v: Any, side: str = "left") -> Array:
    """Where elements of v would be put into a sorted vector, so that it stays sorted."""
    ordered, wanted = of_order(a, 1, "searchsorted", 1).node, as_array(v).node
    labels = letters(len(wanted.shape) + 1)
    sizes = {**dict(zip(labels, wanted.shape)), labels[-1]: ordered.shape[0]}
    return Array(Ein([(ordered, labels[-1:]), (wanted, labels[:-1])], labels[:-1], "i64", sizes,
                     join="x < y" if side == "left" else "x <= y"))


def histogram(x: Any, bins: Any = 10, range: Optional[Tuple[float, float]] = None) -> Tuple[Array, Array]:
    """How many elements lie in each bin, and the edges of the bins."""
    values = ravel(x)
    if isinstance(bins, (int, np.integer)):
        low: Any = values.min() if range is None else range[0]
        high: Any = values.max() if range is None else range[1]
        share = as_array(np.arange(int(bins) + 1) / int(bins))
        edges = low + share * (high - low)
    else:
        edges = as_array(bins)
    below = _below_each(values, edges)
    last = as_array(np.eye(edges.shape[0] - 1, dtype=np.int64)[-1])  # the last bin has its right edge too
    return below[1:] - below[:-1] + last * (values == edges[-1]).astype(np.int64).sum(), edges


def _below_each(values: Array, edges: Array) -> Array:
    """How many values are below each edge."""
    return Array(Ein([(values.node, ("i",)), (edges.node, ("k",))], ("k",), "i64",
                     {"i": values.shape[0], "k": edges.shape[0]}, join="x < y"))


def interp(x: Any, xp: Any, fp: Any) -> Array:
    """Values between points by straight lines; beyond the points those of the ends."""
    points, values = as_array(xp), as_array(fp)
    at = clip(as_array(x), points[0], points[-1])
    place = astype(clip(searchsorted(points, at, side="right") - 1, 0, points.shape[0] - 2), np.int64)
    slope = (values[1:] - values[:-1]) / (points[1:] - points[:-1])
    return values[:-1][place] + slope[place] * (at - points[:-1][place])
