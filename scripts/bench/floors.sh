#!/usr/bin/env bash
# The single-rank floors, each measured beside its peer in this one run, on one thread:
# products beside OpenBLAS called directly, elementwise nodes and reductions beside a plain loop over memory, and tiny tasks.
# Usage: scripts/bench/floors.sh   (after scripts/build.sh; takes about a minute and 1 GiB)
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=build/bin
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
[ -x $bin/bench_peers ] || { echo "floors.sh: build first: ./scripts/build.sh" >&2; exit 2; }

# Median execute seconds of a graph file on one rank. $1: graph, more: einplan options
execute() {
    local graph=$1; shift
    $bin/einplan "$graph" -n 1 -q -o "$work/s.sched" "$@"
    $bin/einrun "$work/s.sched" --threads 1 --repeat 5 --progress off --quiet --out "$work/out" --report "$work/r.json"
    sed -n 's/.*"execute": *\([0-9.e-]*\).*/\1/p' "$work/r.json" | head -n 1
}
row() { awk -v n="$1" -v a="$2" -v p="$3" -v f="$4" -v u="$5" 'BEGIN {printf "%-34s %9.2f %9.2f %-8s %6.2f  floor %.2f  %s\n", n, a, p, u, a/p, f, (a/p >= f ? "met" : "MISSED")}'; }

printf '%-34s %9s %9s %-8s %6s\n' "one rank, one thread" einrun peer unit ratio
for dtype in f64 f32; do
    $bin/eintool make matmul 4096 4096 4096 --dtype $dtype -o "$work/mm.json"
    peer=$($bin/bench_peers gemm $dtype 4096 5)
    mine=$(execute "$work/mm.json")
    row "matmul 4096 $dtype" "$(awk "BEGIN{print 137.439/$mine}")" "$(awk "BEGIN{print 137.439/$peer}")" 0.92 GFLOP/s
done

# Arrays of 256 MiB. $1: name, $2: einsum, $3: inputs, $4: more keys, $5: arrays read and written
stream() {
    cat > "$work/g.json" <<JSON
{"eingraph": 1, "dtype": "f32", "tensors": {"X": {"shape": [8192, 8192], "data": {"random": "uniform", "seed": 1}},
 "Y": {"shape": [8192, 8192], "data": {"random": "uniform", "seed": 2}}},
 "nodes": [{"name": "Z", "einsum": "$2", "inputs": $3$4}], "outputs": ["Z"]}
JSON
    local peer mine
    peer=$($bin/bench_peers copy $((256 << 20)) 7)
    mine=$(execute "$work/g.json")
    row "$1" "$(awk "BEGIN{print $5*0.268435/$mine}")" "$(awk "BEGIN{print 2*0.268435/$peer}")" 0.70 GB/s
}
stream "x+y" "ij,ij->ij" '["X", "Y"]' ', "join": "x+y"' 3
stream "relu(x)" "ij->ij" '["X"]' ', "join": "relu(x)"' 2
stream "sum over all" "ij->" '["X"]' '' 1
stream "sum over rows" "ij->j" '["X"]' '' 1
stream "sum over columns" "ij->i" '["X"]' '' 1
stream "max over columns" "ij->i" '["X"]' ', "agg": "max"' 1

$bin/eintool make matmul 256 256 256 --dtype f64 -o "$work/tiny.json"
seconds=$(execute "$work/tiny.json" --parts 262144)
awk -v s="$seconds" 'BEGIN {t = s / 262144 * 1e6; printf "%-34s %9.2f %9s %-8s         floor %.2f  %s\n", "262,144 tiny tasks", t, "", "us each", 5, (t <= 5 ? "met" : "MISSED")}'
