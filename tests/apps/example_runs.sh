#!/usr/bin/env bash
# Graphs of examples/ go through all three programs, placed in several ways, and each run agrees with the reference and
# what was predicted.
# Usage: example_runs.sh BIN EXAMPLES MPIEXEC COUNT_FLAG PLACES GRAPH...
set -euo pipefail
bin=$1 examples=$2 mpiexec=$3 flag=$4 places=$5
shift 5
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
number() { grep -o "\"$1\": *[0-9]*" report.json | head -1 | grep -o '[0-9]*$'; }
for name in "$@"; do
    graph=$examples/$name.json
    "$bin/eintool" validate "$graph"
    # Sums in another order, one iteration after another, and differences of what they give: --verify knows what
    # rounding may do.
    loosely=""
    if grep -q '"loop"' "$graph" && grep -q '^{.*"dtype": "f64"' "$graph"; then loosely="--tolerance 1e-9"; fi
    rm -rf expected; "$bin/eintool" eval "$graph" --out expected > /dev/null
    counts="1 2 3 4 5 7"
    if grep -q '"mesh"' "$graph"; then counts=4; fi
    for ranks in $counts; do for place in $places; do
        "$bin/einplan" "$graph" -n "$ranks" --decompose eindecomp --place "$place" -o t.sched > /dev/null
        "$bin/eintool" show t.sched > /dev/null
        "$mpiexec" "$flag" "$ranks" "$bin/einrun" t.sched --verify --repeat 2 --report report.json --out run \
            > said 2>&1 || { cat said; exit 1; }
        grep -q ", 0 differ" said || { echo "$name, ranks $ranks:"; cat said; exit 1; }
        [ "$(number bytes_sent)" = "$(number bytes_predicted)" ] ||
            { echo "$name, ranks $ranks: other bytes than predicted"; cat report.json; exit 1; }
        for output in expected/*.npy; do
            # shellcheck disable=SC2086
            "$bin/eintool" diff "$output" "run/$(basename "$output")" $loosely > said ||
                { echo "$name, ranks $ranks, $output:"; cat said; exit 1; }
        done
    done; done
done
