#!/usr/bin/env bash
# Bytes that schedules move under each decomposition, a table a question; nothing is run.
# Usage: decompositions.sh [BIN_FOLDER]
# The questions are those of the EinDecomp paper: figure 11 (LLaMA-7B to its first token, sequences of 1024 and 4096,
# batches of 1, 4, 8) and figure 7 (chains of matrix products, square and skewed).
set -euo pipefail
bin=${1:-build/bin}
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

# moved GRAPH RANKS STRATEGY: GiB that all ranks together send, "*" where a rule leaves nodes with fewer calls
# than ranks
moved() {
    "$bin/einplan" "$1" -n "$2" --decompose "$3" -o "$work/s.sched" | awk -v ranks="$2" '
        /^  idle ranks/  { star = "*" }
        /^  bytes moved/ { gsub(/[()]/, ""); bytes = $5 }
        END              { printf "%.2f%s", bytes / 2^30, star }'
}

# table TITLE STRATEGIES RANKS: a row for each graph made as $work/NAME.json and each number of ranks
table() {
    local title=$1 strategies=$2 ranks=$3 graph n strategy
    printf '\n%s: GiB moved (* ranks stay idle)\n\n| graph | ranks |' "$title"
    for strategy in $strategies; do printf ' %s |' "$strategy"; done
    printf '\n|---|---|'
    for strategy in $strategies; do printf -- '--:|'; done
    printf '\n'
    for graph in "$work"/*.json; do
        for n in $ranks; do
            printf '| %s | %s |' "$(basename "$graph" .json)" "$n"
            for strategy in $strategies; do printf ' %s |' "$(moved "$graph" "$n" "$strategy")"; done
            printf '\n'
        done
    done
    rm -f "$work"/*.json
}

for sequence in 1024 4096; do
    for batch in 1 4 8; do
        "$bin/eintool" make llama --size 7b --sequence $sequence --batch $batch \
            -o "$work/sequence $sequence, batch $batch.json"
    done
done
table "LLaMA-7B, first token, f32" "eindecomp exact moved megatron sequence attention data" "2 4 8"

for s in 8000 16000; do
    "$bin/eintool" make matrix-chain $s -o "$work/square, s = $s.json"
    "$bin/eintool" make matrix-chain $s --skewed -o "$work/skewed, s = $s.json"
done
table "(A x B) + (C x (D x E)), f32" "eindecomp exact moved sqrt 3d summa 25d" "4 8 16 64"
