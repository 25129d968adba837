"""Gradients of einrun beside those of PyTorch, f64: torch_gradients.py PROGRAMS MPIEXEC RANKS.

A transformer's pieces one after the other: rows of a table (whose gradient is a scatter), a layer norm, attention over
heads, gelu, residuals, cross-entropy; beside them max, prod, logsumexp and a product with a complex exponent's modulus.
Exit 77 where PyTorch or NumPy is not installed.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy
    import torch
except ImportError:
    print("PyTorch or NumPy is not installed: skipped")
    sys.exit(77)

ROWS, WIDTH, TOKENS, HEADS = 11, 12, 9, 3
SHAPES = {"E": (ROWS, WIDTH), "Q": (WIDTH, WIDTH), "K": (WIDTH, WIDTH), "V": (WIDTH, WIDTH), "O": (WIDTH, ROWS),
          "b": (ROWS,)}


def nodes():
    heads = [TOKENS, HEADS, WIDTH // HEADS]
    made = [{"name": "e", "op": "gather", "inputs": ["E", "tokens"]},
            {"name": "n", "op": "layer_norm", "inputs": ["e"], "axes": [1], "eps": 1e-5}]
    for name in "QKV":
        made += [{"name": name + "n", "einsum": "t i, i j -> t j", "inputs": ["n", name]},
                 {"name": name + "h", "op": "reshape", "inputs": [name + "n"], "shape": heads}]
    return made + [
        {"name": "s", "einsum": "t h d, u h d -> h t u", "inputs": ["Qh", "Kh"], "join": "x*y/2"},
        {"name": "p", "op": "softmax", "inputs": ["s"], "axes": [2]},
        {"name": "ah", "einsum": "h t u, u h d -> t h d", "inputs": ["p", "Vh"]},
        {"name": "a", "op": "reshape", "inputs": ["ah"], "shape": [TOKENS, WIDTH]},
        {"name": "r", "einsum": "t i, t i -> t i", "inputs": ["a", "e"], "join": "gelu(x) + y"},
        {"name": "o", "einsum": "t i, i c -> t c", "inputs": ["r", "O"]},
        {"name": "l", "einsum": "t c, c -> t c", "inputs": ["o", "b"], "join": "x + y"},
        {"name": "lse", "einsum": "t c -> t", "inputs": ["l"], "agg": "logsumexp"},
        {"name": "hit", "op": "one_hot", "inputs": ["next"], "depth": ROWS},
        {"name": "ce", "einsum": "t c, t, t c ->", "inputs": ["l", "lse", "hit"], "join": "z*(y - x)"},
        {"name": "top", "einsum": "t c -> t", "inputs": ["o"], "agg": "max"},
        {"name": "many", "einsum": "t c -> c", "inputs": ["o"], "join": "1 + x/10", "agg": "prod"},
        {"name": "tops", "einsum": "t ->", "inputs": ["top"], "join": "sin(x)*exp(-x*x)"},
        {"name": "manys", "einsum": "c ->", "inputs": ["many"], "join": "log(1 + x*x)"},
        {"name": "loss", "einsum": ",,->", "inputs": ["ce", "tops", "manys"], "join": "x/9 + y + z"},
        {"name": "g", "grad": {"of": "loss", "wrt": list(SHAPES)}}]


def with_torch(data, tokens, following):
    w = {name: torch.tensor(value, requires_grad=True) for name, value in data.items()}
    e = w["E"][torch.tensor(tokens, dtype=torch.long)]
    n = torch.nn.functional.layer_norm(e, (WIDTH,), eps=1e-5)
    q, k, v = ((n @ w[name]).reshape(TOKENS, HEADS, -1).transpose(0, 1) for name in "QKV")
    a = (torch.softmax(q @ k.transpose(1, 2) / 2, 2) @ v).transpose(0, 1).reshape(TOKENS, WIDTH)
    o = (torch.nn.functional.gelu(a) + e) @ w["O"]
    ce = torch.nn.functional.cross_entropy(o + w["b"], torch.tensor(following, dtype=torch.long), reduction="sum")
    top, many = o.max(1).values, (1 + o / 10).prod(0)
    loss = ce / 9 + (torch.sin(top) * torch.exp(-top * top)).sum() + torch.log(1 + many * many).sum()
    loss.backward()
    return loss.item(), {name: value.grad.numpy() for name, value in w.items()}


def main(programs, mpiexec, ranks):
    random = numpy.random.RandomState(5)
    data = {name: random.normal(0, 0.5, shape) for name, shape in SHAPES.items()}
    tokens, following = (random.randint(0, ROWS, TOKENS).astype("i4") for _ in range(2))
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        for name, value in (data | {"tokens": tokens, "next": following}).items():
            numpy.save(work / f"{name}.npy", value)
        declared = {name: {"shape": shape, "data": {"npy": f"{name}.npy"}} for name, shape in SHAPES.items()}
        declared |= {name: {"shape": [TOKENS], "dtype": "i32", "data": {"npy": f"{name}.npy"}}
                     for name in ("tokens", "next")}
        outputs = ["loss"] + [f"g/{name}" for name in SHAPES]
        graph = {"eingraph": 1, "dtype": "f64", "tensors": declared, "nodes": nodes(), "outputs": outputs}
        (work / "g.json").write_text(json.dumps(graph))
        subprocess.run([f"{programs}/einplan", work / "g.json", "-n", ranks, "-o", work / "g.sched", "--quiet",
                        "--decompose", "eindecomp"],
                       check=True)
        subprocess.run([mpiexec, "-n", ranks, f"{programs}/einrun", work / "g.sched", "--out", work / "out", "--quiet"],
                       check=True,
                       stdin=subprocess.DEVNULL)
        loss, gradients = with_torch(data, tokens, following)
        found = {name: numpy.load(work / "out" / f"g.{name}.npy") for name in SHAPES}
        worst = max(numpy.abs(found[name] - expected).max() / numpy.abs(expected).max()
                    for name, expected in gradients.items())
        ours = float(numpy.load(work / "out" / "loss.npy"))
    print(f"loss {ours}, PyTorch {loss}; gradients differ by {worst:.1e} at the most, relative to the largest "
          "of each tensor")
    return 0 if abs(ours - loss) <= 1e-12 * abs(loss) and worst < 1e-12 else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
