"""Brackets: slices, lookups by arrays of indices, and assignments, which make a new array.

Example: `X[1:, ::-1]` is one `slice` of the graph, `X[labels]` a `gather`, `X[rows, labels]` a `gather` from the
flattened array, and `X[mask] = 0` a `where`.
"""
from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from ..array import Array, as_array
from ..checked import whole_number
from ..dtypes import kind, name_of
from ..errors import AxisError, refuse
from ..expression import Call, Expression, Index, Number, Operand
from ..node import Ein, Leaf, Op
from .elementwise import astype, where
from .operands import is_number, letters, normalized_axis, size
from .shapes import broadcast_to, expand_dims, pad, reshape


def item_of(array: Array, key: Any) -> Array:
    """array[key]."""
    keys, news = _keys(array, key)
    looked_up = [position for position, one in enumerate(keys) if _is_array(one)]
    if not looked_up:
        return _expanded(_sliced(array, keys), news)
    if news:
        raise refuse("an index", "slices or arrays", "None beside an array of indices", "use expand_dims afterwards")
    if any(_is_mask(keys[position]) for position in looked_up):
        raise refuse("an index", "a shape that is known", "an array of truth values", "use einloom.where instead")
    rest = [slice(None) if _is_array(one) else one for one in keys]
    if any(isinstance(one, int) for one in rest):
        raise refuse("an index", "slices beside an array of indices", "a number", "index twice: X[0][indices]")
    array = _sliced(array, rest)
    if len(looked_up) == 1:
        return take(array, keys[looked_up[0]], axis=looked_up[0])
    if looked_up != list(range(looked_up[0], looked_up[-1] + 1)):
        raise refuse("an index", "arrays of indices side by side", "others between them", "transpose first")
    return _looked_up_together(array, looked_up[0], [keys[position] for position in looked_up])


def take(x: Any, indices: Any, /, axis: Any = None) -> Array:
    """Elements at indices along an axis (of the flattened array without one); negative ones count from the end."""
    array, at = as_array(x), as_array(indices)
    if axis is None:
        array, axis = reshape(array, [-1]), 0
    place = normalized_axis(axis, array.ndim, "take")
    _only_indices(at)
    _within(at, array.shape[place])
    result = array.shape[:place] + at.shape + array.shape[place + 1:]
    return Array(Op("gather", [array.node, at.node], result, array.node.dtype, **({"axis": place} if place else {})))


def take_along_axis(x: Any, indices: Any, /, axis: int = -1) -> Array:
    """For each place the element at the index that stands there."""
    array, at = as_array(x), as_array(indices)
    _only_indices(at)
    place = normalized_axis(axis, array.ndim, "take_along_axis")
    labels = letters(array.ndim + 1)
    of, out = labels[:-1], labels[:place] + labels[-1:] + labels[place + 1:-1]
    sizes = {**dict(zip(of, array.shape)), **dict(zip(out, at.shape))}
    index = Call("where", (Call("<", (Operand(1), Number(0))),
                           Call("+", (Operand(1), Number(array.shape[place]))), Operand(1)))
    chosen = Call("where", (Call("==", (index, Index(of[place]))), Operand(0), Number(0)))
    return Array(Ein([(array.node, of), (at.node, out)], out, array.node.dtype, sizes, join=chosen))


def with_item(array: Array, key: Any, value: Any) -> Array:
    """The array after array[key] = value."""
    if _is_array(key) and _is_mask(key):
        return astype(where(key, value, array), array.dtype)
    keys, _ = _keys(array, key)
    if any(_is_array(one) for one in keys):
        return _marked(array, keys, value)
    ranges = [range(*one.indices(extent)) if isinstance(one, slice) else range(one, one + 1)
              for one, extent in zip(keys, array.shape)]
    if any(each.step < 0 for each in ranges):
        raise refuse("an assignment", "slices with positive steps", "a negative one", "flip the value instead")
    if all(len(each) == extent for each, extent in zip(ranges, array.shape)):
        return astype(broadcast_to(value if not is_number(value) else np.asarray(value), array.shape), array.dtype)
    if size([len(each) for each in ranges]) == 0:
        return array
    if is_number(value):
        return _filled(array, ranges, value)
    return _placed(array, keys, ranges, value)


def _marked(array: Array, keys: List[Any], value: Any) -> Array:
    """One number at all places that arrays of indices name."""
    places = [place for place, one in enumerate(keys) if _is_array(one)]
    whole = all(_is_array(one) or one == slice(None) for one in keys)
    if not is_number(value) or not whole or places != list(range(places[0], places[-1] + 1)):
        raise refuse("an assignment at arrays of indices", "a number, and arrays side by side",
                     "another value or index", "use einloom.where with a mask")
    extents = array.shape[places[0]:places[-1] + 1]
    flat = reshape(_flat_index([keys[place] for place in places], extents), [-1]).node
    marked = Array(Ein([(flat, ("n",))], ("k",), "bool", {"n": flat.shape[0], "k": size(extents)},
                       join=Call("==", (Operand(0), Index("k"))), agg="any"))
    mask = reshape(marked, extents + (1,) * (array.ndim - places[-1] - 1))
    return astype(where(mask, value, array), array.dtype)


def _filled(array: Array, ranges: List[range], value: Any) -> Array:
    labels = letters(array.ndim)
    number = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    join = Call("where", (_inside(labels, ranges, array.shape), Number(number), Operand(0)))
    return Array(Ein([(array.node, labels)], labels, array.node.dtype, dict(zip(labels, array.shape)), join=join))


