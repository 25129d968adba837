#!/usr/bin/env bash
# Names and keys that people bring along from NumPy and PyTorch: the message says what is written in their place, never
# to remove what carries a meaning, nor a name of ours that means something else. What is written so is accepted.
# Usage: foreign_names.sh BIN_FOLDER
set -uo pipefail
bin=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
export EINLOOM_CACHE=$work/cache PATH=$bin:$PATH
cd "$work" || exit 1

# node NODE: a graph with this node, called Y, of a matrix X, a square W, integers n and a vector w
node() {
    cat > g.json << EOF
{"eingraph": 1, "tensors": {"X": {"shape": [4, 4], "data": {"random": "normal"}},
   "W": {"shape": [4, 4], "data": {"random": "normal"}}, "w": {"shape": [4], "data": {"fill": 1}},
   "n": {"shape": [3], "dtype": "i64", "data": {"values": [1, 2, 3]}}},
 "nodes": [{"name": "Y", $1}], "outputs": ["Y"]}
EOF
}
# says TEXT NODE: validating it is refused with this text
says() { node "$2"; expect 3 "$1" eintool validate g.json; }
# takes NODE
takes() { node "$1"; expect 0 "sound" eintool validate g.json; }
# never TEXT NODE: the message does not hold it
never() {
    local out
    node "$2"; out=$(eintool validate g.json 2>&1)
    [[ "$out" != *"$1"* ]] || fail "$2: says '$1': $out"
}

# Keys.
says 'write in the output what stays: "ij->i" aggregates j' \
    '"einsum": "ij", "inputs": ["X"], "agg": "mean", "axis": 1'
says '"sizes": {"u": 1}' '"einsum": "ij->i", "inputs": ["X"], "keepdims": true'
takes '"einsum": "ij->iu", "inputs": ["X"], "sizes": {"u": 1}, "agg": "mean"'
says '"einsum": "ij,kj->ik"' '"op": "matmul", "inputs": ["X", "W"], "transpose_b": true'
says '"einsum": "ji,jk->ik"' '"op": "matmul", "inputs": ["X", "W"], "transA": true'
says '{"name": "XW", "einsum": "bi,oi->bo", "inputs": ["X", "W"]}, {"name": "Y", "einsum": "bo,o->bo"' \
    '"op": "linear", "inputs": ["X", "W", "w"]'
says '{"name": "R", "op": "reshape", "inputs": ["X"], "shape": [8, 4, -1]} with your extents' \
    '"einsum": "b (h d) -> b h d", "inputs": ["X"]'
says 'layer_norm takes them (["X", "WEIGHT", "BIAS"])' '"op": "layer_norm", "inputs": ["X"], "weight": "w"'
says 'layer_norm takes them' '"op": "layer_norm", "inputs": ["X"], "bias": "w"'
never 'did you mean "dims"' '"op": "layer_norm", "inputs": ["X"], "bias": "w"'
takes '"op": "layer_norm", "inputs": ["X", "w", "w"]'
says 'norm is the 2-norm; the 1-norm is' '"op": "norm", "inputs": ["X"], "ord": 1'
takes '"einsum": "ij->i", "inputs": ["X"], "join": "abs(x)", "agg": "max"'
says 'write the opposite: "while" names a scalar that is 0 when the loop is to end' \
    '"loop": {"until": "done", "max": 3, "carry": {"W": "W1"}, "body": []}'
says 'remove it if it means nothing, or begin it with x-' '"einsum": "ij->i", "inputs": ["X"], "colour": "red"'

says 'write "ddof": 1 for true, which divides by n - 1' '"op": "var", "inputs": ["X"], "unbiased": true'
says 'write "ddof": 1, which divides by n - 1 as PyTorch does, or 0' '"op": "torch.std", "inputs": ["X"], "dim": 0'
takes '"op": "torch.std", "inputs": ["X"], "dim": 0, "correction": 1'
for axis in dim keepdim; do
    [ $axis = dim ] && value=0 || value=true
    node '"op": "std", "inputs": ["X"], "'$axis'": '$value
    expect 0 "note: node 'Y': std divides by n, as NumPy's does, and PyTorch's by n - 1; write \"ddof\": 1 for that" \
        eintool validate g.json
