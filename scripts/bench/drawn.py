#!/usr/bin/env python3
"""Nodes that are drawn at random beside PyTorch and the limit of memory: what no table has asked for.

scripts/bench/drawn.py [--first 1] [--count 50] [--threads 2] [--repeat 7] [--bin build/bin] [--kind KIND]
                      [--dtype DTYPE]

Each number draws one case: a kind, labels, extents, orders of labels, a dtype and an expression. A line for each: the
milliseconds of einrun (the least of some), of PyTorch (in f32 where it has no f16), the limit (bytes read and written
once at copy speed), einrun's time over the smaller of PyTorch's and three times the limit (of contractions: PyTorch's,
whose result is brought to the order that is asked for), and the case. The end lists the worst. With --dtype all that is
drawn is a contraction of this type. Ratios need a machine that does nothing else. Needs PyTorch.
"""
import argparse
import json
import math
import pathlib
import random
import subprocess
import tempfile
import time

import torch

TYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32, "f64": torch.float64, "i8": torch.int8,
         "u8": torch.uint8, "i16": torch.int16, "i32": torch.int32, "i64": torch.int64, "bool": torch.bool,
         "c64": torch.complex64, "c128": torch.complex128}
FLOATS, COMPLEX = ["f16", "bf16", "f32", "f64"], ["c64", "c128"]
LETTERS = "abcdefgh"


def extents(draw, rank, elements):
    """Lengths of `rank` labels, whose product is about `elements`."""
    weights = [draw.random() ** 1.5 + 0.02 for _ in range(rank)]
    return [max(2, round(math.exp(math.log(elements) * w / sum(weights)))) for w in weights]


def leaf(shape, dtype, low=-1.0, high=1.0):
    if dtype not in FLOATS + COMPLEX:
        low, high = (0, 2) if dtype == "bool" else (0, 7) if dtype == "u8" else (-7, 7)
    data = {"random": "uniform", "low": low, "high": high, "seed": 1 + len(shape)}
    return {"shape": shape, "dtype": dtype, "data": data}


def tensor(shape, dtype):
    if dtype in COMPLEX:
        return torch.rand(shape, dtype=TYPES[dtype])
    if dtype in FLOATS:
        return torch.rand(shape).mul(2).sub(1).to(TYPES[dtype])
    return torch.randint(0, 2 if dtype == "bool" else 7, shape).to(TYPES[dtype])


def of(tensors, node, more=()):
    return {"eingraph": 1, "tensors": tensors, "nodes": [*more, {"name": "Z", **node}], "outputs": ["Z"]}


def elements_for(draw, dtype):
    width = 1 if dtype in ("i8", "u8", "bool") else torch.empty(0, dtype=TYPES[dtype]).element_size()
    return int(2 ** draw.uniform(23.5, 26) / width)


def some(draw, labels, least=1):
    return sorted(draw.sample(range(len(labels)), draw.randint(least, len(labels))))


def reduction(draw):
    dtype = draw.choice([*FLOATS, *FLOATS, "i8", "u8", "i16", "i32", "i64", "bool"])
    shape = extents(draw, draw.randint(1, 4), elements_for(draw, dtype))
    labels = LETTERS[:len(shape)]
    aggs = ["any", "all"] if dtype == "bool" else ["sum", "max", "min", "prod", "argmax", "argmin"]
    aggs += ["mean", "logsumexp"] if dtype in FLOATS else []
    agg = draw.choice(aggs)
    axes = [draw.randrange(len(shape))] if agg.startswith("arg") else some(draw, labels)
    pres = ["x"] if dtype == "bool" or agg.startswith("arg") else ["x", "x", "abs(x)", "x*x"]
    pres += ["exp(x)"] if dtype in FLOATS and agg in ("sum", "mean") else []
    pre = draw.choice(pres)
    kept = "".join(l for a, l in enumerate(labels) if a not in axes)
    before = {"x": lambda x: x, "abs(x)": torch.abs, "x*x": lambda x: x * x, "exp(x)": torch.exp}[pre]

    def prod(x):
        for axis in reversed(axes):
            x = x.prod(axis, dtype=TYPES[dtype])
        return x
    def in_turn(which):
        return lambda x: getattr(x.flatten(), which)() if len(axes) == len(shape) else \
            [x := getattr(x, which)(axis) for axis in axes[::-1]]
    after = {"sum": lambda x: x.sum(axes, dtype=TYPES[dtype]), "mean": lambda x: x.mean(axes), "prod": prod,
             "max": lambda x: x.amax(axes), "min": lambda x: x.amin(axes), "logsumexp": lambda x: x.logsumexp(axes),
             "argmax": lambda x: x.argmax(axes[0]), "argmin": lambda x: x.argmin(axes[0]), "any": in_turn("any"),
             "all": in_turn("all")}[agg]
    node = {"einsum": f"{labels}->{kept}", "inputs": ["X"], "join": pre, "agg": agg}
    return (of({"X": leaf(shape, dtype)}, node), [(shape, dtype)], lambda x: after(before(x)),
            f"{agg} {pre} {labels}->{kept} {shape} {dtype}")


