#!/usr/bin/env bash
# Values, files and tokens in the form that another program has: the message says how they are written here, and what
# it says is accepted. Usage: other_forms.sh BIN_FOLDER
set -uo pipefail
bin=$(realpath "$1")
source "$(dirname "$(realpath "$0")")/expect.sh"
export EINLOOM_CACHE=$work/cache PATH=$bin:$PATH
cd "$work" || exit 1

# graph TENSOR NODE [MORE]: X as TENSOR says, A and B (4, 4), and a node Y
graph() {
    cat > g.json << EOT
{"eingraph": 1, "tensors": {"X": $1, "A": {"shape": [4, 4]}, "B": {"shape": [4, 4]}},
 "nodes": [{"name": "Y", $2}], "outputs": ["Y", "A", "B", "X"]${3:-}}
EOT
}
plain='{"shape": [4, 4], "data": {"fill": 1}}' sum='"einsum": "ij->i", "inputs": ["X"]'
# says TEXT TENSOR NODE [MORE], and takes TENSOR NODE [MORE]
says() { local text=$1; shift; graph "$@"; expect 3 "$text" eintool validate g.json; }
takes() { graph "$@"; expect 0 "sound" eintool validate g.json; }

# A value of another kind is not mended by quotes.
mesh=', "mesh": {"dp": 2, "tp": 2}, "sharding": '
says 'write it as "a/dp b", a word for each axis' "$plain" "$sum" "$mesh"'{"X": ["dp", null]}'
says 'write it as "a/dp,tp b"' "$plain" "$sum" "$mesh"'{"X": [["dp", "tp"], null]}'
for spec in "P('dp', None)" "('dp', None)" "P('dp')" "dp None" "dp, None" "['dp', null]"; do
    says 'write it as "a/dp b"' "$plain" "$sum" "$mesh{\"X\": \"$spec\"}"
done
says 'write it as "a b/dp,tp"' "$plain" "$sum" "$mesh"'{"X": "jax.sharding.PartitionSpec(None, (\"dp\", \"tp\"))"}'
says 'write it as "i/dp"' "$plain" "$sum" "$mesh{\"Y\": \"P('dp')\"}"
says 'write it as "a b"' "$plain" "$sum" "$mesh{\"X\": \"(\"}"
takes "$plain" "$sum" "$mesh"'{"X": "a/dp b"}'
random() { echo "{\"shape\": [4, 4], \"data\": {\"random\": $1}}"; }
says 'write it as "uniform" or "normal"' "$(random true)" "$sum"
says '{"random": "normal", "std": 2}' "$(random '{"normal": {"std": 2}}')" "$sum"
says '"normal" with "std" as a number' "$(random '"xavier"')" "$sum"
says 'write {"fill": 0}' '{"shape": [4, 4], "data": {"zeros": true}}' "$sum"
says 'write {"random": "normal", "seed": 1}' '{"shape": [4, 4], "data": {"normal": {}}}' "$sum"
says 'write it as one name, as "sum", in a node for each' "$plain" "$sum"', "agg": ["sum", "max"]'
says 'write axis0 for the op' "$plain" '"op": "softmax", "inputs": ["X"]' ', "parts": {"Y": {"i": 2}}'
takes "$plain" '"op": "softmax", "inputs": ["X"]' ', "parts": {"Y": {"axis0": 2}}'

# A tensor that is its data, one of several files, outputs with files, and the order of a product by a name.
says 'write {"data": {"npy": "X.npy"}}' '"X.npy"' "$sum"
says 'write {"shape": [], "data": {"fill": 3}}' 3 "$sum"
says 'write {"shape": [4, 3], "data": {"raw": "X.bin"}}' '"X.bin"' "$sum"
says 'write {"data": ...}, and for its data convert it: numpy.save("X.npy"' '"X.csv"' "$sum"
says 'write a tensor for each of the 2, and put them together in a node: {"op": "concat", "inputs": ["X0", "X1"], ' \
    '{"data": {"npy": ["X0.npy", "X1.npy"]}}' "$sum"
takes "$plain" '"op": "concat", "inputs": ["X", "A"], "axis": 0'
says 'write "X.npy", without brackets' '{"data": {"npy": ["X.npy"]}}' "$sum"
graph "$plain" "$sum"
sed 's/"outputs": .*/"outputs": {"Y": "Y.npy", "A": "first"}}/' g.json > named.json
expect 3 'write a list of names: ["A","Y"]; einrun writes NAME.npy of each' eintool validate named.json
sed 's/"outputs": .*/"outputs": {"sums": "Y"}}/' g.json > named.json
expect 3 'write a list of names: ["Y"]; to call an output otherwise, rename its node' eintool validate named.json
product='"einsum": "ij,jk,kl->il", "inputs": ["A", "B", "A"]'
for path in '"optimal"' '["greedy"]' '["einsum_path"]' true; do
    says 'leave "path" out: einplan searches a good order itself' "$plain" "$product, \"path\": $path"
