"""What NumPy writes with brackets: `r_`, `c_`, `mgrid`, `ogrid`."""
from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from ..array import Array, as_array
from ..errors import refuse
from .creation import arange, linspace, meshgrid
from .joining import concat, stack
from .shapes import reshape


def _range(key: slice, what: str) -> Array:
    """start:stop:step, where an imaginary step says how many there are, the last one included."""
    start, step = 0 if key.start is None else key.start, 1 if key.step is None else key.step
    if key.stop is None:
        raise refuse(what, "slices with an end", "none", "write 0:n")
    if isinstance(step, complex):
        return linspace(start, key.stop, int(abs(step)))
    return arange(start, key.stop, step)


class Joined:
    """`r_[a, b]` joins along the first axis, `c_[a, b]` along the last one, of vectors as columns.

    >>> Joined("c_", -1)[arange(3), np.ones(3)].shape
    (3, 2)
    """

    def __init__(self, name: str, axis: int):
        self._name, self._axis = name, axis

    def __getitem__(self, key: Any) -> Array:
        keys = key if isinstance(key, tuple) else (key,)
        if any(isinstance(one, str) for one in keys):
            raise refuse(self._name, "arrays, numbers and slices", "a text", "use concatenate, hstack or vstack")
        given = [_range(one, self._name) if isinstance(one, slice) else as_array(one) for one in keys]
        order = max([one.ndim for one in given] + [1 if self._axis == 0 else 2])
        return concat([self._of_order(one, order) for one in given], axis=self._axis % order)

    def _of_order(self, array: Array, order: int) -> Array:
        more = (1,) * (order - array.ndim)
        return reshape(array, more + array.shape if self._axis == 0 else array.shape + more)


class Grid:
    """`mgrid[0:3, 0:4]`: the index along each axis at each place; `ogrid` gives a list that broadcasts.

    >>> Grid(sparse=False)[0:2, 0:3].shape
    (2, 2, 3)
    """

    def __init__(self, sparse: bool):
        self._sparse = sparse

    def __getitem__(self, key: Any) -> Any:
        name = "ogrid" if self._sparse else "mgrid"
        if isinstance(key, slice):
            return _range(key, name)
        axes: List[Array] = [_range(one, name) for one in key]
        if any(axis.node.dtype == "f64" for axis in axes):
            axes = [axis.astype("float64") for axis in axes]
        grids = meshgrid(*axes, sparse=self._sparse, indexing="ij")
        return grids if self._sparse else stack(grids)


r_, c_ = Joined("r_", 0), Joined("c_", -1)
mgrid, ogrid = Grid(sparse=False), Grid(sparse=True)


def unravel_index(indices: Any, shape: Tuple[int, ...], order: str = "C") -> Tuple[Any, ...]:
    """The index along each axis of places in the flattened array."""
    if not isinstance(indices, Array):
        return np.unravel_index(indices, shape, order)  # type: ignore[call-overload]
    found: List[Any] = []
    left = indices
    extents = tuple(shape) if order == "C" else tuple(shape)[::-1]
    for extent in extents[:0:-1]:
        found.append(left % extent)
        left = left // extent
    found.append(left)
    return tuple(found[::-1] if order == "C" else found)


def ravel_multi_index(multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Any:
    """Places in the flattened array, of an index along each axis."""
    pairs = list(zip(multi_index, dims))
    flat: Any = None
    for index, extent in pairs if order == "C" else pairs[::-1]:
        flat = index if flat is None else flat * extent + index
    return flat
