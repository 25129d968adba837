#!/usr/bin/env bash
# Builds Einloom and shows it at work: scripts/demo.sh [GRAPH...]     (default: an attention layer and a matrix chain)
# Each graph is planned for 4 ranks, run by mpirun on this machine, and its results are checked against the reference
# interpreter. A table at the end compares what was predicted with what happened. EIN_RANKS sets another rank count.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ "${1:-}" == -* ]]; then sed -n '2,4s/^# //p' "$0"; exit 2; fi
graphs=("$@")
[ "${#graphs[@]}" -gt 0 ] || graphs=(examples/attention.json examples/matrix-chain.json)
ranks=${EIN_RANKS:-4}
results=build/demo

source scripts/local_mpi.sh

# Prints a JSON file as lines "path<TAB>value": .bytes.total<TAB>12, .peak_bytes[0]<TAB>7. Strings without their quotes.
flatten() {
    tr '\n\t' '  ' < "$1" | awk '
    function blanks() { while (substr(text, at, 1) == " ") at++ }
    function word(   begin) {                     # a string, number, true, false or null
        begin = at
        if (substr(text, at, 1) == "\"") {
            for (at++; substr(text, at, 1) != "\"" && at <= length(text); at++) if (substr(text, at, 1) == "\\") at++
            at++
            return substr(text, begin + 1, at - begin - 2)
        }
        while (at <= length(text) && index(" ,:]}", substr(text, at, 1)) == 0) at++
        return substr(text, begin, at - begin)
    }
    function value(path,   n, key, opening) {
        blanks()
        opening = substr(text, at, 1)
        if (opening != "{" && opening != "[") { print path "\t" word(); return }
        for (n = 0;; n++) {
            at++                                  # the bracket or a comma
            blanks()
            if (index("]}", substr(text, at, 1)) > 0) break
            if (opening == "{") { key = word(); blanks(); at++; value(path "." key) }
            else value(path "[" n "]")
            blanks()
            if (substr(text, at, 1) != ",") break
        }
        at++
    }
    { text = text $0 } END { at = 1; value("") }'
}
# field PATH: its value in the run report; largest PATH: the largest of a list of numbers there.
field() {
    awk -F '\t' -v path="$1" '$1 == path { print $2; found = 1; exit } END { if (!found) print "?" }' "$results/flat"
}
largest() {
    awk -F '\t' -v path="$1" 'index($1, path "[") == 1 && (n++ == 0 || $2 + 0 > most) { most = $2 + 0 }
                              END { if (n) printf "%.0f\n", most; else print "?" }' "$results/flat"
}
# summary FILE KEY: the first word that einplan prints after KEY, without a comma.
summary() { sed -n "s/^ *$2  *\([^ ,]*\).*/\1/p" "$1" | head -n 1; }
readable() {   # bytes for people
    awk -v bytes="$1" 'BEGIN {
        if (bytes !~ /^[0-9.e+]+$/) { print bytes; exit }
        split("B KiB MiB GiB TiB", unit, " ")
        for (i = 1; bytes >= 1024 && i < 5; i++) bytes /= 1024
        printf i == 1 ? "%d %s\n" : "%.1f %s\n", bytes, unit[i]
    }'
}
show() { printf '\n$ %s\n' "$*"; "$@"; }

./scripts/build.sh release --no-tests
mkdir -p "$results"
table=$results/table
: > "$table"
for graph in "${graphs[@]}"; do
    name=$(basename "$graph" .json)
    schedule=$results/$name.sched report=$results/$name.report.json plan=$results/$name.plan
    show build/bin/einplan "$graph" -n "$ranks" -o "$schedule" | tee "$plan"
    show mpirun -n "$ranks" build/bin/einrun "$schedule" --out "$results/$name" --verify --report "$report"

    build/bin/einplan "$graph" -n "$ranks" -o "$schedule.again" --quiet
    cmp "$schedule" "$schedule.again"   # the same inputs give the same bytes
    rm "$schedule.again"
    flatten "$report" > "$results/flat"
    {
        printf '%s\t%s\t%s\t' "$name" "$(summary "$plan" strategy)" "$(summary "$plan" tasks)"
        for value in "$(field .bytes_predicted)" "$(field .bytes_sent)" \
            "$(largest .peak_predicted)" "$(largest .peak_block_bytes)"; do
            printf '%s\t' "$(readable "$value")"
        done
        printf '%.5s\t%.6s\n' "$(field .gflops_per_second)" "$(field .seconds.execute)"
    } >> "$table"
done

printf '\nOn %s ranks, every result verified against the reference interpreter:\n\n' "$ranks"
line='  %-14s %-11s %6s  %10s %10s  %10s %10s  %8s %8s\n'
# shellcheck disable=SC2059
printf "$line" '' '' '' 'bytes moved' '' 'peak a rank' '' '' ''
# shellcheck disable=SC2059
printf "$line" graph strategy tasks predicted sent predicted reached GFLOP/s seconds
while IFS=$'\t' read -r -a cells; do
    # shellcheck disable=SC2059
    printf "$line" "${cells[@]}"
done < "$table"
printf '\nResults are in %s/<graph>/, reports beside them.\n' "$results"
