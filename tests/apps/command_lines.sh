#!/usr/bin/env bash
# Command lines of einplan and eintool: exit codes, and what the message must say.
# Usage: command_lines.sh BIN_FOLDER EXAMPLES_FOLDER
set -uo pipefail
bin=$1 examples=$2
source "$(dirname "$(realpath "$0")")/expect.sh"

graph=$examples/first.json
# shellcheck disable=SC2317  # called by expect
plan() { "$bin/einplan" "$@" -o "$work/s.sched"; }
expect 0 "einplan 0" "$bin/einplan" --version
expect 0 "ranks" "$bin/einplan" --help
expect 0 "exact, proven optimal" plan "$graph" -n 4 --decompose exact
expect 0 "exact, proven optimal" plan "$graph" -n 4 --decompose exact --time-limit 3 --cost-unit elements
expect 0 "eindecomp, " plan "$graph" -n 4 --cost-unit bytes
expect 2 "--time-limit" plan "$graph" -n 4 --time-limit -1
expect 2 "--cost-unit" plan "$graph" -n 4 --cost-unit words
expect 2 "found 'bogus'" plan "$graph" -n 2 --decompose bogus
expect 2 "did you mean \"sequence\"?" plan "$graph" -n 2 --decompose seqence
for strategy in eindecomp exact moved sqrt 3d summa 25d data megatron sequence attention; do
    expect 0 "strategy        $strategy" plan "$graph" -n 4 --decompose $strategy
done
expect 0 "megatron" "$bin/einplan" --help
expect 0 "fewer calls" plan "$examples/attention.json" -n 64 --decompose megatron
expect 2 "--time-limit: expected a number above 0, found 'nan'" plan "$graph" -n 4 --time-limit nan
expect 2 "-o: expected another file than GRAPH" "$bin/einplan" "$graph" -n 2 -o "$graph"
cp "$graph" "$work/keep.sched"
expect 2 "-o: expected another file than GRAPH" "$bin/einplan" "$work/keep.sched" -n 1
expect 0 "" cmp "$graph" "$work/keep.sched"
expect 2 "--plan-out: expected another file than -o, which is written too" plan "$graph" -n 2 --plan-out "$work/s.sched"
expect 0 "" plan "$graph" -n 2 --plan-out "$work/p.json" -q
expect 2 "--plan-in: expected no --parts" plan "$graph" -n 2 --plan-in "$work/p.json" --parts 7
# shellcheck disable=SC2317
full() { "$@" > /dev/full; }
expect 1 "einplan: standard output: expected to write all of it" full "$bin/einplan" "$graph" -n 2 --explain=json \
    -o "$work/s.sched"
expect 1 "eintool: standard output: expected to write all of it" full "$bin/eintool" make matmul
expect 0 "lower bound" plan "$graph" -n 4 --explain
expect 0 "lower bound" plan --explain "$graph" -n 4
expect 0 '"einplan_explain": 1' plan "$graph" -n 4 --explain=json
expect 0 '"seconds_between": ' plan "$graph" -n 4 --explain=json
expect 0 'checkpoint: at most ' plan "$graph" -n 4 --explain
expect 2 "--explain: expected text, json or html, found 'xml'" plan "$graph" -n 4 --explain=xml
expect 0 "s.html" plan "$graph" -n 4 --explain=html
expect 0 "</html>" cat "$work/s.html"
cp "$graph" "$work/first.json"
# What belongs to other programs, or is another file than it should be, is told with its mend.
expect 0 "" plan "$graph" -n 2 -q
expect 3 "s.sched: expected a graph, found a schedule" "$bin/einplan" "$work/s.sched" -n 2
expect 3 "s.sched: expected a graph, found a schedule" "$bin/eintool" eval "$work/s.sched"
expect 3 "s.sched: expected a run report, found a schedule" "$bin/eintool" report "$work/s.sched"
expect 3 "expected a file, found a folder" "$bin/eintool" validate "$work"
expect 2 "found --time=01:00:00 --partition=gpu; that is sbatch's" plan "$graph" -n 2 --batch slurm --time=01:00:00 \
    --partition=gpu
