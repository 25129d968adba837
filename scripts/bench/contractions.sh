#!/usr/bin/env bash
# Contractions of many shapes beside OpenBLAS: GFLOP/s of each on 1 rank x 2 threads and on 2 ranks x 1 thread, as a ratio to R, a square product
# called directly with 2 threads in the same run. Flops are those of the best order of pairwise products.
# Usage: scripts/bench/contractions.sh [NAME...]   (after scripts/build.sh; all of them take about six minutes and 3 GiB). REPEAT (default 5).
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=build/bin
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
[ -x $bin/bench_peers ] || { echo "contractions.sh: build first: ./scripts/build.sh" >&2; exit 2; }
number() { sed -n "s/.*\"$1\": *\([0-9.e-]*\).*/\1/p" "$2" | head -n 1; }

# NAME|flops|einsum|shapes. An einsum of "make ..." is a graph of eintool's.
rows='matmul 4096|2*4096^3|make matmul 4096 4096 4096|
chain square 4096|3*2*4096^3|make matrix-chain 4096|
chain skewed 4000|-|make matrix-chain 4000 --skewed|
matmul 512|2*512^3|ij,jk->ik|512,512 512,512
batched 64 x 256|64*2*256^3|bij,bjk->bik|64,256,256 64,256,256
batched 8 x 1024|8*2*1024^3|bij,bjk->bik|8,1024,1024 8,1024,1024
batched 20000 x 16|20000*2*16^3|bij,bjk->bik|20000,16,16 20000,16,16
heads last|16*2*1024*1024*64|qhd,khd->hqk|1024,16,64 1024,16,64
MTTKRP 400|2*400^3*32|ijk,ja,ka->ia|400,400,400 400,32 400,32
order 4|2*48^6|abcd,cdef->abef|48,48,48,48 48,48,48,48
order 4 crossed|2*48^6|acbd,cedf->afbe|48,48,48,48 48,48,48,48
order 5|2*24^7|abcde,efcgd->agbf|24,24,24,24,24 24,24,24,24,24
TTMc 80|2*(80^4*16+80^3*16^2+80^2*16^3)|ijkl,jb,kc,ld->ibcd|80,80,80,80 80,16 80,16 80,16
rank 64|2*4096^2*64|ik,kj->ij|4096,64 64,4096
tall 64|2*1048576*64*64|ik,kj->ij|1048576,64 64,64
inner|2*64*64*1048576|ki,kj->ij|1048576,64 1048576,64
matrix vector|2*8192^2|ij,j->i|8192,8192 8192'

graph() { # DTYPE EINSUM SHAPES
    local letter=65 tensors="" names="" shape
    case $2 in make\ *) $bin/eintool ${2} --dtype "$1" -o "$work/g.json"; return ;; esac
    for shape in $3; do
        local name; name=$(printf "\\$(printf %o $letter)"); letter=$((letter + 1))
        tensors+="${tensors:+, }\"$name\": {\"shape\": [$shape], \"data\": {\"random\": \"uniform\", \"seed\": $letter}}"
        names+="${names:+, }\"$name\""
    done
    echo "{\"eingraph\": 1, \"dtype\": \"$1\", \"tensors\": {$tensors}, \"nodes\": [{\"name\": \"Z\", \"einsum\": \"$2\", \"inputs\": [$names]}], \"outputs\": [\"Z\"]}" > "$work/g.json"
}

run() { # RANKS THREADS: median seconds of execute
    $bin/einplan "$work/g.json" -n "$1" -q -o "$work/s.sched" ${PLAN:-}
    mpirun -n "$1" $bin/einrun "$work/s.sched" --threads "$2" --repeat "${REPEAT:-5}" --progress off --quiet --out "$work/out" --report "$work/r.json" < /dev/null
    number repeat_median "$work/r.json"
}

printf '%-20s %5s %9s %12s %6s %12s %6s\n' contraction dtype R "1x2 GFLOP/s" ratio "2x1 GFLOP/s" ratio
while IFS='|' read -r name flops einsum shapes; do
    [ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
    for dtype in ${DTYPES:-f64 f32}; do
        graph "$dtype" "$einsum" "$shapes"
        peer=$($bin/bench_peers gemm "$dtype" 4096 3 2)
        one=$(run 1 2)
        [ "$flops" != - ] && count=$flops || count=$(number flops "$work/r.json")
        two=$(run 2 1)
        awk -v n="$name" -v d="$dtype" -v p="$peer" -v a="$one" -v b="$two" \
            "BEGIN {f = $count; r = 2 * 4096^3 / p / 1e9; x = f / a / 1e9; y = f / b / 1e9
             printf \"%-20s %5s %9.1f %12.1f %6.2f %12.1f %6.2f\n\", n, d, r, x, x / r, y, y / r}"
    done
done <<< "$rows"
