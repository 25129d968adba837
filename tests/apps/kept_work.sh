#!/usr/bin/env bash
# No program loses what was computed, or advises to: checkpoints, inputs that outputs replace, schedules and scripts.
# Usage: kept_work.sh BIN_FOLDER
set -uo pipefail
bin=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
export EINLOOM_CACHE=$work/cache PATH=$bin:$PATH
cd "$work" || exit 1

# A checkpoint holds what manifest.json names. einplan writes nothing beside it, and what others put there does no harm.
cat > loop.json << 'EOF'
{"eingraph": 1, "dtype": "f64", "params": {"rate": 0.999},
 "tensors": {"W": {"shape": [1000], "data": {"fill": 1}}},
 "nodes": [{"name": "fit", "loop": {"times": 400000000, "carry": {"W": "W1"},
            "body": [{"name": "W1", "einsum": "i->i", "inputs": ["W"], "join": "x*rate"}]}}],
 "outputs": ["fit/W"]}
EOF
expect 0 "" einplan loop.json -n 1 -q
expect 75 "stopped early" einrun loop.sched -q --checkpoint ck --stop-at 1
expect 3 "/params/rate: expected 0.5, as this run sets it, found 0.999 in the checkpoint, as the run before did; \
run with --set rate=0.999 as before, or give another folder" einrun loop.sched -q --checkpoint ck --set rate=0.5
one=$(find ck -mindepth 1 -maxdepth 1 -name '0*')
expect 2 "-o: expected the schedule's file, since GRAPH lies in a checkpoint, where nothing else is kept, found none; \
write einplan --resume ck -n 1, or add -o FILE" einplan "$one/rest.json" -n 1 -q
[ ! -e "$one/rest.sched" ] || fail "a schedule was written into $one"
expect 2 "write einplan --resume $work/ck -n 3" bash -c "cd $one; einplan rest.json -n 3"
expect 3 "found a file; give the folder that checkpoints lie in: --resume $work/ck" \
    einplan --resume "$one/rest.json" -n 1
expect 0 "" einplan "$one/rest.json" -n 1 -q -o rest.sched
echo notes > "$one/notes.txt"
expect 0 "note: $one/notes.txt is no file of the checkpoint that it lies in, and goes when that is removed" \
    einplan --resume ck -n 1 -q
