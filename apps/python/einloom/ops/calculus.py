"""Slopes, integrals and polynomials of sampled values."""
from __future__ import annotations

from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ..array import Array, as_array
from ..errors import refuse
from ..sources import zeros
from .elementwise import FUNCTIONS
from .joining import concat, diff, pad
from .operands import is_number, normalized_axes, normalized_axis, of_order
from .composed import convolve
from .reductions import reduced
from .shapes import atleast_1d, reshape


def trapezoid(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Array:
    """The integral along an axis by trapezoids."""
    values = as_array(y)
    place = normalized_axis(axis, values.ndim, "trapezoid")
    steps: Any = dx
    if x is not None:
        at = as_array(x)
        steps = diff(at, axis=-1 if at.ndim == 1 else place)
        steps = reshape(steps, (-1,) + (1,) * (values.ndim - place - 1)) if at.ndim == 1 else steps
    before = (slice(None),) * place
    sums = values[before + (slice(1, None),)] + values[before + (slice(None, -1),)]
    return reduced("sum", sums * steps / 2.0, place)


trapz = trapezoid


def gradient(f: Any, *varargs: Any, axis: Any = None, edge_order: int = 1) -> Any:
    """Central differences along each axis (a list, of several axes) or those that are named, one-sided at the ends.

    Distances are one for all, one for each axis, or the coordinates along it.
    """
    array = of_order(f, 1, "gradient")
    axes = normalized_axes(axis, array.ndim, "gradient")
    spacing = list(varargs) * (len(axes) if len(varargs) == 1 else 1) or [1.0] * len(axes)
    if len(spacing) != len(axes) or edge_order not in (1, 2):
        raise refuse("gradient", f"no distance, one, or one for each of {len(axes)} axes, and an edge_order of 1 or 2",
                     f"{len(varargs)} and {edge_order}", "name the axis")
    found = [_slopes(array, h, place, edge_order) for h, place in zip(spacing, axes)]
    return found[0] if len(found) == 1 else found


def _slopes(array: Array, h: Any, place: int, edge_order: int) -> Array:
    """By the distances before and behind each place, which may differ."""
    count = array.shape[place]
    if count < edge_order + 1:
        raise refuse("gradient", f"{edge_order + 1} elements or more along an axis", f"{count}", "leave the axis out")
    before, wide = (slice(None),) * place, (-1,) + (1,) * (array.ndim - place - 1)

    def cut(low: Optional[int], high: Optional[int]) -> Array:
        return array[before + (slice(low, high),)]

    if is_number(h) or as_array(h).ndim == 0:
        near: List[Any] = [h, h, h, h]
        middle = (cut(2, None) - cut(None, -2)) / (2.0 * h)
    else:
        step = reshape(diff(as_array(h)), wide)
        low, high = step[:-1], step[1:]
        middle = (-high / (low * (low + high)) * cut(None, -2) + (high - low) / (low * high) * cut(1, -1)
                  + low / (high * (low + high)) * cut(2, None))
        near = [step[0], step[min(1, count - 2)], step[-1], step[max(-2, 1 - count)]]
    if edge_order == 1:
        ends = [(cut(1, 2) - cut(0, 1)) / near[0], (cut(-1, None) - cut(-2, -1)) / near[2]]
    else:
        ends = [_end(cut(0, 1), cut(1, 2), cut(2, 3), near[0], near[1], 1),
                _end(cut(-1, None), cut(-2, -1), cut(-3, -2), near[2], near[3], -1)]
    return concat([ends[0], middle, ends[1]], axis=place)


def _end(first: Array, second: Array, third: Array, h1: Any, h2: Any, sign: int) -> Array:
    """The slope at an end by a parabola through three places."""
    return sign * (-(2.0 * h1 + h2) / (h1 * (h1 + h2)) * first + (h1 + h2) / (h1 * h2) * second
                   - h1 / (h2 * (h1 + h2)) * third)


# Polynomials: vectors of coefficients, the highest power first.

def _coefficients(p: Any) -> Sequence[Any]:
    return [p[place] for place in range(len(p))] if isinstance(p, Array) else list(p)


def polyval(p: Any, x: Any) -> Any:
    """A polynomial by Horner's rule."""
    value: Any = 0 * as_array(x)
    for coefficient in _coefficients(p):
        value = value * x + coefficient
    return value


def vander(x: Any, N: Optional[int] = None, increasing: bool = False) -> Array:
    """Powers of a vector as columns."""
    array = of_order(x, 1, "vander", 1)
    count = array.shape[0] if N is None else N
    powers = np.arange(count) if increasing else np.arange(count)[::-1]
    return array[:, None] ** as_array(powers)[None, :]


def polyfit(x: Any, y: Any, deg: int, rcond: Any = None, full: bool = False, w: Any = None, cov: Any = False) -> Array:
    """The polynomial of least squares through points."""
    from ..linalg import lstsq
    if full or cov is not False:
        raise refuse("polyfit", "the coefficients alone", "full or cov", "leave it out")
    powers, values = vander(as_array(x) + 0.0, deg + 1), as_array(y) + 0.0
    if w is not None:
        weights = as_array(w)
        powers = powers * weights[:, None]
        values = values * (weights if values.ndim == 1 else weights[:, None])
    scale = FUNCTIONS["sqrt"](reduced("sum", powers * powers, 0))
    found = lstsq(powers / scale, values)[0]
    return found / (scale if found.ndim == 1 else scale[:, None])


def polyder(p: Any, m: int = 1) -> Any:
    """The derivative of a polynomial."""
    found = atleast_1d(p)
    for _ in range(m):
        order = found.shape[0] - 1
        found = found[:-1] * np.arange(order, 0, -1) if order else zeros(1, dtype=found.dtype)[:0]
    return found


def polyint(p: Any, m: int = 1, k: Any = 0) -> Any:
    """The integral of a polynomial, with a constant for each time."""
    found, constants = atleast_1d(p), np.broadcast_to(np.ravel(k), m)
    for constant in constants:
        raised = found / np.arange(found.shape[0], 0, -1)
        found = concat([raised, as_array([float(constant)])])
    return found


def _as_long(a1: Any, a2: Any) -> Tuple[Array, Array]:
    x, y = atleast_1d(a1), atleast_1d(a2)
    count = max(x.shape[0], y.shape[0])
    return tuple(pad(one, (count - one.shape[0], 0)) for one in (x, y))  # type: ignore[return-value]


def polyadd(a1: Any, a2: Any) -> Array:
    """The sum of two polynomials."""
    x, y = _as_long(a1, a2)
    return x + y


def polysub(a1: Any, a2: Any) -> Array:
    """The difference of two polynomials."""
    x, y = _as_long(a1, a2)
    return x - y


def polymul(a1: Any, a2: Any) -> Array:
    """The product of two polynomials."""
    return convolve(atleast_1d(a1), atleast_1d(a2))
