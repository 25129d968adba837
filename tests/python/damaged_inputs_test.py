#!/usr/bin/env python3
"""Damaged inputs of the Python module: wrong shapes, axes, types, names, subscripts, loops, files. Each is refused
where it stands, with what was expected and found and the mend, before anything runs: never a result, never an error
of the module's inside.

damaged_inputs_test.py [NUMBER]. Prints how many were refused. Exits with 77 (skipped) where NumPy is missing.
"""
import pathlib
import re
import sys
import tempfile

from tested_module import el, np
from damaged_files import damaged_files

X, Y = el.input("X", (3, 4)), el.input("Y", (5, 4))
v, w, s = el.input("v", (4,)), el.input("w", (7,)), el.input("s", ())
B = el.input("B", (2, 3, 4))
I, J = el.input("I", (3,), np.int32), el.input("J", (3, 4), bool)
Z = el.input("Z", (3, 3), np.complex128)

ALIKE = ("add", "subtract", "multiply", "divide", "power", "maximum", "minimum", "less", "less_equal", "greater",
         "greater_equal", "equal", "not_equal", "floor_divide", "remainder", "logaddexp", "hypot", "atan2", "copysign")
REDUCTIONS = ("sum", "prod", "mean", "var", "std", "min", "max", "any", "all", "argmin", "argmax", "ptp", "cumsum",
              "cumprod", "softmax", "log_softmax", "logsumexp", "sort", "argsort", "flip", "roll", "squeeze",
              "nansum", "median", "expand_dims", "diff", "unstack")
TYPES = ("uint16", "uint32", "uint64", "longdouble", "clongdouble", "object", "str", "datetime64[s]", "float33",
         "f128", "V8", "timedelta64[s]", "S4", "nonsense", ">x9")
SUBSCRIPTS = (("ij,jk->ik", X, Y), ("ij->ijk", X), ("ij,jk", X), ("ij", X, Y), ("i", X), ("ijk->i", X), ("ii->i", X),
              ("ij->i->j", X), ("ij,j->ii", X, v), ("ij;jk->ik", X, Y), ("->", X), ("", X),
              ("ij,,jk->ik", X, v, Y), ("...ijk->i", X), ("i...j...->i", X), ("ij->i...k", X), ("ij-> i k", X),
              ("batch d, d ff -> batch ff", X, Y), ("a b c -> a", X), ("a b -> c", X), (["ij"], X), ({}, X),
              ({"in": [["i", "j"]]}, Y, X), ({"in": [["i"]], "out": ["i"]}, X), ({"in": "ij", "out": 3}, X),
              (X, [0, 1], Y, [1, 2]), (X, [0]), (X, [0, 1], [3]), ("ij->ji",), ("i j, k -> i", X, 3 * X))
MISSING = ("unique", "nonzero", "linalg.svd", "linalg.eigh", "linalg.eig", "lexsort", "packbits", "fromfile",
           "busday_count", "linalg.cond", "linalg.matrix_rank", "einsums",
           "sofmax", "floatt", "fft.nothing")


