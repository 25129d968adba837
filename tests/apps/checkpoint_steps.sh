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
    # Ranks that stop or refuse do so together, and say why before any leaves: then mpirun need not wait a second or two
    # for others to obey. Where a rank fails alone it must.
    case "$out $*" in
        *--stop-at* | refused*) local -x OMPI_MCA_odls_base_sigkill_timeout=0 ;;
    esac
    timeout 120 "$mpiexec" "$flag" "$ranks" "$bin/einrun" "$schedule" --threads 1 --quiet "${always[@]}" \
        --out "$out" "$@" 2> said
}

# ranks_here SIGNAL: to those that run in this folder.
ranks_here() {
    local rank
    for rank in $(pgrep -x einrun); do
        [ "$(readlink "/proc/$rank/cwd")" != "$(pwd -P)" ] || kill "-$1" "$rank" 2> /dev/null
    done
}

# kill_when CONDITION RANKS SCHEDULE OUT OPTIONS...: a run that saves into ckpt is killed when the condition holds of a
# checkpoint that it has saved: that one stays, however busy the machine is. @return whether it came there
kill_when() {
    local condition=$1 before job killed=1; shift
    before=$(echo ckpt/0*)
    run "$@" --checkpoint ckpt --every 0.02s & job=$!
    holds() { [ "$(echo ckpt/0*)" != "$before" ] && eval "$condition" 2> /dev/null; }
    while kill -0 $job 2> /dev/null; do
        if holds; then
            ranks_here STOP
            if holds; then killed=0; ranks_here KILL; break; fi
            ranks_here CONT
        fi
        sleep 0.02
    done
    wait $job 2> /dev/null
    return $killed
}
