# What tests of checkpoints have in common, sourced by them: bin, mpiexec and flag are set; a folder to work in, which
# goes with them, a count of failures, and runs.
# shellcheck shell=bash disable=SC2034,SC2154

work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAILED: $*"; failed=1; }

# run RANKS SCHEDULE OUT OPTIONS...; `always` are options of every run.
always=()
run() {
    local ranks=$1 schedule=$2 out=$3; shift 3
    timeout 120 "$mpiexec" "$flag" "$ranks" "$bin/einrun" "$schedule" --threads 1 --quiet "${always[@]}" \
        --out "$out" "$@" 2> said
}
