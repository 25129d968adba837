#!/usr/bin/env bash
# The benchmarks: one table, a line for each work, beside what a user would run instead, in one run and in turns
# (einrun, its peer, einrun, ...).
#   scripts/bench/run.sh [PART...]     default: all of them
#   products     large products and chains: share of R, and beside ScaLAPACK
#   contractions batches, more axes, three and four tensors: share of R, and of the share that CTF had
#   shapes       (only where named) more of them, each hard in one way
#   regions      masks, prefixes and joins that factor, f32 and f64: times beside our own without them, a copy, and
#                PyTorch's cumsum
#   long         (only where named) attention over 65,536 positions on 2 ranks within 2 GiB, f32: share of the rate over
#                4096
#   transposing  (only where named) contractions whose labels lie in different orders: share of what flops at R and
#                bytes at a copy's speed allow
#   layer        a LLaMA layer forward, f32: ms beside PyTorch (eager)
#   training     (only where named) a training step of a classifier with gradients, f32: ms beside PyTorch (eager) and
#                its DistributedDataParallel
#   streams      elementwise, reductions, softmax and norms over arrays of 256 MiB: GB/s beside a copy
#   narrow       (only where named) products of bf16 beside PyTorch, of f16, integers and bool: share of R of f32;
#                streams of bf16: GB/s beside a copy
#   metrics      products over other operations: share of R (two operations a term), and beside NumPy
#   link         two pretend hosts, 1 Gbit/s: ms beside the most of computing alone and the link alone, and beside
#                ScaLAPACK
#   repartition  1 GiB, cut by rows, by columns and back, 20 times: bytes sent a second beside MPI_Alltoall of the
#                same bytes
#   tasks        tiny tasks, and how long a run takes to start
# Installs what is missing (as root; a row whose peer is not there says so), builds, and takes a quarter of an hour and
# 5 GiB.
# A layout of 1x2 is one rank of two threads, 2x1 two ranks of one. Figures are medians; a ratio above 1 says that
# einrun is faster.
set -euo pipefail
if [[ ${1:-} = -* ]]; then sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; fi
cd "$(dirname "$0")/../.."
if [ -z "${BIN:-}" ]; then
    ./scripts/install-deps.sh --bench >&2 || true
    [ -f build/CMakeCache.txt ] || ./scripts/build.sh --no-tests >&2
    cmake build > /dev/null    # finds peers that came since
    cmake --build build --target benchmarks -- --quiet >&2
fi
source scripts/bench/lib.sh

dtypes="f64 f32" layouts="1x2 2x1"
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
    for dtype in $dtypes; do
        while IFS='|' read -r name arrays node; do
            [ $dtype = f64 ] && rows=4096 || rows=8192
            cat > "$work/g.json" <<JSON
{"eingraph": 1, "dtype": "$dtype",
 "tensors": {"X": {"shape": [$rows, 8192], "data": {"random": "uniform", "low": -1, "seed": 1}},
             "Y": {"shape": [$rows, 8192], "data": {"random": "uniform", "seed": 2}}},
 "nodes": [{"name": "Z", $node}], "outputs": ["Z"]}
JSON
            plan g 1; plan g 2
            alternate 1x2="run g 1 2" copy="$bin/bench_peers copy $bytes 5 2" 2x1="run g 2 1"
            for layout in $layouts; do
                row "$name" $dtype $layout GB/s \
                    "$(calc "$arrays * $bytes / 1e9 / ${seconds[$layout]}")" "copy, 2 threads" \
                    "$(calc "2 * $bytes / 1e9 / ${seconds[copy]}")" \
                    "$(calc "$arrays * ${seconds[copy]} / 2 / ${seconds[$layout]}")" '>=0.85'
            done
        done <<< "$streams"
    done
}

