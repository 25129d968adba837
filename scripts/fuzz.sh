#!/usr/bin/env bash
# Fuzzes the readers of everything that comes from outside, with sanitizers: scripts/fuzz.sh MINUTES [TARGET...]
#   TARGET  expression, graph, plan, cluster, llama_config, model_index, network, qasm, report, npy, sparse, schedule
#           (default: all, sharing the time)
# Needs clang (scripts/install-deps.sh --tests). Two processes at a time, or as many as there are cores. What is found
# goes to build-fuzz/found; inputs that reach new code stay there for the next time. `scripts/fuzz.sh merge TARGET` adds
# the smallest set of them to tests/fuzz/corpus. Exit code 1 when anything crashed, hung or leaked.
set -euo pipefail
cd "$(dirname "$0")/.."
usage() { sed -n '2,7s/^# //p' "$0" >&2; exit 2; }
[ $# -ge 1 ] || usage

mapfile -t known < <(sed -n 's/^ein_fuzz_target(\([a-z_]*\).*/\1/p' tests/fuzz/CMakeLists.txt)
found=$PWD/build-fuzz/found

# Twice as many executions in the same time: no search through what each input has reached (entropic), no inputs longer
# than any of the corpus needs, small memories of what was allocated. What is found is shown in full when run alone.
options=(-entropic=0 -max_len=3072 -timeout=10 -rss_limit_mb=2048)
asan=detect_leaks=1:malloc_context_size=2:quarantine_size_mb=8

build() {
    ./scripts/install-deps.sh --tests
    cmake --preset fuzz > /dev/null
    cmake --build build-fuzz --target fuzz_targets -- --quiet
}
run_target() {   # TARGET SECONDS; after each thing found it goes on, until ten are
    local end=$((SECONDS + $2)) begins=0
    mkdir -p "$found/$1"
    while [ "$SECONDS" -lt "$end" ] && [ "$begins" -lt 10 ]; do
        begins=$((begins + 1))
        "build-fuzz/tests/$1_fuzz" "${options[@]}" "-max_total_time=$((end - SECONDS))" -print_final_stats=1 \
            -verbosity=0 "-artifact_prefix=$found/$1-" "$found/$1" "tests/fuzz/corpus/$1" \
            >> "$found/$1.log" 2>&1 || true
    done
}
executed() { awk '/^stat::number_of_executed_units:/ {sum += $2} END {printf "%d", sum}' "$found/$1.log"; }

if [ "$1" = merge ]; then
    [ $# -eq 2 ] || usage
    build
    "build-fuzz/tests/$2_fuzz" -merge=1 "tests/fuzz/corpus/$2" "$found/$2"
    exit
fi
[[ "$1" =~ ^[0-9]+$ ]] || usage
seconds=$(($1 * 60))
shift
targets=("$@")
[ "${#targets[@]}" -gt 0 ] || targets=("${known[@]}")
for target in "${targets[@]}"; do
    [[ " ${known[*]} " == *" $target "* ]] ||
        { echo "fuzz.sh: expected a target of: ${known[*]}; found '$target'" >&2; exit 2; }
done
build
mkdir -p "$found"
rm -f "$found"/*.log
cores=$(nproc)
share=$((seconds * cores / ${#targets[@]}))
[ "$share" -le "$seconds" ] || share=$seconds
[ "$share" -ge 1 ] || share=1
export ASAN_OPTIONS=$asan UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
running=0
for target in "${targets[@]}"; do
    run_target "$target" "$share" &
    running=$((running + 1))
    if [ "$running" -ge "$cores" ]; then wait -n; running=$((running - 1)); fi
done
wait

total=0
for target in "${targets[@]}"; do
    count=$(executed "$target")
    printf '%-14s %12s executions\n' "$target" "$count"
    total=$((total + count))
done
echo "in all         $total"
if compgen -G "$found/*-crash-*" > /dev/null || compgen -G "$found/*-timeout-*" > /dev/null ||
    compgen -G "$found/*-oom-*" > /dev/null || compgen -G "$found/*-leak-*" > /dev/null; then
    echo "found, to be run alone with build-fuzz/tests/TARGET_fuzz FILE:" >&2
    ls "$found"/*-{crash,timeout,oom,leak}-* 2> /dev/null >&2 || true
    exit 1
fi
