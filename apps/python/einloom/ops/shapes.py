"""Shapes: transposes and new axes, which become labels of whatever reads them, and moves of elements."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ..array import Array, as_array
from ..checked import extents
from ..dtypes import common
from ..errors import refuse
from ..node import Ein, Op
from .operands import letters, normalized_axes, normalized_axis, of_order, size


def _view(x: Array, labels: Sequence[str], out: Sequence[str], sizes: Any) -> Array:
    return Array(Ein([(x.node, tuple(labels))], tuple(out), x.node.dtype, sizes))


def permute_dims(x: Any, axes: Optional[Sequence[int]] = None) -> Array:
    """The axes in another order; reversed by default."""
    array = as_array(x)
    if axes is None:
        axes = range(array.ndim)[::-1]
    order = normalized_axes(axes, array.ndim, "transpose")
    if len(order) != array.ndim:
        raise refuse("transpose", f"all {array.ndim} axes", f"axes {tuple(axes)}", "name each axis once")
    labels = letters(array.ndim)
    return _view(array, labels, [labels[axis] for axis in order], dict(zip(labels, array.shape)))


transpose = permute_dims


def matrix_transpose(x: Any, /) -> Array:
    """The last two axes exchanged."""
    return swapaxes(x, -1, -2)


def swapaxes(x: Any, axis1: int, axis2: int) -> Array:
    """Two axes exchanged."""
    array = as_array(x)
    one, other = normalized_axes((axis1,), array.ndim, "swapaxes") + normalized_axes((axis2,), array.ndim, "swapaxes")
    order = list(range(array.ndim))
    order[one], order[other] = other, one
    return permute_dims(array, order)


def moveaxis(x: Any, source: Any, destination: Any, /) -> Array:
    """Axes at other places, the rest in their order."""
    array = as_array(x)
    moved = normalized_axes(source, array.ndim, "moveaxis")
    places = normalized_axes(destination, array.ndim, "moveaxis")
    order = [axis for axis in range(array.ndim) if axis not in moved]
    for place, axis in sorted(zip(places, moved)):
        order.insert(place, axis)
    return permute_dims(array, order)


def expand_dims(x: Any, /, axis: Any = 0) -> Array:
    """New axes of extent 1."""
    array = as_array(x)
    order = array.ndim + (1 if isinstance(axis, int) else len(axis))
    new = normalized_axes(axis, order, "expand_dims")
    labels = letters(order)
    old = [label for position, label in enumerate(labels) if position not in new]
    sizes = {**{label: 1 for label in labels}, **dict(zip(old, array.shape))}
    return _view(array, old, labels, sizes)


def squeeze(x: Any, /, axis: Any = None) -> Array:
    """Without axes of extent 1: all such, or those that are named."""
    array = as_array(x)
    dropped = ([position for position, extent in enumerate(array.shape) if extent == 1] if axis is None
               else normalized_axes(axis, array.ndim, "squeeze"))
    if any(array.shape[position] != 1 for position in dropped):
        raise refuse("squeeze", "axes of extent 1", f"axes {axis} of shape {array.shape}", "name such axes only")
    return reshape(array, [extent for position, extent in enumerate(array.shape) if position not in dropped])


def broadcast_to(x: Any, /, shape: Sequence[int]) -> Array:
    """Repeated along axes that are new or have extent 1."""
    array = as_array(x)
    shape = tuple(shape)
    try:
        fits = np.broadcast_shapes(array.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise refuse("broadcast_to", f"a shape to which {array.shape} broadcasts", f"{shape}",
                     "align axes on the right")
    labels = letters(len(shape))
    return _view(array, labels[len(shape) - array.ndim:], labels, dict(zip(labels, shape)))


def broadcast_arrays(*arrays: Any) -> List[Array]:
    """All of one shape."""
    shape = np.broadcast_shapes(*(as_array(array).shape for array in arrays))
    return [broadcast_to(array, shape) for array in arrays]


def reshape(x: Any, /, shape: Any, **_: Any) -> Array:
    """Another shape of as many elements, in C order; one extent may be -1."""
    array = as_array(x)
    wanted = list(extents(shape, "reshape", least=-1))
    rest = size([extent for extent in wanted if extent != -1])
    if wanted.count(-1) == 1 and rest and array.size % rest == 0:
        wanted[wanted.index(-1)] = array.size // rest
    if size(wanted) != array.size or any(extent < 0 for extent in wanted):
        raise refuse("reshape", f"a shape of {array.size} elements", f"{shape}", "let one extent be -1")
    if tuple(wanted) == array.shape:
        return array
    view = _with_units(array, wanted)
    return view if view is not None else Array(Op("reshape", [array.node], wanted, array.node.dtype, shape=wanted))


def _with_units(array: Array, wanted: Sequence[int]) -> Optional[Array]:
    """Where axes of extent 1 come alone: new labels, no move of elements."""
    if [extent for extent in array.shape if extent != 1] != [extent for extent in wanted if extent != 1]:
        return None
    if sum(extent == 1 for extent in wanted) < sum(extent == 1 for extent in array.shape):
        return None
    labels, left = letters(len(wanted)), list(array.shape)
    old = []
    for label, extent in zip(labels, wanted):
        if left and left[0] == extent:
            old.append(label)
            left.pop(0)
    return _view(array, old, labels, dict(zip(labels, wanted))) if not left else None


def ravel(x: Any, **_: Any) -> Array:
    """One axis, in C order."""
    return reshape(x, [-1]) if as_array(x).size else reshape(x, [0])


flatten = ravel


def concat(arrays: Sequence[Any], /, axis: Optional[int] = 0, dtype: Any = None) -> Array:
    """Arrays one after the other along an axis."""
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
        return first
    shape = list(first.shape)
    shape[place] = sum(one.shape[place] for one in given)
    joint = common(*(one.node.dtype for one in given))
    return Array(Op("concat", [one.node for one in given], shape, joint, **({"axis": place} if place else {})))


concatenate = concat


def stack(arrays: Sequence[Any], /, axis: int = 0) -> Array:
    """Arrays of one shape, along a new axis."""
    return concat([expand_dims(array, axis) for array in arrays], axis=axis)


def hstack(arrays: Sequence[Any]) -> Array:
    """Side by side."""
    given = [reshape(array, [1]) if as_array(array).ndim == 0 else as_array(array) for array in arrays]
    return concat(given, axis=0 if given[0].ndim == 1 else 1)


def vstack(arrays: Sequence[Any]) -> Array:
    """One above the other."""
    return concat([array if as_array(array).ndim > 1 else reshape(array, [1, -1]) for array in arrays])


def column_stack(arrays: Sequence[Any]) -> Array:
    """Vectors as columns."""
    return concat([array if as_array(array).ndim > 1 else reshape(array, [-1, 1]) for array in arrays], axis=1)


def split(x: Any, parts: Any, axis: int = 0) -> List[Array]:
    """Cut into equal parts, or at indices."""
    array = as_array(x)
    place = normalized_axis(axis, array.ndim, "split")
    extent = array.shape[place]
    if isinstance(parts, int):
        if extent % parts:
            raise refuse("split", f"parts that divide {extent}", f"{parts}", "name the indices to cut at")
        parts = range(extent // parts, extent, extent // parts)
    bounds = [0, *parts, extent]
    return [array[(slice(None),) * place + (slice(low, high),)] for low, high in zip(bounds, bounds[1:])]


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
            before = (slice(None),) * place
            array = concat([array[before + (slice(-cut, None),)], array[before + (slice(None, -cut),)]], axis=place)
    return array


def tile(x: Any, repetitions: Any, /) -> Array:
    """Copies beside one another."""
    array = as_array(x)
    counts = (repetitions,) if isinstance(repetitions, int) else tuple(repetitions)
    order = max(len(counts), array.ndim)
    counts = (1,) * (order - len(counts)) + counts
    shape = (1,) * (order - array.ndim) + array.shape
    paired = [extent for pair in zip((1,) * order, shape) for extent in pair]
    repeated = [extent for pair in zip(counts, shape) for extent in pair]
    return reshape(broadcast_to(reshape(array, paired), repeated),
                   [count * extent for count, extent in zip(counts, shape)])


def repeat(x: Any, repeats: int, /, axis: Optional[int] = None) -> Array:
    """Each element so many times."""
    array = ravel(x) if axis is None else as_array(x)
    place = normalized_axis(axis or 0, array.ndim, "repeat")
    wide = list(array.shape)
    wide.insert(place + 1, int(repeats))
    shape = list(array.shape)
    shape[place] *= int(repeats)
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


def atleast_1d(x: Any) -> Array:
    return as_array(x) if as_array(x).ndim else reshape(x, [1])


def atleast_2d(x: Any) -> Array:
    array = as_array(x)
    return array if array.ndim > 1 else reshape(array, [1, -1] if array.size else [1, 0])


def diff(x: Any, n: int = 1, axis: int = -1) -> Array:
    """Differences of neighbours."""
    array = as_array(x)
    before = (slice(None),) * normalized_axis(axis, array.ndim, "diff")
    for _ in range(n):
        array = array[before + (slice(1, None),)] - array[before + (slice(None, -1),)]
    return array


def shape(x: Any) -> Tuple[int, ...]:
    return as_array(x).shape


def ndim(x: Any) -> int:
    return as_array(x).ndim
