#!/usr/bin/env python3
"""Words that the busiest rank receives over the lower bound, for products of the default at many numbers of ranks.
And what the best even grid of so many ranks would receive, and how even the work is.

scripts/bench/words.py [EINPLAN [FIRST-LAST [MxKxN...]]]    (build/bin/einplan, 2-128)

Two cubes and three long shapes, or those named, f32, the built-in cluster. A line for each product and number of
ranks: words over the bound, those of the best grid (all ranks, equal boxes), the time that the busiest rank computes
over the mean, the predicted time, and what all ranks move. Where it is more than 1.35 times the bound, or more than
1.10 where a grid is not, another plan is faster than those that move less: of the plans with one placement each, the
one that moves least, and its time. A summary ends it. Which figures are asked for: docs/performance.md.
"""
import json
import math
import re
import subprocess
import sys
import tempfile

SHAPES = [(16384, 16384, 16384), (4096, 4096, 4096), (1 << 20, 1024, 1024), (131072, 512, 131072), (2048, 8192, 1024)]
ASKED, ASKED_OF_GRIDS, ASKED_BALANCE = 1.35, 1.10, 1.03
UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "B": 1, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40}


def product(m, k, n):
    def leaf(shape, seed):
        return {"shape": shape, "data": {"random": "normal", "mean": 0, "std": 1, "seed": seed}}

    return {"eingraph": 1, "name": "product", "dtype": "f32", "tensors": {"A": leaf([m, k], 1), "B": leaf([k, n], 2)},
            "nodes": [{"name": "C", "einsum": "ij,jk->ik", "inputs": ["A", "B"]}], "outputs": ["C"]}


def lower_bound(m, k, n, ranks):
    """Al Daas et al., 2022, as planner/costs/lower_bound.cpp has it."""
    m, n, k = sorted((m, k, n), reverse=True)
    if ranks <= m / n:
        needed = (m * n + m * k) / ranks + n * k
    elif ranks <= m * n / k**2:
        needed = 2 * math.sqrt(m * n * k * k / ranks) + m * n / ranks
    else:
        needed = 3 * (m * n * k / ranks) ** (2 / 3)
    return needed - (m * n + m * k + n * k) / ranks


def grids(ranks):
    for i in (d for d in range(1, ranks + 1) if ranks % d == 0):
        for j in (d for d in range(1, ranks // i + 1) if ranks // i % d == 0):
            yield i, j, ranks // i // j


def of_best_grid(m, k, n, ranks):
    """Words over the bound of the grid of ranks that receives least: each gathers its boxes of two operands, of which
    it has its share, and adds up its share of a box of the result."""
    received = [m * k / (i * j) * (1 - 1 / l) + k * n / (j * l) * (1 - 1 / i) + m * n / (i * l) * (1 - 1 / j)
                for i, j, l in grids(ranks) if i <= m and j <= k and l <= n]
    return min(received) / lower_bound(m, k, n, ranks)


def amount(text):
    number, unit = text.split()
    return float(number) * UNITS[unit]


def measured(einplan, path, ranks):
    """Over the bound, imbalance, seconds, bytes moved, and (bytes, seconds) of the plans that were looked at."""
    command = [einplan, path, "-n", str(ranks), "--dry-run"]
    told = json.loads(subprocess.run([*command, "--explain=json", "--simulate=json"], capture_output=True, text=True,
                                     check=True).stdout)
    over, seconds = told["nodes"][0]["times_lower_bound"], told["simulation"]["makespan"]
    busy = [rank["busy"] for rank in told["simulation"]["ranks"]]
    balance = max(busy) / (sum(busy) / len(busy))
    looked = []
    if over > ASKED_OF_GRIDS:
        text = subprocess.run([*command, "--explain"], capture_output=True, text=True, check=True).stdout
        looked = re.findall(r"calls? a node +([\d.]+ [num]?s)  moves ([\d.]+ \S+)", text)
    return over, balance, seconds, told["bytes"]["total"], [(amount(moved), amount(time)) for time, moved in looked]


def main():
    einplan = sys.argv[1] if len(sys.argv) > 1 else "build/bin/einplan"
    first, last = map(int, sys.argv[2].split("-")) if len(sys.argv) > 2 else (2, 128)
    shapes = [tuple(map(int, shape.split("x"))) for shape in sys.argv[3:]] or SHAPES
    print(f"{'product':20} ranks  over  grid balance   seconds      GiB   moving least: seconds      GiB")
    for m, k, n in shapes:
        over_all, grids_missed, grids_good, balances = [], 0, 0, []
        with tempfile.NamedTemporaryFile("w", suffix=".json") as graph:
            json.dump(product(m, k, n), graph)
            graph.flush()
            for ranks in range(first, last + 1):
                over, balance, seconds, moved, looked = measured(einplan, graph.name, ranks)
                grid = of_best_grid(m, k, n, ranks)
                over_all.append(over)
                balances.append(balance)
                is_good = grid <= ASKED_OF_GRIDS
                grids_good += is_good
                grids_missed += is_good and over > ASKED_OF_GRIDS
                line = f"{m}x{k}x{n}".ljust(20) + f" {ranks:5} {over:6.2f} {grid:5.2f} {balance:7.3f} {seconds:9.4g} " \
                    f"{moved / 2**30:8.3f}"
                if over > (ASKED_OF_GRIDS if is_good else ASKED) and looked:
                    least = min(looked)
                    line += f"   {least[1]:21.4g} {least[0] / 2**30:8.3f}"
                print(line, flush=True)
        above = sum(over > ASKED for over in over_all)
        print(f"{m}x{k}x{n}: at most {max(over_all):.2f}, {above} of {len(over_all)} above {ASKED}; {grids_missed} of "
              f"{grids_good} with a good grid above {ASKED_OF_GRIDS}; work at most {max(balances):.3f} of the mean, "
              f"{sum(balance > ASKED_BALANCE for balance in balances)} above {ASKED_BALANCE}")


if __name__ == "__main__":
    main()