def shapes():
    for name in ALIKE:
        if hasattr(el, name):
            yield f"{name} of (3, 4) and (5, 4)", lambda name=name: getattr(el, name)(X, Y)
            yield f"{name} of (3, 4) and (7,)", lambda name=name: getattr(el, name)(X, w)
    for one, other in ((X, Y), (X, w), (v, w), (B, X), (X, s), (s, X), (Y, B), (w, Y)):
        yield f"matmul of {one.shape} and {other.shape}", lambda one=one, other=other: el.matmul(one, other)
    for one, other in ((X, Y), (X, w), (v, w), (B, Y)):
        yield f"dot of {one.shape} and {other.shape}", lambda one=one, other=other: el.dot(one, other)
        yield f"inner of {one.shape} and {w.shape}", lambda one=one: el.inner(one, w)
    for axes in (3, ((0,), (0, 1)), ((5,), (0,)), ((0,), (0,)), -1, ((0, 0), (1, 1))):
        yield f"tensordot over {axes}", lambda axes=axes: el.tensordot(X, Y, axes=axes)
    for shape in ((5,), (3, 5), (-1, 5), (-1, -1), (2, 3, 4), (-2, 6), (0,), (3.5, 4), ("a",), (12, 0)):
        yield f"reshape to {shape}", lambda shape=shape: el.reshape(X, shape)
    for axes in ((0,), (0, 0), (0, 2), (1, 0, 2), (-3, 0), ("a", "b")):
        yield f"transpose by {axes}", lambda axes=axes: el.permute_dims(X, axes)
    for shape in ((3, 5), (4, 4), (3,), (2, 3, 5), (-1, 4)):
        yield f"broadcast_to {shape}", lambda shape=shape: el.broadcast_to(X, shape)
    yield "concatenate of other rows", lambda: el.concatenate([X, Y], axis=1)
    yield "concatenate of nothing", lambda: el.concatenate([])
    yield "concatenate of orders", lambda: el.concatenate([X, v])
    yield "concatenate along 2", lambda: el.concatenate([X, X], axis=2)
    yield "stack of shapes", lambda: el.stack([X, Y])
    yield "stack of nothing", lambda: el.stack([])
    yield "where of shapes", lambda: el.where(X > 0, Y, 0)
    yield "where of conditions", lambda: el.where(w > 0, X, 0)
    yield "clip of shapes", lambda: el.clip(X, w, None)
    yield "negative extent", lambda: el.input("N", (3, -1))
    yield "extent in words", lambda: el.input("N", ("three",))
    yield "zeros of negative extent", lambda: el.zeros((-3,))
    yield "broken rows", lambda: el.tensor([[1.0, 2.0], [3.0]])
    yield "repeat by negative", lambda: el.repeat(X, -1, axis=0)
    yield "eye of negative", lambda: el.eye(-2)
    yield "linspace of negative", lambda: el.linspace(0, 1, -5)
    yield "arange without step", lambda: el.arange(0, 5, 0)
    yield "squeeze of a long axis", lambda: el.squeeze(X, axis=0)
    yield "trace of a vector", lambda: el.trace(v)
    yield "diagonal of one axis", lambda: el.diagonal(X, axis1=0, axis2=0)
    yield "solve of oblong", lambda: el.linalg.solve(X, v)
    yield "inv of oblong", lambda: el.linalg.inv(X)
    yield "det of a vector", lambda: el.linalg.det(v)
    yield "cholesky of oblong", lambda: el.linalg.cholesky(X)
    yield "cross of four", lambda: el.cross(X, X)
    yield "kron of a list of nothing", lambda: el.kron([[1.0], [2.0, 3.0]], X)


def axes():
    for name in REDUCTIONS:
        function = getattr(el, name, None)
        if function is None:
            continue
        extra = {"roll": (1,)}.get(name, ())
        for axis in (2, -3) if name != "expand_dims" else (4, -5):
            yield f"{name} over axis {axis}", lambda f=function, a=axis, e=extra: f(X, *e, axis=a)
    for pair in ((0, 0), (0, 2), (-3, 1)):
        yield f"sum over {pair}", lambda pair=pair: X.sum(axis=pair)
        yield f"moveaxis {pair}", lambda pair=pair: el.moveaxis(X, (0, 1), (pair[1], pair[1]))
    yield "sum over a word", lambda: X.sum(axis="rows")
    yield "sum over 0.5", lambda: X.sum(axis=0.5)
    yield "swapaxes", lambda: el.swapaxes(X, 0, 2)
    yield "take beyond", lambda: el.take(X, [0, 9], axis=0)
    yield "take along 3", lambda: el.take(X, [0], axis=3)
    yield "gather of reals", lambda: el.take(X, v, axis=0)
    for key in ((3,), (-4,), (0, 0, 0), (0, 4), ("row",), (1.5,), (slice(None, None, 0),), (None, 0, 0, 0),
                (Ellipsis, Ellipsis), (slice("a", None),), (v,), (J[:2],)):
        yield f"X[{key}]", lambda key=key: X[key if len(key) > 1 else key[0]]
    yield "assignment of a shape", lambda: X.copy().__setitem__(0, w)
    yield "assignment beyond", lambda: X.copy().__setitem__(5, 0.0)
    yield "assignment to a mask of a shape", lambda: X.copy().__setitem__(Y > 0, 0.0)


