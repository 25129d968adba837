"""`Array`, the lazy array: a node of the graph with NumPy's operators, methods and attributes.

Nothing is computed until `einloom.run`. Names follow the array API standard (https://data-apis.org) and NumPy.
"""
from __future__ import annotations

import math
import sys
from importlib import import_module
from typing import Any, Callable, Iterator, Optional, Tuple

import numpy as np

from . import dtypes
from .errors import DTypeError, NotComputed, refuse
from .node import Node


_LOOKED_UP = ("run it for its elements; a lookup A[x] in NumPy's array is einloom.tensor(A)[x], one in numpy.eye(n) "
              "einloom.eye(n)[x]")
_BESIDE_SPARSE = "beside SciPy's sparse matrix A write einloom.sparse(A), as einloom.sparse(A) @ x"
_BRANCHED = ("write einloom.where(condition, a, b) in place of a branch, einloom.loop(step, carry=..., "
             "while_=lambda ...: condition, max=1000) in place of a loop that breaks, or run the graph first")


def _function(name: str) -> Any:
    return getattr(import_module("einloom"), name)


def _method(function: str) -> Callable[..., "Array"]:
    """A method that is a function of the module."""
    def method(self: "Array", *args: Any, **options: Any) -> "Array":
        return _function(function)(self, *args, **options)

    method.__name__ = function
    method.__doc__ = f"As `einloom.{function}`."
    return method


def _operators(function: str) -> Tuple[Callable[["Array", Any], "Array"], Callable[["Array", Any], "Array"]]:
    """An operator, and the same with its operands exchanged."""
    def forward(self: "Array", other: Any) -> "Array":
        return _function(function)(self, other)

    def backward(self: "Array", other: Any) -> "Array":
        return _function(function)(other, self)

    return forward, backward


