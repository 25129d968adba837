#!/usr/bin/env bash
# Predicted against measured, of many kinds of graphs: on pretend hosts (hosts.sh), measures the cluster file, then for
# each graph of predicted_graphs.txt plans it as einplan does by itself and as the strategy `sqrt`, and prints the
# predicted seconds, of all iterations, beside einrun's median execute time.
#   scripts/bench/predicted.sh [HOSTS RATE [NAME...]]      default: 2 1gbit, all graphs
# Needs root and a build (scripts/build.sh); REPEAT (default 5) runs each. Every host has one rank of one thread: more
# hosts than idle cores say nothing. Ends with how many are within 15 %, and of how many graphs the faster of the two
# plans was predicted.
set -euo pipefail
cd "$(dirname "$0")/../.."
source scripts/bench/lib.sh
export OMP_NUM_THREADS=1
count=${1:-2} rate=${2:-1gbit}
shift $(($# < 2 ? $# : 2))

measure() { # NAME STRATEGY [OPTIONS OF EINPLAN]: a row
    local name=$1 strategy=$2 predicted measured
    shift 2
    plan "$name" "$count" --cluster "$work/cluster.json" --simulate=json "$@" > "$work/predicted.json"
    measured=$(launcher="$hosts mpirun" run "$name" "$count" 1 "${REPEAT:-5}" 2> "$work/messages" < /dev/null) ||
        { cat "$work/messages" >&2; exit 1; }
    predicted=$(number all_turns "$work/predicted.json")
    awk -v n="$name" -v s="$strategy" -v p="$predicted" -v m="$measured" \
        -v b="$(number bytes_sent "$work/report.json")" \
        'BEGIN {printf "%-20s %-8s %9.0f %12.2f %11.2f %7.2f\n", n, s, b / 1024, p * 1e3, m * 1e3, p / m}' |
        tee -a "$work/rows"
}

hosts_up "$count" "$rate"
$hosts mpirun -n "$count" "$bin/eintool" preflight --cluster-out "$work/cluster.json" > /dev/null 2> "$work/messages" ||
    { cat "$work/messages" >&2; exit 1; }
[ -z "${SHOW_CLUSTER:-}" ] || cat "$work/cluster.json"
printf '%s hosts, %s\n%-20s %-8s %9s %12s %11s %7s\n' "$count" "$rate" graph plan KiB predicted/ms measured/ms ratio
while read -r -u 3 name kind; do
    [[ $name != \#* ]] || continue
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    # shellcheck disable=SC2086
    "$bin/eintool" make $kind -o "$work/$name.json"
    measure "$name" default
    measure "$name" sqrt --decompose sqrt
done 3< scripts/bench/predicted_graphs.txt
awk '{r = $6; n++; near += r > 1 / 1.15 && r < 1.15; fifth += r > 1 / 1.25 && r < 1.25
      if (NR % 2) {p = $4; m = $5} else if ((p > 1.1 * $4 || $4 > 1.1 * p) && (m > 1.1 * $5 || $5 > 1.1 * m)) {
          pairs++; right += (p > $4) == (m > $5)}}
     END {printf "within 15 %%: %d of %d, within 25 %%: %d; the faster of two plans was predicted in %d of %d graphs\n",
                 near, n, fifth, right, pairs}' "$work/rows"
