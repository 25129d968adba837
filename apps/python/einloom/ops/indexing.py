"""Brackets that read: slices, lookups by arrays of indices, selections by masks.

Example: `X[1:, ::-1]` is one `slice` of the graph, `X[labels]` a `gather`, `X[rows, labels]` a `gather` from the
flattened array. What is assigned is in `assignment.py`.
"""
from __future__ import annotations

from typing import Any, List, Optional, Tuple

import numpy as np

from ..array import Array, as_array
from ..checked import whole_number
from ..dtypes import kind, name_of
from ..errors import AxisError, refuse
from ..expression import Call, Expression, Index, Number, Operand, replace
from ..names import name_of_argument
from ..node import Ein, Leaf, Left, Op
from .elementwise import astype, clip, finished
from .operands import letters, normalized_axis, size
from .selection import Selection
from .shapes import expand_dims, permute_dims, reshape


def item_of(array: Array, key: Any) -> Any:
    """array[key]."""
    keys = with_known_masks(keys_of(array, key))
    if any(is_mask(one) for one in keys):
        return _selected(array, keys)
    if any(is_array(one) for one in keys):
        return _looked_up(*without_new_axes(array, keys))
    slices = [one for one in keys if one is not None]
    result = [one for one in keys if not isinstance(one, int)]
    news = tuple(place for place, one in enumerate(result) if one is None)
    return expand_dims(_sliced(array, slices), news) if news else _sliced(array, slices)


def without_new_axes(array: Array, keys: List[Any]) -> Tuple[Array, List[Any]]:
    """New axes as axes of extent 1, of which all is taken."""
    for place, one in enumerate(keys):
        if one is None:
            array = expand_dims(array, sum(map(axes_of, keys[:place])))
            keys = keys[:place] + [slice(None)] + keys[place + 1:]
    return array, keys


def with_known_masks(keys: List[Any]) -> List[Any]:
    """Masks whose elements are known already, as the indices of what is true."""
    return [part for one in keys for part in (_known_places(one) if is_mask(one) else [one])]


def _known_places(mask: Any) -> List[Any]:
    """The indices of what is true, along each axis; the mask itself where it is not known."""
    known = known_elements(mask)
    return [mask] if known is None else list(np.nonzero(known))


def known_elements(key: Any) -> Optional[np.ndarray]:
    """What an array of indices is, where that is known before the run."""
    if not isinstance(key, Array):
        return np.asarray(key)
    node = key.node
    return node.array if isinstance(node, Leaf) and isinstance(node.array, np.ndarray) else None


def _selected(array: Array, keys: List[Any]) -> Selection:
    """A selection by one mask, beside slices and numbers."""
    places = [place for place, one in enumerate(keys) if is_array(one)]
    if len(places) != 1 or any(one is None for one in keys):
        raise refuse("an index", "slices and numbers beside an array of truth values", "new axes or other arrays",
                     "use einloom.where instead")
    before, mask, behind = keys[:places[0]], as_array(keys[places[0]]), keys[places[0] + 1:]
    of_extents(mask, array.shape[len(before):len(before) + mask.ndim])
    whole = _sliced(array, before + [slice(None)] * mask.ndim + behind)
    return Selection(whole, mask, sum(isinstance(one, slice) for one in before))


def of_extents(mask: Array, extents: Tuple[int, ...]) -> None:
    """A mask has the extents of what it chooses from."""
    if mask.shape != extents:
        raise refuse("an index", f"an array of truth values of shape {extents}", f"{mask.shape}", "give one of that "
                     "shape")


