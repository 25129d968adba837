#!/usr/bin/env python3
"""Measured times of the default plan beside those of the strategies with a name, on ranks of this machine.

scripts/bench/measured_strategies.py [--ranks 2] [--repeat 5] [--rounds 3] [--cluster FILE] [--bin build/bin] [NAME...]

Graphs: those of predicted_graphs.txt, and kinds that these do not have: rows and columns, softmax and norms, products
beside them, masks, gradients. Each rank has one thread. Plans that are the same are measured once; the others in
turns. A line for each graph: the default's milliseconds, the fastest strategy's, its name, the ratio, and the bytes
that both move. Where the default is slower by more than a tenth, the line ends in SLOWER. Ratios need a machine that
does nothing else.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).parent
STRATEGIES = ["eindecomp", "exact", "moved", "sqrt", "3d", "summa", "25d", "data", "megatron", "sequence", "attention"]


def leaf(shape, low=0.1):
    return {"shape": shape, "data": {"random": "uniform", "low": low, "seed": len(shape) + shape[0]}}


def graph(tensors, nodes, dtype="f32"):
    return {"eingraph": 1, "dtype": dtype, "tensors": {name: leaf(shape) for name, shape in tensors.items()},
            "nodes": nodes, "outputs": [nodes[-1]["name"]]}


def node(name, einsum, inputs, **more):
    return {"name": name, "einsum": einsum, "inputs": inputs, **more}


def op(name, kind, inputs, **more):
    return {"name": name, "op": kind, "inputs": inputs, **more}


def kinds():
    x = {"X": [4096, 4096]}
    yield "softmax-rows", graph(x, [op("Z", "softmax", ["X"], axes=[1])])
    yield "softmax-columns", graph(x, [op("Z", "softmax", ["X"], axes=[0])])
    yield "layer-norm", graph(x, [op("Z", "layer_norm", ["X"])])
    yield "rms-norm", graph(x, [op("Z", "rms_norm", ["X"])])
    yield "softmax-few-rows", graph({"X": [4, 4000000]}, [op("Z", "softmax", ["X"], axes=[1])])
    yield "sum-rows", graph(x, [node("Z", "ij->i", ["X"])])
    yield "sum-columns", graph(x, [node("Z", "ij->j", ["X"])])
    yield "sum-all", graph(x, [node("Z", "ij->", ["X"])])
    yield "max-all-tall", graph({"X": [4000000, 4]}, [node("Z", "ij->j", ["X"], agg="max")])
    yield "transpose", graph(x, [node("Z", "ij->ji", ["X"])])
    yield "centred-columns", graph(x, [node("M", "ij->j", ["X"]), node("Z", "ij,j->ij", ["X", "M"], join="x-y/4096")])
    yield "centred-both", graph(x, [node("M", "ij->j", ["X"]), node("N", "ij->i", ["X"]),
                                    node("Z", "ij,j,i->ij", ["X", "M", "N"], join="x-y/4096-z/4096")])
    yield "sum-of-transposed", graph(x, [node("Z", "ij,ji->ij", ["X", "X"], join="x+y")])
    yield "outer", graph({"X": [4096], "Y": [4096]}, [node("Z", "i,j->ij", ["X", "Y"])])
    yield "matrix-vector", graph({"X": [8192, 4096], "Y": [4096]}, [node("Z", "ij,j->i", ["X", "Y"])])
    yield "vector-matrix", graph({"X": [8192, 4096], "Y": [8192]}, [node("Z", "ij,i->j", ["X", "Y"])])
    yield "gram", graph({"X": [100000, 64]}, [node("Z", "ij,ik->jk", ["X", "X"])])
    yield "tall-product", graph({"X": [100000, 64], "Y": [64, 64]}, [node("Z", "ij,jk->ik", ["X", "Y"])])
    yield "product-softmax", graph({"X": [2048, 512], "Y": [512, 2048]},
                                   [node("S", "ij,jk->ik", ["X", "Y"]), op("Z", "softmax", ["S"], axes=[1])])
    yield "product-softmax-columns", graph({"X": [2048, 512], "Y": [512, 2048]},
                                           [node("S", "ij,jk->ik", ["X", "Y"]), op("Z", "softmax", ["S"], axes=[0])])
    yield "norm-product", graph({"X": [2048, 1024], "Y": [1024, 1024]},
                                [op("N", "layer_norm", ["X"]), node("Z", "ij,jk->ik", ["N", "Y"])])
    yield "product-residual-norm", graph({"X": [2048, 1024], "Y": [1024, 1024]},
                                         [node("P", "ij,jk->ik", ["X", "Y"]),
                                          node("R", "ij,ij->ij", ["P", "X"], join="x+y"),
                                          op("Z", "rms_norm", ["R"])])
    yield "batches", graph({"X": [64, 256, 256], "Y": [64, 256, 256]}, [node("Z", "bij,bjk->bik", ["X", "Y"])])
    yield "batches-innermost", graph({"X": [128, 128, 64], "Y": [128, 128, 64]},
                                     [node("Z", "ijb,jkb->ikb", ["X", "Y"])])
    yield "contraction-crossed", graph({"X": [48, 64, 48, 64], "Y": [64, 64, 48, 48]},
                                       [node("Z", "ajbk,kjdc->abcd", ["X", "Y"])])
    yield "causal-scores", graph({"Q": [8, 1024, 64], "K": [8, 1024, 64]},
                                 [node("S", "hid,hjd->hij", ["Q", "K"]),
                                  node("M", "hij->hij", ["S"], join="where([i] >= [j], x, -inf)"),
                                  op("Z", "softmax", ["M"], axes=[2])])
    yield "prefix-sums", graph({"X": [4096, 1024]}, [node("Z", "jk->ik", ["X"], join="where([j] <= [i], x, 0)")
                                                    | {"sizes": {"i": 4096}}])
    yield "elementwise-chain", graph(x, [node("A", "ij->ij", ["X"], join="exp(x)"),
                                         node("B", "ij->ij", ["A"], join="tanh(x)"),
                                         node("Z", "ij,ij->ij", ["B", "X"], join="x*y")])
    yield "distances", graph({"X": [2048, 64], "Y": [2048, 64]}, [node("Z", "ik,jk->ij", ["X", "Y"], join="(x-y)^2")])
    yield "shortest-step", graph({"X": [768, 768]}, [node("Z", "ij,jk->ik", ["X", "X"], join="x+y", agg="min")])


def from_file(binary, folder):
    for line in (HERE / "predicted_graphs.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            name, *make = line.split()
            path = folder / f"{name}.json"
            subprocess.run([binary / "eintool", "make", *make, "-o", path], check=True, capture_output=True)
            yield name, path


def plan(binary, path, out, ranks, more):
    """Bytes that are moved, or nothing where the strategy does not cut this graph."""
    made = subprocess.run([binary / "einplan", path, "-n", str(ranks), "-o", out, *more], capture_output=True,
                          text=True)
    if made.returncode != 0:
        return None
    line = next(line for line in made.stdout.splitlines() if "bytes moved" in line)
    return int(line.split("(")[1].split()[0])


def measure(binary, schedule, ranks, repeat, folder):
    report = folder / "report.json"
    subprocess.run(["mpirun", "-n", str(ranks), "--bind-to", "none", binary / "einrun", schedule, "--threads", "1",
                    "--repeat", str(repeat), "--report", report], check=True, capture_output=True)
    return json.loads(report.read_text())["seconds"]["execute"]


def tasks_of(binary, schedule, ranks):
    text = b""
    for rank in range(ranks):
        text += subprocess.run([binary / "eintool", "show", schedule, "--tasks", str(rank)], capture_output=True).stdout
    return hashlib.sha256(text).hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cluster")
    parser.add_argument("--bin", type=pathlib.Path, default=HERE.parent.parent / "build" / "bin")
    parser.add_argument("names", nargs="*")
    asked = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    cluster = ["--cluster", asked.cluster] if asked.cluster else []
    slower = ratios = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        graphs = list(from_file(asked.bin, folder))
        for kind, made in kinds():
            path = folder / f"{kind}.json"
            path.write_text(json.dumps(made))
            graphs.append((kind, path))
        for name, path in graphs:
            if asked.names and name not in asked.names:
                continue
            plans, moved, seen = {}, {}, {}
            for strategy in ["default", *STRATEGIES]:
                out = folder / f"{strategy}.sched"
                bytes_moved = plan(asked.bin, path, out, asked.ranks,
                                   cluster + ([] if strategy == "default" else ["--decompose", strategy]))
                if bytes_moved is None:
                    if strategy == "default":
                        sys.exit(f"{name}: einplan failed")
                    continue
                tasks = tasks_of(asked.bin, out, asked.ranks)
                if tasks not in seen:
                    seen[tasks], plans[strategy], moved[strategy] = strategy, out, bytes_moved
            times = {strategy: [] for strategy in plans}
            for _ in range(asked.rounds if len(plans) > 1 else 1):
                for strategy, schedule in plans.items():
                    times[strategy].append(measure(asked.bin, schedule, asked.ranks, asked.repeat, folder))
            least = {strategy: min(each) for strategy, each in times.items()}
            best = min((s for s in least if s != "default"), key=least.get, default="default")
            ratio = least["default"] / least[best]
            ratios += 1
            slower += ratio > 1.1
            print(f"{name:24} {least['default'] * 1e3:9.2f} {least[best] * 1e3:9.2f} {best:10} {ratio:5.2f} "
                  f"{moved['default'] / 2**20:9.2f} {moved[best] / 2**20:9.2f}{'  SLOWER' if ratio > 1.1 else ''}",
                  flush=True)
    print(f"slower than a strategy by more than a tenth: {slower} of {ratios}")


if __name__ == "__main__":
    main()
