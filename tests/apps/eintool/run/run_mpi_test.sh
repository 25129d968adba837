#!/usr/bin/env bash
# "eintool run" with the real einplan, mpirun and einrun: results are those of planning and launching by hand, and
# whoever is killed, neither a process nor a partial file of the job is left: run_mpi_test.sh BIN_FOLDER
# shellcheck disable=SC2016,SC2317  # texts for eval
set -uo pipefail
bin=$(realpath "$1")
work=$(realpath "$(mktemp -d)"); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAILED: $*"; failed=1; }
await() {
    for _ in $(seq 600); do eval "$1" && return 0; sleep 0.05; done
    fail "waited 30 s for: $1"
}

graph() {
    cat << JSON
{"eingraph": 1, "dtype": "f64",
 "tensors": {"A": {"shape": [60, 60], "data": {"random": "uniform", "low": 0, "high": 0.01, "seed": 1}},
             "x": {"shape": [60, 60], "data": {"random": "uniform", "seed": 2}}},
 "nodes": [{"name": "it", "loop": {"times": $1, "carry": {"x": "y"},
   "body": [{"name": "z", "einsum": "ij,jk->ik", "inputs": ["A", "x"]},
            {"name": "y", "einsum": "ij->ij", "join": "x / (1 + x)", "inputs": ["z"]}]}}],
 "outputs": ["it/x"]}
JSON
}
graph 3 > short.json
graph 100000000 > long.json

"$bin/einplan" short.json -n 3 --decompose eindecomp -q
mpirun -n 3 "$bin/einrun" short.sched -q --out by-hand || fail "by hand"
rm short.sched
"$bin/eintool" run short.json -n 3 --decompose eindecomp -q --out run --report r.json ||
    fail "eintool run ended with $?"
cmp by-hand/it.x.npy run/it.x.npy || fail "another result"
"$bin/eintool" run nothing.json -n 2 > log 2>&1; [ $? = 3 ] || fail "a missing graph: $(cat log)"
"$bin/eintool" run short.json -n 2 --input none=x.npy > log 2>&1; code=$?
[ $code = 3 ] || [ $code = 2 ] || fail "an unknown input: code $code: $(cat log)"
[ "$(find . -name '.*' -type f)" = "" ] || fail "left over: $(find . -name '.*' -type f)"

of_job() { pgrep -f "$work/job" || true; }   # the folder of results stands in the command lines of mpirun and ranks
ranks() { pgrep -f "einrun .*--out $work/job" | while read -r pid; do
    [ "$(cat "/proc/$pid/comm" 2> /dev/null)" = einrun ] && echo "$pid"; done; true; }
writing() { compgen -G "$work/job/.it.x.npy.partial-*" > /dev/null; }
for victim in eintool mpirun rank; do
    "$bin/eintool" run long.json -n 3 --decompose eindecomp -q --out "$work/job" > log 2>&1 &
    tool=$!
    await 'writing && [ "$(ranks | wc -l)" = 3 ]'
    mpirun=$(pgrep -P $tool -x mpirun)
    case $victim in
        eintool) kill -9 $tool ;;
        mpirun) kill -9 "$mpirun" ;;
        rank) kill -9 "$(ranks | head -n 1)" ;;
    esac
    wait $tool; code=$?
    [ $code = 137 ] || fail "$victim is killed: expected code 137, found $code: $(cat log)"
    await '[ -z "$(of_job)" ]'
    [ ! -d "/proc/$mpirun" ] || await '[ ! -d "/proc/$mpirun" ]'
    [ -z "$(ls -A job)" ] || fail "$victim is killed: left in the results: $(ls -A job)"
done
grep -q "was ended by signal 9 (Killed); mpirun ended with code 137" log ||
    fail "who was killed is not said: $(cat log)"
"$bin/eintool" run long.json -n 3 --decompose eindecomp -q --out "$work/job" > log 2>&1 &
tool=$!
await 'writing && [ "$(ranks | wc -l)" = 3 ]'
kill -TERM $tool
wait $tool; code=$?
[ $code != 0 ] || fail "SIGTERM: expected another code than 0"
[ -z "$(of_job)$(ls -A job)" ] || fail "SIGTERM: left $(of_job) $(ls -A job)"
[ -z "$(find . -maxdepth 1 -name '.*.partial-*')" ] || fail "a schedule of a killed run is still there"
exit $failed
