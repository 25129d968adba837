"""Products over other operations as NumPy users write them, a row at a time.

metrics.py squares|largest|min_plus DTYPE N    prints seconds for N x N by N x N
Every row takes the same time, so 32 of them are measured.
"""
import sys
import time

import numpy as np

ROWS = 32
WORK = {"squares": lambda row, b: ((row - b) ** 2).sum(0),
        "largest": lambda row, b: np.abs(row - b).max(0),
        "min_plus": lambda row, b: (row + b).min(0)}

work, n = WORK[sys.argv[1]], int(sys.argv[3])
random = np.random.default_rng(1)
a, b = (random.random((n, n)).astype({"f64": np.float64, "f32": np.float32}[sys.argv[2]]) for _ in range(2))
z = np.empty_like(a)
work(a[0, :, None], b)
begin = time.perf_counter()
for i in range(ROWS):
    z[i] = work(a[i, :, None], b)
print((time.perf_counter() - begin) * n / ROWS)
