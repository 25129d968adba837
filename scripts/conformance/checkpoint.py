"""Small checkpoints of random weights, as Hugging Face saves them: config.json, and safetensors files with an index.

Usage: checkpoint.py KIND FOLDER writes one, with a prompt in tokens.npy; KIND is one of KINDS below, such as "Qwen2".
"""
import json
import os
import struct
import sys

import numpy as np

SMALL = {"hidden_size": 32, "intermediate_size": 56, "num_hidden_layers": 2, "num_attention_heads": 4,
         "num_key_value_heads": 2, "vocab_size": 97, "max_position_embeddings": 64, "rms_norm_eps": 1e-5,
         "rope_theta": 10000.0, "hidden_act": "silu", "tie_word_embeddings": False, "torch_dtype": "float32"}
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0,
          "original_max_position_embeddings": 16}
KINDS = {  # config, dtype, files, a seed whose tokens are varied and lead clearly
    "LLaMA 2": ({"model_type": "llama", "num_key_value_heads": 4}, "F16", 1, 4),
    "LLaMA 3": ({"model_type": "llama", "rope_theta": 500000.0, "rope_scaling": LLAMA3, "tie_word_embeddings": True},
                "BF16", 3, 1),
    "LLaMA, linear scaling, biases": ({"model_type": "llama", "attention_bias": True, "mlp_bias": True,
                                       "rope_scaling": {"type": "linear", "factor": 4.0}}, "F32", 2, 3),
    "Mistral": ({"model_type": "mistral", "sliding_window": 9, "head_dim": 12}, "F16", 2, 0),
    "Mistral, no window": ({"model_type": "mistral", "sliding_window": None, "num_key_value_heads": 1}, "BF16", 1, 0),
    "Qwen2": ({"model_type": "qwen2", "tie_word_embeddings": True, "use_sliding_window": False,
               "sliding_window": 32768, "max_window_layers": 1}, "BF16", 1, 0),
    "Qwen2, windows": ({"model_type": "qwen2", "use_sliding_window": True, "sliding_window": 7,
                        "max_window_layers": 1}, "F32", 4, 1),
}


def as_bf16(array):
    """Rounded to the nearest, ties to even. @return the upper halves of f32"""
    bits = array.astype("<f4").view("<u4")
    return ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16).astype("<u2")


ENCODERS = {"F32": lambda a: a.astype("<f4"), "F16": lambda a: a.astype("<f2"), "BF16": as_bf16}
DECODERS = {"F64": lambda raw: raw.view("<f8"), "F32": lambda raw: raw.view("<f4"), "F16": lambda raw: raw.view("<f2"),
            "BF16": lambda raw: (raw.view("<u2").astype("<u4") << 16).view("<f4")}


def shapes_of(config):
    """By name, [out, in]."""
    d, ffn = config["hidden_size"], config["intermediate_size"]
    heads, kv = config["num_attention_heads"], config["num_key_value_heads"]
    head = config.get("head_dim") or d // heads
    shapes = {"model.embed_tokens.weight": [config["vocab_size"], d], "model.norm.weight": [d]}
    if not config.get("tie_word_embeddings"):
        shapes["lm_head.weight"] = [config["vocab_size"], d]
    biased = {"q", "k", "v"} if config["model_type"] == "qwen2" else set()
    biased |= {"q", "k", "v", "o"} if config.get("attention_bias") else set()
    biased |= {"gate", "up", "down"} if config.get("mlp_bias") else set()
    for k in range(config["num_hidden_layers"]):
        at = f"model.layers.{k}."
        shapes |= {at + "input_layernorm.weight": [d], at + "post_attention_layernorm.weight": [d]}
        projections = {"q": [heads * head, d], "k": [kv * head, d], "v": [kv * head, d], "o": [d, heads * head],
                       "gate": [ffn, d], "up": [ffn, d], "down": [d, ffn]}
        for name, shape in projections.items():
            part = f"{at}{'self_attn' if len(name) == 1 else 'mlp'}.{name}_proj."
            shapes[part + "weight"] = shape
            if name in biased:
                shapes[part + "bias"] = shape[:1]
    return shapes


def random_weights(config, seed):
    """Near what training would begin with, so that logits stay moderate and differ from token to token."""
    generator = np.random.default_rng(seed)
    out = {}
    for name, shape in shapes_of(config).items():
        spread = 1.0 if "embed" in name else 0.3 if len(shape) == 1 else 1.5 / np.sqrt(shape[1])
        out[name] = (1.0 if "norm" in name else 0.0) + spread * generator.normal(size=shape)
    return out


def write_safetensors(path, tensors, dtype):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, array in tensors.items():
        raw = ENCODERS[dtype](array).tobytes()
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def write(folder, config, weights, dtype, files):
    """One file, or several with an index."""
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "config.json"), "w") as file:
        json.dump(config, file, indent=1)
    if files == 1:
        return write_safetensors(os.path.join(folder, "model.safetensors"), weights, dtype)
    names, index = list(weights), {}
    for k in range(files):
        name = f"model-{k + 1:05}-of-{files:05}.safetensors"
        mine = {each: weights[each] for each in names[k::files]}
        write_safetensors(os.path.join(folder, name), mine, dtype)
        index |= dict.fromkeys(mine, name)
    total = sum(array.size for array in weights.values())
    with open(os.path.join(folder, "model.safetensors.index.json"), "w") as file:
        json.dump({"metadata": {"total_size": total}, "weight_map": index}, file)


def write_kind(kind, folder):
    """@return the config"""
    config, dtype, files, seed = KINDS[kind]
    config = SMALL | config
    write(folder, config, random_weights(config, seed), dtype, files)
    return config


def read(folder):
    """All tensors of a folder's safetensors files, in f64."""
    out = {}
    for name in sorted(os.listdir(folder)):
        if name.endswith(".safetensors"):
            with open(os.path.join(folder, name), "rb") as file:
                (length,) = struct.unpack("<Q", file.read(8))
                header, data = json.loads(file.read(length)), np.frombuffer(file.read(), np.uint8)
            for tensor, entry in header.items():
                if tensor != "__metadata__":
                    begin, end = entry["data_offsets"]
                    raw = np.ascontiguousarray(data[begin:end])
                    out[tensor] = DECODERS[entry["dtype"]](raw).astype(float).reshape(entry["shape"])
    return out


def main():
    if len(sys.argv) != 3 or sys.argv[1] not in KINDS:
        sys.exit(f"expected KIND FOLDER, with a kind of {', '.join(map(repr, KINDS))}")
    config = write_kind(sys.argv[1], sys.argv[2])
    prompt = np.random.default_rng(7).integers(0, config["vocab_size"], (1, 12))
    np.save(os.path.join(sys.argv[2], "tokens.npy"), prompt)


if __name__ == "__main__":
    main()
