#!/usr/bin/env python3
"""What people who come from NumPy and PyTorch write by mistake: each is refused with what to write, or means what they
think it does.

mistakes_test.py. Exits with 77 (skipped) where NumPy is missing.
"""
import os
import pathlib
import random
import sys
import tempfile
import unittest
import unittest.mock
import warnings

from tested_module import el, np
from einloom.programs.process import Ended


class Mistakes(unittest.TestCase):
    """Each has a text of its own."""

    def refused(self, text, act):
        with self.assertRaises(Exception) as caught:
            act()
        self.assertIn(text, str(caught.exception))

    def test_random_tensors_without_a_seed_differ(self):
        first, second = el.run([el.random((6, 4)), el.random((6, 4))])
        self.assertFalse((first == second).any())
        again = el.run([el.random((6, 4), seed=3), el.random((6, 4), seed=3)])
        self.assertTrue((again[0] == again[1]).all())

    def test_extents_are_given_as_a_shape(self):
        self.refused("random: expected a shape, and all else by name, found 2 arguments without a name; "
                     "write random((600, 400))", lambda: el.random(600, 400))
        self.refused("write random((6, 4), seed=3)", lambda: el.random((6, 4), 3))
        self.refused("write zeros((3, 4))", lambda: el.zeros(3, 4))
        self.refused("write ones((3, 4))", lambda: el.ones(3, 4))
        matrix = el.input("A", (3, 4))
        self.refused("singular values are numpy.linalg.svd's", lambda: el.linalg.norm(matrix, 2))
        self.refused("singular values are numpy.linalg.svd's", lambda: el.linalg.norm(matrix, 2, axis=(0, 1)))
        self.refused("max: expected numbers that have an order, found complex ones",
                     lambda: el.nanmax(el.input("Z", (3,), "complex64")))
        self.refused("random, seed: expected a whole number from 0 on, found -1", lambda: el.random((3,), seed=-1))
        self.assertEqual(el.zeros((3, 4), np.float32).dtype, np.float32)
        self.assertEqual(el.ones(3, "int64").shape, (3,))

    def test_a_transposed_input_is_to_be_transposed(self):
        Y = el.input("Y", (3, 4))
        self.refused("expected shape (3, 4), found (4, 3); transpose it (.T), or declare input('Y', (4, 3))",
                     lambda: el.run(Y + 1, inputs={"Y": np.ones((4, 3))}))
        self.refused("expected shape (3, 4), found (12,); give one of that shape, or declare input('Y', (12,))",
                     lambda: el.run(Y + 1, inputs={"Y": np.ones(12)}))
        self.refused("found none for Y but one for 'Z'; give run(..., inputs={'Y': array})",
                     lambda: el.run(Y + 1, inputs={"Z": np.ones((3, 4))}))

    def test_what_is_carried_transposed_is_to_be_transposed(self):
        self.refused("found shape (3, 2) of f64; transpose it (.T)",
                     lambda: el.loop(lambda x: x.T, carry={"x": el.zeros((2, 3))}, times=2))
        self.refused("convert it with .astype",
                     lambda: el.loop(lambda x: x.astype("float32"), carry={"x": el.zeros(3)}, times=2))
        self.refused("found None, since the step returns nothing",
                     lambda: el.loop(lambda x: None, carry={"x": el.zeros(3)}, times=2))
        self.refused("found 'x'; leave it out: of one carried array the loop gives that array, without its name",
                     lambda: el.loop(lambda x: x + 1, carry={"x": el.zeros(3)}, times=2)["x"])

    def test_more_ranks_than_cores_are_fine_and_more_threads_are_told(self):
        cores = len(os.sched_getaffinity(0))
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            el.run(el.ones(64) + el.arange(64), ranks=cores + 2, progress="off")
            self.assertEqual([str(one.message) for one in told], [])
            el.run(el.ones(64) + el.arange(64), ranks=2, threads=cores, progress="off")
        self.assertRegex(str(told[0].message), f"2 ranks with {cores} threads each .* whose product is at most")

    def test_what_gradients_are_not_by_and_lookups_in_numpys_arrays(self):
        X, other, y = el.input("X", (3, 4)), el.input("Y", (4,)), el.input("y", (3,), "int64")
        self.refused("found Y of shape (4,), which it does not read", lambda: el.grad((X ** 2).sum(), [X, other]))
        self.refused("one in numpy.eye(n) einloom.eye(n)[x]", lambda: np.eye(3)[y])
        self.refused("of whole numbers write x * 2**n", lambda: y << 1)
        self.refused("a function of what is carried, (x), found one of (x, k)",
                     lambda: el.loop(lambda x, k: x, carry={"x": X}, times=2))

    def test_a_gradient_that_no_iteration_changes_is_told(self):
        W = el.zeros(3)
        with self.assertWarnsRegex(UserWarning, "the same in each iteration, since its loss was computed outside"):
            el.loop(lambda V: V - 0.1 * el.grad((W ** 2).sum(), W), carry={"V": W}, times=3)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            el.loop(lambda V: V - 0.1 * el.grad((V ** 2).sum(), V), carry={"V": W}, times=3)
            constant = el.grad((W ** 2).sum(), W)
            el.loop(lambda V: V - 0.1 * constant, carry={"V": W}, times=3)

    def test_random_numbers_of_a_step_are_the_same_in_each_iteration_which_is_told(self):
        W, generator, drawn = el.zeros(40), np.random.default_rng(0), "the step's random numbers are made once"

        def helper():
            return generator.normal(size=40)

        def told(step):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                el.loop(step, carry={"W": W}, times=10)
            return [str(one.message) for one in caught]
        for step in (lambda W: W + np.random.normal(size=40), lambda W: W + generator.normal(size=40),
                     lambda W: W + np.random.default_rng(1).normal(size=40), lambda W: W + random.random(),
                     lambda W: W + helper()):
            self.assertEqual(len(told(step)), 1)
            self.assertIn(drawn, told(step)[0])
            self.assertIn("noise = einloom.tensor(numpy.random.normal(size=(10, *shape)))", told(step)[0])
        made = told(lambda W: W + el.random((40,), kind="normal"))[0]
        self.assertIn("carry a counter k that the step returns as k + 1, and read noise[k]", made)
        noise = eval(made.partition("noise = ")[2].partition(", carry")[0], {"einloom": el})  # what it says
        constant, other = np.eye(40), el.random((40,))
        for step in (lambda W: W @ constant + other + np.ones(40), lambda W: W + el.random((40,), seed=3)):
            self.assertEqual(told(step), [])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            walk = el.run(el.loop(lambda W, k: (W + noise[k], k + 1), carry={"W": W, "k": 0}, times=10)["W"])
        np.testing.assert_allclose(walk, el.run(noise).sum(axis=0))

    def test_what_is_carried_stands_behind_the_step(self):
        W = el.zeros(3)
        self.refused("loop: expected what is carried behind the step, found the number 50; "
                     "write loop(step, carry=W, times=50)", lambda: el.loop(lambda W: W, 50, W))
        self.refused("write loop(step, carry=..., times=50)", lambda: el.loop(lambda W: W, 50, el.zeros(3) + 1))
        self.refused("write loop(step, carry=..., times=...)", lambda: el.loop(lambda W: W, lambda W: W, 50))
        self.assertEqual(el.run(el.loop(lambda x: x + 1, 0, 50)), 50)
        self.assertEqual(el.run(el.loop(lambda x: x + 1, np.zeros(3), times=2)).tolist(), [2.0] * 3)

    def test_slices_and_counts_that_an_iteration_computes(self):
        X, size = el.tensor(np.arange(40.0).reshape(10, 4)), 2

        def loop_of(read, times=3):
            return el.loop(lambda s, k: (s + el.sum(read(k)), k + 1), carry={"s": 0.0, "k": 0}, times=times)
        self.refused("write X[START + einloom.arange(N)], as X[k*B + einloom.arange(B)] for X[k*B:(k+1)*B]",
                     lambda: loop_of(lambda k: X[k*size:(k+1)*size]))
        self.refused("write X[k + einloom.arange(N)]", lambda: loop_of(lambda k: X[k:k + 3]))
        self.refused("write X[:, k + einloom.arange(N)]", lambda: loop_of(lambda k: X[:, k:k + 3]))
        self.assertEqual(el.run(loop_of(lambda k: X[k*size + el.arange(size)])["s"]), np.arange(24.0).sum())
        self.refused("write a mask: einloom.where(einloom.arange(10)[:, None] < k, X, 0)",
                     lambda: loop_of(lambda k: X[:k]))
        self.refused("write a mask: einloom.where(einloom.arange(4) >= k, X, 0)", lambda: loop_of(lambda k: X[:, k:]))
        masked = loop_of(lambda k: el.where(el.arange(10)[:, None] < k, X, 0))["s"]
        self.assertEqual(el.run(masked), sum(np.arange(4.0 * k).sum() for k in range(3)))
        self.refused("write START + einloom.arange(N)", lambda: loop_of(lambda k: el.arange(k, k + 2)))
        for act in (lambda k: el.zeros((k,)), lambda k: X.reshape(k, -1), lambda k: X[::k]):
            self.refused("give a number: what is planned before the run does not follow elements", lambda: loop_of(act))
        self.refused("loop, times: expected a whole number from 0 on, found a lazy array",
                     lambda: loop_of(lambda k: k, times=el.ones((), dtype="int64")))
        self.refused("noise = einloom.random((times, *shape)), and read noise[k]",
                     lambda: loop_of(lambda k: el.random((3,), seed=k)))

    def test_a_loop_that_breaks_is_one_with_a_condition(self):
        with self.assertRaises(el.Error) as caught:
            if el.ones(3).sum() < 1:
                pass
        self.assertIn("write einloom.where(condition, a, b) in place of a branch, einloom.loop(step, carry=..., "
                      "while_=lambda ...: condition, max=1000) in place of a loop that breaks", str(caught.exception))
        self.refused("loop: expected times or while_, found both; give max=50 in place of times: the most iterations",
                     lambda: el.loop(lambda x: x / 2, carry={"x": 1.0}, times=50, while_=lambda x: x > 0.1))
        self.assertEqual(el.run(el.loop(lambda x: x / 2, carry={"x": 1.0}, max=50, while_=lambda x: x > 0.1)), 0.0625)

    def test_habits_of_other_libraries_are_answered(self):
        X = el.input("X", (3, 4))
        for attribute, text in (("backward", "einloom.grad(loss, [W])"), ("numpy", "einloom.run(x)"),
                                ("cuda", "device='cuda'"), ("view", ".reshape(...)"), ("detach", "leave it out"),
                                ("to", ".astype(dtype)"), ("nothing", "dir(x) lists what there is"),
                                ("tile", "einloom.tile(x)"), ("summ", 'did you mean "sum"?'),
                                ("nonzero", "depends on elements"), ("tobytes", "with NumPy before or after")):
            self.refused(f"an einloom.Array has no {attribute!r}", lambda: getattr(X, attribute))
            self.refused(text, lambda: getattr(X, attribute))
        self.assertFalse(hasattr(X, "__cuda_array_interface__"))
        self.refused("a format '.3f': expected elements that are known", lambda: f"{X:.3f}")
        self.assertEqual(f"{X}", repr(X))
        self.refused("functions stand in the module itself", lambda: el.nn)
        self.refused("write run([A, B])", lambda: el.run(X, X))
        self.refused("operands one by one", lambda: el.einsum("ij,ij->", [X, X]))
        self.refused("write load('X.npy') for a file", lambda: el.tensor("X.npy"))
        self.refused("elements are numpy.save('o.npy', run(x))", lambda: el.save("o.npy", X))
        self.refused("grad(f(X), [X])", lambda: el.grad(lambda x: x.sum()))
        self.refused("name them: grad(loss, [W])", lambda: el.grad(X.sum()))
        plain = np.ones(3)
        for wrt, found in ((plain, "a NumPy array"), ([plain], "a NumPy array"), (0.5, "a float"), ([1, 2], "a int")):
            self.refused(f"found {found}, of which the loss has a copy; make it one before the loss is computed: "
                         "W = el.tensor(W), then the loss, then grad(loss, W)",
                         lambda wrt=wrt: el.grad((el.ones((4, 3)) @ plain).sum(), wrt))
        self.refused("number 0 of shape (3,), which it does not read; differentiate by the very tensor that it was "
                     "computed of", lambda: el.grad((el.ones((4, 3)) @ plain).sum(), el.tensor(np.arange(3.0))))
        self.refused("list them: grad(loss, list(tensors.values()))", lambda: el.grad(X.sum(), {"X": X}))
        self.assertEqual(len(el.grad(X.sum(), {"X": X}.values())), 1)
        self.refused("transpose the second: a @ b.T", lambda: el.ones((5, 3)) @ el.ones((7, 3)))
        self.refused("transpose the first: a.T @ b", lambda: el.ones((5, 3)) @ el.ones((5, 7)))
        self.refused("found shape () of i64; compute it in real numbers",
                     lambda: el.grad(el.zeros(3, dtype="int64").sum(), [X]))

    def test_axes_have_the_names_of_pytorch_too(self):
        X = el.tensor(np.arange(12.0).reshape(3, 4))
        self.assertEqual(el.softmax(X, dim=1).shape, (3, 4))
        self.assertEqual(el.sum(X, dim=0, keepdim=True).shape, (1, 4))
        self.assertEqual(el.run(el.var(X, dim=1)).tolist(), [1.25] * 3)
        self.refused("unexpected keyword argument 'dimension'", lambda: el.sum(X, dimension=0))

    def test_results_are_found_by_their_names(self):
        results = el.run({"S": el.ones(3).sum()})
        self.refused("'T' is no result; there are 'S'", lambda: results["T"])
        self.refused("write results['S']", lambda: results.S)
        self.assertEqual(results.get("T"), None)

    def test_words_of_jax(self):
        self.refused("einloom.loop(step", lambda: el.fori_loop(0, 3, None, None))
        self.refused("leave it out: a graph is planned as a whole", lambda: el.jit(None))
        self.refused("write einloom.random(shape, kind='normal')", lambda: el.randn(3))
        self.refused("found the text 'g.json'; einloom.load reads an array; graphs in files are run by eintool run",
                     lambda: el.run("g.json"))
        self.refused("found a function; call it: run(f(X))", lambda: el.run(lambda: el.ones(3)))
        self.assertEqual(el.run(el.random((3,), kind="normal")).shape, (3,))

    def test_numbers_are_no_texts(self):
        self.refused("write 2, without quotes", lambda: el.run(el.ones(3), ranks="2"))
        self.refused("found 'rows'; give a number", lambda: el.sum(el.ones(3), axis="rows"))
        self.refused("found 1.5; give one; use // to divide", lambda: el.zeros(1.5))
        self.refused("dot: expected 4 elements along axis 0 of the second", lambda: el.dot(el.ones((3, 4)), el.ones(5)))

    def test_options_by_the_names_of_others(self):
        X = el.ones(3)
        for other in ("n", "np", "nprocs", "num_ranks", "ntasks", "workers", "world_size"):
            self.refused(f"run() has no option {other!r}; write ranks=2", lambda: el.run(X, **{other: 2}))
            self.refused(f"plan() has no option {other!r}; write ranks=2", lambda: el.plan(X, **{other: 2}))
            self.refused("write ranks=2", lambda: el.batch(X, "never.json", **{other: 2}))
        self.refused("write threads=4", lambda: el.run(X, num_threads=4))
        self.refused("write threads=4", lambda: el.run(X, cpus=4))
        self.refused("threads= is an option of einloom.run", lambda: el.plan(X, nthreads=4))
        self.refused("write memory='8GiB'", lambda: el.run(X, mem="8GiB"))
        self.refused("write memory='8GiB'", lambda: el.plan(X, memory_limit="8GiB"))
        self.refused("write out='here'", lambda: el.run(X, output_dir="here"))
        self.refused("write inputs=", lambda: el.run(X, feed_dict={"X": np.ones(100)}))
        self.refused('did you mean "ranks"?', lambda: el.run(X, rank=2))
        self.refused("it has outputs, ranks, inputs, checkpoint, out, progress, launcher, mesh, sharding, allow_tf32",
                     lambda: el.run(X, colour="red"))
        self.assertEqual(el.run(X, ranks=1, threads=1, memory="8GiB").tolist(), [1.0] * 3)

    def test_files_that_are_converted(self):
        self.refused("/X.h5')[NAME][:])", lambda: el.load("/X.h5"))
        with tempfile.TemporaryDirectory() as folder:
            np.savetxt(f"{folder}/X.csv", np.eye(3), delimiter=",")
            np.save(f"{folder}/A.npy", {"w": np.eye(3)})
            for name in ("X.csv", "A.npy"):
                path = f"{folder}/{name}"
                with self.assertRaises(el.Error) as caught:
                    el.load(path)
                written = str(caught.exception).partition("write ")[2].replace("NAME", "'w'")
                made = eval(written, {"tensor": el.tensor, "numpy": np})  # what it says, as it stands
                self.assertEqual(el.run(made).tolist(), np.eye(3).tolist())

    def test_a_loop_with_a_condition_has_a_most(self):
        halved = {"step": lambda x: x / 2, "carry": {"x": el.ones(3)}, "while_": lambda x: x.sum() > 1}
        self.refused("loop: expected max beside while_: the most iterations, found none; write max=1000",
                     lambda: el.loop(**halved))
        self.assertEqual(el.run(el.loop(**halved, max=1000)).tolist(), [0.25] * 3)

    def test_under_mpirun_nothing_is_started(self):
        with unittest.mock.patch.dict("os.environ", OMPI_COMM_WORLD_SIZE="2", OMPI_COMM_WORLD_RANK="1"):
            self.refused("found one that mpirun started 2 times; start it as python3 PROGRAM",
                         lambda: el.run(el.ones(3)))
        with unittest.mock.patch.dict("os.environ", SLURM_STEP_NUM_TASKS="4"):
            self.refused("found one that srun started 4 times; start it as python3 PROGRAM", lambda: el.run(el.ones(3)))

    def test_graphs_are_saved_where_they_are_wanted(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "new", "folder", "g.json")
            self.assertEqual(el.save({"S": el.tensor(np.ones((30, 30))).sum()}, path), ["S"])
            self.assertIn("g.json", os.listdir(os.path.dirname(path)))
            self.refused("give another path", lambda: el.save({"S": el.ones(3).sum()}, os.path.join(path, "h.json")))

    def test_what_saving_a_graph_does_not_replace(self):
        with tempfile.TemporaryDirectory() as folder:
            data, linked, array = (os.path.join(folder, name) for name in ("X.dat0", "link.json", "g.A.npy"))
            np.save(array, np.eye(20))
            os.rename(array, data)
            os.link(data, array)
            X, elements = el.load(array), pathlib.Path(data).read_bytes()
            self.refused(f"save: expected a name for the graph, as *.json, found {array!r}, the name of a file of "
                         f"elements; to save the graph, which einplan reads, write save(outputs, "
                         f"{array[:-3] + 'json'!r}); to save the elements, numpy.save({array!r}, "
                         "einloom.run(outputs)['X'])", lambda: el.save({"X": X - X.mean(axis=0)}, array))
            for name, writes in (("w.npz", "numpy.savez('w.npz', **einloom.run(outputs))"),
                                 ("w.pt", "torch.save({name: torch.from_numpy(x) for name, x in einloom.run(outputs)"),
                                 ("w.CSV", "numpy.savetxt('w.CSV', einloom.run(outputs)['X'], delimiter=',')"),
                                 ("w.safetensors", "save_file(dict(einloom.run(outputs)), 'w.safetensors')"),
                                 ("w.sched", "the name of a schedule; write save(outputs, 'w.json'), and plan it")):
                self.refused(writes, lambda name=name: el.save({"X": X}, name))
                self.assertFalse(os.path.exists(name))
            self.refused("numpy.savez('w.npz', **{'x': einloom.run(outputs)})", lambda: el.save(X + 1, "w.npz"))
            # A file that the graph reads stays, whatever it is called: the graph's, one beside it, or a link to one.
            g = os.path.join(folder, "g.json")
            A = el.tensor(np.ones((20, 20)), name="A")
            self.refused("save: expected other files than those that the graph reads, found "
                         f"{array!r}, which tensor 'g' is read from; save it under another name, such as "
                         f"{g[:-5] + '_graph.json'!r}",
                         lambda: el.save({"Z": A @ X}, g))
            os.symlink(array, linked)
            self.refused("which tensor 'g' is read from", lambda: el.save({"Z": X @ X}, linked))
            self.refused("which is none and would be lost; give another name", lambda: el.save({"Z": A @ A}, data))
            for text in ("1 2 3\n", "\x93NUMPY"):
                with open(g, "w", encoding="latin-1") as file:
                    file.write(text)
                self.refused("which is none and would be lost", lambda: el.save({"Z": A @ A}, g))
            self.assertEqual(pathlib.Path(data).read_bytes(), elements)
            os.remove(g)
            for _ in range(2):
                self.assertEqual(el.save({"Z": A @ A}, os.path.join(folder, "h.json")), ["Z"])

    def test_decompositions_that_no_graph_has_are_numpys_of_what_was_run(self):
        X = el.tensor(np.arange(12.0).reshape(4, 3), name="X")
        C = X.T @ X
        for function in ("eigh", "eigvalsh", "svd", "eig", "cond", "matrix_rank"):
            self.refused(f"einloom has no 'linalg.{function}': a graph cannot say it, or not yet; compute the matrix "
                         f"first, C = einloom.run(C), then numpy.linalg.{function}(C), and go on with "
                         "einloom.tensor of what that gives", lambda function=function: getattr(np.linalg, function)(C))
            self.refused(f"then numpy.linalg.{function}(C)", lambda function=function: getattr(el.linalg, function))
        with self.assertRaises(AttributeError) as caught:
            np.linalg.matrix_rank(C)
        self.assertNotIn("power iteration", str(caught.exception))
        self.refused("numpy.unique(einloom.run(x))", lambda: np.unique(C))
        # What is said, taken at its word: the principal components.
        _, vectors = np.linalg.eigh(el.run(C))
        plain = np.arange(12.0).reshape(4, 3)
        np.testing.assert_allclose(el.run(X @ el.tensor(vectors[:, ::-1][:, :2])), plain @ vectors[:, ::-1][:, :2])

    def test_notes_of_planning_are_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            el.run(el.random((6, 4), seed=3) - el.random((6, 4), seed=3))
        self.assertTrue(any("have the same elements" in str(one.message) for one in caught), caught)

    def test_what_mpirun_says_of_root_is_passed_on(self):
        said = ["-" * 70, "mpirun has detected an attempt to run as root.", "-" * 70,
                "eintool: mpirun ended with code 1"]
        planned = Ended(0, "{}", [])
        with unittest.mock.patch("einloom.run.run_program", side_effect=[planned, Ended(1, "", said)]):
            self.refused("OMPI_ALLOW_RUN_AS_ROOT=1", lambda: el.run(el.ones(3), ranks=2))

    def test_warnings_of_planning_are_warnings(self):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            el.run(el.ones(3) + 1, memory="4096")
        self.assertTrue(any("--memory" in str(one.message) for one in caught), caught)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
