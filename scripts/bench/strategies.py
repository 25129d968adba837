"""The table of scripts/bench/strategies.sh: the default beside every named strategy, by prediction alone."""
import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import subprocess
import sys
import tempfile
import time

RANKS = [2, 3, 7, 8, 13, 16, 64]
NAMED = ["eindecomp", "exact", "moved", "sqrt", "3d", "summa", "25d", "data", "megatron", "sequence", "attention"]
DEFAULT = "default"

CLUSTERS = {
    "shared memory": {"ranks_per_node": 64, "threads": 1,
                      "flops_per_second": {"f64": "50Gflop/s", "f32": "100Gflop/s"},
                      "operations_per_second": "4Gflop/s", "bytes_per_second": "10GB/s",
                      "inside": {"bandwidth": "6GB/s", "latency": "400ns", "per_message": "300ns"}},
    "10 Gbit/s": {"ranks_per_node": 1,
                  "between": {"bandwidth": "10Gbit/s", "latency": "20us", "per_message": "3us"}},
    "100 Gbit/s": {"ranks_per_node": 4,
                   "between": {"bandwidth": "100Gbit/s", "latency": "2us", "per_message": "1us"},
                   "uplink": "100Gbit/s"},
    "GPU node": {"ranks_per_node": 64, "threads": 8,
                 "flops_per_second": {"f64": "45Tflop/s", "f32": "45Tflop/s"},
                 "operations_per_second": "4Tflop/s", "bytes_per_second": "2500GB/s",
                 "copied_per_second": "1200GB/s", "seconds_per_task": "8us",
                 "inside": {"bandwidth": "20GB/s", "latency": "15us", "per_message": "5us"}},
}

# name: arguments of eintool make, or a file of examples/
GRAPHS = {
    "matmul": "matmul 4096 4096 4096",
    "matmul, flat": "matmul 2048 8192 1024",
    "chain": "matrix-chain 2000",
    "chain, skewed": "matrix-chain 4000 --skewed",
    "elementwise": "elementwise",
    "mttkrp": "mttkrp 400 400 400 32",
    "mttkrp, sparse": "mttkrp 200 200 200 32 --sparse",
    "spmm": "spmm 4096 4096 64 --sparse",
    "ttmc": "ttmc",
    "attention": "attention 1024 8 64",
    "llama_tiny": "llama --size tiny",
    "llama layer": "llama --size 7b --layers 1 --sequence 256",
    "training": "ffnn-step 4096 2048 1024 512",
    "training loop": "ffnn-step 2048 1024 512 256 --steps 10",
    "regression": "linear-regression 20000 1000",
    "network": "network 4000 2000 1000",
    "factorization": "factorization 3000 3000 200",
    "CP-ALS": "examples/cp.json",
    "CP": "cp 200 200 200 16",
    "nearest neighbour": "nearest-neighbour 20000 256",
    "k-means": "k-means 100000 32 20",
    "PageRank": "pagerank 5000",
    "PageRank, sparse": "pagerank 100000 --links 1e-4 --sparse",
    "shortest paths": "shortest-paths 512",
    "heat": "heat 1024 1024",
    "life": "life 1024 1024",
    "repartition": "REPARTITION",
    "einsum zoo": "examples/einsum-zoo.json",
    "structural": "examples/structural.json",
    "tensor relations": "examples/tensor-relations.json",
}


def repartition():
    """Softmaxes along alternating axes, a transposed copy and a product."""
    nodes, last = [], "X"
    for turn in range(3):
        for axis, keep in (("j", "i"), ("i", "j")):
            name = f"{turn}{axis}"
            nodes += [
                {"name": f"m{name}", "einsum": f"ij->{keep}", "inputs": [last], "agg": "max"},
                {"name": f"e{name}", "einsum": f"ij,{keep}->ij", "inputs": [last, f"m{name}"], "join": "exp(x - y)"},
                {"name": f"s{name}", "einsum": f"ij->{keep}", "inputs": [f"e{name}"]},
                {"name": f"p{name}", "einsum": f"ij,{keep}->ij", "inputs": [f"e{name}", f"s{name}"], "join": "x / y"}]
            last = f"p{name}"
    nodes.append({"name": "T", "einsum": "ij->ji", "inputs": [last]})
    nodes.append({"name": "Z", "einsum": "ij,jk->ik", "inputs": ["T", last]})
    return {"eingraph": 1, "name": "repartition", "tensors": {"X": {"shape": [1024, 1024], "dtype": "f32"}},
            "nodes": nodes, "outputs": ["Z"]}


def make_graphs(binaries, folder, names):
    files = {}
    for number, name in enumerate(GRAPHS):
        if name not in names:
            continue
        what = GRAPHS[name]
        files[name] = what if what.endswith(".json") else os.path.join(folder, f"{number}.json")
        if what == "REPARTITION":
            with open(files[name], "w") as out:
                json.dump(repartition(), out)
        elif not what.endswith(".json"):
            subprocess.run([f"{binaries}/eintool", "make", *what.split(), "-o", files[name]], check=True)
    return files


