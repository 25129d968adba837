"""Arrays of indices: ranges, identities, triangles, grids. Whatever reads them computes with the index itself."""
from __future__ import annotations

import math
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from ..array import Array, as_array
from ..checked import extents, whole_number
from ..dtypes import name_of
from ..errors import refuse
from ..expression import Call, Expression, Index, Number, Operand
from ..node import Ein
from .elementwise import FUNCTIONS, where
from .joining import pad, stack
from .operands import is_number, letters, of_order
from .shapes import broadcast_to, moveaxis, ravel, reshape


def _of_indices(join: Expression, labels: Any, shape: Any, dtype: str) -> Array:
    return Array(Ein([], labels, dtype, dict(zip(labels, shape)), join=join))


def arange(start: Any = None, stop: Any = None, step: Any = 1, dtype: Any = None, *, device: Any = None,
           like: Any = None) -> Array:
    """Numbers from start to stop, stop excluded.

    >>> arange(3, 10, 2).shape
    (4,)
    """
    if stop is None:
        start, stop = 0, start
    start = 0 if start is None else start
    if any(isinstance(one, Array) for one in (start, stop, step)):
        raise refuse("arange", "numbers that are known", "a lazy array",
                         "shapes do not follow elements; of N numbers from one on write START + einloom.arange(N)")
    if step == 0:
        raise refuse("arange", "a step other than 0", "0", "use full for equal elements")
    found = name_of(np.result_type(*(np.asarray(one).dtype for one in (start, stop, step))) if dtype is None else dtype)
    tree: Expression = Index("i")
    if step != 1:
        tree = Call("*", (tree, Number(step)))
    if start != 0:
        tree = Call("+", (tree, Number(start)))
    return _of_indices(tree, ("i",), [max(math.ceil((stop - start) / step), 0)], found)


def linspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, retstep: bool = False, dtype: Any = None,
             axis: int = 0, *, device: Any = None) -> Any:
    """So many numbers at equal distances, along a new axis where the ends are arrays; with the distance if asked."""
    step = (stop - start) / max(num - 1 if endpoint else num, 1)
    if isinstance(step, (Array, np.ndarray)):
        share = arange(num, dtype=np.float64)
        begin, by = as_array(start), as_array(step)
        found = moveaxis(begin + by * reshape(share, (num,) + (1,) * by.ndim), 0, axis)
        found = found if dtype is None else found.astype(dtype)
    else:
        tree = Call("+", (Call("*", (Index("i"), Number(float(step)))), Number(float(start))))
        found = _of_indices(tree, ("i",), [num], "f64" if dtype is None else name_of(dtype))
    return (found, step) if retstep else found


def logspace(start: Any, stop: Any, num: int = 50, endpoint: bool = True, base: float = 10.0, dtype: Any = None,
             axis: int = 0) -> Array:
    """Powers of a base at equal distances of the exponent."""
    found = FUNCTIONS["exp"](linspace(start, stop, num, endpoint, axis=axis) * float(np.log(base)))
    return found if dtype is None else found.astype(dtype)


def geomspace(start: float, stop: float, num: int = 50, endpoint: bool = True, dtype: Any = None,
              axis: int = 0) -> Array:
    """So many numbers of equal quotients, from and to a positive number."""
    return logspace(np.log10(start), np.log10(stop), num, endpoint, dtype=dtype, axis=axis)


def eye(N: int, M: Optional[int] = None, k: int = 0, dtype: Any = np.float64, order: Any = None, *,
        device: Any = None, like: Any = None) -> Array:
    """Ones on a diagonal."""
    rows, columns = whole_number(N, "eye", 0), None if M is None else whole_number(M, "eye", 0)
    i, j = Index("i"), Index("j")
    on_diagonal = Call("==", (i if k == 0 else Call("+", (i, Number(k))), j))
    return _of_indices(Call("where", (on_diagonal, Number(1), Number(0))), ("i", "j"),
                       [rows, rows if columns is None else columns], name_of(dtype))


def identity(n: int, dtype: Any = np.float64, *, like: Any = None) -> Array:
    """Ones on the diagonal of a square."""
    return eye(n, dtype=dtype)


def tri(N: int, M: Optional[int] = None, k: int = 0, dtype: Any = np.float64, *, like: Any = None) -> Array:
    """Ones on and below a diagonal."""
    rows, columns = whole_number(N, "tri", 0), None if M is None else whole_number(M, "tri", 0)
    below = _below(Index("i"), Index("j"), k)
    return _of_indices(Call("where", (below, Number(1), Number(0))), ("i", "j"),
                       [rows, rows if columns is None else columns], name_of(dtype))


def tril(m: Any, k: int = 0) -> Array:
    """x on and below a diagonal, elsewhere 0."""
    return _triangle(m, k, lower=True)


def triu(m: Any, k: int = 0) -> Array:
    """x on and above a diagonal, elsewhere 0."""
    return _triangle(m, k - 1, lower=False)


