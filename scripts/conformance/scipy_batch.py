"""Expressions of scipy.sparse that share a graph of one dtype: leaves that SciPy writes, nodes, expected results."""
import json
import os

import numpy as np
import scipy.io
import scipy.sparse as sp
from programs import Wrong

DENSITIES = (0, 0.02, 0.1, 0.1, 0.3, 0.6, 1)
DTYPES = {"f64": "f8", "f32": "f4", "i64": "i8", "c128": "c16"}


def as_array(value):
    return value.toarray() if sp.issparse(value) else np.asarray(value)


class Value:
    """What a name of the graph stands for; `exact`: nothing was rounded."""

    def __init__(self, name, of, text, exact=True):
        self.name, self.of, self.text, self.exact = name, of, text, exact

    @property
    def shape(self):
        return self.of.shape


class Batch:
    """A graph of one dtype, its leaves on disk, and what its outputs should be."""

    def __init__(self, dtype):
        self.dtype, self.numpy_dtype = dtype, DTYPES[dtype]
        self.tensors, self.nodes, self.expected = {}, [], {}

    def numbers(self, draw, count):
        out = np.array([draw.randint(-8, 8) for _ in range(count)], dtype=self.numpy_dtype)
        if self.dtype == "c128":
            out = out + 1j * np.array([draw.randint(-8, 8) for _ in range(count)])
        return out if self.dtype == "i64" else out / 4

    def sparse(self, draw, shape):
        name = f"T{len(self.tensors)}"
        count = round(draw.choice(DENSITIES) * shape[0] * shape[1])
        places = draw.sample(range(shape[0] * shape[1]), count)
        if draw.random() < 0.4:   # some twice: they add up
            places += draw.choices(places, k=count // 3) if places else []
        rows, columns = [at // shape[1] for at in places], [at % shape[1] for at in places]
        matrix = sp.coo_matrix((self.numbers(draw, len(places)).astype(self.numpy_dtype), (rows, columns)), shape=shape)
        kind = draw.choice(["csr", "csc", "coo", "mtx"])
        if kind == "mtx":
            scipy.io.mmwrite(f"{name}.mtx", matrix)
            read = sp.csr_matrix(scipy.io.mmread(f"{name}.mtx"), dtype=self.numpy_dtype)
            data = {"mtx": f"{name}.mtx"}
        else:
            read = matrix.asformat(kind)
            sp.save_npz(f"{name}.npz", read)
            data = {"scipy": f"{name}.npz"}
        self.tensors[name] = {"shape": list(shape), "sparse": True, "data": data}
        if kind == "mtx" and "complex" not in open(f"{name}.mtx", encoding="ascii").readline():
            self.tensors[name]["dtype"] = self.dtype
        return Value(name, sp.csr_matrix(read), name)

    def dense(self, draw, shape):
        name = f"T{len(self.tensors)}"
        array = self.numbers(draw, int(np.prod(shape))).reshape(shape).astype(self.numpy_dtype)
        np.save(f"{name}.npy", array)
        self.tensors[name] = {"shape": list(shape), "data": {"npy": f"{name}.npy"}}
        return Value(name, array, name)

    def indices(self, draw, below, count):
        name = f"T{len(self.tensors)}"
        array = np.array([draw.randrange(below) for _ in range(count)], dtype="i8")
        np.save(f"{name}.npy", array)
        self.tensors[name] = {"shape": [count], "dtype": "i64", "data": {"npy": f"{name}.npy"}}
        return Value(name, array, name)

    def node(self, keys, inputs, of, text, exact=True):
        """@param of  SciPy's result, in the graph's dtype"""
        name = f"n{len(self.nodes)}"
        self.nodes.append({"name": name, **keys, "inputs": [each.name for each in inputs]})
        of = of.asformat("csr") if sp.issparse(of) else np.asarray(of)
        return Value(name, of, text, exact and all(each.exact for each in inputs))

    def einsum(self, labels, inputs, of, text, exact=True, **keys):
        return self.node({"einsum": labels, **keys}, inputs, of, text, exact)

    def write(self):
        with open("g.json", "w", encoding="ascii") as file:
            json.dump({"eingraph": 1, "dtype": self.dtype, "tensors": self.tensors, "nodes": self.nodes,
                       "outputs": list(self.expected)}, file)


def found(name):
    """@return an output as an array, and whether it was kept sparse"""
    if not os.path.exists(f"results/{name}.npz"):
        return np.load(f"results/{name}.npy"), False
    archive = np.load(f"results/{name}.npz")
    if "coords" in archive:   # of any order but 2
        out = np.full(archive["shape"], archive["fill_value"])
        out[tuple(archive["coords"])] = archive["data"] if out.ndim else archive["data"].sum()
        return out, True
    matrix = sp.load_npz(f"results/{name}.npz")
    if matrix.format != "csr" or not matrix.has_canonical_format:
        raise Wrong(f"{name} is not a csr matrix in order")
    return matrix.toarray(), True
