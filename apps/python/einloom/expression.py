"""Joins as trees: what is computed for each combination of labels, and how it is written.

Example: `text(Call("*", (Operand(0), Call("+", (Operand(1), Number(1))))), ["x", "y"])` is "x*(y + 1)". Trees are
values: equal trees are equal, and they are substituted into one another when a node takes up what it reads.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable, Iterator, Sequence, Tuple, Union

# How tight an operator binds, as docs/graph-format/einsum.md has it.
_TIGHTNESS = {"||": 1, "&&": 2, "<": 4, "<=": 4, ">": 4, ">=": 4, "==": 4, "!=": 4, "+": 5, "-": 5, "*": 6, "/": 6,
              "neg": 7, "!": 7, "^": 8}
_CLOSED = {"*", "/", "^"}  # written without spaces around them
_ATOM = 9


@dataclass(frozen=True)
class Operand:
    """The element of an input."""

    position: int


@dataclass(frozen=True)
class Number:
    value: Union[bool, int, float, complex]


@dataclass(frozen=True)
class Index:
    """The index of a label, from 0."""

    label: str


@dataclass(frozen=True)
class Call:
    """An operator or a function of others."""

    name: str
    args: Tuple["Expression", ...]


Expression = Union[Operand, Number, Index, Call]


def product(count: int) -> Expression:
    """x*y*z, the default join of so many operands."""
    tree: Expression = Operand(0) if count else Number(1)
    for position in range(1, count):
        tree = Call("*", (tree, Operand(position)))
    return tree


def replace(tree: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The tree with its leaves changed."""
    if isinstance(tree, Call):
        return Call(tree.name, tuple(replace(part, change) for part in tree.args))
    return change(tree)


def leaves(tree: Expression) -> Iterator[Expression]:
    if isinstance(tree, Call):
        for part in tree.args:
            yield from leaves(part)
    else:
        yield tree


def operand_names(count: int) -> Sequence[str]:
    return "xyz"[:count] if count <= 3 else [f"x{position}" for position in range(count)]


def text(tree: Expression, names: Sequence[str]) -> str:
    """As it is written in a graph, with no more parentheses than it needs."""
    return _written(tree, names)[0]


def _written(tree: Expression, names: Sequence[str]) -> Tuple[str, int]:
    if isinstance(tree, Operand):
        return names[tree.position], _ATOM
    if isinstance(tree, Index):
        return f"[{tree.label}]", _ATOM
    if isinstance(tree, Number):
        return _number(tree.value)
    tight = _TIGHTNESS.get(tree.name)
    if tight is None:
        return f"{tree.name}({', '.join(text(part, names) for part in tree.args)})", _ATOM
    if len(tree.args) == 1:
        sign = "-" if tree.name == "neg" else "!"
        return sign + _within(tree.args[0], names, tight + 1), tight
    right_first = tree.name == "^"
    chain = tight == _TIGHTNESS["<"]  # comparisons would be read as a chain
    left = _within(tree.args[0], names, tight + (right_first or chain))
    right = _within(tree.args[1], names, tight + (not right_first))
    return (f"{left}{tree.name}{right}" if tree.name in _CLOSED else f"{left} {tree.name} {right}"), tight


def _within(tree: Expression, names: Sequence[str], needed: int) -> str:
    written, tight = _written(tree, names)
    return written if tight >= needed else f"({written})"


def _power_of_ten(value: Union[int, float]) -> str:
    """-1e9 for what Python writes as -1000000000.0, where it is a digit and zeros."""
    digit, _, exponent = f"{value:.0e}".partition("e")
    short = f"{digit}e{int(exponent)}"
    return short if isinstance(value, float) and float(short) == value else repr(value)


def _number(value: Union[bool, int, float, complex]) -> Tuple[str, int]:
    if isinstance(value, complex):
        return f"complex({_number(value.real)[0]}, {_number(value.imag)[0]})", _ATOM
    if isinstance(value, bool):
        value = int(value)
    if isinstance(value, float) and (math.isinf(value) or math.isnan(value)):
        written = str(value)
    elif isinstance(value, float) and value == math.pi:
        written = "pi"
    elif isinstance(value, float) and value == 2 * math.pi:
        return "2*pi", _TIGHTNESS["*"]
    else:
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 2.0 ** 31 and str(value) != "-0.0"
        written = min(str(int(value)) if whole else repr(value), _power_of_ten(value), key=len)
    return written, _TIGHTNESS["neg"] if written.startswith("-") else _ATOM
