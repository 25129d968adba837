#!/usr/bin/env python3
"""What is written out by hand becomes what a person would write in the graph, and computes what NumPy computes.

idioms_test.py. Exits with 77 (skipped) where NumPy is missing.
"""
import json
import unittest
import warnings

from tested_module import el, np

random = np.random.default_rng(11)
X, S = random.normal(size=(7, 5)) * 9, random.normal(size=(6, 6))
LABELS = random.integers(0, 5, 7)
ROWS = np.arange(7)


def softmax(xp, x, axis):
    powers = xp.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def softmax_of_rows(xp, x):
    highest = xp.max(x, axis=1)
    powers = xp.exp((x.T - highest).T)
    return powers / xp.sum(powers, axis=1)[:, None]


def log_of_sum(xp, x):
    highest = x.max(axis=1)
    return highest + xp.log(xp.exp(x - highest[:, None]).sum(axis=1))


def log_softmax(xp, x):
    shifted = x - x.max(axis=1, keepdims=True)
    return shifted - xp.log(xp.exp(shifted).sum(axis=1, keepdims=True))


def picked(xp, x, at):
    return x[xp.arange(x.shape[0]), at]


def causal(xp, s):
    return xp.where(xp.tril(xp.ones(s.shape)) == 1, s, -xp.inf)


def added_mask(xp, s):
    mask = xp.tril(xp.ones(s.shape))
    return s + (1 - mask) * -1e9


# The program, its arrays, and the node that it becomes, without its name.
SOFTMAX = {"op": "softmax", "inputs": ["x"], "axes": [1]}
WRITTEN = [
    (lambda xp, x: softmax(xp, x, 1), [X], SOFTMAX),
    (lambda xp, x: softmax(xp, x, 0), [X], {**SOFTMAX, "axes": [0]}),
    (lambda xp, x: softmax(xp, x, (0, 1)), [X], {**SOFTMAX, "axes": [0, 1]}),
    (softmax_of_rows, [X], SOFTMAX),
    (lambda xp, x: xp.exp(x) / xp.exp(x).sum(axis=1, keepdims=True), [X], SOFTMAX),
    (lambda xp, x: softmax(xp, x, 1).T, [X], None),
    (lambda xp, x: softmax(xp, x.T, 1), [X], None),
    (lambda xp, x: softmax(xp, x, 1)[None].T + 1, [X], None),
    (lambda xp, x: log_of_sum(xp, x.T), [X], None),
    (log_of_sum, [X], {"op": "logsumexp", "inputs": ["x"], "axis": 1}),
    (lambda xp, x: log_of_sum(xp, x)[:, None], [X], {"op": "logsumexp", "inputs": ["x"], "axis": 1, "keepdims": True}),
    (lambda xp, x: xp.exp(x - log_of_sum(xp, x)[:, None]), [X], SOFTMAX),
    (lambda xp, x: x.T - log_of_sum(xp, x), [X], None),
    (lambda xp, x: xp.exp(x.T - log_of_sum(xp, x)).T, [X], None),
    (log_softmax, [X], {"op": "log_softmax", "inputs": ["x"], "axes": [1]}),
    (lambda xp, x: x - log_of_sum(xp, x)[:, None], [X], {"op": "log_softmax", "inputs": ["x"], "axes": [1]}),
    (lambda xp, x, y: xp.eye(5)[y], [X, LABELS], {"einsum": "i->ij", "inputs": ["y"], "sizes": {"j": 5},
                                                  "join": "where(x == [j], 1, 0)", "dtype": "f64"}),
    (lambda xp, x: xp.eye(5)[xp.argmax(x, axis=1)] * 1.5, [X], None),
    (lambda xp, x: xp.eye(5)[:, xp.argmax(x, axis=1)], [X], None),
    (picked, [X, LABELS], {"einsum": "ij,i->i", "inputs": ["x", "y"], "join": "where(y == [j], x, 0)"}),
    (picked, [X, LABELS - 5], {"einsum": "ij,i->i", "inputs": ["x", "y"],
                               "join": "where(where(y < 0, y + 5, y) == [j], x, 0)"}),
    (lambda xp, x, y: x[ROWS, y], [X, LABELS], {"einsum": "ij,i->i", "inputs": ["x", "y"],
                                                "join": "where(y == [j], x, 0)"}),
    (lambda xp, x: 1 / (1 + xp.exp(-x)), [X], {"op": "sigmoid", "inputs": ["x"]}),
    (lambda xp, x: 1.0 / (xp.exp(-2 * x) + 1), [X], {"einsum": "ij->ij", "inputs": ["x"], "join": "sigmoid(2*x)"}),
    (lambda xp, x: 1 / (1 + xp.exp(-(x + 1j))) + xp.exp(x * 1j) / xp.exp(x * 1j).sum(axis=1, keepdims=True), [X], None),
    (lambda xp, x: 1 / (1 + xp.exp(-x)), [LABELS], None),
    (lambda xp, x: xp.exp(x) / xp.exp(x).sum(), [LABELS], None),
    (causal, [S], {"einsum": "ij->ij", "inputs": ["x"], "join": "where([i] >= [j], x, -inf)"}),
    (added_mask, [S], {"einsum": "ij->ij", "inputs": ["x"], "join": "x + where([i] >= [j], 0, -1e9)"}),
    (lambda xp, s: s + 0.1 * xp.eye(6), [S], {"einsum": "ij->ij", "inputs": ["x"],
                                             "join": "x + where([i] == [j], 0.1, 0)"}),
    (lambda xp, s: s @ xp.eye(6) @ s.T, [S], {"einsum": "ij,kj->ik", "inputs": ["x", "x"]}),
    (lambda xp, s: s @ (2.5 * xp.eye(6, k=0)), [S], {"einsum": "ij->ij", "inputs": ["x"], "join": "2.5*x"}),
    (lambda xp, s: s @ xp.eye(6, k=1), [S], None),
    (lambda xp, s: xp.trace(s @ xp.identity(6)), [S], {"einsum": "ii->", "inputs": ["x"]}),
    (lambda xp, s: xp.ones(6) @ s, [S], {"op": "sum", "inputs": ["x"], "axis": 0}),
    (lambda xp, s: xp.roll(s, -1, axis=0) + xp.roll(s, 4, axis=1), [S], None),
    (lambda xp, s: xp.where(s > 0, s, xp.zeros((6, 6))), [S], {"einsum": "ij->ij", "inputs": ["x"],
                                                              "join": "where(x > 0, x, 0)"}),
]


