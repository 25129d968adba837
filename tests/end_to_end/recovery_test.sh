#!/usr/bin/env bash
# Kills processes of "eintool run --checkpoint" at random moments; results must have the bits of an undisturbed run:
#   recovery_test.sh BIN_FOLDER [SEED]
# What is killed: a rank, mpirun (the job is tried again by itself); eintool (the same command is given again); SIGTERM
# to eintool (code 75, the same command again). In the end nothing of the job may be left, neither processes nor files.
# Then another number of ranks goes on from a checkpoint: results are compared within rounding.
# shellcheck disable=SC2016  # texts for eval
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=$(realpath "$1") seed=${2:-1}
RANDOM=$seed
work=$(realpath "$(mktemp -d)"); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
about=" (seed $seed)"
# shellcheck source=tests/end_to_end/awaiting.sh
source "$here/awaiting.sh"

# A loop between nodes that are no loop, of which each turn takes long enough to be interrupted.
cat > g.json << 'JSON'
{"eingraph": 1, "dtype": "f64",
 "tensors": {"A": {"shape": [300, 300], "data": {"random": "uniform", "low": 0, "high": 0.01, "seed": 1}},
             "x": {"shape": [300, 300], "data": {"random": "uniform", "seed": 2}}},
 "nodes": [{"name": "B", "einsum": "ij,jk->ik", "inputs": ["A", "A"]},
           {"name": "it", "loop": {"times": 3000, "carry": {"x": "y"},
             "body": [{"name": "z", "einsum": "ij,jk->ik", "inputs": ["B", "x"]},
                      {"name": "y", "einsum": "ij->ij", "join": "x / (1 + x)", "inputs": ["z"]}]}},
           {"name": "C", "einsum": "ij,jk->ik", "inputs": ["it/x", "A"]}],
 "outputs": ["C", "it/x"]}
JSON
"$bin/eintool" run g.json -n 3 -q --out "$work/right" || fail "the undisturbed run ended with $?"

ranks() { pgrep -f "einrun .*--out $work/job" | while read -r pid; do
    [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = einrun ] && echo "$pid"; done; true; }
job() { "$bin/eintool" run g.json -n 3 -q --out "$work/job" --checkpoint "$work/D" --every 1s > log 2>&1 & tool=$!; }
same_bits() {
    for file in C it.x; do cmp "right/$file.npy" "job/$file.npy" || fail "$1: $file has other bits"; done
    [ -z "$(find job D -name '*.partial-*' 2> /dev/null)" ] || fail "$1: left $(find job D -name '*.partial-*')"
    await '[ -z "$(ranks)" ]' 60
}

for victim in rank mpirun eintool stopped; do
    hits=0
    for round in 1 2 3; do
        rm -rf job D
        for _ in 1 2 3; do
            job
            await '[ "$(ranks | wc -l)" = 3 ] || ! kill -0 $tool 2> /dev/null' 60
            sleep "$((RANDOM % 4)).$((RANDOM % 10))"
            case $victim in
                rank) kill -9 "$(ranks | shuf -n 1 --random-source=<(yes "$RANDOM"))" 2> /dev/null ;;
                mpirun) pkill -9 -x mpirun -P $tool ;;
                eintool) kill -9 $tool 2> /dev/null ;;
                stopped) kill -TERM $tool 2> /dev/null ;;
            esac
            wait $tool; code=$?
            if [ "$code" != 0 ] || grep -q "eintool: retry" log; then hits=$((hits + 1)); fi
            [ "$code" = 0 ] && break
            case "$victim $code" in
                "eintool 137" | "stopped 75") await '[ -z "$(ranks)" ]' 60 ;;
                *) fail "$victim, round $round: code $code: $(cat log)"; break ;;
            esac
        done
        [ "$code" = 0 ] || { job; wait $tool || fail "$victim, round $round: the last try: $(cat log)"; }
        same_bits "$victim, round $round"
    done
    [ $hits -gt 0 ] || fail "$victim: expected that something was killed while it ran, found that nothing was"
done

# Fewer ranks go on from a checkpoint.
rm -rf job D
job
await '[ -d D/000001 ] || ! kill -0 $tool 2> /dev/null' 60
kill -TERM $tool; wait $tool; code=$?
[ $code = 75 ] || fail "expected code 75, found $code: $(cat log)"
"$bin/einplan" --resume D -n 2 -o rest.sched -q --decompose eindecomp || fail "einplan --resume ended with $?"
mpirun -n 2 "$bin/einrun" rest.sched -q --out job || fail "the rest ended with $?"
"$bin/eintool" diff right job || fail "two ranks that went on have another result"
exit $failed
