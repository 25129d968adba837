"""Einsums and what is written as one: matmul, dot, outer products, contractions of many tensors."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

from ..array import Array, as_array
from ..dtypes import common, name_of
from ..errors import refuse
from ..node import Ein, Labels, Node
from . import subscripts as reading
from .elementwise import written
from .operands import is_number, letters, normalized_axes
from .shapes import ravel

_INDICES = {"argmin": "i64", "argmax": "i64", "count": "i64"}


def einsum(subscripts: Any, *operands: Any, join: Optional[str] = None, agg: str = "sum", dtype: Any = None,
           sizes: Optional[Dict[str, int]] = None, path: Any = None, optimize: Any = None, out: Any = None,
           order: Any = None, casting: Any = None) -> Array:
    """agg over the labels that the result lacks of join(operands), with NumPy's subscripts, words or lists.

    `join` is an expression of the operands x, y, z (or x0, x1, ...), default their product; `[i]` is the index of label
    i. `agg` is `sum`, `prod`, `min`, `max`, `any`, `all`, `mean`, `logsumexp`, `argmin`, ... The result has the
    operands' common type, or `dtype`: a join of comparisons wants `dtype=bool`.

    >>> import einloom as el
    >>> A, B = el.input("A", (2, 3)), el.input("B", (3, 4))
    >>> el.einsum("ij,jk->ik", A, B, join="abs(x - y)", agg="max").shape
    (2, 4)
    >>> el.einsum("batch d, d ff -> batch ff", A, B).shape
    (2, 4)
    """
    if not isinstance(subscripts, (str, dict)):
        return _interleaved([subscripts, *operands], join=join, agg=agg, dtype=dtype, sizes=sizes, path=path)
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)) and any(
            isinstance(one, Array) for one in operands[0]):
        raise refuse(f"einsum {subscripts!r}", "operands one by one", "a list of them",
                     "write einsum(subscripts, X, Y), or *operands")
    nodes = [as_array(operand).node for operand in operands]
    terms, kept = reading.parse(subscripts, [len(node.shape) for node in nodes])
    unknown = [label for label in sizes or {} if label not in {*kept, *(one for term in terms for one in term)}]
    if unknown:
        raise refuse(f"einsum {subscripts!r}, sizes", "labels of the subscripts", repr(unknown[0]), "correct the label")
    found = reading.extents(terms, [node.shape for node in nodes], kept, sizes or {}, f"einsum {subscripts!r}")
    return written(_einsum(nodes, terms, kept, found, join, agg, dtype, path or _linear(optimize)), out)


def contract(subscripts: Any, *operands: Any, optimize: Any = None, **options: Any) -> Array:
    """A contraction of many tensors, as `opt_einsum.contract`: `optimize` is a path of its linear format, or None.

    >>> import einloom as el
    >>> A, B, C = (el.input(name, (2, 2)) for name in "ABC")
    >>> el.contract("ab,bc,cd->ad", A, B, C, optimize=[(1, 2), (0, 1)]).shape
    (2, 2)
    """
    return einsum(subscripts, *operands, optimize=optimize, **options)


def _linear(optimize: Any) -> Optional[List[List[int]]]:
    """A path, where that is what was given; names of searches and truth values leave the order to the planner."""
    if optimize is None or isinstance(optimize, (str, bool, int)):
        return None
    steps = list(optimize)
    if steps and isinstance(steps[0], str):  # ["einsum_path", (0, 1), ...], as NumPy has it
        steps = steps[1:]
    return [[int(position) for position in step] for step in steps] or None


def _einsum(nodes: Sequence[Node], terms: Sequence[Labels], out: Labels, sizes: Dict[str, int], join: Optional[str],
            agg: str, dtype: Any, path: Any = None) -> Array:
    joint = common(*(node.dtype for node in nodes))
    if dtype is not None:
        found = name_of(dtype)
    elif agg in _INDICES:
        found = _INDICES[agg]
    elif agg == "mean" and joint in ("bool", "u8", "i8", "i16", "i32", "i64"):
        found = "f64"
    else:
        found = {"c64": "f32", "c128": "f64"}.get(joint, joint) if agg in ("var", "std", "norm") else joint
    return Array(Ein(list(zip(nodes, terms)), out, found, sizes, join=join, agg=agg, path=path))


def _interleaved(given: List[Any], **options: Any) -> Array:
    """einsum(A, [0, 1], B, [1, 2], [0, 2])."""
    out = given[-1] if len(given) % 2 else None
    terms = [[f"axis{label}" if isinstance(label, int) else str(label) for label in term] for term in given[1::2]]
    wanted: Any = {"in": terms}
    if out is not None:
        wanted["out"] = [f"axis{label}" if isinstance(label, int) else str(label) for label in out]
    return einsum(wanted, *given[0:len(given) // 2 * 2:2], **options)


def _transposed(a: tuple[int, ...], b: tuple[int, ...]) -> str:
    """Which factor is the other way round."""
    fitting = []
    if len(b) == 2 and a[-1] == b[-1]:
        fitting.append("the second: a @ b.T")
    if len(a) == 2 and a[0] == b[-2 if len(b) > 1 else 0]:
        fitting.append("the first: a.T @ b")
    return "transpose " + " or ".join(fitting) if fitting else "correct a shape, or transpose one of them"


def matmul(x1: Any, x2: Any, /, out: Any = None, *, dtype: Any = None, casting: Any = None, order: Any = None,
           subok: bool = True) -> Array:
    """The product of matrices, vectors or batches of matrices.

    >>> import einloom as el
    >>> (el.input("A", (5, 2, 3)) @ el.input("B", (3, 4))).shape
    (5, 2, 4)
    """
    a, b = as_array(x1).node, as_array(x2).node
    if not a.shape or not b.shape:
        raise refuse("matmul", "vectors, matrices or batches of them", "a scalar", "use * for a scalar")
    if a.shape[-1] != b.shape[-2 if len(b.shape) > 1 else 0]:
        raise refuse("matmul", "as many columns on the left as rows on the right", f"shapes {a.shape} and {b.shape}",
                     _transposed(a.shape, b.shape))
    batch = letters(max(len(a.shape), len(b.shape), 2) - 2, "ijk")
    left = batch[len(batch) - max(len(a.shape) - 2, 0):] + (("i", "j") if len(a.shape) > 1 else ("j",))
    right = batch[len(batch) - max(len(b.shape) - 2, 0):] + (("j", "k") if len(b.shape) > 1 else ("j",))
    kept = batch + (("i",) if len(a.shape) > 1 else ()) + (("k",) if len(b.shape) > 1 else ())
    sizes = reading.extents([left, right], [a.shape, b.shape], kept, {}, "matmul")
    return written(_einsum([a, b], [left, right], kept, sizes, None, "sum", dtype), out)


def dot(a: Any, b: Any, out: Any = None) -> Any:
    """NumPy's dot: a sum over the last axis of a and the last but one (or the only one) of b."""
    if is_number(a) or is_number(b):
        return written(a * b, out)
    x, y = as_array(a), as_array(b)
    if not x.ndim or not y.ndim:
        return written(x * y, out)
    summed = max(y.ndim - 2, 0)
    if x.shape[-1] != y.shape[summed]:
        raise refuse("dot", f"{x.shape[-1]} elements along axis {summed} of the second, as along the first's last axis",
                     f"shapes {x.shape} and {y.shape}", "transpose one of them (.T)")
    return written(tensordot(x, y, axes=((x.ndim - 1,), (summed,))), out)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Array:
    """Sums over pairs of axes, or over so many last and first ones."""
    x, y = as_array(a).node, as_array(b).node
    if isinstance(axes, int):
        if not 0 <= axes <= min(len(x.shape), len(y.shape)):
            raise refuse("tensordot", f"axes of both, 0 to {min(len(x.shape), len(y.shape))}", f"{axes}", "give fewer")
        axes = (range(len(x.shape) - axes, len(x.shape)), range(axes))
    of_x = normalized_axes(axes[0], len(x.shape), "tensordot")
    of_y = normalized_axes(axes[1], len(y.shape), "tensordot")
    labels = letters(len(x.shape) + len(y.shape))
    left, right = list(labels[:len(x.shape)]), list(labels[len(x.shape):])
    for one, other in zip(of_x, of_y):
        right[other] = left[one]
    out = tuple(label for label in left if label not in right) + tuple(label for label in right if label not in left)
    used = dict.fromkeys([*left, *right])
    renamed = dict(zip(used, letters(len(used))))
    terms = [tuple(renamed[label] for label in term) for term in (left, right)]
    result = tuple(renamed[label] for label in out)
    return _einsum([x, y], terms, result, reading.extents(terms, [x.shape, y.shape], result, {}, "tensordot"), None,
                   "sum", None)


