#!/usr/bin/env bash
# What is said of sparse tensors that are made dense, of results that cannot be kept sparse, and of data that is not as
# it should be: sparse_messages.sh BIN [MPIEXEC NUMPROC_FLAG]; without a launcher runs are of one rank.
set -uo pipefail
bin=$1 launcher=("${@:2}")
# shellcheck source=tests/apps/expect.sh
. "$(dirname "$0")/expect.sh"
cd "$work" || exit 1

# graph NODES OUTPUTS [MORE KEYS]: A, B, ONES (its fill is 1), FULL (lists everything), X and y are there.
graph() {
    local random='"random": "uniform", "low": 1, "high": 2' more=${3:+, $3}
    cat > g.json << GRAPH
{"eingraph": 1, "dtype": "f32", "tensors": {
   "A": {"shape": [40, 30], "sparse": true, "data": {$random, "density": 0.02, "seed": 1}},
   "B": {"shape": [40, 30], "sparse": true, "data": {$random, "density": 0.02, "seed": 2}},
   "ONES": {"shape": [40, 30], "sparse": true, "fill": 1, "data": {$random, "density": 0.02, "seed": 3}},
   "FULL": {"shape": [40, 30], "sparse": true, "data": {$random, "density": 1, "seed": 4}},
   "X": {"shape": [40, 30], "data": {$random, "seed": 5}}, "y": {"shape": [30], "data": {"fill": 1}}},
 "nodes": [$1], "outputs": [$2]$more}
GRAPH
}
# dense TEXT NODES [OUTPUTS]: einplan plans, and says so
dense() {
    graph "$2" "${3:-\"Z\"}"
    expect 0 "$1" "$bin/einplan" g.json -n 1 -o g.sched
}
# refused NODE_AND_WHY NODES [OUTPUTS [MORE KEYS]]
refused() {
    graph "$2" "${3:-\"Z\"}" "${4:-}"
    expect 3 "sparse: expected a result that can be kept sparse, found node '$1; remove \"sparse\" from the node" \
        "$bin/einplan" g.json -n 1 -o g.sched
}
# loop BODY [CARRIED [KEYS]]
loop() { echo "{\"name\": \"W\", \"loop\": {${3:-\"times\": 3}, \"carry\": {\"${2:-A}\": \"n\"}, \"body\": [$1]}}"; }

# ---- made dense ------------------------------------------------------------------------------------------------------
made="note: 'A' is made dense (4.69 KiB) for node"
dense "$made 'Z': its join x*(y + 1) is not what sum begins with where y is not listed" \
    '{"name": "Z", "einsum": "ij,ij->i", "inputs": ["X", "A"], "join": "x*(y + 1)"}'
[[ "$("$bin/einplan" g.json -n 1 --dry-run --quiet 2>&1)" != *"made dense"* ]] || fail "--quiet says what is made dense"
dense "$made 'Z': its join x + y is not what max begins with where x is not listed" \
    '{"name": "Z", "einsum": "ij,j->i", "inputs": ["A", "y"], "join": "x + y", "agg": "max"}'
dense "$made 'Z': its join x + y is not one value where x is not listed" \
    '{"name": "Z", "einsum": "ij,j->ij", "inputs": ["A", "y"], "join": "x + y"}'
dense "$made 'Z': it pads with 1, and the fill of 'A' is 0" \
    '{"name": "Z", "op": "pad", "inputs": ["A"], "pad_width": 1, "constant_values": 1}'
dense "$made 'Z': 'X' is dense" '{"name": "Z", "op": "concat", "inputs": ["A", "X"], "axis": 0}'
dense "$made 'Z': the fill of 'A' is 0, that of 'ONES' is 1" \
    '{"name": "Z", "op": "concat", "inputs": ["A", "ONES"], "axis": 0}'
dense "$made 'Z': it asks for a dense result" \
    '{"name": "Z", "op": "slice", "inputs": ["A"], "slices": "1:", "sparse": false}'
dense "note: 'FULL' is made dense (4.69 KiB) for node 'Z': its result takes less room dense" \
    '{"name": "Z", "op": "slice", "inputs": ["FULL"], "slices": "0:39"}'
