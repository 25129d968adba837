#!/usr/bin/env bash
# Predicted against measured: on pretend hosts (hosts.sh), measures the cluster file, then for each graph and each of
# five ways to cut and place it plans, simulates and runs, and prints einplan --simulate's makespan beside einrun's
# median execute time.
#   scripts/bench/simulated_hosts.sh [HOSTS RATE]...     default: 2 100mbit 2 1gbit 4 100mbit
# Needs root and a build (scripts/build.sh); REPEAT (default 5) runs each. Every host has one rank of one thread: with
# more hosts than idle cores, choose sizes for which the network is the bottleneck (SIZE_CHAIN, SIZE_ATTENTION,
# SIZE_REPARTITION).
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/bench/lib.sh
export OMP_NUM_THREADS=1
[ $# -gt 0 ] || set -- 2 100mbit 2 1gbit 4 100mbit

# A chain of softmaxes over alternating axes, transposed copies and products: nothing stays cut as it was.
repartition_graph() { # SIZE
    local n=$1 last=X i nodes=""
    for i in 1 2 3; do
        nodes+="{\"name\": \"r$i\", \"op\": \"softmax\", \"inputs\": [\"$last\"], \"axes\": [1]},
 {\"name\": \"c$i\", \"op\": \"softmax\", \"inputs\": [\"r$i\"], \"axes\": [0]},
 {\"name\": \"t$i\", \"einsum\": \"ij->ji\", \"inputs\": [\"c$i\"], \"join\": \"2*x\"},
 {\"name\": \"m$i\", \"einsum\": \"ij,jk->ik\", \"inputs\": [\"t$i\", \"W\"]},"
        last=m$i
    done
    cat <<JSON
{"eingraph": 1, "dtype": "f32", "tensors": {"X": {"shape": [$n, $n], "data": {"random": "uniform", "seed": 1}},
 "W": {"shape": [$n, $n], "data": {"random": "uniform", "seed": 2}}}, "nodes": [${nodes%,}], "outputs": ["$last"]}
JSON
}
"$bin/eintool" make matrix-chain "${SIZE_CHAIN:-1200}" -o "$work/matrix-chain.json"
# shellcheck disable=SC2086
"$bin/eintool" make attention ${SIZE_ATTENTION:-1024 8 64} -o "$work/attention.json"
repartition_graph "${SIZE_REPARTITION:-1024}" > "$work/repartition.json"

# Ways as strategy/placement/calls: calls of each EinSum, as a multiple of the hosts.
ways=${WAYS:-eindecomp/pattern/1 eindecomp/greedy/1 eindecomp/round-robin/4 sqrt/pattern/1 sqrt/round-robin/4}

# One graph: a line for each way, then in how many pairs of ways the faster one was predicted.
compare() { # HOSTS RATE GRAPH
    local way strategy place calls predicted measured least
    : > "$work/pairs"
    for way in $ways; do
        IFS=/ read -r strategy place calls <<< "$way"
        plan "$3" "$1" --decompose "$strategy" --place "$place" --parts $(($1 * calls)) \
            --cluster "$work/cluster.json" --simulate=json > "$work/predicted.json"
        measured=$(launcher="$hosts mpirun" run "$3" "$1" 1 "${REPEAT:-5}" 2> "$work/messages") ||
            { cat "$work/messages" >&2; exit 1; }
        predicted=$(number makespan "$work/predicted.json")
        least=$(tr -d '\n ' < "$work/report.json" | sed 's/.*"repeat":\[\([^]]*\)\].*/\1/' | tr , '\n' |
            sort -g | head -n 1)
        echo "$predicted $measured" >> "$work/pairs"
        awk -v h="$1" -v r="$2" -v g="$3" -v w="$way" -v p="$predicted" -v m="$measured" -v l="$least" \
            -v b="$(number bytes_sent "$work/report.json")" \
            'BEGIN {printf "%-2s x %-8s %-13s %-24s %8.0f %11.1f %11.1f %9.1f %7.2f\n",
                           h, r, g, w, b / 1024, p * 1e3, m * 1e3, l * 1e3, p / m}'
    done
    # Pairs that differ by less than a tenth in either are alike: their order means nothing.
    awk '{p[NR] = $1; m[NR] = $2} function alike(a, b) {return a < 1.1 * b && b < 1.1 * a}
        END {for (i = 1; i <= NR; i++) for (j = 1; j < i; j++)
                if (!alike(p[i], p[j]) && !alike(m[i], m[j])) {n++; if ((p[i] < p[j]) == (m[i] < m[j])) right++}
             printf "   the faster of two ways was predicted in %d of %d pairs\n", right, n}' "$work/pairs"
}

printf '%-13s %-13s %-24s %8s %11s %11s %9s %7s\n' hosts graph way KiB predicted/ms measured/ms least/ms ratio
while [ $# -ge 2 ]; do
    hosts_up "$1" "$2"
    $hosts mpirun -n "$1" "$bin/eintool" preflight --cluster-out "$work/cluster.json" > /dev/null 2> "$work/messages" ||
        { cat "$work/messages" >&2; exit 1; }
    [ -z "${SHOW_CLUSTER:-}" ] || cat "$work/cluster.json"
    for graph in ${GRAPHS:-matrix-chain attention repartition}; do compare "$1" "$2" "$graph"; done
    shift 2
done
