"""Moves of elements: arrays joined and cut, repeated, turned round, bordered, and differences of neighbours."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ..array import Array, as_array
from ..checked import extents, whole_number
from ..dtypes import common
from ..errors import refuse
from ..node import Op
from .elementwise import written
from .operands import normalized_axes, normalized_axis, of_order
from .shapes import atleast_1d, atleast_2d, atleast_3d, broadcast_to, expand_dims, ravel, reshape


def concat(arrays: Sequence[Any], /, axis: Optional[int] = 0, out: Any = None, *, dtype: Any = None,
           casting: Any = None) -> Array:
    """Arrays one after the other along an axis."""
    arrays = list(arrays)
    if dtype is not None:
        arrays = [as_array(one).astype(dtype) for one in arrays]
    given = [ravel(array) if axis is None else of_order(array, 1, "concatenate") for array in arrays]
    if not given:
        raise refuse("concatenate", "an array or more", "none", "give zeros of the shape that is meant")
    first = given[0]
    place = normalized_axis(axis or 0, first.ndim, "concatenate")
    for one in given[1:]:
        if one.ndim != first.ndim or any(a != b for position, (a, b) in enumerate(zip(one.shape, first.shape))
                                         if position != place):
            raise refuse("concatenate", f"shapes that agree but along axis {place}", f"{first.shape} and {one.shape}",
                         "reshape or slice one of them")
    if len(given) == 1:
        return written(Array(first.node), out)
    shape = list(first.shape)
    shape[place] = sum(one.shape[place] for one in given)
    joint = common(*(one.node.dtype for one in given))
    joined = Array(Op("concat", [one.node for one in given], shape, joint, **({"axis": place} if place else {})))
    return written(joined, out)


concatenate = concat


def stack(arrays: Sequence[Any], /, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Any = None) -> Array:
    """Arrays of one shape, along a new axis."""
    given = [as_array(one) for one in arrays]
    shapes = {one.shape for one in given}
    if len(shapes) != 1:
        raise refuse("stack", "arrays of one shape", " and ".join(map(str, sorted(shapes))) or "none", "reshape them")
    place = normalized_axis(axis, given[0].ndim + 1, "stack")
    return concat([expand_dims(one, place) for one in given], place, out, dtype=dtype)


def hstack(tup: Sequence[Any], *, dtype: Any = None, casting: Any = None) -> Array:
    """Side by side."""
    given = [atleast_1d(one) for one in tup]
    return concat(given, axis=0 if given and given[0].ndim == 1 else 1, dtype=dtype)


def vstack(tup: Sequence[Any], *, dtype: Any = None, casting: Any = None) -> Array:
    """One above the other."""
    return concat([atleast_2d(one) for one in tup], dtype=dtype)


row_stack = vstack


def dstack(tup: Sequence[Any]) -> Array:
    """One behind the other, along the third axis."""
    return concat([atleast_3d(one) for one in tup], axis=2)


def column_stack(tup: Sequence[Any]) -> Array:
    """Vectors as columns."""
    return concat([as_array(one) if as_array(one).ndim > 1 else reshape(one, [-1, 1]) for one in tup], axis=1)


def split(x: Any, indices_or_sections: Any, axis: int = 0) -> List[Array]:
    """Cut into equal parts, or at indices."""
    array = as_array(x)
    extent = array.shape[normalized_axis(axis, array.ndim, "split")]
    if isinstance(indices_or_sections, (int, np.integer)) and extent % int(indices_or_sections):
        raise refuse("split", f"parts that divide {extent}", f"{indices_or_sections}", "name the indices to cut at, or "
                     "use array_split")
    return array_split(array, indices_or_sections, axis)


def array_split(x: Any, indices_or_sections: Any, axis: int = 0) -> List[Array]:
    """Cut into parts whose extents differ by at most one, or at indices."""
    array = as_array(x)
    place = normalized_axis(axis, array.ndim, "split")
    extent = array.shape[place]
    if isinstance(indices_or_sections, (int, np.integer)):
        parts = whole_number(indices_or_sections, "split", 1)
        each, more = divmod(extent, parts)
        cuts: List[int] = [each * k + min(k, more) for k in range(1, parts)]
    else:
        cuts = [whole_number(cut, "split") for cut in indices_or_sections]
    bounds = [0, *cuts, extent]
    return [array[(slice(None),) * place + (slice(low, high),)] for low, high in zip(bounds, bounds[1:])]


def hsplit(x: Any, indices_or_sections: Any) -> List[Array]:
    """Cut along the second axis, a vector along its own."""
    return split(x, indices_or_sections, 1 if as_array(x).ndim > 1 else 0)


def vsplit(x: Any, indices_or_sections: Any) -> List[Array]:
    """Cut along the first axis."""
    return split(of_order(x, 2, "vsplit"), indices_or_sections, 0)


def dsplit(x: Any, indices_or_sections: Any) -> List[Array]:
    """Cut along the third axis."""
    return split(of_order(x, 3, "dsplit"), indices_or_sections, 2)


def delete(arr: Any, obj: Any, axis: Optional[int] = None) -> Array:
    """Without the elements at indices that are known, or at a slice."""
    array, place = _along("delete", arr, axis)
    kept = np.delete(np.arange(array.shape[place]), obj)
    return array[(slice(None),) * place + (kept,)]


def insert(arr: Any, obj: int, values: Any, axis: Optional[int] = None) -> Array:
    """With values before one index."""
    array, place = _along("insert", arr, axis)
    at = normalized_axis(whole_number(obj, "insert"), array.shape[place] + 1, "insert")
    given = as_array(values)
    rest = array.shape[:place] + array.shape[place + 1:]
    if given.ndim < array.ndim:
        given = expand_dims(broadcast_to(given, rest), place) if rest or not given.ndim else given
        given = reshape(given, [-1]) if array.ndim == 1 else given
    before = (slice(None),) * place
    return concat([array[before + (slice(None, at),)], given.astype(array.dtype), array[before + (slice(at, None),)]],
                  axis=place)


def append(arr: Any, values: Any, axis: Optional[int] = None) -> Array:
    """The values behind arr; flattened without an axis."""
    return concat([arr, values], axis=axis)


def _along(what: str, x: Any, axis: Optional[int]) -> Tuple[Array, int]:
    array = ravel(x) if axis is None else as_array(x)
    return array, 0 if axis is None else normalized_axis(axis, array.ndim, what)


def flip(x: Any, /, axis: Any = None) -> Array:
    """In reverse order along axes."""
    array = as_array(x)
    axes = normalized_axes(axis, array.ndim, "flip")
    return array[tuple(slice(None, None, -1) if position in axes else slice(None) for position in range(array.ndim))]


def roll(x: Any, /, shift: Any, axis: Any = None) -> Array:
    """Elements moved along axes; what leaves comes in on the other side.

    >>> import einloom as el
    >>> el.roll(el.input("X", (3, 4)), 1, axis=0).shape
    (3, 4)
    """
    array = as_array(x)
    if axis is None:
        return reshape(roll(ravel(array), shift, 0), array.shape)
    shifts = [shift] * len(axis) if isinstance(shift, int) and not isinstance(axis, int) else shift
    for place, by in zip(*(([axis], [shifts]) if isinstance(axis, int) else (axis, shifts))):
        place = normalized_axis(place, array.ndim, "roll")
        cut = by % array.shape[place] if array.shape[place] else 0
        if cut:
            at = -cut if 2 * cut <= array.shape[place] else array.shape[place] - cut
            before = (slice(None),) * place
            array = concat([array[before + (slice(at, None),)], array[before + (slice(None, at),)]], axis=place)
    return array


def tile(A: Any, reps: Any) -> Array:
    """Copies beside one another."""
    array = as_array(A)
    counts = extents(reps, "tile")
    order = max(len(counts), array.ndim)
    counts = (1,) * (order - len(counts)) + counts
    shape = (1,) * (order - array.ndim) + array.shape
    paired = [extent for pair in zip((1,) * order, shape) for extent in pair]
    repeated = [extent for pair in zip(counts, shape) for extent in pair]
    return reshape(broadcast_to(reshape(array, paired), repeated),
                   [count * extent for count, extent in zip(counts, shape)])


def repeat(x: Any, repeats: Any, axis: Optional[int] = None) -> Array:
    """Each element so many times, or as often as known numbers say, one for each."""
    array, place = _along("repeat", x, axis)
    if np.ndim(repeats) and np.size(repeats) > 1:
        if isinstance(repeats, Array):
            raise refuse("repeat", "numbers that are known", "a lazy array", "give a NumPy array")
        kept = np.repeat(np.arange(array.shape[place]), repeats)
        return array[(slice(None),) * place + (kept,)]
    times = whole_number(np.ravel(repeats)[0], "repeat", 0)
    wide = list(array.shape)
    wide.insert(place + 1, times)
    shape = list(array.shape)
    shape[place] *= times
    return reshape(broadcast_to(expand_dims(array, place + 1), wide), shape)


def pad(x: Any, pad_width: Any, mode: str = "constant", constant_values: Any = 0) -> Array:
    """A border of numbers, or (`edge`, `reflect`, `symmetric`, `wrap`) of the array's own elements."""
    array = as_array(x)
    widths = np.broadcast_to(np.asarray(pad_width), (array.ndim, 2)).tolist()
    shape = [before + extent + after for extent, (before, after) in zip(array.shape, widths)]
    attributes: dict = {"pad_width": widths}
    if mode != "constant":
        attributes["mode"] = mode
    elif np.any(np.asarray(constant_values) != 0):
        attributes["constant_values"] = np.asarray(constant_values).tolist()
    return Array(Op("pad", [array.node], shape, array.node.dtype, **attributes))


def diff(a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Array:
    """Differences of neighbours."""
    array = of_order(a, 1, "diff")
    place = normalized_axis(axis, array.ndim, "diff")
    before = (slice(None),) * place
    ends = [array if one is array else _edge(one, array, place) for one in (prepend, array, append) if one is not None]
    array = concat(ends, axis=place)
    for _ in range(n):
        later, earlier = array[before + (slice(1, None),)], array[before + (slice(None, -1),)]
        array = later != earlier if array.node.dtype == "bool" else later - earlier
    return array


def _edge(value: Any, array: Array, place: int) -> Array:
    """What stands before or behind an array along an axis."""
    given = as_array(value)
    return given if given.ndim else broadcast_to(given, array.shape[:place] + (1,) + array.shape[place + 1:])


def ediff1d(ary: Any, to_end: Any = None, to_begin: Any = None) -> Array:
    """Differences of neighbours of the flattened array."""
    found = diff(ravel(ary))
    return concat([ravel(one) for one in (to_begin, found, to_end) if one is not None])