expect 2 "found --every 10min; that is einrun's" plan "$graph" -n 2 --every 10min
expect 2 "expected -n RANKS, found -np; write -n 3" "$bin/einplan" "$graph" -np 3
for line in "-n 3 $work/s.sched" "$work/s.sched -n 3" "$work/s.sched -np 3" "--ranks=3 $work/s.sched"; do
    read -ra words <<< "$line"
    expect 2 "how many ranks there are: mpirun -n 3 einrun $work/s.sched" "$bin/einrun" "${words[@]}"
done
expect 2 "found -n 3; the launcher says how many ranks there are: mpirun -n 3 einrun $work/s.sched --out $work/r" \
    "$bin/einrun" -n 3 "$work/s.sched" --out "$work/r"
expect 2 "did you mean \"eval\"?" "$bin/eintool" evaluate "$graph"
expect 2 "found -o $work/out; did you mean \"--out\"?" "$bin/einrun" "$work/s.sched" -o "$work/out"
expect 2 "found --output=$work/out; did you mean \"--out\"?" "$bin/einrun" "$work/s.sched" --output="$work/out"
expect 2 "found --dense-output; did you mean \"--dense-outputs\"?" "$bin/einrun" "$work/s.sched" --dense-output
expect 2 "found --verify; that is einrun's: write it behind einrun" plan "$graph" -n 2 --verify
expect 2 "found --explian; did you mean \"--explain\"?" plan "$graph" -n 2 --explian
expect 2 "found --limits 3; did you mean \"--limit\"?" "$bin/eintool" eval "$graph" --limits 3
expect 2 "found GB; write it in one word: 8GB" plan "$graph" -n 2 --memory 8 GB
expect 2 "it prints: --explain=html > plan.html" plan "$graph" -n 2 --explain plan.html
expect 2 "write --verify=10" "$bin/einrun" "$work/s.sched" --verify 10
expect 2 "--report: expected a value behind it, found none; it is: write the run report" "$bin/einrun" \
    "$work/s.sched" --report
expect 2 "--ranks: expected a whole number from 1 to 1048576, found 'four'" plan "$graph" -n four
expect 2 "--threads: expected a whole number from 1 to 4096, found 'auto'; leave the option out" "$bin/einrun" \
    "$work/s.sched" --threads auto
expect 2 "--sweep: expected a whole number from 1 to 1048576, found '1-8'; write each: 1,2,4,8" "$bin/einplan" \
    "$graph" --sweep 1-8
expect 2 "--batch: expected slurm or mpirun, found 'slrum'; did you mean \"slurm\"?" plan "$graph" -n 2 --batch slrum
expect 2 "expected GRAPH, a file that says what to compute, found none" "$bin/einplan"
expect 2 "expected SCHEDULE, a file that einplan wrote, found none" "$bin/einrun"
expect 2 "that is a program of its own: einplan GRAPH -n 4" "$bin/eintool" plan "$graph"
expect 2 "one file at a time" plan "$graph" "$graph" -n 2
expect 3 "expected results, which diff compares: .npy or .npz files, or folders of them, found a graph" "$bin/eintool" \
    diff "$work" "$graph"
# A data file of another kind is told when it is planned for, whether or not the graph says its shape.
printf '0.5,1.5\n2.5,3.25\n' > "$work/X.csv"
for data in '"npy": "X.csv"' '"npz": "X.csv", "entry": "A"' '"safetensors": "X.csv", "tensor": "A"' '"mtx": "X.csv"' \
    '"scipy": "X.csv"' '"raw": "X.csv"' '"tns": "X.csv"'; do
    for shape in '"shape": [2, 2], ' ''; do
        if [ -z "$shape" ] && [[ $data = *raw* || $data = *tns* ]]; then continue; fi
        echo "{\"eingraph\": 1, \"tensors\": {\"A\": {$shape\"data\": {$data}}}, \"outputs\": [\"A\"]}" \
            > "$work/csv.json"
        expect 3 "numbers as text, with commas (\"0.5,1.5\")" "$bin/einplan" "$work/csv.json" -n 1
        expect 3 'convert it: numpy.save("X.npy", numpy.loadtxt("X.csv", delimiter=","))' "$bin/eintool" validate \
            "$work/csv.json"
    done
done
expect 3 "expected a .npy file of format version 1, 2 or 3, found what looks like numbers as text" "$bin/eintool" diff \
    "$work/X.csv" "$work/X.csv"