def types():
    for name in TYPES:
        yield f"input of {name}", lambda name=name: el.input("T", (2,), name)
        yield f"astype {name}", lambda name=name: X.astype(name)
    for value in (np.array(["a", "b"]), np.array([object()]), np.zeros(2, "datetime64[s]"), np.zeros(2, "uint32"),
                  np.zeros(2, "u2"), np.zeros(2, "complex256"), {"a": 1}, {1, 2}, "text", b"bytes", None, [None, 1],
                  object(), lambda: 1, np.zeros(2, [("a", "f4")])):
        yield f"tensor of {type(value).__name__} {getattr(value, 'dtype', '')}", lambda value=value: el.tensor(value)
        yield f"X + {type(value).__name__} {getattr(value, 'dtype', '')}", lambda value=value: el.add(v, value)
    yield "bits of reals", lambda: X & X
    yield "not of reals", lambda: ~X
    yield "grad of a matrix", lambda: el.grad(X, [X])
    yield "grad of a complex scalar", lambda: el.grad(Z.sum(), [Z])
    yield "grad of integers", lambda: el.grad(I.sum(), [I])
    yield "grad by integers", lambda: el.grad((X.sum(axis=1) * I).sum(), [I])
    yield "grad by a word", lambda: el.grad(X.sum(), ["X"])
    yield "order of complex", lambda: el.plan(Z < Z)
    yield "maximum of complex", lambda: el.plan(el.maximum(Z, Z))
    yield "floor of complex", lambda: el.floor(Z)
    yield "argmax of complex", lambda: el.plan(el.argmax(Z))


def names():
    for name in MISSING:
        def get(name=name):
            found = el
            for part in name.split("."):
                found = getattr(found, part)
        yield f"el.{name}", get
    for options in ({"join": "x +"}, {"join": "q(x)"}, {"join": "x + nothing"}, {"agg": "summ"}, {"agg": 3},
                    {"join": "[z] + x"}, {"join": "x)"}, {"join": ""}, {"dtype": "nonsense"}, {"agg": "softmax"},
                    {"sizes": {"q": 3}}, {"sizes": {"i": 99}}, {"path": [(0, 5)]}, {"colour": "red"}):
        yield f"einsum with {options}", lambda options=options: el.plan(
            el.einsum("ij,kj->ik", X, Y, **options) if "path" not in options
            else el.einsum("ij,kj,j->ik", X, Y, v, **options))
    yield "outputs of nothing", lambda: el.graph_text({})
    yield "outputs of a word", lambda: el.graph_text("X")
    yield "outputs of numbers", lambda: el.graph_text({"a": None})
    yield "output of no name", lambda: el.plan({"": X + 1})
    yield "no ranks", lambda: el.plan(X + 1, ranks=0)
    yield "ranks in words", lambda: el.plan(X + 1, ranks="four")
    yield "half a rank", lambda: el.plan(X + 1, ranks=2.5)
    yield "an option that is not", lambda: el.plan(X + 1, ranks=2, memmory="8GiB")
    yield "a memory that is none", lambda: el.plan(X + 1, ranks=2, memory="eight")
    yield "a strategy that is none", lambda: el.plan(X + 1, ranks=2, decompose="megaton")
    yield "a cluster that is not there", lambda: el.plan(X + 1, ranks=2, cluster="nowhere.json")
    yield "a mesh of other ranks", lambda: el.plan(X + 1, ranks=2, mesh={"dp": 3})
    yield "a sharding of nothing", lambda: el.plan(X + 1, ranks=2, mesh={"dp": 2}, sharding={"Q": "i/dp"})
    yield "an input that is missing", lambda: el.run(X + 1)
    yield "an input too many", lambda: el.run(X + 1, inputs={"X": np.zeros((3, 4)), "W": 1})
    yield "an input of another shape", lambda: el.run(X + 1, inputs={"X": np.zeros((4, 3))})
    yield "an input of words", lambda: el.run(X + 1, inputs={"X": np.full((3, 4), "a")})
    yield "an input of complex numbers", lambda: el.run(X + 1, inputs={"X": np.zeros((3, 4), complex)})
    yield "a run with an option that is not", lambda: el.run(X + 1, inputs={"X": np.zeros((3, 4))}, fast=True)
    yield "a run for no ranks", lambda: el.run(X + 1, ranks=0, inputs={"X": np.zeros((3, 4))})