ELEMENTWISE = {
    "x+y": lambda x, y: x + y, "x*y": lambda x, y: x * y, "max(x,y)": torch.maximum, "x-y": lambda x, y: x - y,
    "where(x>y,x,2*y)": lambda x, y: torch.where(x > y, x, 2 * y), "(x-y)^2": lambda x, y: (x - y) ** 2}
OF_FLOATS = {
    "exp(x-y)": lambda x, y: torch.exp(x - y), "tanh(x)*y": lambda x, y: torch.tanh(x) * y,
    "x/(abs(y)+1)": lambda x, y: x / (abs(y) + 1), "sigmoid(x)*y": lambda x, y: torch.sigmoid(x) * y,
    "gelu(x)+y": lambda x, y: torch.nn.functional.gelu(x) + y,
    "silu(x)*y": lambda x, y: torch.nn.functional.silu(x) * y,
    "sqrt(abs(x))+y": lambda x, y: torch.sqrt(abs(x)) + y, "log1p(abs(x))*y": lambda x, y: torch.log1p(abs(x)) * y,
    "erf(x)*y": lambda x, y: torch.erf(x) * y, "sin(x)+y": lambda x, y: torch.sin(x) + y,
    "pow(abs(x),y)": lambda x, y: torch.pow(abs(x), y), "floor(4*x)+y": lambda x, y: torch.floor(4 * x) + y,
    "max(x,0)*y": lambda x, y: torch.relu(x) * y}
OF_INTEGERS = {"x%(abs(y)+1)": lambda x, y: x % (abs(y) + 1), "abs(x)+y": lambda x, y: abs(x) + y,
               "min(max(x,-2),y)": lambda x, y: torch.minimum(torch.clamp(x, min=-2), y)}


def elementwise(draw):
    dtype = draw.choice([*FLOATS, *FLOATS, "i8", "u8", "i16", "i32", "i64"])
    shape = extents(draw, draw.randint(1, 4), elements_for(draw, dtype))
    out = LETTERS[:len(shape)]
    table = {**ELEMENTWISE, **(OF_FLOATS if dtype in FLOATS else OF_INTEGERS)}
    join = draw.choice(sorted(table))
    names = []
    for operand in range(2):
        chosen = list(range(len(out))) if operand == 0 or draw.random() < 0.5 else some(draw, out)
        if draw.random() < 0.3:
            draw.shuffle(chosen)
        names.append(chosen)
    shapes = [[shape[a] for a in chosen] for chosen in names]

    def aligned(x, chosen):
        x = x.permute([chosen.index(a) for a in sorted(chosen)])
        return x[tuple(slice(None) if a in chosen else None for a in range(len(out)))]
    words = ["".join(out[a] for a in chosen) for chosen in names]
    node = {"einsum": f"{words[0]},{words[1]}->{out}", "inputs": ["X", "Y"], "join": join}
    return (of({"X": leaf(shapes[0], dtype), "Y": leaf(shapes[1], dtype)}, node), [(s, dtype) for s in shapes],
            lambda x, y: table[join](aligned(x, names[0]), aligned(y, names[1])).contiguous(),
            f"{join} {words[0]},{words[1]}->{out} {shape} {dtype}")


