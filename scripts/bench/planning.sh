#!/usr/bin/env bash
# How long planning takes, and how much memory, schedules written: LLaMA-65B (80 layers, to its first token) on more and
# more ranks, and chains of more and more products, whose time should grow as they do. Nothing is run.
# Usage: planning.sh [BIN_FOLDER]
set -euo pipefail
bin=${1:-build/bin}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

# chain NODES: X = relu(X W), with a weight of its own for every 100 nodes and a residual sum every fifth node
chain() {
    awk -v nodes="$1" 'BEGIN {
        printf "{\"eingraph\": 1, \"name\": \"chain\","
        printf " \"tensors\": {\"X\": {\"shape\": [512, 1024], \"dtype\": \"f32\"}"
        for (w = 0; w < nodes / 100; ++w) printf ", \"W%d\": {\"shape\": [1024, 1024], \"dtype\": \"f32\"}", w
        printf "}, \"nodes\": ["
        before = last = "X"
        for (n = 0; n < nodes; ++n) {
            if (n % 5 == 4)
                printf ",\n{\"name\": \"N%d\", \"einsum\": \"ij,ij->ij\", \"inputs\": [\"%s\", \"%s\"], %s}", \
                    n, last, before, "\"join\": \"max(x + y, 0)\""
            else
                printf "%s\n{\"name\": \"N%d\", \"einsum\": \"ij,jk->ik\", \"inputs\": [\"%s\", \"W%d\"]}", \
                    n ? "," : "", n, last, n / 100
            before = last; last = "N" n
        }
        printf "],\n\"outputs\": [\"%s\"]}\n", last
    }'
}

# row NAME GRAPH RANKS: wall and processor seconds, GiB at the most, tasks
row() {
    local seconds
    seconds=$(TIMEFORMAT='%R %U'; { time "$bin/einplan" "$2" -n "$3" -o "$work/s.sched" > "$work/summary"; } 2>&1)
    printf '| %s | %s | %.1f | %.1f | %s | %s |\n' "$1" "$3" $seconds \
        "$(awk '/^  tasks/ { print $2 }' "$work/summary")" "$(du -h "$work/s.sched" | cut -f1)"
}

printf '| graph | ranks | seconds | of processor | tasks | schedule |\n|---|--:|--:|--:|--:|--:|\n'
"$bin/eintool" make llama --size 65b -o "$work/llama.json"
for ranks in 8 64 256 1024; do row "LLaMA-65B" "$work/llama.json" $ranks; done
for nodes in 12500 25000 50000 100000; do
    chain $nodes > "$work/chain.json"
    row "chain of $nodes nodes" "$work/chain.json" 16
done