# graph DTYPE EINSUM SHAPES [MORE KEYS OF THE NODE]: $work/g.json; an EINSUM of "make ..." is a graph of eintool's
graph() {
    local letters=(A B C D E) tensors="" names="" shape name k=0
    # shellcheck disable=SC2086
    case $2 in make\ *) "$bin/eintool" $2 --dtype "$1" -o "$work/g.json"; return ;; esac
    for shape in $3; do
        name=${letters[k]}
        k=$((k + 1))
        tensors+="${tensors:+, }\"$name\": {\"shape\": [$shape],
            \"data\": {\"random\": \"uniform\", \"low\": -1, \"seed\": $k}}"
        names+="${names:+, }\"$name\""
    done
    echo "{\"eingraph\": 1, \"dtype\": \"$1\", \"tensors\": {$tensors}, \"outputs\": [\"Z\"],
        \"nodes\": [{\"name\": \"Z\", \"einsum\": \"$2\", \"inputs\": [$names]${4:+, $4}}]}" \
        > "$work/g.json"
}
blas() { "$bin/bench_peers" gemm "$1" 4096 1 2; }    # R: OpenBLAS called directly with 2 threads
blas_flops='2 * 4096^3'
speed() { calc "$1 / 1e9 / ${seconds[$2]}"; }        # FLOPS CANDIDATE: GFLOP/s
share() { calc "($1) / ${seconds[$2]} / ($blas_flops) * ${seconds[R]}"; }
scalapack() {
    [ -x "$bin/bench_scalapack" ] && OPENBLAS_NUM_THREADS=1 ${launcher:-mpirun} -n 2 "$bin/bench_scalapack" "$@"
}

# NAME|flops|einsum|ScaLAPACK's name and size
products='matmul 4096|2*4096^3|make matmul 4096 4096 4096|matmul 4096
chain square 4096|3*2*4096^3|make matrix-chain 4096|square 4096
chain skewed 4000|2*4000*400*(2*4000+40000)|make matrix-chain 4000 --skewed|skewed 4000'

part_products() {
    local name flops einsum theirs dtype layout
    while IFS='|' read -r name flops einsum theirs; do
        for dtype in $dtypes; do
            graph $dtype "$einsum" ""
            plan g 1; plan g 2
            alternate 1x2="run g 1 2 1" R="blas $dtype" 2x1="run g 2 1 1" scalapack="scalapack $dtype $theirs 1"
            for layout in $layouts; do
                row "$name" $dtype $layout GFLOP/s "$(speed "$flops" $layout)" "R, 2 threads" \
                    "$(speed "$blas_flops" R)" "$(share "$flops" $layout)" '>=0.93'
            done
            row "$name" $dtype 2x1 GFLOP/s "$(speed "$flops" 2x1)" "ScaLAPACK 2x1" "$(speed "$flops" scalapack)" \
                "$(calc "${seconds[scalapack]} / ${seconds[2x1]}")" '>=1.00'
        done
    done <<< "$products"
}

# NAME|flops of the best order of pairwise products|einsum|shapes|target|CTF's share of R: f64, f32 (Cyclops Tensor
# Framework of 2023-11, built from source, the better of 1x2 and 2x1 on a machine of 2 cores)
contractions='batched 64 x 256|64*2*256^3|bij,bjk->bik|64,256,256 64,256,256|>=0.85|.24|.30
batched 8 x 1024|8*2*1024^3|bij,bjk->bik|8,1024,1024 8,1024,1024|>=0.85|.50|.54
MTTKRP 400|2*400^3*32|ijk,ja,ka->ia|400,400,400 400,32 400,32|-|.33|.31
order 4|2*48^6|abcd,cdef->abef|48,48,48,48 48,48,48,48|>=0.85|.91|.94
order 4 crossed|2*48^6|acbd,cedf->afbe|48,48,48,48 48,48,48,48|>=0.85|.77|.75
order 5|2*24^7|abcde,efcgd->agbf|24,24,24,24,24 24,24,24,24,24|>=0.85|.57|.68
TTMc 80|2*(80^4*16+80^3*16^2+80^2*16^3)|ijkl,jb,kc,ld->ibcd|80,80,80,80 80,16 80,16 80,16|-|.06|.06'
# Not among the default parts: shapes that are hard in one way each.
shapes='matmul 512|2*512^3|ij,jk->ik|512,512 512,512
batched 20000 x 16|20000*2*16^3|bij,bjk->bik|20000,16,16 20000,16,16
heads last|16*2*1024*1024*64|qhd,khd->hqk|1024,16,64 1024,16,64
rank 64|2*4096^2*64|ik,kj->ij|4096,64 64,4096
tall 64|2*1048576*64*64|ik,kj->ij|1048576,64 64,64
inner|2*64*64*1048576|ki,kj->ij|1048576,64 1048576,64
matrix vector|2*8192^2|ij,j->i|8192,8192 8192'

