"""einrun --device cuda beside PyTorch on the same GPU in one run, as one table.

gpu.py BIN [--device D] [--small] [--keep FOLDER] [ROWS...]
                                               BIN: the folder of einplan, einrun and eintool;
                                               ROWS: words that a row's name has, default all;
                                               FOLDER: keeps every report there

Every figure of ours is the median `execute` of einrun's repeats, every one of PyTorch's the median of as many repeats
with a synchronisation around each. Products are PyTorch's, which are cuBLAS called directly; bandwidth is compared with
a copy on the device. --small tries the script itself on any machine (--device cpu or emulated): its figures mean
nothing.
"""
import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

import torch

from layer import Layer

parser = argparse.ArgumentParser()
parser.add_argument("bin")
parser.add_argument("--device", default="cuda")
parser.add_argument("--small", action="store_true")
parser.add_argument("--repeats", type=int, default=7)
parser.add_argument("--keep")
parser.add_argument("rows", nargs="*")
args = parser.parse_intermixed_args()
place = "cuda" if torch.cuda.is_available() else "cpu"
small = args.small
folder = tempfile.mkdtemp(prefix="einloom-gpu-")
environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
TORCH = {"f64": torch.float64, "f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16}
torch.backends.cuda.matmul.allow_tf32 = False
torch.backends.cudnn.allow_tf32 = False


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, env=environment, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: code {done.returncode}: {done.stderr.strip()[-400:]}")
    return done.stdout


def graph_of(*make):
    return json.loads(run(f"{args.bin}/eintool", "make", *make))


def einrun(graph, *options, repeats=None):
    """Median seconds, and the report."""
    with open(f"{folder}/g.json", "w") as file:
        json.dump(graph, file)
    run(f"{args.bin}/einplan", f"{folder}/g.json", "-n", 1, "-q", "-o", f"{folder}/g.sched")
    run(f"{args.bin}/einrun", f"{folder}/g.sched", "--device", args.device, "--repeat", repeats or args.repeats,
        "--quiet", "--progress", "off", "--threads", min(os.cpu_count(), 16), "--report", f"{folder}/r.json", *options)
    report = json.load(open(f"{folder}/r.json"))
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
        with open(f"{args.keep}/{len(os.listdir(args.keep)):02}.json", "w") as file:
            json.dump({"nodes": graph["nodes"][:4], "report": report}, file)
    return statistics.median(report["repeat"][1:] or report["repeat"]), report


def torch_seconds(work, repeats=None):
    wait = torch.cuda.synchronize if place == "cuda" else lambda: None
    times = []
    with torch.inference_mode():
        for _ in range((repeats or args.repeats) + 2):
            wait()
            begin = time.perf_counter()
            work()
            wait()
            times.append(time.perf_counter() - begin)
    return statistics.median(times[2:])


def tensors(shapes, dtype):
    return {name: {"shape": list(shape), "dtype": dtype, "data": {"random": "uniform", "low": -1, "seed": k}}
            for k, (name, shape) in enumerate(shapes.items())}


def einsum_graph(node, shapes, dtype, **more):
    return {"eingraph": 1, "tensors": tensors(shapes, dtype),
            "nodes": [{"name": "Z", "inputs": list(shapes), **node, **more}], "outputs": ["Z"]}


rows = []


def row(name, unit, ours, peer, theirs, target):
    """Higher is better."""
    ratio = ours / theirs if theirs else float("nan")
    verdict = "" if target is None else ("met" if ratio >= target else "MISSED")
    wanted = "" if target is None else f">={target:.2f}"
    text = f"{name:40} {ours:10.4g} {unit:8} {peer:28} {theirs:10.4g} {ratio:6.2f} {wanted:>7} {verdict}"
    rows.append(text)
    print(text, flush=True)


def measured(title):
    """Rows that were not asked for are not measured; one that fails says so and lets the others go on."""
    def wrap(work):
        if args.rows and not any(word in title for word in args.rows):
            return
        try:
            work(title)
        except Exception as error:    # noqa: BLE001: reported in the table
            print(f"{title:40} FAILED: {error}", flush=True)
            rows.append(f"{title}: failed")
    return wrap


N = 256 if small else 8192
MEMORY = 1 << 16 if small else 1 << 29
best = {}
gpu = torch.cuda.get_device_name(0) if place == "cuda" else "no GPU"
print(f"# {gpu}; PyTorch {torch.__version__}; {time.strftime('%F')}; device {args.device}")
print(f"{'work':40} {'einrun':>10} {'unit':8} {'peer':28} {'its':>10} {'ratio':>6} {'target':>7}")

for dtype in ("f64", "f32", "bf16", "f16"):
    @measured(f"matmul {N} {dtype}")
    def _(title, dtype=dtype):
        ours, _ = einrun(graph_of("matmul", N, N, N, "--dtype", dtype))
        a, b = (torch.randn(N, N, device=place).to(TORCH[dtype]) for _ in range(2))
        theirs = torch_seconds(lambda: a @ b)
        best[dtype] = 2 * N ** 3 / theirs * 1e-12
        row(title, "TFLOP/s", 2 * N ** 3 / ours * 1e-12, "cuBLAS (torch.matmul)", best[dtype], 0.95)

for name, node, shapes in (
        ("batched matmul", {"einsum": "bij,bjk->bik"}, {"X": (64, N // 8, N // 8), "Y": (64, N // 8, N // 8)}),
        ("order 4 abij,ijcd->abcd", {"einsum": "abij,ijcd->abcd"},
         {"X": (N // 128,) * 2 + (N // 128,) * 2, "Y": (N // 128,) * 4}),
        ("order 4 crossed aibj,icjd->acbd", {"einsum": "aibj,icjd->acbd"},
         {"X": (N // 128,) * 4, "Y": (N // 128,) * 4})):
    for dtype in ("f64", "f32"):
        @measured(f"{name} {dtype}")
        def _(title, node=node, shapes=shapes, dtype=dtype):
            x, y = (torch.randn(shape, device=place).to(TORCH[dtype]) for shape in shapes.values())
            ours, report = einrun(einsum_graph(node, shapes, dtype))
            side = round((report["flops"] / 2) ** (1 / 3))
            a, b = (torch.randn(side, side, device=place).to(TORCH[dtype]) for _ in range(2))
            theirs = torch_seconds(lambda: a @ b)
            row(title, "TFLOP/s", report["flops"] / ours * 1e-12, f"cuBLAS, square of {side}",
                2 * side ** 3 / theirs * 1e-12, 0.8)


@measured("matmul in TF32")
def _(title):
    ours, _ = einrun(graph_of("matmul", N, N, N), "--allow-tf32")
    a, b = (torch.randn(N, N, device=place) for _ in range(2))
    torch.backends.cuda.matmul.allow_tf32 = True
    theirs = torch_seconds(lambda: a @ b)
    torch.backends.cuda.matmul.allow_tf32 = False
    row(title, "TFLOP/s", 2 * N ** 3 / ours * 1e-12, "cuBLAS (torch.matmul)", 2 * N ** 3 / theirs * 1e-12, 0.95)


def copy_bandwidth():
    if "copy" not in best:
        x = torch.randn(MEMORY, device=place)
        y = torch.empty_like(x)
        best["copy"] = 8 * MEMORY / torch_seconds(lambda: y.copy_(x)) * 1e-9
    return best["copy"]


R = 1 << MEMORY.bit_length() // 2
for name, node, shapes, passes in (
        ("elementwise x*y+x", {"einsum": "i,i->i", "join": "x*y+x"}, {"X": (MEMORY,), "Y": (MEMORY,)}, 3),
        ("elementwise exp(x)", {"einsum": "i->i", "join": "exp(x)"}, {"X": (MEMORY,)}, 2),
        ("transpose ij->ji", {"einsum": "ij->ji"}, {"X": (R, MEMORY // R)}, 2),
        ("row sums ij->i", {"einsum": "ij->i"}, {"X": (R, MEMORY // R)}, 1),
        ("column sums ij->j", {"einsum": "ij->j"}, {"X": (R, MEMORY // R)}, 1),
        ("sum of all", {"einsum": "i->"}, {"X": (MEMORY,)}, 1),
        ("softmax over rows", {"op": "softmax"}, {"X": (R, MEMORY // R)}, 2)):
    @measured(name)
    def _(title, node=node, shapes=shapes, passes=passes):
        ours, _ = einrun(einsum_graph(node, shapes, "f32", **({"axes": [1]} if "op" in node else {})))
        row(title, "GB/s", 4 * MEMORY * passes / ours * 1e-9, "copy on the device", copy_bandwidth(), 0.85)


def flops_rate(dtype):
    if dtype not in best:
        a, b = (torch.randn(N, N, device=place).to(TORCH[dtype]) for _ in range(2))
        best[dtype] = 2 * N ** 3 / torch_seconds(lambda: a @ b) * 1e-12
    return best[dtype]


# Contractions that transpose: of the set that is measured on the CPU too, every fifth.
with open(os.path.join(os.path.dirname(__file__), "transposing.txt")) as file:
    contractions = [line.strip().split("|") for line in file if line[0] != "#"][::5]
for k, (label, einsum, sizes, flops, elements) in enumerate(contractions):
    dtype = ("f32", "f64")[k % 2]

    @measured(f"transposing {label} {einsum} {dtype}")
    def _(title, einsum=einsum, sizes=sizes, flops=int(flops), elements=int(elements), dtype=dtype):
        if small:
            return
        shapes = dict(zip("XYW", ([int(extent) for extent in shape.split(",")] for shape in sizes.split(" "))))
        ours, _ = einrun(einsum_graph({"einsum": einsum}, shapes, dtype))
        limit = max(flops / flops_rate(dtype) * 1e-12,
                    elements * (8 if dtype == "f64" else 4) / copy_bandwidth() * 1e-9)
        row(title, "TFLOP/s", flops / ours * 1e-12, "flops at R, bytes at copy", flops / limit * 1e-12, 0.5)

K = 128 if small else 4096
for name, node, dtype in (("int8", {"einsum": "ij,jk->ik"}, "i8"), ("int32", {"einsum": "ij,jk->ik"}, "i32"),
                          ("(min,+)", {"einsum": "ij,jk->ik", "join": "x+y", "agg": "min"}, "f32"),
                          ("bool any of and", {"einsum": "ij,jk->ik", "join": "x&&y", "agg": "any"}, "bool")):
    @measured(f"{name} product {K}")
    def _(title, node=node, dtype=dtype):
        graph = einsum_graph(node, {"X": (K, K), "Y": (K, K)}, dtype)
        for k, tensor in enumerate(graph["tensors"].values()):
            if dtype != "f32":
                tensor["data"] = {"random": "uniform", "seed": k, "low": 0, "high": 2 if dtype == "bool" else 100}
        ours, _ = einrun(graph)
        row(title, "Top/s", 2 * K ** 3 / ours * 1e-12, "cuBLAS f32", flops_rate("f32"), None)


S = 64 if small else 4096
for dtype in ("f32", "bf16"):
    for causal in (False, True):
        @measured(f"{'causal ' if causal else ''}attention {S}, 8 heads of 64, {dtype}")
        def _(title, dtype=dtype, causal=causal):
            heads = {name: (8, S, 64) for name in "QKV"}
            mask = "where([k] <= [q], x*y/8, -inf)" if causal else "x*y/8"
            graph = {"eingraph": 1, "tensors": tensors(heads, dtype), "outputs": ["Z"], "nodes": [
                {"name": "S", "einsum": "hqd,hkd->hqk", "inputs": ["Q", "K"]},
                {"name": "M", "einsum": "hqk->hqk", "inputs": ["S"], "join": mask.replace("x*y", "x")},
                {"name": "P", "op": "softmax", "inputs": ["M"], "axes": [2]},
                {"name": "Z", "einsum": "hqk,hkd->hqd", "inputs": ["P", "V"]}]}
            ours, _ = einrun(graph)
            q, k, v = (torch.randn(1, 8, S, 64, device=place).to(TORCH[dtype]) for _ in range(3))
            theirs = torch_seconds(lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
                                   if hasattr(torch.nn.functional, "scaled_dot_product_attention") else q @ k.mT @ v)
            row(title, "1/s", 1 / ours, "PyTorch sdpa", 1 / theirs, None)


@measured("small tasks, microseconds each")
def _(title):
    count = 100 if small else 10000
    nodes = [{"name": f"x{k + 1}", "einsum": "i->i", "inputs": [f"x{k}"], "join": "x+1"} for k in range(count)]
    graph = {"eingraph": 1, "tensors": tensors({"x0": (64,)}, "f32"), "nodes": nodes, "outputs": [f"x{count}"]}
    ours, _ = einrun(graph)
    row(title, "us", ours / count * 1e6, "at most", 5, None)


for kind, sizes in (("square", []), ("skewed", ["--skewed"])):
    @measured(f"chain {kind}")
    def _(title, kind=kind, sizes=sizes):
        side = 200 if small else 10000
        graph = graph_of("matrix-chain", side, *sizes)
        ours, report = einrun(graph)
        values = {name: torch.randn(tensor["shape"], device=place) for name, tensor in graph["tensors"].items()}
        a, b, c, d, e = (values[name] for name in "ABCDE")
        theirs = torch_seconds(lambda: a @ b + c @ (d @ e))
        row(f"{title} {side} f32", "TFLOP/s", report["flops"] / ours * 1e-12, "PyTorch",
            report["flops"] / theirs * 1e-12, 1.0)


def layer_of(dim, heads, ffn, sequence, dtype):
    matrix = lambda outputs, inputs: torch.randn(outputs, inputs, device=place, dtype=dtype) / math.sqrt(inputs)
    weights = {name: matrix(dim, dim) for name in "qkvo"}
    weights |= {"gate": matrix(ffn, dim), "up": matrix(ffn, dim), "down": matrix(dim, ffn)}
    weights |= {name: torch.ones(dim, device=place, dtype=dtype) for name in ("norm", "ffn norm")}
    half = dim // heads // 2
    angle = torch.outer(torch.arange(sequence).float(), 10000.0 ** (-torch.arange(half) / half))
    cos, sin = (turned(angle).repeat(1, 2).to(place, dtype) for turned in (torch.cos, torch.sin))
    return Layer(torch.randn(1, sequence, dim, device=place, dtype=dtype), weights, cos, sin, heads)


def llama(layers, sequence, dtype):
    size = ["--dim", 64, "--heads", 4, "--kv-heads", 4, "--ffn", 172] if small else ["--size", "7b"]
    graph = graph_of("llama", *size, "--layers", layers, "--batch", 1, "--sequence", sequence, "--vocab", 32, "--dtype",
                     dtype)
    weights = sum(math.prod(t["shape"]) for name, t in graph["tensors"].items() if name.startswith("layer"))
    return graph, weights * (2 if dtype in ("bf16", "f16") else 4)


@measured("LLaMA-7B layer, prefill, bf16")
def _(title):
    sequence = 64 if small else 4096
    graph, _ = llama(1, sequence, "bf16")
    ours, report = einrun(graph)
    theirs = torch_seconds(layer_of(*((64, 4, 172) if small else (4096, 32, 11008)), sequence, torch.bfloat16))
    row(title, "1/s", 1 / ours, "PyTorch eager", 1 / theirs, 1.0)


@measured("LLaMA-7B 4 layers, a token, bf16")
def _(title):
    tokens = 4 if small else 32
    size = ["--dim", 64, "--heads", 4, "--kv-heads", 4, "--ffn", 172] if small else ["--size", "7b"]
    graph = graph_of("llama", *size, "--layers", 4, "--batch", 1, "--sequence", 16, "--vocab", 512, "--dtype", "bf16",
                     "--decode", tokens)
    weights = 2 * sum(math.prod(t["shape"]) for name, t in graph["tensors"].items() if name.startswith("layer"))
    ours, report = einrun(graph, repeats=3)
    row(title, "GB/s", weights * (tokens + 1) / ours * 1e-9, "copy on the device", copy_bandwidth(), 0.8)


@measured("LLaMA-7B 10 layers, a quarter on the GPU")
def _(title):
    sequence = 16 if small else 512
    graph, weights = llama(10 if not small else 4, sequence, "bf16")
    ours, report = einrun(graph, "--device-memory", max(weights // 4, 4 << 20), repeats=3)
    moved = report.get("device_memory", {}).get("copied_in", weights)
    host = torch.empty(1 << (20 if small else 28), dtype=torch.uint8, pin_memory=place == "cuda")
    there = torch.empty_like(host, device=place)
    bandwidth = host.numel() / torch_seconds(lambda: there.copy_(host, non_blocking=True))
    row(title, "1/s", 1 / ours, "the bus alone", bandwidth / moved, 1 / 1.3)


print(f"\n{len(rows)} rows; {sum('MISSED' in text or 'failed' in text for text in rows)} below target or failed")
sys.exit(0)
