"""Random expressions of scipy.sparse as EinGraphs: what SciPy computes and what the ranks compute, side by side.

Each expression begins with a matrix that SciPy wrote (.npz as csr, csc or coo with duplicates, or Matrix Market) and
goes on by two to six operations of what scipy.sparse has. Leaves hold multiples of 1/4, so that comparisons of exact
results are no matter of rounding. Expressions with one dtype share a graph: one plan and one run for each number of
ranks. The same number gives the same expression.
"""
import random
import shutil
import warnings

import numpy as np
import scipy.sparse as sp
from programs import Wrong, compare
from scipy_batch import Batch, as_array, found, DTYPES

EXTENTS = (1, 5, 8, 11, 16, 23)
TOLERANCES = {"f64": 1e-12, "f32": 1e-4, "i64": 0, "c128": 1e-12}
BATCH = 25   # expressions of a graph
RANKS = (1, 2, 3, 5)


class Expression:
    """One expression, drawn by its number into a batch."""

    def __init__(self, number, batch):
        self.draw, self.batch = random.Random(number), batch
        draw = self.draw
        value = batch.sparse(draw, (draw.choice(EXTENTS), draw.choice(EXTENTS)))
        for _ in range(draw.randint(1, 5)):
            if value.of.ndim != 2 or not sp.issparse(value.of):
                break
            value = self.step(value)
        if value.of.ndim == 2 and (draw.random() < 0.4 or value.name in batch.tensors):
            value = draw.choice([self.sums, self.extremes, self.diagonal, self.norm])(value)
        if value.name in batch.tensors:
            value = self.transpose(value)
        self.value = value

    def step(self, value):
        steps = [self.product, self.product, self.gram, self.times_dense, self.elementwise, self.elementwise,
                 self.scaled, self.broadcast, self.transpose, self.sliced, self.stacked, self.picked, self.triangle,
                 self.kron, self.reshaped, self.sampled, self.diags, self.chain, self.shifted_diagonal]
        if self.batch.dtype in ("f64", "f32"):
            steps += [self.function, self.function, self.compared, self.compared, self.limits, self.power]
        elif self.batch.dtype == "i64":
            steps += [self.compared, self.limits, self.power]
        else:
            steps += [self.conjugate, self.conjugate]
        return self.draw.choice(steps)(value)

    def like(self, value, shape=None):
        return self.batch.sparse(self.draw, shape or value.shape)

    # ---- products ---------------------------------------------------------------------------------------------------
    def product(self, a):
        turned = self.draw.random() < 0.4
        other = self.draw.choice(EXTENTS)
        b = self.like(a, (other, a.shape[1]) if turned else (a.shape[1], other))
        if turned:
            return self.batch.einsum("ij,kj->ik", [a, b], a.of @ b.of.T, f"({a.text} @ {b.text}.T)")
        return self.batch.einsum("ij,jk->ik", [a, b], a.of @ b.of, f"({a.text} @ {b.text})")

    def gram(self, a):
        return self.batch.einsum("ki,kj->ij", [a, a], a.of.T @ a.of, f"({a.text}.T @ {a.text})")

    def times_dense(self, a):
        kind = self.draw.randrange(4)
        if kind < 2:
            x = self.batch.dense(self.draw, (a.shape[1 - kind],))
            labels, of = ("ij,j->i", a.of @ x.of) if kind == 0 else ("ij,i->j", a.of.T @ x.of)
            return self.batch.einsum(labels, [a, x], of, f"({a.text}{'.T' * kind} @ {x.text})")
        x = self.batch.dense(self.draw, (a.shape[1], 3) if kind == 2 else (3, a.shape[0]))
        if kind == 2:
            return self.batch.einsum("ij,jr->ir", [a, x], a.of @ x.of, f"({a.text} @ {x.text})")
        return self.batch.einsum("ri,ij->rj", [x, a], x.of @ a.of, f"({x.text} @ {a.text})")

    def chain(self, a):
        x = self.batch.dense(self.draw, (a.shape[1],))
        y = self.batch.einsum("ij,j->i", [a, x], a.of @ x.of, f"({a.text} @ {x.text})")
        z = self.batch.einsum("ij,i->j", [a, y], a.of.T @ y.of, f"({a.text}.T @ {y.text})")
        return self.batch.einsum("ij,j->i", [a, z], a.of @ z.of, f"({a.text} @ {z.text})")

    def sampled(self, a):
        u, v = self.batch.dense(self.draw, (a.shape[0], 3)), self.batch.dense(self.draw, (a.shape[1], 3))
        return self.batch.einsum("ij,ir,jr->ij", [a, u, v], a.of.multiply(u.of @ v.of.T),
                                 f"{a.text}.multiply({u.text} @ {v.text}.T)")

    def kron(self, a):
        if a.shape[0] * a.shape[1] > 300:
            return self.transpose(a)
        b = self.like(a, (self.draw.choice((1, 2, 3)), self.draw.choice((1, 2, 4))))
        shape = [a.shape[0] * b.shape[0], a.shape[1] * b.shape[1]]
        product = self.batch.einsum("ij,kl->ikjl", [a, b], np.zeros(0), "")
        product.exact = a.exact and b.exact
        return self.batch.node({"op": "reshape", "shape": shape}, [product], sp.kron(a.of, b.of, format="csr"),
                               f"kron({a.text}, {b.text})")

    def diags(self, a):
        x = self.batch.dense(self.draw, (a.shape[0],))
        return self.batch.einsum("i,ij->ij", [x, a], sp.diags(x.of) @ a.of, f"(diags({x.text}) @ {a.text})")

    # ---- element by element -----------------------------------------------------------------------------------------
    def elementwise(self, a):
        b = self.like(a)
        join, of, text = self.draw.choice([
            ("x+y", lambda: a.of + b.of, f"({a.text} + {b.text})"),
            ("x-y", lambda: a.of - b.of, f"({a.text} - {b.text})"),
            ("x*y", lambda: a.of.multiply(b.of), f"{a.text}.multiply({b.text})"),
            ("2*x-3*y", lambda: 2 * a.of - 3 * b.of, f"(2*{a.text} - 3*{b.text})"),
            ("x*y+x", lambda: a.of.multiply(b.of) + a.of, f"({a.text}.multiply({b.text}) + {a.text})")])
        return self.batch.einsum("ij,ij->ij", [a, b], of(), text, join=join)

    def limits(self, a):
        b, name = self.like(a), self.draw.choice(["minimum", "maximum"])
        return self.batch.einsum("ij,ij->ij", [a, b], getattr(a.of, name)(b.of), f"{a.text}.{name}({b.text})",
                                 join=f"{name[:3]}(x, y)")

    def compared(self, a):
        if not a.exact:
            return self.scaled(a)
        sign = self.draw.choice(["<", ">", "!="])
        if self.draw.random() < 0.5:
            b = self.like(a)
            of = {"<": a.of < b.of, ">": a.of > b.of, "!=": a.of != b.of}[sign]
            return self.batch.einsum("ij,ij->ij", [a, b], of.astype(self.batch.numpy_dtype),
                                     f"({a.text} {sign} {b.text})", join=f"x {sign} y", dtype=self.batch.dtype)
        limit = {"<": -1, ">": 1, "!=": 0}[sign]
        of = {"<": a.of < limit, ">": a.of > limit, "!=": a.of != limit}[sign]
        return self.batch.einsum("ij->ij", [a], of.astype(self.batch.numpy_dtype), f"({a.text} {sign} {limit})",
                                 join=f"x {sign} {limit}", dtype=self.batch.dtype)

    def scaled(self, a):
        if self.batch.dtype == "i64" or self.draw.random() < 0.5:
            by = self.draw.choice([-3, 2, 5])
            return self.batch.einsum("ij->ij", [a], a.of * by, f"({a.text} * {by})", join=f"{by}*x")
        return self.batch.einsum("ij->ij", [a], a.of / 3, f"({a.text} / 3)", exact=False, join="x/3")

    def power(self, a):
        by = self.draw.choice([2, 3])
        return self.batch.einsum("ij->ij", [a], a.of.power(by), f"{a.text}.power({by})", join=f"x^{by}")

    def function(self, a):
        large = abs(a.of).max() if a.of.nnz else 0
        name, ours, exact = self.draw.choice([
            ("sin", "sin(x)", False), ("arcsinh", "asinh(x)", False), ("tanh", "tanh(x)", False),
            ("arctan", "atan(x)", False), ("deg2rad", "x*(pi/180)", False), ("rad2deg", "x*(180/pi)", False),
            ("floor", "floor(x)", True), ("ceil", "ceil(x)", True), ("rint", "round(x)", True),
            ("trunc", "sign(x)*floor(abs(x))", True), ("sign", "sign(x)", True), ("expm1", "expm1(x)", False)])
        if (exact and not a.exact) or (not exact and large > 20):   # what was rounded may round to another
            name, ours, exact = "__abs__", "abs(x)", True
        return self.batch.einsum("ij->ij", [a], getattr(a.of, name)(), f"{a.text}.{name}()", exact=exact, join=ours)

    def conjugate(self, a):
        return self.batch.einsum("ij->ji", [a], a.of.getH(), f"{a.text}.getH()", join="conj(x)")

    def broadcast(self, a):
        axis = self.draw.randrange(2)
        x = self.batch.dense(self.draw, (a.shape[axis],))
        array = x.of[:, None] if axis == 0 else x.of[None, :]
        return self.batch.einsum("ij,i->ij" if axis == 0 else "ij,j->ij", [a, x], a.of.multiply(array),
                                 f"{a.text}.multiply({x.text}[{':, None' if axis == 0 else 'None, :'}])")

    def triangle(self, a):
        name, k = self.draw.choice(["tril", "triu"]), self.draw.randint(-3, 3)
        sign = "<=" if name == "tril" else ">="
        return self.batch.einsum("ij->ij", [a], getattr(sp, name)(a.of, k), f"{name}({a.text}, {k})",
                                 join=f"where([j] - [i] {sign} {k}, x, 0)")

    # ---- what moves -------------------------------------------------------------------------------------------------
    def transpose(self, a):
        return self.batch.einsum("ij->ji", [a], a.of.T, f"{a.text}.T")

    def sliced(self, a):
        cuts, texts = [], []
        for extent in a.shape:
            begin = self.draw.randrange(extent)
            step = self.draw.choice([1, 1, 2, 3, -1, -2])
            cuts.append(slice(begin, None, step))
            texts.append(f"{begin}::{step}")
        return self.batch.node({"op": "slice", "slices": ", ".join(texts)}, [a], a.of[cuts[0], cuts[1]],
                               f"{a.text}[{', '.join(texts)}]")

    def stacked(self, a):
        axis = self.draw.randrange(2)
        shape = list(a.shape)
        shape[axis] = self.draw.choice(EXTENTS)
        parts = [a, self.like(a, tuple(shape))] + ([a] if self.draw.random() < 0.3 else [])
        self.draw.shuffle(parts)
        name = ("vstack", "hstack")[axis]
        return self.batch.node({"op": "concat", "axis": axis}, parts,
                               getattr(sp, name)([each.of for each in parts], format="csr"),
                               f"{name}({', '.join(each.text for each in parts)})")

    def picked(self, a):
        axis = self.draw.randrange(2)
        which = self.batch.indices(self.draw, a.shape[axis], self.draw.choice(EXTENTS))
        of = a.of[which.of] if axis == 0 else a.of[:, which.of]
        return self.batch.node({"op": "gather", "axis": axis}, [a, which], of,
                               f"{a.text}[{':, ' * axis}{which.text}]")

    def reshaped(self, a):
        count = a.shape[0] * a.shape[1]
        rows = self.draw.choice([k for k in range(1, count + 1) if count % k == 0][:12])
        return self.batch.node({"op": "reshape", "shape": [rows, count // rows]}, [a],
                               a.of.reshape(rows, count // rows), f"{a.text}.reshape({rows}, {count // rows})")

    def shifted_diagonal(self, a):
        k = self.draw.randint(1 - a.shape[0], a.shape[1] - 1)
        of = a.of.diagonal(k)
        cut = f"{max(0, -k)}:{max(0, -k) + of.size}, {max(0, k)}:{max(0, k) + of.size}"
        square = self.batch.node({"op": "slice", "slices": cut}, [a], np.zeros(0), "")
        return self.batch.einsum("ii->i", [square], of, f"{a.text}.diagonal({k})")

    # ---- reductions -------------------------------------------------------------------------------------------------
    def sums(self, a):
        axis = self.draw.choice([0, 1, None])
        labels = {0: "ij->j", 1: "ij->i", None: "ij->"}[axis]
        if self.batch.dtype != "i64" and self.draw.random() < 0.3:
            return self.batch.einsum(labels, [a], np.asarray(a.of.mean(axis)).ravel() if axis is not None else
                                     a.of.mean(), f"{a.text}.mean({axis})", exact=False, agg="mean")
        of = np.asarray(a.of.sum(axis)).ravel() if axis is not None else a.of.sum()
        return self.batch.einsum(labels, [a], of, f"{a.text}.sum({axis})")

    def extremes(self, a):
        if self.batch.dtype == "c128" or not sp.issparse(a.of):
            return self.sums(a)
        axis, name = self.draw.choice([0, 1, None]), self.draw.choice(["min", "max"])
        of = getattr(a.of, name)(axis)
        return self.batch.einsum({0: "ij->j", 1: "ij->i", None: "ij->"}[axis], [a],
                                 of if axis is None else of.toarray().ravel(), f"{a.text}.{name}({axis})", agg=name)

    def diagonal(self, a):
        if not sp.issparse(a.of) or a.shape[0] != a.shape[1]:
            return self.sums(a)
        return self.batch.einsum("ii->i", [a], a.of.diagonal(), f"{a.text}.diagonal()")

    def norm(self, a):
        if not sp.issparse(a.of) or self.batch.dtype not in ("f64", "f32"):
            return self.sums(a)
        columns = self.batch.einsum("ij->j", [a], np.zeros(0), "", join="abs(x)")
        return self.batch.einsum("j->", [columns], abs(a.of).sum(0).max(), f"norm({a.text}, 1)", agg="max")


def draw(number, batch):
    expression = Expression(number, batch)
    value = expression.value
    batch.expected[value.name] = (number, value.text, as_array(value.of))


def differences(programs, dtype, numbers):
    """Draws the expressions into a graph and runs it. @return by number what was wrong; how many were kept sparse"""
    batch, kept = Batch(dtype), 0
    for number in numbers:
        draw(number, batch)
    batch.write()
    shutil.rmtree("results", ignore_errors=True)
    wrong = {}
    for ranks in programs.ranks(RANKS):
        try:
            programs.execute("g.json", ranks)
        except Wrong as failed:
            if len(numbers) == 1:
                return {numbers[0]: f"{one_text(batch)} on {ranks} ranks: {failed}"}, 0
            alone = [differences(programs, dtype, [number]) for number in numbers]   # whose fault it is
            return {number: text for one, _ in alone for number, text in one.items()}, sum(one[1] for one in alone)
        for name, (number, text, expected) in batch.expected.items():
            value, is_sparse = found(name)
            kept += is_sparse
            try:
                compare(f"{dtype} {text} on {ranks} ranks", value, expected, TOLERANCES[dtype])
            except Wrong as differs:
                wrong[number] = str(differs)
    return wrong, kept


def one_text(batch):
    return next(text for _, text, _ in batch.expected.values())


def check(programs, table, small, _folder):
    warnings.simplefilter("ignore", sp.SparseEfficiencyWarning)   # its ways are not ours
    kept = 0
    of_dtype = {dtype: [] for dtype in DTYPES}
    for number in range(30 if small else 300):
        of_dtype[random.Random(-1 - number).choice(["f64", "f64", "f64", "f32", "i64", "c128"])].append(number)
    for dtype, all_numbers in of_dtype.items():
        for begin in range(0, len(all_numbers), BATCH):
            numbers = all_numbers[begin:begin + BATCH]
            wrong, sparse = differences(programs, dtype, numbers)
            kept += sparse
            for number in numbers:
                table.take("scipy.sparse", f"expression {number}", steps(wrong.get(number)))
    if kept == 0:
        table.wrong.append("scipy.sparse: no result was kept sparse")


def steps(wrong):
    yield "imported"
    yield "planned"
    if wrong:
        raise Wrong(wrong)
    yield "equal"