# What CTF's shares of R are to ours, a word each: DTYPE LAYOUT RATIO, in $work/ctf.
contract() {
    local name flops einsum sizes target ctf64 ctf32 dtype layout
    while IFS='|' read -r name flops einsum sizes target ctf64 ctf32; do
        for dtype in $dtypes; do
            graph $dtype "$einsum" "$sizes"
            plan g 1; plan g 2
            alternate 1x2="run g 1 2" R="blas $dtype" 2x1="run g 2 1"
            for layout in $layouts; do
                row "$name" $dtype $layout GFLOP/s "$(speed "$flops" $layout)" "R, 2 threads" \
                    "$(speed "$blas_flops" R)" "$(share "$flops" $layout)" "${target:--}"
                ctf=$([ $dtype = f64 ] && echo "$ctf64" || echo "$ctf32")
                [ -z "$ctf64" ] || echo "$layout $(share "$flops" $layout) $ctf" >> "$work/ctf"
            done
        done
    done
}
# Of numbers, one a line: their geometric mean, and the least.
mean_and_least() { awk '{s += log($1); if (!n++ || $1 < least) least = $1} END {print exp(s / n), least}'; }
part_shapes() { contract <<< "$shapes"; }
part_contractions() {
    local layout mean least
    contract <<< "$contractions"
    for layout in $layouts; do
        read -r mean least < <(awk -v l=$layout '$1 == l {print $2 / $3}' "$work/ctf" | mean_and_least)
        row "all of these, mean" both $layout "of CTF's" "$mean" - "" "" '>=2.00'
        row "all of these, lowest" both $layout "of CTF's" "$least" - "" "" '>=1.00'
    done
}

# NAME|what metrics.py calls it|keys
metrics='L2 distances 2048|squares|"join": "(x - y)^2"
L-infinity 2048|largest|"join": "abs(x - y)", "agg": "max"
(min, +) product 2048|min_plus|"join": "x + y", "agg": "min"'

numpy_metric() { [ $has_numpy = yes ] && $python scripts/bench/metrics.py "$1" "$2" 2048; }
part_metrics() {
    local name theirs keys dtype layout flops='2*2048^3'
    while IFS='|' read -r name theirs keys; do
        for dtype in $dtypes; do
            graph $dtype "ij,jk->ik" "2048,2048 2048,2048" "$keys"
            plan g 1; plan g 2
            alternate 1x2="run g 1 2" R="blas $dtype" 2x1="run g 2 1" numpy="numpy_metric $theirs $dtype"
            for layout in $layouts; do
                row "$name" $dtype $layout GFLOP/s "$(speed "$flops" $layout)" "R, 2 threads" \
                    "$(speed "$blas_flops" R)" "$(share "$flops" $layout)" '>=0.25'
                row "$name" $dtype $layout GFLOP/s "$(speed "$flops" $layout)" NumPy "$(speed "$flops" numpy)" \
                    "$(calc "${seconds[numpy]} / ${seconds[$layout]}")" '>=4.00'
            done
        done
    done <<< "$metrics"
}

