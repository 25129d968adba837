"""What NumPy's functions of two arguments have beside the call: `maximum.accumulate`, `add.at`, `subtract.outer`.

Example: `add.at(G, indices, values)` sums all values of one index, where `G[indices] += values` takes the last.
"""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from ..array import Array, as_array
from ..errors import refuse
from .assignment import gathered_onto
from .elementwise import FUNCTIONS, bitwise_and, bitwise_or, floor_divide, negative, power
from .reductions import FUNCTIONS as REDUCTIONS
from .reductions import cumprod, cumsum, limit, logsumexp, running
from .shapes import reshape


class Folded(NamedTuple):
    """Which aggregation a function folds to, and what it begins with (None: what is never chosen)."""

    agg: str
    begins: Any


_FOLDS = {"add": Folded("sum", 0), "multiply": Folded("prod", 1), "maximum": Folded("max", None),
          "minimum": Folded("min", None), "logical_and": Folded("all", True), "logical_or": Folded("any", False),
          "logaddexp": Folded("logsumexp", None)}
_SAME = {"fmax": "maximum", "fmin": "minimum", "bitwise_and": "logical_and", "bitwise_or": "logical_or"}


def _outer(function: Any) -> Any:
    def outer(a: Any, b: Any, /, **options: Any) -> Any:
        """The function of all pairs."""
        left, right = as_array(a), as_array(b)
        return function(reshape(left, left.shape + (1,) * right.ndim), right, **options)

    return outer


def _reduce(fold: Folded) -> Any:
    def reduce(array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
               initial: Any = None, where: Any = None) -> Any:
        """The function of all elements along axes."""
        if fold.agg == "logsumexp":
            return logsumexp(array, axis, keepdims)
        options = {"dtype": dtype} if fold.agg in ("sum", "prod") else {}
        if fold.agg not in ("any", "all"):
            options["initial"] = initial
        return REDUCTIONS[fold.agg](array, axis, out=out, keepdims=keepdims, where=where, **options)

    return reduce


def _accumulate(name: str, fold: Folded) -> Any:
    def accumulate(array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """The function of the elements up to each one."""
        if fold.agg in ("sum", "prod"):
            return (cumsum if fold.agg == "sum" else cumprod)(array, axis, dtype, out)
        if fold.agg not in ("max", "min"):
            raise refuse(f"{name}.accumulate", "add, multiply, maximum or minimum", name, "write a loop")
        given = as_array(array)
        return running(fold.agg, given, axis, limit(fold.agg, given), given.dtype)

    return accumulate


def _at(name: str, function: Any, fold: Optional[Folded]) -> Any:
    def at(a: Any, indices: Any, b: Any = None, /) -> None:
        """The function of the elements at indices and values, one after the other."""
        if not isinstance(a, Array):
            raise refuse(f"{name}.at", "a lazy array that is written on", type(a).__name__, "give tensor(...)")
        if fold is None or fold.agg not in ("sum", "prod", "max", "min"):
            raise refuse(f"{name}.at", "add, subtract, multiply, divide, maximum or minimum", name, "write a loop")
        begins = limit(fold.agg, a) if fold.begins is None else fold.begins
        a.becomes(function(a, gathered_onto(a, indices, b, fold.agg, begins)).astype(a.dtype), f"{name}.at")

    return at


def with_methods() -> None:
    """Gives the functions their methods."""
    named = {**FUNCTIONS, "bitwise_and": bitwise_and, "bitwise_or": bitwise_or, "power": power,
             "floor_divide": floor_divide, "negative": negative}
    for name, function in named.items():
        if not isinstance(getattr(np, name, None), np.ufunc) or getattr(np, name).nin != 2:
            continue
        function.outer = _outer(function)
        fold = _FOLDS.get(_SAME.get(name, name))
        if fold is not None:
            function.reduce, function.accumulate = _reduce(fold), _accumulate(name, fold)
        inverse = {"subtract": Folded("sum", 0), "divide": Folded("prod", 1)}.get(name)
        function.at = _at(name, function, fold or inverse)
