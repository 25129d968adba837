"""What of `numpy.linalg` a graph can say: norms and products as einsums, solvers as loops over columns."""
from __future__ import annotations

from typing import Any, NamedTuple, Sequence, Tuple

import numpy as np

from .array import Array, as_array
from .checked import whole_number
from .dtypes import kind
from .errors import refuse
from .loops import loop
from .ops.composed import cross
from .ops.creation import arange, eye, triu
from .ops.elementwise import FUNCTIONS, where
from .ops.joining import concat
from .ops.products import diagonal, einsum, matmul, outer, tensordot, trace, vecdot
from .ops.reductions import argmax, norm
from .ops.reductions import norm as vector_norm
from .ops.shapes import matrix_transpose, reshape
from .sources import ones, zeros

__all__ = ["LinAlgError", "cholesky", "cross", "det", "diagonal", "inv", "lstsq", "matmul", "matrix_norm",
           "matrix_power", "matrix_transpose", "multi_dot", "norm", "outer", "pinv", "qr", "slogdet", "solve",
           "tensordot", "trace", "vecdot", "vector_norm"]
LinAlgError = np.linalg.LinAlgError
matrix_norm = norm


class SlogdetResult(NamedTuple):
    """What `slogdet` gives."""

    sign: Array
    logabsdet: Array


class QRResult(NamedTuple):
    """What `qr` gives."""

    Q: Array
    R: Array


def solve(a: Any, b: Any) -> Array:
    """x of a @ x = b, by Gauss's and Jordan's elimination with row exchanges, a loop over columns.

    >>> import einloom as el
    >>> el.run(el.linalg.solve(el.tensor([[2.0, 1.0], [1.0, 3.0]]), el.tensor([3.0, 4.0]))).round(6).tolist()
    [1.0, 1.0]
    """
    matrix, right = _square(a, "solve"), as_array(b)
    columns = reshape(right, [-1, 1]) if right.ndim == 1 else right
    if columns.ndim != 2 or columns.shape[0] != matrix.shape[0]:
        raise refuse("solve", f"a right side of {matrix.shape[0]} rows", f"shape {right.shape}", "transpose it")
    return reshape(_elimination(matrix, columns)[0][:, matrix.shape[0]:], right.shape)


def inv(a: Any) -> Array:
    """The inverse of a matrix."""
    matrix = _square(a, "inv")
    return _elimination(matrix, eye(matrix.shape[0], dtype=matrix.dtype))[0][:, matrix.shape[0]:]


def det(a: Any) -> Array:
    """The determinant: the product of the pivots."""
    matrix = _square(a, "det")
    return _elimination(matrix, zeros((matrix.shape[0], 0), matrix.dtype))[1]


def cholesky(a: Any, /, *, upper: bool = False) -> Array:
    """The lower triangle L of a = L @ L.T (or its transpose), of a symmetric positive definite matrix."""
    matrix = _square(a, "cholesky")
    rows = arange(matrix.shape[0])

    def step(rest: Array, lower: Array, k: Array) -> Tuple[Array, Array, Array]:
        column = _column(rest, k)
        pivot = einsum("i,->", column, k, join="where([i] == y, x, 0)", dtype=column.dtype)
        column = where(rows >= k, column / FUNCTIONS["sqrt"](pivot), 0.0)
        return rest - outer(column, column), where(rows[None, :] == k, column[:, None], lower), k + 1

    carry = (matrix, zeros(matrix.shape, matrix.dtype), zeros((), "int64"))
    lower = loop(step, carry=carry, times=matrix.shape[0])[1]
    return lower.T if upper else lower


def slogdet(a: Any) -> SlogdetResult:
    """The sign of the determinant, and the logarithm of its size."""
    matrix = _square(a, "slogdet")
    _, sign, size = _elimination(matrix, zeros((matrix.shape[0], 0), matrix.dtype), logarithm=True)
    return SlogdetResult(sign, size)


def matrix_power(a: Any, n: int) -> Array:
    """The product of so many equal matrices; of none the identity, of a negative number those of the inverse."""
    matrix, power = as_array(a), whole_number(n, "matrix_power")
    _square(matrix, "matrix_power")
    if power < 0:
        return matrix_power(inv(matrix), -power)
    if power == 0:
        return eye(matrix.shape[0], dtype=matrix.dtype)
    found, square = None, matrix
    while power:
        if power & 1:
            found = square if found is None else found @ square
        power >>= 1
        square = square @ square if power else square
    return Array(found.node)  # type: ignore[union-attr]


def multi_dot(arrays: Sequence[Any], *, out: Any = None) -> Array:
    """The product of several matrices, in the cheapest order; the first and last may be vectors."""
    given = [as_array(one) for one in arrays]
    if len(given) < 2:
        raise refuse("multi_dot", "two matrices or more", f"{len(given)}", "give them as a list")
    names = [f"axis{place}" for place in range(len(given) + 1)]
    terms = [[names[place], names[place + 1]] for place in range(len(given))]
    if given[0].ndim == 1:
        terms[0] = terms[0][1:]
    if given[-1].ndim == 1:
        terms[-1] = terms[-1][:1]
    kept = [name for name in (names[0], names[-1]) if any(name in term for term in terms)]
    return einsum({"in": terms, "out": kept}, *given, out=out)


