#!/usr/bin/env python3
"""Words that the busiest rank receives over the lower bound, for products of the default at many numbers of ranks.

scripts/bench/words.py [EINPLAN [FIRST-LAST [MxKxN...]]]    (build/bin/einplan, 2-128)

Two cubes and three long shapes, or those named, f32, the built-in cluster. A line for each product and number of
ranks: words over the bound, the predicted time, and what all ranks move. Where it is more than 1.35 times the bound
another plan is faster than those that move less: of the plans with one placement each, the one that moves least, and
its time. A summary ends it. Which figures are asked for: docs/performance.md.
"""
import json
import re
import subprocess
import sys
import tempfile

SHAPES = [(16384, 16384, 16384), (4096, 4096, 4096), (1 << 20, 1024, 1024), (131072, 512, 131072), (2048, 8192, 1024)]
ASKED = 1.35
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def product(m, k, n):
    def leaf(shape, seed):
        return {"shape": shape, "data": {"random": "normal", "mean": 0, "std": 1, "seed": seed}}

    return {"eingraph": 1, "name": "product", "dtype": "f32", "tensors": {"A": leaf([m, k], 1), "B": leaf([k, n], 2)},
            "nodes": [{"name": "C", "einsum": "ij,jk->ik", "inputs": ["A", "B"]}], "outputs": ["C"]}


def amount(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def measured(einplan, path, ranks):
    """Over the bound, seconds, bytes moved, and (bytes, seconds) of the plans that were looked at."""
    run = subprocess.run([einplan, path, "-n", str(ranks), "--explain", "--simulate"], capture_output=True, text=True,
                         check=True)
    text = re.sub(r"\n {8,}", " ", run.stdout)
    over = float(re.search(r"here .*?, ([\d.]+) times", text)[1])
    seconds = amount(re.search(r"makespan +(\S+ \S+),", text)[1])
    moved = int(re.search(r"scheduled .*?\((\d+) bytes\)", text)[1])
    looked = re.findall(r"calls? a node +([\d.]+ [num]?s)  moves ([\d.]+ \S+)", text)
    return over, seconds, moved, [(amount(bytes_), amount(time)) for time, bytes_ in looked]


def main():
    einplan = sys.argv[1] if len(sys.argv) > 1 else "build/bin/einplan"
    first, last = map(int, sys.argv[2].split("-")) if len(sys.argv) > 2 else (2, 128)
    shapes = [tuple(map(int, shape.split("x"))) for shape in sys.argv[3:]] or SHAPES
    print(f"{'product':20} ranks  over   seconds      GiB   moving least: seconds      GiB")
    for m, k, n in shapes:
        over_all = []
        with tempfile.NamedTemporaryFile("w", suffix=".json") as graph:
            json.dump(product(m, k, n), graph)
            graph.flush()
            for ranks in range(first, last + 1):
                over, seconds, moved, looked = measured(einplan, graph.name, ranks)
                over_all.append(over)
                line = f"{m}x{k}x{n}".ljust(20) + f" {ranks:5} {over:6.2f} {seconds:9.4g} {moved / 2**30:8.3f}"
                if over > ASKED:
                    least = min(looked)
                    line += f"   {least[1]:21.4g} {least[0] / 2**30:8.3f}"
                print(line, flush=True)
        above = sum(over > ASKED for over in over_all)
        print(f"{m}x{k}x{n}: at most {max(over_all):.2f}, {above} of {len(over_all)} above {ASKED}")


if __name__ == "__main__":
    main()
