#!/usr/bin/env bash
# The benchmarks: one table, a line for each work, beside what a user would run instead, in one run and in turns (einrun, its peer, einrun, ...).
#   scripts/bench/run.sh [PART...]     default: all of them
#   streams      elementwise, reductions, softmax and norms over arrays of 256 MiB: GB/s beside a copy
# A layout of 1x2 is one rank of two threads, 2x1 two ranks of one. Figures are medians; a ratio above 1 says that einrun is faster.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/bench/lib.sh

layouts="1x2 2x1"

# NAME|arrays read and written|node, X and Y of 256 MiB
streams='x+y|3|"einsum": "ij,ij->ij", "inputs": ["X", "Y"], "join": "x+y"
relu|2|"einsum": "ij->ij", "inputs": ["X"], "join": "relu(x)"
gelu|2|"einsum": "ij->ij", "inputs": ["X"], "join": "gelu(x)"
exp|2|"einsum": "ij->ij", "inputs": ["X"], "join": "exp(x)"
x*sigmoid(x)|2|"einsum": "ij->ij", "inputs": ["X"], "join": "x*sigmoid(x)"
sum of all|1|"einsum": "ij->", "inputs": ["X"]
sum of rows|1|"einsum": "ij->i", "inputs": ["X"]
sum of columns|1|"einsum": "ij->j", "inputs": ["X"]
max of all|1|"einsum": "ij->", "inputs": ["X"], "agg": "max"
max of rows|1|"einsum": "ij->i", "inputs": ["X"], "agg": "max"
max of columns|1|"einsum": "ij->j", "inputs": ["X"], "agg": "max"
softmax|2|"op": "softmax", "inputs": ["X"], "axes": [1]
rms_norm|2|"op": "rms_norm", "inputs": ["X"]
layer_norm|2|"op": "layer_norm", "inputs": ["X"]'

part_streams() {
    local name arrays node dtype layout bytes=$((256 << 20)) rows
    for dtype in f64 f32; do
        while IFS='|' read -r name arrays node; do
            [ $dtype = f64 ] && rows=4096 || rows=8192
            cat > "$work/g.json" <<JSON
{"eingraph": 1, "dtype": "$dtype", "tensors": {"X": {"shape": [$rows, 8192], "data": {"random": "uniform", "low": -1, "seed": 1}},
 "Y": {"shape": [$rows, 8192], "data": {"random": "uniform", "seed": 2}}}, "nodes": [{"name": "Z", $node}], "outputs": ["Z"]}
JSON
            plan g 1; plan g 2
            alternate 3 1x2="run g 1 2 5" copy="$bin/bench_peers copy $bytes 5 2" 2x1="run g 2 1 5"
            for layout in $layouts; do
                row "$name" $dtype $layout GB/s "$(calc "$arrays * $bytes / 1e9 / ${seconds[$layout]}")" "copy, 2 threads" \
                    "$(calc "2 * $bytes / 1e9 / ${seconds[copy]}")" "$(calc "$arrays * ${seconds[copy]} / 2 / ${seconds[$layout]}")" '>=0.85'
            done
        done <<< "$streams"
    done
}

parts=${*:-streams}
header
for part in $parts; do part_$part; done
