"""Shapes: transposes, new axes and broadcasts, which become labels of whatever reads them, and reshapes."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ..array import Array, as_array
from ..checked import extents
from ..errors import refuse
from ..node import Ein, Op
from .operands import letters, normalized_axes, normalized_axis, size


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
    if list(order) == sorted(order):
        return Array(array.node)
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


def moveaxis(x: Any, source: Any, destination: Any) -> Array:
    """Axes at other places, the rest in their order."""
    array = as_array(x)
    moved = normalized_axes(source, array.ndim, "moveaxis")
    places = normalized_axes(destination, array.ndim, "moveaxis")
    order = [axis for axis in range(array.ndim) if axis not in moved]
    for place, axis in sorted(zip(places, moved)):
        order.insert(place, axis)
    return permute_dims(array, order)


def expand_dims(x: Any, axis: Any = 0) -> Array:
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


def broadcast_to(x: Any, shape: Any, subok: bool = False) -> Array:
    """Repeated along axes that are new or have extent 1."""
    array = as_array(x)
    shape = extents(shape, "broadcast_to")
    try:
        fits = np.broadcast_shapes(array.shape, shape) == shape
    except ValueError:
        fits = False
    if not fits:
        raise refuse("broadcast_to", f"a shape to which {array.shape} broadcasts", f"{shape}",
                     "align axes on the right")
    labels = letters(len(shape))
    return _view(array, labels[len(shape) - array.ndim:], labels, dict(zip(labels, shape)))


def broadcast_arrays(*arrays: Any, subok: bool = False) -> List[Array]:
    """All of one shape."""
    shape = np.broadcast_shapes(*(as_array(array).shape for array in arrays))
    return [broadcast_to(array, shape) for array in arrays]


def reshape(x: Any, shape: Any = None, order: str = "C", *, newshape: Any = None, copy: Any = None) -> Array:
    """Another shape of as many elements, in C order (or Fortran's, `order="F"`); one extent may be -1."""
    array = as_array(x)
    shape = newshape if shape is None else shape
    if in_fortran_order("reshape", order):
        turned = reshape(permute_dims(array), extents(shape, "reshape", least=-1)[::-1])
        return permute_dims(turned)
    wanted = list(extents(shape, "reshape", least=-1))
    rest = size([extent for extent in wanted if extent != -1])
    if wanted.count(-1) == 1 and rest and array.size % rest == 0:
        wanted[wanted.index(-1)] = array.size // rest
    if size(wanted) != array.size or any(extent < 0 for extent in wanted):
        raise refuse("reshape", f"a shape of {array.size} elements", f"{shape}", "let one extent be -1")
    if tuple(wanted) == array.shape:
        return array
    under = _without_units(array)
    if under.shape == tuple(wanted):
        return under
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


def _without_units(array: Array) -> Array:
    """What new axes of extent 1 were given to, which a reshape takes away again."""
    node = array.node
    if not isinstance(node, Ein) or len(node.operands) != 1 or node.join is not None or node.aggregated:
        return array
    read, labels = node.operands[0]
    kept = [label for label in node.out if label in labels]
    same = read.dtype == node.dtype and list(labels) == kept and size(read.shape) == array.size
    return Array(read) if same else array


def in_fortran_order(what: str, order: Any) -> bool:
    """Whether the first axis is the fastest; arrays lie in C order, so A and K are that."""
    if order not in ("C", "A", "K", "F", None):
        raise refuse(what, "the order C, F, A or K", repr(order), "leave it out")
    return order == "F"


def ravel(x: Any, order: str = "C") -> Array:
    """One axis, in C order (or Fortran's, `order="F"`)."""
    array = permute_dims(x) if in_fortran_order("ravel", order) else as_array(x)
    return reshape(array, [-1]) if array.size else reshape(array, [0])


def flatten(x: Any, order: str = "C") -> Array:
    """As `ravel`, always another array."""
    return Array(ravel(x, order).node)


def atleast_1d(*arrays: Any) -> Any:
    """One axis at least; of several arrays a list."""
    found = [as_array(x) if as_array(x).ndim else reshape(x, [1]) for x in arrays]
    return found[0] if len(found) == 1 else found


def atleast_2d(*arrays: Any) -> Any:
    """Two axes at least; of several arrays a list."""
    found = [expand_dims(x, 0) if x.ndim < 2 else x for x in (atleast_1d(one) for one in arrays)]
    return found[0] if len(found) == 1 else found


def atleast_3d(*arrays: Any) -> Any:
    """Three axes at least; of several arrays a list."""
    found = [expand_dims(x, 2) if x.ndim < 3 else x for x in (atleast_2d(one) for one in arrays)]
    return found[0] if len(found) == 1 else found


def rollaxis(x: Any, axis: int, start: int = 0) -> Array:
    """An axis moved before another one."""
    array = as_array(x)
    place = normalized_axis(axis, array.ndim, "rollaxis")
    return moveaxis(array, place, start - 1 if place < start else start)


def shape(x: Any) -> Tuple[int, ...]:
    """The extents."""
    return as_array(x).shape


def ndim(x: Any) -> int:
    """How many axes there are."""
    return as_array(x).ndim


def count(x: Any, axis: Optional[int] = None) -> int:
    """How many elements there are, or along an axis: `einloom.size`."""
    array = as_array(x)
    return array.size if axis is None else array.shape[normalized_axis(axis, array.ndim, "size")]
