"""A LLaMA layer as PyTorch users write it, beside einrun's on the same weights: RMSNorm, rotary positions, causal
attention, SwiGLU, residuals.

layer.py make FOLDER EINTOOL BATCH SEQUENCE    writes FOLDER/layer.json (eintool's layer alone) and its tensors as .npy
layer.py time FOLDER REPEATS THREADS           median seconds of a forward pass, eager
layer.py check FOLDER RESULT.npy               fails unless einrun's result is PyTorch's
"""
import json
import math
import statistics
import subprocess
import sys
import time

import numpy as np

DIM, HEADS, FFN = 1024, 16, 2752
HEAD = DIM // HEADS


def make(folder, eintool, batch, sequence):
    sizes = {"layers": 1, "dim": DIM, "heads": HEADS, "kv-heads": HEADS, "ffn": FFN, "vocab": 2, "batch": batch,
             "sequence": sequence}
    options = [word for name, size in sizes.items() for word in (f"--{name}", str(size))]
    graph = json.loads(subprocess.run([eintool, "make", "llama", "--dtype", "f32"] + options, check=True,
                                      capture_output=True).stdout)
    random = np.random.default_rng(1)
    angle = np.outer(np.arange(sequence), 10000.0 ** (-np.arange(HEAD // 2) / (HEAD // 2)))
    sin, cos = np.sin(angle), np.cos(angle)
    values = {"x0": random.standard_normal((batch, sequence, DIM)),
              # position, half, rotated, pair
              "rotation": np.stack([np.stack([cos, -sin], -1), np.stack([sin, cos], -1)], -2)}
    for name, tensor in graph["tensors"].items():
        if name.startswith("layer0.") and name.endswith("norm.weight"):
            values[name] = 1 + 0.1 * random.standard_normal(tensor["shape"])
        elif name.startswith("layer0."):
            inputs = FFN if name.endswith("w_down") else DIM
            values[name] = random.standard_normal(tensor["shape"]) / math.sqrt(inputs)
    for name, value in values.items():
        np.save(f"{folder}/{name}.npy", value.astype(np.float32))
    graph["tensors"] = {name: {"shape": value.shape, "data": {"npy": f"{name}.npy"}} for name, value in values.items()}
    graph["nodes"] = [node for node in graph["nodes"] if node["name"].startswith("layer0.")]
    graph["outputs"] = ["layer0.ffn_sum"]
    with open(f"{folder}/layer.json", "w") as file:
        json.dump(graph, file)


class Layer:
    """Eager. `weights`: q, k, v, o, gate, up and down as torch.nn.Linear keeps them, and two norms; cos and sin by
    position and feature of a head."""

    def __init__(self, x, weights, cos, sin, heads):
        import torch
        from torch.nn import functional
        self.torch, self.functional = torch, functional
        self.x, self.w, self.cos, self.sin, self.heads = x, weights, cos, sin, heads
        sequence = x.shape[1]
        self.mask = torch.full((sequence, sequence), -math.inf, device=x.device, dtype=x.dtype).triu(1)

    def norm(self, x, weight):
        return x * self.torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-5) * weight

    def turned(self, x):
        low, high = x.chunk(2, -1)
        return x * self.cos + self.torch.cat((-high, low), -1) * self.sin

    def __call__(self):
        linear, x, w = self.functional.linear, self.x, self.w
        batch, sequence, dim = x.shape
        h = self.norm(x, w["norm"])
        q, k, v = (linear(h, w[name]).view(batch, sequence, self.heads, -1).transpose(1, 2) for name in "qkv")
        scores = self.turned(q) @ self.turned(k).transpose(2, 3) / math.sqrt(dim // self.heads) + self.mask
        attended = self.functional.softmax(scores, -1) @ v
        x = x + linear(attended.transpose(1, 2).reshape(batch, sequence, dim), w["o"])
        h = self.norm(x, w["ffn norm"])
        return x + linear(self.functional.silu(linear(h, w["gate"])) * linear(h, w["up"]), w["down"])


def layer_of(folder):
    import torch
    load = lambda name: torch.from_numpy(np.load(f"{folder}/{name}.npy"))
    matrix = lambda name, inputs: load("layer0." + name).reshape(inputs, -1).t().contiguous()
    weights = {name: matrix("w" + name, DIM) for name in "qkvo"}
    weights |= {"gate": matrix("w_gate", DIM), "up": matrix("w_up", DIM), "down": matrix("w_down", FFN)}
    weights |= {"norm": load("layer0.attention_norm.weight"), "ffn norm": load("layer0.ffn_norm.weight")}
    cos, sin = (load("rotation")[:, :, turned, 0].repeat(1, 2) for turned in (0, 1))
    return Layer(load("x0"), weights, cos, sin, HEADS)


def seconds(layer, repeats):
    times = []
    for _ in range(repeats + 1):    # the first one warms up
        begin = time.perf_counter()
        layer()
        times.append(time.perf_counter() - begin)
    return statistics.median(times[1:])


def main(what, folder, *rest):
    if what == "make":
        return make(folder, rest[0], int(rest[1]), int(rest[2]))
    layer = layer_of(folder)
    with layer.torch.inference_mode():
        if what == "time":
            layer.torch.set_num_threads(int(rest[1]))
            return print(seconds(layer, int(rest[0])))
        wanted, found = layer().numpy(), np.load(rest[0])
        error = np.abs(wanted - found).max() / np.abs(wanted).max()
        if not error < 1e-5:
            sys.exit(f"layer.py: expected PyTorch's result within 1e-5 of its largest element, found {error:.2g}")


if __name__ == "__main__":
    main(*sys.argv[1:])
