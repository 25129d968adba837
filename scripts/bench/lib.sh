# What the scripts in this folder share; each sources it from the root of the sources, after a build (scripts/build.sh).
# BIN: another folder of programs.
# shellcheck shell=bash
bin=${BIN:-build/bin}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 \
    OMPI_MCA_hwloc_base_binding_policy=none
# Peers choose their kernels themselves: a shell that asks for those of older processors would make them slow.
unset ${!OPENBLAS_*}
[ -x "$bin/einrun" ] || { echo "$(basename "$0"): build first: ./scripts/build.sh" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The machine and what its figures depend on, in a line.
environment() {
    printf '%s, %s cores, %s GiB; %s; %s; %s\n' "$(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1)" \
        "$(nproc)" \
        "$(awk '/^MemTotal/ {printf "%.0f", $2 / 2^20}' /proc/meminfo)" "$("$bin/einrun" --version)" \
        "$(mpirun --version | head -n 1 | sed 's/(//; s/)//')" "$(date +%F)"
}
# nan: a figure that is not there.
calc() { if [[ $1 == *nan* ]]; then echo nan; else awk "BEGIN {printf \"%.6g\", $1}"; fi; }
median() { tr -s ' ' '\n' | sed '/^$/d' | sort -g | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }
number() { sed -n "s/.*\"$1\": *\([0-9.e-]*\).*/\1/p" "$2" | head -n 1; }    # KEY FILE: its first value in a JSON file

# hosts_up HOSTS RATE: pretend hosts until this script ends; "$hosts mpirun" starts programs there
hosts=scripts/bench/hosts.sh
hosts_up() { trap '$hosts down; rm -rf "$work"' EXIT; $hosts up "$@"; }

# plan NAME RANKS [OPTIONS OF EINPLAN]: the graph $work/NAME.json becomes $work/NAME.RANKS
plan() {
    local name=$1 ranks=$2
    shift 2
    "$bin/einplan" "$work/$name.json" -n "$ranks" -q -o "$work/$name.$ranks" "$@"
}

# run NAME RANKS THREADS [REPEAT]: seconds of execute, the median of the repeats; the report is $work/report.json
run() {
    ${launcher:-mpirun} -n "$2" "$bin/einrun" "$work/$1.$2" --threads "$3" --repeat "${4:-3}" --progress off --quiet \
        --out "$work/out" \
        --report "$work/report.json"
    number repeat_median "$work/report.json"
}

# Seconds of wall clock that a command takes.
wall() { local TIMEFORMAT=%R; { time "$@" > /dev/null 2>&1; } 2>&1; }

# alternate NAME=COMMAND...: every command prints seconds; one after the other, REPEATS times (default 3). Sets
# ${seconds[NAME]}, the medians: nan for one that fails, as a peer that is not installed does.
declare -A seconds
alternate() {
    local repeat candidate value
    seconds=()
    for ((repeat = 0; repeat < ${REPEATS:-3}; ++repeat)); do
        for candidate in "$@"; do
            value=$(${candidate#*=} < /dev/null) || value=nan
            seconds[${candidate%%=*}]+=" $value"
        done
    done
    for candidate in "${!seconds[@]}"; do seconds[$candidate]=$(median <<< "${seconds[$candidate]}"); done
}

# The one table: row WORK DTYPE LAYOUT UNIT OURS PEER THEIRS RATIO TARGET, where TARGET is as >=0.93, <=2, or - for
# none. A target without a peer (PEER is -) is for our own figure.
header() {
    printf '%-26s %-5s %-6s %10s %-22s %10s %-9s %6s %7s\n' \
        work dtype layout einrun peer "its figure" unit ratio target
}
row() {
    local theirs=$7 ratio=$8 compared=$8 verdict
    if [ "$6" = - ]; then theirs="" ratio="" compared=$5; fi
    verdict=$(awk -v found="$compared" -v target="$9" 'BEGIN {
        if (target == "-") exit
        if (found == "nan") exit
        limit = substr(target, 3)
        print((substr(target, 1, 1) == ">" ? found + 0 >= limit + 0 : found + 0 <= limit + 0) ? "met" : "MISSED")}')
    if [ "$theirs" = nan ]; then theirs="no peer" ratio=""; fi
    if [ "$5" = nan ]; then verdict="FAILED" ratio=""; fi
    printf '%-26s %-5s %-6s %10s %-22s %10s %-9s %6s %7s %s\n' "$1" "$2" "$3" "$(short "$5")" "$6" \
        "$(short "$theirs")" "$4" "$(short "$ratio")" "$9" "$verdict"
}
short() {
    awk -v v="$1" 'BEGIN {
        if (v ~ /^[0-9.e+-]+$/ && v != "-") printf "%.*f", (v < 10 ? 2 : v < 1000 ? 1 : 0), v; else printf "%s", v}'
}
