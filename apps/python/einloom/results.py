"""A run's results as they are given: NumPy's arrays, and SciPy's where a sparse matrix has 0 for what it does not list.

SciPy's sparse matrices have no fill but 0, and no more than two axes: any other sparse result is given dense.
"""
from __future__ import annotations

import os
import sys
from typing import Any, Dict

import numpy as np

from .errors import refuse
from .graph.document import Document


def has_scipy() -> bool:
    from importlib.util import find_spec
    return "scipy" in sys.modules or find_spec("scipy") is not None


def read_result(folder: str, name: str, mapped: bool, sparse_arrays: bool) -> Any:
    """The result of this name. @param mapped  whether large dense ones are memory maps of their files"""
    path = os.path.join(folder, name.replace("/", "."))
    if os.path.exists(path + ".npz") and not os.path.exists(path + ".npy"):
        return _sparse_result(path + ".npz", sparse_arrays)
    return np.load(path + ".npy", mmap_mode="r" if mapped and os.path.getsize(path + ".npy") > 4096 else None)


def _sparse_result(path: str, sparse_arrays: bool) -> Any:
    """SciPy's matrix, or its array, in which * is elementwise; the dense array of what neither can say."""
    with np.load(path) as listed:
        fill = listed["fill_value"] if "fill_value" in listed else np.zeros((), listed["data"].dtype)
        if "coords" in listed:
            return _dense(listed["shape"], fill, tuple(listed["coords"]), listed["data"])
        from scipy import sparse  # type: ignore
        matrix = sparse.load_npz(path)
        if fill != 0:
            at = matrix.tocoo()
            return _dense(listed["shape"], fill, (at.row, at.col), at.data)
    of_arrays = getattr(sparse, f"{matrix.format}_array", None) if sparse_arrays else None
    return matrix if of_arrays is None else of_arrays(matrix)


def _dense(shape: Any, fill: Any, at: Any, values: np.ndarray) -> np.ndarray:
    found = np.full(shape, fill, values.dtype)
    found[at] = values
    return found


def check_room(document: Document, explanation: Dict[str, Any], memory: int) -> None:
    """Refuses, before anything runs, a sparse result that is given dense and is larger than this machine's memory.

    @param explanation  einplan's  @param memory  of this machine, in bytes
    """
    made = {entry["tensor"]: (entry, node["dtype"]) for node in explanation.get("nodes", ())
            for entry in node.get("nnz", ()) if entry["made"]}
    for key, name in document.outputs.items():
        if name not in made:
            continue
        (entry, dtype), axes = made[name], len(document.shapes[key])
        fill = entry["fill"]
        if (axes == 2 and fill == 0) or entry["dense_bytes"] <= memory:
            continue
        has_difference = axes == 2 and dtype != "bool" and not isinstance(fill, str)
        raise refuse(f"run, {key!r}", "a result that this machine's memory holds",
                     f"a sparse one {f'whose fill is {fill}' if axes == 2 else f'of {axes} axes'}, given as an array "
                     f"of {entry['dense_bytes']} bytes since SciPy has no such matrix",
                     (f"run what it is less {fill}, whose fill is 0, or " if has_difference else "") +
                     'give out="FOLDER", dense_outputs=True: a memory map of its file')


def memory_of_this_machine() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not said here
        return sys.maxsize
