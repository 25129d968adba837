#!/usr/bin/env bash
# Networks from other tools' files: imported with and without their orders, planned whole and in slices, run on several
# rank counts, each result equal to the one computed here and verified by another order; refusals and their numbers.
# Usage: network_runs.sh BIN MPIEXEC COUNT_FLAG
set -euo pipefail
bin=$1 mpiexec=$2 flag=$3
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"

python3 - << 'END'
import json
count = 40
labels, inputs = {}, [[] for _ in range(count)]
for k in range(count):
    for other in (k + 1, k + 7):
        name = f"e{len(labels)}"
        labels[name] = 2
        inputs[k].append(name)
        inputs[other % count].append(name)
inputs.append([inputs[0][0]])  # a label in three operands
json.dump({"inputs": inputs, "output": [inputs[-2][0]], "size_dict": labels, "dtype": "f64"}, open("net.json", "w"))
path = [[0, 1]] + [[0, len(inputs) - 1 - k] for k in range(1, len(inputs) - 1)]
json.dump({"inputs": inputs, "output": [inputs[-2][0]], "size_dict": labels, "path": path, "dtype": "f64"},
          open("net-path.json", "w"))
json.dump({"format_string": "aü,üc,cd->ad", "shapes": [[2, 3], [3, 4], [4, 2]], "dtype": "float64", "name": "x",
           "num_tensors": 3, "paths": {"opt_flops": {"path": [[0, 1], [0, 1]], "log2_size": 1, "log10_flops": 1}}},
          open("oe.json", "w"))
leaf = lambda k: {"isleaf": True, "tensorindex": k}
node = lambda *args: {"isleaf": False, "args": list(args), "eins": {"ixs": [], "iy": []}}
json.dump({"label-type": "Int64", "inputs": [[1, 2], [2, 3], [3, 1]], "output": [],
           "tree": node(node(leaf(1), leaf(2)), leaf(3)), "size": {"1": 2, "2": 3, "3": 4}}, open("om.json", "w"))
json.dump({"einsum": {"ixs": [[1, 2], [2, 3]], "iy": [1]}, "size": {"1": 2, "2": 3, "3": 4}}, open("om2.json", "w"))
json.dump({"inputs": [["a"], ["a"]], "output": [], "size_dict": {"a": 2}, "ssa_path": [[0, 0]]}, open("bad.json", "w"))
two = {"inputs": [["a"], ["a"]], "output": [], "size_dict": {"a": 2}}
json.dump({**two, "ssa_path": [[0, 4294967297]]}, open("wide-ssa.json", "w"))
json.dump({**two, "tree": [0, 4294967297]}, open("wide-tree.json", "w"))
json.dump({"label-type": "Char", "inputs": [["a"], ["a"]], "output": [], "size": {"a": 2},
           "tree": node(leaf(4294967297), leaf(2))}, open("wide-om.json", "w"))
big = [[f"h{i}.{j}", f"h{i}.{j+1}", f"v{i}.{j}", f"v{i+1}.{j}"] for i in range(25) for j in range(25)]
sizes = {name: 16 for term in big for name in term}
json.dump({"inputs": big, "output": [], "size_dict": sizes}, open("big.json", "w"))
END

for format in cotengra:net cotengra:net-path opt_einsum:oe omeinsum:om omeinsum:om2; do
    "$bin/eintool" import "${format%%:*}" "${format##*:}.json" -o "${format##*:}.graph.json"
done
"$bin/eintool" import cotengra net-path.json --replan -o net-replan.graph.json
cmp net.graph.json net-replan.graph.json
grep -q '"path"' net-path.graph.json
for name in oe om om2; do
    "$bin/eintool" eval "$name.graph.json" --out "eval-$name" > /dev/null
    "$bin/einplan" "$name.graph.json" -n 2 -o "$name.sched" > /dev/null
    "$mpiexec" "$flag" 2 "$bin/einrun" "$name.sched" --out "run-$name" --quiet
    "$bin/eintool" diff "eval-$name" "run-$name" > /dev/null
done
if "$bin/eintool" import cotengra bad.json > said 2>&1; then echo "a bad order was accepted"; exit 1; fi
grep -q "the number of an operand or result that no step before it has used, found 0" said || { cat said; exit 1; }
for wide in cotengra:wide-ssa:/ssa_path/0/1 cotengra:wide-tree:/tree/1 omeinsum:wide-om:/tree/args/0; do
    IFS=: read -r format name place <<< "$wide"
    if "$bin/eintool" import "$format" "$name.json" > said 2>&1; then echo "$name was accepted"; exit 1; fi
    grep -q "$name.json: $place: expected the number of .*4294967297" said ||
        { cat said; exit 1; }
done

# The file's slices are kept, and come to the same; those of the result's labels are named alone.
printf '%s' '{"inputs": [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"]], "output": ["a", "e"],
    "size_dict": {"a": 4, "b": 6, "c": 5, "d": 3, "e": 2}, "sliced_inds": ["c", "a"], "dtype": "float64"}' > sliced.json
"$bin/eintool" import cotengra sliced.json -o sliced.graph.json
grep -q '"slices": \["c"\]' sliced.graph.json || { cat sliced.graph.json; exit 1; }
grep -q 'slices over a too' sliced.graph.json || { cat sliced.graph.json; exit 1; }
"$bin/einplan" sliced.graph.json -n 2 -o sliced.sched > plan
grep -q "in each of 5 slices over c" plan || { cat plan; exit 1; }
"$mpiexec" "$flag" 2 "$bin/einrun" sliced.sched --out run --verify > said 2>&1 || { cat said; exit 1; }
"$bin/eintool" import cotengra sliced.json --replan -o whole.graph.json
"$bin/eintool" eval whole.graph.json --out expected > /dev/null
"$bin/eintool" diff expected/result.npy run/result.npy --tolerance 1e-10 > /dev/null
"$bin/einplan" sliced.graph.json -n 2 --reproducible -o sliced.sched > plan
if grep -q "slices over" plan; then cat plan; exit 1; fi

"$bin/eintool" eval net.graph.json --out expected > /dev/null
for ranks in 1 2 3 5; do
    for memory in "" 32KiB; do
        "$bin/einplan" net.graph.json -n "$ranks" -o net.sched ${memory:+--memory $memory} > plan
        grep -q "contraction     result of 41 operands" plan || { cat plan; exit 1; }
        [ -z "$memory" ] || grep -q "slices over" plan || { echo "$ranks ranks, not sliced:"; cat plan; exit 1; }
        "$mpiexec" "$flag" "$ranks" "$bin/einrun" net.sched --out run --verify > said 2>&1 || { cat said; exit 1; }
        grep -q ", 0 differ" said || { echo "$ranks ranks, memory '$memory':"; cat said; exit 1; }
        "$bin/eintool" diff expected/result.npy run/result.npy --tolerance 1e-10 > /dev/null
    done
done
"$bin/einplan" net.graph.json -n 3 -o again.sched --memory 32KiB > /dev/null
"$bin/einplan" net.graph.json -n 3 -o once-more.sched --memory 32KiB > /dev/null
cmp again.sched once-more.sched

"$bin/eintool" import cotengra big.json -o big.graph.json
code=0
"$bin/einplan" big.graph.json -n 2 --time-limit 0.5 --dry-run > said 2>&1 || code=$?
[ "$code" = 4 ] || { echo "exit code $code"; cat said; exit 1; }
grep -q "of 625 operands: expected at most 1e+18 operations, found that the best order" said || { cat said; exit 1; }
