"""Graphs that run for a second or more, of which each can be stopped at many moments: what the campaign of
recovery_campaign.py kills and goes on with. Example: write("chain", folder) makes folder/chain.json.
"""
import collections
import json
import pathlib
import subprocess

# How to make one; options of einrun; how far results on other rank counts may be from each other; whether it may spill.
Program = collections.namedtuple("Program", "make options tolerance spills")


def uniform(shape, seed, low=0.0, high=1.0):
    return {"shape": shape, "data": {"random": "uniform", "low": low, "high": high, "seed": seed}}


def chain(_):
    """Products one after another; two early ones are read again at the end, so blocks wait long (and spill)."""
    size, length = 900, 48
    matrices = {f"A{k}": uniform([size, size], k, -0.05, 0.06) for k in range(6)}
    nodes = [{"name": f"p{k}", "einsum": "ij,jk->ik", "inputs": [f"p{k - 1}" if k else "x", f"A{k % 6}"]}
             for k in range(length)]
    nodes += [{"name": "sum", "einsum": "ij,ij->ij", "join": "x + y", "inputs": ["p3", f"p{length - 1}"]},
              {"name": "both", "einsum": "ij,ij->ij", "join": "x + y", "inputs": ["p20", "sum"]}]
    return {"eingraph": 1, "dtype": "f64", "tensors": {**matrices, "x": uniform([size, size], 99)}, "nodes": nodes,
            "outputs": ["sum", "both"]}


def power(_):
    """A loop that ends when its vectors no longer move, between nodes that are in no loop."""
    size = 1000
    body = [{"name": "Ax", "einsum": "ij,jk->ik", "inputs": ["B", "x"]},
            {"name": "size", "einsum": "ij->", "inputs": ["Ax"], "join": "abs(x)", "agg": "max"},
            {"name": "x_next", "einsum": "ij,,ij->ij", "inputs": ["Ax", "size", "x"], "join": "0.98*z + 0.02*x/y"},
            {"name": "turn", "einsum": "->", "inputs": ["k"], "join": "x + 1"},
            {"name": "moves", "einsum": "ij,ij->", "inputs": ["x_next", "x"], "join": "abs(x - y) > 1e-8",
             "agg": "any"}]
    return {"eingraph": 1, "dtype": "f64",
            "tensors": {"A": uniform([size, size], 1), "x": uniform([size, 40], 2),
                        "k": {"shape": [], "data": {"fill": 0}}},
            "nodes": [{"name": "B", "einsum": "ij,jk->ik", "inputs": ["A", "A"], "join": f"x*y/{size}"},
                      {"name": "power", "loop": {"while": "moves", "max": 4000,
                                                 "carry": {"x": "x_next", "k": "turn"}, "body": body}},
                      {"name": "C", "einsum": "ij,jk->ik", "inputs": ["B", "power/x"]}],
            "outputs": ["C", "power/x", "power/k"]}


def listed(shape, seed, density, low=0.1, high=1.0):
    tensor = uniform(shape, seed, low, high)
    tensor["data"]["density"] = density
    return {"sparse": True, **tensor}


def sparse_pagerank(_):
    """Scores of pages that a sparse matrix links, until they no longer move; degrees are made of it before the loop."""
    size, damping = 30000, 0.97
    body = [{"name": "share", "einsum": "f,f->f", "inputs": ["score", "degree"], "join": "where(y > 0, x/y, 0)"},
            {"name": "stuck", "einsum": "f,f->", "inputs": ["score", "degree"], "join": "where(y > 0, 0, x)"},
            {"name": "followed", "einsum": "tf,f->t", "inputs": ["link", "share"]},
            {"name": "next", "einsum": "t,,t->t", "inputs": ["followed", "stuck", "score"],
             "join": f"0.98*z + 0.02*({damping}*(x + y/{size}) + {1 - damping}/{size})"},
            {"name": "turn", "einsum": "->", "inputs": ["k"], "join": "x + 1"},
            {"name": "moves", "einsum": "t,t->", "inputs": ["next", "score"], "join": "abs(x - y) > 1e-16",
             "agg": "any"}]
    return {"eingraph": 1, "dtype": "f64",
            "tensors": {"link": listed([size, size], 5, 0.0002), "score": {"shape": [size], "data": {"fill": 1 / size}},
                        "k": {"shape": [], "data": {"fill": 0}}},
            "nodes": [{"name": "degree", "einsum": "tf->f", "inputs": ["link"]},
                      {"name": "surf", "loop": {"while": "moves", "max": 4000,
                                                "carry": {"score": "next", "k": "turn"}, "body": body}},
                      {"name": "back", "einsum": "tf,t->f", "inputs": ["link", "surf/score"]}],
            "outputs": ["surf/score", "surf/k", "back"]}