def outer(a: Any, b: Any, out: Any = None) -> Array:
    """The products of all pairs."""
    return einsum("i,j->ij", ravel(a), ravel(b), out=out)


def inner(x1: Any, x2: Any) -> Any:
    """A sum over the last axes of both."""
    if is_number(x1) or is_number(x2):
        return x1 * x2
    a, b = as_array(x1), as_array(x2)
    return tensordot(a, b, axes=((a.ndim - 1,), (b.ndim - 1,)))


def vecdot(x1: Any, x2: Any, /, out: Any = None, *, axis: int = -1) -> Array:
    """The sum of conj(x1)*x2 over an axis."""
    a = as_array(x1)
    conjugate = a.conj() if a.node.dtype in ("c64", "c128") else a
    return (conjugate * x2).sum(axis=axis, out=out)


def vdot(x1: Any, x2: Any) -> Array:
    """The sum of conj(x1)*x2 over all elements."""
    return vecdot(ravel(x1), ravel(x2))


def trace(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Array:
    """The sum of a diagonal."""
    return diagonal(x, offset, axis1, axis2).sum(axis=-1, dtype=dtype, out=out)


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
    """The elements with equal indices along two axes, as the last axis."""
    array = as_array(x)
    one, other = normalized_axes((axis1, axis2), array.ndim, "diagonal")
    cut: List[slice] = [slice(None)] * array.ndim
    rows, columns = array.shape[one], array.shape[other]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    cut[one] = slice(max(-offset, 0), max(-offset, 0) + length)
    cut[other] = slice(max(offset, 0), max(offset, 0) + length)
    square = array if rows == columns and offset == 0 else array[tuple(cut)]
    labels = list(letters(array.ndim))
    labels[other] = labels[one]
    kept = tuple(label for position, label in enumerate(labels) if position not in (one, other)) + (labels[one],)
    return _einsum([square.node], [tuple(labels)], kept, dict(zip(labels, square.shape)), None, "sum", None)