def contraction(draw, wanted=None):
    dtype = draw.choice(["f32", "f32", "f64", "f64", "c64", "c128", "bf16", "f16", "i32", "i8"])
    dtype = wanted or dtype  # the other draws are the same for every type
    while True:
        rank = draw.randint(3, 7)
        labels = LETTERS[:rank]
        lengths = {l: round(math.exp(draw.uniform(math.log(3), math.log(400)))) for l in labels}
        kinds = {l: draw.choices(["left", "right", "sum", "batch"], [3, 3, 3, 1])[0] for l in labels}
        x, y, z = ([l for l in labels if kinds[l] != skip] for skip in ("right", "left", "sum"))
        flops = 2 * math.prod(lengths.values())
        sizes = [math.prod(lengths[l] for l in word) for word in (x, y, z)]
        if 1e8 < flops < 6e9 and max(sizes) < 3e7 and x and y and "sum" in kinds.values():
            break
    for word in (x, y, z):
        draw.shuffle(word)
    shapes = [[lengths[l] for l in word] for word in (x, y)]
    einsum = f"{''.join(x)},{''.join(y)}->{''.join(z)}"
    return (of({"X": leaf(shapes[0], dtype), "Y": leaf(shapes[1], dtype)}, {"einsum": einsum, "inputs": ["X", "Y"]}),
            [(s, dtype) for s in shapes], lambda x, y: torch.einsum(einsum, x, y).contiguous(),
            f"{einsum} {shapes[0]} {shapes[1]} {dtype} {flops / 1e9:.2f} Gflop")


def norm(draw):
    dtype = draw.choice(FLOATS)
    shape = extents(draw, draw.randint(1, 4), elements_for(draw, dtype))
    axes = some(draw, shape)
    op = draw.choice(["softmax", "log_softmax", "layer_norm", "rms_norm", "var", "mean", "std"])

    def softmax(x, which):
        together = x.permute([a for a in range(len(shape)) if a not in axes] + axes).flatten(len(shape) - len(axes))
        return which(together, -1)
    peer = {"softmax": lambda x: softmax(x, torch.softmax) if len(axes) > 1 else torch.softmax(x, axes[0]),
            "log_softmax": lambda x: softmax(x, torch.log_softmax) if len(axes) > 1 else torch.log_softmax(x, axes[0]),
            "layer_norm": lambda x: torch.nn.functional.layer_norm(x, [shape[a] for a in axes])
            if axes == list(range(len(shape)))[-len(axes):] else (x - x.mean(axes, True)) *
            torch.rsqrt(x.var(axes, unbiased=False, keepdim=True) + 1e-5),
            "rms_norm": lambda x: x * torch.rsqrt((x * x).mean(axes, True) + 1e-6),
            "var": lambda x: x.var(axes, unbiased=False), "std": lambda x: x.std(axes, unbiased=False),
            "mean": lambda x: x.mean(axes)}[op]
    return (of({"X": leaf(shape, dtype)}, {"op": op, "inputs": ["X"], "axes": axes}), [(shape, dtype)], peer,
            f"{op} {axes} {shape} {dtype}")