def subscripts():
    for given in SUBSCRIPTS:
        words = [str(one.shape) if isinstance(one, el.Array) else repr(one) for one in given]
        yield f"einsum({', '.join(words)})", lambda given=given: el.plan(el.einsum(*given))


def loops():
    def same(x):
        return x
    for what, made in (
            ("neither", lambda: el.loop(same, carry={"x": v})),
            ("both", lambda: el.loop(same, carry={"x": v}, times=3, while_=lambda x: x.sum() > 0)),
            ("another shape", lambda: el.loop(lambda x: x[:2], carry={"x": v}, times=3)),
            ("another type", lambda: el.loop(lambda x: x > 0, carry={"x": v}, times=3)),
            ("too many", lambda: el.loop(lambda x: (x, x), carry={"x": v}, times=3)),
            ("too few", lambda: el.loop(lambda x, y: x, carry={"x": v, "y": w}, times=3)),
            ("another name", lambda: el.loop(lambda x: {"y": x}, carry={"x": v}, times=3)),
            ("nothing", lambda: el.loop(lambda x: None, carry={"x": v}, times=3)),
            ("nothing carried", lambda: el.loop(lambda: v, carry={}, times=3)),
            ("a condition with a shape", lambda: el.loop(same, carry={"x": v}, while_=lambda x: x > 0, max=9)),
            ("a condition that is not there", lambda: el.loop(lambda x: {"x": x}, carry={"x": v}, while_="on", max=9)),
            ("negative times", lambda: el.loop(same, carry={"x": v}, times=-1)),
            ("half a time", lambda: el.loop(same, carry={"x": v}, times=2.5)),
            ("times in words", lambda: el.loop(same, carry={"x": v}, times="ten")),
            ("no function", lambda: el.loop(v, carry={"x": v}, times=3)),
            ("a function of more", lambda: el.loop(lambda x, y: x, carry={"x": v}, times=3)),
            ("a branch", lambda: el.loop(lambda x: x if x.sum() > 0 else -x, carry={"x": v}, times=3))):
        yield f"loop with {what}", made
    for what in (bool, float, int, complex, np.asarray, lambda x: x.tolist(), lambda x: [1, 2, 3][x], range):
        yield f"{getattr(what, '__name__', what)} of a lazy array", lambda what=what: what(s)


# A refusal: where, what was expected and found, and (behind the semicolon) the mend; or the name that is not there.
REFUSED = re.compile(r"\S.*?: expected .+, found .+; .+|einloom has no '.+'.*; .+", re.DOTALL)
# Python's own words for a call that no function takes; ours for an option of run.
CALLS = re.compile(r"unexpected keyword argument|positional argument|has no option '\w+'; ")


def verdict(made):
    """Nothing where it was refused as it should be; else what happened."""
    try:
        result = made()
    except (el.Error, AttributeError) as error:
        return "" if REFUSED.match(str(error)) else f"{type(error).__name__}: {error}"
    except TypeError as error:
        return "" if CALLS.search(str(error)) else f"TypeError: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return f"it was taken: {result!r:.80}"


def main():
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    refused, faults = 0, []
    with tempfile.TemporaryDirectory() as folder:
        files = ((what, lambda path=path, options=options: el.run(el.load(path, **options) + 1))
                 for what, path, options in damaged_files(pathlib.Path(folder)))
        for kind, cases in (("shapes", shapes()), ("axes", axes()), ("types", types()), ("names", names()),
                            ("subscripts", subscripts()), ("loops", loops()), ("files", files)):
            for what, made in cases:
                found = verdict(made)
                refused += not found
                faults += [f"{kind}: {what}: {found}"] if found else []
    print(f"{refused} refused, {len(faults)} not")
    print("\n".join(faults))
    if refused < wanted:
        print(f"expected {wanted} at least")
    sys.exit(1 if faults or refused < wanted else 0)


if __name__ == "__main__":
    main()
