#!/usr/bin/env bash
# What einplan --batch prints: scripts that a shell takes, that do the right thing after each end of the job, and that
# stand in configs/ as they are printed: batch_scripts.sh BIN_FOLDER SOURCE_FOLDER
# Slurm's commands are fakes here.
# shellcheck disable=SC2016  # texts for other shells
set -uo pipefail
bin=$(realpath "$1") source_folder=$(realpath "$2")
work=$(realpath "$(mktemp -d)"); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
fail() { echo "FAILED: $*"; failed=1; }
await() {
    for _ in $(seq 400); do eval "$1" && return 0; sleep 0.05; done
    fail "waited 20 s for: $1"
}

# What sinfo says, where it is asked at all: nothing yet.
mkdir fake
printf '#!/bin/bash\ncat "%s/partitions"\n' "$work" > fake/sinfo; chmod +x fake/sinfo
touch partitions slurm.conf
export PATH=$work/fake:$PATH SLURM_CONF=$work/slurm.conf

# The examples in configs/ are what the commands in its README print.
cp -r "$source_folder/examples" "$source_folder/configs" .
commands=$(grep '^einplan ' configs/README.md)
[ "$(wc -l <<< "$commands")" -ge 3 ] || fail "expected three commands in configs/README.md, found: $commands"
while read -r command; do
    file=${command##*> }
    PATH="$bin:$PATH" bash -c "${command%>*} -q > printed.sh" < /dev/null || fail "$command"
    cmp -s printed.sh "$file" || fail "$file is not what '$command' prints now; run it again"
done <<< "$commands"
for script in configs/*.sh; do
    for shell in sh bash; do $shell -n "$script" || fail "$script: not for $shell"; done
    [ "$script" != configs/laptop.sh ] || continue
    if command -v shellcheck > /dev/null; then shellcheck "$script" || fail "$script"; fi
done

# Nothing but the script on stdout, the summary on stderr; names and options find their way into it.
"$bin/einplan" examples/first.json -n 2 -o "a b's.sched" --memory 2GiB --batch slurm > job.sh 2> summary
grep -q '^einplan: graph for 2 ranks$' summary || fail "expected the summary on stderr, found: $(cat summary)"
[ "$(head -n 1 job.sh)" = '#!/bin/bash' ] || fail "expected a script, found: $(head -n 1 job.sh)"
grep -qF "schedule='a b'\\''s.sched'" job.sh || fail "a name with a space: $(grep schedule= job.sh)"
resources=$(sed -n 's/^  batch  *//p' summary)
grep -qxF "${resources%%  (*}" job.sh || fail "the summary and the script ask for different things: $resources"
grep -q "^  *for the machine that planned it, as there was no --cluster and no sinfo; --cluster FILE says" summary ||
    fail "whose nodes they are: $(cat summary)"
# Nodes that no partition has: a warning, in the script too, and the script all the same.
echo "main* 1 1-infinite 1 64000 (null)" > partitions
"$bin/einplan" examples/first.json -n 2 --batch slurm > crowded.sh 2> summary || fail "$(cat summary)"
crowded="expected 2 nodes with 1 core and [0-9]*M in a partition, found 1 in main.*(PartitionConfig); plan with -n 1 or"
for file in "summary ^einplan: warning: $crowded" "crowded.sh ^# einplan's warning: $crowded"; do
    grep -q "${file#* }" "${file%% *}" || fail "expected '$file' in $(cat "${file%% *}")"
done
grep -q "^  batch .*(Slurm has no room for it)" summary || fail "$(cat summary)"
"$bin/einplan" examples/first.json -n 2 --batch slurm -q --cluster configs/four-nodes.json > /dev/null 2> summary
grep -q "^einplan: warning: expected 1 node with 8 cores .* found none: .* more than 1 core: correct" summary ||
    fail "--cluster: $(cat summary)"
"$bin/einplan" examples/first.json -n 2 > summary 2>&1
grep -q "^  batch .*(Slurm has no room for it)" summary || fail "without --batch: $(cat summary)"
! grep -q "^einplan: warning" summary || fail "a warning about a script without one: $(cat summary)"
: > partitions
"$bin/einplan" examples/first.json -n 2 --batch mpirun -q > plain
[ "$(wc -l < plain)" = 1 ] || fail "expected one line, found: $(cat plain)"
grep -qE '^mpirun -n 2 --mca orte_allowed_exit_without_sync 1 .*einrun examples/first.sched$' plain ||
    fail "$(cat plain)"
for words in "--explain" "--simulate" "--sweep 1,2"; do
    # shellcheck disable=SC2086  # two words
    "$bin/einplan" examples/first.json -n 2 --batch slurm $words > /dev/null 2>&1
    [ $? = 2 ] || fail "--batch with $words: expected code 2"
done
"$bin/einplan" examples/first.json -n 2 --batch pbs > /dev/null 2> said
[ $? = 2 ] || fail "--batch pbs: expected code 2, found $(cat said)"

# A job: srun does what $work/step says; scontrol notes that it was called.
printf '#!/bin/bash\necho "srun $*" >> "%s/calls"\n. "%s/step"\n' "$work" "$work" > fake/srun
printf '#!/bin/bash\necho "scontrol $*" >> "%s/calls"\n' "$work" > fake/scontrol
printf '#!/bin/bash\ncat "%s/left"\n' "$work" > fake/squeue
touch fake/einrun
chmod +x fake/*
"$bin/einplan" examples/first.json -n 2 -o first.sched --batch slurm -q > job.sh
job() {   # RESTARTS STEP [VARIABLE...]: the code of the job, which is in $code
    echo "$2" > step; : > calls
    env "${@:3}" SLURM_JOB_ID=7 SLURM_RESTART_COUNT="$1" PATH="$work/fake:$PATH" bash job.sh > log 2>&1; code=$?
}
ends() {   # CODE REQUEUED WHAT
    local requeued=no
    if grep -qx 'scontrol requeue 7' calls; then requeued=yes; fi
    [ "$code $requeued" = "$1 $2" ] || fail "$3: expected code $1, requeued $2; found $code, $requeued: $(cat log)"
}
for end in 0 1 2 3 4 5 137; do job 0 "exit $end"; ends $end no "code $end"; done
grep -q -- "--ntasks=2 einrun first.sched --checkpoint first.checkpoint --stop-at auto$" calls || fail "$(cat calls)"
# Two requeues with the same newest checkpoint, or with none, but no third; a new job counts anew.
for stage in none 000003; do
    [ $stage = none ] || mkdir -p first.checkpoint/$stage
    job 0 'exit 75'; ends 0 yes "stopped, $stage"
    job 1 'exit 75'; ends 0 yes "stopped again, $stage"
    job 2 'exit 75'; ends 75 no "stopped a third time, $stage"
    grep -q "^not requeued: checkpoint $stage has been the newest for 2 requeues; .*give more (sbatch --time)" log ||
        fail "$(cat log)"
done
job 0 'exit 75'; ends 0 yes "submitted anew"
for k in 4 5 6 7 8; do job $k "mkdir first.checkpoint/00000$k; exit 75"; ends 0 yes "progress to 00000$k"; done
job 1000 'mkdir first.checkpoint/000009; exit 75'; ends 75 no "a thousand restarts"
job 0 'kill -USR1 $$'; ends 0 yes "told to stop before einrun had begun"

# Started by hand it would get no time limit, memory or requeue.
: > calls; PATH="$work/fake:$PATH" bash job.sh > log 2>&1 < /dev/null; code=$?; ends 2 no "no job"
grep -q "^expected to run as a Slurm job, found none (SLURM_JOB_ID is not set): submit it: sbatch job.sh" log ||
    fail "$(cat log)"
[ ! -s calls ] || fail "no job: $(cat calls)"

# What sbatch was given besides may not fit the schedule: nothing is started.
job 0 'exit 0' SLURM_NTASKS=1; ends 2 no "fewer tasks than ranks"
grep -q "^expected 2 tasks, which first.sched is for, found --ntasks=1; .* -n 1 --batch slurm$" log || fail "$(cat log)"
[ ! -s calls ] || fail "fewer tasks than ranks: $(cat calls)"
job 0 'exit 0' SLURM_NTASKS=3; ends 0 no "more tasks than ranks"
job 0 'exit 0' SLURM_ARRAY_TASK_COUNT=3; ends 2 no "an array"
grep -q "^expected one job, found an array of 3: .* without --array" log || fail "$(cat log)"
job 0 'exit 0' SLURM_ARRAY_TASK_COUNT=1; ends 0 no "an array of one"
mv first.sched elsewhere; job 0 'exit 0'; ends 2 no "another folder"; mv elsewhere first.sched
grep -q "^expected first.sched in $work, found none; submit in its folder" log || fail "$(cat log)"
mv fake/einrun elsewhere
SLURM_JOB_ID=7 PATH=$work/fake "$BASH" job.sh > log 2>&1; code=$?; ends 2 no "no einrun"
mv elsewhere fake/einrun
grep -q "^expected einrun on PATH, found none; load its module" log || fail "$(cat log)"

# Signals to the script: USR1 lets the step save and requeues, USR2 saves and does not, TERM only keeps it from that.
# Slurm's signal soon after the start of a job whose limit is short gets a warning; someone's in a long one does not.
early="warning: told to stop [0-9]* s after the start, with 1:52 of .*; give more time (sbatch --time)"
ended="ended by Slurm (SIGTERM), with checkpoint none as .*; after scancel, sbatch the script again; .* signal earlier"
for case in "USR1 0 yes 1:52 $early" "USR1 0 yes 3:59:40" "USR2 75 no 1:52" "TERM 75 no 1:52 $ended"; do
    read -r signal expected requeued left said <<< "$case"
    rm -rf ready first.checkpoint; : > calls; echo "$left" > left
    echo 'trap "exit 75" USR1; touch '"$work"'/ready; while :; do sleep 0.05; done' > step
    SLURM_JOB_ID=7 PATH="$work/fake:$PATH" bash job.sh > log 2>&1 &
    pid=$!
    await '[ -f ready ]'
    kill -"$signal" $pid
    [ "$signal" != TERM ] || kill -USR1 "$(pgrep -P $pid -f fake/srun)"   # as Slurm tells the ranks itself
    wait $pid; code=$?
    ends "$expected" "$requeued" "$signal"
    if [ -n "$said" ]; then
        grep -q "^$said" log || fail "$signal, $left left: expected '$said', found $(cat log)"
    elif grep -q -e "^warning: told" -e "^ended by" log; then
        fail "$signal, $left left: $(cat log)"
    fi
done
exit $failed