# What is sound and hardly meant is noted.
printf '%s' '{"eingraph": 1, "tensors": {"A": {"shape": [4, 3], "data": {"fill": 1}}, "b": {"shape": [4],
    "data": {"fill": 1}}, "U": {"shape": [2], "data": {"fill": 1}}}, "nodes": [
    {"name": "H", "einsum": "ij,i->i", "inputs": ["A", "b"], "join": "x + y"},
    {"name": "spare", "op": "relu", "inputs": ["H"]}], "outputs": ["H"]}' > "$work/meant.json"
for program in "$bin/eintool validate" "$bin/einplan -n 1 --dry-run" "$bin/einplan -n 1 --dry-run --quiet"; do
    # shellcheck disable=SC2086
    expect 0 "note: node 'H': 'b' is added 3 times, once for each 'j'" $program "$work/meant.json"
    # shellcheck disable=SC2086
    expect 0 "note: no output needs the node 'spare', which is checked but not computed" $program "$work/meant.json"
    # shellcheck disable=SC2086
    expect 0 "note: no output needs the tensor 'U'; remove it" $program "$work/meant.json"
done
expect 2 "found '100x10'; write 100 10" "$bin/eintool" make linear-regression 100x10
mkdir -p "$work/c/000001" && echo '{}' > "$work/c/000001/manifest.json"
expect 3 "found one checkpoint; give the folder that it lies in: --resume $work/c;" "$bin/einplan" \
    --resume "$work/c/000001" -n 2
printf '%s' '{"eingraph": 1, "tensors": {"A": {"shape": [4], "data": {"random": "normal"}},
    "B": {"shape": [4], "data": {"random": "normal"}}}, "outputs": ["A", "B"]}' > "$work/alike.json"
expect 0 "note: 'A' and 'B' have the same elements: one shape and seed 0" "$bin/eintool" validate "$work/alike.json"
expect 0 "2 tensors, 0 nodes after lowering, 2 outputs" "$bin/eintool" validate "$work/alike.json"
expect 0 "note: 'A' and 'B' have the same elements" "$bin/einplan" "$work/alike.json" -n 1
# Nothing is written by commands that show something, but where -o says so, nor by --dry-run.
expect 0 "</html>" "$bin/einplan" "$work/first.json" -n 4 --explain=html
expect 0 "lower bound" "$bin/einplan" "$work/first.json" -n 4 --explain
expect 0 "critical path" "$bin/einplan" "$work/first.json" -n 4 --simulate
expect 0 "words a rank" "$bin/einplan" "$work/first.json" -n 4 --sweep 1,2
expect 0 "written         nothing; -o FILE writes the schedule" "$bin/einplan" "$work/first.json" -n 4 --dry-run
expect 0 "written         nothing" "$bin/einplan" "$graph" -n 4 --dry-run --plan-out "$work/dry.json" \
    -o "$work/dry.sched"
for file in first.sched first.html dry.json dry.sched; do
    [ ! -e "$work/$file" ] || fail "$file was written"
done
expect 0 "einrun $work/first.sched" "$bin/einplan" "$work/first.json" -n 4
rm -f "$work/first.sched"
# A graph from standard input.
# shellcheck disable=SC2317
from_input() { "$@" < "$graph"; }
expect 0 "for 4 ranks" from_input "$bin/einplan" - -n 4 --dry-run
expect 0 "for 4 ranks" from_input "$bin/einplan" - -n 4 -o "$work/input.sched"
expect 2 "add -o FILE" from_input "$bin/einplan" - -n 4
expect 0 "sound" from_input "$bin/eintool" validate -
expect 0 "largest f32 (): 11" from_input "$bin/eintool" eval -
expect 3 "standard input" "$bin/einplan" - -n 4 --dry-run < <(echo '{')
# What one rank does faster is said.
expect 0 "too small       1 rank: " "$bin/einplan" "$graph" -n 4 --dry-run
expect 0 "predicted; use -n 1" "$bin/einplan" "$graph" -n 4 --dry-run
expect 0 "faster          without --decompose eindecomp: " "$bin/einplan" "$graph" -n 4 --dry-run --decompose eindecomp
expect 0 "-n 1 is enough for that" "$bin/einplan" "$graph" -n 4 --dry-run --decompose eindecomp
expect 0 '"ranks_used": 1' "$bin/einplan" "$graph" -n 4 --dry-run --explain=json
expect 0 "plans, with one placement each" "$bin/einplan" "$graph" -n 4 --dry-run --explain
# Of an awkward number of ranks a few are left idle, and that is said too.
"$bin/eintool" make matrix-chain 2000 -o "$work/chain.json" > /dev/null
expect 0 "better grid     60 ranks: " "$bin/einplan" "$work/chain.json" -n 61 --dry-run
"$bin/eintool" make matmul 4000 4000 4000 -o "$work/square.json" > /dev/null
! "$bin/einplan" "$work/square.json" -n 4 --dry-run | grep -E "faster  |too small" ||
    fail "a product of 4000 is not faster on one rank"
