#!/usr/bin/env python3
"""What the Python module promises beside NumPy's functions: graphs, runs, loops, gradients, files, refusals, Ctrl-C.

module_test.py BIN. Exits with 77 (skipped) where NumPy is missing.
"""
import contextlib
import doctest
import importlib
import io
import os
import pathlib
import pkgutil
import re
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import warnings

from tested_module import MODULE, el, np

random = np.random.default_rng(5)


def nodes_of(outputs):
    """The lines of a graph's nodes, without the commas between them."""
    lines = el.graph_text(outputs).splitlines()
    start = lines.index('  "nodes": [') + 1
    return [line.strip().rstrip(",").removesuffix(" ]") for line in lines[start:-1]]


class Graphs(unittest.TestCase):
    """Graphs are those that a person would write."""

    def test_broadcast_differences_are_one_einsum(self):
        X, Y = el.input("X", (6, 3)), el.input("Y", (5, 3))
        D = ((X[:, None, :] - Y[None, :, :]) ** 2).sum(axis=2)
        self.assertEqual(nodes_of({"D": D}), [
            '{"name": "D", "einsum": "ik,jk->ij", "inputs": ["X", "Y"], "join": "(x - y)^2"}'])

    def test_transposes_become_labels(self):
        X, Y = el.input("X", (6, 3)), el.input("Y", (5, 3))
        self.assertEqual(nodes_of({"G": X @ Y.T, "H": (Y @ X.T).T}), [
            '{"name": "G", "einsum": "ij,kj->ik", "inputs": ["X", "Y"]}',
            '{"name": "H", "einsum": "ij,kj->ki", "inputs": ["Y", "X"]}'])

    def test_a_view_of_a_function_is_read_as_labels_and_named_zeros_are_their_own(self):
        X, W = el.input("X", (6, 3)), el.input("W", (3, 3))
        first, second = el.zeros(3), el.zeros(3)
        Q, K = X @ W + first, X @ W + second
        lines = nodes_of({"S": Q @ K.T})
        self.assertEqual(lines[1:], ['{"name": "Q", "op": "add", "inputs": ["XW", "first"]}',
                                     '{"name": "K", "op": "add", "inputs": ["XW", "second"]}',
                                     '{"name": "S", "einsum": "ij,kj->ik", "inputs": ["Q", "K"]}'])

    def test_what_two_nodes_read_has_the_name_of_its_variable(self):
        X = el.input("X", (6, 3))
        m = X.mean(axis=0)
        Z = (X - m) / X.std(axis=0)
        self.assertEqual(nodes_of({"Z": Z, "total": m.sum()}), [
            '{"name": "m", "op": "mean", "inputs": ["X"], "axis": 0}',
            '{"name": "X_std", "op": "std", "inputs": ["X"], "axis": 0}',
            '{"name": "Z", "einsum": "ij,j,j->ij", "inputs": ["X", "m", "X_std"], "join": "(x - y)/z"}',
            '{"name": "total", "op": "sum", "inputs": ["m"]}'])

    def test_a_function_of_one_element_is_an_op_and_equal_nodes_are_one(self):
        X = el.input("X", (6, 3))
        self.assertEqual(nodes_of({"a": el.exp(X) + X[1:2], "b": el.exp(X) * X[1:2]}), [
            '{"name": "X_exp", "op": "exp", "inputs": ["X"]}',
            '{"name": "X_slice", "op": "slice", "inputs": ["X"], "slices": "1:2"}',
            '{"name": "a", "op": "add", "inputs": ["X_exp", "X_slice"]}',
            '{"name": "b", "op": "multiply", "inputs": ["X_exp", "X_slice"]}'])

    def test_indices_stand_in_the_join(self):
        S = el.input("S", (6, 6))
        i = el.arange(6)
        self.assertEqual(nodes_of({"M": el.where(i[:, None] >= i[None, :], S, -el.inf)}), [
            '{"name": "M", "einsum": "ij->ij", "inputs": ["S"], "join": "where([i] >= [j], x, -inf)"}'])

    def test_words_and_joins_stay_as_they_were_written(self):
        X, W = el.input("X", (8, 4)), el.input("W", (4, 2))
        self.assertEqual(nodes_of({"H": el.einsum("batch d, d ff -> batch ff", X, W, join="abs(x - y)", agg="max")}), [
            '{"name": "H", "einsum": "batch d, d ff -> batch ff", "inputs": ["X", "W"], "join": "abs(x - y)", '
            '"agg": "max"}'])

    def test_products_are_not_computed_again_for_each_reader(self):
        X, W = el.input("X", (8, 4)), el.input("W", (4, 2))
        self.assertEqual(len(nodes_of({"Y": el.tanh(X) @ W})), 2)

    def test_marks_and_scales_are_part_of_their_reader(self):
        n, P, H = el.input("n", (6,), "int64"), el.input("P", (6, 4)), el.input("H", (6, 5))
        marks = (n[:, None] == el.arange(4)).astype(float)
        self.assertEqual(nodes_of({"D": (P - marks) / 6, "G": 0.1 * H.T @ P}), [
            '{"name": "D", "einsum": "ij,i->ij", "inputs": ["P", "n"], "join": "(x - (y == [j]))/6"}',
            '{"name": "G", "einsum": "ji,jk->ik", "inputs": ["H", "P"], "join": "0.1*x*y"}'])

    def test_bodies_of_loops_hold_what_depends_on_what_is_carried(self):
        A, b = el.input("A", (3, 3)), el.input("b", (3,))
        scaled = A / 7
        x = el.loop(lambda x: scaled @ x + b, carry={"x": b}, times=5)
        self.assertEqual(nodes_of({"x": x}), [
            '{"name": "scaled", "einsum": "ij->ij", "inputs": ["A"], "join": "x/7"}',
            '{"name": "loop", "loop": {"times": 5, "carry": {"x": {"begin": "b", "next": "x_next"}}, "body": [',
            '{"name": "scaled_x", "einsum": "ij,j->i", "inputs": ["scaled", "x"]}',
            '{"name": "x_next", "op": "add", "inputs": ["scaled_x", "b"]} ]}}',
            '{"name": "x", "einsum": "i->i", "inputs": ["loop/x"]}'])

    def test_a_map_of_a_file_names_the_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "X.npy")
            np.save(path, random.normal(size=(30, 30)))
            mapped = np.load(path, mmap_mode="r")
            text = el.graph_text(el.tensor(mapped) + 1)
            self.assertIn(f'"X": {{"shape": [30, 30], "data": {{"npy": "{path}"}}}}', text)
            self.assertNotIn(path, el.graph_text(el.tensor(mapped[:20]) + 1))


