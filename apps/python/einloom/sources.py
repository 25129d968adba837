"""Where tensors come from: arrays in memory, files, random numbers, sparse matrices, files that a run is given.

An array in memory is copied to a file when the graph is run; one that is a memory map of a .npy file, and what `load`
names, is read from where it lies, by every rank for itself.
"""
from __future__ import annotations

import itertools
import json
import os
import tokenize
import zipfile
import zlib
from typing import Any, Dict, Optional, Sequence, Tuple

import numpy as np

from .array import Array, as_array
from .checked import extents, one_shape, whole_number
from .draws import UNSEEDED
from .dtypes import kind, name_of, stored
from .errors import Error, refuse
from .names import name_of_argument
from .node import Leaf


def tensor(value: Any, dtype: Any = None, name: Optional[str] = None) -> Array:
    """A tensor of an array, or of nested lists. The elements are copied, but those of a memory map of a .npy file.

    >>> tensor([[1.0, 2.0], [3.0, 4.0]])
    einloom.Array(shape=(2, 2), dtype=float64)
    """
    if isinstance(value, (str, os.PathLike)):
        raise refuse("tensor", "an array, or lists of numbers", f"the text {os.fspath(value)!r}",
                     f"write load({os.fspath(value)!r}) for a file")
    if isinstance(value, Array):
        return value if dtype is None else value.astype(dtype)
    if hasattr(value, "tocsr"):
        name_there = name_of_argument(value) or "A"
        raise refuse("tensor", "an array, or lists of numbers", "a sparse matrix of SciPy's",
                     f"write sparse({name_there}), which stays sparse, or tensor({name_there}.toarray())")
    if dtype is None and isinstance(value, np.memmap):
        mapped = _mapped_file(value)
        if mapped:
            return Array(Leaf(value.shape, name_of(value.dtype), {"npy": mapped}, name=name))
    if _holds_arrays(value):
        from .ops.joining import stack
        stacked = stack([tensor(one) if isinstance(one, (list, tuple)) else one for one in value])
        return stacked if dtype is None else stacked.astype(dtype)
    wanted = None if dtype is None else name_of(dtype)
    array = _elements(value, wanted)
    found = wanted or name_of(array.dtype)
    source = name_of_argument(value) if isinstance(value, (np.ndarray, list, tuple)) else None
    return Array(Leaf(array.shape, found, array=array.astype(stored(found), copy=False), name=name, source=source))


def _elements(value: Any, wanted: Optional[str]) -> np.ndarray:
    try:
        return np.array(value, dtype=None if wanted is None else stored(wanted))
    except (TypeError, ValueError) as error:
        raise refuse("tensor", "an array, or lists of equal lengths of numbers", str(error), "correct it") from error


def _holds_arrays(value: Any) -> bool:
    """Whether there is a lazy array in nested lists."""
    return isinstance(value, (list, tuple)) and any(isinstance(one, Array) or _holds_arrays(one) for one in value)


def asarray(a: Any, dtype: Any = None, order: Any = None, *, like: Any = None, copy: Any = None,
            device: Any = None) -> Array:
    """As `tensor`; the array itself where it is one already."""
    return tensor(a, dtype)


asanyarray = ascontiguousarray = asfortranarray = asarray


def array(object: Any, dtype: Any = None, *, copy: Any = True, order: Any = None, subok: bool = False,
          ndmin: int = 0, name: Optional[str] = None, like: Any = None) -> Array:
    """As `tensor`; another array where it is one already, so that assignments to it leave that one alone.

    >>> array([1, 2, 3], ndmin=2).shape
    (1, 3)
    """
    found = tensor(object, dtype, name)
    result = Array(found.node)
    return result[(None,) * (ndmin - result.ndim)] if ndmin > result.ndim else result


def copy(a: Any, order: Any = None, subok: bool = False) -> Array:
    """The same elements; assignments to it leave the other array alone."""
    return Array(as_array(a).node)


def input(name: str, shape: Sequence[int], dtype: Any = np.float64, *, sparse: bool = False,
          listed: Optional[int] = None) -> Array:
    """A tensor that is given when the graph is run: `run(..., inputs={name: ...})` or `einrun --input NAME=FILE`.

    A sparse one lists at most so many elements; without that there is room for all of them.
    """
    if listed is not None and not sparse:
        raise refuse("input", "sparse=True beside listed", "a dense tensor", "add it, or leave listed out")
    extra: Dict[str, Any] = {"sparse": True} if sparse else {}
    if listed is not None:
        extra["listed"] = whole_number(listed, "listed", 0)
    return Array(Leaf(extents(shape), name_of(dtype), extra=extra, name=name))