rows='{"name": "p", "einsum": "i->i", "inputs": ["y"], "join": "[i]", "dtype": "i64"}'
dense "note: 'ONES' is made dense (4.69 KiB) for node 'Z': it asks for a dense result" \
    "$rows"', {"name": "Z", "op": "gather", "inputs": ["ONES", "p"], "axis": 0, "sparse": false}'
one='"einsum": "ij,j->ij", "inputs": ["A", "y"], "join": "x + y"'
dense "where x is not listed; 1 more node reads it" \
    "{\"name\": \"Y\", $one}, {\"name\": \"Z\", ${one/x + y/x - y}}" '"Y", "Z"'
dense "where x is not listed; 2 more nodes read it" \
    "{\"name\": \"T\", ${one/x + y/x - 3*y}}, {\"name\": \"Y\", $one}, {\"name\": \"Z\", ${one/x + y/x - y}}" \
    '"T", "Y", "Z"'
dense "note: 'W/n' is made dense (4.69 KiB) for node 'W/X': loop 'W' carries it, and begins with 'X', which is dense" \
    "$(loop '{"name": "n", "einsum": "ij,ij->ij", "inputs": ["A", "X"]}' X)" '"W/X"'
dense "$made 'W': loop 'W' carries it, and ends iterations with 'W/n', which is dense" \
    "$(loop '{"name": "n", "einsum": "ij->ij", "inputs": ["A"], "join": "x + 1"}')" '"W/A"'
dense "$made 'W': loop 'W' carries it, and begins with another fill than it ends iterations with" \
    "$(loop '{"name": "n", "einsum": "ij->ij", "inputs": ["B"], "join": "exp(x)"}')" '"W/A"'

# ---- refused ---------------------------------------------------------------------------------------------------------
refused "Z': its join x + y is not one value where x is not listed" "{\"name\": \"Z\", $one, \"sparse\": true}"
refused "Z': no operand is sparse" '{"name": "Z", "einsum": "ij->ji", "inputs": ["X"], "sparse": true}'
refused "Z': 'X' is dense" '{"name": "Z", "op": "concat", "inputs": ["A", "X"], "sparse": true}'
refused "Z': it pads with 1, and the fill of 'A' is 0" \
    '{"name": "Z", "op": "pad", "inputs": ["A"], "pad_width": 1, "constant_values": 1, "sparse": true}'
refused "Z': its aggregated label 'j' is cut into parts" \
    '{"name": "Z", "einsum": "ij,kj->ik", "inputs": ["A", "B"], "sparse": true}' '"Z"' '"parts": {"Z": {"j": 2}}'
refused "W/n': its operand 'W/A' is dense, as loop 'W' ends iterations with what is dense, or has another fill" \
    "$(loop '{"name": "n", "einsum": "ij,ij->ij", "inputs": ["B", "A"], "join": "exp(x)*exp(y)", "sparse": true}')" \
    '"W/A"'
refused "Z': no operand is sparse" '{"name": "Z", "einsum": "ij->ji", "inputs": ["X"], "sparse": true}' '"Z"' \
    '"mesh": {"dp": 1}, "sharding": {"Z": "j/dp i"}'

# ---- kept ------------------------------------------------------------------------------------------------------------
# kept TENSOR NODES OUTPUTS KEYS: it is sparse in the schedule
kept() {
    graph "$2" "$3" "$4"
    expect 0 "" "$bin/einplan" g.json -n 2 -o g.sched
    expect 0 "$1[0:20, 0:30] (sparse" "$bin/eintool" show g.sched --tasks 0
}
product='"einsum": "ij,ij->ij", "inputs": ["A", "X"]'
mesh='"mesh": {"dp": 2}, "sharding"'
kept "apply of node 'Z' from Z:computed[0:20, 0:30] (sparse, at most 14 listed) to Z" \
    "{\"name\": \"Z\", $product}" '"Z"' "$mesh: {\"Z\": \"i/dp j\"}"
