#!/usr/bin/env bash
# What checkpoints cost, in the table of run.sh (whose meanings stand there):
#   scripts/bench/checkpoint.sh [PART...]     default: unasked save training
#   unasked   a loop of tiny tasks, the worst case: a run without --checkpoint beside one of OLD, a folder of programs
#             from before there were checkpoints (where given), and with --checkpoint that saves nothing, beside without
#   save      1 GiB: bytes a second of a save, beside dd conv=fsync of as many bytes into the same folder
#   training  a training step of a network: what steps take of a run that saves every 20 iterations, without the seconds
#             of saving, beside a run that saves nothing; and the bytes a second of its saves, beside dd
# FOLDER (default: a new one in /tmp): the disk to measure. Candidates take turns REPEATS times; figures are medians.
# Takes some minutes, 4 GiB of memory and 3 GiB of disk.
set -euo pipefail
if [[ ${1:-} = -* ]]; then sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; exit 2; fi
cd "$(dirname "$0")/../.."
source scripts/bench/lib.sh
[ $# -gt 0 ] || set -- unasked save training
disk=$(mktemp -d "${FOLDER:-/tmp}/checkpoint-XXXXXX")
trap 'rm -rf "$work" "$disk"' EXIT

# saved NAME RANKS THREADS EVERY: runs with --checkpoint into a new folder; the report is $work/report.json
saved() {
    rm -rf "$disk/D"
    mpirun -n "$2" "$bin/einrun" "$work/$1.$2" --threads "$3" --progress off --quiet --log-level error \
        --out "$work/out" --report "$work/report.json" --checkpoint "$disk/D" ${4:+--every "$4"}
}
of_report() { python3 -c '
import json, sys
found = json.load(open(sys.argv[1]))
for key in sys.argv[2:]: found = found[key]
print(found)' "$work/report.json" "$@"; }
execute() { of_report seconds execute; }
dd_seconds() {    # BYTES: of the same bytes, written and synced; what is there is removed first
    rm -f "$disk/dd"
    dd if=/dev/zero of="$disk/dd" bs=8M count="$1" iflag=count_bytes conv=fsync 2>&1 |
        sed -n 's/.*copied, \([0-9.e-]*\) s.*/\1/p'
}

tiny_graph() {
    cat > "$work/tiny.json" << JSON
{"eingraph": 1, "dtype": "f64",
 "tensors": {"A": {"shape": [64, 64], "data": {"random": "uniform", "low": 0, "high": 0.01, "seed": 1}},
             "x": {"shape": [64, 64], "data": {"random": "uniform", "seed": 2}}},
 "nodes": [{"name": "it", "loop": {"times": 60000, "carry": {"x": "y"},
             "body": [{"name": "z", "einsum": "ij,jk->ik", "inputs": ["A", "x"]},
                      {"name": "y", "einsum": "ij->ij", "join": "x / (1 + x)", "inputs": ["z"]}]}}],
 "outputs": ["it/x"]}
JSON
}
plain() { run tiny "$1" 1 1; }
old() { bin=$OLD run old "$1" 1 1; }
watched() { saved tiny "$1" 1 "" && execute; }
part_unasked() {
    local ranks
    tiny_graph
    cp "$work/tiny.json" "$work/old.json"
    for ranks in 1 2; do
        plan tiny $ranks
        if [ -n "${OLD:-}" ]; then
            bin=$OLD plan old $ranks
            alternate plain="plain $ranks" old="old $ranks"
            row "tiny tasks, not asked" f64 ${ranks}x1 ms "$(calc "1e3 * ${seconds[plain]}")" "programs of before" \
                "$(calc "1e3 * ${seconds[old]}")" "$(calc "${seconds[plain]} / ${seconds[old]}")" '<=1.05'
        fi
        alternate plain="plain $ranks" watched="watched $ranks"
        row "tiny tasks, none saved" f64 ${ranks}x1 ms "$(calc "1e3 * ${seconds[watched]}")" "no --checkpoint" \
            "$(calc "1e3 * ${seconds[plain]}")" "$(calc "${seconds[watched]} / ${seconds[plain]}")" '<=1.05'
    done
}

# What is alive at the moment of each iteration is x: 1 GiB.
save_seconds() { saved save "$1" "$2" 0.001s && of_report checkpoint seconds; }
part_save() {
    local layout ranks threads bytes=$((1 << 30))
    cat > "$work/save.json" << JSON
{"eingraph": 1, "dtype": "f64",
 "tensors": {"X": {"shape": [8192, 16384], "data": {"random": "uniform", "seed": 1}}},
 "nodes": [{"name": "first", "einsum": "ij->ij", "join": "2*x", "inputs": ["X"]},
           {"name": "it", "loop": {"times": 2, "carry": {"x": {"begin": "first", "next": "y"}},
             "body": [{"name": "y", "einsum": "ij->ij", "join": "x / (1 + x)", "inputs": ["x"]}]}},
           {"name": "sum", "einsum": "ij->", "inputs": ["it/x"]}],
 "outputs": ["sum"]}
JSON
    for layout in 1x2 2x1; do
        ranks=${layout%x*} threads=${layout#*x}
        plan save "$ranks"
        alternate save="save_seconds $ranks $threads" dd="dd_seconds $bytes"
        row "save 1 GiB" f64 $layout MB/s "$(calc "$bytes / 1e6 / ${seconds[save]}")" "dd conv=fsync" \
            "$(calc "$bytes / 1e6 / ${seconds[dd]}")" "$(calc "${seconds[dd]} / ${seconds[save]}")" '>=0.7'
    done
}

steps=100
training() { run training "$1" "$2" 1; }
training_saved() { saved training "$1" "$2" "${every}s" && execute; }
training_save() { saved training "$1" "$2" "${every}s" && of_report checkpoint seconds; }
part_training() {
    local layout ranks threads every plain saves
    "$bin/eintool" make network 1000 2000 2000 --iterations $steps --dtype f32 -o "$work/training.json"
    for layout in 1x2 2x1; do
        ranks=${layout%x*} threads=${layout#*x}
        plan training "$ranks"
        plain=$(training "$ranks" "$threads")
        every=$(calc "$plain / $steps * 20")
        alternate plain="training $ranks $threads" saved="training_saved $ranks $threads"
        saves=$(of_report checkpoint saved)
        row "steps, $saves saves" f32 $layout ms "$(calc "1e3 * ${seconds[saved]} / $steps")" "none saved" \
            "$(calc "1e3 * ${seconds[plain]} / $steps")" "$(calc "${seconds[saved]} / ${seconds[plain]}")" '<=1.05'
        alternate save="training_save $ranks $threads" dd="dd_seconds $(of_report checkpoint bytes)"
        row "its saves" f32 $layout ms "$(calc "1e3 * ${seconds[save]}")" "dd conv=fsync" \
            "$(calc "1e3 * ${seconds[dd]}")" "$(calc "${seconds[dd]} / ${seconds[save]}")" -
    done
}

environment
header
for part in "$@"; do "part_$part"; done
