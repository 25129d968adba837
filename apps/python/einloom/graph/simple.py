"""Joins in the form in which a person would write them; each has the value that it had.

Numbers are computed, also those of both branches of a `where`: `(1 - where(c, 1, 0))*-1e9` is `where(c, 0, -1e9)`. A
`where` of 1 and 0 is its condition where a condition is asked for. `x*x` is `x^2`, `-1*x` is `-x`, `1*x` and `x + 0`
are `x`, `x + -2*y` is `x - 2*y`, `1/(1 + exp(-x))` is `sigmoid(x)`.
"""
from __future__ import annotations

import math
from typing import Any, Callable, Dict, Optional

from ..expression import Call, Expression, Number

_COMPARISONS: Dict[str, Callable[[Any, Any], bool]] = {
    "<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b, ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b, "!=": lambda a, b: a != b}
_ARITHMETIC: Dict[str, Callable[[Any, Any], Any]] = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b}


def simplified(tree: Expression, real: bool = True) -> Expression:
    """The same join, written shorter; with `real`, of real numbers.

    >>> from einloom.expression import Index, Operand, text
    >>> below = Call("where", (Call(">=", (Index("i"), Index("j"))), Number(1), Number(0)))
    >>> text(simplified(Call("where", (Call("==", (below, Number(0))), Number(-1e9), Operand(0)))), "x")
    'where([i] >= [j], x, -1e9)'
    """
    if not isinstance(tree, Call):
        return tree
    call = Call(tree.name, tuple(simplified(part, real) for part in tree.args))
    if call.name in ("where", "&&", "||", "!", "logical_not"):
        call = _with_conditions(call)
    if real and call.name == "/" and _is(call.args[0], 1):
        call = _sigmoid(call.args[1]) or call
    return _of_branches(call) or _without_neutral(call)


def _with_conditions(call: Call) -> Call:
    """Conditions that are a `where` of 1 and 0 are that one's condition; of 0 and 1 the branches change places."""
    if call.name != "where":
        return Call(call.name, tuple(_condition(part) or part for part in call.args))
    condition, yes, no = call.args
    if _chooses(condition, 0, 1):
        return Call("where", (condition.args[0], no, yes))  # type: ignore[union-attr]
    return Call("where", (_condition(condition) or condition, yes, no))


def _condition(tree: Expression) -> Optional[Expression]:
    return tree.args[0] if _chooses(tree, 1, 0) and isinstance(tree, Call) else None


def _chooses(tree: Expression, yes: int, no: int) -> bool:
    return isinstance(tree, Call) and tree.name == "where" and tree.args[1:] == (Number(yes), Number(no))


def _of_branches(call: Call) -> Optional[Expression]:
    """A function of numbers, or of one `where` between numbers and of numbers, computed."""
    if all(isinstance(part, Number) for part in call.args):
        return _computed(call)
    inner = [part for part in call.args if not isinstance(part, Number)]
    if len(inner) != 1 or call.name == "where" or not isinstance(inner[0], Call) or inner[0].name != "where":
        return None
    condition, *branches = inner[0].args
    if not all(isinstance(one, Number) for one in branches):
        return None
    found = [_computed(Call(call.name, tuple(one if part is inner[0] else part for part in call.args)))
             for one in branches]
    return None if None in found else Call("where", (condition, *found))  # type: ignore[arg-type]


def _computed(call: Call) -> Optional[Number]:
    values = [part.value for part in call.args if isinstance(part, Number)]
    if any(isinstance(value, complex) for value in values):
        return None
    if call.name in _COMPARISONS:
        return Number(int(_COMPARISONS[call.name](*values)))
    if call.name == "cast_bool":
        return Number(int(bool(values[0])))
    if call.name in ("!", "logical_not"):
        return Number(int(not values[0]))
    if call.name == "neg":
        return Number(-values[0] if values[0] else 0)
    if call.name in _ARITHMETIC and len(values) == 2 and not (call.name == "/" and values[1] == 0):
        found = _ARITHMETIC[call.name](*values)
        return Number(found or 0) if math.isinf(found) or abs(found) < 2.0 ** 31 else None
    return None


def _without_neutral(call: Call) -> Expression:
    """Powers, signs, and what changes nothing."""
    name, args = call.name, call.args
    if name == "*":
        if args[0] == args[1]:
            return Call("^", (args[0], Number(2)))
        for one, other in (args, args[::-1]):
            if _is(one, 1):
                return other
        if _is(args[0], -1):
            return Call("neg", (args[1],))
    if name == "/" and _is(args[1], 1):
        return args[0]
    if name in ("+", "-") and len(args) == 2 and _is(args[1], 0):
        return args[0]
    if name == "+" and _is(args[0], 0):
        return args[1]
    if name == "+" and len(args) == 2:
        less = _negated(args[1])
        return call if less is None else Call("-", (args[0], less))
    return call


def _sigmoid(below: Expression) -> Optional[Call]:
    """sigmoid(x) of the 1 + exp(-x) that 1 is divided by."""
    if not isinstance(below, Call) or below.name != "+" or len(below.args) != 2:
        return None
    for one, other in (below.args, below.args[::-1]):
        if _is(one, 1) and isinstance(other, Call) and other.name == "exp":
            negative = _negated(other.args[0])
            return None if negative is None else Call("sigmoid", (negative,))
    return None


def _negated(tree: Expression) -> Optional[Expression]:
    """-x of an x that is written with a minus sign."""
    if isinstance(tree, Number) and isinstance(tree.value, (int, float)) and tree.value < 0:
        return Number(-tree.value)
    if isinstance(tree, Call) and tree.name == "*":
        first = _negated(tree.args[0])
        return None if first is None else _without_neutral(Call("*", (first, tree.args[1])))
    return tree.args[0] if isinstance(tree, Call) and tree.name == "neg" else None


def _is(tree: Expression, value: int) -> bool:
    return isinstance(tree, Number) and not isinstance(tree.value, complex) and tree.value == value
