"""Brackets on the left of `=`, and `add.at`: each makes another array, which takes the place of the one written on.

Example: `X[mask] = 0` and `X[1:] = 0` are a `where` by elements or by indices, `X[1:-1] = Y` puts Y into its place,
and what arrays of indices name is scattered: each place takes the last value that is for it, as in NumPy.
"""
from __future__ import annotations

from typing import Any, List, Tuple

import numpy as np

from ..array import Array, as_array
from ..errors import refuse
from ..expression import Call, Expression, Index, Number, Operand
from ..node import Ein, Node
from .elementwise import astype, where
from .indexing import (flat_index, is_array, is_mask, keys_of, known_elements, of_extents, take,
                       with_known_masks, without_new_axes)
from .joining import pad
from .operands import is_number, letters, python_number, size
from .selection import Selection
from .shapes import broadcast_to, permute_dims, reshape


def with_item(array: Array, key: Any, value: Any) -> Array:
    """The array after array[key] = value."""
    keys = keys_of(array, key)
    masks = [one for one in keys if is_mask(one)]
    simple = len(masks) == 1 and all(isinstance(one, slice) for one in keys if not is_mask(one))
    if masks and (isinstance(value, Selection) or any(known_elements(one) is None for one in masks)
                  or is_number(value) and simple):
        return _at_mask(array, keys, value)
    if isinstance(value, Selection):
        raise value.refused("an assignment")
    keys = with_known_masks(keys)
    if any(is_array(one) for one in keys):
        return _scattered(array, keys, value)
    keys = [one for one in keys if one is not None]
    ranges = [range(*one.indices(extent)) if isinstance(one, slice) else range(one, one + 1)
              for one, extent in zip(keys, array.shape)]
    if size([len(each) for each in ranges]) == 0:
        return array
    if is_number(value) and all(each.step > 0 for each in ranges):
        return astype(_filled(array, ranges, value), array.dtype)
    if any(each.step < 0 or each.step > 1 and len(each) > 1 for each in ranges):
        return _scattered(array, keys, value)
    region = tuple(len(each) for each, key in zip(ranges, keys) if isinstance(key, slice))
    whole = reshape(_of_shape(value, region), [len(each) for each in ranges])
    if all(len(each) == extent for each, extent in zip(ranges, array.shape)):
        return astype(whole, array.dtype)
    return _placed(array, ranges, whole)


def _of_shape(value: Any, shape: Tuple[int, ...]) -> Array:
    """The value at each place; leading axes of extent 1 are dropped, as NumPy does."""
    given = as_array(np.asarray(value) if is_number(value) else value)
    while given.ndim > len(shape) and given.shape[0] == 1:
        given = given[0]
    return broadcast_to(given, shape)


def _at_mask(array: Array, keys: List[Any], value: Any) -> Array:
    """A number, elements that broadcast, or a selection of the same places, where a mask is true."""
    masks = [place for place, one in enumerate(keys) if is_mask(one)]
    rest = [one for place, one in enumerate(keys) if place != masks[0]]
    if len(masks) > 1 or any(not isinstance(one, slice) for one in rest):
        raise refuse("an assignment", "slices beside an array of truth values", "numbers, new axes or other arrays",
                     "use einloom.where with a mask of the whole shape")
    place, mask = masks[0], as_array(keys[masks[0]])
    of_extents(mask, array.shape[place:place + mask.ndim])
    behind = array.ndim - place - mask.ndim
    cut = tuple(keys[:place]) + (slice(None),) * mask.ndim + tuple(keys[place + 1:])
    region = array[cut]
    whole = reshape(mask, mask.shape + (1,) * behind)
    if isinstance(value, Selection):
        if value.place != place or not value.same_places(Selection(region, mask, place)):
            raise value.refused("an assignment")
        value = value.array
    elif not is_number(value) and as_array(value).ndim > behind:
        raise refuse("an assignment to X[mask]", f"a number, or an array of at most {behind} axes",
                     f"shape {as_array(value).shape}", "use einloom.where(mask, value, X)")
    chosen = astype(where(whole, value, region), array.dtype)
    return chosen if region.shape == array.shape else with_item(array, cut, chosen)


def _filled(array: Array, ranges: List[range], value: Any) -> Array:
    labels = letters(array.ndim)
    number = value.item() if isinstance(value, (np.generic, np.ndarray)) else value
    whole = all(len(each) == extent for each, extent in zip(ranges, array.shape))
    if whole:
        return broadcast_to(as_array(np.asarray(number)), array.shape)
    join = Call("where", (_inside(labels, ranges, array.shape), Number(number), Operand(0)))
    return Array(Ein([(array.node, labels)], labels, array.node.dtype, dict(zip(labels, array.shape)), join=join))


def _placed(array: Array, ranges: List[range], whole: Array) -> Array:
    """The value in zeros at its place, chosen there."""
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