_seeds = itertools.count(UNSEEDED)


def random(shape: Sequence[int], *more: Any, seed: Optional[int] = None, kind: str = "uniform", low: Any = None,
           high: Any = None, mean: Any = None, std: Any = None, density: Optional[float] = None,
           dtype: Any = np.float64, sparse: bool = False, name: Optional[str] = None) -> Array:
    """Random numbers, `uniform` from low to high (0 to 1) or `normal` with a mean and standard deviation.

    Elements depend on the seed and their place alone, so every number of ranks sees the same tensor. Without a seed
    each call has a seed of its own: two tensors differ, and the program gives the same numbers when it is run again.
    They are not those of `numpy.random`. With a `density` so many of all places have one, the rest are 0.
    """
    one_shape("random", shape, more, f", seed={more[0]!r}" if len(more) == 1 and hasattr(shape, "__len__") else "")
    data: Dict[str, Any] = {"random": kind}
    for key, value in (("low", low), ("high", high), ("mean", mean), ("std", std)):
        if value is not None:
            data[key] = value
    if isinstance(seed, Array):
        raise refuse("random, seed", "a whole number from 0 on", "a lazy array, which einloom.run computes",
                     "make those of all iterations before the loop, noise = einloom.random((times, *shape)), and read "
                     "noise[k]")
    data["seed"] = next(_seeds) if seed is None else whole_number(seed, "random, seed", 0)
    if density is not None:
        data["density"] = density
    return Array(Leaf(extents(shape), name_of(dtype), data, extra={"sparse": True} if sparse else {}, name=name))


def _type_behind(what: str, shape: Any, more: Tuple[Any, ...], dtype: Any) -> Any:
    if len(more) == 1 and dtype is None and not isinstance(more[0], (int, np.integer)):
        return more[0]
    one_shape(what, shape, more)
    return np.float64 if dtype is None else dtype


def full(shape: Any, fill_value: Any, dtype: Any = None, order: Any = None, *, like: Any = None,
         device: Any = None, name: Optional[str] = None) -> Array:
    """The same element everywhere."""
    if isinstance(fill_value, (Array, list, tuple, np.ndarray)):
        from .ops.shapes import broadcast_to
        filled = broadcast_to(as_array(fill_value), extents(shape))
        return filled if dtype is None else filled.astype(dtype)
    found = name_of(np.asarray(fill_value).dtype if dtype is None else dtype)
    value = stored(found).type(fill_value).item()
    return Array(Leaf(extents(shape), found, {"fill": value}, name=name))


def zeros(shape: Any, *more: Any, dtype: Any = None, order: Any = None, like: Any = None,
          device: Any = None) -> Array:
    """Zeros. The type may stand behind the shape, as in NumPy."""
    dtype = _type_behind("zeros", shape, more, dtype)
    return full(shape, 0, dtype)


def ones(shape: Any, *more: Any, dtype: Any = None, order: Any = None, like: Any = None,
         device: Any = None) -> Array:
    """Ones. The type may stand behind the shape, as in NumPy."""
    dtype = _type_behind("ones", shape, more, dtype)
    return full(shape, 1, dtype)


empty = zeros


def full_like(a: Any, fill_value: Any, dtype: Any = None, order: Any = None, subok: bool = True,
              shape: Any = None, device: Any = None) -> Array:
    """The same element everywhere, in the shape and type of an array."""
    model = as_array(a)
    return full(model.shape if shape is None else shape, fill_value, model.dtype if dtype is None else dtype)


def zeros_like(a: Any, dtype: Any = None, order: Any = None, subok: bool = True, shape: Any = None,
               device: Any = None) -> Array:
    """Zeros in the shape of an array."""
    return full_like(a, 0, dtype, shape=shape)


def ones_like(a: Any, dtype: Any = None, order: Any = None, subok: bool = True, shape: Any = None,
              device: Any = None) -> Array:
    """Ones in the shape of an array."""
    return full_like(a, 1, dtype, shape=shape)


empty_like = zeros_like


