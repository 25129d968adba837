"""What NumPy has and Einloom lacks, and what to do instead."""
from __future__ import annotations

import sys
from difflib import get_close_matches
from typing import Iterable

import numpy as np

_INSTEAD = {
    "unique": "its shape depends on elements; use NumPy on the result: numpy.unique(einloom.run(x))",
    "nonzero": "its shape depends on elements; use where with three arguments",
}
_ITERATED = ("linalg.svd", "linalg.svdvals", "linalg.eigh", "linalg.eigvalsh", "linalg.eig", "linalg.eigvals")


_ATTRIBUTES = {
    "backward": "einloom.grad(loss, [W]) gives the gradients as arrays",
    "grad": "einloom.grad(loss, [W]) gives the gradients as arrays",
    "numpy": "einloom.run(x) computes it and gives a NumPy array",
    "eval": "einloom.run(x) computes it and gives a NumPy array",
    "compute": "einloom.run(x) computes it and gives a NumPy array",
    "cpu": "leave it out: einloom.run(x) gives a NumPy array",
    "cuda": "leave it out: einloom.run(x, device='cuda') computes on GPUs",
    "detach": "leave it out: einloom.grad goes by what is named in it alone",
    "requires_grad_": "leave it out: einloom.grad names what it differentiates by",
    "requires_grad": "leave it out: einloom.grad names what it differentiates by",
    "view": "write .reshape(...), or .astype(dtype) to convert",
    "to": "write .astype(dtype) to convert; einloom.run(x, device='cuda') chooses the device",
    "permute": "write .transpose(...)",
    "unsqueeze": "write x[..., None], or einloom.expand_dims(x, axis)",
    "float": "write .astype('float32')",
    "double": "write .astype('float64')",
    "long": "write .astype('int64')",
    "add_": "write x = x + ...: einloom.loop carries what changes",
    "sort": "einloom.sort(x) gives a sorted array",
    **dict.fromkeys(("nnz", "getnnz"), "einloom.count_nonzero(x) counts what is not 0; what a sparse result lists is "
                                       "einloom.run(x).nnz"),
    **dict.fromkeys(("indices", "indptr", "data"), "what is listed is known after the run: einloom.run(x) of a sparse "
                                                   "result has it"),
    **dict.fromkeys(("tocsr", "tocsc", "tocoo", "tolil", "todok", "todia", "tobsr", "asformat"),
                    "leave it out: einloom.run(x) gives SciPy's matrix, by rows, where the result is sparse"),
    **dict.fromkeys(("toarray", "todense"),
                    "leave it out: elements are the same, sparse or not; einloom.run(x, dense_outputs=True) gives a "
                    "NumPy array"),
    **dict.fromkeys(("eliminate_zeros", "sum_duplicates", "sort_indices", "prune"),
                    "leave it out: the run lists each element once, in order"),
    "A": "leave it out: elements are the same, sparse or not",
    "H": "write x.T.conj()",
    "getrow": "write x[i]",
    "getcol": "write x[:, j]",
    "setdiag": "write x[einloom.arange(n), einloom.arange(n)] = values",
    "fill": "einloom.full(shape, value) makes one",
}


_LOOP = "einloom.loop(step, carry={'x': x}, times=10) is the loop, with while_= and max= for a condition"
_ELSEWHERE = {
    "fori_loop": _LOOP, "while_loop": _LOOP, "scan": _LOOP, "lax": _LOOP,
    "jit": "leave it out: a graph is planned as a whole when it is run",
    "compile": "leave it out: a graph is planned as a whole when it is run",
    "vmap": "write the batch as an axis: einloom.einsum('bij,bjk->bik', A, B)",
    "pmap": "leave it out: einloom.run(x, ranks=4) cuts the work",
    "value_and_grad": "einloom.run([loss, *einloom.grad(loss, [W])]) gives both",
    "no_grad": "leave it out: einloom.grad goes by what is named in it alone",
    "manual_seed": "give each its own: einloom.random(shape, seed=1)",
    "seed": "give each its own: einloom.random(shape, seed=1)",
    "randn": "write einloom.random(shape, kind='normal')",
    "rand": "write einloom.random(shape)",
    "from_numpy": "write einloom.tensor(array)",
    "as_tensor": "write einloom.tensor(array)",
    "device_put": "leave it out: einloom.run(x, device='cuda') chooses the device",
    "cat": "write einloom.concatenate([A, B])",
}


def missing_attribute(name: str) -> AttributeError:
    """The error for an attribute that arrays of other libraries have."""
    instead = _ATTRIBUTES.get(name) or _INSTEAD.get(name)
    if instead is None and name.startswith("_"):  # what programs ask of any object, to see whether it has it
        instead = "dir(x) lists what there is"
    if instead is None:
        module = sys.modules[__name__.partition(".")[0]]
        near = get_close_matches(name, dir(vars(module).get("Array")), n=1, cutoff=0.8)
        of = "x, y" if getattr(getattr(np, name, None), "nin", 1) == 2 else "x"
        instead = (f"write einloom.{name}({of})" if callable(vars(module).get(name)) else
                   "a graph cannot say it, or not yet; compute it with NumPy before or after the run"
                   if hasattr(np.ndarray, name) else f'did you mean "{near[0]}"?' if near else
                   "dir(x) lists what there is")
    return AttributeError(f"an einloom.Array has no {name!r}; {instead}")


def missing(name: str) -> AttributeError:
    """The error for a name that is not there."""
    instead = _INSTEAD.get(name, "compute it with NumPy before or after the run: einloom.run(x) gives a NumPy array")
    if name.startswith("linalg."):
        instead = (f"compute the matrix first, C = einloom.run(C), then numpy.{name}(C), and go on with einloom.tensor "
                   "of what that gives")
        if name in _ITERATED:
            instead += "; of a matrix too large for one machine write a power iteration as a loop (docs/python.md)"
    return AttributeError(f"einloom has no {name!r}: a graph cannot say it, or not yet; {instead}")


def unknown(name: str, known: Iterable[str]) -> AttributeError:
    """The error for a name that NumPy has not either."""
    near = get_close_matches(name, known, n=1, cutoff=0.75)
    if name in _ELSEWHERE:
        return AttributeError(f"einloom has no {name!r}; {_ELSEWHERE[name]}")
    if name in ("nn", "functional", "autograd", "optim", "random_seed", "cuda"):
        return AttributeError(f"einloom has no {name!r}; functions stand in the module itself: einloom.softmax, "
                              "einloom.relu, einloom.grad")
    mend = f'did you mean "{near[0]}"?' if near else "dir(einloom) lists what there is"
    return AttributeError(f"einloom has no {name!r}, nor has NumPy; {mend}")