done
says 'leave out the word: [[0,1],[0,1]]' "$plain" "$product"', "path": ["einsum_path", [0, 1], [0, 1]]'
takes "$plain" "$product"', "path": [[0,1],[0,1]]'

# Einsums as other places have them.
for written in "C_ik = A_ij B_jk" "C[i,k] = A[i,j] * B[j,k]" "A[i,j]*B[j,k]->[i,k]" "C_{ik} = sum A_{ij} B_{jk}"; do
    says 'write "ij,jk->ik"' "$plain" "\"einsum\": \"$written\", \"inputs\": [\"A\", \"B\"]"
done
takes "$plain" '"einsum": "ij,jk->ik", "inputs": ["A", "B"]'
takes "$plain" '"einsum": "seq d_model, d_model d_ff -> seq d_ff", "inputs": ["A", "B"]'
says 'write the output behind ->' "$plain" '"einsum": "ij,jk", "output": "ik", "inputs": ["A", "B"]'
says 'write "inputs" for "operands"' "$plain" '"einsum": "ij,jk->ik", "operands": ["A", "B"]'
expect 2 "expected 2 shapes, one for each term of 'ij,jk', found 1" \
    eintool import einsum 'ij,jk->ik' --shapes 10x20
for shapes in '(10,20),(20,30)' '[[10, 20], [20, 30]]' '10*20,20*30' '10x20 20x30' '10 x 20, 20 x 30'; do
    expect 2 "write --shapes 10x20,20x30" eintool import einsum 'ij,jk->ik' --shapes "$shapes"
done
expect 2 'write import einsum "ij,jk->ik"' eintool import 'ij,jk->ik' --shapes 10x20,20x30
expect 3 "in a shell put it all in quotes" eintool import einsum 'ij,jk-' --shapes 10x20,20x30
expect 2 'did you mean "safetensors-llama"?' eintool import llama .
expect 2 'did you mean "opt_einsum"?' eintool import opt-einsum g.json

# A loop that ends with another shape than it begins with.
says 'begin with "shape": []' '{"shape": [1], "data": {"fill": 1}}' \
    '"loop": {"times": 2, "carry": {"X": "n"}, "body": [{"name": "n", "op": "sum", "inputs": ["X"]}]}'

# Formats that are converted, by their keys: the name inside is kept.
says 'convert it: numpy.save("X.npy", h5py.File("X.h5")["/X"][:]), then {"npy": "X.npy"}' \
    '{"data": {"hdf5": "X.h5", "dataset": "/X"}}' "$sum"
says 'convert it: numpy.save("X.npy", numpy.loadtxt("X.tsv")), then {"npy": "X.npy"}' \
    '{"data": {"tsv": "X.tsv"}}' "$sum"

# Paths that are none.
says "write the path alone: /data/X.npy" '{"data": {"npy": "file:///data/X.npy"}}' "$sum"
says "download it: only files are read" '{"data": {"npy": "s3://bucket/X.npy"}}' "$sum"
graph '{"shape": [4, 4], "data": {"npy": "~/X.npy"}}' "$sum"
expect 0 "note: tensor 'X' is read from '~/X.npy': ~ is what a shell replaces" eintool validate g.json

# Other files for a cluster file, and a cluster file for a graph.
printf 'ranks_per_node: 4\nnodes: 2\n' > c.yaml
printf 'node1 slots=4\nnode2 slots=4\n' > hosts
echo '{"between": "100Gbit/s"}' > c1.json
echo '{"speeds": [1, 0.5]}' > c2.json
echo '{"nodes": ["n1", "n2"]}' > c3.json
echo '{"inside": {"latency": "1us"}}' > c4.json
graph "$plain" "$sum"
expect 3 "found what looks like YAML; write it as JSON: python3 -c" einplan g.json -n 1 --cluster c.yaml
expect 3 "found what looks like a list of hosts; give it to the launcher: mpirun --hostfile hosts" \
    einplan g.json -n 1 --cluster hosts
expect 3 '{"bandwidth": "100Gbit/s", "latency": "2us"}' einplan g.json -n 1 --cluster c1.json
expect 3 'write it as {"3": 0.5}: a rank' einplan g.json -n 1 --cluster c2.json
expect 3 "write how many they are: 2" einplan g.json -n 1 --cluster c3.json
expect 3 "expected a graph, found a cluster file" einplan c4.json -n 1
cp g.json m.sched
expect 3 "plan it: einplan m.sched -n 4 -o m.planned.sched" einrun m.sched
expect 0 "" einplan m.sched -n 4 -o m.planned.sched -q

