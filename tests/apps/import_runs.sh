#!/usr/bin/env bash
# A model's folder goes through all three programs, from other folders than those of the files: imported, planned and
# run on several rank counts, each run agreeing with the reference and with the others.
# Usage: import_runs.sh BIN MPIEXEC COUNT_FLAG
set -euo pipefail
bin=$1 mpiexec=$2 flag=$3
work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir model prompts graphs schedules elsewhere

python3 - << 'END'
import array, json, random, struct
random.seed(5)
dim, heads, kv, ffn, vocab, layers = 32, 4, 2, 48, 64, 2
shapes = {"model.embed_tokens.weight": [vocab, dim], "model.norm.weight": [dim]}
for k in range(layers):
    at = f"model.layers.{k}."
    shapes |= {at + "input_layernorm.weight": [dim], at + "post_attention_layernorm.weight": [dim],
               at + "self_attn.q_proj.weight": [dim, dim], at + "self_attn.k_proj.weight": [kv * dim // heads, dim],
               at + "self_attn.v_proj.weight": [kv * dim // heads, dim], at + "self_attn.o_proj.weight": [dim, dim],
               at + "mlp.gate_proj.weight": [ffn, dim], at + "mlp.up_proj.weight": [ffn, dim],
               at + "mlp.down_proj.weight": [dim, ffn]}
header, data = {}, b""
for name, shape in shapes.items():
    count = shape[0] * (shape[1] if len(shape) > 1 else 1)
    values = array.array("f", [random.gauss(1.0 if "norm" in name else 0.0, 0.3) for _ in range(count)]).tobytes()
    header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(values)]}
    data += values
text = json.dumps(header).encode()
open("model/model.safetensors", "wb").write(struct.pack("<Q", len(text)) + text + data)
json.dump({"model_type": "llama", "hidden_size": dim, "intermediate_size": ffn, "num_hidden_layers": layers,
           "num_attention_heads": heads, "num_key_value_heads": kv, "vocab_size": vocab, "rms_norm_eps": 1e-5,
           "rope_theta": 1e4, "hidden_act": "silu",
           "tie_word_embeddings": True, "torch_dtype": "float32"}, open("model/config.json", "w"))
head = b"{'descr': '<i4', 'fortran_order': False, 'shape': (1, 6), }"
head += b" " * (-(11 + len(head)) % 64) + b"\n"
tokens = array.array("i", [3, 14, 15, 9, 26, 5]).tobytes()
open("prompts/p.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + tokens)
END

"$bin/eintool" import safetensors-llama model --tokens prompts/p.npy --decode 8 --dtype f64 -o graphs/decode.json
"$bin/eintool" import safetensors-llama model --sequence 6 --logits all -o graphs/prefill.json
"$bin/eintool" eval graphs/decode.json --out expected > /dev/null
"$bin/eintool" eval graphs/prefill.json --input tokens=prompts/p.npy --out expected > /dev/null
for ranks in 1 2 4; do
    for name in decode prefill; do
        given=(); [ "$name" = decode ] || given=(--input "tokens=$work/prompts/p.npy")
        "$bin/einplan" "graphs/$name.json" -n "$ranks" --decompose eindecomp -o "schedules/$name.sched" > /dev/null
        (cd elsewhere
         "$mpiexec" "$flag" "$ranks" "$bin/einrun" "../schedules/$name.sched" --verify --out run "${given[@]}" \
             > said 2>&1 || { cat said; exit 1; }
         grep -q ", 0 differ" said || { echo "$name, ranks $ranks:"; cat said; exit 1; })
    done
    "$bin/eintool" diff expected/tokens_out.npy elsewhere/run/tokens_out.npy > /dev/null
    "$bin/eintool" diff expected/logits.npy elsewhere/run/logits.npy --tolerance 1e-4 > /dev/null
done