def factors(_):
    """A sparse tensor of order 3 times two dense factors (MTTKRP), for each of its modes in turn; blocks spill."""
    size, rank, rounds = 300, 96, 60
    modes, nodes, last = "ijk", [], {"i": "U", "j": "V", "k": "W"}
    for step in range(3 * rounds):
        mode, (a, b) = modes[step % 3], [m for m in modes if m != modes[step % 3]]
        nodes += [{"name": f"m{step}", "einsum": f"ijk,{a}r,{b}r->{mode}r", "inputs": ["T", last[a], last[b]]},
                  {"name": f"s{step}", "einsum": f"{mode}r->r", "inputs": [f"m{step}"], "join": "x*x"},
                  {"name": f"f{step}", "einsum": f"{mode}r,r->{mode}r", "inputs": [f"m{step}", f"s{step}"],
                   "join": "x / sqrt(y)"}]
        last[mode] = f"f{step}"
    return {"eingraph": 1, "dtype": "f64",
            "tensors": {"T": listed([size, size, size], 1, 0.03),
                        **{name: uniform([size, rank], 2 + k) for k, name in enumerate("UVW")}},
            "nodes": nodes, "outputs": list(last.values())}


def sparse_results(_):
    """Sparse matrices that nodes made stay alive through a loop and a chain: with zeros that are listed, one whose fill
    is inf, one of order 3; blocks spill. Steps shrink differences: of rounding nothing is left to be seen."""
    size, length = 3000, 60
    body = [{"name": "Sx", "einsum": "ij,jk->ik", "inputs": ["S", "x"]},
            {"name": "x_next", "einsum": "ik,ik->ik", "inputs": ["Sx", "x"], "join": "0.9*y + 0.01*sin(x)"}]
    nodes = [{"name": "S", "einsum": "ij->ij", "inputs": ["A"], "join": "x*ceil(3*x - 2)", "sparse": True},
             {"name": "F", "einsum": "ij->ij", "inputs": ["D"], "join": "x + 1", "sparse": True},
             {"name": "Q", "einsum": "ijk->ijk", "inputs": ["C"], "join": "x*x", "sparse": True},
             {"name": "L", "loop": {"times": 400, "carry": {"x": "x_next"}, "body": body}}]
    nodes += [{"name": f"p{k}", "einsum": "ij,jk->ik", "inputs": ["S", f"p{k - 1}" if k else "L/x"],
               "join": "x*cos(y)/16"} for k in range(length)]
    nodes += [{"name": "m", "einsum": "ij,jk->ik", "inputs": ["F", f"p{length - 1}"], "join": "x + y", "agg": "min"},
              {"name": "r", "einsum": "ijk->i", "inputs": ["Q"]}]
    return {"eingraph": 1, "dtype": "f64",
            "tensors": {"A": listed([size, size], 1, 0.01), "D": {**listed([size, size], 2, 0.01), "fill": "inf"},
                        "C": listed([150, 100, 90], 3, 0.05), "x": uniform([size, 64], 4)},
            "nodes": nodes, "outputs": ["S", "F", "m", "r", "L/x"]}


def made(*words):
    """By "eintool make"."""
    return lambda eintool: json.loads(subprocess.run([eintool, "make", *words], check=True, stdout=-1).stdout)


PROGRAMS = {
    "training": Program(made("network", "1200", "200", "100", "--iterations", "1200", "--dtype", "f64"), [], 1e-9,
                        False),
    "pagerank": Program(made("pagerank", "4000", "--iterations", "3000", "--links", "0.0003", "--tolerance", "1e-14",
                             "--dtype", "f64"), ["--set", "damping=0.97"], 1e-9, False),
    "llama": Program(made("llama", "--size", "tiny", "--layers", "16", "--dim", "384", "--heads", "8", "--kv-heads",
                          "4", "--ffn", "1024", "--sequence", "512", "--logits", "all"), [], 1e-4, True),
    "chain": Program(chain, [], 1e-9, True),
    "power": Program(power, [], 1e-9, False),
    "sparse_pagerank": Program(sparse_pagerank, [], 1e-9, False),
    "factors": Program(factors, [], 1e-9, True),
    "sparse_results": Program(sparse_results, [], 1e-9, True),
}
# Outputs that are small differences of large numbers: mostly rounding, so another on each number of ranks.
DIFFERENCES = {"surf/change", "train/last_loss"}


def write(name, folder, eintool):
    graph = PROGRAMS[name].make(str(eintool))
    graph["outputs"] = [name for name in graph["outputs"] if name not in DIFFERENCES]
    path = pathlib.Path(folder) / f"{name}.json"
    path.write_text(json.dumps(graph))
    return path
