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

# stop_when CONDITION RANKS SCHEDULE OUT OPTIONS...: a run that saves into ckpt, and is asked to stop when the condition
# holds of what it has saved. Sets `code`: 75 when it stopped; else it ended first, or never came there.
stop_when() {
    local condition=$1 before job rank; shift
    before=$(echo ckpt/0*)
    run "$@" --checkpoint ckpt --every 0.02s & job=$!
    until [ "$(echo ckpt/0*)" != "$before" ] && eval "$condition" 2> /dev/null || ! kill -0 $job 2> /dev/null
    do sleep 0.02; done
    for rank in $(pgrep -x einrun); do   # those of this folder alone
        [ "$(readlink "/proc/$rank/cwd")" != "$(pwd -P)" ] || kill -USR1 "$rank" 2> /dev/null
    done
    wait $job; code=$?
}
