#!/usr/bin/env bash
# Runs that are stopped, killed and gone on with: the results have the bits of an undisturbed run; on another number of
# ranks they agree with it; what does not belong to a run is refused by name.
# Usage: checkpoint_runs.sh BIN_FOLDER MPIEXEC NUMPROC_FLAG [RANKS...]; without RANKS what is alike for all of them:
# spilled, sparse and idle, devices, options.
set -u
bin=$1 mpiexec=$2 flag=$3; shift 3
source "$(dirname "$(realpath "$0")")/checkpoint_steps.sh"
always=(--log-level error)

"$bin/eintool" make attention 64 2 16 -o other.json || exit 1
"$bin/eintool" make matrix-chain 200 -o chain.json || exit 1
for ranks in "$@"; do
    # Some tenths of a second and more on any machine: it is looked every 50 ms whether a run is to stop. Iterations are
    # long rather than many: on a busy machine a message takes as long as it takes the other rank to get a core.
    "$bin/eintool" make linear-regression $((4000 * ranks)) 500 --iterations 300 -o train.json || exit 1
    "$bin/einplan" train.json -n "$ranks" --decompose eindecomp -q -o train.sched || exit 1
    run "$ranks" train.sched whole || fail "the undisturbed run on $ranks ranks: $(cat said)"

    # Stopped as soon as it may be, again and again.
    rm -rf ckpt stopped; stops=0
    while run "$ranks" train.sched stopped --checkpoint ckpt --stop-at 0.05 --report report.json
        code=$?; [ $code = 75 ]
    do stops=$((stops + 1)); [ $stops -lt 4 ] || break; done
    [ $stops -ge 1 ] || fail "$ranks ranks: a run was to stop early, it ended with code $code: $(cat said)"
    "$bin/eintool" show ckpt > /dev/null || fail "eintool show of a checkpoint of $ranks ranks"
    cp -r ckpt kept
    run "$ranks" train.sched stopped --checkpoint ckpt --report report.json --trace trace.json ||
        fail "$ranks ranks go on: $(cat said)"
    "$bin/eintool" trace trace.json | grep -q "went on from a checkpoint" || fail "its trace does not say so"
    diff -rq whole stopped || fail "$ranks ranks: a run that was stopped $stops times has other results"
    grep -q '"resumed_from": "ckpt/0' report.json || fail "the report does not say where the run went on"

    # Finished: the same command has nothing to do, while its results are there; else it goes on.
    run "$ranks" train.sched stopped --checkpoint ckpt || fail "$ranks ranks, finished: $(cat said)"
    grep -q "nothing to do" said || fail "$ranks ranks do again what is done: $(cat said)"
    "$bin/eintool" show ckpt | grep -q '^finished .* in stopped' || fail "eintool show of a finished run"
    printf 'x' | dd of="$(ls stopped/*.npy | head -1)" bs=1 seek=130 conv=notrunc 2> /dev/null
    run "$ranks" train.sched stopped --checkpoint ckpt || fail "$ranks ranks, a result that changed: $(cat said)"
    diff -rq whole stopped || fail "$ranks ranks: a result that changed is not made again"
    grep -q "^einrun: finished at .*, but the results are not in stopped as they were written" said ||
        fail "$ranks ranks, a result that changed: $(cat said)"
    rm -rf stopped
    run "$ranks" train.sched stopped --checkpoint ckpt || fail "$ranks ranks, results that are gone: $(cat said)"
    diff -rq whole stopped || fail "$ranks ranks: results that are gone are not made again"
    run "$ranks" train.sched stopped --checkpoint ckpt --verify || fail "$ranks ranks, verified: $(cat said)"
    ! grep -q "nothing to do" said || fail "$ranks ranks: nothing was verified"
    grep -q "^einrun: finished at .* are in stopped; --report.* take a run all the same" said ||
        fail "$ranks ranks, verified: $(cat said)"
    "$bin/einplan" --resume ckpt -n 1 --dry-run -q 2> said || fail "planning what a finished run left: $(cat said)"
    grep -q "note: a run with ckpt was finished at .*, with results in stopped; planned is what came after" said ||
        fail "planning what a finished run left: $(cat said)"

    # Killed.
    rm -rf ckpt killed
    kill_when true "$ranks" train.sched killed || fail "$ranks ranks saved nothing before they could be killed"
    run "$ranks" train.sched killed --checkpoint ckpt || fail "$ranks ranks after a kill: $(cat said)"
    diff -rq whole killed || fail "$ranks ranks: a run that was killed has other results"

    # On another number of ranks; stopped there at once and planned again, twice: the files of the first are still read.
    for other in $(((ranks + 1) % 3 + 1)) "$ranks"; do
        "$bin/einplan" --resume kept -n "$other" --decompose eindecomp -q -o rest.sched ||
        fail "what $ranks ranks left, planned for $other"
        run "$other" rest.sched elastic --checkpoint kept --stop-at 0.000001; code=$?
        [ $code = 75 ] || fail "$other ranks that go on for $ranks are to stop: code $code, $(cat said)"
    done
    other=$((ranks % 3 + 1))
    "$bin/einplan" --resume kept -n "$other" --decompose eindecomp -q -o rest.sched ||
        fail "what $ranks ranks left, planned for $other"
    run "$other" rest.sched elastic --checkpoint anew --stop-at 0.000001
    grep -q "^einrun: no checkpoint in anew: from the beginning of what kept/0[0-9]* left to do$" said ||
        fail "what is left begins in a folder of its own: $(cat said)"
    run "$other" rest.sched elastic --checkpoint kept || fail "$other ranks go on for $ranks: $(cat said)"
    for file in whole/*.npy; do
        "$bin/eintool" diff "$file" "elastic/$(basename "$file")" --tolerance 1e-3 > differ \
            || fail "$other ranks after $ranks: $(cat differ)"
    done
    run "$ranks" train.sched stopped --checkpoint kept --stop-at 0.000001
    grep -q "^einrun: a run of another schedule, .* was finished in kept at .*, with results in elastic$" said ||
        fail "the first schedule after what was left is finished: $(cat said)"
    rm -rf kept anew

    # What belongs to another schedule, or is damaged.
    rm -rf ckpt
    kill_when "compgen -G 'ckpt/0*/*.npy' > values" "$ranks" train.sched stopped ||
        fail "$ranks ranks: a run saved no value: $(cat said)"
    "$bin/einplan" other.json -n "$ranks" --decompose eindecomp -q -o other.sched || exit 1
    run "$ranks" other.sched refused --checkpoint ckpt; code=$?
    { [ $code = 3 ] && grep -q "another schedule.*of another graph" said && ! grep -q "einplan --resume" said; } ||
        fail "a checkpoint of another graph: code $code, $(cat said)"
    "$bin/einplan" train.json -n "$ranks" --parts $((4 * ranks)) -q -o other.sched || exit 1
    run "$ranks" other.sched refused --checkpoint ckpt; code=$?
    { [ $code = 3 ] && grep -q "another schedule.*of the same graph" said && grep -q "einplan --resume" said; } ||
        fail "a checkpoint of another schedule: code $code, $(cat said)"
    file=$(ls ckpt/0*/*.npy | head -1)
    printf 'x' | dd of="$file" bs=1 seek=130 conv=notrunc 2> /dev/null
    run "$ranks" train.sched refused --checkpoint ckpt; code=$?
    { [ $code = 3 ] && grep -q "$(basename "$file")" said; } || fail "a damaged checkpoint: code $code, $(cat said)"
done
[ $# = 0 ] || exit $failed

# Blocks on disk.
"$bin/einplan" chain.json -n 2 --decompose eindecomp -q -o chain.sched && run 2 chain.sched chain_whole
rm -rf ckpt

# Finished without a checkpoint.
run 2 chain.sched chain_finished --checkpoint unsaved || fail "a run that saves nothing: $(cat said)"
"$bin/einplan" --resume unsaved -n 2 --dry-run 2> said
{ [ $? = 3 ] && grep -q "a run that was finished at .* with results in chain_finished; nothing is left" said; } ||
    fail "--resume of a finished run: $(cat said)"
"$bin/eintool" show unsaved > said 2>&1 && grep -q "^finished .*: 1 result in chain_finished$" said ||
    fail "eintool show of a finished run without a checkpoint: $(cat said)"

run 2 chain.sched chain_stopped --checkpoint ckpt --stop-at 0.000001 --memory 500KiB --spill-dir "$work"; code=$?
[ $code = 75 ] || fail "a spilled run that is to stop early: code $code, $(cat said)"
run 2 chain.sched chain_stopped --checkpoint ckpt --memory 500KiB --spill-dir "$work" \
    || fail "a spilled run goes on: $(cat said)"
diff -rq chain_whole chain_stopped || fail "a spilled run that was stopped has other results"

# A sparse input at the beginning and at the end of a chain: it is read again, in memory or into the spill file.
nodes='{"name": "z", "einsum": "ij,jk->ik", "inputs": ["A", "x"]},
       {"name": "p0", "einsum": "ik,il->kl", "inputs": ["z", "z"], "join": "x*y/1000"}'
for k in $(seq 40); do
    nodes+=",{\"name\": \"p$k\", \"einsum\": \"kl,lm->km\", \"inputs\": [\"p$((k - 1))\", \"D\"]}"
done
cat > sparse.json << JSON
{"eingraph": 1, "dtype": "f64",
 "tensors": {"A": {"shape": [900, 900], "sparse": true, "data": {"random": "uniform", "density": 0.1, "seed": 1}},
             "D": {"shape": [400, 400], "data": {"random": "uniform", "low": 0, "high": 0.005, "seed": 3}},
             "x": {"shape": [900, 400], "data": {"random": "uniform", "seed": 2}}},
 "nodes": [$nodes, {"name": "s", "einsum": "jk,kl->jl", "inputs": ["x", "p40"]},
           {"name": "back", "einsum": "ij,ik->jk", "inputs": ["A", "s"]}], "outputs": ["back"]}
JSON
"$bin/einplan" sparse.json -n 2 --decompose eindecomp -q -o sparse.sched && run 2 sparse.sched sparse_whole
for memory in 1GiB 5000KiB; do
    rm -rf ckpt sparse_stopped
    for stop in 0.000001 0.07 0.07 0.07; do
        run 2 sparse.sched sparse_stopped --checkpoint ckpt --stop-at $stop --memory $memory --spill-dir "$work"
        code=$?
        [ $code = 75 ] || [ $code = 0 ] || fail "a run with sparse inputs and $memory: code $code, $(cat said)"
    done
    run 2 sparse.sched sparse_stopped --checkpoint ckpt --memory $memory --spill-dir "$work" ||
        fail "a run with sparse inputs and $memory goes on: $(cat said)"
    diff -rq sparse_whole sparse_stopped || fail "sparse inputs and $memory: other results"
done

# Sparse results that are live: matrices with listed zeros and -0, one whose fill is inf, one of order 3. They are saved
# as what they list, on disk and in memory; planned again for other ranks they are still sparse. The chain of p begins
# with all of them; runs are stopped in its midst.
nodes='{"name": "S", "einsum": "ij->ij", "inputs": ["A"], "join": "x*ceil(3*x - 2)", "sparse": true},
       {"name": "T", "einsum": "ij,jk->ik", "inputs": ["A", "A"], "sparse": true},
       {"name": "F", "einsum": "ij,ij->ij", "inputs": ["D", "D"], "join": "min(x, y)", "sparse": true},
       {"name": "Q", "einsum": "ijk->ijk", "inputs": ["C"], "join": "x*x", "sparse": true},
       {"name": "z", "einsum": "ij->ij", "inputs": ["A"], "sparse": false},
       {"name": "q", "einsum": "ijk->", "inputs": ["Q"]},
       {"name": "f", "einsum": "ij,->", "inputs": ["F", "q"], "join": "x + y", "agg": "min"},
       {"name": "e", "einsum": "ij,->i", "inputs": ["T", "f"]},
       {"name": "b", "einsum": "ij,i->i", "inputs": ["z", "e"], "join": "x*y/1000"},
       {"name": "p0", "einsum": "ij,j,jk->ik", "inputs": ["S", "b", "x"]}'
for k in $(seq 60); do
    nodes+=",{\"name\": \"p$k\", \"einsum\": \"ij,jk->ik\", \"inputs\": [\"S\", \"p$((k - 1))\"],
             \"join\": \"x*sin(y)\"}"
done
sparse() { echo "\"shape\": $1, \"sparse\": true, \"data\": {\"random\": \"uniform\", \"density\": $2, \"seed\": $3}"; }
cat > listed.json << JSON
{"eingraph": 1, "dtype": "f64",
 "tensors": {"A": {$(sparse "[500, 500]" 0.02 1)}, "D": {$(sparse "[500, 500]" 0.02 2), "fill": "inf"},
             "C": {$(sparse "[40, 30, 50]" 0.02 3)},
             "x": {"shape": [500, 1000], "data": {"random": "uniform", "seed": 4}}},
 "nodes": [$nodes, {"name": "m", "einsum": "ij,jk->ik", "inputs": ["F", "p60"], "join": "x + y", "agg": "min"},
           {"name": "r", "einsum": "ijk->i", "inputs": ["Q"]}, {"name": "t", "einsum": "ij,jk->ik",
            "inputs": ["T", "p60"]}],
 "outputs": ["S", "T", "F", "Q", "m", "r", "t", "z"]}
JSON
"$bin/einplan" listed.json -n 2 -o listed.sched > planned || fail "sparse results: $(cat planned)"
spills=$(($(sed -n 's/.*peak a rank.*(\([0-9]*\) bytes).*/\1/p' planned) * 2 / 3))
run 2 listed.sched listed_whole || fail "a run with sparse results: $(cat said)"
for memory in 1GiB $spills; do
    rm -rf ckpt listed
    kill_when '[ "$(cd ckpt/0* && echo *.npz)" = "F.npz Q.npz S.npz T.npz" ]' 2 listed.sched listed \
        --memory $memory --spill-dir "$work" || fail "sparse values and $memory are not saved as such: $(cat said)"
    run 2 listed.sched listed --checkpoint ckpt --memory $memory --spill-dir "$work" --report report.json ||
        fail "a run with sparse results and $memory goes on: $(cat said)"
    grep -q '"resumed_from": "ckpt/0' report.json || fail "the report does not say where sparse results went on"
    diff -rq listed_whole listed || fail "sparse results and $memory: other results"
done
for other in 1 3; do
    rm -rf elastic
    "$bin/einplan" --resume ckpt -n $other -q -o rest.sched && run $other rest.sched elastic ||
        fail "sparse results on $other ranks: $(cat said)"
    "$bin/eintool" diff listed_whole elastic > differ || fail "sparse results on $other ranks: $(cat differ)"
    [ "$(ls elastic)" = "$(ls listed_whole)" ] || fail "results of $other ranks are kept otherwise: $(ls elastic)"
    cmp listed_whole/S.npz elastic/S.npz || fail "a saved sparse result has other bits on $other ranks"
done
"$bin/eintool" show ckpt --check | grep -q '  S .* sparse, ' || fail "eintool show of sparse values"
printf 'x' | dd of="$(echo ckpt/0*/S.npz)" bs=1 seek=40000 conv=notrunc 2> /dev/null
run 2 listed.sched refused --checkpoint ckpt; code=$?
{ [ $code = 3 ] && grep -q "S.npz: value 'S'" said; } || fail "a damaged sparse value: code $code, $(cat said)"
# What an earlier run wrote in the other form goes when the new file is there, inputs and what is not ours stay.
cp listed_whole/S.npz elastic/x.npz; echo text > elastic/T.npy
run 2 listed.sched elastic --dense-outputs; [ "$(cd elastic && echo [ST].*)" = "S.npy T.npy" ] || fail "$(ls elastic)"
run 2 listed.sched elastic; [ "$(cd elastic && echo [ST].* x.*)" = "S.npz T.npz x.npz" ] || fail "$(ls elastic)"

# A loop carries sparse values, moved within it; stopped in it again and again, and planned anew for other ranks.
cat > carried.json << JSON
{"eingraph": 1, "dtype": "f64", "outputs": ["t/W", "t/B", "Z"],
 "tensors": {"W": {$(sparse "[300, 300]" 0.02 1)}, "B": {$(sparse "[300, 300]" 0.01 2)},
             "A": {$(sparse "[300, 300]" 0.01 3)}, "X": {"shape": [300, 20], "data": {"random": "uniform", "seed": 4}}},
 "nodes": [{"name": "t", "loop": {"times": 14000, "carry": {"W": "next", "B": "moved"}, "body": [
    {"name": "G", "einsum": "ij,ik,jk->ij", "inputs": ["W", "X", "X"]},
    {"name": "next", "einsum": "ij,ij->ij", "inputs": ["W", "G"], "join": "0.9*x - 0.001*y"},
    {"name": "low", "op": "slice", "inputs": ["B"], "slices": "1:", "sparse": true},
    {"name": "up", "op": "slice", "inputs": ["B"], "slices": ":1", "sparse": true},
    {"name": "turned", "op": "concat", "inputs": ["low", "up"], "axis": 0, "sparse": true},
    {"name": "moved", "einsum": "ij,ij->ij", "inputs": ["turned", "A"], "join": "0.9*x*y", "sparse": true}]}},
  {"name": "R", "op": "reshape", "inputs": ["t/W"], "shape": [150, 600]},
  {"name": "Z", "einsum": "ij,kj->ik", "inputs": ["R", "R"]}]}
JSON
"$bin/einplan" carried.json -n 2 --decompose eindecomp -q -o carried.sched && run 2 carried.sched carried_whole ||
    fail "a loop with sparse values: $(cat said)"
rm -rf ckpt carried
for _ in 1 2; do
    kill_when '[ -e ckpt/0*/t:W.npz ]' 2 carried.sched carried || fail "what a loop carries is not saved: $(cat said)"
    [ -e kept ] || cp -r ckpt kept
done
"$bin/eintool" show kept --check | grep -q '  t:W .* sparse, ' || fail "what a loop carries is not saved sparse"
run 2 carried.sched carried --checkpoint ckpt || fail "a loop with sparse values goes on: $(cat said)"
diff -rq carried_whole carried || fail "a loop with sparse values: other results"
for other in 1 3; do
    rm -rf elastic
    "$bin/einplan" --resume kept -n $other --decompose eindecomp -q -o rest.sched && run $other rest.sched elastic ||
        fail "a loop with sparse values on $other ranks: $(cat said)"
    "$bin/eintool" diff carried_whole elastic --tolerance 1e-9 > differ || fail "$other ranks: $(cat differ)"
    [ "$(ls elastic)" = "$(ls carried_whole)" ] || fail "what $other ranks carry is kept otherwise: $(ls elastic)"
done

# An input that one rank loads and all hold: those that were sent it read it themselves when they go on.
cat > held.json << JSON
{"eingraph": 1, "dtype": "f64", "outputs": ["end"],
 "tensors": {"x": {"shape": [6], "data": {"fill": 0.5}}, "s": {"shape": [], "data": {"values": 0.7}}},
 "nodes": [{"name": "begin", "einsum": "i,->i", "inputs": ["x", "s"], "join": "x + y"},
           {"name": "p", "loop": {"times": 1200000, "carry": {"begin": "next"},
            "body": [{"name": "next", "einsum": "i->i", "inputs": ["begin"], "join": "sin(x) + x"}]}},
           {"name": "end", "einsum": "i,->i", "inputs": ["p/begin", "s"], "join": "x + y"}]}
JSON
"$bin/einplan" held.json -n 3 --decompose eindecomp -q -o held.sched && run 3 held.sched held_whole ||
    fail "a run that holds inputs: $(cat said)"
rm -rf ckpt
kill_when '[ -e ckpt/0*/manifest.json ]' 3 held.sched held || fail "a run that holds inputs saved nothing: $(cat said)"
run 3 held.sched held --checkpoint ckpt || fail "a run that holds inputs goes on: $(cat said)"
diff -rq held_whole held || fail "a run that held inputs has other results"

# Ranks that have nothing to do are at every moment: the others are saved all the same.
cat > idle.json << JSON
{"eingraph": 1, "dtype": "f64", "tensors": {"x": {"shape": [1], "data": {"fill": 0.5}}}, "outputs": ["p/x"],
 "nodes": [{"name": "p", "loop": {"times": 1200000, "carry": {"x": "next"},
            "body": [{"name": "next", "einsum": "i->i", "inputs": ["x"], "join": "sin(x) + x"}]}}]}
JSON
"$bin/einplan" idle.json -n 3 -o idle.sched > planned && run 3 idle.sched idle_whole ||
    fail "a run with idle ranks: $(cat planned)"
grep -q '2 of 3 have nothing to do' planned || fail "no rank is idle: $(cat planned)"
rm -rf ckpt
kill_when '[ -e ckpt/0*/p:x.npy ]' 3 idle.sched idle_stopped || fail "a run with idle ranks saved nothing: $(cat said)"
run 3 idle.sched idle_stopped --checkpoint ckpt || fail "a run with idle ranks goes on: $(cat said)"
diff -rq idle_whole idle_stopped || fail "a run with idle ranks that was stopped has other results"

# Stopped in a loop behind another one: what the first has left is saved under a name in it, and it does not run again.
cat > behind.json << JSON
{"eingraph": 1, "dtype": "f64", "outputs": ["q"],
 "tensors": {"B": {"shape": [200, 200], "data": {"random": "uniform", "high": 0.01, "seed": 1}},
             "x": {"shape": [200, 200], "data": {"random": "uniform", "seed": 2}}},
 "nodes": [{"name": "L", "loop": {"times": 3, "carry": {"x": "x_next"}, "body": [
              {"name": "Bx", "einsum": "ij,jk->ik", "inputs": ["B", "x"]},
              {"name": "x_next", "einsum": "ij,ij->ij", "inputs": ["Bx", "x"], "join": "sin(x) + y"}]}},
           {"name": "M", "loop": {"times": 2500, "carry": {"L/x": "y_next"}, "body": [
              {"name": "By", "einsum": "ij,jk->ik", "inputs": ["B", "L/x"]},
              {"name": "y_next", "einsum": "ij,ij->ij", "inputs": ["By", "L/x"], "join": "sin(x) + y/4"}]}},
           {"name": "q", "einsum": "ij,ij->ij", "inputs": ["M/L/x", "L/x"], "join": "x + y"}]}
JSON
"$bin/einplan" behind.json -n 2 --decompose eindecomp -o behind.sched > planned && run 2 behind.sched behind_whole ||
    fail "a loop behind a loop: $(cat planned said)"
rm -rf ckpt
kill_when '[ "$(grep -c "\"loop\"" ckpt/0*/rest.json)" = 1 ]' 2 behind.sched behind ||
    fail "a finished loop is left to do: $(cat said ckpt/0*/rest.json)"
"$bin/einplan" --resume ckpt -n 3 -q -o rest.sched && run 3 rest.sched elastic_behind ||
    fail "three ranks behind a loop: $(cat said)"
"$bin/eintool" diff behind_whole elastic_behind --tolerance 1e-9 > differ || fail "behind a loop: $(cat differ)"

# What is left cannot be written: a join whose text is longer than that which was read. The same schedule goes on.
terms=$(printf '+1e9*x%.0s' $(seq 100)); groups=$(printf "+(${terms#+})%.0s" $(seq 400))
cat > long.json << JSON
{"eingraph": 1, "dtype": "f64", "tensors": {"x": {"shape": [1], "data": {"fill": 1e-30}}}, "outputs": ["p/x"],
 "nodes": [{"name": "p", "loop": {"times": 3000, "carry": {"x": "next"},
            "body": [{"name": "next", "einsum": "i->i", "inputs": ["x"], "join": "1e-30*(x$groups)"}]}}]}
JSON
"$bin/einplan" long.json -n 1 -q -o long.sched && run 1 long.sched long_whole || fail "a long join: $(cat said)"
rm -rf ckpt
timeout 120 "$mpiexec" "$flag" 1 "$bin/einrun" long.sched --threads 1 --quiet --out long --checkpoint ckpt \
    --stop-at 0.06 2> said; code=$?
{ [ $code = 75 ] && grep -q "no rest.json, so only this schedule" said; } || fail "no rest: code $code, $(cat said)"
"$bin/einplan" --resume ckpt -n 2 2> said; [ $? = 3 ] || fail "einplan of no rest: $(cat said)"
grep -q "go on with the same schedule" said || fail "einplan of no rest: $(cat said)"
run 1 long.sched long --checkpoint ckpt || fail "a run without a rest goes on: $(cat said)"
diff -rq long_whole long || fail "a run without a rest has other results"

# A device with memory of its own: its blocks come home first.
"$bin/eintool" make linear-regression 300 200 --iterations 1000 -o train.json
"$bin/einplan" train.json -n 2 --decompose eindecomp -q -o train.sched &&
    run 2 train.sched device_whole --device emulated
rm -rf ckpt
for _ in 1 2; do
    run 2 train.sched device_stopped --device emulated --device-memory 200KiB --checkpoint ckpt --stop-at 0.05; code=$?
    [ $code = 75 ] || fail "a run on a device that is to stop early: code $code, $(cat said)"
done
run 2 train.sched device_stopped --device emulated --device-memory 200KiB --checkpoint ckpt ||
    fail "a run on a device goes on: $(cat said)"
diff -rq device_whole device_stopped || fail "a run on a device that was stopped has other results"
run 2 train.sched refused --checkpoint ckpt; code=$?
{ [ $code = 3 ] && grep -q "emulated" said; } || fail "a checkpoint of another device: code $code, $(cat said)"

"$bin/einrun" train.sched --checkpoint ckpt --repeat 2 2> said; [ $? = 2 ] || fail "--checkpoint with --repeat"
grep -q -- --repeat said || fail "--checkpoint with --repeat is not named: $(cat said)"
exit $failed
