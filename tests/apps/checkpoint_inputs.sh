#!/usr/bin/env bash
# --checkpoint-inputs: the folder of checkpoints is enough to go on. Files that inputs are read from are copied there,
# each once, before the run begins; then they may be gone, changed or on another machine.
# Usage: checkpoint_inputs.sh BIN_FOLDER MPIEXEC NUMPROC_FLAG
set -u
bin=$1 mpiexec=$2 flag=$3
source "$(dirname "$(realpath "$0")")/checkpoint_steps.sh"

# Two files of one name, one of them read by two tensors, a sparse one, and a tensor that is no file; and nodes that are
# made as little as is read of them.
mkdir -p data/a data/b
cat > make.json << JSON
{"eingraph": 1, "dtype": "f64", "outputs": ["M", "x", "S"],
 "tensors": {"m": {"shape": [200, 200], "data": {"random": "uniform", "high": 0.01, "seed": 1}},
             "v": {"shape": [200, 200], "data": {"random": "uniform", "seed": 2}},
             "s": {"shape": [200, 200], "sparse": true,
                   "data": {"random": "uniform", "density": 0.05, "seed": 3}}},
 "nodes": [{"name": "M", "einsum": "ij->ij", "inputs": ["m"]}, {"name": "x", "einsum": "ij->ij", "inputs": ["v"]},
           {"name": "S", "einsum": "ij->ij", "inputs": ["s"], "sparse": true}]}
JSON
"$bin/einplan" make.json -n 1 -q && run 1 make.sched made || { fail "making data: $(cat said)"; exit 1; }
cp made/M.npy data/a/X.npy; cp made/x.npy data/b/X.npy; cp made/S.npz data/S.npz
cat > graph.json << JSON
{"eingraph": 1, "dtype": "f64", "outputs": ["q", "L/x", "t", "Z"],
 "tensors": {"B": {"shape": [200, 200], "data": {"npy": "data/a/X.npy"}},
             "A": {"shape": [200, 200], "data": {"npy": "data/a/X.npy"}},
             "x": {"shape": [200, 200], "data": {"npy": "data/b/X.npy"}},
             "S": {"shape": [200, 200], "sparse": true, "data": {"scipy": "data/S.npz"}},
             "r": {"shape": [200, 200], "data": {"random": "uniform", "seed": 5}},
             "n": {"shape": [50], "dtype": "i64", "data": {"random": "uniform", "high": 200, "seed": 6}}},
 "nodes": [{"name": "L", "loop": {"times": 3000, "carry": {"x": "x_next"}, "body": [
              {"name": "Bx", "einsum": "ij,jk->ik", "inputs": ["B", "x"]},
              {"name": "x_next", "einsum": "ij,ij->ij", "inputs": ["Bx", "r"], "join": "sin(x) + y"}]}},
           {"name": "Sx", "einsum": "ij,jk->ik", "inputs": ["S", "L/x"]},
           {"name": "q", "einsum": "ij,jk->ik", "inputs": ["A", "Sx"]},
           {"name": "SS", "einsum": "ij,kj->ik", "inputs": ["S", "S"]},
           {"name": "t", "einsum": "ii->", "inputs": ["SS"]},
           {"name": "H", "op": "one_hot", "inputs": ["n"], "depth": 200},
           {"name": "Z", "einsum": "iv,vd->id", "inputs": ["H", "L/x"]}]}
JSON
"$bin/einplan" graph.json -n 2 --decompose eindecomp -q -o graph.sched && run 2 graph.sched whole ||
    fail "the undisturbed run: $(cat said)"
cp -r data original

# The copies are there before the first checkpoint, and in all of them no file twice.
run 2 graph.sched stopped --checkpoint ckpt --checkpoint-inputs --stop-at 0.06; code=$?
[ $code = 75 ] || fail "a run that is to stop early: code $code, $(cat said)"
grep -q "the inputs (3 files, .*) were copied to ckpt/000001" said || fail "it does not say what it copied: $(cat said)"
[ "$(cd ckpt/000001 && echo *)" = "S.npz X.npy X~2.npy manifest.json rest.json" ] || fail "$(ls ckpt/000001)"
[ "$(ls ckpt | grep '^0')" = $'000001\n000002' ] || fail "$(ls ckpt)"
cmp data/b/X.npy ckpt/000001/X.npy && cmp data/a/X.npy ckpt/000001/X~2.npy && cmp data/S.npz ckpt/000001/S.npz ||
    fail "a copy is another file"
"$bin/eintool" show ckpt > shown || fail "eintool show"
grep -q 'copied: .*B (000001/X~2.npy)' shown || fail "eintool show does not say what is copied: $(cat shown)"
"$bin/eintool" show ckpt/000001 --check | grep -q 'copies  *3 files, ' || fail "$("$bin/eintool" show ckpt/000001)"