kept "to W/A" "$(loop "{\"name\": \"n\", $product}")" '"W/A"' "$mesh: {\"W/A\": \"i/dp j\"}"

graph "$rows"', {"name": "Z", "op": "gather", "inputs": ["ONES", "p"], "axis": 0}' '"Z"'
sed -i 's/"fill": 1, /"fill": "inf", /' g.json
expect 0 "" "$bin/einplan" g.json -n 1 -o g.sched
expect 0 "to Z[0:30, 0:30] (sparse" "$bin/eintool" show g.sched --tasks 0
"$bin/einrun" g.sched --verify --out out > said 2>&1 || fail "einrun g.sched --verify: $(cat said)"
if grep -q "NaN" said; then fail "the fill of a tensor is taken for a number that came up: $(cat said)"; fi
rm -rf out

# ---- tensors ---------------------------------------------------------------------------------------------------------
wrong() {   # TEXT TENSOR
    echo "{\"eingraph\": 1, \"tensors\": {\"A\": {\"shape\": [4, 3], $2}}, \"nodes\": [{\"name\": \"Z\",
        \"einsum\": \"ij->i\", \"inputs\": [\"A\"]}], \"outputs\": [\"Z\"]}" > g.json
    expect "${3:-3}" "$1" "$bin/einplan" g.json -n 1 -o g.sched
}
wrong "/tensors/A/sparse: expected true or false, found 1; write \"sparse\": true for a tensor that lists its" \
    '"sparse": 1, "data": {"fill": 0}'
wrong "/tensors/A/fill: expected a sparse tensor, found a dense one; add \"sparse\": true, or move it into \"data\"" \
    '"fill": 1, "data": {"fill": 0}'
wrong "/tensors/A/listed: expected a sparse tensor, found a dense one; add \"sparse\": true, or leave it out" \
    '"listed": 3, "data": {"fill": 0}'
wrong "/tensors/A/listed: expected a number of elements, 0 or more, found -1; write as many as the data lists at most" \
    '"sparse": true, "listed": -1'
wrong "/tensors/A/data/density: expected a share of the elements, from 0 to 1, found 2" \
    '"sparse": true, "data": {"random": "uniform", "density": 2}'
wrong "tensor 'A' is sparse and cannot be counted, it has no data yet: room for all its elements is taken" \
    '"sparse": true' 0
wrong "tensor 'A' is sparse and cannot be counted, 'A.npz' is not there yet: room for all its elements is taken" \
    '"sparse": true, "dtype": "f32", "data": {"scipy": "A.npz"}' 0

# ---- as many as the graph says, wherever they are --------------------------------------------------------------------
said='"sparse": true, "dtype": "f32", "listed": 2'
wrong "" "$said" 0
expect 0 "(sparse, at most 2 listed)" "$bin/eintool" show g.sched --tasks 0
header=$'%%MatrixMarket matrix coordinate real general\n4 3 '
for elements in $'1\n1 1 1\n' $'2\n4 3 1\n2 1 1\n'; do
    printf '%s' "$header$elements" > A.mtx
    expect 0 "" "$bin/einrun" g.sched --quiet --verify --input A=A.mtx --out out
done
printf '%s' "$header"$'3\n4 3 1\n2 1 1\n1 1 1\n' > A.mtx
expect 3 "tensor 'A', elements [0:4, 0:3]: expected at most 2 listed, as when the schedule was made, found 3; plan" \
    "$bin/einrun" g.sched --quiet --input A=A.mtx --out out
wrong "" "$said, \"data\": {\"mtx\": \"A.mtx\"}" 0
expect 3 "expected at most 2 listed" "$bin/einrun" g.sched --quiet --out out
rm -rf out

# ---- a run -----------------------------------------------------------------------------------------------------------
few=$'%%MatrixMarket matrix coordinate real general\n4 3 1\n1 1 1\n'
printf '%s' "$few" > A.mtx
wrong "" '"sparse": true, "dtype": "f32", "data": {"mtx": "A.mtx"}' 0
printf '%s' "${few/3 1/3 2}"$'2 1 1\n' > B.mtx
expect 3 "tensor 'A', elements [0:4, 0:3]: expected at most 1 listed, as when the schedule was made, found 2; plan" \
    "$bin/einrun" g.sched --quiet --input A=B.mtx --out out

# ---- elements elsewhere than when the schedule was made --------------------------------------------------------------
band() {   # FILE SHIFT: 40 x 40, in row i the columns i and i + SHIFT, where these are there
    local row lines=()
    for ((row = 1; row <= 40; ++row)); do lines+=("$row $row 1"); done
    for ((row = 1; row <= 40 - $2; ++row)); do lines+=("$row $((row + $2)) 1"); done
    printf '%%%%MatrixMarket matrix coordinate real general\n40 40 %d\n' ${#lines[@]} > "$1"
    printf '%s\n' "${lines[@]}" >> "$1"
}
band A.mtx 1
band FAR.mtx 2
tail -n +3 A.mtx > A.tns
echo '{"eingraph": 1, "dtype": "f64", "tensors": {"A": {"shape": [40, 40], "sparse": true, "data": {"mtx": "A.mtx"}},
    "x": {"shape": [40], "data": {"random": "normal", "seed": 1}}},
    "nodes": [{"name": "Z", "einsum": "ij,j->i", "inputs": ["A", "x"]}], "outputs": ["Z"],
    "parts": {"Z": {"i": 4}}}' > g.json
