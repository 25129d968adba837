"""Names that NumPy itself answers: types, numbers' limits, printing, tests, files that are read before the run, indices
and windows that depend on shapes alone, and random arrays, which are NumPy's with NumPy's seeds.
"""
from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from .array import Array
from .dtypes import kind, stored
from .ops.composed import sliding_window_view
from .sources import random as _random

_PASSED = frozenset("""
AxisError ScalarType base_repr bartlett binary_repr blackman bool8 broadcast_shapes can_cast complexfloating dtype
diag_indices errstate euler_gamma finfo floating format_float_positional format_float_scientific genfromtxt generic
get_printoptions geterr half hamming hanning iinfo inexact index_exp int_ integer intp isscalar issubdtype iterable
kaiser little_endian loadtxt mask_indices min_scalar_type ndenumerate ndindex number printoptions promote_types s_
set_printoptions seterr sctypeDict signedinteger single double csingle cdouble float_ complex_ testing tril_indices
triu_indices unsignedinteger
""".split())


def passed(name: str) -> Any:
    """NumPy's own, or None where the name is none of these."""
    return getattr(np, name, None) if name in _PASSED else None


def result_type(*arrays_and_dtypes: Any) -> Any:
    """The type that NumPy's rules give for arrays, types and numbers."""
    return np.result_type(*(stored(one.node.dtype) if isinstance(one, Array) else one for one in arrays_and_dtypes))


def iscomplexobj(x: Any) -> bool:
    """Whether the type of elements is complex."""
    return kind(x.node.dtype) == "c" if isinstance(x, Array) else np.iscomplexobj(x)


def isrealobj(x: Any) -> bool:
    """Whether the type of elements is not complex."""
    return not iscomplexobj(x)


class Random:
    """`random((3, 4), seed=1)` is an array that the ranks make; `random.default_rng`, `random.normal` and the rest of
    `numpy.random` give NumPy's arrays, with NumPy's numbers.

    >>> Random()((2, 3), seed=1).shape, Random().default_rng(0).integers(0, 9, 2).shape
    ((2, 3), (2,))
    """

    __call__ = staticmethod(_random)

    def __getattr__(self, name: str) -> Any:
        return getattr(np.random, name)

    def __repr__(self) -> str:
        return "<einloom.random>"


lib = SimpleNamespace(stride_tricks=SimpleNamespace(sliding_window_view=sliding_window_view))
