"""How a tensor's data stand in a graph: small ones as values, large ones in files beside it."""
from __future__ import annotations

import errno
import os
import re
from typing import Any, Callable, Dict, List, Set

import numpy as np

from ..dtypes import kind, stored
from ..errors import InputError
from ..node import Leaf
from ..sources import Csr

_SMALL = 16  # elements that stand in the graph itself; more are easier to read in a file

_FILES = ("npy", "npz", "safetensors", "mtx", "tns", "scipy")  # keys of a tensor's data that name a file

Json = Dict[str, Any]


class DataFiles:
    """The files that a graph's tensors in memory want, by the name that the graph gives them."""

    def __init__(self, prefix: str = ""):
        self._prefix = prefix
        self.files: Dict[str, Any] = {}
        self.read: Dict[str, str] = {}  # names of tensors by the files that they are read from
        self._planned: Set[str] = set()

    def data_of(self, leaf: Leaf, name: str) -> Json:
        """The entry `data`, or nothing for a tensor that is given when the graph is run."""
        if leaf.array is None:
            self.read.update({leaf.data[key]: name for key in _FILES if leaf.data and key in leaf.data})
            return _plain(leaf.data, leaf.dtype)
        if isinstance(leaf.array, Csr):
            return {"scipy": self._file(name, ".npz", leaf)}
        if leaf.array.size <= _SMALL:
            return {"values": _values(leaf.array)}
        return {"npy": self._file(name, ".npy", leaf)}

    def write(self, folder: str, only_planned: bool = False) -> None:
        """Writes the files into a folder; only those that planning looks at, the sparse ones, if nothing is run."""
        for file, content in self.files.items():
            if only_planned and file not in self._planned:
                continue
            path = os.path.join(folder, file)
            try:
                if isinstance(content, Csr):
                    content.write(path)
                else:
                    np.save(path, content)
            except OSError as error:
                if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                    raise
                raise InputError(f"{path}: expected room for it, found {error}; free some, or set TMPDIR") from error

    def _file(self, name: str, ending: str, leaf: Leaf) -> str:
        stem = self._prefix + (re.sub(r"[^\w.-]", "_", name) or "tensor")
        file, number = stem + ending, 1
        while file in self.files:
            number += 1
            file = f"{stem}-{number}{ending}"
        self.files[file] = leaf.array
        if leaf.extra.get("sparse"):
            self._planned.add(file)
        return file


def tensor_json(leaf: Leaf, name: str, graph_type: str, data_of: Callable[[Leaf, str], Json]) -> Json:
    """A tensor's entry."""
    found: Json = {"shape": list(leaf.shape)}
    if leaf.dtype != graph_type:
        found["dtype"] = leaf.dtype
    extra = dict(leaf.extra)
    if "fill" in extra:
        extra["fill"] = _element(extra["fill"])
    found.update(extra)
    data = data_of(leaf, name)
    if data:
        found["data"] = data
    return found


def _plain(data: Any, dtype: str) -> Json:
    if data and "fill" in data:
        value = data["fill"]
        whole = kind(dtype) == "f" and float(value).is_integer() and abs(value) < 2.0 ** 53
        return {"fill": int(value) if whole and str(value) != "-0.0" else _element(value)}
    return dict(data or {})


def _values(array: np.ndarray) -> Any:
    if array.ndim == 0:
        return _element(array.item())
    return [_values(part) for part in array] if array.ndim > 1 else [_element(value) for value in array.tolist()]


def _element(value: Any) -> Any:
    if isinstance(value, complex):
        return [_element(value.real), _element(value.imag)]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def largest_type(leaves: List[Leaf]) -> str:
    """The graph's type: that of most tensors."""
    counts: Dict[str, int] = {}
    for leaf in leaves:
        counts[leaf.dtype] = counts.get(leaf.dtype, 0) + 1
    return max(counts, key=lambda dtype: (counts[dtype], stored(dtype).itemsize), default="f64")