def _triangle(x: Any, k: int, lower: bool) -> Array:
    node = of_order(x, 2, "tril and triu").node
    labels = letters(len(node.shape))
    below = _below(Index(labels[-2]), Index(labels[-1]), k)
    inside: Tuple[Expression, ...] = (Operand(0), Number(0))
    return Array(Ein([(node, labels)], labels, node.dtype, dict(zip(labels, node.shape)),
                     join=Call("where", (below, *(inside if lower else inside[::-1])))))


def _below(row: Index, column: Index, k: int) -> Expression:
    return Call(">=", (row if k == 0 else Call("+", (row, Number(k))), column))


def diag(v: Any, k: int = 0) -> Array:
    """A matrix with a vector on a diagonal, or a diagonal of a matrix."""
    array = of_order(v, 1, "diag", 2)
    if array.ndim == 2:
        return array.diagonal(k)
    if k:
        return _off_diagonal(array, k)
    join = Call("where", (Call("==", (Index("i"), Index("j"))), Operand(0), Number(0)))
    return Array(Ein([(array.node, ("i",))], ("i", "j"), array.node.dtype,
                     {"i": array.shape[0], "j": array.shape[0]}, join=join))


def _off_diagonal(vector: Array, k: int) -> Array:
    """The vector beside the diagonal: zeros before or behind it stand for the rows that have none."""
    rows = vector.shape[0] + abs(k)
    moved = pad(vector, (0, k) if k > 0 else (-k, 0))
    on = Call("==", (Index("j"), Call("+", (Index("i"), Number(k)))))
    join = Call("where", (on, Operand(0), Number(0)))
    return Array(Ein([(moved.node, ("i",))], ("i", "j"), vector.node.dtype, {"i": rows, "j": rows}, join=join))


def diagflat(v: Any, k: int = 0) -> Array:
    """A matrix with the flattened array on a diagonal."""
    return diag(ravel(v), k)


def fill_diagonal(a: Any, val: Any, wrap: bool = False) -> None:
    """Puts a number, or a vector, on the diagonal of a matrix."""
    if not isinstance(a, Array) or a.ndim != 2 or wrap:
        raise refuse("fill_diagonal", "a lazy matrix, and no wrap", type(a).__name__, "write where(eye(n) == 1, x, X)")
    rows = a.shape[0]
    given = as_array(val) if not is_number(val) else val
    column = given[np.arange(rows) % given.shape[0]][:, None] if isinstance(given, Array) and given.ndim else given
    a.becomes(where(eye(rows, a.shape[1], dtype=bool), column, a).astype(a.dtype), "fill_diagonal")


def meshgrid(*xi: Any, copy: bool = True, sparse: bool = False, indexing: str = "xy") -> List[Array]:
    """Coordinates of a grid, an array for each axis."""
    given = [of_order(axis, 0, "meshgrid", 1) for axis in xi]
    given = [ravel(axis) for axis in given]
    if indexing not in ("xy", "ij"):
        raise refuse("meshgrid", "the indexing xy or ij", repr(indexing), "name one of these")
    order = list(range(len(given)))
    if indexing == "xy" and len(given) > 1:
        order[0], order[1] = 1, 0
    shape = [given[place].shape[0] for place in order]
    grids = []
    for number, one in enumerate(given):
        wide = [1] * len(given)
        wide[order.index(number)] = one.shape[0]
        grids.append(reshape(one, wide) if sparse else broadcast_to(reshape(one, wide), shape))
    return grids


def indices(dimensions: Sequence[int], dtype: Any = int, sparse: bool = False) -> Any:
    """The index along each axis, at each place: along a new first axis, or (`sparse`) a tuple that broadcasts.

    >>> indices((2, 3)).shape
    (2, 2, 3)
    """
    shape = extents(dimensions, "indices")
    grids = meshgrid(*(arange(extent, dtype=dtype) for extent in shape), sparse=sparse, indexing="ij")
    return tuple(grids) if sparse else stack(grids)


def fromfunction(function: Any, shape: Sequence[int], *, dtype: Any = float, like: Any = None, **options: Any) -> Any:
    """A function of the indices, at each place."""
    grids = meshgrid(*(arange(extent, dtype=dtype) for extent in extents(shape, "fromfunction")), indexing="ij")
    return function(*grids, **options)


def ix_(*args: Any) -> Tuple[Any, ...]:
    """Indices that name a grid of rows and columns: `X[ix_(rows, columns)]`."""
    found: List[Any] = []
    for at, one in enumerate(args):
        shape = [-1 if place == at else 1 for place in range(len(args))]
        if isinstance(one, Array):
            found.append(reshape(one, shape))
            continue
        known = np.asarray(one)
        found.append(np.reshape(np.nonzero(known)[0] if known.dtype == bool else known, shape))
    return tuple(found)
