"""`Array`, the lazy array: a node of the graph with NumPy's operators, methods and attributes.

Nothing is computed until `einloom.run`. Names follow the array API standard (https://data-apis.org) and NumPy.
"""
from __future__ import annotations

from importlib import import_module
from typing import Any, Iterator, Optional, Tuple

import numpy as np

from . import dtypes
from .errors import Error, refuse
from .node import Ein, Leaf, Node


class Array:
    """A tensor that is computed when the graph is run.

    >>> import einloom as el
    >>> X = el.input("X", (3, 4))
    >>> (X @ X.T + 1).shape
    (3, 3)
    >>> (X > 0).dtype
    dtype('bool')
    """

    __slots__ = ("node", "__weakref__")
    __array_priority__ = 1000.0

    def __init__(self, node: Node):
        self.node = node

    # What it is.

    @property
    def shape(self) -> Tuple[int, ...]:
        return self.node.shape

    @property
    def dtype(self) -> dtypes.DType:
        return dtypes.public(self.node.dtype)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape, dtype=object)) if self.shape else 1

    @property
    def itemsize(self) -> int:
        return self.dtype.itemsize

    @property
    def nbytes(self) -> int:
        return self.size * self.itemsize

    @property
    def device(self) -> str:
        """Where it lives, for code that follows the array API standard: wherever the plan says."""
        return "einloom"

    def named(self, name: str) -> "Array":
        """The same array, called so in the graph; it is a node of its own there."""
        self.node.name = name
        return self

    def __repr__(self) -> str:
        called = f"{self.node.variable}, " if self.node.variable else ""
        return f"einloom.Array({called}shape={self.shape}, dtype={self.dtype})"

    def _repr_html_(self) -> str:
        from .graph import graph_text
        from html import escape
        return f"<pre>{escape(repr(self))}\n{escape(graph_text(self))}</pre>"

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("len() of an array without axes")
        return self.shape[0]

    def __iter__(self) -> Iterator["Array"]:
        return (self[position] for position in range(len(self)))

    # What a lazy array cannot be asked.

    def _refused(self, what: str) -> Error:
        return refuse(what, "elements that are known", "a lazy array, which einloom.run computes",
                      "use einloom.where or einloom.loop in place of a branch, or run the graph first")

    def __bool__(self) -> bool:
        raise self._refused("bool()")

    def __float__(self) -> float:
        raise self._refused("float()")

    def __int__(self) -> int:
        raise self._refused("int()")

    def __complex__(self) -> complex:
        raise self._refused("complex()")

    def __index__(self) -> int:
        raise self._refused("an index")

    def item(self) -> Any:
        raise self._refused("item()")

    def tolist(self) -> Any:
        raise self._refused("tolist()")

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise self._refused("a NumPy array")

    # NumPy's functions, called with lazy arrays, are ours.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if method != "__call__" or options:
            return NotImplemented
        return getattr(import_module("einloom"), ufunc.__name__)(*inputs)

    def __array_function__(self, function: Any, _: Any, args: Any, options: Any) -> Any:
        inside = function.__module__ == "numpy.linalg"
        return getattr(import_module("einloom.linalg" if inside else "einloom"), function.__name__)(*args, **options)

    def __array_namespace__(self, api_version: Optional[str] = None) -> Any:
        """The module, for code that follows the array API standard."""
        return import_module("einloom")

    # Indexing; the result of an assignment takes the array's place.

    def __getitem__(self, key: Any) -> "Array":
        from .ops.indexing import item_of
        return item_of(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from .ops.indexing import with_item
        self.node = with_item(self, key, value).node

    # Shapes.

    @property
    def T(self) -> "Array":
        return _function("permute_dims")(self)

    @property
    def mT(self) -> "Array":
        return _function("matrix_transpose")(self)

    def reshape(self, *shape: Any, **_: Any) -> "Array":
        return _function("reshape")(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes: Any) -> "Array":
        return _function("permute_dims")(self, axes[0] if len(axes) == 1 else (axes or None))

    def astype(self, dtype: Any, **_: Any) -> "Array":
        return _function("astype")(self, dtype)

    def copy(self) -> "Array":
        return Array(self.node)

    def dot(self, other: Any) -> "Array":
        return _function("dot")(self, other)

    @property
    def real(self) -> "Array":
        return _function("real")(self)

    @property
    def imag(self) -> "Array":
        return _function("imag")(self)


def _function(name: str) -> Any:
    return getattr(import_module("einloom"), name)


def _method(name: str, function: Optional[str] = None) -> Any:
    def method(self: Array, *args: Any, **options: Any) -> Any:
        return _function(function or name)(self, *args, **options)

    method.__name__ = name
    method.__doc__ = f"As `einloom.{function or name}`."
    return method


def _operators(function: str) -> Tuple[Any, Any]:
    def forward(self: Array, other: Any) -> Any:
        return _function(function)(self, other)

    def backward(self: Array, other: Any) -> Any:
        return _function(function)(other, self)

    return forward, backward


for _name in ("sum prod mean var std min max any all argmin argmax squeeze ravel flatten clip round conj take repeat "
              "trace diagonal swapaxes cumsum ptp").split():
    setattr(Array, _name, _method(_name))
for _name, _of in (("add", "add"), ("sub", "subtract"), ("mul", "multiply"), ("truediv", "divide"),
                   ("floordiv", "floor_divide"), ("mod", "remainder"), ("pow", "power"), ("matmul", "matmul"),
                   ("and", "bitwise_and"), ("or", "bitwise_or"), ("xor", "bitwise_xor")):
    _forward, _backward = _operators(_of)
    setattr(Array, f"__{_name}__", _forward)
    setattr(Array, f"__r{_name}__", _backward)
for _name, _of in (("lt", "less"), ("le", "less_equal"), ("gt", "greater"), ("ge", "greater_equal"), ("eq", "equal"),
                   ("ne", "not_equal")):
    setattr(Array, f"__{_name}__", _operators(_of)[0])
for _name, _of in (("neg", "negative"), ("pos", "positive"), ("abs", "abs"), ("invert", "bitwise_invert")):
    setattr(Array, f"__{_name}__", _method(f"__{_name}__", _of))
Array.__hash__ = object.__hash__  # type: ignore[method-assign]


def as_array(value: Any, name: Optional[str] = None) -> Array:
    """A lazy array of anything that is one, a NumPy array or nested lists."""
    if isinstance(value, Array):
        return value
    from .sources import tensor
    return tensor(value, name=name)


def is_leaf(array: Array) -> bool:
    return isinstance(array.node, Leaf)


def is_ein(array: Array) -> bool:
    return isinstance(array.node, Ein)
