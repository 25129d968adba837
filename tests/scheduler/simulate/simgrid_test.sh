#!/usr/bin/env bash
# The replay of a schedule in SimGrid (scripts/bench/simgrid.cpp) takes the seconds that one can work out by hand.
# Usage: simgrid_test.sh BIN    (77: the build has no SimGrid)
set -euo pipefail
bin=$1
[ -x "$bin/bench_simgrid" ] || exit 77
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT

# Rank 0 has all of X, rank 1 wants the half of it, 4 million elements of 4 bytes.
cat > "$work/graph.json" << 'END'
{"eingraph": 1, "name": "half", "dtype": "f32", "tensors": {"X": {"shape": [4000, 2000]}},
 "nodes": [{"name": "Y", "einsum": "ij->ij", "inputs": ["X"], "join": "2*x"},
           {"name": "Z", "einsum": "ij->ij", "inputs": ["Y"], "join": "x + 1"}],
 "outputs": ["Z"], "parts": {"Y": {"i": 1, "j": 1}, "Z": {"i": 2, "j": 1}}}
END
# cluster LATENCY EAGER PER_MESSAGE
cluster() {
    cat > "$work/cluster.json" << END
{"ranks_per_node": 1, "threads": 1, "operations_per_second": 1e9, "bytes_per_second": 1e15, "copied_per_second": 1e15,
 "seconds_per_task": 0, "between": {"bandwidth": 1e9, "latency": "$1", "per_message": $3}, "eager": $2}
END
}
status=0
# expect WHAT LEAST MOST: seconds of SimGrid
expect() {
    "$bin/einplan" "$work/graph.json" -n 2 --cluster "$work/cluster.json" -q -o "$work/schedule" --decompose eindecomp
    "$bin/bench_simgrid" "$work/schedule" "$work/cluster.json" > "$work/found"
    awk -v what="$1" -v least="$2" -v most="$3" '{
        if ($4 >= least && $4 <= most && $2 >= 1) exit 0
        print what ": expected " least " to " most " s, found " $4 " (" $2 " messages)"
        exit 1 }' "$work/found" || status=1
}
# 8 ms of Y, 16 ms of 16 MB, 4 ms of half of Z; a few messages of the half, the last of which hides nothing.
cluster 0s 16777216 0
expect "no latency" 0.0279 0.0285
cluster 100ms 16777216 0
expect "a latency" 0.1279 0.1290
cluster 100ms 0 0
expect "a request, an answer and a latency" 0.3279 0.3290
exit $status
