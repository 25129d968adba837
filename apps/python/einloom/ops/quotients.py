"""Joins of `//`: the quotient rounded down, of whole numbers exact in each type, and 0 where they are divided by 0.

Joins divide whole numbers as real ones, in float64. Up to 32 bits that is enough: `floor(x/y)`. A quotient of 64 bits
is rounded, and corrected by what it leaves over, which is exact in integers that wrap.

>>> from ..expression import text
>>> text(rounded_down(Operand(0), Number(3), narrow=True), "x")
'floor(x/3)'
>>> text(rounded_down(Operand(0), Number(3), narrow=False), "x")
'cast_i64(x/3) + cast_i64(floor((x - cast_i64(x/3)*3)/3))'
"""
from __future__ import annotations

import math
from typing import Mapping

from ..expression import Call, Expression, Index, Number, Operand

_EXACT = 2 ** 53  # float64 holds all whole numbers up to it
_SMALL = 2 ** 40  # what a quotient by such a number leaves over is exact in float64 too


def _call(name: str, *args: Expression) -> Expression:
    return Call(name, args)


def rounded_down(a: Expression, b: Expression, narrow: bool) -> Expression:
    """a // b. `narrow` says that float64 holds both."""
    if not isinstance(b, Number):
        inexact = _of_any(a, b) if not narrow else _floor(a, b)
        return _call("where", _call("==", b, Number(0)), Number(0), inexact)
    if b.value == 0:
        return _call("*", a, Number(0))
    if abs(b.value) == 1:
        return a if b.value == 1 else _call("neg", a)
    if narrow:
        return _floor(a, b)
    return _of_small(a, b) if abs(b.value) < _SMALL else _of_any(a, b)


def real_quotient(a: Expression, b: Expression) -> Expression:
    """a // b of real numbers: what mod takes away, divided; by infinity 0, or -1 beside the other sign."""
    exact = _call("round", _call("/", _call("-", a, _call("mod", a, b)), b))
    plain = _call("/", a, b)
    if isinstance(b, Number):
        return plain if b.value == 0 else exact if abs(b.value) < math.inf else _by_infinity(a, b)
    bounded = _call("where", _call("==", _call("abs", b), Number(math.inf)), _by_infinity(a, b), exact)
    return _call("where", _call("==", b, Number(0)), plain, bounded)


def _by_infinity(a: Expression, b: Expression) -> Expression:
    """nan of infinities, which the quotient is."""
    signs = _call("/", _call("*", _call("sign", a), _call("sign", b)), Number(2))
    return _call("floor", _call("+", signs, _call("/", a, b)))


def most(tree: Expression, sizes: Mapping[str, int]) -> float:
    """What no element's absolute value exceeds, where it is computed from indices and numbers alone; else infinity."""
    if isinstance(tree, Index):
        return sizes[tree.label]
    if isinstance(tree, Number):
        return abs(tree.value)
    if not isinstance(tree, Call) or tree.name not in ("+", "-", "*", "neg"):
        return math.inf
    bounds = [most(part, sizes) for part in tree.args]
    return math.prod(bounds) if tree.name == "*" else sum(bounds)


def is_exact(bound: float) -> bool:
    return bound < _EXACT


def _floor(a: Expression, b: Expression) -> Expression:
    return _call("floor", _call("/", a, b))


def _of_small(a: Expression, b: Expression) -> Expression:
    near = _call("cast_i64", _call("/", a, b))
    left = _call("-", a, _call("*", near, b))
    return _call("+", near, _call("cast_i64", _floor(left, b)))


def _of_any(a: Expression, b: Expression) -> Expression:
    """Exact but by the least number of 64 bits. By -1 a quotient may be 2^63, which nothing holds before it wraps."""
    near = _call("cast_i64", _floor(a, b))
    multiple = _call("-", a, _call("mod", a, b))
    left = _call("/", _call("-", multiple, _call("*", near, b)), b)
    exact = _call("+", near, _call("cast_i64", _call("round", left)))
    if isinstance(b, Number):
        return exact
    return _call("where", _call("==", _call("abs", b), Number(1)), _call("*", a, b), exact)
