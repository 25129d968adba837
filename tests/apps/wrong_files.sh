#!/usr/bin/env bash
# Each file of ours, and files from elsewhere, given to each reader: what it is is named, with what to do with it.
# Usage: wrong_files.sh BIN_FOLDER EXAMPLES_FOLDER
set -uo pipefail
bin=$1 examples=$2
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

cp "$examples/first.json" graph.json
"$bin/einplan" graph.json -n 1 -q -o graph.sched --plan-out plan.json
"$bin/einplan" graph.json -n 1 --explain=json > explanation.json
"$bin/einrun" graph.sched --quiet --report report.json --trace trace.json
echo '{"nodes": 1, "ranks_per_node": 4}' > cluster.json
echo '{"einsum": "ab,bc->ac", "shapes": [[2, 2], [2, 2]], "path": [[0, 1]]}' > opt_einsum.json
echo '{"inputs": [["a"], ["a"]], "output": [], "size_dict": {"a": 2}}' > cotengra.json
printf 'OPENQASM 2.0;\ninclude "qelib1.inc";\nqreg q[1];\n' > circuit.qasm
printf '0.5,1.5\n2.5,3.25\n' > table.csv
printf 'import einloom as el\n' > program.py
head -c 64 /dev/zero > zeros.bin
mkdir -p model && echo '{"architectures": ["LlamaForCausalLM"]}' > model/config.json
files=(results/*.npy); cp "${files[0]}" array.npy

# What each file is called, and what its mend names.
declare -A looks=([graph.json]="a graph" [graph.sched]="a schedule" [plan.json]="a plan" [report.json]="a run report"
    [trace.json]="a trace" [cluster.json]="a cluster file" [explanation.json]="what einplan --explain=json prints"
    [opt_einsum.json]="a contraction as opt_einsum writes it" [cotengra.json]="a contraction as cotengra writes it"
    [circuit.qasm]="a circuit of OpenQASM" [table.csv]="what looks like numbers as text, with commas"
    [program.py]="what looks like a program of Python" [array.npy]="what looks like a .npy file"
    [model]="the folder of a model")
declare -A mends=([graph.json]="einplan graph.json -n 4" [graph.sched]="einrun runs it"
    [plan.json]="--plan-in plan.json"
    [report.json]="eintool report report.json" [trace.json]="eintool trace trace.json"
    [cluster.json]="--cluster cluster.json" [explanation.json]="--plan-out writes a plan"
    [opt_einsum.json]="eintool import opt_einsum opt_einsum.json" [circuit.qasm]="eintool import qasm circuit.qasm"
    [cotengra.json]="eintool import cotengra cotengra.json" [table.csv]="numpy.loadtxt(\"table.csv\""
    [program.py]="python3 program.py" [array.npy]='{"npy": "array.npy"}'
    [model]="eintool import safetensors-llama model")

# reader OWN COMMAND...: @ stands for the file; OWN are the files that it reads
reader() {
    local own=$1 file said code; shift
    for file in "${!looks[@]}"; do
        if [[ " $own " == *" $file "* ]]; then continue; fi
        said=$("${@//@/$file}" 2>&1); code=$?
        if [ $code != 3 ] || [[ "$said" != *"$file: expected "*", found ${looks[$file]}"* ]] ||
            [[ "$said" != *"${mends[$file]}"* ]] || [ "$(grep -c . <<< "$said")" -gt 2 ]; then
            echo "FAILED: ${*//@/$file}: exit $code: $said"; failed=1
        fi
    done
}
reader "graph.json" "$bin/einplan" @ -n 1 --dry-run
reader "graph.json" "$bin/eintool" validate @
reader "graph.json" "$bin/eintool" eval @
reader "graph.sched" "$bin/einrun" @
reader "plan.json" "$bin/einplan" graph.json -n 1 -o x.sched --plan-in @
reader "cluster.json" "$bin/einplan" graph.json -n 1 -o x.sched --cluster @
reader "graph.sched plan.json" "$bin/eintool" show @
reader "report.json" "$bin/eintool" report @
reader "trace.json" "$bin/eintool" trace @
reader "opt_einsum.json" "$bin/eintool" import opt_einsum @ -o x.json
reader "cotengra.json" "$bin/eintool" import cotengra @ -o x.json
reader "cotengra.json" "$bin/eintool" import omeinsum @ -o x.json
reader "circuit.qasm program.py table.csv array.npy" "$bin/eintool" import qasm @ --amplitude 0 -o x.json

# diff compares results: of two files of one other kind it says what compares them.
mends[graph.json]="eintool run graph.json -n 4 --out one, the other --out two, then eintool diff one two"
mends[graph.sched]="einrun graph.sched --out one, the other --out two, then eintool diff one two"
mends[report.json]="eintool report report.json report.json sets them side by side"
mends[trace.json]="eintool trace trace.json and eintool trace trace.json sum each up"
for file in plan.json cluster.json explanation.json opt_einsum.json cotengra.json circuit.qasm; do
    mends[$file]="diff -u $file $file compares their text"
done
reader "array.npy model" "$bin/eintool" diff @ @
mends[graph.json]="plan it: einplan graph.json -n 4"
for one in "graph.json array.npy" "results graph.json"; do
    read -ra files <<< "$one"
    said=$("$bin/eintool" diff "${files[@]}" 2>&1)
    if [[ "$said" != "graph.json: expected results, which diff "*", found a graph; ${mends[graph.json]}"* ]]; then
        echo "FAILED: diff $one: $said"; failed=1
    fi
done
mkdir -p saved/000001 && echo '{"checkpoint": 1, "schedule": {}}' > saved/000001/manifest.json
cp array.npy saved/000001
said=$("$bin/eintool" diff saved saved 2>&1)
if [[ "$said" != *"found "*"checkpoint"*"eintool diff saved/000001 saved/000001; eintool show saved"* ]] ||
    ! "$bin/eintool" diff saved/000001 saved/000001 > /dev/null; then
    echo "FAILED: diff of checkpoints: $said"; failed=1
fi
exit $failed