class Runs(unittest.TestCase):
    """Results, reports and plans of runs."""

    def setUp(self):
        warnings.simplefilter("ignore")

    def test_loops_gradients_inputs_and_files(self):
        A0, b0 = random.uniform(size=(6, 6)) + 6 * np.eye(6), random.uniform(size=6)
        A, b, X0 = el.tensor(A0), el.tensor(b0), random.normal(size=(7, 3))
        X = el.input("X", (7, 3))

        def improved(x, r):
            x_next = x + r / 8
            r_next = b - A @ x_next
            return {"x": x_next, "r": r_next, "goes_on": (r_next ** 2).sum() > 1e-20}

        def trained(w):
            return w - 0.1 * el.grad(((X @ w - 1) ** 2).mean(), w)

        def nested(W):
            return el.loop(lambda v: A @ v / el.linalg.norm(A @ v), carry={"v": W}, times=3) * 2

        solved = el.loop(improved, carry={"x": el.zeros(6), "r": b}, while_="goes_on", max=500)
        halved = el.loop(lambda x: x * 0.5, carry={"x": el.ones(3)}, while_=lambda x: x.sum() > 0.01, max=100)
        first, second = el.loop(lambda a, c: (c, a + c), carry=(el.zeros(()), el.ones(())), times=10)
        w = el.loop(trained, carry={"w": el.zeros(3)}, times=30)
        W = el.loop(nested, carry={"W": b}, times=2)
        (g,) = el.grad((X ** 3).sum(), [X])
        with tempfile.TemporaryDirectory() as folder:
            np.savez(os.path.join(folder, "two.npz"), a=A0, b=b0)
            loaded = el.load(os.path.join(folder, "two.npz"), "a")
            outputs = {"x": solved["x"], "halved": halved, "F": first, "w": w, "W": W, "g": g, "sum": loaded + A,
                       "same": X, "narrow": el.tensor([1.0, 2.5], dtype=el.bfloat16) + 1}
            for ranks in (1, 3):
                with self.subTest(ranks=ranks):
                    r = el.run(outputs, ranks=ranks, inputs={"X": X0}, progress="off")
                    self.assertLess(np.abs(A0 @ r["x"] - b0).max(), 1e-9)
                    self.assertTrue(np.all(r["halved"] == 0.5 ** 9))
                    self.assertEqual(r["F"], 55)
                    by_hand = np.zeros(3)
                    for _ in range(30):
                        by_hand = by_hand - 0.1 * 2 * X0.T @ (X0 @ by_hand - 1) / 7
                    self.assertTrue(np.allclose(r["w"], by_hand))
                    self.assertAlmostEqual(float(np.linalg.norm(r["W"])), 2)
                    self.assertTrue(np.allclose(r["g"], 3 * X0 ** 2))
                    self.assertTrue(np.allclose(r["sum"], 2 * A0))
                    self.assertTrue(np.array_equal(r["same"], X0))
                    self.assertEqual((r["narrow"].tolist(), r["narrow"].dtype.name), ([2.0, 3.5], "float32"))
                    self.assertEqual(r.report["ranks"], ranks)
                    self.assertGreater(r.report["seconds_around"]["running"], r.report["seconds"]["total"])
                    self.assertEqual(r.plan.ranks, ranks)

    def test_kinds_of_outputs(self):
        x = el.tensor([1.0, 2.0])
        self.assertEqual(el.run(x + 1).tolist(), [2, 3])
        self.assertEqual([one.tolist() for one in el.run([x, x * 2])], [[1, 2], [2, 4]])
        self.assertEqual(el.run(np.add(x, np.exp(0 * x))).tolist(), [2, 3])
        with tempfile.TemporaryDirectory() as folder:
            r = el.run({"y": el.ones(1000) + 1}, out=folder)
            self.assertIsInstance(r["y"], np.memmap)
            self.assertEqual(float(np.load(os.path.join(folder, "y.npy")).sum()), 2000)

    def test_assignments(self):
        u, expected = el.zeros((4, 5)), np.zeros((4, 5))
        for array in (u, expected):
            array[1:3, 1] = 2
            array[::2, 3] = 5
            array[-1] = array[1] + 1
            array[array > 4] = -1
            array[[0, 2], [4, 0]] = 9
            array[[1]] = 3
            array[3, 2] = array[2, 0] + 1
        self.assertTrue(np.array_equal(el.run(u), expected))

    def test_a_saved_graph_is_planned_and_run_by_the_programs(self):
        A0 = random.normal(size=(8, 8))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "squared.json")
            script = el.batch({"S": el.tensor(A0) + 1}, path, ranks=3)
            self.assertIn("--ntasks=3 ", script)
            self.assertIn("schedule=squared.sched", script)
            self.assertRegex(script.summary, "(?m)^  machine  +the ")
            self.assertIn(os.path.join(folder, "results", "S.npy"), script.summary)
            self.assertIn("mpirun -n 3 ", el.batch({"S": el.tensor(A0) + 1}, path, ranks=3, kind="mpirun"))
            self.assertTrue(os.path.exists(os.path.join(folder, "squared.sched")))
            self.assertEqual(el.save({"S": el.tensor(A0) @ el.tensor(A0)}, path), ["S"])
            subprocess.run([PROGRAMS / "einplan", "squared.json", "-n", "1", "-q"], cwd=folder, check=True)
            subprocess.run([PROGRAMS / "einrun", "squared.sched", "-q"], cwd=folder, check=True)
            self.assertTrue(np.allclose(np.load(os.path.join(folder, "results", "S.npy")), A0 @ A0))

    def test_a_plan_says_what_it_costs(self):
        A = el.input("A", (200, 100))
        plan = el.plan({"G": A.T @ A}, ranks=4, decompose="eindecomp")
        self.assertEqual((plan.ranks, len(plan.peaks), plan.strategy), (4, 4, "eindecomp"))
        self.assertEqual(plan.cost["total"], plan.cost["join"] + plan.cost["agg"] + plan.cost["repart"])
        self.assertIn("bytes moved", str(plan))
        self.assertIn("lower bound", plan.explain())
        self.assertIn("<iframe", plan._repr_html_())

    def test_memory_and_checkpoints(self):
        A = el.random((120, 120), seed=1)
        with tempfile.TemporaryDirectory() as folder:
            x = el.loop(lambda x: A @ x / el.max(abs(A @ x)), carry={"x": el.ones(120)}, times=20000)
            checkpoint = os.path.join(folder, "saved")
            with self.assertRaises(el.Stopped) as stopped:
                el.run({"x": x}, ranks=2, checkpoint=checkpoint, stop_at=0.001, progress="off")
            self.assertEqual(stopped.exception.code, 75)
            r = el.run({"x": x}, ranks=2, checkpoint=checkpoint, progress="off")
            self.assertTrue(r.report["checkpoint"]["resumed_from"])
            self.assertFalse(os.path.exists(checkpoint + ".work"))
        r = el.run({"G": el.exp(A @ A) @ A}, memory="300KiB", progress="off")
        self.assertEqual(r["G"].shape, (120, 120))

    def test_folders_are_removed_and_ranks_end_on_ctrl_c(self):
        with tempfile.TemporaryDirectory() as folder:
            script = ("import einloom as el\nA = el.random((50, 50), seed=1)\n"
                      "x = el.loop(lambda x: A @ x / el.max(A @ x), carry={'x': el.ones(50)}, times=10**9)\n"
                      "el.run({'x': x}, ranks=2, progress='off')\n")
            process = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE,
                                       env={**os.environ, "TMPDIR": folder, "PYTHONPATH": str(MODULE)},
                                       preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
            self.assertTrue(wait_for(lambda: len(started_in(folder)) >= 3))  # eintool, the launcher's ranks
            process.send_signal(signal.SIGINT)
            _, said = process.communicate(timeout=60)
            self.assertIn(b"KeyboardInterrupt", said)
            self.assertTrue(wait_for(lambda: not started_in(folder)), started_in(folder))
            self.assertEqual([name for name in os.listdir(folder) if name.startswith("einloom-")], [])