class Idioms(unittest.TestCase):
    """Each is one node, and right on one rank and on three."""

    def test_each(self):
        warnings.simplefilter("ignore")
        outputs, expected = {}, {}
        for number, (program, arrays, node) in enumerate(WRITTEN):
            lazy = [el.tensor(array, name=name) for array, name in zip(arrays, "xy")]
            with self.subTest(number):
                found = program(el, *lazy)
                nodes = json.loads(el.graph_text({"z": found}))["nodes"]
                if node is not None:
                    self.assertEqual(nodes, [{"name": "z", **node}])
                outputs[f"z{number}"], expected[f"z{number}"] = found, program(np, *arrays)
        for ranks in (1, 3):
            results = el.run(outputs, ranks=ranks, progress="off")
            for key, value in expected.items():
                with self.subTest(key, ranks=ranks):
                    self.assertTrue(np.allclose(results[key], value, rtol=1e-12, atol=1e-12, equal_nan=True))
                    self.assertEqual(results[key].dtype, np.asarray(value).dtype)

    def test_parts_that_others_read_stay(self):
        x = el.tensor(X)
        powers = el.exp(x - x.max(axis=1, keepdims=True))
        nodes = el.graph_text({"P": powers / powers.sum(axis=1, keepdims=True), "powers": powers})
        self.assertNotIn("softmax", nodes)
        self.assertNotIn("softmax", el.graph_text({"P": powers / powers.sum(axis=0, keepdims=True)}))
        other = el.exp(x - x.max(axis=0, keepdims=True))
        self.assertNotIn("softmax", el.graph_text({"P": other / other.sum(axis=1, keepdims=True)}))

    def test_what_looks_alike_is_no_idiom(self):
        x, scale = el.tensor(X), el.full(5, 2)
        powers, highest = el.exp(x - x.max(axis=1, keepdims=True)), x.max(axis=1)
        total = el.einsum("ij,i->i", x, highest, join="exp(x - y)")
        text = el.graph_text({"a": powers / scale, "b": highest + el.log(total), "c": x - el.log(scale),
                              "d": x - el.log(total)[:, None], "e": powers / total[:, None]})
        for op in ("softmax", "logsumexp"):
            self.assertNotIn(op, text)

    def test_gradients_go_through(self):
        x = el.tensor(X)
        by_hand, as_op = (el.grad((function * x).sum(), x) for function in (
            softmax(el, x, 1), el.softmax(x, axis=1)))
        first, second = el.run([by_hand, as_op])
        self.assertTrue(np.allclose(first, second, atol=1e-12))

    def test_constants_with_a_name_stay_tensors(self):
        x, bias = el.tensor(X), el.zeros(5)
        graph = json.loads(el.graph_text({"z": x + bias}))
        self.assertEqual(graph["tensors"]["bias"], {"shape": [5], "data": {"fill": 0}})
        loss = ((x + bias) ** 2).sum()
        r = el.run({"g": el.grad(loss, bias)})
        self.assertTrue(np.allclose(r["g"], 2 * X.sum(axis=0)))
        filled = json.loads(el.graph_text({"z": el.concatenate([el.ones((7, 1)) / 4, x], axis=1)}))
        self.assertEqual(filled["tensors"]["z_filled"], {"shape": [7, 1], "data": {"fill": 0.25}})


if __name__ == "__main__":
    unittest.main()
