#!/usr/bin/env python3
"""Writes an R-MAT matrix (a power law, Graph500's 0.57, 0.19, 0.19, 0.05) as scipy.sparse.save_npz does.

rmat.py SCALE LINKS FILE.npz: 2^SCALE rows and columns, LINKS entries a row on average before those that come twice are
added up. What einplan cuts by weight: {"shape": [N, N], "sparse": true, "data": {"scipy": "FILE.npz"}}.
"""
import sys

import numpy
import scipy.sparse


def main():
    scale, links, file = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
    random = numpy.random.default_rng(1)
    nodes, entries = 1 << scale, links << scale
    row, column = numpy.zeros(entries, numpy.int64), numpy.zeros(entries, numpy.int64)
    for _ in range(scale):
        draw = random.random(entries)
        row = 2 * row + (draw >= 0.76)
        column = 2 * column + (((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95))
    matrix = scipy.sparse.csr_matrix((numpy.ones(entries), (row, column)), shape=(nodes, nodes))
    matrix.sum_duplicates()
    scipy.sparse.save_npz(file, matrix, compressed=False)
    print(f"{file}: {nodes} by {nodes}, {matrix.nnz} listed")


if __name__ == "__main__":
    main()