def started_in(folder):
    """The command lines of programs that work in a folder."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            words = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        except OSError:
            continue
        if f"{folder}/einloom-" in words and ("einrun" in words or "eintool" in words):
            found.append(words)
    return found


def wait_for(condition, seconds=60):
    """Whether it comes to be so."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


class Refusals(unittest.TestCase):
    """What cannot be done is said where it is written, with what to do instead."""

    def refused(self, kind, text, function):
        with self.assertRaises(kind) as caught:
            function()
        self.assertIn(text, str(caught.exception))
        return caught.exception

    def test_shapes_types_and_names(self):
        A, n = el.input("A", (3, 4)), el.tensor([1, 2, 3])
        for kind, text, function in (
                (ValueError, "add: expected shapes that broadcast, found (3, 4) and (5,)", lambda: A + el.zeros(5)),
                (ValueError, "matmul: expected as many columns", lambda: A @ A),
                (ValueError, "each label, found label 'j' is 4 and 3", lambda: el.einsum("ij,kj->ik", A, A.T)),
                (ValueError, "write einloom.where(condition, a, b) in place of a branch", lambda: bool(A[0, 0] > 0)),
                (ValueError, "len(): expected a number of elements that is known", lambda: len(A[A > 0])),
                (TypeError, "found uint32; convert with .astype", lambda: el.tensor(np.zeros(3, np.uint32))),
                (TypeError, "bitwise_and: expected truth values, found i64", lambda: n & 1),
                (TypeError, "an exponent of 0 or more beside integers", lambda: n ** -1),
                (AttributeError, "einloom has no 'unique'", lambda: el.unique),
                (AttributeError, "write a power iteration as a loop", lambda: el.linalg.svd),
                (AttributeError, "no 'nonsense', nor has NumPy", lambda: el.nonsense),
                (IndexError, "an index: expected a number from -3 to 2, found 3", lambda: A[3]),
                (ValueError, "sum: expected a number from -2 to 1, found 2", lambda: A.sum(axis=2)),
                (ValueError, "concatenate: expected an array or more", lambda: el.concatenate([])),
                (ValueError, "tril and triu: expected an array of 2 or more axes", lambda: el.tril(n)),
                (ValueError, "grad: expected a real scalar", lambda: el.grad(A, [A])),
                (ValueError, "as it began, found shape ()", lambda: el.loop(el.sum, carry={"x": A}, times=2)),
                (ValueError, "expected times or while_, found neither", lambda: el.loop(lambda x: x, carry={"x": A})),
                (ValueError, "none for A; give run(..., inputs={'A': array})", lambda: el.run(A)),
                (ValueError, "input 'A': expected shape (3, 4), found (2,)", lambda: el.run(A, inputs={"A": [1, 2]})),
                (ValueError, "'A' twice", lambda: el.graph_text(A + el.input("A", (3, 4)))),
                (TypeError, "has no option 'rank'", lambda: el.run(n, rank=3)),
                (ValueError, "nowhere.npy: expected a npy file", lambda: el.load("nowhere.npy"))):
            with self.subTest(text):
                self.refused(kind, text, function)

    def test_errors_of_the_programs_have_their_place_and_fix(self):
        A = el.tensor(np.ones((30, 30)))
        error = self.refused(el.InputError, "found 'foo'", lambda: el.run(el.einsum("ij->i", A, join="foo(x)")))
        self.assertEqual((error.code, error.place), (3, "/nodes/0/join"))
        self.assertTrue(error.mend)
        error = self.refused(el.Error, "--decompose", lambda: el.plan(A + 1, decompose="nonsense"))
        self.assertEqual(error.code, 2)

    def test_programs_that_are_missing_are_named(self):
        kept = os.environ.get("EINLOOM_BIN", "")
        os.environ["EINLOOM_BIN"] = "/nowhere"
        try:
            self.refused(el.Error, "EINLOOM_BIN: expected a folder with einplan", lambda: el.run(el.zeros(3)))
        finally:
            os.environ["EINLOOM_BIN"] = kept


