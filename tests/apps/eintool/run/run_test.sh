#!/usr/bin/env bash
# What "eintool run" does after each end of a job: run_test.sh BIN_FOLDER
# Launcher, einplan and einrun are fakes that end as they are told, so that nothing here depends on MPI or on time.
# shellcheck disable=SC2016  # texts for other shells
set -uo pipefail
set -m   # what runs in the background hears SIGINT
here=$(cd "$(dirname "$0")" && pwd) bin=$(realpath "$1")
work=$(realpath "$(mktemp -d)"); trap 'rm -rf "$work"' EXIT
failed=0
fail() { echo "FAILED: $*"; failed=1; }
# shellcheck source=tests/apps/eintool/run/fake_programs.sh
source "$here/fake_programs.sh"
make_fakes "$bin"
tool=$work/bin/eintool

# expect CODE LAUNCHES TEXT WORDS...: eintool run ends with CODE after so many launches, and says TEXT
expect() {
    local code=$1 count=$2 text=$3 got; shift 3
    "$tool" run "$@" > log 2>&1; got=$?
    [ "$got" = "$code" ] || fail "$*: expected code $code, found $got: $(cat log)"
    [ "$(launches)" = "$count" ] || fail "$*: expected $count launches, found $(launches): $(cat calls log)"
    [ -z "$text" ] || grep -qF -- "$text" log || fail "$*: expected '$text' in: $(cat log)"
}
called() { grep -qE -- "$1" calls || fail "expected a call like '$1', found: $(cat calls)"; }

# Ends that are passed on at once.
for code in 2 3 4 5 75; do
    afresh; echo "exit $code" > launch
    expect $code 1 "" g.json -n 2 --checkpoint D
done
afresh; echo 'exit 0' > launch
expect 0 1 "" g.json -n 2 --checkpoint D --threads 3 --parts 4 -- --tag-output
called '^einplan g.json -n 2 -o D/eintool.sched --quiet --parts 4$'
called '^mpirun -n 2 --tag-output [^ ]*/einrun D/eintool.sched --threads 3 --checkpoint D$'
[ -z "$(ls -A D)" ] || fail "expected nothing left in D, found $(ls -A D)"

# Without --checkpoint there is one try, and nothing but results is left.
afresh; echo 'kill -9 $$' > launch
expect 137 1 "mpirun ended with code 137 (signal 9, Killed)" g.json -n 2
[ -z "$(find . -maxdepth 1 -name '*.sched*')" ] || fail "a schedule was left"
expect 2 1 "add it" g.json -n 2 --shrink
afresh; echo 'exit 0' > launch
expect 0 1 "" g.json -n 2 -o kept.sched
[ -f kept.sched ] || fail "the schedule of -o was not kept"
afresh; echo 'exit 0' > launch
"$tool" run - -n 2 < g.json > log 2>&1 || fail "a graph from stdin: $(cat log)"
called '^einplan - -n 2 -o \.graph\.sched\.partial-'

# Failures without progress: twice again, then the first failure's code, and who failed is said.
afresh
message="mpirun noticed that process rank 1 with PID 5 on node n2 exited on signal 9 (Killed)."
echo "echo '$message' >&2; exit 137" > launch-1
echo 'exit 1' > launch
expect 137 3 "eintool: rank 1 on n2 was ended by signal 9 (Killed); mpirun ended with code 137" \
    g.json -n 2 --checkpoint D
grep -qF "retry 2, from the beginning" log || fail "expected retry 2 in: $(cat log)"
grep -qF "giving up: 2 retries made no progress up to a first checkpoint; code 137" log ||
    fail "no reason in: $(cat log)"
[ "$(grep -c ^einplan calls)" = 1 ] || fail "planned again for a retry: $(cat calls)"

# As long as there are new checkpoints it goes on; --retries is a limit to that.
afresh
echo 'mkdir -p $D/00000$K; [ $K -lt 6 ] || exit 0; kill -9 $$' > launch
expect 0 6 "retry 5, from checkpoint 000005" g.json -n 2 --checkpoint D
[ -f D/eintool.json ] || fail "what was planned is forgotten while a checkpoint is there"
afresh
echo 'mkdir -p $D/00000$K; exit 9' > launch
expect 9 3 "giving up: 2 retries are used up" g.json -n 2 --checkpoint D --retries 2

# A second command goes on with the schedule of the first, one for something else plans.
afresh
echo 'mkdir -p $D/000001; exit 75' > launch
expect 75 1 "stopped with checkpoint 000001" g.json -n 2 --checkpoint D
expect 75 2 "" g.json -n 2 --checkpoint D
[ "$(grep -c ^einplan calls)" = 1 ] || fail "planned again though nothing changed: $(cat calls)"
expect 75 3 "" g.json -n 2 --checkpoint D --parts 8
[ "$(grep -c ^einplan calls)" = 2 ] || fail "not planned again for other options: $(cat calls)"

# A fault of planning ends it.
afresh; echo 'exit 4' > plan; echo 'exit 0' > launch
expect 4 0 "" g.json -n 2 --checkpoint D

