#!/usr/bin/env bash
# A graph of tra nodes goes through all three programs, placed in two ways, and each run agrees with the judge. Usage: tra_runs.sh BIN EXAMPLES MPIEXEC COUNT_FLAG
set -euo pipefail
bin=$1 graph=$2/tensor-relations.json mpiexec=$3 flag=$4
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
"$bin/eintool" validate "$graph"
"$bin/eintool" eval "$graph" --out judged > /dev/null
for ranks in 1 2 3 4 5 7; do for place in best ia; do
    "$bin/einplan" "$graph" -n "$ranks" --place $place -o t.sched > /dev/null
    "$bin/eintool" show t.sched > /dev/null
    "$mpiexec" "$flag" "$ranks" "$bin/einrun" t.sched --verify --out run > told 2>&1 || { cat told; exit 1; }
    grep -q ", 0 differ" told || { echo "ranks $ranks:"; cat told; exit 1; }
    for output in judged/*.npy; do "$bin/eintool" diff "$output" "run/$(basename "$output")" > /dev/null; done
done; done
