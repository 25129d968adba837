"""Discrete Fourier transforms as products, n^2 operations along an axis of n elements; names as of `numpy.fft`."""
from __future__ import annotations

from typing import Any

import numpy as np

from .array import Array
from .node import Ein
from .ops.operands import letters, normalized_axis, of_order

__all__ = ["fft", "fftfreq", "ifft"]
fftfreq = np.fft.fftfreq


def fft(x: Any, axis: int = -1) -> Array:
    """The transform along an axis."""
    return _transformed(x, axis, -1)


def ifft(x: Any, axis: int = -1) -> Array:
    """The transform back."""
    return _transformed(x, axis, 1)


def _transformed(x: Any, axis: int, sign: int) -> Array:
    array = of_order(x, 1, "fft")
    place = normalized_axis(axis, array.ndim, "fft")
    labels = letters(array.ndim + 1)
    time, frequency, n = labels[place], labels[-1], array.shape[place]
    out = labels[:place] + (frequency,) + labels[place + 1:-1]
    join = f"x*exp(complex(0.0, {2 * sign}*pi*mod([{time}]*[{frequency}], {n})/{n}))" + (f"/{n}" if sign > 0 else "")
    sizes = {**dict(zip(labels, array.shape)), frequency: n}
    return Array(Ein([(array.node, labels[:-1])], out, "c128", sizes, join=join))


def __getattr__(name: str) -> object:
    from .missing import missing
    raise missing(f"fft.{name}")
