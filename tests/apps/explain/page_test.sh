#!/usr/bin/env bash
# The page's script, tried by node where there is one: page_test.sh BIN_FOLDER EXAMPLES_FOLDER
set -euo pipefail
bin=$1 examples=$2 here=$(dirname "$0")
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
"$bin/eintool" make llama --layers 2 -o "$work/llama.json"
for graph in "$work/llama.json" "$examples"/*.json; do
    counts="1 8"
    if grep -q '"mesh"' "$graph"; then counts=4; fi
    for ranks in $counts; do
        "$bin/einplan" "$graph" -n $ranks --explain=html -q -o "$work/page.sched"
        node "$here/page_test.js" "$work/page.html" || { echo "FAILED: the page of $graph for $ranks ranks"; exit 1; }
    done
done