def qr(a: Any, mode: str = "reduced") -> Any:
    """Q and R of a matrix by Householder's reflections, a loop over columns; `mode="r"` gives R alone.

    >>> import einloom as el
    >>> el.linalg.qr(el.input("A", (5, 3))).Q.shape
    (5, 3)
    """
    matrix = as_array(a)
    if matrix.ndim != 2 or mode not in ("reduced", "complete", "r") or kind(matrix.node.dtype) == "c":
        raise refuse("linalg.qr", "a real matrix, and the mode reduced, complete or r",
                     f"shape {matrix.shape} of {matrix.dtype}, {mode!r}", "correct it")
    matrix = matrix if kind(matrix.node.dtype) == "f" else matrix.astype("float64")
    count, columns = matrix.shape
    steps, rows = min(count, columns), arange(count)

    def step(upper: Array, turned: Array, k: Array) -> Tuple[Array, Array, Array]:
        column = where(rows >= k, _column(upper, k), 0.0)
        length = norm(column)
        pivot = einsum("i,->", column, k, join="where([i] == y, x, 0)", dtype=column.dtype)
        mirror = where(rows == k, column + where(pivot < 0, -length, length), column)
        squared = (mirror * mirror).sum()
        mirror = mirror * where(squared > 0, FUNCTIONS["sqrt"](2.0 / where(squared > 0, squared, 1.0)), 0.0)
        return upper - outer(mirror, mirror @ upper), turned - outer(turned @ mirror, mirror), k + 1

    carry = (matrix, eye(count, dtype=matrix.dtype), zeros((), "int64"))
    upper, turned, _ = loop(step, carry=carry, times=steps)
    kept = count if mode == "complete" else steps
    upper = triu(upper[:kept])
    return upper if mode == "r" else QRResult(turned[:, :kept], upper)


def lstsq(a: Any, b: Any, rcond: Any = None) -> Tuple[Array, Array, int, None]:
    """x of least squares of a @ x - b, for columns that are independent; the sums of squares that are left, the rank,
    and in place of singular values None."""
    matrix, right = as_array(a), as_array(b)
    if matrix.ndim != 2 or matrix.shape[0] < matrix.shape[1] or right.shape[:1] != matrix.shape[:1]:
        raise refuse("linalg.lstsq", "a matrix with as many rows as columns or more, and a right side of as many rows",
                     f"shapes {matrix.shape} and {right.shape}", "transpose it")
    q, upper = qr(matrix)
    found = solve(upper, q.T @ right)
    left = matrix @ found - right
    return found, (left * left).sum(axis=0, keepdims=right.ndim == 1), matrix.shape[1], None


def pinv(a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = None) -> Array:
    """The pseudoinverse of a matrix whose rows, or columns, are independent."""
    matrix = as_array(a)
    if matrix.ndim != 2:
        raise refuse("linalg.pinv", "a matrix", f"shape {matrix.shape}", "loop over matrices of a batch")
    if matrix.shape[0] < matrix.shape[1]:
        return pinv(matrix.T).T
    q, upper = qr(matrix)
    return solve(upper, q.T)


def _square(a: Any, what: str) -> Array:
    matrix = as_array(a)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.shape[0]:
        raise refuse(f"linalg.{what}", "a square matrix", f"shape {matrix.shape}", "loop over matrices of a batch")
    return matrix if kind(matrix.node.dtype) in "fc" else matrix.astype("float64")


def _elimination(matrix: Array, right: Array, logarithm: bool = False) -> Tuple[Array, ...]:
    """[1 | x] of [matrix | right], and the determinant (or its sign and the logarithm of its size)."""
    table = concat([matrix, right.astype(matrix.dtype)], axis=1) if right.shape[1] else matrix
    rows = arange(matrix.shape[0])

    def body(table: Array, product: Array, size: Array, k: Array) -> Tuple[Array, Array, Array, Array]:
        column = _column(table, k)
        best = argmax(where(rows >= k, abs(column), -1.0))
        row, other = _row(table, best), _row(table, k)
        pivot = einsum("i,->", column, best, join="where([i] == y, x, 0)", dtype=column.dtype)
        turned = where((rows == best)[:, None], other[None, :], table)
        factor = _column(turned, k)
        scaled = row / pivot
        cleared = where((rows == k)[:, None], scaled[None, :], turned - factor[:, None] * scaled[None, :])
        part = pivot / abs(pivot) if logarithm else pivot
        return (cleared, product * part * where(best == k, 1.0, -1.0), size + FUNCTIONS["log"](abs(pivot)), k + 1)

    def step(table: Array, product: Array, k: Array) -> Tuple[Array, Array, Array]:
        cleared, product, _, following = body(table, product, zeros((), product.dtype), k)
        return cleared, product, following

    one, first, times = ones((), matrix.dtype), zeros((), "int64"), matrix.shape[0]
    if logarithm:
        size = zeros((), abs(matrix).dtype)
        return loop(body, carry=(table, one, size, first), times=times)[:3]
    return loop(step, carry=(table, one, first), times=times)[:2]


def _column(table: Array, k: Array) -> Array:
    return einsum("ij,->i", table, k, join="where([j] == y, x, 0)", dtype=table.dtype)


def _row(table: Array, k: Array) -> Array:
    return einsum("ij,->j", table, k, join="where([i] == y, x, 0)", dtype=table.dtype)


def __getattr__(name: str) -> object:
    from .missing import missing
    raise missing(f"linalg.{name}")
