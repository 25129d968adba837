#!/usr/bin/env python3
"""Graphs of works on sparse tensors, as JSON: sparse_graphs.py WORK. The works are those of sparse_scipy.py."""
import json
import sys


def random(density, seed=1):
    return {"random": "uniform", "seed": seed, "density": density}


def sparse(shape, density, seed=1):
    return {"shape": shape, "sparse": True, "data": random(density, seed)}


def dense(shape, seed=9):
    return {"shape": shape, "data": {"random": "uniform", "seed": seed}}


def one_node(tensors, labels, output="Z", **keys):
    return {"tensors": tensors, "nodes": [{"name": output, "einsum": labels, "inputs": list(tensors), **keys}],
            "outputs": [output]}


def pagerank(nodes, density, iterations=10):
    """score = 0.85 * links * score + 0.15 / nodes; links as they are: only time is asked for."""
    body = [{"name": "spread", "einsum": "ij,j->i", "inputs": ["links", "score"]},
            {"name": "next", "einsum": "i->i", "inputs": ["spread"], "join": f"0.85*x + {0.15 / nodes}"}]
    return {"tensors": {"links": sparse([nodes, nodes], density),
                        "score": {"shape": [nodes], "data": {"fill": 1 / nodes}}},
            "nodes": [{"name": "rank", "loop": {"times": iterations, "carry": {"score": "next"}, "body": body}}],
            "outputs": ["rank/score"]}


def factorization(side, rank, density, iterations):
    """Steps down the gradient of the squared error at the places that A lists."""
    body = [{"name": "found", "einsum": "ij,ir,jr->ij", "inputs": ["places", "U", "V"]},
            {"name": "error", "einsum": "ij,ij->ij", "inputs": ["found", "A"], "join": "x-y"},
            {"name": "step_u", "einsum": "ij,jr->ir", "inputs": ["error", "V"]},
            {"name": "step_v", "einsum": "ij,ir->jr", "inputs": ["error", "U"]},
            {"name": "u", "einsum": "ir,ir->ir", "inputs": ["U", "step_u"], "join": "x - 0.001*y"},
            {"name": "v", "einsum": "jr,jr->jr", "inputs": ["V", "step_v"], "join": "x - 0.001*y"}]
    return {"tensors": {"A": sparse([side, side], density), "U": dense([side, rank], 2), "V": dense([side, rank], 3)},
            "nodes": [{"name": "places", "einsum": "ij->ij", "inputs": ["A"], "join": "where(x == 0, 0, 1)"},
                      {"name": "fit", "loop": {"times": iterations, "carry": {"U": "u", "V": "v"}, "body": body}}],
            "outputs": ["fit/U", "fit/V"]}


def sampled(apart):
    """A times U V^T where A lists something: as one node, or as a product and what reads it."""
    tensors = {"A": sparse([10_000, 10_000], 0.01), "U": dense([10_000, 64]), "V": dense([10_000, 64], 8)}
    if not apart:
        return one_node(tensors, "ij,ir,jr->ij")
    return {"tensors": tensors,
            "nodes": [{"name": "S", "einsum": "ir,jr->ij", "inputs": ["U", "V"]},
                      {"name": "Z", "einsum": "ij,ij->ij", "inputs": ["A", "S"]}], "outputs": ["Z"]}


def big(seed=1):
    return sparse([20000, 20000], 0.01, seed)


WORKS = {
    "pagerank": lambda: pagerank(10_000, 0.01),
    "pagerank-large": lambda: pagerank(1_000_000, 1.6e-5),
    "spmv": lambda: one_node({"A": big(), "x": dense([20000])}, "ij,j->i"),
    "spmm": lambda: one_node({"A": big(), "X": dense([20000, 64])}, "ij,jk->ik"),
    "spgemm": lambda: one_node({"A": sparse([8000, 8000], 0.01), "B": sparse([8000, 8000], 0.01, 2)}, "ij,jk->ik"),
    "spgemm-thin": lambda: one_node({"A": sparse([200_000, 200_000], 5e-5), "B": sparse([200_000, 200_000], 5e-5, 2)},
                                    "ij,jk->ik"),
    "sddmm": lambda: sampled(apart=False),
    "sddmm-apart": lambda: sampled(apart=True),
    "mttkrp": lambda: one_node({"A": sparse([10_000, 2000, 5000], 1e-4), "B": dense([2000, 32]),
                                "C": dense([5000, 32], 8)}, "ijk,jr,kr->ir"),
    "add": lambda: one_node({"A": big(), "B": big(2)}, "ij,ij->ij", join="x+y"),
    "multiply": lambda: one_node({"A": big(), "B": big(2)}, "ij,ij->ij"),
    "factorization": lambda: factorization(3000, 1000, 0.01, 2),
}

if __name__ == "__main__":
    print(json.dumps({"eingraph": 1, "dtype": "f64", **WORKS[sys.argv[1]]()}))
