#!/usr/bin/env python3
"""Compares sparse EinSums with scipy.sparse, which shares nothing with ours: scipy_sparse.py BIN MPIEXEC

Products, elementwise functions of one and two matrices, sums, transposes, diagonals, moves and chains, at densities
from empty to full, in f64 and f32, on 1 and 3 ranks. Operands are .npz files of scipy.sparse; results are .npz where
they are kept sparse, .npy elsewhere; einplan's bounds must hold. Exits with 77 (skipped) where SciPy is missing.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy.sparse as sp
except ImportError:
    print("skipped: SciPy is not installed")
    sys.exit(77)

ROWS, INNER, COLUMNS, WIDTH = 23, 19, 17, 5
DENSITIES = (0, 0.01, 0.08, 0.4, 1)
RANKS = (1, 3)


# Functions of one argument that are 0 at 0, which SciPy has for what is listed.
def unary():
    for name, function in {"sin": "sin", "tan": "tan", "arcsinh": "asinh", "tanh": "tanh", "expm1": "expm1",
                           "floor": "floor", "ceil": "ceil", "sign": "sign"}.items():
        yield ("ij->ij", ["A"], {"join": f"{function}(x)"}, lambda m, name=name: getattr(m["A"], name)())
    yield ("ij->ij", ["A"], {"join": "abs(x)"}, lambda m: abs(m["A"]))
    yield ("ij->ij", ["A"], {"join": "x*x"}, lambda m: m["A"].power(2))
    yield ("ij->ij", ["A"], {"join": "-2.5*x"}, lambda m: m["A"] * -2.5)
    yield ("ij->ji", ["A"], {}, lambda m: m["A"].T)


def binary():
    yield ("ij,ij->ij", ["A", "D"], {}, lambda m: m["A"].multiply(m["D"]))
    yield ("ij,ij->ij", ["A", "D"], {"join": "x+y"}, lambda m: m["A"] + m["D"])
    yield ("ij,ij->ij", ["A", "D"], {"join": "x-y"}, lambda m: m["A"] - m["D"])
    yield ("ij,ij->ij", ["A", "D"], {"join": "max(x, y)"}, lambda m: m["A"].maximum(m["D"]))
    yield ("ij,ij->ij", ["A", "D"], {"join": "min(x, y)"}, lambda m: m["A"].minimum(m["D"]))
    yield ("ij,ij->ji", ["A", "D"], {"join": "x+3*y"}, lambda m: (m["A"] + 3 * m["D"]).T)
    yield ("ij,i->ij", ["A", "u"], {}, lambda m: m["A"].multiply(m["u"][:, None]))
    yield ("ij,j->ij", ["A", "v"], {}, lambda m: m["A"].multiply(m["v"][None, :]))
    yield ("ij,j->ji", ["A", "v"], {}, lambda m: m["A"].multiply(m["v"][None, :]).T)


def products():
    yield ("ij,jk->ik", ["A", "B"], {}, lambda m: m["A"] @ m["B"])
    yield ("ij,jk->ki", ["A", "B"], {}, lambda m: (m["A"] @ m["B"]).T)
    yield ("ij,ik->jk", ["A", "D"], {}, lambda m: m["A"].T @ m["D"])
    yield ("ij,kj->ik", ["A", "D"], {}, lambda m: m["A"] @ m["D"].T)
    yield ("ij,jr->ir", ["A", "X"], {}, lambda m: m["A"] @ m["X"])
    yield ("ij,ir->jr", ["A", "U"], {}, lambda m: m["A"].T @ m["U"])
    yield ("ij,j->i", ["A", "v"], {}, lambda m: m["A"] @ m["v"])
    yield ("ij,i->j", ["A", "u"], {}, lambda m: m["A"].T @ m["u"])
    yield ("ij,ir,jr->ij", ["A", "U", "X"], {}, lambda m: m["A"].multiply(m["U"] @ m["X"].T))
    yield ("ij,ij->i", ["A", "D"], {}, lambda m: np.asarray(m["A"].multiply(m["D"]).sum(1)).ravel())


def sums():
    yield ("ij->i", ["A"], {}, lambda m: np.asarray(m["A"].sum(1)).ravel())
    yield ("ij->j", ["A"], {}, lambda m: np.asarray(m["A"].sum(0)).ravel())
    yield ("ij->", ["A"], {}, lambda m: np.asarray(m["A"].sum()))
    yield ("ii->i", ["Q"], {}, lambda m: m["Q"].diagonal())
    yield ("ii->", ["Q"], {}, lambda m: np.asarray(m["Q"].diagonal().sum()))
    yield ("ij->i", ["A"], {"agg": "max"}, lambda m: m["A"].max(1).toarray().ravel())
    yield ("ij->j", ["A"], {"agg": "min"}, lambda m: m["A"].min(0).toarray().ravel())
    yield ("ij->i", ["A"], {"join": "x*x"}, lambda m: np.asarray(m["A"].power(2).sum(1)).ravel())


# What moves elements: an op in place of labels.
def moves():
    yield ({"op": "slice", "slices": "3:20:2, ::-1"}, ["A"], {}, lambda m: sp.csr_matrix(m["A"])[3:20:2, ::-1])
    yield ({"op": "concat", "axis": 0}, ["A", "D", "A"], {}, lambda m: sp.vstack([m["A"], m["D"], m["A"]]))
    yield ({"op": "concat", "axis": 1}, ["A", "D"], {}, lambda m: sp.hstack([m["A"], m["D"]]))
    yield ({"op": "pad", "pad_width": [[1, 4], [0, 3]]}, ["A"], {},
           lambda m: np.pad(m["A"].toarray(), [(1, 4), (0, 3)]))
    yield ({"op": "pad", "pad_width": 2, "mode": "wrap"}, ["B"], {}, lambda m: np.pad(m["B"].toarray(), 2, "wrap"))
    yield ({"op": "reshape", "shape": [INNER, ROWS]}, ["A"], {}, lambda m: sp.coo_matrix(m["A"]).reshape(INNER, ROWS))
    yield ({"op": "gather"}, ["A", "rows"], {}, lambda m: sp.csr_matrix(m["A"])[m["rows"]])
    yield ({"op": "gather", "axis": 1}, ["A", "columns"], {}, lambda m: m["A"].toarray()[:, m["columns"]])
    yield ({"op": "transpose", "axes": [1, 0]}, ["D"], {}, lambda m: m["D"].T)


EXPRESSIONS = [*unary(), *binary(), *products(), *sums(), *moves()]


def matrices(density, dtype, seed):
    shapes = {"A": (ROWS, INNER), "D": (ROWS, INNER), "B": (INNER, COLUMNS), "Q": (INNER, INNER)}
    out = {}
    for at, (name, shape) in enumerate(shapes.items()):
        matrix = sp.random(*shape, density=density, format=("csr", "csc", "coo")[at % 3], random_state=seed + at)
        matrix.data = matrix.data * 4 - 2
        out[name] = matrix.astype(dtype)
    return out


def vectors(dtype, seed):
    numbers = np.random.default_rng(seed)
    shapes = {"u": (ROWS,), "v": (INNER,), "U": (ROWS, WIDTH), "X": (INNER, WIDTH)}
    out = {name: numbers.standard_normal(shape).astype(dtype) for name, shape in shapes.items()}
    out["rows"], out["columns"] = numbers.integers(0, ROWS, 2 * ROWS), numbers.integers(0, INNER, 7)
    return out


def as_array(value):
    return value.toarray() if sp.issparse(value) else np.asarray(value)


def found(folder, name):
    sparse = folder / "out" / f"{name}.npz"
    if not sparse.exists():
        return np.load(folder / "out" / f"{name}.npy")
    matrix = sp.load_npz(sparse)
    assert matrix.format == "csr" and matrix.has_canonical_format, f"{name} is not a csr matrix in order"
    return matrix.toarray()


def write_graph(folder, sparse, dense, dtype):
    tensors, nodes = {}, []
    for name, matrix in sparse.items():
        sp.save_npz(folder / f"{name}.npz", matrix)
        tensors[name] = {"shape": list(matrix.shape), "sparse": True, "data": {"scipy": f"{name}.npz"}}
    for name, array in dense.items():
        np.save(folder / f"{name}.npy", array)
        tensors[name] = {"shape": list(array.shape), "data": {"npy": f"{name}.npy"}}
    for at, (labels, inputs, keys, _) in enumerate(EXPRESSIONS):
        what = labels if isinstance(labels, dict) else {"einsum": labels}
        nodes.append({"name": f"n{at}", **what, "inputs": inputs, **keys})
    # What is made of results.
    nodes.append({"name": "chain", "einsum": "ik,jk->ij", "inputs": [f"n{chain_of()}", "B"]})
    (folder / "g.json").write_text(json.dumps(
        {"eingraph": 1, "dtype": dtype, "tensors": tensors, "nodes": nodes,
         "outputs": [node["name"] for node in nodes]}))


def chain_of():
    return next(at for at, each in enumerate(EXPRESSIONS) if each[0] == "ij,jk->ik")


def main():
    binaries, mpiexec = pathlib.Path(sys.argv[1]), sys.argv[2]
    compared, kept, wrong = 0, 0, 0
    for dtype, numpy_dtype, tolerance in (("f64", "f8", 1e-12), ("f32", "f4", 2e-5)):
        for seed, density in enumerate(DENSITIES):
            sparse, dense = matrices(density, numpy_dtype, seed), vectors(numpy_dtype, seed)
            with tempfile.TemporaryDirectory() as name:
                folder = pathlib.Path(name)
                write_graph(folder, sparse, dense, dtype)
                known = {**sparse, **dense}
                expected = {f"n{at}": as_array(each[3](known)) for at, each in enumerate(EXPRESSIONS)}
                expected["chain"] = as_array((sparse["A"] @ sparse["B"]) @ sparse["B"].T)
                for ranks in RANKS:
                    subprocess.run([binaries / "einplan", "g.json", "-n", str(ranks), "-q", "--decompose",
                                    "eindecomp", "-o", "g.sched"],
                                   cwd=folder, check=True)
                    launcher = [mpiexec, "-n", str(ranks)] if ranks > 1 else []
                    subprocess.run(launcher + [binaries / "einrun", "g.sched", "-q", "--out", "out"], cwd=folder,
                                   check=True)
                    for node, right in expected.items():
                        value = found(folder, node)
                        compared += 1
                        kept += (folder / "out" / f"{node}.npz").exists()
                        scale = np.max(np.abs(right), initial=1)
                        if value.shape != right.shape or np.max(np.abs(value - right), initial=0) > tolerance * scale:
                            wrong += 1
                            print(f"{node} in {dtype} at density {density} on {ranks} ranks differs from SciPy's")
    print(f"{compared} results compared with scipy.sparse, {kept} of them kept sparse, {wrong} differ")
    sys.exit(1 if wrong or kept == 0 else 0)


main()
