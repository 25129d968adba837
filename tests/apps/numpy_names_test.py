#!/usr/bin/env python3
"""Spellings of NumPy and Python mean in a graph what they mean there: values, shapes and dtypes.

Usage: numpy_names_test.py EINTOOL. Ops are compared with NumPy's functions of their names, joins with Python's own
evaluation of the same text; tensors leave shape and dtype to their files. Exit code 77 (skipped) without NumPy.
"""
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile

try:
    import numpy as np
    np.seterr(all="ignore")
except ImportError:
    print("skipped: NumPy is not installed")
    sys.exit(77)

rng = np.random.default_rng(5)
ARRAYS = {
    "A": rng.uniform(-2, 2, (3, 4)),
    "B": rng.uniform(0.1, 0.9, (4, 5)),
    "R": rng.uniform(-2, 2, (1, 4)).astype("f4"),
    "v": rng.uniform(0.1, 0.9, 4),
    "S": rng.uniform(-2, 2, (2, 1, 3, 4)),
    "T": rng.uniform(-2, 2, (5, 4, 2)),
    "n": rng.integers(-5, 6, (3, 4)),
    "k": rng.integers(1, 6, (3, 4)).astype("i4"),
    "u": rng.integers(0, 9, 4).astype("u1"),
    "b": rng.integers(0, 2, (3, 4)).astype(bool),
    "z": (rng.uniform(-2, 2, (3, 4)) + 1j * rng.uniform(-2, 2, (3, 4))).astype("c8"),
    "s": np.array(1.5),
}
nodes, expected = [], {}


def node(keys, value):
    name = f"N{len(nodes)}"
    nodes.append({"name": name, **keys})
    value = np.asarray(value)
    if value.dtype == np.uint64:  # there is none: i64
        value = value.astype(np.int64)
    expected[name] = (json.dumps(keys), value)


def op(name, *inputs, **attributes):
    arrays = [ARRAYS[i] for i in inputs]
    node({"op": name, "inputs": list(inputs), **attributes}, getattr(np, name)(*arrays, **attributes))


for name in ("absolute arctan arcsinh around conjugate deg2rad degrees exp exp2 expm1 fabs fix floor ceil isfinite "
             "isinf isnan logical_not negative positive rad2deg radians rint sign sinc sin cos tan sinh cosh tanh "
             "square trunc reciprocal cbrt logical_not").split():
    op(name, "A")
for name in "arcsin arccos arctanh log log2 log10 log1p sqrt".split():
    op(name, "B")
op("arccosh", "k")
for name in "absolute conjugate exp real imag angle isfinite negative square".split():
    op(name, "z")
for name in "absolute negative sign sqrt exp square logical_not".split():
    op(name, "n")
for name in ("add subtract multiply divide true_divide maximum minimum fmax fmin arctan2 hypot logaddexp greater less "
             "greater_equal less_equal equal not_equal logical_and logical_or logical_xor remainder mod fmod "
             "heaviside").split():
    for pair in (("A", "v"), ("S", "A"), ("A", "s"), ("v", "R")):
        op(name, *pair)
for name in "add subtract multiply divide maximum minimum greater equal remainder power".split():
    op(name, "n", "k")
op("power", "B", "s")
op("add", "n", "u")
op("add", "b", "n")
op("multiply", "z", "A")
op("where", "b", "A", "v")
op("clip", "A", "s", "s")
for name in "sum prod mean var std max min amax amin any all argmax argmin".split():
    op(name, "A")
    op(name, "A", axis=1)
    op(name, "T", axis=-2, keepdims=True)
    if not name.startswith("arg"):
        node({"op": name, "inputs": "T", "axes": [0, 2]}, getattr(np, name)(ARRAYS["T"], axis=(0, 2)))
for name in "sum prod mean max any all argmin".split():
    op(name, "k", axis=0)
    op(name, "u")
op("std", "A", ddof=1)
op("average", "A", axis=0)
op("sum", "b")
op("mean", "z")
op("var", "z", axis=0)
node({"op": "norm", "inputs": "A", "axis": 1}, np.linalg.norm(ARRAYS["A"], axis=1))
node({"op": "norm", "inputs": "z"}, np.linalg.norm(ARRAYS["z"]))
node({"op": "count_nonzero", "inputs": "n", "axis": 0}, np.count_nonzero(ARRAYS["n"], axis=0))
for pair in (("A", "B"), ("A", "v"), ("v", "B"), ("v", "v"), ("S", "B"), ("S", "T"), ("n", "B")):
    op("matmul", *pair)
op("dot", "A", "B")
op("dot", "S", "v")
op("outer", "v", "A")
node({"einsum": [[0, 1], [1, 2]], "inputs": ["A", "B"]}, np.einsum(ARRAYS["A"], [0, 1], ARRAYS["B"], [1, 2]))
node({"einsum": [[7, 10], [10, 2], [2, 7]], "inputs": ["A", "B"]},
     np.einsum(ARRAYS["A"], [7, 10], ARRAYS["B"], [10, 2], [2, 7]))
