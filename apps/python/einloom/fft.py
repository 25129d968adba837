"""Discrete Fourier transforms as products, n^2 operations along an axis of n elements; names as of `numpy.fft`."""
from __future__ import annotations

from typing import Any, Optional

import numpy as np

from .array import Array, as_array
from .checked import whole_number
from .errors import refuse
from .node import Ein
from .ops.joining import concat, flip, pad, roll
from .ops.operands import letters, normalized_axes, normalized_axis, of_order

__all__ = ["fft", "fft2", "fftfreq", "fftn", "fftshift", "ifft", "ifft2", "ifftn", "ifftshift", "irfft", "rfft",
           "rfftfreq"]
fftfreq, rfftfreq = np.fft.fftfreq, np.fft.rfftfreq


def fft(a: Any, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None) -> Array:
    """The transform along an axis, which is cut or filled with zeros to n elements."""
    return _transformed(a, n, axis, -1, norm)


def ifft(a: Any, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None) -> Array:
    """The transform back."""
    return _transformed(a, n, axis, 1, norm)


def rfft(a: Any, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None) -> Array:
    """The transform of real numbers: its first half, of which the other one is the conjugate."""
    array = as_array(a)
    place = normalized_axis(axis, array.ndim, "rfft")
    count = array.shape[place] if n is None else n
    return fft(array, n, place, norm)[(slice(None),) * place + (slice(0, count // 2 + 1),)]


def irfft(a: Any, n: Optional[int] = None, axis: int = -1, norm: Optional[str] = None) -> Array:
    """The real numbers, n of them, whose transform begins so."""
    array = as_array(a)
    place = normalized_axis(axis, array.ndim, "irfft")
    count = 2 * (array.shape[place] - 1) if n is None else n
    before = (slice(None),) * place
    half = _of_length(array, count // 2 + 1, place)
    rest = flip(half[before + (slice(1, (count + 1) // 2),)], axis=place).conj()
    return ifft(concat([half, rest], axis=place), None, place, norm).real


def fftn(a: Any, s: Any = None, axes: Any = None, norm: Optional[str] = None) -> Array:
    """The transform along several axes, by default all."""
    return _several(fft, a, s, axes, norm)


def ifftn(a: Any, s: Any = None, axes: Any = None, norm: Optional[str] = None) -> Array:
    """The transform back along several axes, by default all."""
    return _several(ifft, a, s, axes, norm)


def fft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Optional[str] = None) -> Array:
    """The transform along two axes."""
    return _several(fft, a, s, axes, norm)


def ifft2(a: Any, s: Any = None, axes: Any = (-2, -1), norm: Optional[str] = None) -> Array:
    """The transform back along two axes."""
    return _several(ifft, a, s, axes, norm)


def _several(function: Any, a: Any, s: Any, axes: Any, norm: Optional[str]) -> Array:
    array = as_array(a)
    places = normalized_axes(axes, array.ndim, "fft")
    for place, count in zip(places, [None] * len(places) if s is None else s):
        array = function(array, count, place, norm)
    return array


def fftshift(x: Any, axes: Any = None) -> Array:
    """The zero frequency in the middle."""
    array = as_array(x)
    places = normalized_axes(axes, array.ndim, "fftshift")
    return roll(array, [array.shape[place] // 2 for place in places], places)


def ifftshift(x: Any, axes: Any = None) -> Array:
    """The zero frequency back in front."""
    array = as_array(x)
    places = normalized_axes(axes, array.ndim, "ifftshift")
    return roll(array, [-(array.shape[place] // 2) for place in places], places)


def _of_length(array: Array, count: int, place: int) -> Array:
    extent = array.shape[place]
    if count <= extent:
        return array[(slice(None),) * place + (slice(0, count),)]
    return pad(array, [(0, count - extent if at == place else 0) for at in range(array.ndim)])


def _transformed(x: Any, count: Optional[int], axis: int, sign: int, norm: Optional[str]) -> Array:
    array = of_order(x, 1, "fft")
    place = normalized_axis(axis, array.ndim, "fft")
    if norm not in (None, "backward", "ortho", "forward"):
        raise refuse("fft", "the norm backward, ortho or forward", repr(norm), "name one of these")
    array = array if count is None else _of_length(array, whole_number(count, "fft, n", 1), place)
    labels = letters(array.ndim + 1)
    time, frequency, n = labels[place], labels[-1], array.shape[place]
    out = labels[:place] + (frequency,) + labels[place + 1:-1]
    join = f"x*exp(complex(0.0, {2 * sign}*pi*mod([{time}]*[{frequency}], {n})/{n}))"
    divided = {"ortho": f"/sqrt({n})", "forward": f"/{n}" if sign < 0 else ""}
    join += divided.get(norm or "", f"/{n}" if sign > 0 else "")
    sizes = {**dict(zip(labels, array.shape)), frequency: n}
    return Array(Ein([(array.node, labels[:-1])], out, "c128", sizes, join=join))


def __getattr__(name: str) -> object:
    from .missing import missing
    raise missing(f"fft.{name}")
