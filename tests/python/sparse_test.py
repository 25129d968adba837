#!/usr/bin/env python3
"""SciPy's sparse matrices and arrays in, and sparse results out: sparse_test.py.

Exits with 77 (skipped) where NumPy or SciPy is missing.
"""
import sys
import unittest

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


if __name__ == "__main__":
    unittest.main()