expect 0 "" test -e ck/rest.sched
for value in "$one"/*.npy; do printf x >> "$value"; done
expect 3 "; move $one out of ck to go on from the beginning" einplan --resume ck -n 1 -q

# A finished run is not run again by removing its results.
cat > add.json << 'EOF'
{"eingraph": 1, "tensors": {"A": {"shape": [4], "data": {"fill": 1}}},
 "nodes": [{"name": "B", "einsum": "i->i", "inputs": ["A"], "join": "x + 1"}], "outputs": ["B"]}
EOF
expect 0 "" einplan add.json -n 1 -q
expect 0 "" einrun add.sched -q --out res --checkpoint res
expect 0 "nothing to do; give another folder to --checkpoint to run it again" \
    einrun add.sched -q --out res --checkpoint res

# Results are not written into a checkpoint, which goes or is gone on from; beside checkpoints they are warned of.
in_none="--out: expected a folder that is in no checkpoint, which goes once there is a later one, found"
expect 2 "$in_none new/000001; give another, as --out results" einrun add.sched -q --checkpoint new --out new/000001
expect 2 "$in_none new/../new/000012/out, in $work/new/000012" \
    einrun add.sched -q --checkpoint ./new/ --out new/../new/000012/out
[ ! -e new ] || fail "new was made"
ln -s "$one" link
expect 2 "$in_none link, in $work/$one; give another" einrun add.sched -q --out link
expect 2 "$in_none $one" einrun add.sched -q --out "$one"
[ ! -e "$one/B.npy" ] || fail "a result was written into $one"
expect 0 "warning: --out and --checkpoint are one folder, ./both/: who removes the results removes the checkpoints \
too; give --checkpoint a folder of its own" einrun add.sched -q --out ./both/ --checkpoint both
for pair in "outer outer/ck" "outer2/out outer2" "o ."; do
    read -r out checkpoints <<< "$pair"
    said=$(einrun add.sched -q --out "$out" --checkpoint "$checkpoints" 2>&1) || fail "$pair: $said"
    [[ "$said" != *warning* ]] || fail "$pair: $said"
done
rm -f .lock finished.json

# No output replaces the file of an input.
mkdir -p results
cp res/B.npy results/W1.npy
cp res/B.npy W0.npy
cat > step.json << 'EOF'
{"eingraph": 1, "tensors": {"W": {"shape": [4], "data": {"npy": "results/W1.npy"}}},
 "nodes": [{"name": "W1", "einsum": "i->i", "inputs": ["W"], "join": "x + 1"}], "outputs": ["W1"]}
EOF
expect 0 "" einplan step.json -n 1 -q
told="output 'W1' is written to results/W1.npy, which tensor 'W' is read from"
expect 2 "--out: expected a folder where no output replaces an input, found that $told; give another, as --out new" \
    einrun step.sched -q
expect 2 "found that $told" einrun step.sched -q --input W="$work/results/../results/W1.npy"
expect 2 "--report: expected another file than that of tensor 'W', which is read, found 'results/W1.npy' for both" \
    einrun step.sched -q --out new --report results/W1.npy
expect 2 "--trace: expected another file than an output, which is written too, found 'new/W1.npy' for both" \
    einrun step.sched -q --out new --trace new/W1.npy
expect 2 "--out, output 'W1': expected another file than that of tensor 'W', which is read, found 'results/W1.npy' for \
both; give another name" eintool eval step.json --out results
expect 2 "-o: expected another file than that of tensor 'W', which is read, found './results/W1.npy' for both" \
    einplan step.json -n 1 -o ./results/W1.npy
expect 2 "--plan-out: expected another file than that of tensor 'W', which is read" \
    einplan step.json -n 1 --plan-out results/W1.npy
ln results/W1.npy linked.sched
expect 2 "-o: expected another file than that of tensor 'W', which is read, found 'linked.sched' for both" \
    einplan step.json -n 1 -o linked.sched
expect 2 "--explain=html: expected another file than -o, which is written too, found 'both.html' for both" \
    einplan step.json -n 1 -o both.html --explain=html
expect 0 "" cmp results/W1.npy W0.npy
expect 0 "" einrun step.sched -q --verify --input W=W0.npy
expect 0 "" einrun step.sched -q --verify --out fresh
# One that is the input itself stays as it is.
sed 's#results/W1#same/W#; s/"outputs": ./&"W", /' step.json > same.json
mkdir same
cp W0.npy same/W.npy
expect 0 "" einplan same.json -n 1 -q
expect 0 "" einrun same.sched -q --verify --out same

# Nor does a file of one kind replace one of another.
lost="under that name, found 'W0.npy', a .npy file, which would be lost; give another name, or remove it first"
expect 2 "-o: expected a schedule's file, or none, $lost" einplan add.json -n 1 -o W0.npy
expect 2 "--plan-out: expected a plan's file, or none, $lost" einplan add.json -n 1 --plan-out W0.npy
expect 2 "-o: expected a graph's file, or none, $lost" eintool make matmul 4 4 4 -o W0.npy
expect 2 "-o: expected a graph's file, or none, $lost" \
    eintool import einsum "ij,jk->ik" --shapes 2x3,3x4 -o W0.npy
expect 2 "--report: expected a report's file, or none, $lost" einrun add.sched -q --report W0.npy
expect 2 "--trace: expected a trace's file, or none, $lost" einrun add.sched -q --trace W0.npy
expect 2 "--cluster-out: expected a cluster's file, or none, $lost" eintool preflight --cluster-out W0.npy
expect 2 "found 'step.json', a graph, which would be lost" einplan add.json -n 1 -o step.json
expect 2 "found 'add.sched', a schedule, which would be lost" eintool make matmul 4 4 4 -o add.sched
echo '{"einsum": "ij,jk->ik", "shapes": [[2, 3], [3, 4]]}' > net.json
expect 2 "-o: expected another file than WHAT, which is read, found 'net.json' for both" \
    eintool import opt_einsum net.json -o net.json
expect 0 "" cmp W0.npy res/B.npy
expect 0 "" einplan add.json -n 1 -q -o add.sched
expect 0 "" eintool make matmul 4 4 4 -o made.json
expect 0 "" eintool make matmul 4 4 8 -o made.json

# A script is printed, a schedule is a file.
expect 2 "-o: expected the schedule's file, since --batch prints the script, found 'job.sh'; write > job.sh" \
    einplan add.json -n 2 --batch slurm -o job.sh
[ ! -e job.sh ] || fail "job.sh was written"
expect 2 "--batch: expected another file than the schedule's for what is printed, found 'add.sched' for both; write \
> job.sh" bash -c 'einplan add.json -n 2 --batch slurm > add.sched'
expect 2 "standard output: expected another file" bash -c 'einplan add.json -n 2 --explain -o e.sched > e.sched'
expect 0 "" bash -c 'einplan add.json -n 2 --batch slurm > job.sh'
expect 0 "#SBATCH" head -5 job.sh

exit "$failed"
