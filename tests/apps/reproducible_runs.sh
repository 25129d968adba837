#!/usr/bin/env bash
# Examples that are planned with --reproducible: einrun leaves the same files at every rank and thread count, however
# they are planned.
# Usage: reproducible_runs.sh BIN_FOLDER EXAMPLES_FOLDER MPIEXEC NUMPROC_FLAG RANKS EXAMPLE...
set -uo pipefail
bin=$1 examples=$2 mpiexec=$3 flag=$4 counts=$5; shift 5
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
failed=0
# The default runs small graphs on one rank; the others use all.
all="--decompose eindecomp"
options=("" "$all" "$all --parts 12" "--decompose sqrt" "$all --place round-robin" "$all --inputs shared"
    "--decompose data --place greedy")

# results RANKS THREADS FOLDER OPTIONS...: those of the graph, in FOLDER
results() {
    local ranks=$1 threads=$2 out=$3; shift 3
    "$bin/einplan" "$graph" -n "$ranks" --reproducible -q -o "$work/s.sched" "$@" || return
    "$mpiexec" "$flag" "$ranks" "$bin/einrun" "$work/s.sched" --reproducible --threads "$threads" \
        --quiet --log-level error --out "$out" --spill-dir "$work"
}

for example in "$@"; do
    graph=$examples/$example.json runs=0
    "$bin/einplan" "$graph" -n 2 --reproducible --explain=json > "$work/plan" 2> /dev/null
    grep -q '"reproducible": *true' "$work/plan" \
        || { echo "FAILED: --explain of $example does not say that it is reproducible"; failed=1; }
    results 1 1 "$work/first" || { echo "FAILED: $example does not run on one rank"; failed=1; continue; }
    for ranks in $counts; do
        for how in "${options[@]}"; do
            runs=$((runs + 1))
            # shellcheck disable=SC2086  # several words
            results "$ranks" $((1 + runs % 3)) "$work/other" $how \
                || { echo "FAILED: $example on $ranks ranks, $how"; failed=1; }
            diff -rq "$work/first" "$work/other" > "$work/differ" \
                || { echo "FAILED: $example on $ranks ranks, $how: $(cat "$work/differ")"; failed=1; }
            rm -rf "$work/other"
        done
    done
    budget=$("$bin/einplan" "$graph" -n 2 --decompose eindecomp --reproducible -o "$work/s.sched" \
        | sed -n 's/.*peak a rank.*(\([0-9]*\) bytes.*/\1/p')
    results 2 2 "$work/other" --decompose eindecomp --memory $((budget - budget / 20)); code=$?
    # 4: nothing is smaller
    if [ $code != 4 ] && ! diff -rq "$work/first" "$work/other"; then
        echo "FAILED: $example, in less than $budget bytes: exit $code"; failed=1
    fi
    rm -rf "$work/first" "$work/other"
done
exit $failed