# attention NAME [MASK]: 8 heads, POSITIONS (default 4096) x 64, f32, to $work/NAME.json
attention() {
    local join="x*y*0.125" data='"shape": [8, '${POSITIONS:-4096}', 64], "data": {"random": "normal", "seed"'
    [ $# = 1 ] || join="where($2, x*y*0.125, -inf)"
    cat > "$work/$1.json" <<JSON
{"eingraph": 1, "dtype": "f32", "tensors": {"Q": {$data: 1}}, "K": {$data: 2}}, "V": {$data: 3}}},
 "nodes": [{"name": "S", "einsum": "hid,hkd->hik", "inputs": ["Q", "K"], "join": "$join"},
           {"name": "P", "op": "softmax", "inputs": ["S"]},
           {"name": "O", "einsum": "hik,hkd->hid", "inputs": ["P", "V"]}], "outputs": ["O"]}
JSON
}
# prefix NAME SHAPE EINSUM JOIN [AGG]
prefix() {
    cat > "$work/$1.json" <<JSON
{"eingraph": 1, "dtype": "f32", "tensors": {"X": {"shape": [$2], "data": {"random": "normal", "seed": 1}}},
 "nodes": [{"name": "Y", "einsum": "$3", "inputs": ["X"], "sizes": {"i": 16384}, "join": "$4",
            "agg": "${5:-sum}"}], "outputs": ["Y"]}
JSON
}
torch_cumsum() {
    [ $has_torch = yes ] && $python - <<'PY'
import time, torch
torch.set_num_threads(2)
x = torch.randn(16384, 2048)
best = []
for _ in range(5):
    begin = time.perf_counter()
    torch.cumsum(x, 0)
    best.append(time.perf_counter() - begin)
print(sorted(best)[2])
PY
}
milliseconds() { calc "1e3 * ${seconds[$1]}"; }
ratio() { calc "${seconds[$1]} / ${seconds[$2]}"; }
# NAME|join of a sum over j of A (i, j) and B (j, k), 1200^3
factored='x*tanh(y)|x*tanh(y)
exp(x)*y|exp(x)*y
relu times y times 2|where(x > 0, x, 0)*y*2
(x+1)*(y-1)|(x + 1)*(y - 1)
x*y*[j]|x*y*[j]'
part_regions() {
    local name join
    attention plain; attention causal "[i] >= [k]"; attention band "[i] - [k] < 256 && [k] <= [i]"
    plan plain 1; plan causal 1; plan band 1
    alternate plain="run plain 1 2" causal="run causal 1 2" band="run band 1 2"
    row "causal attention 4096" f32 1x2 ms "$(milliseconds causal)" "without mask" "$(milliseconds plain)" \
        "$(ratio causal plain)" '<=0.60'
    row "attention, window 256" f32 1x2 ms "$(milliseconds band)" "without mask" "$(milliseconds plain)" \
        "$(ratio band plain)" '<=0.15'
    prefix copy 16384,2048 "jc->jc" "2*x"
    sed -i 's/"sizes": {"i": 16384}, //' "$work/copy.json"
    prefix down 16384,2048 "jc->ic" "where([j] <= [i], x, 0)"
    prefix along 2048,16384 "cj->ci" "where([j] <= [i], x, 0)"
    prefix largest 16384,2048 "jc->ic" "where([j] <= [i], x, -inf)" max
    for name in copy down along largest; do plan $name 1; done
    alternate copy="run copy 1 2" down="run down 1 2" along="run along 1 2" largest="run largest 1 2" \
        torch=torch_cumsum
    for name in down along largest; do
        row "prefixes, $name" f32 1x2 ms "$(milliseconds $name)" "2*x" "$(milliseconds copy)" "$(ratio copy $name)" \
            '>=0.50'
    done
    row "prefixes, down" f32 1x2 ms "$(milliseconds down)" "PyTorch cumsum" "$(milliseconds torch)" \
        "$(ratio torch down)" '>=1.00'
    graph f64 "ij,jk->ik" "1200,1200 1200,1200"
    cp "$work/g.json" "$work/product.json"
    plan product 1
    while IFS='|' read -r name join; do
        graph f64 "ij,jk->ik" "1200,1200 1200,1200" "\"join\": \"$join\""
        plan g 1
        alternate factored="run g 1 2" product="run product 1 2"
        row "$name, 1200^3" f64 1x2 ms "$(milliseconds factored)" "x*y" "$(milliseconds product)" \
            "$(ratio factored product)" '<=1.20'
    done <<< "$factored"
}

