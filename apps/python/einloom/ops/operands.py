"""What functions are given: lazy arrays, NumPy arrays, lists and numbers.

A Python number is written into the join that reads it, and takes the type of what it meets. Arrays of NumPy become
tensors of the graph.
"""
from __future__ import annotations

import math
import numbers
from typing import Any, Iterable, List, Optional, Sequence, Tuple, Union

import numpy as np

from ..array import Array, as_array
from ..checked import whole_number
from ..dtypes import result_type
from ..errors import AxisError, refuse
from ..expression import Call, Expression, Number, Operand
from ..node import Ein, Labels, Node

_LETTERS = "ijklmnopqrstuvwabcdefghxyzIJKLMNOPQRSTUVWABCDEFGHXYZ"


def letters(count: int, besides: Sequence[str] = ()) -> Labels:
    """So many labels, from i on."""
    free = [letter for letter in _LETTERS if letter not in besides]
    if count > len(free):
        free += [f"axis{number}" for number in range(count - len(free))]
    return tuple(free[:count])


def is_number(value: Any) -> bool:
    """Whether it is written into joins: numbers of Python and NumPy, and NumPy's arrays of one element and no axis."""
    if isinstance(value, np.ndarray):
        return value.ndim == 0
    return isinstance(value, (numbers.Number, np.bool_))


def node_or_number(value: Any) -> Union[Node, Any]:
    return value if is_number(value) else as_array(value).node


def python_number(value: Any) -> Any:
    return value.item() if isinstance(value, (np.generic, np.ndarray)) else value


def normalized_axis(axis: int, order: int, what: str) -> int:
    """The axis counted from the front.

    >>> normalized_axis(-1, 3, "sum")
    2
    """
    axis = whole_number(axis, what)
    if not -order <= axis < order:
        raise AxisError(f"{what}: expected a number from {-order} to {order - 1}, found {axis}; axes and indices count "
                        "from 0, from the back from -1")
    return axis % order


def normalized_axes(axes: Any, order: int, what: str) -> Tuple[int, ...]:
    """All axes where None is given."""
    if axes is None:
        return tuple(range(order))
    given = list(axes) if isinstance(axes, Iterable) and not isinstance(axes, str) else [axes]
    found = tuple(normalized_axis(axis, order, what) for axis in given)
    if len(set(found)) != len(found):
        raise refuse(what, "each axis once", f"axes {axes}", "name an axis once")
    return found


def of_order(value: Any, least: int, what: str, most: Optional[int] = None) -> Array:
    """The array, which must have so many axes."""
    array = as_array(value)
    if array.ndim < least or most is not None and array.ndim > most:
        wanted = f"{least}" if most == least else f"{least} or more" if most is None else f"{least} to {most}"
        raise refuse(what, f"an array of {wanted} axes", f"shape {array.shape}", "reshape it")
    return array


def joint_shape(what: str, shapes: Sequence[Tuple[int, ...]]) -> Tuple[int, ...]:
    """The shape to which these broadcast."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        listed = " and ".join(map(str, shapes))
        fix = "align axes from the right; extents are equal or 1"
        raise refuse(what, "shapes that broadcast", listed, fix) from None


def mapped(tree: Expression, operands: Sequence[Node], dtype: str, what: str) -> Array:
    """One element of the result for each element of the operands, which broadcast."""
    shape = joint_shape(what, [node.shape for node in operands])
    out = letters(len(shape))
    cut = [(node, out[len(out) - len(node.shape):]) for node in operands]
    return Array(Ein(cut, out, dtype, dict(zip(out, shape)), join=tree))


def applied(function: str, build: Any, *values: Any, dtype: Optional[str] = None) -> Any:
    """A function of NumPy's name: its type is asked of NumPy, its join is built of the operands."""
    if any(hasattr(type(value), "same_places") for value in values):
        from .selection import combined
        return combined(lambda *whole: applied(function, build, *whole, dtype=dtype), values, function)
    given = [node_or_number(value) for value in values]
    nodes: List[Node] = [one for one in given if isinstance(one, Node)]
    if not nodes:
        return getattr(np, function)(*values)
    if dtype is None:
        dtype = result_type(function, *(one.dtype if isinstance(one, Node) else one for one in given))
    arguments: List[Expression] = []
    for one in given:
        if isinstance(one, Node):
            arguments.append(Operand(sum(isinstance(before, Operand) for before in arguments)))
        else:
            arguments.append(Number(python_number(one)))
    return mapped(build(*arguments), nodes, dtype, function)


def call(name: str) -> Any:
    """Builds a call of that name."""
    return lambda *arguments: Call(name, arguments)


def size(shape: Sequence[int]) -> int:
    return math.prod(shape)
