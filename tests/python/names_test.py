#!/usr/bin/env python3
"""What the nodes of a graph are called: after keys, variables, roles, and what they compute.

names_test.py. Exits with 77 (skipped) where NumPy is missing.
"""
import functools
import glob
import json
import os
import pathlib
import re
import subprocess
import sys
import unittest

from tested_module import MODULE, el, np

HERE = pathlib.Path(__file__).resolve().parent

random = np.random.default_rng(3)


def names_of(**outputs):
    """The names of a graph's tensors and of its nodes, those of loops' bodies among them."""
    graph = json.loads(el.graph_text(outputs))

    def listed(nodes):
        for node in nodes:
            yield node["name"]
            if "loop" in node:
                yield from listed(node["loop"]["body"])

    return list(graph["tensors"]), list(listed(graph["nodes"]))


def array(*shape):
    return random.normal(size=shape or (6, 6))


class Variables(unittest.TestCase):
    """Nodes are called as the variables that hold them."""

    def test_the_last_node_of_an_expression_has_the_name_of_its_variable(self):
        Z = el.tensor(array())
        P = el.exp(Z - Z.min(axis=1, keepdims=True))
        self.assertEqual(names_of(result=P + P.sum() * P.max()), (
            ["Z"], ["Z_min", "P", "P_sum", "P_max", "result"]))

    def test_tensors_are_called_after_variables_then_arguments_then_parameters(self):
        def train(xp, data, weights=None):
            return data @ (data if weights is None else weights)

        X, points = array(), array()
        out = train(el, el.tensor(X))
        A = el.tensor(points)
        self.assertEqual(names_of(out=out), (["X"], ["out"]))
        self.assertEqual(names_of(out=train(el, A)), (["A"], ["out"]))
        self.assertEqual(names_of(out=train(el, el.tensor(array()), weights=el.tensor(array()))),
                         (["data", "weights"], ["out"]))

    def test_tuples_comprehensions_and_entries(self):
        A, B = el.random((6, 6), seed=1), el.random((6, 6), seed=2)
        q, k, v = [A @ w for w in (B, A, B)]
        (first, second), rest = (q + k, k - v), v * 2
        parameters = {"W1": el.tensor(array()), "b1": el.tensor(array(6))}
        C = first @ second @ rest + A @ parameters["W1"] + parameters["b1"]
        tensors, nodes = names_of(C=C)
        self.assertEqual(tensors, ["A", "B", "W1", "b1"])
        self.assertEqual(nodes[:6], ["q", "k", "first", "second", "first_second", "C_sum"])

    def test_attributes_lists_and_decorated_functions(self):
        def logged(function):
            @functools.wraps(function)
            def wrapper(*args, **options):
                return function(*args, **options)
            return wrapper

        class Layer:
            def __init__(self):
                self.weight = el.tensor(array())

            @logged
            def __call__(self, x):
                hidden = x @ self.weight
                return hidden * hidden

        layer, X = Layer(), el.tensor(array())
        y = layer(X)
        self.assertEqual(names_of(z=y + 1), (["X", "weight"], ["hidden", "z"]))
        weights = [el.tensor(array()) for _ in range(2)]
        self.assertEqual(names_of(z=X @ weights[0] @ weights[1])[0], ["X", "weights0", "weights1"])

    def test_of_one_variables_arrays_the_last_has_its_name(self):
        X = el.tensor(array())
        h = X @ X
        h = h - h.mean(axis=0)
        h = el.tanh(h)
        self.assertEqual(names_of(y=h @ X)[1], ["h_product", "h_mean", "h", "y"])
        x = el.ones(6)
        for _ in range(3):
            x = X @ x
        self.assertEqual(names_of(x=x), (["X", "x0"], ["x1", "x2", "x"]))
        self.assertEqual(names_of(y=x @ x), (["X", "x0"], ["x1", "x2", "x3", "y"]))

    def test_arrays_that_are_written_on_keep_the_name(self):
        X = el.tensor(array())
        X[X > 2] = 2
        X -= 1
        self.assertEqual(names_of(y=X @ X), (["X0"], ["X", "y"]))

    def test_programs_without_source(self):
        program = ("A, B = X @ X, X + 1\nC = A @ B\nD = [A @ C for _ in range(2)]\n"
                   "text = el.graph_text({'E': C + D[1]})\n")
        scope = {"el": el, "X": el.tensor(array())}
        exec(compile(program, "<a cell>", "exec"), scope)
        self.assertEqual(re.findall(r'"name": "(\w+)"', scope["text"])[1:], ["A", "B", "C", "D1", "E"])
        shown = subprocess.run(
            [sys.executable, "-c", "import einloom as el\nX = el.random((3, 3), seed=1)\n" + program + "print(text)"],
            env={**os.environ, "PYTHONPATH": str(MODULE)}, capture_output=True, text=True, check=True).stdout
        self.assertEqual(re.findall(r'"name": "(\w+)"', shown)[1:], ["A", "B", "C", "D1", "E"])

    def test_the_room_alone_in_every_python(self):
        found = sorted({*glob.glob(os.path.expanduser("~/.pyenv/versions/3.*/bin/python3")), sys.executable})
        for python in found:
            code = "import sys; print(sys.version_info >= (3, 9))"
            asked = subprocess.run([python, "-c", code], capture_output=True, text=True, check=False)
            if asked.stdout.strip() != "True":
                continue
            with self.subTest(python):
                ran = subprocess.run([python, HERE / "names_alone.py", MODULE / "einloom" / "names.py"],
                                     capture_output=True, text=True, check=False)
                self.assertEqual(ran.returncode, 0, ran.stderr)