def load(path: "os.PathLike[str] | str", entry: Optional[str] = None, shape: Optional[Sequence[int]] = None,
         dtype: Any = None, name: Optional[str] = None, *, mmap_mode: Any = None, allow_pickle: bool = False) -> Array:
    """A tensor in a file: .npy, .npz or .safetensors (`entry` is its name there), .mtx, .tns (with a `shape`).

    Only the header is read now; ranks read their parts when the graph is run. With a `dtype` elements are converted.
    """
    path = os.path.abspath(os.fspath(path))
    data, found_shape, found_type = _header(path, entry)
    if found_shape == () and found_type == np.dtype(object):
        raise refuse(path, "an array of numbers", "one Python object, such as a dict",
                     f"of a dict of arrays write tensor(numpy.load({path!r}, allow_pickle=True).item()[NAME])")
    if shape is None and found_shape is None:
        raise refuse(path, "a shape", "a file that does not say it", "give shape=(...)")
    wanted = None if dtype is None else name_of(dtype)
    found = wanted if wanted and _lists_elements(data) else name_of(found_type)
    leaf = Leaf(extents(found_shape if shape is None else shape, path), found, data, name=name or _stem(entry or path))
    return Array(leaf) if wanted in (None, found) else Array(leaf).astype(dtype)


def _lists_elements(data: Dict[str, Any]) -> bool:
    """Of such files the programs take elements as the type that is asked for."""
    return not data.keys().isdisjoint(("mtx", "tns", "scipy"))


def sparse(value: Any, fill: Any = 0, dtype: Any = None, shape: Optional[Sequence[int]] = None,
           name: Optional[str] = None) -> Array:
    """A tensor that is kept as a list of its elements: of a SciPy matrix, a file (.mtx, .tns, .npz), or an array.

    >>> sparse(np.eye(3)).shape
    (3, 3)
    """
    extra: Dict[str, Any] = {"sparse": True, **({"fill": fill} if fill != 0 else {})}
    if isinstance(value, (str, os.PathLike)):
        node = load(value, shape=shape, dtype=dtype, name=name).node
        assert isinstance(node, Leaf)
        return Array(Leaf(node.shape, node.dtype, node.data, extra=extra, name=node.name))
    if hasattr(value, "tocsr"):
        found = name_of(value.dtype if dtype is None else dtype)
        return Array(Leaf(value.shape, found, array=Csr.of(value, found), extra=extra, name=name,
                          source=name_of_argument(value)))
    if isinstance(value, Array):
        node = value.node
        if not isinstance(node, Leaf):
            raise refuse("sparse", "a tensor", "a computed array", "results are kept sparse where that is smaller")
        return Array(Leaf(node.shape, node.dtype, node.data, node.array, extra, name or node.name, node.source))
    dense = tensor(value, dtype).node
    assert isinstance(dense, Leaf)
    return Array(Leaf(dense.shape, dense.dtype, dense.data, dense.array, extra, name, name_of_argument(value)))


class Csr:
    """A matrix by rows, as `scipy.sparse.save_npz` writes it; `is_array` of SciPy's arrays, whose * is elementwise."""

    def __init__(self, data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: Tuple[int, int],
                 is_array: bool = False):
        self.data, self.indices, self.indptr, self.shape, self.is_array = data, indices, indptr, shape, is_array

    @staticmethod
    def of(matrix: Any, dtype: str) -> Csr:
        """A matrix of SciPy's, in any of its formats."""
        is_array = any(kind.__name__.endswith("_array") for kind in type(matrix).__mro__)
        rows = matrix.tocsr()
        return Csr(np.asarray(rows.data, stored(dtype)), rows.indices, rows.indptr, rows.shape, is_array)

    def write(self, path: str) -> None:
        np.savez(path, format=np.array(b"csr"), shape=np.array(self.shape), data=self.data, indices=self.indices,
                 indptr=self.indptr)


def _stem(path: str) -> str:
    return os.path.basename(path).partition(".")[0]


def _mapped_file(array: np.memmap) -> Optional[str]:
    """The .npy file that the array is all of, if there is one."""
    if not array.filename:
        return None
    path = os.path.abspath(os.fspath(array.filename))
    try:
        whole = np.load(path, mmap_mode="r")
    except (OSError, ValueError):
        return None
    same = (whole.shape == array.shape and whole.dtype == array.dtype and whole.strides == array.strides
            and whole.offset == array.offset)
    return path if same and array.dtype.isnative else None


