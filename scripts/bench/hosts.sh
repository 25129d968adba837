#!/usr/bin/env bash
# Pretend hosts on one machine: network namespaces joined by a bridge, every link a token bucket of a given rate
# each way.
#   scripts/bench/hosts.sh up HOSTS RATE        RATE as tc writes it: 100mbit, 1gbit; 0 for no limit
#   scripts/bench/hosts.sh mpirun [OPTIONS] PROGRAM ARGS...     one slot a host, started from the first
#   scripts/bench/hosts.sh down                 ends what runs in them and removes them
# Needs root and iproute2. The state lies in ${EIN_HOSTS:-/tmp/einloom-hosts}; nothing is added to the machine's own
# network.
set -euo pipefail
state=${EIN_HOSTS:-/tmp/einloom-hosts}
prefix=${EIN_HOSTS_PREFIX:-eh}      # short: interface names are
switch=${prefix}sw subnet=10.79.0

die() { echo "hosts.sh: $*" >&2; exit 2; }
namespaces() { ip netns list | awk -v p="^${prefix}([0-9]+|sw)\$" '$1 ~ p {print $1}'; }
[ "$(id -u)" = 0 ] || die "expected to run as root: it makes network namespaces"
for tool in ip tc; do command -v $tool > /dev/null || die "expected ip and tc; install iproute2"; done

down() {
    local signal ns pids
    for signal in TERM KILL; do
        pids=$(for ns in $(namespaces); do ip netns pids "$ns"; done)
        [ -n "$pids" ] || break
        # shellcheck disable=SC2086
        kill -s $signal $pids 2> /dev/null || true
        sleep 0.2
    done
    for ns in $(namespaces); do ip netns del "$ns"; done
    rm -rf "$state"
}

# The bucket holds more than a large segment and more than the rate brings between two ticks of the kernel's clock.
limit() {
    [ "$rate" = 0 ] || ip netns exec "$1" tc qdisc replace dev "$2" root tbf rate "$rate" burst 256k latency 20ms
}

up() {
    local count=$1 rate=$2 i host
    down
    mkdir -p "$state"
    echo "127.0.0.1 localhost" > "$state/hosts"
    ip netns add "$switch"
    ip -n "$switch" link add br0 type bridge
    ip -n "$switch" link set br0 up
    for ((i = 0; i < count; i++)); do
        host=$prefix$i
        ip netns add "$host"
        ip -n "$host" link set lo up
        ip -n "$switch" link add "p$i" type veth peer name eth0 netns "$host"
        ip -n "$switch" link set "p$i" master br0 up
        limit "$host" eth0
        limit "$switch" "p$i"
        ip -n "$host" addr add "$subnet.$((i + 1))/24" dev eth0
        ip -n "$host" link set eth0 up
        echo "$subnet.$((i + 1)) $host" >> "$state/hosts"
        echo "$host slots=1" >> "$state/hostfile"
    done
    cat > "$state/rsh" <<AGENT
#!/usr/bin/env bash
# rsh [OPTIONS] HOST COMMAND...: COMMAND in HOST's network, with its name and shared memory of its own.
while [ "\${1#-}" != "\$1" ]; do shift; done
host=\$1; shift
exec nsenter --net="/run/netns/\$host" unshare --uts --mount --propagation private bash -c '
    hostname "\$1"; mount --bind "$state/hosts" /etc/hosts; mount -t tmpfs -o size=2g tmpfs /dev/shm
    shift; exec bash -c "\$*"' rsh "\$host" "\$@"
AGENT
    chmod +x "$state/rsh"
}

run_mpi() {
    [ -f "$state/hostfile" ] || die "expected hosts; run hosts.sh up first"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_plm=rsh OMPI_MCA_plm_rsh_agent="$state/rsh" OMPI_MCA_ras=^slurm
    export OMPI_MCA_orte_default_hostfile="$state/hostfile" OMPI_MCA_hwloc_base_binding_policy=none
    export OMPI_MCA_oob_tcp_if_include=eth0 OMPI_MCA_btl_tcp_if_include=eth0 OMPI_MCA_pml=ob1 \
        OMPI_MCA_btl=self,vader,tcp
    export OMPI_MCA_mpi_yield_when_idle=1    # every host believes that the cores are its own
    local command
    printf -v command '%q ' mpirun "$@"
    exec "$state/rsh" "${prefix}0" "cd $(printf %q "$PWD") && exec $command"
}

case ${1:-} in
    up) [ $# = 3 ] || die "up HOSTS RATE"; up "$2" "$3" ;;
    mpirun) shift; run_mpi "$@" ;;
    down) down ;;
    *) sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