# Hosts that do not answer are left out, the rest is planned for fewer ranks, and again for all when they are back.
afresh
printf 'a slots=2\nb slots=1\n' > hosts
echo '[[ "$*" == *"--host a"* ]] || exit 1; exit 0' > check
echo 'mkdir -p $D/000001; exit 205' > launch-1
echo 'exit 75' > launch
expect 75 2 "host b does not answer" g.json -n 3 --checkpoint D --shrink -- --hostfile hosts
called '^einplan --resume D -n 2 -o D/eintool.sched --quiet$'
called '^mpirun -n 2 --hostfile D/eintool.hosts '
[ "$(cat D/eintool.hosts)" = "a slots=2" ] || fail "expected host a alone, found $(cat D/eintool.hosts)"
expect 75 3 "3 ranks again" g.json -n 3 --checkpoint D --shrink -- --hostfile hosts
called '^einplan --resume D -n 3 '
afresh
printf 'a\nb\n' > hosts
echo '[[ "$*" == *"--host a"* ]] || exit 1; exit 0' > check
echo 'exit 205' > launch-1; echo 'exit 0' > launch
expect 0 2 "planning the graph for 1 rank" g.json -n 2 --checkpoint D --shrink --plan-in p.json -- --hostfile hosts
called '^einplan g.json -n 1 -o D/eintool.sched --quiet$'
afresh; echo 'exit 1' > check; echo 'exit 205' > launch-1; echo 'exit 0' > launch
expect 0 2 "no host answers" g.json -n 2 --checkpoint D --shrink -- --host a,b

# Inside a Slurm job it is srun, with the nodes that are left.
afresh
export SLURM_JOB_ID=7 SLURM_JOB_NODELIST='n[1-2]' SLURM_TASKS_PER_NODE='2(x2)' SLURM_CPUS_PER_TASK=3
echo '[[ "$*" == *"--nodelist=n1"* ]] || exit 1; exit 0' > check
echo 'exit 137' > launch-1
echo 'echo "threads $SRUN_CPUS_PER_TASK sync $OMPI_MCA_orte_allowed_exit_without_sync" >&2; exit 0' > launch
expect 0 2 "threads 3 sync 1" g.json -n 4 --checkpoint D --shrink
called '^srun --mpi=pmix .*--ntasks=4 [^ ]*/einrun'
called '^srun --mpi=pmix .*--ntasks=2 --nodelist=n1 --nodes=1 [^ ]*/einrun'
unset SLURM_JOB_ID SLURM_JOB_NODELIST SLURM_TASKS_PER_NODE SLURM_CPUS_PER_TASK

# Signals. begin WORDS...: eintool run in the background, until its launcher runs
begin() { "$tool" run "$@" > log 2>&1 & pid=$!; await '[ -f ready ]'; }
ended() { wait "$pid"; code=$?; [ "$code" = "$1" ] || fail "expected code $1, found $code: $(cat log)"; rm -f ready; }
wait_for_signals='trap "echo USR1 >> got; mkdir -p D/000001; exit 75" USR1; trap "echo TERM >> got; exit 143" TERM
trap "echo INT >> got; exit 130" INT; touch ready; for k in $(seq 400); do sleep 0.05; done'
for signal in USR1 TERM HUP; do
    afresh; rm -f got; echo "$wait_for_signals" > launch
    begin g.json -n 2 --checkpoint D; kill -$signal $pid; ended 75
    [ "$(cat got)" = USR1 ] || fail "$signal with checkpoints: expected USR1 to the launcher, found $(cat got)"
done
for signal in TERM INT; do
    afresh; rm -f got; echo "$wait_for_signals" > launch
    begin g.json -n 2; kill -$signal $pid
    if [ $signal = TERM ]; then ended 143; else ended 130; fi
    [ "$(cat got)" = $signal ] || fail "$signal: expected it to reach the launcher, found $(cat got)"
done
afresh; rm -f got
echo 'trap "echo USR1 >> got" USR1; trap "echo TERM >> got; exit 143" TERM
touch ready; while :; do sleep 0.05; done' > launch
begin g.json -n 2 --checkpoint D
kill -TERM $pid; await '[ -s got ]'; kill -TERM $pid; ended 143
[ "$(launches)" = 1 ] || fail "tried again after signals: $(cat log)"

# Whoever is killed: no process of the job is left. The fake's rank ignores SIGTERM and has a session of its own.
rank="setsid bash -c 'trap \"\" TERM; echo \$\$ > rank; exec sleep 300' & until [ -s rank ]; do sleep 0.05; done"
is_gone() { [ ! -d "/proc/$1" ] || grep -q '^State:.*Z' "/proc/$1/status" 2> /dev/null; }
afresh; rm -f rank; echo "$rank"'; kill -9 $$' > launch
expect 137 1 "ended 1 processes that the launcher had left" g.json -n 2
is_gone "$(cat rank)" || fail "the rank of a killed launcher is still there"
afresh; rm -f rank ready
echo "$rank"'; trap "kill -9 $(cat rank); touch tidy; exit 1" TERM; touch ready; while :; do sleep 0.05; done' > launch
begin g.json -n 2; kill -9 $pid; ended 137
await '[ -f tidy ]'; await 'is_gone "$(cat rank)"'

exit $failed