class Planner:
    def __init__(self, binaries, cache):
        self.binaries, self.cache = binaries, cache

    def plan(self, graph, ranks, cluster, strategy):
        """Predicted seconds, bytes, and seconds of planning; named strategies come from the cache."""
        with open(graph, "rb") as text, open(cluster, "rb") as machines:
            key = hashlib.sha256(text.read() + machines.read() + f"{ranks} {strategy}".encode()).hexdigest()
        known = self.cache and strategy != DEFAULT and os.path.join(self.cache, key)
        if known and os.path.exists(known):
            with open(known) as file:
                return json.load(file)
        command = [f"{self.binaries}/einplan", graph, "-n", str(ranks), "--cluster", cluster, "--dry-run",
                   "--simulate=json", "--explain=json"]
        if strategy != DEFAULT:
            command += ["--decompose", strategy]
        begin = time.monotonic()
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            return [math.inf, math.inf, time.monotonic() - begin, done.stderr.strip()]
        found = json.loads(done.stdout)
        result = [found["simulation"]["all_turns"], found["bytes"]["total"], time.monotonic() - begin,
                  found["bytes"]["rank_max"]]
        if known:
            with open(known + ".new", "w") as file:
                json.dump(result, file)
            os.replace(known + ".new", known)
        return result


def cells_of(arguments):
    """Every graph on every number of ranks, on one cluster each in turn; --all: on each of them."""
    cells = []
    for g, graph in enumerate(GRAPHS):
        for r, ranks in enumerate(RANKS):
            for c, cluster in enumerate(CLUSTERS):
                if not arguments.all and (g + r) % len(CLUSTERS) != c:
                    continue
                if arguments.quick and ranks > 16:
                    continue
                if arguments.only and arguments.only not in f"{graph}/{ranks}/{cluster}":
                    continue
                cells.append((graph, ranks, cluster))
    return cells


def geometric_mean(ratios):
    return math.exp(sum(math.log(r) for r in ratios) / len(ratios)) if ratios else math.nan


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--cache", help="folder that keeps what named strategies came to; empty it after a change "
                                        "of the scheduler or the simulator")
    parser.add_argument("--quick", action="store_true", help="no cells of more than 16 ranks")
    parser.add_argument("--all", action="store_true", help="every graph and rank count on every cluster")
    parser.add_argument("--only", help="cells whose GRAPH/RANKS/CLUSTER has this text")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    arguments = parser.parse_args()
    if arguments.cache:
        os.makedirs(arguments.cache, exist_ok=True)
    cells = cells_of(arguments)
    planner = Planner(arguments.bin, arguments.cache)
    with tempfile.TemporaryDirectory() as folder:
        graphs = make_graphs(arguments.bin, folder, {graph for graph, _, _ in cells})
        clusters = {}
        for number, (name, described) in enumerate(CLUSTERS.items()):
            clusters[name] = os.path.join(folder, f"cluster{number}.json")
            with open(clusters[name], "w") as file:
                json.dump(described, file)

        def row(cell):
            graph, ranks, cluster = cell
            found = {s: planner.plan(graphs[graph], ranks, clusters[cluster], s) for s in [DEFAULT, *NAMED]}
            return cell, found

        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            rows = list(pool.map(row, cells))
    report(rows)


def report(rows):
    lines, times, moved, planning = [], [], [], []
    for (graph, ranks, cluster), found in rows:
        default = found.pop(DEFAULT)
        if math.isinf(default[0]):
            sys.exit(f"{graph}, {ranks} ranks: {default[3]}")
        best = min(found, key=lambda s: (found[s][0], found[s][1]))
        seconds, least = found[best][0], min(of[1] for of in found.values() if of[0] <= 1.05 * found[best][0])
        ratio = default[0] / seconds if seconds > 0 else 1.0
        of_bytes = default[1] / least if least > 0 else (1.0 if default[1] == 0 else math.inf)
        times.append(ratio)
        moved.append(of_bytes)
        planning.append(default[2])
        lines.append((ratio, f"| {graph} | {ranks} | {cluster} | {1e3 * default[0]:.4g} | {best} | "
                             f"{1e3 * seconds:.4g} | {ratio:.3f} | {of_bytes:.2f} | {default[2]:.2f} |"))
    print("| graph | ranks | cluster | default, ms | best named | its ms | time | bytes | planning, s |")
    print("|---|--:|---|--:|---|--:|--:|--:|--:|")
    for _, line in sorted(lines, reverse=True):
        print(line)
    finite = [m for m in moved if 0 < m < math.inf]
    print(f"\n{len(times)} cells; time over the best named strategy's: geometric mean {geometric_mean(times):.3f}, "
          f"{sum(t > 1.01 for t in times)} above 1.01, {sum(t > 1.1 for t in times)} above 1.1, "
          f"{sum(t > 1.5 for t in times)} above 1.5; bytes: geometric mean {geometric_mean(finite):.3f}; "
          f"planning: {sum(planning):.1f} s in all")


if __name__ == "__main__":
    main()
