#!/bin/bash
# Submit it with sbatch, in the folder of the schedule; docs/slurm.md says what it does.
# What your cluster wants besides: --time, --partition, --account.
#SBATCH --job-name=llama --output=llama-%j.log --open-mode=append
#SBATCH --nodes=4 --ntasks=32 --ntasks-per-node=8 --cpus-per-task=4 --mem=2053M
#SBATCH --signal=B:USR1@120 --requeue

schedule=llama.sched
checkpoint=llama.checkpoint
export OMPI_MCA_orte_allowed_exit_without_sync=1
export OMPI_MCA_oob_tcp_keepalive_time=10
export OMPI_MCA_oob_tcp_keepalive_intvl=2
export OMPI_MCA_oob_tcp_keepalive_probes=3
export SRUN_CPUS_PER_TASK=${SLURM_CPUS_PER_TASK:-4}

# Near the time limit (SIGUSR1) the ranks save a checkpoint and end with code 75. Slurm itself tells them when the job
# is cancelled (SIGTERM). Neither then nor after SIGUSR2, which lets them save too, is it put back into the queue.
requeues=yes
trap 'kill -USR1 "$!"' USR1
trap 'requeues=no; kill -USR1 "$!"' USR2
trap 'requeues=no' TERM
srun --mpi=pmix --kill-on-bad-exit=0 --wait=10 --ntasks=32 \
    einrun "$schedule" --checkpoint "$checkpoint" --stop-at auto &
step=$!
wait "$step"
code=$?
while kill -0 "$step" 2> /dev/null; do
    wait "$step"
    code=$?
done
[ "$code" -ne 138 ] || code=75   # ended by SIGUSR1: it came before einrun had begun, nothing is lost
[ "$code" -eq 75 ] && [ "$requeues" = yes ] || exit "$code"

# Stopped with a checkpoint: again, unless the newest checkpoint has been the same for 3 ends, or this went on too long.
newest=none
for folder in "$checkpoint"/[0-9][0-9][0-9][0-9][0-9][0-9]; do
    [ ! -d "$folder" ] || newest=${folder##*/}
done
before='' fruitless=0 restarts=${SLURM_RESTART_COUNT:-0}
if [ "$restarts" -gt 0 ] && [ -f "$checkpoint/.requeued" ]; then
    read -r before fruitless < "$checkpoint/.requeued"
fi
if [ "$newest" = "$before" ]; then fruitless=$((fruitless + 1)); else fruitless=0; fi
if [ "$fruitless" -ge 2 ] || [ "$restarts" -ge 1000 ]; then
    echo "not requeued: checkpoint $newest is the newest since $fruitless requeues of $restarts" >&2
    exit "$code"
fi
mkdir -p "$checkpoint"
echo "$newest $fruitless" > "$checkpoint/.requeued"
echo "requeued with checkpoint $newest, restart $((restarts + 1))" >&2
scontrol requeue "$SLURM_JOB_ID" || exit "$code"