def _placed(array: Array, keys: List[Any], ranges: List[range], value: Any) -> Array:
    """The value in zeros at its place, chosen there."""
    if any(each.step > 1 and len(each) > 1 for each in ranges):
        raise refuse("an assignment", "slices with step 1, or a number as the value", "a step",
                     "use a mask and where")
    region = tuple(len(each) for each, key in zip(ranges, keys) if isinstance(key, slice))
    whole = reshape(broadcast_to(value, region), [len(each) for each in ranges])
    widths = [(each.start, extent - each.start - len(each)) for each, extent in zip(ranges, array.shape)]
    moved = pad(astype(whole, array.dtype), widths)
    labels = letters(array.ndim)
    join = Call("where", (_inside(labels, ranges, array.shape), Operand(1), Operand(0)))
    return Array(Ein([(array.node, labels), (moved.node, labels)], labels, array.node.dtype,
                     dict(zip(labels, array.shape)), join=join))


def _inside(labels: Tuple[str, ...], ranges: List[range], shape: Tuple[int, ...]) -> Expression:
    """Whether an element lies in a region, by its indices alone."""
    tests: List[Expression] = []
    for label, each, extent in zip(labels, ranges, shape):
        if len(each) == extent:
            continue
        index = Index(label)
        if len(each) == 1:
            tests.append(Call("==", (index, Number(each.start))))
            continue
        if each.start > 0:
            tests.append(Call(">=", (index, Number(each.start))))
        if each[-1] + each.step < extent:
            tests.append(Call("<=", (index, Number(each[-1]))))
        if each.step > 1:
            offset: Expression = Call("-", (index, Number(each.start))) if each.start else index
            tests.append(Call("==", (Call("mod", (offset, Number(each.step))), Number(0))))
    joint = tests[0]
    for test in tests[1:]:
        joint = Call("&&", (joint, test))
    return joint


def _keys(array: Array, key: Any) -> Tuple[List[Any], List[int]]:
    """A slice, number or array of indices for each axis, and where new axes come in the result."""
    given = list(key) if isinstance(key, tuple) else [key]
    named = sum(one is not None and one is not Ellipsis for one in given)
    if named > array.ndim:
        raise refuse("an index", f"at most {array.ndim} axes", f"{named} indices", "leave some out")
    if not any(one is Ellipsis for one in given):
        given.append(Ellipsis)
    if sum(one is Ellipsis for one in given) > 1:
        raise refuse("an index", "... once", "it twice", "write the other axes as :")
    keys: List[Any] = []
    news: List[int] = []
    result = 0
    for one in given:
        if one is None:
            news.append(result)
            result += 1
        elif one is Ellipsis:
            keys += [slice(None)] * (array.ndim - named)
            result += array.ndim - named
        else:
            whole = isinstance(one, (int, np.integer)) and not isinstance(one, bool)
            if not whole:
                _check_key(one)
            keys.append(normalized_axis(int(one), array.shape[len(keys)], "an index") if whole else one)
            result += not whole
    return [one if isinstance(one, (slice, int)) else np.asarray(one) if isinstance(one, (list, bool)) else one
            for one in keys], news


def _check_key(key: Any) -> None:
    if isinstance(key, slice):
        bounds = [whole_number(bound, "a slice") for bound in (key.start, key.stop, key.step) if bound is not None]
        if key.step is not None and bounds[-1] == 0:
            raise refuse("a slice", "a step other than 0", "0", "leave it out")
    elif not isinstance(key, (Array, np.ndarray, list, bool)):
        raise refuse("an index", "a whole number, a slice, ... or an array of indices", repr(key), "give one of these")


def _is_array(key: Any) -> bool:
    return isinstance(key, (Array, np.ndarray, list))


def _is_mask(key: Any) -> bool:
    return (key.node.dtype if isinstance(key, Array) else name_of(np.asarray(key).dtype)) == "bool"


def _only_indices(at: Array) -> None:
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
    while keys and isinstance(keys[-1], slice) and keys[-1] == slice(None):
        keys = keys[:-1]
    return Array(Op("slice", [array.node], shape, array.node.dtype, slices=", ".join(map(_slice_text, keys))))


def _slice_text(key: Any) -> str:
    if isinstance(key, int):
        return str(key)
    bounds = ["" if bound is None else str(bound) for bound in (key.start, key.stop)]
    return ":".join(bounds) + (f":{key.step}" if key.step not in (None, 1) else "")


def _expanded(array: Array, news: List[int]) -> Array:
    return expand_dims(array, tuple(news)) if news else array


def _looked_up_together(array: Array, first: int, keys: List[Any]) -> Array:
    """Several arrays of indices: their axes become one, of which single elements are taken."""
    extents = array.shape[first:first + len(keys)]
    merged = reshape(array, array.shape[:first] + (size(extents),) + array.shape[first + len(keys):])
    return take(merged, _flat_index(keys, extents), axis=first)


def _flat_index(keys: List[Any], extents: Tuple[int, ...]) -> Array:
    """The place in C order that arrays of indices name together."""
    flat: Any = None
    for key, extent in zip(keys, extents):
        at = as_array(key)
        _only_indices(at)
        place = at if _is_range(at, extent) else at % extent  # negative ones count from the end
        flat = place if flat is None else flat * extent + place
    return astype(flat, np.int64)


def _is_range(at: Array, extent: int) -> bool:
    node = at.node
    return isinstance(node, Ein) and not node.operands and isinstance(node.join, Index) and at.size <= extent