torch_layer() { [ $has_torch = yes ] && $python scripts/bench/layer.py time "$work" 3 2; }
part_long() {
    local name
    attention short; POSITIONS=65536 attention long
    attention short-causal "[i] >= [k]"; POSITIONS=65536 attention long-causal "[i] >= [k]"
    for name in short long short-causal long-causal; do plan $name 2 --memory 2GiB; done
    REPEATS=1 alternate short="run short 2 1" long="run long 2 1 1" short-causal="run short-causal 2 1" \
        long-causal="run long-causal 2 1 1"
    for name in "" -causal; do
        row "attention$name 65536" f32 2x1 s "${seconds[long$name]}" "256 times 4096" \
            "$(calc "256 * ${seconds[short$name]}")" "$(calc "256 * ${seconds[short$name]} / ${seconds[long$name]}")" \
            '>=0.80'
    done
}
part_layer() {
    local size layout
    [ $has_numpy = yes ] || { echo "layer: expected NumPy, to make its inputs; install python3-numpy"; return; }
    for size in "1 512" "4 512" "1 1024" "4 1024"; do
        # shellcheck disable=SC2086
        $python scripts/bench/layer.py make "$work" "$bin/eintool" $size
        plan layer 1; plan layer 2
        alternate 1x2="run layer 1 2" torch=torch_layer 2x1="run layer 2 1"
        [ $has_torch = no ] || $python scripts/bench/layer.py check "$work" "$work/out/layer0.ffn_sum.npy"
        for layout in $layouts; do
            row "layer, ${size/ / x }" f32 $layout ms "$(calc "1e3 * ${seconds[$layout]}")" "PyTorch 1x2" \
                "$(calc "1e3 * ${seconds[torch]}")" "$(calc "${seconds[torch]} / ${seconds[$layout]}")" '>=1.30'
        done
    done
}

torch_training() { [ $has_torch = yes ] && $python scripts/bench/training.py "$1" "$2" "$3" 3 2> /dev/null; }
part_training() {
    local size features batch peer
    for size in ${TRAINING:-8192x128 8192x512}; do
        size=${size/x/ }
        read -r features batch <<< "$size"
        "$bin/eintool" make ffnn-step "$features" 8192 14588 "$batch" -o "$work/training.json"
        plan training 2
        alternate 2x1="run training 2 1" one="torch_training one $size" ddp="torch_training ddp $size"
        for peer in one ddp; do
            row "training, $features x $batch" f32 2x1 ms "$(calc "1e3 * ${seconds[2x1]}")" \
                "PyTorch $([ $peer = one ] && echo 1x2 || echo DDP 2x1)" \
                "$(calc "1e3 * ${seconds[$peer]}")" "$(calc "${seconds[$peer]} / ${seconds[2x1]}")" \
                "$([ $peer = one ] && echo '>=1.10' || echo '>=2.00')"
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
 "nodes": [$nodes{"name": "Z", "einsum": "ij->j", "inputs": ["$last"]}], "outputs": ["Z"],
 "parts": {$parts"Z": {"j": 2}}}
