#!/usr/bin/env python3
"""SciPy's sparse matrices and arrays in, and sparse results out: sparse_test.py.

Exits with 77 (skipped) where NumPy or SciPy is missing.
"""
import sys
import unittest
import warnings

from tested_module import el, np

try:
    from scipy import sparse
except ImportError:
    print("skipped: SciPy is not installed")
    sys.exit(77)


class Results(unittest.TestCase):
    """What el.run gives of them."""

    def test_products_and_functions(self):
        M = sparse.random(30, 20, density=0.1, random_state=1)
        v = np.random.default_rng(2).normal(size=20)
        r = el.run({"Mv": el.sparse(M) @ el.tensor(v), "twice": el.sparse(M) * 2}, ranks=2, progress="off")
        self.assertTrue(np.allclose(r["Mv"], M @ v))
        self.assertTrue(np.allclose(r["twice"].toarray(), 2 * M.toarray()))

    def test_results_whose_fill_is_not_0_are_dense(self):
        M = sparse.random(30, 20, density=0.1, random_state=1)
        S, D = el.sparse(M), M.toarray()
        outputs = {"exp": el.exp(S), "more": S + 1, "none": S == 0, "masked": el.where(S != 0, S, -np.inf),
                   "other": el.sparse(M, fill=2) * 1}
        expected = {"exp": np.exp(D), "more": D + 1, "none": D == 0, "masked": np.where(D != 0, D, -np.inf),
                    "other": np.where(D != 0, D, 2)}
        r = el.run({**outputs, "tanh": el.tanh(S)}, ranks=2, progress="off")
        for key, value in expected.items():
            with self.subTest(key):
                self.assertIsInstance(r[key], np.ndarray)
                np.testing.assert_allclose(r[key], value)
        self.assertIsInstance(r["tanh"], sparse.csr_matrix)
        for dense in el.run([el.exp(S), el.tanh(S)], dense_outputs=True):
            self.assertIsInstance(dense, np.ndarray)
        huge = el.sparse(sparse.coo_matrix((np.ones(3), ([0, 5, 9], [1, 2, 3])), shape=(2_000_000, 2_000_000)))
        mends = [(el.exp(huge), "run what it is less 1, whose fill is 0, or give out="),
                 (huge == 0, "as an array of 4000000000000 bytes since SciPy has no such matrix; give out=")]
        for found, mend in mends:
            with self.assertRaisesRegex(el.InputError, mend):
                el.run({"x": found})
        self.assertEqual(el.run(el.exp(huge) - 1).nnz, 3)

    def test_results_of_sparse_arrays_are_sparse_arrays(self):
        given = getattr(sparse, "csr_array", None)
        if given is None:
            self.skipTest("SciPy has no sparse arrays")
        M = sparse.random(30, 30, density=0.1, random_state=1)
        of_array, of_matrix = el.run(el.sparse(given(M)) * 2), el.run(el.sparse(M) * 2)
        self.assertIsInstance(of_array, given)
        self.assertNotIsInstance(of_matrix, given)
        np.testing.assert_allclose((of_array * of_array).toarray(), 4 * M.toarray() ** 2)  # elementwise
        np.testing.assert_allclose((of_matrix * of_matrix).toarray(), 4 * (M @ M).toarray())


class Mistakes(unittest.TestCase):
    """What people write who know SciPy's matrices: it is refused with what to write."""

    def setUp(self):
        self.M = sparse.random(30, 30, density=0.1, random_state=1, format="csr")
        self.S, self.x = el.sparse(self.M), el.tensor(np.ones(30))

    def refused(self, text, act):
        with self.assertRaises(Exception) as caught:
            act()
        self.assertIn(text, str(caught.exception))

    def test_a_matrix_of_scipys_is_no_array(self):
        M, S, x = self.M, self.S, self.x
        self.refused("found a sparse matrix of SciPy's; write sparse(M), which stays sparse, or tensor(M.toarray())",
                     lambda: el.tensor(M))
        for beside in (lambda: S + M, lambda: x @ M, lambda: el.multiply(S, M),
                       lambda: el.loop(lambda M: M * 2, carry={"M": M}, times=2)):
            self.refused("which stays sparse, or tensor(", beside)
        for product in (lambda: M @ x, lambda: M * x, lambda: sparse.csc_matrix(M) @ x):
            self.refused("beside SciPy's sparse matrix A write einloom.sparse(A), as einloom.sparse(A) @ x", product)
        self.refused("a lookup A[x] in NumPy's array", lambda: np.asarray(x))
        self.refused("declare input('X', (30, 30), sparse=True), give .toarray() of it, or write einloom.sparse of it",
                     lambda: el.run(el.input("X", (30, 30)) + 1, inputs={"X": M}))
        np.testing.assert_allclose(el.run(el.sparse(M) @ x), M @ np.ones(30))

    def test_matrices_that_are_given_to_a_run(self):
        A = el.input("A", (30, 20), sparse=True, listed=90)
        for seed, density in ((1, 0.1), (2, 0.15)):  # 60 and 90 elements
            M = sparse.random(30, 20, density, "csc", random_state=seed)
            np.testing.assert_allclose(el.run(A @ np.ones(20), ranks=2, inputs={"A": M}), M @ np.ones(20))
        with self.assertRaisesRegex(el.InputError, "expected at most 90 listed"):
            el.run(A @ np.ones(20), inputs={"A": sparse.random(30, 20, 0.2, random_state=3)})
        np.testing.assert_allclose(el.run(A @ np.ones(20), inputs={"A": np.eye(30, 20)}), np.eye(30, 20).sum(1))
        self.refused("expected sparse=True beside listed", lambda: el.input("A", (3, 3), listed=2))

    def test_attributes_of_scipys_matrices(self):
        S = self.S
        said = {"nnz": "einloom.count_nonzero(x) counts what is not 0", "tocsr": "leave it out: einloom.run(x) gives",
                "toarray": "leave it out: elements are the same", "getrow": "write x[i]",
                "multiply": "write einloom.multiply(x, y)", "maximum": "write einloom.maximum(x, y)",
                "indptr": "what is listed is known after the run", "H": "write x.T.conj()",
                "eliminate_zeros": "leave it out", "count_nonzero": "write einloom.count_nonzero(x)"}
        for name, text in said.items():
            self.refused(f"has no {name!r}; {text}", lambda name=name: getattr(S, name))
        self.assertEqual(int(el.run(el.count_nonzero(S))), self.M.nnz)

    def test_what_is_made_dense_is_told_with_the_plan_too(self):
        dense = el.sparse(self.M) + self.x
        with self.assertWarnsRegex(UserWarning, "is made dense .* for node 'dense'"):
            plan = el.plan(dense)
        self.assertRegex(str(plan), r"\n  note  +'.*' is made dense ")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertNotIn("  note  ", str(el.plan(el.sparse(self.M) * self.x)))


if __name__ == "__main__":
    unittest.main()
