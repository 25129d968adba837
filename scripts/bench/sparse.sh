#!/usr/bin/env bash
# Works on sparse tensors in f64, on one rank of two threads and on two ranks of one, with SciPy (one thread: it has no
# more; processor time) and SuiteSparse:GraphBLAS (two threads), in turns. A row whose peer is missing says so.
# Usage: scripts/bench/sparse.sh [WORK...]   (five minutes; 6 GiB)
set -euo pipefail
if [ "${1:-}" = -h ]; then sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; fi
cd "$(dirname "$0")/../.."
source scripts/bench/lib.sh

# Work|unit|factor from seconds to it|targets: of SciPy's figure over ours, or of our figure where it is none of a
# ratio, and of GraphBLAS's over ours
works='pagerank|ms|1000|<=10|-
pagerank-large|ms|1000|>=1.5|-
spmv|ms|1000|-|-
spmm|ms|1000|>=2|>=3
spgemm|ms|1000|>=5|-
spgemm-thin|ms|1000|-|-
sddmm|ms|1000|>=5|-
sddmm-apart|ms|1000|>=5|-
mttkrp|ms|1000|-|-
add|ms|1000|-|-
multiply|ms|1000|-|-
factorization|ms|1000|<=200|-'

scipy() { /usr/bin/python3 scripts/bench/sparse_scipy.py "$1" | awk '{print $2 / 1000}'; }
graphblas() { "$bin/bench_graphblas" 2 "${1%-apart}" 2> /dev/null | awk '{print $2 / 1000} END {exit NR == 0}'; }
ours() { run "$1" "$2" "$3" 5; }

environment
header
while IFS='|' read -r work_name unit factor target wanted; do
    if [ $# -gt 0 ] && [[ " $* " != *" $work_name "* ]]; then continue; fi
    /usr/bin/python3 scripts/bench/sparse_graphs.py "$work_name" > "$work/$work_name.json"
    for layout in 1x2 2x1; do
        ranks=${layout%x*} threads=${layout#*x}
        plan "$work_name" "$ranks"
        REPEATS=${REPEATS:-3} alternate "einrun=ours $work_name $ranks $threads" "scipy=scipy $work_name" \
            "graphblas=graphblas $work_name"
        mine=$(calc "${seconds[einrun]} * $factor") theirs=$(calc "${seconds[scipy]} * $factor")
        if [[ $target == "<="* ]]; then
            row "$work_name" f64 "$layout" "$unit" "$mine" - "$theirs" "" "$target"
        else
            row "$work_name" f64 "$layout" "$unit" "$mine" SciPy "$theirs" "$(calc "$theirs / $mine")" "$target"
        fi
        theirs=$(calc "${seconds[graphblas]} * $factor")
        row "$work_name" f64 "$layout" "$unit" "$mine" GraphBLAS "$theirs" "$(calc "$theirs / $mine")" "$wanted"
    done
done <<< "$works"
