#!/bin/bash
# Submit it with sbatch, in the folder of the schedule: results come into results/ there.
# Nodes, cores and memory are for the cluster configs/four-nodes.json.
# What your cluster wants besides: --time, --partition, --account. docs/slurm.md says what it does.
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

refuse() { echo "$*" >&2; exit 2; }
[ -n "${SLURM_JOB_ID:-}" ] ||
    refuse "expected to run as a Slurm job, found none (SLURM_JOB_ID is not set): submit it: sbatch $0"
[ -f "$schedule" ] ||
    refuse "expected $schedule in $PWD, found none; submit in its folder, or with sbatch --chdir=FOLDER"
command -v einrun > /dev/null ||
    refuse "expected einrun on PATH, found none; load its module or set PATH, before sbatch or in this script"
[ "${SLURM_NTASKS:-32}" -ge 32 ] ||
    refuse "expected 32 tasks, which $schedule is for, found --ntasks=$SLURM_NTASKS; submit without it," \
        "or plan for that: einplan GRAPH (or --resume $checkpoint) -n $SLURM_NTASKS --batch slurm"
[ "${SLURM_ARRAY_TASK_COUNT:-1}" -le 1 ] ||
    refuse "expected one job, found an array of $SLURM_ARRAY_TASK_COUNT: all would write $checkpoint and results;" \
        "submit without --array, or give each its own checkpoint and --out here and remove this check"

# Near the time limit (SIGUSR1) the ranks save a checkpoint and end with code 75. Slurm itself tells them when the job
# is cancelled (SIGTERM). Neither then nor after SIGUSR2, which lets them save too, is it put back into the queue.
requeues=yes told='' ended=''
trap 'told=${told:-$SECONDS}; kill -USR1 "$!"' USR1
trap 'requeues=no; kill -USR1 "$!"' USR2
trap 'requeues=no ended=yes' TERM
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
newest=none
for folder in "$checkpoint"/[0-9][0-9][0-9][0-9][0-9][0-9]; do
    [ ! -d "$folder" ] || newest=${folder##*/}
done
if [ "$ended" = yes ] && [ "$code" -ne 0 ]; then
    echo "ended by Slurm (SIGTERM), with checkpoint $newest as the newest: after a node's failure Slurm queues the" \
        "job again by itself; after scancel, sbatch the script again; where the time limit came first, let Slurm" \
        "signal earlier then: sbatch --signal=B:USR1@600" >&2
fi
[ "$code" -eq 75 ] && [ "$requeues" = yes ] || exit "$code"

# Slurm looks every 30 s who is to be signalled, and that early too: a short limit may be near its end from the start.
if [ "${told:-31}" -le 30 ]; then
    left=$(squeue -h -j "$SLURM_JOB_ID" -o %L 2> /dev/null)
    case $left in [0-9]:[0-5][0-9] | [0-5][0-9]:[0-5][0-9])
        echo "warning: told to stop $told s after the start, with $left of the time limit left: Slurm signals" \
            "120 to 150 s before the end unless it is told otherwise; give more time (sbatch --time), or let it" \
            "signal later (sbatch --signal=B:USR1@20: 20 to 50 s before the end)" >&2 ;;
    esac
fi

# Stopped with a checkpoint: again, unless the newest checkpoint has been the same for 3 ends, or this went on too long.
before='' fruitless=0 restarts=${SLURM_RESTART_COUNT:-0}
if [ "$restarts" -gt 0 ] && [ -f "$checkpoint/.requeued" ]; then
    read -r before fruitless < "$checkpoint/.requeued"
fi
if [ "$newest" = "$before" ]; then fruitless=$((fruitless + 1)); else fruitless=0; fi
if [ "$fruitless" -ge 2 ]; then
    echo "not requeued: checkpoint $newest has been the newest for $fruitless requeues; the time limit is too short" \
        "to get to the next: give more (sbatch --time); einplan's line 'checkpoint' says how far apart they can be" >&2
    exit "$code"
fi
if [ "$restarts" -ge 1000 ]; then
    echo "not requeued: this was restart $restarts; sbatch the script again to go on from checkpoint $newest" >&2
    exit "$code"
fi
mkdir -p "$checkpoint"
echo "$newest $fruitless" > "$checkpoint/.requeued"
echo "requeued with checkpoint $newest, restart $((restarts + 1))" >&2
scontrol requeue "$SLURM_JOB_ID" || exit "$code"
