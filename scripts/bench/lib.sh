# What the scripts in this folder share; each sources it from the root of the sources, after a build (scripts/build.sh).
# shellcheck shell=bash
bin=${BIN:-build/bin}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
[ -x "$bin/einrun" ] || { echo "$(basename "$0"): build first: ./scripts/build.sh" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

calc() { awk "BEGIN {printf \"%.6g\", $1}"; }
median() { tr -s ' ' '\n' | sed '/^$/d' | sort -g | awk '{a[NR] = $1} END {print a[int((NR + 1) / 2)]}'; }
number() { sed -n "s/.*\"$1\": *\([0-9.e-]*\).*/\1/p" "$2" | head -n 1; }    # KEY FILE: its first value in a JSON file

# plan NAME RANKS [OPTIONS OF EINPLAN]: the graph $work/NAME.json becomes $work/NAME.RANKS
plan() { local name=$1 ranks=$2; shift 2; "$bin/einplan" "$work/$name.json" -n "$ranks" -q -o "$work/$name.$ranks" "$@"; }

# run NAME RANKS THREADS [REPEAT]: seconds of execute, the median of the repeats; the report is $work/report.json
run() {
    ${launcher:-mpirun} -n "$2" "$bin/einrun" "$work/$1.$2" --threads "$3" --repeat "${4:-3}" --progress off --quiet --out "$work/out" \
        --report "$work/report.json" < /dev/null
    number repeat_median "$work/report.json"
}

# alternate TURNS NAME=COMMAND...: every command prints seconds; one after the other, so many turns. Sets ${seconds[NAME]}, the medians.
declare -A seconds
alternate() {
    local turns=$1 turn candidate value
    shift
    seconds=()
    for ((turn = 0; turn < turns; ++turn)); do
        for candidate in "$@"; do
            value=$(${candidate#*=}) || value=nan
            seconds[${candidate%%=*}]+=" $value"
        done
    done
    for candidate in "${!seconds[@]}"; do seconds[$candidate]=$(median <<< "${seconds[$candidate]}"); done
}

# The one table: row WORK DTYPE LAYOUT UNIT OURS PEER THEIRS RATIO TARGET, where TARGET is as >=0.93, <=2 or - for none. An empty THEIRS: no peer.
header() { printf '%-26s %-5s %-6s %10s %-20s %10s %-9s %7s %7s\n' work dtype layout einrun peer "its figure" unit ratio target; }
row() {
    local theirs=${7:-} ratio=${8:-} verdict=""
    if [ "$9" != - ] && [ -n "$ratio" ]; then
        verdict=$(awk -v r="$ratio" -v t="${9#??}" -v sign="${9%"${9#??}"}" \
            'BEGIN {print(r != "nan" && (sign == ">=" ? r + 0 >= t + 0 : r + 0 <= t + 0) ? "met" : "MISSED")}')
    fi
    [ -n "$theirs$ratio" ] || theirs="no peer"
    printf '%-26s %-5s %-6s %10s %-20s %10s %-9s %7s %7s %s\n' "$1" "$2" "$3" "$(short "$5")" "$6" "$(short "$theirs")" "$4" "$(short "$ratio")" "$9" "$verdict"
}
short() { awk -v v="$1" 'BEGIN {if (v ~ /^[0-9.e+-]+$/) printf "%.*f", (v < 10 ? 2 : v < 1000 ? 1 : 0), v; else printf "%s", v}'; }
