"""What of `numpy.linalg` an einsum can say. Solvers and decompositions are loops: see docs/python.md."""
from .ops.products import diagonal, matmul, outer, tensordot, trace, vecdot
from .ops.reductions import norm
from .ops.reductions import norm as vector_norm
from .ops.shapes import matrix_transpose

__all__ = ["diagonal", "matmul", "matrix_transpose", "norm", "outer", "tensordot", "trace", "vecdot", "vector_norm"]


def __getattr__(name: str) -> object:
    from .missing import missing
    raise missing(f"linalg.{name}")
