#!/usr/bin/env bash
# The scripts of "einplan --batch slurm", and eintool run --shrink, under a real Slurm: slurm_test.sh BIN_FOLDER
# Starts a cluster of this machine alone (slurm_here.sh); where that cannot be, says why and exits with 77. About eight
# minutes: time limits of Slurm are whole minutes.
# - A job whose time limit ends three times before its work does is requeued until it is done.
# - scancel --signal=USR1 saves and requeues; scancel --batch --signal=USR2 saves and ends with code 75.
# - A node that is set down in the middle is left out with --shrink.
# - What can never run, or not save, is said: more nodes than there are, fewer tasks than ranks, a limit that is short.
# Results have the bits of an undisturbed run; on fewer ranks they agree within rounding.
# shellcheck disable=SC2016  # texts for eval
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source=tests/end_to_end/slurm_here.sh
source "$here/slurm_here.sh"
[ $# -ge 1 ] || { sed -n '2,3s/^# //p' "$0" >&2; exit 2; }
missing=$(slurm_missing)
[ -z "$missing" ] || { echo "skipped: $missing"; exit 77; }
bin=$(realpath "$1")
export PATH=$bin:$PATH OMP_NUM_THREADS=1 OMPI_MCA_btl=self,tcp   # "nodes" that are one host
work=$(realpath "$(mktemp -d)"); chmod 755 "$work"   # munge wants it
cd "$work" || exit 1
trap 'slurm_stop "$work/slurm"; rm -rf "$work"' EXIT
slurm_start "$work/slurm" 4 || { echo "FAILED: no cluster: $(tail -n 5 "$work"/slurm/log/*.log)"; exit 1; }
# shellcheck source=tests/end_to_end/awaiting.sh
source "$here/awaiting.sh"

# graph NAME TIMES: a loop, whose iterations take about a millisecond, between nodes that are in none.
graph() {
    cat > "$1.json" << JSON
{"eingraph": 1, "dtype": "f64",
 "tensors": {"A": {"shape": [300, 300], "data": {"random": "uniform", "low": 0, "high": 0.01, "seed": 1}},
             "x": {"shape": [300, 300], "data": {"random": "uniform", "seed": 2}}},
 "nodes": [{"name": "B", "einsum": "ij,jk->ik", "inputs": ["A", "A"]},
           {"name": "it", "loop": {"times": $2, "carry": {"x": "y"},
             "body": [{"name": "z", "einsum": "ij,jk->ik", "inputs": ["B", "x"]},
                      {"name": "y", "einsum": "ij->ij", "join": "x / (1 + x)", "inputs": ["z"]}]}},
           {"name": "C", "einsum": "ij,jk->ik", "inputs": ["it/x", "A"]}],
 "outputs": ["C", "it/x"]}
JSON
}

# The job's exit code once it has left the queue.
code_of() { scontrol show job "$1" | sed -n 's/.* ExitCode=\([0-9]*\):.*/\1/p'; }
state_of() { scontrol show job "$1" | sed -n 's/.*JobState=\([A-Z_]*\).*/\1/p'; }
over() { [[ $(state_of "$1") =~ ^(COMPLETED|FAILED|CANCELLED|TIMEOUT|NODE_FAIL)$ ]]; }
restarts_of() { scontrol show job "$1" | sed -n 's/.*Restarts=\([0-9]*\).*/\1/p'; }
# The undisturbed run of a script's schedule, without any checkpoint.
right() { sbatch --wait -Q -n 4 -N 2 -o right.log \
    --wrap "srun --mpi=pmix -n 4 einrun $1.sched -q --out right-$1 --report right.json" ||
        fail "the undisturbed run: $(cat right.log)"; }
same_bits() {
    for file in C it.x; do cmp "right-$1/$file.npy" "results/$file.npy" || fail "$2: $file has other bits"; done
}
submit() { sbatch --parsable "${@:2}" "$1.sh"; }

# How many iterations take some 260 s here, were the machine as busy as it is now.
graph short 4000
einplan short.json -n 4 --decompose eindecomp -q -o short.sched --batch slurm > short.sh || exit 1
right short
milliseconds=$(python3 -c 'import json; print(int(1e3 * json.load(open("right.json"))["seconds"]["execute"]))')
times=$((4000 * 260000 / milliseconds))
echo "4000 iterations: $milliseconds ms; the long graph has $times"

# What can never run.
einplan short.json -n 16 --decompose eindecomp -q -o crowd.sched --batch slurm > crowd.sh 2> crowd.txt || exit 1
grep -q "^einplan: warning: expected 8 nodes .* found 4 in main: .*(PartitionConfig); plan with -n 8 or" crowd.txt ||
    fail "too many nodes: $(cat crowd.txt)"
job=$(submit crowd)
await '[[ $(scontrol show job $job) == *Reason=PartitionConfig* ]]' 30
scancel "$job"
sbatch --wait -Q --ntasks=2 -o fewer.log short.sh; code=$?
{ [ $code = 2 ] && grep -q "^expected 4 tasks, .* found --ntasks=2; .* -n 2 --batch slurm$" fewer.log; } ||
    fail "fewer tasks: code $code, $(cat fewer.log)"
echo "what can never run: done"

# Signals.
graph signals $((times / 9))
einplan signals.json -n 4 --decompose eindecomp -q -o signals.sched --batch slurm > signals.sh || exit 1
right signals
job=$(submit signals --time=10 --signal=B:USR1@10)
await '[ "$(state_of $job)" = RUNNING ]' 30 && sleep 4
scancel --signal=USR1 "$job"
await '[ "$(restarts_of $job)" = 1 ]' 60
grep -q "requeued with checkpoint 000001" "signals-$job.log" || fail "USR1: $(cat "signals-$job.log")"
await 'grep -q "^einrun: goes on from" signals-$job.log' 60 && sleep 2
scancel --batch --signal=USR2 "$job"
await 'over $job' 60
[ "$(code_of "$job")" = 75 ] || fail "USR2: expected code 75, found $(code_of "$job"): $(cat "signals-$job.log")"
job=$(submit signals --time=10 --signal=B:USR1@10)
await 'over $job' 300
[ "$(code_of "$job")" = 0 ] || fail "the same script again: code $(code_of "$job"): $(cat "signals-$job.log")"
same_bits signals "after signals"
echo "signals: done"

# A node that is set down.
cat > shrink.sh << SCRIPT
#!/bin/bash
#SBATCH --no-kill --no-requeue -N 3 -n 6 --ntasks-per-node=2 -o shrink.log
eintool run signals.json -n 6 -q --out shrunk --checkpoint shrunk.checkpoint --every 1s --shrink
SCRIPT
job=$(sbatch --parsable shrink.sh)
await 'ls shrunk.checkpoint/0* > /dev/null 2>&1' 60
node=$(scontrol show hostnames "$(squeue -h -j "$job" -o %N)" | tail -n 1)
scontrol update nodename="$node" state=down reason=test
await 'over $job' 300
[ "$(code_of "$job")" = 0 ] || fail "--shrink: code $(code_of "$job"): $(cat shrink.log)"
grep -q "leaves to do for 4 ranks" shrink.log || fail "--shrink: expected a plan for 4 ranks: $(cat shrink.log)"
eintool diff right-signals shrunk --tolerance 1e-12 > differ || fail "--shrink: $(cat differ)"
scontrol update nodename="$node" state=idle 2> /dev/null
echo "a node set down: done"

# Time limits.
graph long "$times"
einplan long.json -n 4 --decompose eindecomp -q -o long.sched --batch slurm > long.sh || exit 1
job=$(submit long --time=1)
await 'grep -q "^warning: told to stop .* give more time (sbatch --time)" long-$job.log 2> /dev/null' 90
scancel "$job"
await 'over $job' 60
echo "a short limit: done"
rm -rf results long.checkpoint
job=$(submit long --time=1 --signal=B:USR1@10)
await 'over $job' 1200
[ "$(code_of "$job")" = 0 ] || fail "time limits: code $(code_of "$job"): $(cat "long-$job.log")"
[ "$(restarts_of "$job")" -ge 3 ] || fail "time limits: expected three or more restarts, found $(restarts_of "$job")"
echo "time limits: $(restarts_of "$job") restarts"
right long
same_bits long "after time limits"
exit $failed
