"""Whole numbers that people give: extents, axes, counts of iterations and ranks."""
from __future__ import annotations

import functools
import operator
from typing import Any, Callable, Optional, Tuple, TypeVar, cast

import numpy as np

from .errors import NotComputed, refuse


def whole_number(value: Any, what: str, least: Optional[int] = None) -> int:
    """The number, as Python has it.

    >>> whole_number(3, "times", 0)
    3
    """
    wanted = "a whole number" if least is None else f"a whole number from {least} on"
    try:
        number = operator.index(value)
    except NotComputed:
        raise _computed(what, wanted) from None
    except TypeError:
        mend = "give one; use // to divide"
        if isinstance(value, str):
            mend = f"write {value}, without quotes" if value.strip().isdigit() else "give a number"
        raise refuse(what, wanted, repr(value), mend) from None
    if least is not None and number < least:
        raise refuse(what, wanted, str(number), "give one")
    return number


def _computed(what: str, wanted: str) -> Exception:
    return refuse(what, wanted, "a lazy array, which einloom.run computes",
                  "give a number: what is planned before the run does not follow elements")


Function = TypeVar("Function", bound=Callable[..., Any])


def by_axis(function: Function) -> Function:
    """The same function, which takes PyTorch's `dim` and `keepdim` as `axis` and `keepdims`.

    >>> by_axis(lambda x, axis=None: axis)(1, dim=2)
    2
    """
    @functools.wraps(function)
    def either(*given: Any, **named: Any) -> Any:
        for other, ours in (("dim", "axis"), ("keepdim", "keepdims")):
            if other in named and ours not in named:
                named[ours] = named.pop(other)
        return function(*given, **named)
    return cast(Function, either)


def extents(shape: Any, what: str = "a shape", least: int = 0) -> Tuple[int, ...]:
    """A shape, of which a single number is one axis.

    >>> extents(3), extents([2, 3])
    ((3,), (2, 3))
    """
    try:
        return tuple(map(operator.index, shape)) if min(shape, default=0) >= least else _refused(shape, what, least)
    except NotComputed:
        raise _computed(what, f"extents from {least} on") from None
    except TypeError:
        pass
    if isinstance(shape, str) or not hasattr(shape, "__iter__"):
        return (whole_number(shape, what, least),)
    return tuple(whole_number(extent, what, least) for extent in shape)


def _refused(shape: Any, what: str, least: int) -> Tuple[int, ...]:
    raise refuse(what, f"extents from {least} on", f"{tuple(shape)}", "correct it")


def one_shape(what: str, shape: Any, more: Tuple[Any, ...], others: str = "") -> None:
    """Refuses extents that are listed one by one; other arguments have names.

    >>> one_shape("zeros", (3, 4), ())
    """
    if not more:
        return
    listed = all(isinstance(one, (int, np.integer)) for one in (shape, *more))
    written = ", ".join(map(repr, (shape, *more) if listed else (shape,)))
    raise refuse(what, "a shape, and all else by name", f"{1 + len(more)} arguments without a name",
                 f"write {what}({f'({written})' if listed else written}{others})")