"$bin/eintool" make llama --layers 2 -o "$work/layers.json"
for file in "$examples"/*.json "$work/layers.json"; do
    counts="1 4 7"
    if grep -q '"mesh"' "$file"; then counts=4; fi
    for ranks in $counts; do
        plan "$file" -n $ranks --explain |
            awk 'length > 100 { print; bad = 1 } END { exit bad }' || fail "wider than 100 columns in $file"
    done
done
expect 0 "and 1 alike: layer1.scores" plan "$work/layers.json" -n 4 --explain
expect 2 "did you mean \"greedy\"?" plan "$graph" -n 2 --place gredy
expect 2 "expected -n RANKS, found none; write -n 4" plan "$graph"
expect 3 "a file that can be read" plan "$work/none.json" -n 2
expect 4 "give --memory" plan "$graph" -n 2 --memory 10
expect 0 "blocks spill to disk; writes " plan "$graph" -n 2 --memory 24
expect 0 "einrun $work/s.sched --spill-dir DIR" plan "$graph" -n 2 --memory 24
expect 0 "written to disk" plan "$graph" -n 2 --memory 24 --explain
expect 0 "spill of" "$bin/eintool" show "$work/s.sched" --tasks 0
expect 0 "" plan "$graph" -n 1 --memory 24
expect 4 "s.sched: expected --spill-dir" "$bin/einrun" "$work/s.sched" --out "$work/results"
expect 0 "spilled  " "$bin/einrun" "$work/s.sched" --out "$work/results" --verify --spill-dir "$work"
expect 0 "for 7 ranks" plan "$graph" -n 7
cp "$work/s.sched" "$work/first.sched"; expect 0 "" plan "$graph" -n 7; cmp -s "$work/s.sched" "$work/first.sched" ||
    fail "planning twice gives other bytes"
# Reproducible: the schedule says so, the run wants it where it is asked to.
expect 0 "" plan "$graph" -n 1
expect 2 "einplan first.json -n 1 --reproducible" "$bin/einrun" "$work/s.sched" --out "$work/results" --reproducible
expect 0 "reproducible    the same bits" plan "$graph" -n 1 --reproducible
expect 0 ", reproducible" "$bin/eintool" show "$work/s.sched"
expect 0 "" "$bin/einrun" "$work/s.sched" --out "$work/results" --reproducible
expect 2 "found cuda" "$bin/einrun" "$work/s.sched" --out "$work/results" --device cuda
sed 's/"outputs"/"parts": {"C": {"j": 2}}, "outputs"/' "$graph" > "$work/parts.json"
expect 3 "/parts/C/j: expected 1, since --reproducible cuts no label that is aggregated" \
    plan "$work/parts.json" -n 2 --reproducible
expect 0 "" plan "$graph" -n 4 --plan-out "$work/p.json"
expect 0 "" plan "$graph" -n 4 --plan-in "$work/p.json"
expect 0 "placed by plan" plan "$graph" -n 4 --plan-in "$work/p.json"
expect 2 "--memory: expected a size" plan "$graph" -n 4 --memory 0
expect 3 "/ranks" plan "$graph" -n 3 --plan-in "$work/p.json"

# A mesh says how many ranks there are.
expect 3 "/mesh: expected a mesh of 3 ranks, found dp:2 x tp:2, which is 4" plan "$examples/sharding-fsdp.json" -n 3
expect 0 "placed by plan" plan "$examples/sharding-fsdp.json" -n 4

# The simulator: a cluster file, one run, a sweep.
cluster=$examples/../configs/four-nodes.json
expect 0 "#SBATCH --nodes=2 --ntasks=12 --ntasks-per-node=8" plan "$graph" -n 12 --cluster "$cluster"
expect 0 "critical path" plan "$graph" -n 4 --simulate
expect 0 "simulated on the built-in cluster, 8 threads a rank" plan "$graph" -n 4 --simulate
expect 0 "simulated on $cluster" plan "$graph" -n 4 --simulate --cluster "$cluster"
expect 0 '"makespan":' plan "$graph" -n 4 --simulate=json
plan "$graph" -n 4 --simulate=json |
    python3 -c 'import json,sys; d=json.load(sys.stdin); assert len(d["ranks"]) == 4 and d["makespan"] > 0, d' ||
    fail "--simulate=json is not JSON of 4 ranks"
expect 2 "text" plan "$graph" -n 4 --simulate=html
wide=$(plan "$graph" -n 40 --simulate | awk 'length > 100 && !/batch|tasks|written|bytes moved/'); [ -z "$wide" ] ||
    fail "wider than 100 columns: $wide"
rm -f "$work/s.sched"
expect 0 "words a rank" plan "$graph" --sweep 1,2,4
rows=$(plan "$graph" --sweep 1,3,7 | awk 'NR > 2 {print $1}' | xargs); [ "$rows" = "1 3 7" ] ||
    fail "expected a row for 1, 3 and 7 ranks, found $rows"
[ ! -e "$work/s.sched" ] || fail "a sweep without -n wrote a schedule"
expect 0 "1.000" plan "$graph" --sweep 1
expect 0 '"sweep":' plan "$graph" --sweep 1,2 -n 2 --simulate=json
expect 2 "expected no --plan-in" plan "$graph" --sweep 1,2 --plan-in "$work/p.json"
expect 2 "expected no --plan-out" plan "$graph" --sweep 1,2 --plan-out "$work/p.json"
expect 2 "--explain: expected -n" plan "$graph" --sweep 1,2 --explain=json
expect 2 "import einsum: expected --shapes" "$bin/eintool" import einsum "ij,jk->ik"
expect 0 "more than the budget" plan "$graph" --sweep 1,2 --memory 16
expect 2 "expected at most 32 on a cluster of 4 nodes" plan "$graph" -n 33 --cluster "$cluster"
printf '{"nodes": 4, "bandwidht": 3, "memory": 10}' > "$work/c.json"
expect 3 "c.json: /bandwidht: expected" plan "$graph" -n 2 --cluster "$work/c.json"
expect 3 "a file that can be read" plan "$graph" -n 2 --cluster "$work/none.json"
printf '{"memory": 10}' > "$work/c.json"
expect 4 "c.json: /memory: expected a schedule that fits in 10 B" plan "$graph" -n 2 --cluster "$work/c.json"
expect 0 "" plan "$graph" -n 2 --cluster "$work/c.json" --memory 1GiB
OMP_NUM_THREADS=1 expect 0 "measured.json" "$bin/eintool" preflight --cluster-out "$work/measured.json"
expect 0 "simulated on $work/measured.json" plan "$graph" -n 2 --simulate --cluster "$work/measured.json"
printf '{"eingraph": 1,\n "tensors": {,}}' > "$work/bad.json"
expect 3 "line 2" plan "$work/bad.json" -n 2
expect 0 "sound" "$bin/eintool" validate "$graph"
expect 0 "apply" "$bin/eintool" show "$work/s.sched"
"$bin/eintool" make llama --layers 8 -o "$work/wide.json" && "$bin/einplan" "$work/wide.json" -n 16 -q \
    --decompose moved
[ "$("$bin/eintool" show "$work/wide.sched" | wc -l)" -lt 40 ] ||
    fail "show is more than one screen"
[ "$("$bin/eintool" show "$work/wide.sched" --tasks 3:10:5 | wc -l)" = 6 ] ||
    fail "--tasks 3:10:5"
expect 2 "show --tasks: expected a rank from 0 to 15, found '16'" "$bin/eintool" show "$work/wide.sched" --tasks 16
for range in x 1: 1:2:3:4 -1 1:-2; do
    expect 2 "show --tasks: expected RANK or RANK:FIRST:COUNT" "$bin/eintool" show "$work/wide.sched" "--tasks=$range"
done
printf '{"eingraph":1,"dtype":"i8","tensors":{"A":{"shape":[2],"data":{"values":[16,3]}}},
    "nodes":[{"name":"k","einsum":"i,i->","inputs":["A","A"],"agg":"argmax"}],"outputs":["k"]}' > "$work/wraps.json"
expect 0 "k i64 (): 1" "$bin/eintool" eval "$work/wraps.json"  # 16 * 16 is 0 in eight bits
"$bin/eintool" make matmul 1000000000 2 1000000000 -o "$work/large.json" > /dev/null
expect 4 "use einplan and einrun" "$bin/eintool" eval "$work/large.json"
expect 0 "warning: --place greedy places no call whose ranks $work/p.json gives" plan "$graph" -n 4 \
    --plan-in "$work/p.json" --place greedy
expect 1 "expected the folder $work/none to write it in" "$bin/einplan" "$graph" -n 2 -o "$work/none/x.sched"
expect 1 "expected the folder $work/none to write it in" "$bin/einplan" "$graph" -n 2 -o "$work/s.sched" \
    --plan-out "$work/none/p.json"
expect 2 "did you mean \"validate\"?" "$bin/eintool" valdate
expect 2 "expected validate, show" "$bin/eintool" foo
expect 2 "expected matmul, matrix-chain" "$bin/eintool" make zzz
expect 2 "did you mean \"k-means\"?" "$bin/eintool" make kmeans
expect 0 "k-means POINTS DIMENSIONS CLUSTERS (10000 16 10)" "$bin/eintool" make --help
expect 0 "--tolerance X" "$bin/eintool" make --help
expect 0 '"times": 3' "$bin/eintool" make heat 4 5 --iterations 3
expect 0 '"x-made-by": "eintool make heat 4 5 --iterations 3 ' "$bin/eintool" make heat 4 5 --turns 3  # the old name
expect 0 '"shape": [1, 40]' "$bin/eintool" make matrix-chain 4 --skewed
expect 2 "from 0 to 1, found '2'" "$bin/eintool" make pagerank --links 2
expect 2 "--skewed is an option of make matrix-chain" "$bin/eintool" make matmul --skewed
expect 2 "--tolerance is an option of make pagerank" "$bin/eintool" make k-means --tolerance 1
expect 0 "" "$bin/eintool" make llama --sequence 6 --batch 2 -o "$work/llama.json"
expect 0 "logits f32 (2, 1, 128)" "$bin/eintool" eval "$work/llama.json"
expect 1 "expected a folder that can be made" "$bin/eintool" eval "$work/llama.json" --out "$work/llama.json"
expect 0 "for 3 ranks" plan "$work/llama.json" -n 3
expect 0 '"shape": [8192, 64, 1, 2, 64]' "$bin/eintool" make llama --size 65b
"$bin/eintool" make llama --sequence 6 --logits all -o "$work/all.json"
expect 0 '(1, 6, 128)' "$bin/eintool" eval "$work/all.json"
expect 2 "expected 13b, 65b, 7b or tiny" "$bin/eintool" make llama --size 70b
expect 2 "a divisor of the heads (4), found 3" "$bin/eintool" make llama --kv-heads 3
expect 2 "a multiple of twice the heads" "$bin/eintool" make llama --dim 12
expect 2 "--layers is an option of make llama" "$bin/eintool" make matmul --layers 3
expect 2 "--logits is an option of make llama" "$bin/eintool" make matmul --logits all
expect 2 "--decode is an option of make llama" "$bin/eintool" make matmul --decode 3
expect 2 "--decode: expected none beside --logits all" "$bin/eintool" make llama --decode 3 --logits all
expect 0 "" "$bin/eintool" make llama --sequence 4 --batch 2 --decode 3 -o "$work/decode.json"
expect 0 "tokens_out i64 (2, 3)" "$bin/eintool" eval "$work/decode.json"
expect 0 "decode 2 iterations" plan "$work/decode.json" -n 3
expect 2 "found 'llama'" "$bin/eintool" import llama "$work"
expect 2 "not available in this version; use einsum" "$bin/eintool" import onnx "$work/x.onnx"
expect 2 "--tokens is an option of import safetensors-llama" "$bin/eintool" import einsum ij,jk --shapes 10x20,20x30 \
    --tokens t.npy
expect 2 "--shapes is an option of import einsum" "$bin/eintool" import safetensors-llama "$work" --sequence 4 \
    --shapes 3
expect 2 "expected --tokens FILE.npy or --sequence N, found neither" "$bin/eintool" import safetensors-llama "$work"
expect 2 "found both" "$bin/eintool" import safetensors-llama "$work" --sequence 4 --tokens t.npy
expect 2 "give one of them" "$bin/eintool" import safetensors-llama "$work" --sequence 4 --decode 4 --logits last
expect 2 "--dtype: expected f16, bf16, f32 or f64, found 'i8'" "$bin/eintool" import safetensors-llama "$work" \
    --sequence 4 --dtype i8
expect 3 "expected a folder with config.json and .safetensors files, found none" \
    "$bin/eintool" import safetensors-llama "$work/none" --sequence 4
expect 3 "config.json: expected a file that can be read" "$bin/eintool" import safetensors-llama "$work" --sequence 4
expect 3 "label 'j'" "$bin/eintool" import einsum ij,jk --shapes 10x20,21x30
expect 0 '"einsum": "ij,jk->ik"' "$bin/eintool" make matmul 4 5 6
expect 2 "make matmul: /tensors/A/shape: expected a tensor of at most" \
    "$bin/eintool" make matmul 1000000000000 1000000000000 3
# Folders of results are compared file by file.
"$bin/eintool" eval "$graph" --out "$work/a" > /dev/null && cp -r "$work/a" "$work/b"
expect 2 "name a file of the folder, as $work/b/NAME.npy" "$bin/eintool" diff "$work/a/largest.npy" "$work/b"
expect 0 "2 tensors, 0 different" "$bin/eintool" diff "$work/a" "$work/b"
cp "$work/b/largest.npy" "$work/b/more.npy" && cp "$work/b/largest.npy" "$work/b/C.npy"
expect 5 "DIFFERENT C.npy: $work/a/C.npy has shape (2, 2)" "$bin/eintool" diff "$work/a" "$work/b"
expect 5 "DIFFERENT more.npy: only in $work/b" "$bin/eintool" diff "$work/a" "$work/b"
expect 5 "3 tensors, 2 different" "$bin/eintool" diff "$work/a" "$work/b"
expect 2 "expected two files or two folders" "$bin/eintool" diff "$work/a" "$work/b/C.npy"
# Differences of rounding are allowed by a tolerance that diff names; larger ones are differences.
for value in 1 1.00000000000002 1.001; do
    echo "{\"eingraph\": 1, \"dtype\": \"f64\", \"tensors\": {\"x\": {\"shape\": [2], \"data\": {\"fill\": $value}}},
        \"outputs\": [\"y\"],
        \"nodes\": [{\"name\": \"y\", \"einsum\": \"i->i\", \"inputs\": [\"x\"]}]}" > "$work/fill.json"
    "$bin/eintool" eval "$work/fill.json" --out "$work/fill$value" > /dev/null
done
expect 5 "--tolerance 2e-14 allows it" "$bin/eintool" diff "$work/fill1" "$work/fill1.00000000000002"
expect 0 "0 different" "$bin/eintool" diff "$work/fill1" "$work/fill1.00000000000002" --tolerance 2e-14
"$bin/eintool" diff "$work/fill1" "$work/fill1.001" > "$work/differ"
! grep -q -- --tolerance "$work/differ" || fail "a difference of 0.001 is taken for rounding"
# Sparse tensors, and a sparse one with a dense one.
for density in 0.3 0.2; do
    echo "{\"eingraph\": 1, \"tensors\": {\"A\": {\"shape\": [9, 9], \"sparse\": true, \"data\":
        {\"random\": \"uniform\", \"density\": $density, \"seed\": 1}}}, \"nodes\": [{\"name\": \"S\",
        \"einsum\": \"ij->ij\", \"inputs\": [\"A\"], \"sparse\": true}], \"outputs\": [\"S\"]}" > "$work/s.json"
    "$bin/einplan" "$work/s.json" -n 1 -q -o "$work/s.sched" &&
        "$bin/einrun" "$work/s.sched" --quiet --out "$work/s$density" > /dev/null 2>&1
done
"$bin/eintool" eval "$work/s.json" --out "$work/dense" > /dev/null
expect 0 "alike     S: 81 elements, 0 differ" "$bin/eintool" diff "$work/s0.2" "$work/dense"
expect 5 "DIFFERENT S.npz: 81 elements, " "$bin/eintool" diff "$work/s0.3" "$work/s0.2"
cp "$work/s0.2/S.npz" "$work/dense"
expect 5 "dense has it twice, S.npy and S.npz" "$bin/eintool" diff "$work/s0.2" "$work/dense"
mkdir "$work/empty"
expect 3 "expected folders with .npy files or .npz files of sparse tensors" \
    "$bin/eintool" diff "$work/empty" "$work/empty"

expect 3 "$graph: expected a run report" "$bin/eintool" report "$graph"
expect 2 "" "$bin/eintool" report "$graph" "$graph" "$graph"

# eval contracts pairwise, and refuses by count before it computes.
python3 - > "$work/ring.json" <<'END'
import json
n = 30
names = [f"t{k}" for k in range(n)]
ins = [[f"e{k}", f"e{(k + 1) % n}", f"c{k // 2}"] for k in range(n)]
json.dump({"eingraph": 1, "dtype": "f64",
           "tensors": {name: {"shape": [8, 8, 8], "data": {"fill": 0.125}} for name in names},
           "nodes": [{"name": "z", "einsum": {"in": ins, "out": []}, "inputs": names}], "outputs": ["z"]},
          __import__("sys").stdout)
END
expect 0 "z f64 (): 3.51843721e+13" "$bin/eintool" eval "$work/ring.json"
expect 4 "expected at most 1 k operations, found " "$bin/eintool" eval "$work/ring.json" --limit 1000
expect 4 "use einplan and einrun, or give --limit" from_input "$bin/eintool" eval - --limit 1

# Tensors leave shape and dtype to their files; the schedule carries what was found.
printf '{"eingraph": 1, "dtype": "f64", "tensors": {"M": {"data": {"values": %s}}}, "outputs": "M"}' \
    '[[1, 2, 3], [4, 5, 6]]' > "$work/m.json"
expect 0 "M f64 (2, 3): 1 2 3 4 5 6" "$bin/eintool" eval "$work/m.json" --out "$work/files"
left_out() {
    printf '{"eingraph": 1, "tensors": {"M": {"data": {"npy": "%s"}%s}}, ' "$1" "${2-}"
    printf '"nodes": [{"name": "S", "op": "sum", "inputs": "M", "axis": 1}], "outputs": "S"}'
}
left_out files/M.npy > "$work/left_out.json"
expect 0 "S f64 (2,): 6 15" "$bin/eintool" eval "$work/left_out.json"
expect 0 "sound" "$bin/eintool" validate "$work/left_out.json"
left_out M.npy > "$work/files/from_here.json"
# shellcheck disable=SC2317
in_files() { (cd "$work/files" && "$@" < from_here.json); }
expect 0 "S f64 (2,): 6 15" in_files "$bin/eintool" eval -
expect 0 "" "$bin/einplan" "$work/left_out.json" -n 1 -o "$work/left_out.sched"
left_out gone.npy > "$work/left_out.json"
expect 0 "verified" "$bin/einrun" "$work/left_out.sched" --out "$work/results" --verify
unread="expected a file that can be read, since \"shape\" is left to it, found"
expect 3 "left_out.json: /tensors/M/data: $unread '$work/gone.npy'" \
    "$bin/einplan" "$work/left_out.json" -n 1 -o "$work/left_out.sched"
expect 0 "S f64 (2,): 6 15" "$bin/eintool" eval "$work/left_out.json" --input "M=$work/files/M.npy"
left_out files/M.npy ', "shape": [3, 2]' > "$work/left_out.json"
differs="expected shape (2, 3), as 'M.npy' has, found (3, 2); correct it, leave it out, or give another file"
expect 3 "/tensors/M/shape: $differs" \
    "$bin/eintool" validate "$work/left_out.json"
left_out files/M.npy ', "dtype": "f32"' > "$work/left_out.json"
expect 3 "/tensors/M/dtype: expected f64, as 'M.npy' has, found f32" "$bin/eintool" validate "$work/left_out.json"
exit $failed