def _in_place(function: str) -> Callable[["Array", Any], "Array"]:
    """An operator that changes the array: its shape and type stay."""
    def assigned(self: "Array", other: Any) -> "Array":
        return self.becomes(_function(function)(self, other), function)

    return assigned


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
        return math.prod(self.shape)

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

    def _refused(self, what: str, mend: str = "use einloom.where or einloom.loop in place of a branch, or run the "
                                               "graph first") -> NotComputed:
        return NotComputed(f"{what}: expected elements that are known, found a lazy array, which einloom.run computes; "
                           f"{mend}")

    def __getattr__(self, name: str) -> Any:
        from .missing import missing_attribute
        raise missing_attribute(name)

    def __format__(self, form: str) -> str:
        if form:
            raise self._refused(f"a format {form!r}")
        return repr(self)

    def __bool__(self) -> bool:
        raise self._refused("bool()", _BRANCHED)

    def __float__(self) -> float:
        raise self._refused("float()")

    def __int__(self) -> int:
        raise self._refused("int()")

    def __complex__(self) -> complex:
        raise self._refused("complex()")

    def __index__(self) -> int:
        raise self._refused("an index", _LOOKED_UP)

    def item(self) -> Any:
        raise self._refused("item()")

    def tolist(self) -> Any:
        raise self._refused("tolist()")

    def __contains__(self, _: Any) -> bool:
        raise self._refused("in")

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        in_scipy = sys._getframe(1).f_globals.get("__name__", "").startswith("scipy.sparse")
        raise self._refused("a NumPy array", _BESIDE_SPARSE if in_scipy else _LOOKED_UP)

    # NumPy's functions, called with lazy arrays, are ours.

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        function = getattr(import_module("einloom"), ufunc.__name__)
        if "out" in options:  # NumPy gives a tuple
            options["out"] = options["out"][0]
        return (function if method == "__call__" else getattr(function, method))(*inputs, **options)

    def __array_function__(self, function: Any, _: Any, args: Any, options: Any) -> Any:
        module = function.__module__ or ""
        inside = next((part for part in ("linalg", "fft") if module.startswith(f"numpy.{part}")), "")
        return getattr(import_module(f"einloom.{inside}".rstrip(".")), function.__name__)(*args, **options)

    def __array_namespace__(self, api_version: Optional[str] = None) -> Any:
        """The module, for code that follows the array API standard."""
        return import_module("einloom")

    # Indexing; the result of an assignment takes the array's place.

    def __getitem__(self, key: Any) -> "Array":
        from .ops.indexing import item_of
        return item_of(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        from .ops.assignment import with_item
        self.node = with_item(self, key, value).node

    def becomes(self, value: Any, what: str) -> "Array":
        """This array with the elements of another one, whose shape and kind of type must be its own."""
        other = as_array(value)
        if other.shape != self.shape:
            raise refuse(f"{what} in place", f"a result of shape {self.shape}", f"{other.shape}",
                         "write x = x ... to get another array")
        if not dtypes.assignable(other.node.dtype, self.node.dtype):
            raise DTypeError(f"{what} in place: expected a result that {self.dtype} holds, found {other.dtype}; "
                             f"begin with .astype({str(other.dtype)!r})")
        self.node = (other if other.node.dtype == self.node.dtype else other.astype(self.dtype)).node
        return self

    # Shapes.

    @property
    def T(self) -> "Array":
        return _function("permute_dims")(self)

    @property
    def mT(self) -> "Array":
        return _function("matrix_transpose")(self)

    def reshape(self, *shape: Any, **options: Any) -> "Array":
        return _function("reshape")(self, shape[0] if len(shape) == 1 else shape, **options)

    def transpose(self, *axes: Any) -> "Array":
        return _function("permute_dims")(self, axes[0] if len(axes) == 1 else (axes or None))

    def astype(self, dtype: Any, order: Any = None, casting: Any = None, subok: bool = True,
               copy: bool = True) -> "Array":
        return _function("astype")(self, dtype)

    def copy(self, order: Any = None) -> "Array":
        return Array(self.node)

    __copy__ = copy

    def __deepcopy__(self, _: Any) -> "Array":
        return Array(self.node)

    def fill(self, value: Any) -> None:
        self[...] = value

    def sort(self, axis: int = -1, **options: Any) -> None:
        self.node = _function("sort")(self, axis, **options).node

    def dot(self, other: Any) -> "Array":
        return _function("dot")(self, other)

    sum, prod, mean, var, std = map(_method, ("sum", "prod", "mean", "var", "std"))
    min, max, any, all = map(_method, ("min", "max", "any", "all"))
    argmin, argmax, ptp, cumsum = map(_method, ("argmin", "argmax", "ptp", "cumsum"))
    squeeze, ravel, flatten, swapaxes = map(_method, ("squeeze", "ravel", "flatten", "swapaxes"))
    clip, round, conj, take, repeat = map(_method, ("clip", "round", "conj", "take", "repeat"))
    trace, diagonal, argsort, cumprod = map(_method, ("trace", "diagonal", "argsort", "cumprod"))
    conjugate, searchsorted = map(_method, ("conj", "searchsorted"))

    # Operators.

    __divmod__, __rdivmod__ = _operators("divmod")
    __iadd__, __isub__, __imul__ = map(_in_place, ("add", "subtract", "multiply"))
    __itruediv__, __ifloordiv__, __imod__ = map(_in_place, ("divide", "floor_divide", "remainder"))
    __ipow__, __imatmul__ = map(_in_place, ("power", "matmul"))
    __iand__, __ior__, __ixor__ = map(_in_place, ("bitwise_and", "bitwise_or", "bitwise_xor"))
    __add__, __radd__ = _operators("add")
    __sub__, __rsub__ = _operators("subtract")
    __mul__, __rmul__ = _operators("multiply")
    __truediv__, __rtruediv__ = _operators("divide")
    __floordiv__, __rfloordiv__ = _operators("floor_divide")
    __mod__, __rmod__ = _operators("remainder")
    __pow__, __rpow__ = _operators("power")
    __matmul__, __rmatmul__ = _operators("matmul")
    __and__, __rand__ = _operators("bitwise_and")
    __or__, __ror__ = _operators("bitwise_or")
    __xor__, __rxor__ = _operators("bitwise_xor")
    __lshift__, __rlshift__ = _operators("left_shift")
    __rshift__, __rrshift__ = _operators("right_shift")
    __lt__, __gt__ = _operators("less")[0], _operators("greater")[0]
    __le__, __ge__ = _operators("less_equal")[0], _operators("greater_equal")[0]
    __neg__, __pos__, __abs__, __invert__ = map(_method, ("negative", "positive", "abs", "bitwise_invert"))
    __hash__ = object.__hash__

    def __eq__(self, other: Any) -> "Array":  # type: ignore[override]
        return _function("equal")(self, other)

    def __ne__(self, other: Any) -> "Array":  # type: ignore[override]
        return _function("not_equal")(self, other)

    @property
    def real(self) -> "Array":
        return _function("real")(self)

    @property
    def imag(self) -> "Array":
        return _function("imag")(self)


def as_array(value: Any, name: Optional[str] = None) -> Array:
    """A lazy array of anything that is one, a NumPy array or nested lists."""
    if isinstance(value, Array):
        return value
    if hasattr(value, "same_places"):
        raise value.refused("an array")
    from .sources import tensor
    return tensor(value, name=name)
