#!/usr/bin/env bash
# Traces of runs with loops: counters keep to what a run held in every iteration, and each message of each iteration has
# an arrow of its own.
# Usage: trace_of_loops.sh BIN EXAMPLES MPIEXEC
set -euo pipefail
bin=$1 examples=$2 mpiexec=$3
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
"$bin/eintool" make pagerank 60 --tolerance 1e-6 --dtype f64 -o pagerank.json
"$bin/eintool" make network 40 20 10 --iterations 6 -o network.json
cat > nested.json <<'J'
{"eingraph": 1, "dtype": "f64",
 "tensors": {"A": {"shape": [12, 12], "data": {"random": "uniform", "low": 0.01, "high": 0.09, "seed": 1}},
  "v": {"shape": [12], "data": {"fill": 1}}},
 "nodes": [{"name": "outer", "loop": {"times": 4, "carry": {"v": "grown"}, "body": [
   {"name": "y", "einsum": "i->i", "inputs": ["v"], "join": "2*x"},
   {"name": "inner", "loop": {"while": "more", "max": 9, "carry": {"y": "w"}, "body": [
     {"name": "w", "einsum": "ij,j->i", "inputs": ["A", "y"]},
     {"name": "n", "einsum": "i->", "inputs": ["w"], "join": "x*x"},
     {"name": "more", "einsum": "->", "inputs": ["n"], "join": "x > 2", "agg": "any"}]}},
   {"name": "grown", "einsum": "i->i", "inputs": ["inner/y"], "join": "x*3"}]}}],
 "outputs": ["outer/v"]}
J
for graph in pagerank.json network.json "$examples/power-iteration.json" nested.json; do
    for ranks in 1 2 3; do
        "$bin/einplan" "$graph" -n "$ranks" --decompose eindecomp -q -o s.sched
        "$mpiexec" -n "$ranks" "$bin/einrun" s.sched --quiet --log-level error --repeat 2 --threads 2 --out out \
            --trace t.json --report r.json < /dev/null
        "$bin/eintool" trace t.json > summed
        grep -q "t.json: $ranks rank" summed && grep -q "predicted .* on the built-in cluster, 2 threads a" summed ||
            { cat summed; exit 1; }
        [ "$(grep -c '%.*%.*%' summed)" = "$ranks" ] && [ "$(wc -l < summed)" -lt 45 ] || { cat summed; exit 1; }
        python3 - <<'CHECK'
import json
from collections import defaultdict
trace, report = json.load(open("t.json"))["traceEvents"], json.load(open("r.json"))
counters, arrows = defaultdict(list), defaultdict(list)
for event in trace:
    if event["ph"] == "C":
        counters[event["pid"], event["name"]] += event["args"].values()
    if event["ph"] in "stf":
        arrows[event["id"]].append((event["ph"], event["ts"]))
for (rank, name), values in counters.items():
    assert min(values) >= 0 and values[-1] == 0, (rank, name, min(values), values[-1])
    if name == "memory of blocks":
        assert max(values) <= report["peak_block_bytes"][rank], (rank, max(values), report["peak_block_bytes"])
sends = sum(e["ph"] == "X" and e.get("cat") == "send" and e["pid"] < report["ranks"] for e in trace)
assert len(arrows) == sends == 2 * report["messages_sent"], (len(arrows), sends, report["messages_sent"])
for points in arrows.values():
    assert sorted(kind for kind, _ in points) in (["f", "s"], ["f", "s", "t"]), points
    times = dict(points)
    assert times["s"] <= times["f"], points
CHECK
    done
done
