"""What NumPy has and Einloom lacks, and what to do instead."""
from __future__ import annotations

from difflib import get_close_matches
from typing import Iterable

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


def unknown(name: str, known: Iterable[str]) -> AttributeError:
    """The error for a name that NumPy has not either."""
    near = get_close_matches(name, known, n=1)
    mend = f'did you mean "{near[0]}"?' if near else "dir(einloom) lists what there is"
    return AttributeError(f"einloom has no {name!r}, nor has NumPy; {mend}")