JSON
    plan g 2
    alternate ours="run g 2 1 1" alltoall="mpirun -n 2 $bin/bench_mpi_peers alltoall $((bytes / 4)) 5"
    sent=$(number bytes_sent "$work/report.json")
    row "cut by rows, by columns" f32 2x1 GB/s "$(calc "$sent / 1e9 / ${seconds[ours]}")" "MPI_Alltoall" \
        "$(calc "$bytes / 2 / 1e9 / ${seconds[alltoall]}")" \
        "$(calc "$sent / ($bytes / 2) * ${seconds[alltoall]} / ${seconds[ours]}")" '>=0.70'
}

# Two hosts of one core, 1 Gbit/s each way between them. What a run cannot beat: itself without the limit, and the bytes
# of the busiest rank on the link.
linked() { launcher="$hosts mpirun" "$@"; }
scalapack_chain() { [[ $2 = chain* ]] && linked scalapack "$1" square 2048 1; }    # DTYPE NAME...
part_link() {
    local name graph dtype least
    if ! hosts_up 2 1gbit; then echo "link: expected pretend hosts (root, iproute2)"; return; fi
    while IFS='|' read -r name graph; do
        for dtype in $dtypes; do
            graph $dtype "$graph" ""
            plan g 2 --explain=json > "$work/explain.json"
            alternate link="linked run g 2 1" alone="run g 2 1" scalapack="scalapack_chain $dtype $name"
            least=$(awk -v a="${seconds[alone]}" -v b="$(number rank_max "$work/explain.json")" \
                'BEGIN {b /= 125e6; print(a > b ? a : b)}')
            row "$name, 1 Gbit/s" $dtype 2x1 ms "$(calc "1e3 * ${seconds[link]}")" "computing or the link" \
                "$(calc "1e3 * $least")" \
                "$(calc "${seconds[link]} / $least")" '<=1.25'
            [[ $name != chain* ]] || row "$name, 1 Gbit/s" $dtype 2x1 ms "$(calc "1e3 * ${seconds[link]}")" \
                "ScaLAPACK 2x1" \
                "$(calc "1e3 * ${seconds[scalapack]}")" "$(calc "${seconds[scalapack]} / ${seconds[link]}")" '>=1.00'
        done
    done <<< 'chain 2048|make matrix-chain 2048
attention 2048|make attention 2048 16 64'
    $hosts down
}

# Start-up to the first task: a run of a small graph by the wall clock, less that of an MPI program which does nothing.
# It has the end of the run in it too.
part_tasks() {
    "$bin/eintool" make matmul 256 256 256 --dtype f64 -o "$work/tiny.json"
    plan tiny 1 --parts 262144; plan tiny 2 --parts 262144
    alternate 1x1="run tiny 1 1" 2x1="run tiny 2 1"
    row "262,144 tiny tasks" f64 1x1 us/task "$(calc "1e6 * ${seconds[1x1]} / 262144")" - "" "" '<=2'
    row "262,144 tiny tasks" f64 2x1 us/task "$(calc "1e6 * ${seconds[2x1]} / 262144")" - "" "" '<=4'
    plan tiny 2
    REPEATS=7 alternate ours="wall run tiny 2 1 1" mpi="wall mpirun -n 2 $bin/bench_mpi_peers nothing"
    row "start-up" f64 2x1 s "$(calc "${seconds[ours]} - ${seconds[mpi]}")" - "" "" '<=0.15'
}

source scripts/bench/narrow.sh
source scripts/bench/transposing.sh

parts=${*:-products contractions layer streams metrics link repartition tasks}
for part in $parts; do
    if ! declare -F "part_$part" > /dev/null; then
        echo "run.sh: expected parts among: $(declare -F | sed -n 's/.* part_//p' | tr '\n' ' '), found '$part'" >&2
        exit 2
    fi
done
environment
header
for part in $parts; do part_$part; done
echo "$((SECONDS / 60)) min $((SECONDS % 60)) s"
