#!/usr/bin/env python3
"""Files that SciPy writes are read as SciPy reads them, and SciPy reads sparse outputs.

Usage: scipy_test.py SPARSE_LISTING. Exit code 77 (skipped) without SciPy.
"""
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import scipy.io
    import scipy.sparse
except ImportError:
    print("skipped: SciPy is not installed")
    sys.exit(77)

program = sys.argv[1]
rng = np.random.default_rng(1)
folder = tempfile.TemporaryDirectory()
place = pathlib.Path(folder.name)
failures = checks = 0


def drawn(shape, dtype):
    matrix = scipy.sparse.random(*shape, density=0.2, format="coo", random_state=rng)
    values = rng.integers(1, 100, matrix.nnz)
    if np.dtype(dtype).kind == "c":
        values = values + 1j * rng.integers(-9, 9, matrix.nnz)
    return scipy.sparse.coo_matrix((values.astype(dtype), (matrix.row, matrix.col)), shape=shape)


def check(what, kind, file, expected):
    global failures, checks
    checks += 1
    npz, npy = place / "out.npz", place / "out.npy"
    run = subprocess.run([program, kind, file, expected.dtype.name, npz, npy], capture_output=True, text=True)
    if run.returncode != 0:
        failures += 1
        print(f"{what}: {run.stderr}")
        return
    dense, written = np.load(npy), scipy.sparse.load_npz(npz)
    good = dense.dtype == expected.dtype and np.array_equal(dense, expected)
    good &= written.format == "csr" and written.dtype == expected.dtype
    good &= bool(written.has_canonical_format) and np.array_equal(written.toarray(), expected)
    written.check_format(full_check=True)
    if not good:
        failures += 1
        print(f"{what}: other elements")


for dtype in ("f4", "f8", "c8", "c16", "i1", "i4", "i8"):
    for shape in ((1, 1), (40, 30), (3, 500), (200, 1)):
        matrix = drawn(shape, dtype)
        dense = matrix.toarray()
        for form in ("csr", "csc", "coo"):
            for compressed in (False, True):
                scipy.sparse.save_npz(place / "in.npz", matrix.asformat(form), compressed=compressed)
                check(f"{form} {dtype} {shape}", "scipy", place / "in.npz", dense)
        double = scipy.sparse.coo_matrix((np.tile(matrix.data, 2), (np.tile(matrix.row, 2), np.tile(matrix.col, 2))),
                                         shape=shape)
        scipy.sparse.save_npz(place / "in.npz", double)
        check(f"duplicates {dtype} {shape}", "scipy", place / "in.npz", double.toarray())
        scipy.io.mmwrite(str(place / "in.mtx"), matrix)
        check(f"mtx {dtype} {shape}", "mtx", place / "in.mtx", dense)
        scipy.io.mmwrite(str(place / "array.mtx"), dense)
        check(f"mtx array {dtype} {shape}", "mtx", place / "array.mtx", dense)
for symmetry in ("symmetric", "skew-symmetric", "hermitian"):
    # SciPy 1.10 writes the diagonal of complex skew-symmetric arrays, and misreads it.
    matrix = drawn((30, 30), "f8" if symmetry == "skew-symmetric" else "c16").toarray()
    mirrored = matrix.T if symmetry == "symmetric" else -matrix.T if symmetry == "skew-symmetric" else matrix.conj().T
    matrix = matrix + mirrored
    for form, written in (("coordinate", scipy.sparse.coo_matrix(matrix)), ("array", matrix)):
        scipy.io.mmwrite(str(place / "in.mtx"), written, symmetry=symmetry)
        check(f"{form} {symmetry}", "mtx", place / "in.mtx", matrix)
for form in ("bsr", "dia"):
    checks += 1
    scipy.sparse.save_npz(place / "in.npz", drawn((4, 4), "f8").asformat(form))
    run = subprocess.run([program, "scipy", place / "in.npz", "f64", place / "o.npz", place / "o.npy"],
                         capture_output=True, text=True)
    if run.returncode != 3 or form not in run.stderr:
        failures += 1
        print(f"{form}: accepted, or refused otherwise: {run.stderr}")
print(f"{checks} checks, {failures} failures")
sys.exit(1 if failures or not checks else 0)
