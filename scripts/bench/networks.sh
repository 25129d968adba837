#!/usr/bin/env bash
# Orders of contraction networks: ours beside published ones, planned by einplan as a user would.
# Usage: scripts/bench/networks.sh [NAME...]   (default: all; needs build/bin and python3)
# Columns: operands; operations of our order and of the reference (log2); their ratio; elements of the largest result
# (log2) of both; seconds of einplan in all; with MEMORY set (as MEMORY=4GiB) slices and what slicing costs.
# References: einsum_benchmark's metadata.csv (the better of its two orders), for instances that are made again exactly;
# OMEinsumContractionOrdersBenchmark's summary (best of all its optimizers), for random graphs of the same kind: there
# the table shows three seeds. Where nothing is published: - .
set -euo pipefail
cd "$(dirname "$0")/../.."
bin=$PWD/build/bin
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
python3 scripts/bench/networks.py "$work" "$@"
printf '%-20s %8s %9s %9s %7s %9s %9s %8s %10s %9s\n' instance operands ours published ratio largest published \
    seconds slices overhead
for file in "$work"/*.json; do
    name=$(basename "$file" .json)
    began=$(date +%s.%N)
    if ! "$bin/einplan" "$file" -n 1 --explain=json --limit 1e30 ${MEMORY:+--memory $MEMORY} \
        > "$work/out" 2> "$work/err"
    then
        printf '%-20s %s\n' "$name" "$(tail -n 1 "$work/err" | cut -c 1-160)"
        continue
    fi
    ended=$(date +%s.%N)
    python3 - "$file" "$work/out" "$(echo "$ended $began" | awk '{ print $1 - $2 }')" "$name" << 'END'
import json, math, sys
graph, plan = (json.load(open(name)) for name in sys.argv[1:3])
order = (plan["contractions"] or [{}])[0]
flops, size = graph.get("x-reference", [None, None])
ours = math.log2(order.get("unsliced_operations", plan["flops"]))
text = lambda value: "-" if value is None else f"{value:.2f}"
print(f"{sys.argv[4]:20} {len(graph['tensors']):8} {ours:9.2f} {text(flops):>9} "
      f"{'-' if flops is None else f'{2 ** (ours - flops):.2f}':>7} "
      f"{math.log2(order.get('unsliced_largest_elements', 1)):9.1f} {text(size):>9} {float(sys.argv[3]):8.2f} "
      f"{order.get('slices', 1):10.3g} {order.get('operations', 1) / order.get('unsliced_operations', 1):9.2f}")
END
done
