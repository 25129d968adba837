"""What NumPy has and Einloom lacks, and what to do instead."""
from __future__ import annotations

_INSTEAD = {
    "unique": "its shape depends on elements; use NumPy on the result",
    "nonzero": "its shape depends on elements; use where with three arguments",
    "linalg.svd": "write a power iteration as a loop (docs/python.md)",
    "linalg.eigh": "write a power iteration as a loop (docs/python.md)",
    "linalg.eig": "write a power iteration as a loop (docs/python.md)",
}


def missing(name: str) -> AttributeError:
    """The error for a name that is not there."""
    instead = _INSTEAD.get(name, "compute it with NumPy before or after the run")
    return AttributeError(f"einloom has no {name!r}: a graph cannot say it, or not yet; {instead}")