def moved(draw):
    dtype = draw.choice(list(TYPES))
    shape = extents(draw, draw.randint(2, 5), elements_for(draw, dtype))
    what = draw.choice(["transpose", "transpose", "slice", "concat", "pad", "cast", "reverse", "broadcast"])
    axis = draw.randrange(len(shape))
    tensors, leaves = {"X": leaf(shape, dtype)}, [(shape, dtype)]
    more = ""
    if what == "transpose":
        order = list(range(len(shape)))
        draw.shuffle(order)
        node, peer = {"op": "transpose", "inputs": ["X"], "axes": order}, lambda x: x.permute(order).clone(
            memory_format=torch.contiguous_format)
        more = order
    elif what == "slice":
        step = draw.choice([1, 1, 2, 3])
        first = draw.randrange(2)
        text = ", ".join([":"] * axis + [f"{first}::{step}"])
        node = {"op": "slice", "inputs": ["X"], "slices": text}
        peer = lambda x: x[(slice(None),) * axis + (slice(first, None, step),)].clone(
            memory_format=torch.contiguous_format)
        more = text
    elif what == "reverse":
        node = {"op": "slice", "inputs": ["X"], "slices": ", ".join([":"] * axis + ["::-1"])}
        peer, more = lambda x: torch.flip(x, [axis]), axis
    elif what == "concat":
        tensors["Y"] = leaf(shape, dtype)
        leaves = leaves * 2
        node, more = {"op": "concat", "inputs": ["X", "Y"], "axis": axis}, axis
        peer = lambda x, y: torch.cat([x, y], axis)
    elif what == "pad":
        width = [[0, 0] if draw.random() < 0.5 else [draw.randint(0, 3), draw.randint(0, 3)] for _ in shape]
        node, more = {"op": "pad", "inputs": ["X"], "pad_width": width}, width
        flat = [n for pair in reversed(width) for n in pair]
        peer = lambda x: torch.nn.functional.pad(x, flat)
    elif what == "cast":
        to = draw.choice([t for t in TYPES if t != dtype])
        node, peer, more = {"op": "cast", "inputs": ["X"], "dtype": to}, lambda x: x.to(TYPES[to]), to
    else:
        kept = [a for a in range(len(shape)) if a != axis]
        small = [shape[a] for a in kept]
        tensors, leaves = {"X": leaf(small, dtype)}, [(small, dtype)]
        words = "".join(LETTERS[a] for a in kept), LETTERS[:len(shape)]
        node = {"einsum": f"{words[0]}->{words[1]}", "inputs": ["X"], "sizes": {LETTERS[axis]: shape[axis]}}
        peer = lambda x: x.unsqueeze(axis).expand(shape).clone(memory_format=torch.contiguous_format)
        more = f"{words[0]}->{words[1]}"
    return of(tensors, node), leaves, peer, f"{what} {more} {shape} {dtype}"


def prefix(draw):
    dtype = draw.choice([*FLOATS, "i32", "i64"])
    shape = extents(draw, draw.randint(1, 3), elements_for(draw, dtype))
    axis = draw.randrange(len(shape))
    aggs = {"sum": ("0", torch.cumsum), "prod": ("1", torch.cumprod),
            "max": ("-inf", lambda x, a: torch.cummax(x, a)[0]), "min": ("inf", lambda x, a: torch.cummin(x, a)[0])}
    agg = draw.choice(["sum", "sum", "max", "min", "prod"] if dtype in FLOATS else ["sum", "prod"])
    fill, along = aggs[agg]
    compares = draw.choice(["<=", "<=", "<", ">="])
    labels = LETTERS[:len(shape)]
    out = labels.replace(labels[axis], "z")
    node = {"einsum": f"{labels}->{out}", "inputs": ["X"], "join": f"where([{labels[axis]}] {compares} [z], x, {fill})",
            "agg": agg, "sizes": {"z": shape[axis]}}
    peer = (lambda x: along(x.flip(axis), axis).flip(axis)) if compares == ">=" else lambda x: along(x, axis)
    low, high = (0.99, 1.01) if agg == "prod" else (-1.0, 1.0)  # products stay normal numbers
    return (of({"X": leaf(shape, dtype, low, high)}, node), [(shape, dtype)], peer,
            f"prefix {agg} {compares} axis {axis} {shape} {dtype}")


