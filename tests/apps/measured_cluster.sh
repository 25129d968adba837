#!/usr/bin/env bash
# Ranks measure their machine together; what they write is a cluster that einplan takes.
# Usage: measured_cluster.sh BIN EXAMPLES MPIEXEC
set -euo pipefail
bin=$1 examples=$2 mpiexec=$3
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
"$mpiexec" -n 3 "$bin/eintool" preflight > "$work/seen"
[ "$(grep -c '^  memory' "$work/seen")" = 1 ] && grep -q "3 ranks" "$work/seen" &&
    grep -q ", ranks 0-2$" "$work/seen" ||
    { cat "$work/seen"; exit 1; }
"$mpiexec" -n 3 "$bin/eintool" preflight --cluster-out "$work/measured.json" > "$work/found"
# It says what it finds besides; what others change left out.
lasting() { grep -v -e '^  memory' -e '^  disk' "$1"; }
diff <(lasting "$work/seen") <(lasting "$work/found" | sed '$d') &&
    [ "$(tail -n 1 "$work/found")" = "measured: $work/measured.json, for einplan --cluster" ] ||
    { cat "$work/found"; exit 1; }
python3 - "$work/measured.json" <<'CHECK'
import json, sys
cluster = json.load(open(sys.argv[1]))
assert cluster["ranks_per_node"] == 3 and cluster["threads"] == 1, cluster
assert cluster["flops_per_second"]["f64"] > 1e8, cluster
assert cluster["inside"]["bandwidth"] > 1e6 and cluster["inside"]["latency"] < 1, cluster
CHECK
"$bin/einplan" "$examples/first.json" -n 3 --decompose eindecomp --simulate --cluster "$work/measured.json" \
    -o "$work/s.sched" > "$work/planned"
grep -q "simulated on $work/measured.json" "$work/planned"
