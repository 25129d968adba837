#!/usr/bin/env bash
# The benchmarks: one table, a line for each work, beside what a user would run instead, in one run and in turns (einrun, its peer, einrun, ...).
#   scripts/bench/run.sh [PART...]     default: all of them
#   layer        a LLaMA layer forward, f32: ms beside PyTorch (eager)
#   streams      elementwise, reductions, softmax and norms over arrays of 256 MiB: GB/s beside a copy
#   repartition  1 GiB, cut by rows, by columns and back, 20 times: bytes sent a second beside MPI_Alltoall of the same bytes
#   tasks        tiny tasks, and how long a run takes to start
# A layout of 1x2 is one rank of two threads, 2x1 two ranks of one. Figures are medians; a ratio above 1 says that einrun is faster.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/bench/lib.sh

layouts="1x2 2x1"
python=/usr/bin/python3      # Debian's, which has python3-torch and python3-numpy
has_numpy=no has_torch=no
$python -c "import numpy" 2> /dev/null && has_numpy=yes
$python -c "import torch" 2> /dev/null && has_torch=yes

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
            alternate 3 1x2="run g 1 2" copy="$bin/bench_peers copy $bytes 5 2" 2x1="run g 2 1"
            for layout in $layouts; do
                row "$name" $dtype $layout GB/s "$(calc "$arrays * $bytes / 1e9 / ${seconds[$layout]}")" "copy, 2 threads" \
                    "$(calc "2 * $bytes / 1e9 / ${seconds[copy]}")" "$(calc "$arrays * ${seconds[copy]} / 2 / ${seconds[$layout]}")" '>=0.85'
            done
        done <<< "$streams"
    done
}

torch_layer() { [ $has_torch = yes ] && $python scripts/bench/layer.py time "$work" 3 2; }
part_layer() {
    local size layout
    [ $has_numpy = yes ] || { echo "layer: expected NumPy, to make its inputs; install python3-numpy"; return; }
    for size in "1 512" "4 512" "1 1024" "4 1024"; do
        # shellcheck disable=SC2086
        $python scripts/bench/layer.py make "$work" "$bin/eintool" $size
        plan layer 1; plan layer 2
        alternate 3 1x2="run layer 1 2" torch=torch_layer 2x1="run layer 2 1"
        [ $has_torch = no ] || $python scripts/bench/layer.py check "$work" "$work/out/layer0.ffn_sum.npy"
        for layout in $layouts; do
            row "layer, ${size/ / x }" f32 $layout ms "$(calc "1e3 * ${seconds[$layout]}")" "PyTorch 1x2" \
                "$(calc "1e3 * ${seconds[torch]}")" "$(calc "${seconds[torch]} / ${seconds[$layout]}")" '>=1.30'
        done
    done
}

part_repartition() {
    local trips=20 bytes=$((1 << 30)) nodes="" parts="" last=X k sent
    for ((k = 0; k < 2 * trips; ++k)); do
        nodes+="{\"name\": \"r$k\", \"einsum\": \"ij->ij\", \"inputs\": [\"$last\"]}, "
        [ $((k % 2)) = 0 ] && parts+="\"r$k\": {\"i\": 2}, " || parts+="\"r$k\": {\"j\": 2}, "
        last=r$k
    done
    cat > "$work/g.json" <<JSON
{"eingraph": 1, "dtype": "f32", "tensors": {"X": {"shape": [16384, 16384], "data": {"fill": 1}}},
 "nodes": [$nodes{"name": "Z", "einsum": "ij->j", "inputs": ["$last"]}], "outputs": ["Z"], "parts": {$parts"Z": {"j": 2}}}
JSON
    plan g 2
    alternate 3 ours="run g 2 1 1" alltoall="mpirun -n 2 $bin/bench_mpi_peers alltoall $((bytes / 4)) 5"
    sent=$(number bytes_sent "$work/report.json")
    row "cut by rows, by columns" f32 2x1 GB/s "$(calc "$sent / 1e9 / ${seconds[ours]}")" "MPI_Alltoall" "$(calc "$bytes / 2 / 1e9 / ${seconds[alltoall]}")" \
        "$(calc "$sent / ($bytes / 2) * ${seconds[alltoall]} / ${seconds[ours]}")" '>=0.70'
}

# Start-up to the first task: a run of a small graph by the wall clock, less that of an MPI program which does nothing. It has the end of the run in it too.
part_tasks() {
    "$bin/eintool" make matmul 256 256 256 --dtype f64 -o "$work/tiny.json"
    plan tiny 1 --parts 262144; plan tiny 2 --parts 262144
    alternate 3 1x1="run tiny 1 1" 2x1="run tiny 2 1"
    row "262,144 tiny tasks" f64 1x1 us/task "$(calc "1e6 * ${seconds[1x1]} / 262144")" - "" "" '<=2'
    row "262,144 tiny tasks" f64 2x1 us/task "$(calc "1e6 * ${seconds[2x1]} / 262144")" - "" "" '<=4'
    plan tiny 2
    alternate 7 ours="wall run tiny 2 1 1" mpi="wall mpirun -n 2 $bin/bench_mpi_peers nothing"
    row "start-up" f64 2x1 s "$(calc "${seconds[ours]} - ${seconds[mpi]}")" - "" "" '<=0.15'
}

parts=${*:-layer streams repartition tasks}
header
for part in $parts; do part_$part; done
