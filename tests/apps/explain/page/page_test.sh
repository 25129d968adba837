#!/usr/bin/env bash
# The page's script, tried by node where there is one: page_test.sh BIN_FOLDER EXAMPLES_FOLDER
set -euo pipefail
bin=$1 examples=$2 here=$(dirname "$0")
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
"$bin/eintool" make llama --layers 6 -o "$work/llama.json"
# Repeats inside of repeats: four times a product, then fourteen steps in a chain that all read a mask beside it.
awk 'BEGIN {
    print "{\"eingraph\": 1, \"name\": \"nested\", \"dtype\": \"f64\", \"tensors\": {"
    print "\"x\": {\"shape\": [8, 8], \"data\": {\"random\": \"normal\", \"seed\": 1}}}, \"nodes\": ["
    print "{\"name\": \"mask\", \"einsum\": \"ij->ji\", \"inputs\": [\"x\"]}"
    last = "x"
    for (l = 0; l < 4; ++l) {
        first = "l" l "/m"
        printf ",{\"name\": \"%s\", \"einsum\": \"ij,jk->ik\", \"inputs\": [\"%s\", \"%s\"]}\n", first, last, last
        last = first
        for (k = 0; k < 14; ++k) {
            name = "l" l "/t" k
            printf ",{\"name\": \"%s\", \"einsum\": \"ij,ij,ij->ij\", \"join\": \"tanh(x)+y*z\", ", name
            printf "\"inputs\": [\"%s\", \"mask\", \"%s\"]}\n", last, first
            last = name
        }
    }
    print "], \"outputs\": [\"" last "\"]}"
}' > "$work/nested.json"
# A sparse tensor whose first rows list far more than the others, and one that is made dense.
cat > "$work/uneven.json" << 'GRAPH'
{"eingraph": 1, "name": "uneven", "dtype": "f64",
 "tensors": {"full": {"shape": [8, 4000], "sparse": true, "data": {"random": "normal", "density": 0.9, "seed": 1}},
             "few": {"shape": [8, 4000], "sparse": true, "data": {"random": "normal", "density": 0.01, "seed": 2}},
             "x": {"shape": [4000, 200], "data": {"random": "normal", "seed": 3}}},
 "nodes": [{"name": "A", "op": "concat", "inputs": ["full", "few"], "axis": 0, "sparse": true},
           {"name": "y", "einsum": "ij,jk->ik", "inputs": ["A", "x"]},
           {"name": "z", "einsum": "ij->i", "inputs": ["A"], "join": "exp(x)"}],
 "outputs": ["y", "z"]}
GRAPH
for graph in "$work/llama.json" "$work/nested.json" "$work/uneven.json" "$examples"/*.json; do
    counts=8
    if [ "$graph" = "$work/nested.json" ]; then counts="1 8"; fi
    if grep -q '"mesh"' "$graph"; then counts=4; fi
    for ranks in $counts; do
        "$bin/einplan" "$graph" -n $ranks --explain=html -q -o "$work/page.sched"
        node "$here/page_test.js" "$work/page.html" || { echo "FAILED: the page of $graph for $ranks ranks"; exit 1; }
    done
done