class Keys(unittest.TestCase):
    """The keys of a dict are the names of its outputs."""

    def test_of_loops_gradients_inputs_and_one_array_twice(self):
        X, w0 = el.input("X", (6, 3)), el.zeros(3)

        def descend(w):
            loss = ((X @ w - 1) ** 2).mean()
            return w - 0.1 * el.grad(loss, w)

        w = el.loop(descend, carry={"w": w0}, times=3)
        loss = (X ** 2).sum()
        g = el.grad(loss, X)
        outputs = {"w": w, "W": w, "g": g, "loss": loss, "twice": loss, "same": X, "X": X}
        graph = json.loads(el.graph_text(outputs))
        self.assertEqual(sorted(graph["outputs"]), sorted(outputs))
        nodes = {node["name"]: node for node in graph["nodes"]}
        self.assertEqual(nodes["descend"]["loop"]["carry"], {"w": {"begin": "w0", "next": "w_next"}})
        self.assertEqual([node["name"] for node in nodes["descend"]["loop"]["body"]], ["Xw", "loss1", "grad", "w_next"])
        self.assertEqual(nodes["w"], {"name": "w", "einsum": "i->i", "inputs": ["descend/w"]})
        self.assertEqual(nodes["same"]["inputs"], ["X"])

    def test_a_name_that_is_carried_means_one_thing_in_a_body(self):
        A, x = el.tensor(array()), el.ones(6)

        def outer(x):
            return el.loop(lambda x: A @ x, carry={"x": x}, times=2) + x

        graph = json.loads(el.graph_text({"y": el.loop(outer, carry={"x": x}, times=3), "x": x + 1}))
        (loop, _, _), carried = graph["nodes"], ["x", "x2"]
        inner = loop["loop"]["body"][0]["loop"]
        self.assertEqual([*loop["loop"]["carry"], *inner["carry"]], carried)
        self.assertEqual(inner["carry"]["x2"]["begin"], "x")

    def test_an_input_keeps_its_name_before_a_key(self):
        X = el.input("X", (6,))
        self.assertEqual(el.graph_text({"X": X + 1}).splitlines()[-1], '  "outputs": ["X2"] }')

    def test_arrays_without_a_key_are_called_as_their_variables(self):
        X = el.tensor(array())
        scores = X @ X
        self.assertIn('"outputs": ["scores"]', el.graph_text(scores))
        self.assertIn('"outputs": ["result"]', el.graph_text(X @ X.T))


class Computed(unittest.TestCase):
    """What the program has no name for is called after what it computes, of what, and for what."""

    def test_products_and_what_is_between_two(self):
        Q, K, V, hidden = (el.tensor(array()) for _ in range(4))
        self.assertEqual(names_of(y=el.tanh(Q @ K.T) @ V)[1], ["QKt", "QKt_tanh", "y"])
        self.assertEqual(names_of(y=el.tanh(hidden @ V) @ V)[1][0], "hidden_V")
        d = Q - K
        self.assertEqual(names_of(y=(Q - K).max() + (Q - K).min() + d.sum())[1][0], "d")
        self.assertEqual(names_of(y=(Q + V).max() + (Q + V).min())[1][0], "Q_plus_V")

    def test_functions_say_their_own_name(self):
        X, W = el.tensor(array()), el.tensor(array())
        self.assertEqual(names_of(y=el.relu(X) @ W)[1], ["X_relu", "y"])
        self.assertEqual(names_of(y=el.maximum(X @ W, 0) @ W)[1], ["XW", "XW_relu", "y"])
        self.assertEqual(names_of(y=el.softmax(el.exp(X) @ W, axis=1) @ W)[1],
                         ["X_exp", "y_product", "y_softmax", "y"])

    def test_loops_are_called_after_their_functions(self):
        A = el.tensor(array())

        def power_iteration(start):
            def step(x):
                y = A @ x
                return y / el.linalg.norm(y)
            return el.loop(step, carry={"x": start}, times=4)

        self.assertEqual(names_of(x=power_iteration(el.ones(6)))[1], ["power_iteration", "y", "y_norm", "x_next", "x"])
        state = (el.ones(6), el.zeros(()))
        v, size = el.loop(lambda v, size: (A @ v, el.linalg.norm(v)), carry=state, times=3)
        self.assertEqual(names_of(v=v, size=size), (["v0", "size0", "A"], ["loop", "v_next", "size_next", "v", "size"]))


if __name__ == "__main__":
    unittest.main()
