"""What SciPy takes for the works of sparse_kernels.cpp: a line each, milliseconds. Processor time of one thread."""
import sys
import time

import numpy as np
import scipy.sparse as sp

rng = np.random.default_rng(1)


def matrix(n, m, density, seed=1):
    """About as many elements, at places drawn one by one."""
    r = np.random.default_rng(seed)
    count = int(n * m * density)
    return sp.csr_matrix((r.random(count), (r.integers(0, n, count), r.integers(0, m, count))), shape=(n, m))


def big():
    return matrix(20000, 20000, 0.01)


def spmv():
    a, x = big(), rng.random(20000)
    return lambda: a @ x


def spmv_turned():
    a, x = big(), rng.random(20000)
    return lambda: a.T @ x


def spmm():
    a, b = big(), rng.random((20000, 64))
    return lambda: a @ b


def sampled():
    s, b, c = matrix(10000, 10000, 0.01), rng.random((10000, 64)), rng.random((10000, 64))
    rows = np.repeat(np.arange(10000), np.diff(s.indptr))
    return lambda: s.data * np.einsum("ek,ek->e", b[rows], c[s.indices])


def mttkrp():
    n = 10_000_000
    i, j, k = np.sort(rng.integers(0, 10000, n)), rng.integers(0, 2000, n), rng.integers(0, 5000, n)
    v, b, c = rng.random(n), rng.random((2000, 32)), rng.random((5000, 32))

    def work():
        rows = sp.csr_matrix((v, np.arange(n), np.searchsorted(i, np.arange(10001))), shape=(10000, n))
        return rows @ (b[j] * c[k])
    return work


def product(n, density):
    a, b = matrix(n, n, density), matrix(n, n, density)
    return lambda: a @ b


def pagerank(nodes, density):
    a, x = matrix(nodes, nodes, density), np.full(nodes, 1 / nodes)

    def work():
        score = x
        for _ in range(10):
            score = 0.85 * (a @ score) + 0.15 / nodes
        return score
    return work


def factorization(side, rank, density):
    a, u, v = matrix(side, side, density), rng.random((side, rank)), rng.random((side, rank))
    rows = np.repeat(np.arange(side), np.diff(a.indptr))

    def work():
        left, right = u, v
        for _ in range(2):
            error = sp.csr_matrix((np.einsum("ek,ek->e", left[rows], right[a.indices]) - a.data, a.indices, a.indptr))
            left, right = left - 0.001 * (error @ right), right - 0.001 * (error.T @ left)
        return left
    return work


def two(work):
    a, b = big(), matrix(20000, 20000, 0.01, seed=2)
    return lambda: work(a, b)


def scale_rows():
    a, x = big(), rng.random(20000)
    return lambda: sp.diags(x) @ a


works = {
    "pagerank": lambda: pagerank(10_000, 0.01), "pagerank-large": lambda: pagerank(1_000_000, 1.6e-5),
    "factorization": lambda: factorization(3000, 1000, 0.01),
    "spmv": spmv, "spmv-turned": spmv_turned, "spmm": spmm, "sddmm": sampled, "sddmm-apart": sampled, "mttkrp": mttkrp,
    "spgemm": lambda: product(8000, 0.01), "spgemm-thin": lambda: product(200000, 5e-5),
    "add": lambda: two(lambda a, b: a + b), "multiply": lambda: two(lambda a, b: a.multiply(b)),
    "scale-rows": scale_rows, "exp": lambda: (lambda a: lambda: a.expm1())(big()),
    "sum-rows": lambda: (lambda a: lambda: a.sum(axis=1))(big()),
}
for name in sys.argv[1:] or works:
    work = works[name]()
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    print(f"{name:12} {best * 1e3:10.2f} ms", flush=True)