expect 0 "" "$bin/einplan" g.json -n 1 -o g.sched
expect 0 "to A[10:20, 10:21] (sparse, at most 20 listed)" "$bin/eintool" show g.sched --tasks 0
expect 3 "tensor 'A', elements [0:10, 0:40]: expected none listed outside [0:10, 0:11], as when the schedule was made, \
found 1; plan again" "$bin/einrun" g.sched --quiet --input A=FAR.mtx --out out
expect 0 "" "$bin/einrun" g.sched --quiet --input A=A.tns --verify --out out

# ---- more elements or pairs than when the schedule was made ----------------------------------------------------------
mtx() {   # FILE "ROW COLUMN"...: 40 x 40
    printf '%%%%MatrixMarket matrix coordinate real general\n40 40 %d\n' $(($# - 1)) > "$1"
    printf '%s 1\n' "${@:2}" >> "$1"
}
# corner lists no more than diagonal, and middle than outer
diagonal=() corner=() outer=() middle=() pairs=("1 1" "40 1")
for ((k = 1; k <= 40; ++k)); do
    diagonal+=("$k $k") corner+=("$(((k + 6) / 7)) $(((k - 1) % 7 + 1))")
    outer+=("$k 1" "$k 40") middle+=("$k 20" "$k 21") pairs+=("20 $k" "21 $k")
done
mtx diagonal.mtx "${diagonal[@]}"
mtx corner.mtx "${corner[@]}"
mtx outer.mtx "${outer[@]}"
mtx middle.mtx "${middle[@]}"
mtx most.mtx "${middle[@]}" "1 1" "40 40"
mtx pairs.mtx "${pairs[@]}"
# more PLANNED OTHER NODE: of what A was when it was planned, and is when it is run, the node makes more
more() {
    local ranks device devices run
    echo '{"eingraph": 1, "dtype": "f64", "tensors": {
        "A": {"shape": [40, 40], "sparse": true, "data": {"mtx": "'"$1"'.mtx"}},
        "R": {"shape": [40, 40], "sparse": true, "data": {"mtx": "pairs.mtx"}},
        "M": {"shape": [40, 40], "sparse": true, "data": {"mtx": "most.mtx"}},
        "first": {"shape": [9], "dtype": "i64", "data": {"fill": 0}}},
        "nodes": [{"name": "Z", "sparse": true, '"$3"'}], "outputs": ["Z"]}' > g.json
    for ranks in 1 2 3; do
        run=("$bin/einrun") devices="cpu reference emulated"
        if [ "$ranks" != 1 ]; then run=("${launcher[@]}" "$ranks" "$bin/einrun") devices=cpu; fi
        if [ "$ranks" != 1 ] && [ ${#launcher[@]} = 0 ]; then continue; fi
        expect 0 "" "$bin/einplan" g.json -n "$ranks" -o g.sched
        expect 0 "" "${run[@]}" g.sched --quiet --out out
        for device in $devices; do
            "${run[@]}" g.sched --quiet --device "$device" --input A="$2.mtx" --out out > said 2>&1
            [ $? = 3 ] || fail "-n $ranks, $2 in place of $1: expected exit 3, found $(cat said)"
            grep -qE "node 'Z', elements \[.*: expected at most [0-9]+ listed, as when the schedule was made, found \
[0-9]+; plan again with this data: einplan" said || fail "-n $ranks, $2 in place of $1: $(cat said)"
        done
    done
}
more outer middle '"einsum": "ij,jk->ik", "inputs": ["A", "R"]'
more outer middle '"einsum": "ij,ij->ij", "inputs": ["A", "M"]'
more diagonal corner '"op": "gather", "inputs": ["A", "first"], "axis": 0'
exit "$failed"
