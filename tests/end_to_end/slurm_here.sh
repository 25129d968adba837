# A Slurm cluster of this machine alone, for tests: slurm_start FOLDER NODES, slurm_stop FOLDER; sourced.
# Munge and one slurmctld, and a slurmd a pretended node, of 2 CPUs each; all files are in FOLDER, SLURM_CONF is set.
# Debian's packages slurm-wlm and munge are enough; it wants root, as slurmd does.
# shellcheck shell=bash

# Says what is missing; nothing where a cluster can be started.
slurm_missing() {
    local tool
    for tool in munged slurmctld slurmd srun sbatch scontrol scancel squeue sinfo; do
        command -v "$tool" > /dev/null || { echo "no $tool (packages slurm-wlm and munge)"; return; }
    done
    [ "$(id -u)" = 0 ] || echo "not root, as slurmd is"
}

slurm_start() {
    local folder=$1 nodes=$2 port=$((20000 + $$ % 20000)) host memory k
    host=$(hostname -s)
    memory=$(awk '/MemTotal/ {print int($2 / 2048)}' /proc/meminfo)
    mkdir -p "$folder"/{state,log,run,spool}
    chmod 755 "$folder"
    (umask 077 && head -c 1024 /dev/urandom > "$folder/munge.key")
    munged --key-file="$folder/munge.key" --socket="$folder/run/munge.sock" --pid-file="$folder/run/munged.pid" \
        --log-file="$folder/log/munged.log" --seed-file="$folder/run/munge.seed" || return 1
    export SLURM_CONF=$folder/slurm.conf
    {
        echo "ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/run/munge.sock,cred_expire=5
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd.%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=pmix
TmpFS=$folder/tmp/%n
SlurmdTimeout=10
KillWait=3
ReturnToService=2
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0
AccountingStorageType=accounting_storage/none
SlurmdParameters=config_overrides"
        for ((k = 1; k <= nodes; k++)); do
            echo "NodeName=node$k NodeHostname=$host NodeAddr=127.0.0.1 Port=$((port + k)) CPUs=2 RealMemory=$memory"
        done
        echo "PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
    } > "$SLURM_CONF"
    slurmctld || return 1
    for ((k = 1; k <= nodes; k++)); do
        mkdir -p "$folder/spool/node$k" "$folder/tmp/node$k"
        slurmd -N "node$k" || return 1
    done
    for ((k = 0; k < 200; k++)); do
        [ "$(sinfo -h -t idle -o %D 2> /dev/null)" = "$nodes" ] && return 0
        sleep 0.1
    done
    return 1
}

# Ends what slurm_start began, by the pids that it wrote down.
slurm_stop() {
    local folder=$1 file pid
    scancel --user=root 2> /dev/null
    for ((pid = 0; pid < 100; pid++)); do
        [ -z "$(squeue -h 2> /dev/null)" ] && break
        sleep 0.1
    done
    for file in "$folder"/run/slurmd.*.pid "$folder"/run/slurmctld.pid "$folder"/run/munged.pid; do
        [ -f "$file" ] || continue
        pid=$(cat "$file")
        grep -qE '\((slurmd|slurmctld|munged)\)' "/proc/$pid/stat" 2> /dev/null && kill "$pid"
        for _ in $(seq 100); do
            grep -qE '\) [^ZX]' "/proc/$pid/stat" 2> /dev/null || break
            sleep 0.1
        done
    done
}
