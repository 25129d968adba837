"""NumPy's functions that are made of others here: sums without NaN, convolutions, products of vectors, polynomials."""
from __future__ import annotations

from typing import Any, Optional, Sequence

import numpy as np

from ..array import Array, as_array
from ..errors import refuse
from .creation import linspace
from .elementwise import FUNCTIONS, isclose, where
from .operands import normalized_axis, of_order
from .products import einsum
from .reductions import reduced
from .shapes import concat, flip, pad, ravel, reshape, stack, swapaxes


def allclose(x1: Any, x2: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Array:
    """Whether all elements are equal within tolerances."""
    return reduced("all", isclose(as_array(x1), as_array(x2), rtol, atol))


def array_equal(x1: Any, x2: Any) -> Any:
    """Whether shapes and all elements are equal."""
    a, b = as_array(x1), as_array(x2)
    return reduced("all", a == b) if a.shape == b.shape else False


def nansum(x: Any, axis: Any = None, keepdims: bool = False) -> Array:
    """The sum of what is not NaN."""
    return reduced("sum", _without_nan(x, 0), axis, keepdims)


def nanmean(x: Any, axis: Any = None, keepdims: bool = False) -> Array:
    """The mean of what is not NaN."""
    known = FUNCTIONS["logical_not"](FUNCTIONS["isnan"](as_array(x)))
    return nansum(x, axis, keepdims) / reduced("sum", known, axis, keepdims)


def nanmax(x: Any, axis: Any = None, keepdims: bool = False) -> Array:
    """The largest of what is not NaN."""
    return reduced("max", _without_nan(x, -np.inf), axis, keepdims)


def nanmin(x: Any, axis: Any = None, keepdims: bool = False) -> Array:
    """The least of what is not NaN."""
    return reduced("min", _without_nan(x, np.inf), axis, keepdims)


def _without_nan(x: Any, instead: float) -> Array:
    array = as_array(x)
    return where(FUNCTIONS["isnan"](array), instead, array)


def average(x: Any, axis: Optional[int] = None, weights: Any = None, keepdims: bool = False) -> Array:
    """The mean, or the weighted one; weights are of x's shape, or a vector along the axis."""
    array = as_array(x)
    if weights is None:
        return reduced("mean", array, axis, keepdims)
    by = as_array(weights)
    if by.ndim == 1 and array.ndim > 1:
        if axis is None:
            raise refuse("average", "an axis for a vector of weights", "none", "name the axis")
        place = normalized_axis(axis, array.ndim, "average")
        by = reshape(by, [-1 if position == place else 1 for position in range(array.ndim)])
    total = reduced("sum", by, axis if by.shape == array.shape else None, keepdims and by.shape == array.shape)
    return reduced("sum", array * by, axis, keepdims) / total


def append(x: Any, values: Any, axis: Optional[int] = None) -> Array:
    """The values behind x; flattened without an axis."""
    return concat([x, values], axis=axis)


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


def cross(a: Any, b: Any) -> Array:
    """The cross product of vectors of three elements, along the last axis."""
    x, y = as_array(a), as_array(b)
    if x.shape[-1:] != (3,) or y.shape[-1:] != (3,):
        raise refuse("cross", "three elements along the last axis", f"{x.shape} and {y.shape}", "transpose them")
    parts = [x[..., i] * y[..., j] - x[..., j] * y[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return stack(parts, axis=-1) if parts[0].ndim == 0 else stack(parts, axis=parts[0].ndim)


def fliplr(x: Any) -> Array:
    """The second axis reversed."""
    return flip(x, axis=1)


def flipud(x: Any) -> Array:
    """The first axis reversed."""
    return flip(x, axis=0)


def rot90(x: Any, k: int = 1) -> Array:
    """The first two axes turned by so many right angles."""
    array = of_order(x, 2, "rot90")
    for _ in range(k % 4):
        array = flip(swapaxes(array, 0, 1), axis=0)
    return array


def trapezoid(y: Any, x: Any = None, dx: float = 1.0) -> Array:
    """The integral along the last axis by trapezoids."""
    values = as_array(y)
    steps = dx if x is None else as_array(x)[..., 1:] - as_array(x)[..., :-1]
    return reduced("sum", (values[..., 1:] + values[..., :-1]) * steps / 2.0, -1)


trapz = trapezoid


def polyval(p: Any, x: Any) -> Any:
    """A polynomial by Horner's rule; the highest power first."""
    coefficients = list(p) if not isinstance(p, Array) else [p[place] for place in range(len(p))]
    value: Any = 0 * as_array(x)
    for coefficient in coefficients:
        value = value * x + coefficient
    return value


def vander(x: Any, N: Optional[int] = None, increasing: bool = False) -> Array:
    """Powers of a vector as columns."""
    array = of_order(x, 1, "vander", 1)
    count = array.shape[0] if N is None else N
    powers = np.arange(count) if increasing else np.arange(count)[::-1]
    return array[:, None] ** as_array(powers)[None, :]


def logspace(start: float, stop: float, num: int = 50, base: float = 10.0) -> Array:
    """Powers of a base at equal distances of the exponent."""
    return FUNCTIONS["exp"](linspace(start, stop, num) * float(np.log(base)))


def gradient(x: Any, spacing: float = 1.0, axis: int = -1) -> Array:
    """Central differences along an axis, one-sided at its ends."""
    array = as_array(x)
    before = (slice(None),) * normalized_axis(axis, array.ndim, "gradient")

    def cut(low: Optional[int], high: Optional[int]) -> Array:
        return array[before + (slice(low, high),)]

    ends = [(cut(1, 2) - cut(0, 1)) / spacing, (cut(-1, None) - cut(-2, -1)) / spacing]
    return concat([ends[0], (cut(2, None) - cut(None, -2)) / (2 * spacing), ends[1]], axis=len(before))


def select(conditions: Sequence[Any], choices: Sequence[Any], default: Any = 0) -> Any:
    """For each place the choice of the first condition that is true there."""
    value = default
    for condition, choice in reversed(list(zip(conditions, choices))):
        value = where(condition, choice, value)
    return value
