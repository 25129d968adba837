#!/usr/bin/env bash
# What newcomers run into while a schedule is run: the message names the place and the mend.
# Usage: newcomer_runs.sh BIN_FOLDER MPIEXEC NUMPROC_FLAG
set -uo pipefail
bin=$1 mpiexec=$2 np=$3
source "$(dirname "$(realpath "$0")")/expect.sh"
cd "$work" || exit 1
# refuse TEXT COMMAND...: nothing of what it prints holds TEXT
refuse() {
    local text=$1 out; shift
    out=$("$@" 2>&1)
    if [[ "$out" == *"$text"* ]]; then echo "FAILED: $* : says '$text': $out"; failed=1; fi
}
run() { "$mpiexec" "$np" 2 "$bin/einrun" "$@"; }

python3 - <<'PY'
import json, struct, zipfile
def npy(path, values, descr, shape):
    header = str({"descr": descr, "fortran_order": False, "shape": shape}).ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + values
tokens = [0, 1, 9, 2]
open("tok.npy", "wb").write(npy("tok.npy", struct.pack("<4q", *tokens), "<i8", (2, 2)))
with zipfile.ZipFile("two.npz", "w") as archive:
    for name, value in (("a", 1.0), ("b", 2.0)):
        archive.writestr(name + ".npy", npy(name, struct.pack("<4f", *[value] * 4), "<f4", (4,)))
rows = {"eingraph": 1, "tensors": {"E": {"shape": [6, 3], "data": {"random": "uniform"}},
                                   "tok": {"shape": [2, 2], "dtype": "i64"}},
        "nodes": [{"name": "r", "op": "gather", "inputs": ["E", "tok"]}], "outputs": ["r"]}
json.dump(rows, open("rows.json", "w"))
rows["nodes"].insert(0, {"name": "later", "einsum": "ij->ij", "inputs": ["tok"], "join": "x + 5"})
rows["nodes"][1]["inputs"][1] = "later"
rows["tensors"]["tok"]["data"] = {"values": [[-5, -4], [1, -5]]}
json.dump(rows, open("made.json", "w"))
json.dump({"eingraph": 1, "tensors": {"A": {"shape": [4]}}, "outputs": ["A"]}, open("given.json", "w"))
for name, most in (("short", 5), ("long", 500)):
    body = [{"name": "y", "einsum": "i->i", "inputs": ["x"], "join": "x/2"},
            {"name": "more", "einsum": "i->", "inputs": ["y"], "join": "x > 0.001", "agg": "any"}]
    json.dump({"eingraph": 1, "tensors": {"x": {"shape": [4], "data": {"fill": 1}}},
               "nodes": [{"name": "halve", "loop": {"while": "more", "max": most, "carry": {"x": "y"}, "body": body}}],
               "outputs": ["halve/x"]}, open(name + ".json", "w"))
PY
for name in rows made given short long; do "$bin/einplan" $name.json -n 2 -q; done

# A raw file that fits and holds another dtype is noted when it is planned, and when it is given.
python3 - <<'PY'
import json, math, struct
numbers = [math.sin(1.7 * k) * 3 + 0.01 * k for k in range(200)]
open("head.bin", "wb").write(b"HEAD" * 4 + struct.pack("<200f", *numbers))
open("whole.bin", "wb").write(struct.pack(">100d", *numbers[:100]))
json.dump({"eingraph": 1, "dtype": "f64",
           "tensors": {"R": {"shape": [100], "data": {"raw": "head.bin", "offset": 16}}, "S": {"shape": [100]}},
           "nodes": [{"name": "t", "einsum": "i,i->", "inputs": ["R", "S"]}], "outputs": ["t"]}, open("raw.json", "w"))
PY
noted="note: 'R' is read from 'head.bin' from byte 16 on as f64, numbers of "
expect 0 "$noted" "$bin/einplan" raw.json -n 2
expect 0 "$noted" "$bin/eintool" validate raw.json
expect 0 ': give the tensor "dtype": "f32" and "shape": [200], or "dtype": "c64", if that was written' \
    "$bin/einplan" raw.json -n 2 --dry-run
expect 0 "warning: --input S: 'S' is read from '$work/whole.bin' as f64" run raw.sched --quiet --input S=whole.bin
[ "$(run raw.sched --quiet --input S=whole.bin 2>&1 | grep -c 'bytes in the other order')" = 1 ] ||
    { echo "FAILED: the order of bytes is not told once"; failed=1; }
sed -i 's/"f64"/"f32"/; s/"shape": .100./"shape": [200]/g' raw.json
refuse "is read from" "$bin/einplan" raw.json -n 2

# An index out of range: which tensor, where, how many there are; before the run where it is known then.
expect 3 "tensor 'tok': expected an index from -6 to 5, found 9 at [1, 0]" run rows.sched --input tok=tok.npy --quiet
expect 3 "tensor 'tok': expected an index from -6 to 5, found 9 at [1, 0]" \
    run rows.sched --input tok=tok.npy --quiet --device emulated
for device in cpu emulated; do
    expect 3 "tensor 'later': expected an index from -6 to 5, found 6 at [1, 0]" \
        run made.sched --quiet --device $device
done
expect 3 "node 'r', indices 'later': expected an index from -6 to 5, found 6 at [1, 0]" "$bin/eintool" eval made.json
expect 3 "/tensors/tok: expected indices from -6 to 5" "$bin/eintool" eval rows.json --input tok=tok.npy