class Tutorial(unittest.TestCase):
    """The Python of docs/python.md runs, from its first line to its last, and prints the JSON that stands behind it."""

    def test_all_of_it(self):
        warnings.simplefilter("ignore")
        text = (MODULE.parents[1] / "docs" / "python.md").read_text(encoding="utf-8")
        blocks = re.findall(r"^```(\w+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
        before, shown = os.getcwd(), 0
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                names = {}
                for place, (language, code) in enumerate(blocks):
                    if language != "python":
                        continue
                    with contextlib.redirect_stdout(io.StringIO()) as printed:
                        exec(code, names)  # noqa: S102
                    if blocks[place + 1:] and blocks[place + 1][0] == "json":
                        self.assertEqual(printed.getvalue(), blocks[place + 1][1])
                        shown += 1
                self.assertEqual(shown, [language for language, _ in blocks].count("json"))
                self.assertTrue(shown)
                self.assertTrue(os.path.exists("job.json"))
            finally:
                os.chdir(before)


def load_tests(loader, tests, _):
    """The examples in docstrings are tests too."""
    for found in pkgutil.walk_packages(el.__path__, "einloom."):
        tests.addTests(doctest.DocTestSuite(importlib.import_module(found.name)))
    tests.addTests(doctest.DocTestSuite(el))
    return tests


if __name__ == "__main__":
    PROGRAMS = pathlib.Path(sys.argv.pop(1))
    os.environ["EINLOOM_BIN"] = str(PROGRAMS)
    unittest.main()
