"""Arrays of indices: ranges, identities, triangles, grids. Whatever reads them computes with the index itself."""
from __future__ import annotations

import math
from typing import Any, List, Optional, Tuple

import numpy as np

from ..array import Array
from ..dtypes import name_of
from ..errors import refuse
from ..expression import Call, Expression, Index, Number, Operand
from ..node import Ein
from .operands import letters, of_order
from .shapes import broadcast_to, reshape


def _of_indices(join: Expression, labels: Any, shape: Any, dtype: str) -> Array:
    return Array(Ein([], labels, dtype, dict(zip(labels, shape)), join=join))


def arange(start: Any, /, stop: Any = None, step: Any = 1, dtype: Any = None) -> Array:
    """Numbers from start to stop, stop excluded.

    >>> arange(3, 10, 2).shape
    (4,)
    """
    if stop is None:
        start, stop = 0, start
    if step == 0:
        raise refuse("arange", "a step other than 0", "0", "use full for equal elements")
    found = name_of(np.result_type(*(np.asarray(one).dtype for one in (start, stop, step))) if dtype is None else dtype)
    tree: Expression = Index("i")
    if step != 1:
        tree = Call("*", (tree, Number(step)))
    if start != 0:
        tree = Call("+", (tree, Number(start)))
    return _of_indices(tree, ("i",), [max(math.ceil((stop - start) / step), 0)], found)


def linspace(start: float, stop: float, /, num: int = 50, endpoint: bool = True, dtype: Any = None) -> Array:
    """So many numbers at equal distances."""
    step = (stop - start) / max(num - 1 if endpoint else num, 1)
    tree = Call("+", (Call("*", (Index("i"), Number(float(step)))), Number(float(start))))
    return _of_indices(tree, ("i",), [num], "f64" if dtype is None else name_of(dtype))


def eye(rows: int, columns: Optional[int] = None, /, k: int = 0, dtype: Any = np.float64) -> Array:
    """Ones on a diagonal."""
    i, j = Index("i"), Index("j")
    on_diagonal = Call("==", (j, i if k == 0 else Call("+", (i, Number(k)))))
    return _of_indices(Call("where", (on_diagonal, Number(1), Number(0))), ("i", "j"),
                       [rows, rows if columns is None else columns], name_of(dtype))


identity = eye


def tri(rows: int, columns: Optional[int] = None, k: int = 0, dtype: Any = np.float64) -> Array:
    """Ones on and below a diagonal."""
    below = _below(Index("i"), Index("j"), k)
    return _of_indices(Call("where", (below, Number(1), Number(0))), ("i", "j"),
                       [rows, rows if columns is None else columns], name_of(dtype))


def tril(x: Any, /, k: int = 0) -> Array:
    """x on and below a diagonal, elsewhere 0."""
    return _triangle(x, k, lower=True)


def triu(x: Any, /, k: int = 0) -> Array:
    """x on and above a diagonal, elsewhere 0."""
    return _triangle(x, k - 1, lower=False)


def _triangle(x: Any, k: int, lower: bool) -> Array:
    node = of_order(x, 2, "tril and triu").node
    labels = letters(len(node.shape))
    below = _below(Index(labels[-2]), Index(labels[-1]), k)
    inside: Tuple[Expression, ...] = (Operand(0), Number(0))
    return Array(Ein([(node, labels)], labels, node.dtype, dict(zip(labels, node.shape)),
                     join=Call("where", (below, *(inside if lower else inside[::-1])))))


def _below(row: Index, column: Index, k: int) -> Expression:
    return Call(">=", (row if k == 0 else Call("+", (row, Number(k))), column))


def diag(x: Any) -> Array:
    """A matrix with a vector on its diagonal, or the diagonal of a matrix."""
    array = of_order(x, 1, "diag", 2)
    if array.ndim == 2:
        return array.diagonal()
    join = Call("where", (Call("==", (Index("i"), Index("j"))), Operand(0), Number(0)))
    return Array(Ein([(array.node, ("i",))], ("i", "j"), array.node.dtype,
                     {"i": array.shape[0], "j": array.shape[0]}, join=join))


def meshgrid(*axes: Any, indexing: str = "xy") -> List[Array]:
    """Coordinates of a grid, an array for each axis."""
    given = [of_order(axis, 1, "meshgrid", 1) for axis in axes]
    order = list(range(len(given)))
    if indexing == "xy" and len(given) > 1:
        order[0], order[1] = 1, 0
    shape = [given[place].shape[0] for place in order]
    grids = []
    for number, one in enumerate(given):
        wide = [1] * len(given)
        wide[order.index(number)] = one.shape[0]
        grids.append(broadcast_to(reshape(one, wide), shape))
    return grids