# One array of several in a file.
expect 0 "" run given.sched --input A=two.npz:b --quiet --out b
expect 0 "" run given.sched --input A=two.npz:a --quiet --out a
if cmp -s a/A.npy b/A.npy; then echo "FAILED: two.npz:a and two.npz:b gave one array"; failed=1; fi
expect 3 "two.npz" run given.sched --input A=two.npz:c --quiet

# A loop that ends because it had as many iterations as it may is told, once.
expect 0 "loop 'halve' had all of its 5 iterations, and its condition still asks for another" run short.sched --quiet
[ "$(run short.sched --quiet 2>&1 | grep -c "had all of its")" = 1 ] || { echo "FAILED: not told once"; failed=1; }
refuse "had all of its" run long.sched --quiet
refuse "after its first iteration" run long.sched --quiet

# So is one whose condition ended it at once, as an "until" that was written as "while".
sed 's/"x > /"x < /' long.json > once.json
"$bin/einplan" once.json -n 2 -q
expect 0 "loop 'halve' ended after its first iteration: its \"while\" was 0 there; it goes on" \
    run once.sched --quiet
expect 0 "eintool: warning: loop 'halve' ended after its first iteration" "$bin/eintool" eval once.json
refuse "after its first iteration" "$bin/eintool" eval long.json

expect 2 "give --device cuda: ranks take in turn the GPUs" run given.sched --device cuda:1
expect 2 "GPUs are NVIDIA's alone" run given.sched --device rocm

# A disk that is full for rank 1 alone: the reason is told, once for many failures.
python3 - <<'PY'
import json
body = [{"name": "y", "einsum": "ij->ij", "inputs": ["x"], "join": "0.9*x"}]
json.dump({"eingraph": 1, "dtype": "f64", "tensors": {"x": {"shape": [1800, 1800], "data": {"random": "uniform"}}},
           "nodes": [{"name": "steps", "loop": {"times": 4000, "carry": {"x": "y"}, "body": body}},
                     {"name": "total", "op": "sum", "inputs": ["steps/x"]}], "outputs": ["total"]},
          open("steps.json", "w"))
PY
"$bin/einplan" steps.json -n 2 -q

# Too little memory for a loop, whose blocks do not spill: the command that is advised finds the ranks that do.
out=$(run steps.sched --quiet --memory 10MiB --spill-dir spilled 2>&1); got=$?
advice=$(sed -n 's/.*, which tries other plans and says how many ranks it takes: einplan \(.*B\)$/\1/p' <<< "$out")
if [ $got != 4 ] || [ -z "$advice" ] ||
    [[ "$out" != *"since those of loops do not spill, found 10 MiB a rank"* ]]; then
    echo "FAILED: --memory 10MiB: exit $got: $out"; failed=1
fi
read -ra words <<< "$advice"
out=$("$bin/einplan" "${words[@]}" --dry-run 2>&1); got=$?
ranks=$(sed -n 's/.*with -n \([0-9]*\) it fits$/\1/p' <<< "$out")
if [ $got != 4 ] || [ -z "$ranks" ] || [[ "$out" == *spill* ]]; then fail "einplan $advice: exit $got: $out"; fi
expect 0 "" "$bin/einplan" steps.json -n "${ranks:-1}" --memory 10MiB --dry-run -q

# Of 26 MB rank 1 has the second half; 16 MiB are as much as it may write, and enough for what MPI shares.
small='ulimit -f 16384; trap "" XFSZ; exec "$0" "$@"'
full=("$bin/einrun" steps.sched --quiet --checkpoint ck --every 0.01s)
out=$("$mpiexec" "$np" 1 "${full[@]}" : "$np" 1 bash -c "$small" "${full[@]}" 2>&1); got=$?
# How often a checkpoint is tried is a matter of speed; when the last three and more failed, the exit code is 1.
due=0
if [[ "$out" == *" checkpoints could not be saved; the results are complete"* ]]; then due=1; fi
if [ $got != $due ] || [[ "$out" != *"no checkpoint was saved: "*"File too large"* ]] || [ ! -s results/total.npy ] ||
    [ "$(grep -c "no checkpoint was saved" <<< "$out")" != 1 ]; then
    echo "FAILED: a full disk of rank 1: exit $got: $out"; failed=1
fi

# Rank 0, which speaks for all, is killed: another rank says where the last tasks of all are.
cat > start.sh << 'END'
[ "$OMPI_COMM_WORLD_RANK" = 0 ] && echo $$ > zero
[ "$OMPI_COMM_WORLD_RANK" = 1 ] && echo $$ > one
exec "$@"
END
"$mpiexec" "$np" 2 bash start.sh "$bin/einrun" steps.sched --quiet --repeat 100000 --out killed > killed.txt 2>&1 &
job=$!
ready() { [ -s zero ] && [ -s one ] && [ $((0x$(sed -n 's/^SigCgt:\t//p' "/proc/$(cat one)/status") & 0x4000)) != 0 ]; }
for _ in $(seq 300); do if ready 2> /dev/null; then break; fi; sleep 0.1; done
sleep 1
kill -9 "$(cat zero)"
wait "$job"; got=$?
if [ $got != 137 ] || ! grep -qF "its last tasks are in $work/killed.flight/rank-1.json" killed.txt ||
    [ ! -s killed.flight/rank-1.json ] || [ -e killed/total.npy ]; then
    echo "FAILED: rank 0 killed: exit $got: $(cat killed.txt)"; failed=1
fi
exit $failed
