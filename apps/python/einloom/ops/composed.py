"""NumPy's functions that are made of others here: comparisons, sums without NaN, convolutions, products of vectors."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ..array import Array, as_array
from ..checked import extents
from ..errors import refuse
from ..sources import full_like
from .elementwise import FUNCTIONS, isclose, where
from .joining import flip, pad, stack
from .operands import normalized_axes, normalized_axis, of_order
from .products import einsum
from .reductions import FUNCTIONS as REDUCTIONS
from .reductions import argmax, argmin, cumprod, cumsum, reduced, std, var
from .shapes import broadcast_to, moveaxis, ravel, reshape, swapaxes


def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Array:
    """Whether all elements are equal within tolerances."""
    return reduced("all", isclose(a, b, rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Any:
    """Whether shapes and all elements are equal."""
    a, b = as_array(a1), as_array(a2)
    if a.shape != b.shape:
        return False
    equal = a == b
    return reduced("all", equal | ~_known(a) & ~_known(b) if equal_nan else equal)


def array_equiv(a1: Any, a2: Any) -> Any:
    """Whether arrays are equal when they are broadcast."""
    return reduced("all", as_array(a1) == as_array(a2))


def _known(x: Any) -> Array:
    return FUNCTIONS["logical_not"](FUNCTIONS["isnan"](as_array(x)))


def _without_nan(name: str, function: Any) -> Any:
    """A reduction of what is not NaN, with the parameters of the reduction."""
    def found(x: Any, *args: Any, where: Any = None, **options: Any) -> Array:
        mask = _known(x) if where is None else _known(x) & where
        return function(x, *args, where=mask, **options)

    found.__name__ = found.__qualname__ = name
    found.__wrapped__ = function  # type: ignore[attr-defined]
    found.__doc__ = f"`{name[3:]}` of what is not NaN."
    return found


WITHOUT_NAN = {f"nan{name}": _without_nan(f"nan{name}", function) for name, function in (
    *((name, REDUCTIONS[name]) for name in ("sum", "prod", "mean", "max", "min")), ("var", var), ("std", std))}


def nanargmax(x: Any, axis: Optional[int] = None, out: Any = None, *, keepdims: bool = False) -> Array:
    """Where the largest of what is not NaN is."""
    return argmax(where(_known(x), x, -np.inf), axis, out, keepdims=keepdims)


def nanargmin(x: Any, axis: Optional[int] = None, out: Any = None, *, keepdims: bool = False) -> Array:
    """Where the least of what is not NaN is."""
    return argmin(where(_known(x), x, np.inf), axis, out, keepdims=keepdims)


def nancumsum(x: Any, axis: Optional[int] = None, dtype: Any = None, out: Any = None) -> Array:
    """Sums of what is not NaN up to each element."""
    return cumsum(where(_known(x), x, 0), axis, dtype, out)


def nancumprod(x: Any, axis: Optional[int] = None, dtype: Any = None, out: Any = None) -> Array:
    """Products of what is not NaN up to each element."""
    return cumprod(where(_known(x), x, 1), axis, dtype, out)


def average(x: Any, axis: Any = None, weights: Any = None, returned: bool = False, *, keepdims: bool = False) -> Any:
    """The mean, or the weighted one; weights are of x's shape, or a vector along the axis. With their sum if asked."""
    array = as_array(x)
    if weights is None:
        mean = reduced("mean", array, axis, keepdims)
        return (mean, full_like(mean, array.size // max(mean.size, 1))) if returned else mean
    by = as_array(weights)
    if by.ndim == 1 and array.ndim > 1:
        if axis is None:
            raise refuse("average", "an axis for a vector of weights", "none", "name the axis")
        place = normalized_axis(axis, array.ndim, "average")
        by = reshape(by, [-1 if position == place else 1 for position in range(array.ndim)])
    total = reduced("sum", by, axis if by.shape == array.shape else None, keepdims and by.shape == array.shape)
    mean = reduced("sum", array * by, axis, keepdims) / total
    return (mean, broadcast_to(total, mean.shape)) if returned else mean


def convolve(a: Any, v: Any, mode: str = "full") -> Array:
    """The convolution of two vectors: `full`, `same` or `valid`.

    >>> import einloom as el
    >>> el.convolve(el.input("a", 5), el.input("v", 3)).shape
    (7,)
    """
    long, short = as_array(a), as_array(v)
    if long.ndim != 1 or short.ndim != 1 or mode not in ("full", "same", "valid"):
        raise refuse("convolve", "two vectors and a mode full, same or valid", f"{long.shape}, {short.shape}, {mode!r}",
                     "use einsum for more axes")
    if long.size < short.size:
        long, short = short, long
    width = short.size
    before = {"full": width - 1, "same": width // 2, "valid": 0}[mode]
    after = {"full": width - 1, "same": (width - 1) // 2, "valid": 0}[mode]
    if mode == "same":
        before, after = width - 1 - (width - 1) // 2, (width - 1) // 2
    padded = pad(long, (before, after)) if before or after else long
    windows = padded[np.arange(padded.size - width + 1)[:, None] + np.arange(width)]
    return windows @ flip(short)


def correlate(a: Any, v: Any, mode: str = "valid") -> Array:
    """The correlation of two vectors of real numbers, the second one not longer."""
    first, second = as_array(a), as_array(v)
    if first.size < second.size:
        raise refuse("correlate", "a second vector that is not longer", f"{first.size} and {second.size} elements",
                     "exchange them and flip the result")
    return convolve(first, flip(second), mode)


def kron(a: Any, b: Any) -> Array:
    """Kronecker's product of two matrices or two vectors."""
    x, y = as_array(a), as_array(b)
    if x.ndim == y.ndim == 1:
        return ravel(einsum("i,j->ij", x, y))
    if x.ndim != 2 or y.ndim != 2:
        raise refuse("kron", "two vectors or two matrices", f"{x.shape} and {y.shape}", "reshape them")
    return reshape(einsum("ij,kl->ikjl", x, y), [x.shape[0] * y.shape[0], x.shape[1] * y.shape[1]])


def cross(a: Any, b: Any, axisa: int = -1, axisb: int = -1, axisc: int = -1, axis: Optional[int] = None) -> Array:
    """The cross product of vectors of three elements (of two, its third element alone) along an axis."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = (moveaxis(of_order(one, 1, "cross"), at, -1) for one, at in ((a, axisa), (b, axisb)))
    if not {x.shape[-1], y.shape[-1]} <= {2, 3}:
        raise refuse("cross", "two or three elements along the axis", f"{x.shape} and {y.shape}", "name the axis")
    if x.shape[-1] == y.shape[-1] == 2:
        return x[..., 0] * y[..., 1] - x[..., 1] * y[..., 0]
    x, y = (pad(one, [(0, 0)] * (one.ndim - 1) + [(0, 1)]) if one.shape[-1] == 2 else one for one in (x, y))
    parts = [x[..., i] * y[..., j] - x[..., j] * y[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return moveaxis(stack(parts, axis=parts[0].ndim), -1, axisc)


def fliplr(m: Any) -> Array:
    """The second axis reversed."""
    return flip(m, axis=1)


def flipud(m: Any) -> Array:
    """The first axis reversed."""
    return flip(m, axis=0)


def rot90(m: Any, k: int = 1, axes: Sequence[int] = (0, 1)) -> Array:
    """Two axes turned by so many right angles."""
    array = of_order(m, 2, "rot90")
    one, other = normalized_axes(axes, array.ndim, "rot90")
    for _ in range(k % 4):
        array = swapaxes(flip(array, axis=other), one, other)
    return array


def select(condlist: Sequence[Any], choicelist: Sequence[Any], default: Any = 0) -> Any:
    """For each place the choice of the first condition that is true there."""
    value = default
    for condition, choice in reversed(list(zip(condlist, choicelist))):
        value = where(condition, choice, value)
    return value


def piecewise(x: Any, condlist: Sequence[Any], funclist: Sequence[Any], *args: Any, **options: Any) -> Any:
    """For each place the function (or number) of the last condition that is true there; one more is the default."""
    array, conditions = as_array(x), list(condlist)
    values = [one(array, *args, **options) if callable(one) else one for one in funclist]
    value: Any = values.pop() if len(values) == len(conditions) + 1 else 0
    for condition, choice in zip(conditions, values):
        value = where(condition, choice, value)
    return as_array(value).astype(array.dtype)


def apply_along_axis(func1d: Any, axis: int, arr: Any, *args: Any, **options: Any) -> Array:
    """A function of vectors, for each vector along an axis; it is called once for each."""
    array = as_array(arr)
    rows = moveaxis(array, normalized_axis(axis, array.ndim, "apply_along_axis"), -1)
    lead = rows.shape[:-1]
    found = [as_array(func1d(rows[at], *args, **options)) for at in np.ndindex(*lead)]
    joined = reshape(stack(found), lead + found[0].shape)
    return moveaxis(joined, -1, axis) if found[0].ndim == 1 else joined


def sliding_window_view(x: Any, window_shape: Any, axis: Any = None, *, subok: bool = False,
                        writeable: bool = False) -> Array:
    """All windows of a shape, whose axes come last."""
    array = as_array(x)
    axes = normalized_axes(axis, array.ndim, "sliding_window_view")
    for width, place in zip(extents(window_shape), axes):
        count = array.shape[place] - width + 1
        if count < 1:
            raise refuse("sliding_window_view", f"windows of at most {array.shape[place]}", f"{width}", "correct it")
        windows = np.arange(count)[:, None] + np.arange(width)
        array = moveaxis(array[(slice(None),) * place + (windows,)], place + 1, -1)
    return array