done
never 'divides by n' '"op": "std", "inputs": ["X"], "axis": 0'
never 'divides by n' '"op": "std", "inputs": ["X"], "dim": 0, "ddof": 0'
says '"join": "x/2*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x^3)))"' '"op": "gelu", "inputs": ["X"], "approximate": "tanh"'
says 'x/2*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x^3))), its default' '"op": "jax.nn.gelu", "inputs": ["X"]'
takes '"einsum": "...->...", "inputs": ["X"], "join": "x/2*(1 + tanh(sqrt(2/pi)*(x + 0.044715*x^3)))"'
says 'as [-1] for one and [-2, -1] for two' '"op": "layer_norm", "inputs": ["X"], "normalized_shape": [4]'
says 'weight and bias are further inputs' '"op": "layer_norm", "inputs": ["X"], "elementwise_affine": false'
says 'write it as a number in a join, as leaky_relu(x, 0.2)' '"op": "leaky_relu", "inputs": ["X"], "alpha": 0.2'
takes '"einsum": "...->...", "inputs": ["X"], "join": "leaky_relu(x, 0.2)"'
says 'divide in a node before' '"op": "softmax", "inputs": ["X"], "temperature": 0.7'
says 'round(x*100)/100' '"op": "round", "inputs": ["X"], "decimals": 2'
says '"join": "where(y, x, 0)"' '"op": "sum", "inputs": ["X"], "where": "W"'
takes '"einsum": "ij,ij->i", "inputs": ["X", "W"], "join": "where(y, x, 0)"'

# Functions, each with nodes that are accepted.
says '"join": "where([j] <= [i], x, 0)"' '"op": "cumsum", "inputs": ["w"]'
never 'did you mean' '"op": "cumsum", "inputs": ["w"]'
takes '"einsum": "j->i", "inputs": ["w"], "sizes": {"i": 4}, "join": "where([j] <= [i], x, 0)"'
takes '"einsum": "j->i", "inputs": ["w"], "sizes": {"i": 4}, "join": "where([j] <= [i], x, 1)", "agg": "prod"'
says 'where([i] >= [j], x, 0)' '"op": "tril", "inputs": ["X"]'
never 'ceil' '"einsum": "ij->ij", "inputs": ["X"], "join": "tril(x)"'
says 'el.sort makes the nodes' '"op": "sort", "inputs": ["w"]'
never 'did you mean' '"einsum": "i->i", "inputs": ["w"], "join": "sort(x)"'
says 'el.median makes the nodes' '"einsum": "ij->i", "inputs": ["X"], "agg": "median"'
never 'did you mean' '"einsum": "ij->i", "inputs": ["X"], "agg": "median"'
says '"einsum": "ij,jk->ik" in place of "op"' '"op": "einsum", "equation": "ij,jk->ik", "inputs": ["X", "W"]'
says 'where(y, -inf, x)' '"op": "masked_fill", "inputs": ["X", "W"]'
says 'eintool make attention writes one' '"op": "scaled_dot_product_attention", "inputs": ["X", "X", "X"]'
says '"b,b->" and /size(b) alone for vectors' '"op": "mse_loss", "inputs": ["w", "w"]'
takes '"einsum": "b,b->", "inputs": ["w", "w"], "join": "(x-y)^2/size(b)"'
says 'exchange the two: "inputs": ["X", "n"], the table first' '"op": "gather", "inputs": ["n", "X"]'
says 'did you mean "softmax"?' '"op": "sotfmax", "inputs": ["X"]'

# Inputs and attributes in the number or under the names of other libraries.
says 'list the condition, what is taken where it holds, and what elsewhere: ["MASK", "X", "Y"]' \
    '"op": "where", "inputs": ["X", "W"]'
says '"einsum": "ij,jk,kl->il", or a node for each' '"op": "matmul", "inputs": ["X", "W", "W"]'
takes '"einsum": "ij,jk,kl->il", "inputs": ["X", "W", "W"]'
says '"pad_width": [[before, after], ...], a pair for each axis' '"op": "pad", "inputs": ["X"], "pad": [1, 1, 1, 1]'
takes '"op": "pad", "inputs": ["X"], "pad_width": [[1, 1], [1, 1]]'
says 'write "dtype"' '"op": "cast", "inputs": ["X"], "to": "f16"'
never 'remove it' '"op": "cast", "inputs": ["X"], "to": "f16"'
says 'axes count from 0, negative ones from the last' '"op": "transpose", "inputs": ["X"], "axes": [1, 2]'
says 'write them, as [0, 1] for all of a matrix; leave it out for the last' \
    '"op": "softmax", "inputs": ["X"], "axis": null'
