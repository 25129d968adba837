#!/usr/bin/env bash
# --inputs-below DIR: no data file outside DIR is opened. Usage: inputs_below.sh BIN_FOLDER [MPIEXEC]
set -uo pipefail
bin=$(realpath "$1") mpiexec=${2:-}
source "$(dirname "$(realpath "$0")")/expect.sh"
cd "$work" || exit 1
export OMP_NUM_THREADS=1

mkdir graphs data outside
"$bin/eintool" make matmul 4 4 4 -o ones.json
"$bin/eintool" eval ones.json --out data > /dev/null
array=$(basename data/*.npy)
cp "data/$array" outside/x.npy
ln -s "$work/outside/x.npy" data/link.npy
ln -s "$work/outside" data/folder
ln -s "$work/data/$array" data/absolute.npy
graph() {
    printf '{"eingraph": 1, "tensors": {"A": {"shape": [4, 4], "data": {"npy": "%s"}}},
      "nodes": [{"name": "B", "einsum": "ij->ji", "inputs": ["A"]}], "outputs": ["B"]}' "$1" > "graphs/$2.json"
}
graph "../data/$array" inside
graph "../data/absolute.npy" absolute
graph "../outside/x.npy" up
graph "../data/link.npy" link
graph "../data/folder/x.npy" folder
graph "$work/outside/x.npy" place
for name in inside absolute up link folder place; do
    expect 0 "" "$bin/einplan" "graphs/$name.json" -n 1 --inputs-below data
    if [ "$name" = inside ] || [ "$name" = absolute ]; then
        expect 0 "B f32" "$bin/eintool" eval "graphs/$name.json" --inputs-below data
        expect 0 "" "$bin/einrun" "graphs/$name.sched" --quiet --inputs-below data --verify --out results
    else
        expect 0 "B f32" "$bin/eintool" eval "graphs/$name.json"
        for command in "$bin/eintool eval graphs/$name.json" "$bin/einrun graphs/$name.sched --quiet --out results"; do
            # shellcheck disable=SC2086
            expect 3 "tensor 'A': expected a data file below $work/data (--inputs-below), found $work/outside/x.npy" \
                $command --inputs-below data
        done
    fi
done
expect 3 "copy it there, or name a folder that holds it" \
    "$bin/einrun" graphs/inside.sched --quiet --input A=outside/x.npy --inputs-below data
expect 3 "(--inputs-below), found $work/outside/x.npy" \
    "$bin/eintool" eval graphs/inside.json --input A=data/link.npy --inputs-below data
expect 2 "--inputs-below: expected a folder, found none at 'none'" \
    "$bin/einplan" graphs/inside.json -n 1 --inputs-below none
expect 2 "--inputs-below: expected a folder" "$bin/einrun" graphs/inside.sched --inputs-below none
expect 2 "--inputs-below: expected a folder" "$bin/eintool" validate graphs/inside.json --inputs-below none

# The index of a model's folder names files too.
mkdir model; echo '{"weight_map": {"w": "../outside/x.safetensors"}}' > model/model.safetensors.index.json
cat > model/config.json << 'JSON'
{"model_type": "llama", "hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2,
 "vocab_size": 8, "rms_norm_eps": 1e-5, "hidden_act": "silu"}
JSON
printf '\2\0\0\0\0\0\0\0{}' > outside/x.safetensors
expect 3 "/weight_map/w: expected the name of a file in the index's folder, found '../outside/x.safetensors'" \
    "$bin/eintool" import safetensors-llama model --sequence 2 --inputs-below model
mv model/model.safetensors.index.json outside/index.json; ln -s ../outside/index.json model/model.safetensors.index.json
expect 3 "(--inputs-below), found $work/outside/index.json" \
    "$bin/eintool" import safetensors-llama model --sequence 2 --inputs-below model

if [ -n "$mpiexec" ]; then
    "$bin/einplan" graphs/up.json -n 3 --decompose eindecomp -q -o graphs/up3.sched
    expect 3 "found $work/outside/x.npy" \
        timeout 60 "$mpiexec" -n 3 "$bin/einrun" graphs/up3.sched --quiet --inputs-below data
    expect 2 "expected --inputs-below data for all ranks as for rank 0, found no --inputs-below for rank 1" \
        timeout 60 "$mpiexec" -n 1 "$bin/einrun" graphs/up3.sched --quiet --inputs-below data \
            : -n 2 "$bin/einrun" graphs/up3.sched --quiet
fi
exit "$failed"
