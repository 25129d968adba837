"""What of `numpy.linalg` a graph can say: norms and products as einsums, solvers as loops over columns."""
from __future__ import annotations

from typing import Any, Tuple

from .array import Array, as_array
from .dtypes import kind
from .errors import refuse
from .loops import loop
from .ops.elementwise import FUNCTIONS, where
from .ops.creation import arange, eye
from .ops.products import diagonal, einsum, matmul, outer, tensordot, trace, vecdot
from .ops.reductions import argmax, norm
from .ops.reductions import norm as vector_norm
from .ops.shapes import concat, matrix_transpose, reshape
from .sources import ones, zeros

__all__ = ["cholesky", "det", "diagonal", "inv", "matmul", "matrix_transpose", "norm", "outer", "solve", "tensordot",
           "trace", "vecdot", "vector_norm"]


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
    return reshape(_eliminated(matrix, columns)[0][:, matrix.shape[0]:], right.shape)


def inv(a: Any) -> Array:
    """The inverse of a matrix."""
    matrix = _square(a, "inv")
    return _eliminated(matrix, eye(matrix.shape[0], dtype=matrix.dtype))[0][:, matrix.shape[0]:]


def det(a: Any) -> Array:
    """The determinant: the product of the pivots."""
    matrix = _square(a, "det")
    return _eliminated(matrix, zeros((matrix.shape[0], 0), matrix.dtype))[1]


def cholesky(a: Any) -> Array:
    """The lower triangle L of a = L @ L.T, of a symmetric positive definite matrix."""
    matrix = _square(a, "cholesky")
    rows = arange(matrix.shape[0])

    def step(rest: Array, lower: Array, k: Array) -> Tuple[Array, Array, Array]:
        column = _column(rest, k)
        pivot = einsum("i,->", column, k, join="where([i] == y, x, 0)", dtype=column.dtype)
        column = where(rows >= k, column / FUNCTIONS["sqrt"](pivot), 0.0)
        return rest - outer(column, column), where(rows[None, :] == k, column[:, None], lower), k + 1

    carry = (matrix, zeros(matrix.shape, matrix.dtype), zeros((), "int64"))
    return loop(step, carry=carry, times=matrix.shape[0])[1]


def _square(a: Any, what: str) -> Array:
    matrix = as_array(a)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.shape[0]:
        raise refuse(f"linalg.{what}", "a square matrix", f"shape {matrix.shape}", "loop over matrices of a batch")
    return matrix if kind(matrix.node.dtype) in "fc" else matrix.astype("float64")


def _eliminated(matrix: Array, right: Array) -> Tuple[Array, Array]:
    """[1 | x] of [matrix | right], and the determinant."""
    table = concat([matrix, right.astype(matrix.dtype)], axis=1) if right.shape[1] else matrix
    rows = arange(matrix.shape[0])

    def step(table: Array, product: Array, k: Array) -> Tuple[Array, Array, Array]:
        column = _column(table, k)
        best = argmax(where(rows >= k, abs(column), -1.0))
        row, other = _row(table, best), _row(table, k)
        pivot = einsum("i,->", column, best, join="where([i] == y, x, 0)", dtype=column.dtype)
        turned = where((rows == best)[:, None], other[None, :], table)
        factor = _column(turned, k)
        scaled = row / pivot
        cleared = where((rows == k)[:, None], scaled[None, :], turned - factor[:, None] * scaled[None, :])
        return cleared, product * pivot * where(best == k, 1.0, -1.0), k + 1

    carry = (table, ones((), matrix.dtype), zeros((), "int64"))
    cleared, product, _ = loop(step, carry=carry, times=matrix.shape[0])
    return cleared, product


def _column(table: Array, k: Array) -> Array:
    return einsum("ij,->i", table, k, join="where([j] == y, x, 0)", dtype=table.dtype)


def _row(table: Array, k: Array) -> Array:
    return einsum("ij,->j", table, k, join="where([i] == y, x, 0)", dtype=table.dtype)


def __getattr__(name: str) -> object:
    from .missing import missing
    raise missing(f"linalg.{name}")