def _header(path: str, entry: Optional[str]) -> Tuple[Dict[str, Any], Optional[Sequence[int]], Any]:
    """The data of a leaf, and the shape and type that the file says."""
    ending = path.rpartition(".")[2]
    try:
        if ending == "npy":
            with open(path, "rb") as file:
                return ({"npy": path}, *_npy_header(file))
        if ending == "npz":
            return _npz_header(path, entry)
        if ending == "safetensors":
            return _safetensors_header(path, entry)
        if ending == "mtx":
            return ({"mtx": path}, *_mtx_header(path))
        if ending == "tns":
            return {"tns": path}, None, np.float64
    except Error:
        raise
    except (OSError, ValueError, KeyError, TypeError, AttributeError, SyntaxError, EOFError, zipfile.BadZipFile,
            zlib.error, NotImplementedError, tokenize.TokenError) as error:
        raise refuse(path, f"a {ending} file", str(error), "correct the path or write the file again") from error
    read = next((how for endings, how in _READERS.items() if ending in endings.split()), "")
    raise refuse(path, "a .npy, .npz, .safetensors, .mtx or .tns file", f".{ending}",
                 f"write tensor({read.replace('FILE', repr(path))})" if read else "convert it with numpy.save")


# How Python reads what the programs do not.
_READERS = {"h5 hdf5 hdf he5": "h5py.File(FILE)[NAME][:]", "nc nc4": "xarray.open_dataset(FILE)[NAME].to_numpy()",
            "mat": "scipy.io.loadmat(FILE)[NAME]", "zarr": "zarr.open(FILE)[:]",
            "csv": "numpy.loadtxt(FILE, delimiter=',')", "tsv txt dat": "numpy.loadtxt(FILE)",
            "parquet": "pandas.read_parquet(FILE).to_numpy()", "pt pth": "torch.load(FILE)",
            "pkl pickle": "numpy.asarray(pickle.load(open(FILE, 'rb')))"}


def _npy_header(file: Any) -> Tuple[Sequence[int], np.dtype]:
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    return shape, dtype


def _npz_header(path: str, entry: Optional[str]) -> Tuple[Dict[str, Any], Sequence[int], Any]:
    with zipfile.ZipFile(path) as archive:
        names = [name[:-4] for name in archive.namelist() if name.endswith(".npy")]
        if entry is None and {"format", "shape", "data"} <= set(names) or "coords" in names:
            with archive.open("data.npy") as file:
                _, dtype = _npy_header(file)
            with archive.open("shape.npy") as file:
                return {"scipy": path}, np.lib.format.read_array(file).tolist(), dtype
        if entry is None and len(names) == 1:
            entry = names[0]
        if entry not in names:
            raise refuse(path, f"an entry, one of {', '.join(names)}", f"{entry!r}", "give entry=NAME")
        with archive.open(f"{entry}.npy") as file:
            return ({"npz": path, "entry": entry}, *_npy_header(file))


def _safetensors_header(path: str, entry: Optional[str]) -> Tuple[Dict[str, Any], Sequence[int], str]:
    with open(path, "rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if length > 100_000_000:
            raise refuse(path, "a header of a safetensors file", f"{length} bytes", "write the file again")
        header = json.loads(file.read(length))
    if not isinstance(header, dict):
        raise ValueError("its header is no object")
    names = [name for name in header if name != "__metadata__"]
    if entry is None and len(names) == 1:
        entry = names[0]
    if entry not in names:
        raise refuse(path, f"a tensor, one of {', '.join(names[:20])}", f"{entry!r}", "give entry=NAME")
    found = header[entry]["dtype"].lower()
    return {"safetensors": path, "tensor": entry}, extents(header[entry]["shape"], f"{path}, shape of {entry!r}"), found


def _mtx_header(path: str) -> Tuple[Sequence[int], Any]:
    with open(path, encoding="utf-8") as file:
        words = file.readline().lower().split()
        if len(words) < 5 or words[0] != "%%matrixmarket":
            raise ValueError("its first line is not that of a Matrix Market file")
        for line in file:
            if line.strip() and not line.startswith("%"):
                rows, columns = line.split()[:2]
                return (int(rows), int(columns)), np.complex128 if words[3] == "complex" else np.float64
    raise ValueError("it has no line with its sizes")