takes '"op": "sum", "inputs": ["X"], "axis": null'
says '{"op": "slice", "slices": "0"}, and read that' '"einsum": "ij->ij", "inputs": ["X"], "join": "x[0] * 2"'
takes '"op": "slice", "inputs": ["X"], "slices": "0"'
node '"einsum": "ij->ij", "inputs": ["X"], "join": "x*k"'
sed 's/"eingraph": 1/&, "params": {"k": [1, 2]}/' g.json > list.json
expect 3 'make it a tensor, with a term in "einsum": "tensors": {"k": {"data": {"values": [1,2]}}}' \
    eintool validate list.json
cat g.json g.json > two.json
expect 3 "expected JSON, found more text behind its one value; remove it, or write a file for each" \
    eintool validate two.json

# Gradients by other names.
cat > grad.json << 'EOF'
{"eingraph": 1, "tensors": {"W": {"shape": [4], "data": {"fill": 2}}},
 "nodes": [{"name": "loss", "einsum": "i->", "inputs": ["W"], "join": "x^2"},
           {"name": "g", "grad": {"of": "loss", "wrt": ["W"]}},
           {"name": "W1", "einsum": "i,i->i", "inputs": ["W", "dW"], "join": "x - 0.1*y"}], "outputs": ["W1"]}
EOF
for other in dW loss/W grad_W W.grad W_grad; do
    sed "s,dW,$other," grad.json > other.json
    expect 3 "found '$other'; did you mean \"g/W\"?" eintool validate other.json
done
sed 's,dW,g/W,' grad.json > other.json
expect 0 "sound" eintool validate other.json

# What is sound and hardly meant is noted.
node '"op": "one_hot", "inputs": ["n"], "depth": 3'
expect 0 "node 'Y' has no 1 for 3 at [2] of 'n': its positions are 0 to 2; count labels from 0, or raise \"depth\"" \
    einplan g.json -n 1
never 'has no 1' '"op": "one_hot", "inputs": ["n"], "depth": 4'
printf '3 3 2\n1 1 5\n2 3 7\n' > size.tns
printf '3 3 2\n1 1 5\n' > none.tns
cat > tns.json << 'EOF'
{"eingraph": 1, "tensors": {"X": {"shape": [3, 3], "sparse": true, "data": {"tns": "size.tns"}}},
 "nodes": [{"name": "Y", "einsum": "ij->i", "inputs": ["X"]}], "outputs": ["Y"]}
EOF
expect 0 "tensor 'X': the first line of 'size.tns', 3 3 2, is its shape and the number of lines behind it" \
    einplan tns.json -n 1
sed 's/size.tns/none.tns/' tns.json > none.json
out=$(einplan none.json -n 1 2>&1)
[[ "$out" != *"first line"* ]] || fail "an element at the last place was taken for a line of sizes: $out"
echo '{"inside": {"latency": 2}, "between": {"bandwidth": 100}, "flops_per_second": 60}' > slow.json
expect 0 'slow.json: /inside/latency: 2 without a unit is 2 seconds: write "2us" for microseconds, "2s" if that is' \
    einplan tns.json -n 1 --cluster slow.json
expect 0 '/between/bandwidth: 100 without a unit is 100 bytes/s: write "100GB/s" or "100Gbit/s" for more' \
    einplan tns.json -n 1 --cluster slow.json
expect 0 '/flops_per_second: 60 without a unit is 60 operations/s' einplan tns.json -n 1 --cluster slow.json
echo '{"inside": {"latency": 2e-6, "bandwidth": 1e10}, "between": {"latency": "2s"}}' > fine.json
out=$(einplan tns.json -n 1 --cluster fine.json 2>&1)
[[ "$out" != *"without a unit"* ]] || fail "numbers of a machine that there is were taken for slips: $out"

# A raw file of another dtype, and keys of a tensor inside its data.
head -c 96 /dev/zero > A.bin
cat > raw.json << 'EOF'
{"eingraph": 1, "dtype": "f32", "tensors": {"A": {"shape": [4, 3], "data": {"raw": "A.bin"}}},
 "nodes": [{"name": "Y", "einsum": "ij->i", "inputs": ["A"]}], "outputs": ["Y"]}
EOF
expect 3 'write "dtype": "f64", "c64" or "i64", which this shape takes so many bytes of, or write "shape": [8, 3], of' \
    einplan raw.json -n 1 -q
sed -i 's/"f32"/"f64"/' raw.json
expect 0 "" einplan raw.json -n 1 -q
sed 's/"A.bin"/&, "dtype": "f64"/' raw.json > inside.json
expect 3 'write it beside "data", as a key of the tensor' eintool validate inside.json

exit "$failed"