def _looked_up(array: Array, keys: List[Any]) -> Array:
    """Slices, numbers and arrays of indices; arrays and numbers that stand apart give the first axes, as in NumPy."""
    chosen = [place for place, one in enumerate(keys) if not isinstance(one, slice)]
    together = chosen == list(range(chosen[0], chosen[-1] + 1))
    array = _sliced(array, [slice(None) if is_array(one) else one for one in keys])
    kept = [one for one in keys if not isinstance(one, int)]
    places = [place for place, one in enumerate(kept) if is_array(one)]
    first = sum(isinstance(one, slice) for one in keys[:chosen[0]]) if together else 0
    if places != list(range(first, first + len(places))):
        rest = [place for place in range(array.ndim) if place not in places]
        array = permute_dims(array, rest[:first] + places + rest[first:])
    given = [kept[place] for place in places]
    return take(array, given[0], axis=first) if len(given) == 1 else _looked_up_together(array, first, given)


def take(x: Any, indices: Any, axis: Any = None, out: Any = None, mode: str = "raise") -> Array:
    """Elements at indices along an axis (of the flattened array without one); negative ones count from the end."""
    array, at = as_array(x), as_array(indices)
    if mode not in ("raise", "wrap", "clip"):
        raise refuse("take", "the mode raise, wrap or clip", repr(mode), "name one of these")
    if axis is None:
        array, axis = reshape(array, [-1]), 0
    place = normalized_axis(axis, array.ndim, "take")
    only_indices(at)
    if mode != "raise":
        at = at % array.shape[place] if mode == "wrap" else clip(at, 0, array.shape[place] - 1)
    _within(at, array.shape[place])
    computed = _of_indices(array, at, place)
    if computed is not None:
        return finished("take", computed, out, True, None)
    result = array.shape[:place] + at.shape + array.shape[place + 1:]
    found = Array(Op("gather", [array.node, at.node], result, array.node.dtype, **({"axis": place} if place else {})))
    return finished("take", found, out, True, None)


def _of_indices(array: Array, at: Array, place: int) -> Optional[Array]:
    """A lookup in what is computed of indices alone (`eye(k)[y]`): it is computed of what is looked up, where that is
    known to be an index of the axis."""
    node, bound = array.node, _bound(at)
    if not isinstance(node, Ein) or node.operands or isinstance(node.join, str) or node.join is None:
        return None
    if bound is None or bound > array.shape[place]:
        return None
    along, labels = node.out[place], letters(len(node.out) + at.ndim - 1)
    read, rest = labels[place:place + at.ndim], labels[:place] + labels[place + at.ndim:]
    renamed = dict(zip([label for label in node.out if label != along], rest))

    def looked_up(leaf: Expression) -> Expression:
        if not isinstance(leaf, Index):
            return leaf
        return Operand(0) if leaf.label == along else Index(renamed[leaf.label])

    sizes = {**{renamed[label]: node.sizes[label] for label in renamed}, **dict(zip(read, at.shape))}
    return Array(Ein([(at.node, read)], labels, node.dtype, sizes, join=replace(node.join, looked_up)))


def _bound(at: Array) -> Optional[int]:
    """A number that all of these indices are below, none of them below 0; None where that is not known."""
    node = at.node
    if isinstance(node, Leaf) and isinstance(node.array, np.ndarray):
        return int(node.array.max()) + 1 if node.array.size and node.array.min() >= 0 else None
    if isinstance(node, Ein) and node.agg in ("argmax", "argmin") and len(node.aggregated) == 1:
        return node.sizes[node.aggregated[0]]
    return at.size if _is_range(at, at.size) else None


def take_along_axis(x: Any, indices: Any, axis: Any = -1) -> Array:
    """For each place the element at the index that stands there."""
    array, at = as_array(x), as_array(indices)
    only_indices(at)
    if axis is None:
        array, axis = reshape(array, [-1]), 0
    place = normalized_axis(axis, array.ndim, "take_along_axis")
    labels = letters(array.ndim + 1)
    of, out = labels[:-1], labels[:place] + labels[-1:] + labels[place + 1:-1]
    sizes = {**dict(zip(of, array.shape)), **dict(zip(out, at.shape))}
    index = Call("where", (Call("<", (Operand(1), Number(0))),
                           Call("+", (Operand(1), Number(array.shape[place]))), Operand(1)))
    chosen = Call("where", (Call("==", (index, Index(of[place]))), Operand(0), Number(0)))
    return Array(Ein([(array.node, of), (at.node, out)], out, array.node.dtype, sizes, join=chosen))