node({"einsum": [[10, 2]], "inputs": "A"}, np.einsum(ARRAYS["A"], [10, 2]))
node({"einsum": "ij->i", "inputs": "A", "join": "np.abs(A)**3", "agg": "std"}, np.std(abs(ARRAYS["A"]) ** 3, axis=1))
node({"einsum": "ij->j", "inputs": "A", "agg": "count", "join": "A > 0"}, np.count_nonzero(ARRAYS["A"] > 0, axis=0))

# Gradients of what ops become.
A, v = ARRAYS["A"], ARRAYS["v"]
ARRAYS["Z"] = np.zeros(3)


def gradient(keys, of, value):
    name = f"L{len(nodes)}"
    nodes.append({"name": name, **keys})
    nodes.append({"name": f"g{name}", "grad": {"of": name, "wrt": of}})
    expected[f"g{name}/{of}"] = (json.dumps(keys) + " by " + of, value)


gradient({"op": "norm", "inputs": "A"}, "A", A / np.linalg.norm(A))
gradient({"op": "norm", "inputs": "Z"}, "Z", np.zeros(3))
gradient({"op": "std", "inputs": "A"}, "A", (A - A.mean()) / (A.size * A.std()))
gradient({"op": "var", "inputs": "A", "ddof": 1}, "A", 2 * (A - A.mean()) / (A.size - 1))
gradient({"op": "dot", "inputs": ["v", "v"]}, "v", 2 * v)
gradient({"einsum": "ij,j->", "inputs": ["A", "v"], "join": "hypot(A, v)"}, "v", (v / np.hypot(A, v)).sum(axis=0))
gradient({"einsum": "ij,j->", "inputs": ["A", "v"], "join": "A**2 if 0 < A < v else v"}, "A",
         np.where((A > 0) & (A < v), 2 * A, 0))

# Joins whose text is Python: the same text, element by element.
text = random.Random(11)


def truth(depth):
    a, b, c = (number(depth - 1) for _ in range(3))
    return text.choice([f"{a} < {b}", f"{a} < {b} <= {c}", f"not {a} > {b}", f"({truth(depth - 1)} and {a} >= {b})"
                        if depth > 0 else f"{a} >= {b}", f"({a} < {b} or {b} != {c})"])


def number(depth):
    if depth <= 0:
        return text.choice(["x", "y", "2", "0.5", "-x", "1_0", "A", "B"])
    a, b = number(depth - 1), number(depth - 1)
    return text.choice([f"{a} + {b}", f"{a}*{b}", f"({a} - {b})", f"({a}) % 3", f"-{number(0)}**2", f"abs({a})**0.5",
                        f"({a} if {truth(depth - 1)} else {b})", f"max({a}, {b})", f"np.hypot({a}, {b})",
                        f"np.trunc({a})", f"math.exp(-abs({a}))"])


def evaluated(join):
    x, y = np.broadcast_arrays(ARRAYS["A"], ARRAYS["v"])
    names = {"np": np, "math": math, "max": max, "abs": abs}
    return np.array([[float(eval(join, names, {"x": p, "y": q, "A": p, "B": q})) for p, q in zip(r, t)]
                     for r, t in zip(x, y)])


joins = [number(3) for _ in range(150)] + [truth(2) for _ in range(50)]
for join in joins:
    # The second operand is called B in the text: the tensor is given that name here.
    node({"einsum": "ij,j->ij", "inputs": ["A", "v"], "join": join.replace("B", "v")}, evaluated(join))

with tempfile.TemporaryDirectory() as folder:
    work = pathlib.Path(folder)
    for name, array in ARRAYS.items():
        np.save(work / f"{name}.npy", array)
    graph = {"eingraph": 1, "tensors": {name: {"data": {"npy": f"{name}.npy"}} for name in ARRAYS}, "nodes": nodes,
             "outputs": list(expected)}
    (work / "graph.json").write_text(json.dumps(graph))
    run = subprocess.run([sys.argv[1], "eval", str(work / "graph.json"), "--out", str(work / "out")],
                         capture_output=True, text=True)
    if run.returncode != 0:
        print(run.stderr[-4000:])
        sys.exit(1)
    faults = 0
    for name, (keys, want) in expected.items():
        found = np.load(work / "out" / f"{name.replace('/', '.')}.npy")
        joined = "join" in keys
        close = found.shape == want.shape and np.allclose(
            found.astype(want.dtype) if joined else found, want, rtol=1e-5 if want.dtype.itemsize <= 4 or
            want.dtype == np.complex64 else 1e-11, atol=1e-11, equal_nan=True)
        if close and (joined or found.dtype == want.dtype):
            continue
        faults += 1
        print(f"{keys}: expected {want.dtype}{want.shape} {want.ravel()[:4]}, "
              f"found {found.dtype}{found.shape} {found.ravel()[:4]}")
    print(f"{len(expected)} nodes compared, {faults} differ")
    sys.exit(faults > 0)
