#!/usr/bin/env bash
# Command lines of einplan and eintool: exit codes, and what the message must say. Usage: command_lines.sh BIN_FOLDER EXAMPLES_FOLDER
set -uo pipefail
bin=$1 examples=$2
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
failed=0

# expect CODE TEXT COMMAND...: the command ends with CODE and its output holds TEXT
expect() {
    local code=$1 text=$2 out got; shift 2
    out=$("$@" 2>&1); got=$?
    if [ "$got" != "$code" ] || [[ "$out" != *"$text"* ]]; then
        echo "FAILED: $* : expected exit $code and '$text', found exit $got and: $out"; failed=1
    fi
}

graph=$examples/first.json
# shellcheck disable=SC2317  # called by expect
plan() { "$bin/einplan" "$@" -o "$work/s.sched"; }
expect 0 "einplan 0" "$bin/einplan" --version
expect 0 "ranks" "$bin/einplan" --help
for option in --simulate "--cluster c.json" "--sweep 1,2" "--time-limit 3"; do
    read -ra words <<< "$option"
    expect 2 "${words[0]%=*} is not available in this version" plan "${words[@]}" "$graph" -n 2
    expect 2 "${words[0]%=*} is not available in this version" plan "$graph" -n 2 "${words[@]}"
done
expect 0 "lower bound" plan "$graph" -n 4 --explain
expect 0 "lower bound" plan --explain "$graph" -n 4
expect 0 '"einplan_explain": 1' plan "$graph" -n 4 --explain=json
expect 2 "--explain: expected text, json or html, found 'xml'" plan "$graph" -n 4 --explain=xml
expect 0 "s.html" plan "$graph" -n 4 --explain=html
expect 0 "</html>" cat "$work/s.html"
cp "$graph" "$work/first.json"
expect 0 "</html>" "$bin/einplan" "$work/first.json" -n 4 --explain=html
"$bin/eintool" make llama --layers 2 -o "$work/layers.json"
for file in "$examples"/*.json "$work/layers.json"; do
    for ranks in 1 4 7; do
        plan "$file" -n $ranks --explain | awk -v file="$file" 'length > 100 { print "FAILED: wider than 100 columns in " file ": " $0; bad = 1 } END { exit bad }' || failed=1
    done
done
expect 0 "and 1 alike: layer1.scores" plan "$work/layers.json" -n 4 --explain
expect 2 "--decompose exact is not available" plan "$graph" -n 2 --decompose exact
expect 2 "expected eindecomp or sqrt, found 'bogus'" plan "$graph" -n 2 --decompose bogus
expect 2 "did you mean greedy?" plan "$graph" -n 2 --place gredy
expect 2 "see --help" plan "$graph"
expect 3 "a file that can be read" plan "$work/none.json" -n 2
expect 4 "give --memory" plan "$graph" -n 2 --memory 10
expect 0 "for 7 ranks" plan "$graph" -n 7
cp "$work/s.sched" "$work/first.sched"; expect 0 "" plan "$graph" -n 7; cmp -s "$work/s.sched" "$work/first.sched" || { echo "FAILED: planning twice gives other bytes"; failed=1; }
expect 0 "" plan "$graph" -n 4 --plan-out "$work/p.json"
expect 0 "" plan "$graph" -n 4 --plan-in "$work/p.json"
expect 3 "/ranks" plan "$graph" -n 3 --plan-in "$work/p.json"
printf '{"eingraph": 1,\n "tensors": {,}}' > "$work/bad.json"
expect 3 "line 2" plan "$work/bad.json" -n 2
expect 0 "sound" "$bin/eintool" validate "$graph"
expect 0 "apply" "$bin/eintool" show "$work/s.sched"
expect 2 "not available in this version" "$bin/eintool" make mttkrp
expect 2 "expected attention, elementwise" "$bin/eintool" make zzz
expect 0 "" "$bin/eintool" make llama --sequence 6 --batch 2 -o "$work/llama.json"
expect 0 "logits f32 (2, 1, 128)" "$bin/eintool" eval "$work/llama.json"
expect 0 "for 3 ranks" plan "$work/llama.json" -n 3
expect 0 '"shape":[8192,64,1,2,64]' "$bin/eintool" make llama --size 65b
expect 0 '(1, 6, 128)' bash -c "'$bin/eintool' make llama --sequence 6 --logits all -o '$work/all.json' && '$bin/eintool' eval '$work/all.json'"
expect 2 "expected 13b, 65b, 7b or tiny" "$bin/eintool" make llama --size 70b
expect 2 "a divisor of the heads (4), found 3" "$bin/eintool" make llama --kv-heads 3
expect 2 "a multiple of twice the heads" "$bin/eintool" make llama --dim 12
expect 2 "--layers is an option of make llama" "$bin/eintool" make matmul --layers 3
expect 2 "--logits is an option of make llama" "$bin/eintool" make matmul --logits all
expect 3 "label 'j'" "$bin/eintool" import einsum ij,jk --shapes 10x20,21x30
expect 0 '"einsum":"ij,jk->ik"' "$bin/eintool" make matmul 4 5 6
exit $failed