def lookup(draw):
    dtype = draw.choice([*FLOATS, "i32"])
    rows, width = round(2 ** draw.uniform(6, 17)), round(2 ** draw.uniform(0, 10))
    integers = draw.choice(["i64", "i64", "i32", "u8"])
    rows = min(rows, 255) if integers == "u8" else rows
    count = max(8, elements_for(draw, dtype) // width // 2)
    outer = draw.choice([1, 1, 2, 5])
    gathers = draw.random() < 0.5
    count = max(8, count // outer) if gathers else count
    ids = {"shape": [count], "dtype": integers, "data": {"random": "uniform", "low": 0, "high": rows, "seed": 3}}
    index = torch.randint(0, rows, [count])
    if gathers:
        axis = 0 if outer == 1 else 1
        shape = [rows, width] if outer == 1 else [outer, rows, width]
        graph = of({"X": leaf(shape, dtype), "I": ids}, {"op": "gather", "inputs": ["X", "I"], "axis": axis})
        return (graph, [(shape, dtype)], lambda x: x.index_select(axis, index),
                f"gather axis {axis} {shape} {count} {integers} {dtype}")
    agg, fill = draw.choice([("sum", "0"), ("sum", "0"), ("max", "-1000"), ("min", "1000")])
    node = {"einsum": "ij,i->kj", "inputs": ["X", "I"], "join": f"where(y == [k], x, {fill})", "agg": agg,
            "sizes": {"k": rows}, "dtype": dtype}
    graph = of({"X": leaf([count, width], dtype), "I": ids}, node)
    if agg == "sum":
        peer = lambda x: torch.zeros([rows, width], dtype=x.dtype).index_add_(0, index, x)
    else:
        peer = lambda x: torch.zeros([rows, width], dtype=x.dtype).index_reduce_(0, index, x, f"a{agg}")
    return graph, [([count, width], dtype)], peer, f"{agg} by group {count}x{width} into {rows} {integers} {dtype}"


KINDS = {kind.__name__: kind for kind in (reduction, elementwise, contraction, norm, moved, prefix, lookup)}


def timed(call, repeat):
    best = math.inf
    for _ in range(repeat + 1):
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return best


def size_of(result):
    result = result[-1] if isinstance(result, list) else result
    return result.numel() * result.element_size()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in (("--first", 1), ("--count", 50), ("--threads", 2), ("--repeat", 7)):
        parser.add_argument(name, type=int, default=value)
    parser.add_argument("--bin", default="build/bin")
    parser.add_argument("--kind", choices=KINDS)
    parser.add_argument("--dtype", choices=TYPES, help="of contractions alone")
    wanted = parser.parse_args()
    torch.set_num_threads(wanted.threads)
    here = pathlib.Path(tempfile.mkdtemp())
    stream = torch.rand(1 << 25)
    into = torch.empty_like(stream)
    copy = 2 * stream.numel() * 4 / timed(lambda: into.copy_(stream), 7)
    print(f"copy {copy / 1e9:.1f} GB/s, {wanted.threads} threads")
    print(f"{'':4} {'einrun':>8} {'PyTorch':>8} {'limit':>8} ratio")
    rows = []
    for seed in range(wanted.first, wanted.first + wanted.count):
        draw = random.Random(seed)
        kind = contraction if wanted.dtype else KINDS[wanted.kind] if wanted.kind else draw.choice(list(KINDS.values()))
        graph, leaves, peer, name = contraction(draw, wanted.dtype) if wanted.dtype else kind(draw)
        operands = [tensor(*each) for each in leaves]
        moved_bytes, theirs = sum(map(size_of, operands)), None
        for wide in (False, True):
            if wide:  # PyTorch computes little in f16 without a GPU: then in f32
                operands = [x.float() if x.is_floating_point() else x for x in operands]
            try:
                result_bytes = size_of(peer(*operands))
                theirs = timed(lambda: peer(*operands), wanted.repeat)
                moved_bytes += result_bytes // (2 if wide else 1)
                break
            except (RuntimeError, TypeError):
                pass
        limit = moved_bytes / copy
        (here / "g.json").write_text(json.dumps(graph))
        said = subprocess.run([f"{wanted.bin}/einplan", here / "g.json", "-n", "1", "-o", here / "g.sched"],
                              capture_output=True, text=True, check=False)
        if said.returncode == 0:
            said = subprocess.run([f"{wanted.bin}/einrun", here / "g.sched", "--threads", str(wanted.threads),
                                   "--quiet",
                                   "--repeat", str(wanted.repeat + 1), "--report", here / "r.json",
                                   "--out", here / "o"], capture_output=True, text=True, check=False)
        if said.returncode:
            print(f"{seed:4} FAILED {name}: {said.stderr.strip().splitlines()[:3]}", flush=True)
            continue
        ours = min(json.loads((here / "r.json").read_text())["repeat"])
        best = limit * 3 if theirs is None else theirs if kind is contraction else min(theirs, limit * 3)
        rows.append((ours / best, seed, name))
        print(f"{seed:4} {ours * 1e3:8.2f} {theirs * 1e3 if theirs else math.nan:8.2f} {limit * 1e3:8.2f} "
              f"{ours / best:5.2f} {kind.__name__}: {name}", flush=True)
    print(f"\n{len(rows)} cases, above 1.1: {sum(row[0] > 1.1 for row in rows)}. The worst:")
    for ratio, seed, name in sorted(rows, reverse=True)[:15]:
        print(f"{ratio:6.2f} {seed:4} {name}")


if __name__ == "__main__":
    main()
