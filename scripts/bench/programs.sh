#!/usr/bin/env bash
# Programs with loops, f64 on two ranks of one thread: seconds of execute (median of three) and bytes moved, beside the
# seconds of TensorPlanner on the same work, published by its own run on this kind of machine.
# Usage: scripts/bench/programs.sh   (a minute; 4 GiB)
set -euo pipefail
if [ $# -gt 0 ]; then sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; fi
cd "$(dirname "$0")/../.."
source scripts/bench/lib.sh

# Kind and sizes|bytes of what its loop does not change|TensorPlanner's seconds: the least and the most
programs='linear-regression 10000 5000 --iterations 10|8*10000*5000|6.0|11.2
network 4000 2000 1000 --iterations 2|8*4000*2000|5.4|5.4
factorization 3000 3000 1000 --iterations 2|8*3000*3000|37|47
pagerank 10000 --iterations 10 --tolerance 0|8*10000*10000|1.0|2.0'

environment
printf '%-44s %9s %12s %14s %14s %12s\n' program "einrun, s" "bytes moved" "invariant, B" "TensorPlanner" "times faster"
while IFS='|' read -r made invariant least most; do
    # shellcheck disable=SC2086
    "$bin/eintool" make $made --dtype f64 -o "$work/program.json"
    plan program 2
    time=$(run program 2 1 3 < /dev/null)
    printf '%-44s %9.2f %12.0f %14.0f %14s %12s\n' "$made" "$time" "$(number bytes_sent "$work/report.json")" \
        "$(calc "$invariant")" \
        "$least to $most" "$(awk -v t="$time" -v a="$least" -v b="$most" 'BEGIN {printf "%.0f to %.0f", a / t, b / t}')"
done <<< "$programs"