def keys_of(array: Array, key: Any) -> List[Any]:
    """For each axis a slice, a number or an array of indices, masks for several axes, and None for new axes."""
    given = [np.asarray(one, None if len(one) else int) if isinstance(one, (list, range)) else one
             for one in (key if isinstance(key, tuple) else (key,))]
    named = sum(map(axes_of, given))
    if named > array.ndim:
        raise refuse("an index", f"at most {array.ndim} axes", f"{named} indices", "leave some out")
    if not any(one is Ellipsis for one in given):
        given.append(Ellipsis)
    if sum(one is Ellipsis for one in given) > 1:
        raise refuse("an index", "... once", "it twice", "write the other axes as :")
    keys: List[Any] = []
    for one in given:
        if one is Ellipsis:
            keys += [slice(None)] * (array.ndim - named)
        elif isinstance(one, (int, np.integer)) and not isinstance(one, bool):
            keys.append(normalized_axis(int(one), array.shape[sum(map(axes_of, keys))], "an index"))
        else:
            _check_key(one, array, sum(map(axes_of, keys)))
            keys.append(one)
    return keys


def axes_of(key: Any) -> int:
    """How many axes of the array a key is for."""
    return 0 if key is None or key is Ellipsis else key.ndim if is_mask(key) else 1


def _moving(key: slice, array: Array, axis: int) -> Exception:
    """Of a slice whose bounds the run computes: a lookup, where it is as long each time, else a mask."""
    found, name = "one that einloom.run computes", name_of_argument(array) or array.node.variable or "x"
    if isinstance(key.start, Array) and isinstance(key.stop, Array):
        at = ":, " * axis + (key.start.node.variable or "START")
        return refuse("a slice", "bounds that are known", found, f"of N elements from there on write "
                      f"{name}[{at} + einloom.arange(N)], as X[k*B + einloom.arange(B)] for "
                      "X[k*B:(k+1)*B]")
    bound, compared = (key.start, ">=") if isinstance(key.start, Array) else (key.stop, "<")
    places = f"einloom.arange({array.shape[axis]})" + (f"[:{', None' * (array.ndim - axis - 1)}]").replace("[:]", "")
    mask = f"{places} {compared} {getattr(bound, 'node', array.node).variable or 'BOUND'}"
    return refuse("a slice", "bounds that are known", found, "shapes do not follow elements; write a mask: "
                  f"einloom.where({mask}, {name}, 0)")


def _check_key(key: Any, array: Array, axis: int) -> None:
    if isinstance(key, slice):
        if isinstance(key.start, Array) or isinstance(key.stop, Array):
            raise _moving(key, array, axis)
        bounds = [whole_number(bound, "a slice") for bound in (key.start, key.stop, key.step) if bound is not None]
        if key.step is not None and bounds[-1] == 0:
            raise refuse("a slice", "a step other than 0", "0", "leave it out")
    elif key is not None and not is_array(key):
        mend = ("leave it out: of one carried array the loop gives that array, without its name"
                if isinstance(key, str) and isinstance(array.node, Left) else "give one of these")
        raise refuse("an index", "a whole number, a slice, ... or an array of indices", repr(key), mend)


def is_array(key: Any) -> bool:
    return isinstance(key, (Array, np.ndarray))


def is_mask(key: Any) -> bool:
    return is_array(key) and (key.node.dtype if isinstance(key, Array) else name_of(key.dtype)) == "bool"


def only_indices(at: Array) -> None:
    if kind(at.node.dtype) not in "iu":
        raise refuse("a lookup", "whole numbers", f"{at.dtype}", "convert with .astype(int)")


