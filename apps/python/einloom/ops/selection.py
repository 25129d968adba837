"""Elements that a mask chooses, `X[mask]`: how many there are is known only when the graph is run.

A selection is the whole array and the mask. Functions of elements are computed everywhere and keep the mask, sums and
the like count what is chosen, and an assignment to the same places takes the elements back: `X[X > 1] = X[X > 1] - 1`.
What needs the number of elements before the run is refused. The maximum of nothing is -inf, where NumPy raises.
"""
from __future__ import annotations

from typing import Any, Callable, Sequence, Tuple

from ..array import Array, as_array
from ..dtypes import DType
from ..errors import Error, refuse
from ..graph.sharing import Shared
from ..node import Node, in_order
from .operands import normalized_axes, size


class Selection:
    """array[..., mask, ...]: the mask stands at axis `place` and has the extents of the array there.

    >>> import einloom as el
    >>> X = el.input("X", (3, 4))
    >>> X[X > 0].mean().shape
    ()
    """

    __slots__ = ("array", "mask", "place")
    __array_priority__ = 1001.0

    def __init__(self, array: Array, mask: Array, place: int = 0):
        self.array, self.mask, self.place = array, mask, place

    @property
    def ndim(self) -> int:
        return self.array.ndim - self.mask.ndim + 1

    @property
    def dtype(self) -> DType:
        return self.array.dtype

    @property
    def shape(self) -> Tuple[Any, ...]:
        """The extents; that of what is chosen is an array of the graph."""
        kept = self.array.shape
        return (*kept[:self.place], self.mask.sum(), *kept[self.place + self.mask.ndim:])

    @property
    def size(self) -> Any:
        kept = self.array.shape
        return self.mask.sum() * size(kept[:self.place] + kept[self.place + self.mask.ndim:])

    def copy(self) -> "Selection":
        return Selection(self.array, self.mask, self.place)

    def astype(self, dtype: Any, copy: bool = True) -> "Selection":
        return Selection(self.array.astype(dtype), self.mask, self.place)

    def with_elements(self, array: Array) -> "Selection":
        """The same places of another array."""
        return Selection(array, self.mask, self.place)

    def same_places(self, other: "Selection") -> bool:
        """Whether both choose the same places, by what their masks are computed from."""
        return self.place == other.place and same(self.mask.node, other.mask.node)

    def reduced(self, function: Callable[..., Any], axis: Any, keepdims: bool, what: str) -> Any:
        """function(array, axes, mask) of what is chosen; of other axes it leaves a selection."""
        axes = normalized_axes(axis, self.ndim, what)
        width = self.mask.ndim
        whole = [one + width - 1 if one > self.place else one for one in axes if one != self.place]
        if self.place not in axes:
            moved = self.place - sum(one < self.place for one in whole) * (not keepdims)
            return Selection(function(self.array, tuple(whole), None), self.mask, moved)
        if keepdims and width > 1:
            raise self.refused(f"{what} with keepdims")
        chosen = tuple(range(self.place, self.place + width))
        behind = self.array.ndim - self.place - width
        return function(self.array, chosen + tuple(whole), self.mask.reshape(self.mask.shape + (1,) * behind))

    def refused(self, what: str) -> Error:
        return refuse(what, "a number of elements that is known", "a selection X[mask]",
                      "write where(mask, X, other) in place of X[mask]; mask.sum() is how many there are")

    def __getitem__(self, key: Any) -> "Selection":
        keys = key if isinstance(key, tuple) else (key,)
        if self.place or not keys or not (isinstance(keys[0], slice) and keys[0] == slice(None)):
            raise self.refused("an index")
        return self.with_elements(self.array[(slice(None),) * self.mask.ndim + keys[1:]])

    def __matmul__(self, other: Any) -> "Selection":
        if self.place or self.mask.ndim != 1 or self.array.ndim < 2 or isinstance(other, Selection):
            raise self.refused("matmul")
        return self.with_elements(self.array @ other)

    dot = __matmul__

    def __len__(self) -> int:
        raise self.refused("len()")

    def __iter__(self) -> Any:
        raise self.refused("a for loop")

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise self.refused("a NumPy array")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise self.refused(f".{name}")

    def __repr__(self) -> str:
        return f"einloom.Selection(of={self.array!r})"

    __array_ufunc__, __array_function__ = Array.__array_ufunc__, Array.__array_function__
    __hash__ = object.__hash__
    __eq__, __ne__ = Array.__eq__, Array.__ne__  # type: ignore[assignment]


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor"):
    for _side in ("", "r"):
        setattr(Selection, f"__{_side}{_name}__", getattr(Array, f"__{_side}{_name}__"))
for _name in ("__lt__ __gt__ __le__ __ge__ __neg__ __pos__ __abs__ __invert__ sum prod mean var std min max any all "
              "clip round conj ptp").split():
    setattr(Selection, _name, getattr(Array, _name))


def combined(function: Callable[..., Any], values: Sequence[Any], what: str) -> Selection:
    """A function of elements, of selections of the same places and of what broadcasts to each element there."""
    first = next(value for value in values if isinstance(value, Selection))
    behind = first.array.ndim - first.place - first.mask.ndim
    given = []
    for value in values:
        if isinstance(value, Selection):
            if not first.same_places(value):
                raise refuse(what, "selections by one mask", "others", "use the same mask for both")
            given.append(value.array)
        else:
            order = getattr(value, "ndim", None)
            if (as_array(value).ndim if order is None else order) > behind:
                raise first.refused(what)
            given.append(value)
    return first.with_elements(function(*given))


def same(one: Node, other: Node) -> bool:
    """Whether two nodes are computed alike from the same tensors."""
    if one is other:
        return True
    shared = Shared(in_order([one, other]))
    return shared.of(one) is shared.of(other)
