#!/usr/bin/env bash
# What einplan --simulate predicts beside what SimGrid says of the same schedules on the same clusters: an independent
# check of the simulation. Needs SimGrid (Debian: libsimgrid-dev) when the build is configured. Nothing is run.
# Usage: scripts/bench/simgrid.sh [BIN_FOLDER]    (default: build/bin)
# Columns: tasks, messages, milliseconds by our simulation and by SimGrid's (of one iteration of loops), the first over
# the second. Exit code 1 where one is above 1.15 or below 1 / 1.15, 77 where SimGrid is missing.
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=${1:-build/bin}
[ -x "$bin/bench_simgrid" ] ||
    { echo "simgrid.sh: no $bin/bench_simgrid: install libsimgrid-dev, configure again and build" >&2; exit 77; }
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

rates='"threads": 1, "flops_per_second": {"f64": "30Gflop/s", "f32": "60Gflop/s"}, "operations_per_second": "2Gflop/s",
    "bytes_per_second": "8GB/s"'
cat > "$work/one.json" << END
{$rates, "ranks_per_node": 1, "between": {"bandwidth": "10Gbit/s", "latency": "20us", "per_message": "3us"}}
END
cat > "$work/four.json" << END
{$rates, "ranks_per_node": 4, "inside": {"bandwidth": "8GB/s", "latency": "1us", "per_message": "500ns"},
 "between": {"bandwidth": "100Gbit/s", "latency": "2us", "per_message": "1us"}, "uplink": "100Gbit/s"}
END

# A product whose summed label alone is cut, and one that needs all of what was made by rows.
cat > "$work/scatter.json" << 'END'
{"eingraph": 1, "name": "reduce-scatter", "dtype": "f32",
 "tensors": {"A": {"shape": [1024, 8192]}, "B": {"shape": [8192, 1024]}},
 "nodes": [{"name": "Z", "einsum": "ij,jk->ik", "inputs": ["A", "B"]}],
 "outputs": ["Z"], "parts": {"Z": {"i": 1, "j": 16, "k": 1}}}
END
cat > "$work/gather.json" << 'END'
{"eingraph": 1, "name": "all-gather", "dtype": "f32",
 "tensors": {"X": {"shape": [2048, 1024]}, "W": {"shape": [1024, 2048]}},
 "nodes": [{"name": "Y", "einsum": "ij->ij", "inputs": ["X"], "join": "tanh(x)"},
           {"name": "Z", "einsum": "ij,jk->ik", "inputs": ["Y", "W"]}],
 "outputs": ["Z"], "parts": {"Y": {"i": 13, "j": 1}, "Z": {"i": 1, "j": 1, "k": 13}}}
END
# A ring of tensors, sliced over two labels that are far from one another.
python3 - > "$work/network.json" << 'END'
import json
size, extent = 12, 12
tensors = {f"T{k}": {"shape": [extent] * 3, "data": {"random": "uniform", "seed": k}} for k in range(size)}
labels = [[f"a{k}", f"a{(k + 1) % size}", f"b{k % (size // 2)}"] for k in range(size)]
print(json.dumps({"eingraph": 1, "name": "network", "dtype": "f32", "tensors": tensors, "outputs": ["Z"], "nodes": [
    {"name": "Z", "einsum": {"in": labels, "out": []}, "inputs": list(tensors), "slices": ["b0", "b1"]}]}))
END
make() { "$bin/eintool" make "${@:2}" -o "$work/$1.json"; }
make matmul matmul 4096 4096 4096
make chain matrix-chain 2000
make attention attention 1024 8 64
make llama llama --size 7b --layers 1 --sequence 256
make cp cp 200 200 200 16
make heat heat 1024 1024
make pagerank pagerank 5000

status=0
printf '| schedule | ranks | cluster | tasks | messages | ms | SimGrid, ms | ratio |\n'
printf '|---|--:|---|--:|--:|--:|--:|--:|\n'
# row NAME RANKS CLUSTER [OPTIONS OF EINPLAN]
row() {
    local name=$1 ranks=$2 cluster=$3
    shift 3
    "$bin/einplan" "$work/$name.json" -n "$ranks" --cluster "$work/$cluster.json" -q -o "$work/schedule" "$@"
    "$bin/bench_simgrid" "$work/schedule" "$work/$cluster.json" > "$work/found"
    awk -v name="$name" -v ranks="$ranks" -v cluster="$cluster" '{
        ratio = $3 / $4
        printf "| %s | %d | %s | %d | %d ", name, ranks, cluster, $1, $2
        printf "| %.4g | %.4g | %.3f |\n", 1e3 * $3, 1e3 * $4, ratio
        exit ratio > 1.15 || ratio < 1 / 1.15 }' "$work/found" || status=1
}
for cluster in one four; do
    row matmul 8 $cluster
    row chain 13 $cluster
    row attention 4 $cluster
    row llama 8 $cluster
    row cp 7 $cluster
    row heat 16 $cluster
    row scatter 16 $cluster
    row gather 13 $cluster
    row network 8 $cluster
    row pagerank 6 $cluster
done
exit $status