class Places:
    """The places that keys name: axes that are taken whole come last, the others are one axis with flat indices.

    `flat` is the index of each place, `selected` the shape of what is written there, in the keys' order.
    """

    def __init__(self, array: Array, keys: List[Any]):
        array, keys = without_new_axes(array, keys)
        whole = [place for place, one in enumerate(keys) if isinstance(one, slice)
                 and range(*one.indices(array.shape[place])) == range(array.shape[place])]
        named = [place for place in range(array.ndim) if place not in whole]
        self.order = named + whole
        self.shape = array.shape
        self.named = tuple(array.shape[place] for place in named)
        self.rest = tuple(array.shape[place] for place in whole)
        self._lay_out(keys, whole, named)

    def _lay_out(self, keys: List[Any], whole: List[int], named: List[int]) -> None:
        """Which axes of the selection come from which keys: arrays and numbers together, each slice alone."""
        arrays = [place for place, one in enumerate(keys) if not isinstance(one, slice)]
        given = [as_array(np.asarray(keys[place]) if isinstance(keys[place], int) else keys[place]) for place in arrays]
        joint = np.broadcast_shapes(*(one.shape for one in given)) if given else ()
        together = bool(arrays) and arrays == list(range(arrays[0], arrays[-1] + 1))
        entries: List[Any] = [place for place, one in enumerate(keys) if isinstance(one, slice)]
        before = sum(place < arrays[0] for place in entries) if together else 0
        entries.insert(before, "arrays")
        extents: List[Tuple[int, ...]] = [
            joint if one == "arrays" else (len(range(*keys[one].indices(self.shape[one]))),) for one in entries]
        self.selected = tuple(extent for group in extents for extent in group)
        starts = [sum(map(len, extents[:number])) for number in range(len(entries))]
        at = dict(zip(entries, starts))
        self.axes_of_rest = [at[place] for place in whole]
        indices: List[Any] = []
        for place in named:
            key = keys[place]
            start, width = (at[place], 1) if isinstance(key, slice) else (at["arrays"], len(joint))
            one = (as_array(np.arange(self.shape[place])[key]) if isinstance(key, slice)
                   else broadcast_to(given[arrays.index(place)], joint))
            dims = [1] * len(self.selected)
            dims[start:start + width] = one.shape
            kept = [dims[axis] for axis in range(len(dims)) if axis not in self.axes_of_rest]
            known = known_elements(one)
            indices.append(np.reshape(known, kept) if known is not None else reshape(one, kept))
        self.counted = tuple(extent for axis, extent in enumerate(self.selected) if axis not in self.axes_of_rest)
        if all(isinstance(one, np.ndarray) for one in indices):
            spread = np.broadcast_arrays(*(one % extent for one, extent in zip(indices, self.named)))
            self.flat: Any = np.ravel_multi_index(spread, self.named).ravel() if named else np.zeros(1, np.int64)
        else:
            self.flat = reshape(broadcast_to(flat_index(indices, self.named), self.counted), [-1])

    def values(self, value: Any) -> Array:
        """What is written: an axis of all places, then those that are whole."""
        spread = _of_shape(value, self.selected)
        kept = [axis for axis in range(spread.ndim) if axis not in self.axes_of_rest]
        return reshape(permute_dims(spread, kept + self.axes_of_rest), (size(self.counted), *self.rest))

    def merged(self, array: Array) -> Array:
        return reshape(permute_dims(array, self.order), (size(self.named), *self.rest))

    def back(self, merged: Array) -> Array:
        ordered = reshape(merged, self.named + self.rest)
        return permute_dims(ordered, [self.order.index(place) for place in range(len(self.order))])


def _scattered(array: Array, keys: List[Any], value: Any) -> Array:
    """Values at the places that keys name; of several for one place the last."""
    news = [place for place, one in enumerate(keys) if one is None]
    if news:
        raise refuse("an assignment", "no new axis beside arrays of indices", "None", "leave it out")
    places = Places(array, keys)
    if size(places.counted) == 0 or array.size == 0:
        return array
    old = places.merged(array)
    extent, tail = old.shape[0], (1,) * len(places.rest)
    if isinstance(places.flat, np.ndarray):
        known = np.full(extent, -1)
        known[places.flat] = np.arange(places.flat.size)
        last: Any = as_array(known)
    else:
        last = Array(Ein([(places.flat.node, ("n",))], ("k",), "i64", {"n": places.flat.shape[0], "k": extent},
                         join=Call("where", (Call("==", (Operand(0), Index("k"))), Index("n"), Number(-1))), agg="max"))
    written = reshape(last >= 0, (extent, *tail))
    if is_number(value):
        new: Any = python_number(value)
    else:
        at = np.maximum(known, 0) if isinstance(places.flat, np.ndarray) else where(last >= 0, last, 0)
        new = take(astype(places.values(value), array.dtype), at, axis=0)
    return places.back(astype(where(written, new, old), array.dtype))


def gathered_onto(array: Array, key: Any, value: Any, agg: str, outside: Any) -> Array:
    """For each place the sum (or `agg`) of all values that a key names it for; `outside` where there is none."""
    keys = with_known_masks(keys_of(array, key))
    if any(one is None or is_mask(one) for one in keys):
        raise refuse("ufunc.at", "slices, numbers and arrays of indices", "a lazy mask or a new axis", "use where")
    places = Places(array, keys)
    if size(places.counted) == 0 or array.size == 0:
        return broadcast_to(as_array(np.asarray(outside)), array.shape).astype(array.dtype)
    values = astype(places.values(value), array.dtype).node
    rest = letters(len(places.rest), "nk")
    flat: Node = as_array(places.flat).node
    sizes = {"n": values.shape[0], "k": size(places.named), **dict(zip(rest, places.rest))}
    join = Call("where", (Call("==", (Operand(0), Index("k"))), Operand(1), Number(outside)))
    return places.back(Array(Ein([(flat, ("n",)), (values, ("n", *rest))], ("k", *rest), array.node.dtype, sizes,
                                 join=join, agg=agg)))