# On another machine: the folder and nothing else, on the same schedule and on other numbers of ranks.
mkdir elsewhere && cp -r ckpt graph.sched elsewhere
cd elsewhere || exit 1
for ranks in 1 3; do
    cp -r ckpt folder
    "$bin/einplan" --resume folder -n $ranks -q -o rest.sched &&
        run $ranks rest.sched elastic --checkpoint folder --verify ||
        fail "$ranks ranks have the folder alone: $(cat said)"
    for file in ../whole/*.npy; do
        "$bin/eintool" diff "$file" "elastic/$(basename "$file")" --tolerance 1e-9 > differ || fail "$(cat differ)"
    done
    rm -rf folder
done
run 2 graph.sched resumed --checkpoint ckpt --verify --report report.json ||
    fail "the same schedule has the folder alone: $(cat said)"
grep -q '"resumed_from": "ckpt/000002"' report.json || fail "it does not go on: $(grep resumed report.json)"
diff -rq ../whole resumed || fail "with the folder alone the results are others"
cd ..

# Only the beginning is there: the schedule begins with the copies, other numbers of ranks with all of the graph.
cp -r ckpt begun; rm -rf begun/000002 data
"$bin/einplan" --resume begun -n 3 -q -o rest.sched && run 3 rest.sched elastic || fail "the beginning: $(cat said)"
"$bin/eintool" diff whole/q.npy elastic/q.npy --tolerance 1e-9 > differ || fail "the beginning: $(cat differ)"
run 2 graph.sched resumed --checkpoint begun --checkpoint-inputs || fail "a run that begins with copies: $(cat said)"
grep -q "begins with the inputs in begun/000001" said || fail "it does not say so: $(cat said)"
diff -rq whole resumed || fail "a run that begins with copies has other results"

# An original that is another file now is said, and the copy is read; one of another name is other data.
cp -r original data; cp ckpt/000001/X.npy kept.npy; cp -r ckpt changed
printf 'xx' | dd of=data/b/X.npy bs=1 seek=200 conv=notrunc 2> dd
run 2 graph.sched resumed --checkpoint changed; code=$?
{ [ $code = 0 ] && grep -q "data/b/X.npy is another file now.*000001/X.npy" said; } ||
    fail "a changed original: code $code, $(cat said)"
diff -rq whole resumed || fail "a changed original was read"
rm -rf changed; cp -r ckpt changed
run 2 graph.sched resumed --checkpoint changed --input x=data/b/X.npy; code=$?
{ [ $code = 3 ] && grep -q "tensor 'x'" said; } || fail "other data: code $code, $(cat said)"
run 2 graph.sched resumed --checkpoint changed --input x=kept.npy || fail "the same under another name: $(cat said)"
diff -rq whole resumed || fail "with a file of the same contents the results are others"
rm -rf data; cp -r original data

# Copies that are damaged, or gone.
printf 'x' | dd of=ckpt/000001/X~2.npy bs=1 seek=100001 conv=notrunc 2> dd
for command in "$bin/einplan --resume ckpt -n 3 --dry-run" "run 2 graph.sched refused --checkpoint ckpt"; do
    $command > out 2>> out; code=$?; cat said >> out
    { [ $code = 3 ] && grep -q "000001/X~2.npy: from byte 0: expected bytes with the hash" out; } ||
        fail "a damaged copy: code $code, $(cat out)"
done
rm ckpt/000001/X~2.npy
run 2 graph.sched refused --checkpoint ckpt; code=$?
{ [ $code = 3 ] && grep -q "000001/X~2.npy: expected a file, found none; move ckpt/000002 out of ckpt" said; } ||
    fail "a copy that is gone: code $code, $(cat said)"

# A checkpoint that was saved without: the copies become those of an earlier one, and the next checkpoint names them.
rm -rf ckpt
run 2 graph.sched stopped --checkpoint ckpt --stop-at 0.06 || [ $? = 75 ] || fail "without: $(cat said)"
run 2 graph.sched stopped --checkpoint ckpt --checkpoint-inputs --stop-at 0.000001; code=$?
{ [ $code = 75 ] && [ "$(ls ckpt | grep '^0')" = $'000000\n000002' ]; } ||
    fail "later: code $code, $(ls ckpt; cat said)"
rm -rf data
run 2 graph.sched stopped --checkpoint ckpt || fail "a run with later copies: $(cat said)"
diff -rq whole stopped || fail "a run with later copies has other results"
cp -r original data

# Files below a folder are read from their copies outside of it; what is not there is said before anything is made.
rm -rf ckpt stopped
run 2 graph.sched stopped --checkpoint ckpt --checkpoint-inputs --inputs-below data || fail "below: $(cat said)"
diff -rq whole stopped || fail "with --inputs-below the results are others"
rm -rf ckpt data/S.npz
run 2 graph.sched stopped --checkpoint ckpt --checkpoint-inputs; code=$?
{ [ $code = 3 ] && grep -q "data/S.npz: tensor 'S': expected a file to copy" said && [ -z "$(ls ckpt)" ]; } ||
    fail "no file to copy: code $code, $(ls ckpt; cat said)"
"$bin/einrun" graph.sched --checkpoint-inputs 2> said; [ $? = 2 ] || fail "--checkpoint-inputs alone: $(cat said)"
exit $failed