# tns files with other signs, and with a line of names.
tns() { printf %b "$1" > x.tns; graph '{"shape": [3, 3], "sparse": true, "data": {"tns": "x.tns"}}' "$sum"; }
tns '1,1,1.5\n2,3,2\n'; expect 3 "put spaces between them: tr ',' ' ' < FILE > NEW" eintool validate g.json
tns 'i j v\n1 1 5\n'; expect 3 "remove the line of names" eintool eval g.json --input A=A --input B=B
tns '1 1 5\nx 2 5\n'; expect 3 "correct the line" eintool eval g.json --input A=A --input B=B
tns '1.0 1.0 5\n'; expect 3 "write whole numbers: 1 for 1.0" eintool eval g.json --input A=A --input B=B

# What eval cannot compute, and what it does, is told.
graph "$plain" '"einsum": "ij->i", "inputs": ["X"], "join": "(x-1)/(x-1)"'
out=$(eintool eval g.json 2>&1)
[[ "$out" == *"tensor 'A'"*"tensor 'B'"* ]] || fail "not all missing inputs at once: $out"
sed 's/, "A", "B", "X"\]/]/' g.json > nan.json
expect 0 "note: 4 of 4 elements of 'Y' are NaN; einrun --check-finite" eintool eval nan.json

# Files of NumPy, SciPy and PyTorch.
if python3 -c 'import numpy' 2> none; then
    python3 - << 'EOT'
import numpy as np
np.save("ragged.npy", np.array([[1, 2], [3]], dtype=object), allow_pickle=True)
np.save("dict.npy", {"w": np.ones((4, 4), np.float32), "b": np.ones(4)})
np.save("fields.npy", np.array([("a", 1.0)], dtype=[("n", "U3"), ("v", "f8")]))
np.savez("one.npz", np.ones((4, 4), np.float32))
np.savez("csr.npz", data=np.ones(5, np.float32), indices=np.zeros(5, np.int32), indptr=np.zeros(5, np.int32),
         format=np.array(b"csr"), shape=np.array([4, 4]))
np.save("i64.npy", np.ones((4,), np.int64))
np.save("turned.npy", np.ones((3, 4), np.float32))
EOT
    # One object is a dict: what the message says of it is run as it stands.
    said=$(graph '{"data": {"npy": "dict.npy"}}' "$sum"; eintool validate g.json 2>&1)
    line=$(sed -n 's/.*of a dict of arrays: \(numpy.savez(.*.item())\), then .*/\1/p' <<< "$said")
    python3 -c "import numpy; ${line:-raise SystemExit(1)}" || fail "what is said of a dict does not run: $said"
    [[ "$said" == *'then {"npz": "dict.npz", "entry": NAME}'* ]] || fail "of a dict: $said"
    takes '{"data": {"npz": "dict.npz", "entry": "w"}}' "$sum"
    says 'numpy.save(FILE, a["v"])' '{"data": {"npy": "fields.npy"}}' "$sum"
    says 'rows of several lengths: pad them to one' '{"data": {"npy": "ragged.npy"}}' "$sum"
    says 'write "entry": "arr_0" in the graph, or --input X=one.npz:arr_0' \
        '{"data": {"npz": "one.npz", "entry": "X"}}' "$sum"
    takes '{"data": {"npz": "one.npz", "entry": "arr_0"}}' "$sum"
    says '"sparse": true, "data": {"scipy": "csr.npz"} for the sparse matrix' \
        '{"shape": [4, 4], "data": {"npz": "csr.npz", "entry": "data"}}' "$sum"
    says 'of scipy.sparse.save_npz write "sparse": true, "data": {"scipy": "csr.npz"}' \
        '{"shape": [4, 4], "sparse": true, "data": {"npz": "csr.npz"}}' "$sum"
    says 'it is a sparse matrix of SciPy: write "sparse": true, "data": {"scipy": "csr.npz"}' \
        '{"shape": [4, 4], "sparse": true, "data": {"npz": "csr.npz", "entry": "NAME"}}' "$sum"
    says 'expected a sparse matrix, found one of the arrays that list its elements; write {"scipy": "csr.npz"}' \
        '{"sparse": true, "data": {"npz": "csr.npz", "entry": "data"}}' "$sum"
    takes '{"sparse": true, "shape": [4, 4], "data": {"scipy": "csr.npz"}}' "$sum"
    graph '{"shape": [1, 4], "dtype": "i32"}' "$sum"
    sed -i 's/, "A", "B", "X"\]/]/' g.json
    expect 0 "" einplan g.json -n 1 -q
    expect 3 'file: a.astype("int32"), or write "dtype": "i64" with this file as' einrun g.sched -q --input X=i64.npy
    expect 3 'or reshape what is in the file: a.reshape(1, 4)' einrun g.sched -q --input X=i64.npy
    graph '{"shape": [4, 3]}' "$sum"
    sed -i 's/, "A", "B", "X"\]/]/' g.json
    expect 0 "" einplan g.json -n 1 -q
    expect 3 'or transpose what is in the file: a.T' einrun g.sched -q --input X=turned.npy
fi

exit "$failed"