def _within(at: Array, extent: int) -> None:
    """Of indices that are known already; others are looked at when the graph is run."""
    known = at.node.array if isinstance(at.node, Leaf) else None
    if isinstance(known, np.ndarray) and known.size and not -extent <= known.min() <= known.max() < extent:
        raise AxisError(f"a lookup: expected indices from {-extent} to {extent - 1}, found {known.min()} to "
                        f"{known.max()}; correct them")


def _sliced(array: Array, keys: List[Any]) -> Array:
    if all(isinstance(one, slice) and range(*one.indices(extent)) == range(extent)
           for one, extent in zip(keys, array.shape)):
        return array
    shape = [len(range(*one.indices(extent))) for one, extent in zip(keys, array.shape) if isinstance(one, slice)]
    if all(extent == 1 or isinstance(one, slice) and len(range(*one.indices(extent))) == extent
           and (one.step or 1) > 0 for one, extent in zip(keys, array.shape)) and size(shape) == array.size:
        return reshape(array, shape)  # axes of extent 1 are left out
    while keys and isinstance(keys[-1], slice) and keys[-1] == slice(None):
        keys = keys[:-1]
    return Array(Op("slice", [array.node], shape, array.node.dtype, slices=", ".join(map(_slice_text, keys))))


def _slice_text(key: Any) -> str:
    if isinstance(key, int):
        return str(key)
    bounds = ["" if bound is None else str(bound) for bound in (key.start, key.stop)]
    return ":".join(bounds) + (f":{key.step}" if key.step not in (None, 1) else "")


def _looked_up_together(array: Array, first: int, keys: List[Any]) -> Array:
    """Several arrays of indices: their axes become one, of which single elements are taken."""
    picked = _of_each_row(array, first, keys)
    if picked is not None:
        return picked
    extents = array.shape[first:first + len(keys)]
    merged = reshape(array, array.shape[:first] + (size(extents),) + array.shape[first + len(keys):])
    return take(merged, flat_index(keys, extents), axis=first)


def _of_each_row(array: Array, first: int, keys: List[Any]) -> Optional[Array]:
    """X[arange(n), y]: of each row, in their order, the element at an index."""
    rows, at = array.shape[first], as_array(keys[-1])
    if len(keys) != 2 or at.shape != (rows,) or array.node.dtype == "bool" or not _all_in_order(keys[0], rows):
        return None
    only_indices(at)
    labels = letters(array.ndim)
    row, column = labels[first], labels[first + 1]
    index: Expression = Operand(1)
    if (_bound(at) or array.shape[first + 1] + 1) > array.shape[first + 1]:
        from_end = Call("+", (index, Number(array.shape[first + 1])))
        index = Call("where", (Call("<", (index, Number(0))), from_end, index))
    join = Call("where", (Call("==", (index, Index(column))), Operand(0), Number(0)))
    return Array(Ein([(array.node, labels), (at.node, (row,))], labels[:first + 1] + labels[first + 2:],
                     array.node.dtype, dict(zip(labels, array.shape)), join=join))


def _all_in_order(key: Any, extent: int) -> bool:
    """Whether indices are those of a whole axis, each once, in order."""
    known = known_elements(key)
    if known is not None:
        return known.shape == (extent,) and bool(np.array_equal(known, np.arange(extent)))
    return as_array(key).shape == (extent,) and _is_range(as_array(key), extent)


def flat_index(keys: List[Any], extents: Tuple[int, ...]) -> Array:
    """The place in C order that arrays of indices name together."""
    flat: Any = None
    for key, extent in zip(keys, extents):
        at = as_array(key)
        only_indices(at)
        place = at if _is_range(at, extent) else at % extent  # negative ones count from the end
        flat = place if flat is None else flat * extent + place
    return astype(flat, np.int64)


def _is_range(at: Array, extent: int) -> bool:
    node = at.node
    return isinstance(node, Ein) and not node.operands and isinstance(node.join, Index) and at.size <= extent
