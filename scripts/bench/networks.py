"""Writes contraction networks as EinGraph JSON: networks.py FOLDER [NAME...].

Those with a published order are made again exactly (queens, Mycielski graphs, the quantum Fourier transform), or of
the same kind from a seed of ours; "x-reference" is log2 of its operations and of its largest result.
"""
import json
import random
import sys

NETWORKS = {}


def network(name, inputs, output, size, reference=None):
    NETWORKS[name] = (inputs, output, size, reference)


def coloring(edges):
    return [[str(a), str(b)] for a, b in edges]


def queens(n):
    cells = [(r, c) for r in range(n) for c in range(n)]
    return [(k, m) for k, a in enumerate(cells) for m, b in enumerate(cells) if k < m
            and (a[0] == b[0] or a[1] == b[1] or abs(a[0] - b[0]) == abs(a[1] - b[1]))]


def mycielski(order):
    count, edges = 2, [(0, 1)]
    for _ in range(order - 2):
        more = [pair for a, b in edges for pair in ((a, count + b), (b, count + a))]
        edges = edges + more + [(count + k, 2 * count) for k in range(count)]
        count = 2 * count + 1
    return edges


def fourier(qubits):
    """Hadamard gates, and phases between two qubits as tensors that leave both labels in place."""
    label = [f"q{k}" for k in range(qubits)]
    gates = [[name] for name in label]
    for k in range(qubits):
        gates.append([label[k], label[k] + "h"])
        label[k] += "h"
        gates += [[label[k], label[other]] for other in range(k + 1, qubits)]
    return gates, label


def regular(count, degree, draw):
    while True:
        stubs = [v for v in range(count) for _ in range(degree)]
        draw.shuffle(stubs)
        edges = {(min(pair), max(pair)) for pair in zip(stubs[::2], stubs[1::2]) if pair[0] != pair[1]}
        if len(edges) == count * degree // 2:
            return sorted(edges)


def independent_sets(vertices, edges):
    text = lambda v: ".".join(map(str, v)) if isinstance(v, tuple) else str(v)
    return [[text(v)] for v in vertices] + [[text(a), text(b)] for a, b in edges]


def kings(side, count, draw):
    cells = set(draw.sample([(i, j) for i in range(side) for j in range(side)], count))
    steps = ((0, 1), (1, 0), (1, 1), (1, -1))
    return sorted(cells), [((i, j), (i + a, j + b)) for i, j in sorted(cells) for a, b in steps
                           if (i + a, j + b) in cells]


def tensors_of(count, edges):
    return [[f"e{k}" for k, edge in enumerate(edges) if v in edge] for v in range(count)]


def lattice(rows, columns):
    at = lambda i, j: i * columns + j
    edges = [(at(i, j), at(i + a, j + b)) for i in range(rows) for j in range(columns) for a, b in ((0, 1), (1, 0))
             if i + a < rows and j + b < columns]
    return tensors_of(rows * columns, edges)


def sycamore(cycles):
    """One amplitude of Google's circuits on 53 qubits: two-qubit gates in the pattern ABCDCDAB."""
    rows = ["-----##---", "----####--", "---######-", "--########", "-#########", "#########-", "-#######--",
            "--#####---", "---###----", "----#-----"]
    qubits = [(r, c) for r in range(10) for c in range(10) if rows[r][c] == "#" and (r, c) != (3, 2)]
    pairs = {}
    for name, offset, vertical in (("A", 0, True), ("B", 1, True), ("C", 1, False), ("D", 0, False)):
        pairs[name] = []
        for a in qubits:
            b = (a[0] + 1, a[1]) if vertical else (a[0], a[1] + 1)
            along, across = a if vertical else (a[1], a[0])
            if b in qubits and along % 2 == (offset + across) % 2:
                pairs[name].append((a, b))
    times = {q: 0 for q in qubits}
    label = lambda q: f"{q[0]}.{q[1]}.{times[q]}"
    gates = [[label(q)] for q in qubits]

    def gate(*on):
        before = [label(q) for q in on]
        for q in on:
            times[q] += 1
        gates.append(before + [label(q) for q in on])
    for cycle in range(cycles):
        for q in qubits:
            gate(q)
        for a, b in pairs["ABCDCDAB"[cycle % 8]]:
            gate(a, b)
    for q in qubits:
        gate(q)
    return gates + [[label(q)] for q in qubits]


def approximate_optimization(qubits, degree, layers, draw):
    """MaxCut circuits: phases on the edges of a regular graph, then a rotation of each qubit."""
    edges, time = regular(qubits, degree, draw), [0] * qubits
    name = lambda q: f"{q}.{time[q]}"
    gates = [[name(q)] for q in range(qubits)]
    for _ in range(layers):
        gates += [[name(a), name(b)] for a, b in edges]
        for q in range(qubits):
            gates.append([name(q), f"{q}.{time[q] + 1}"])
            time[q] += 1
    return gates + [[name(q)] for q in range(qubits)]


def log2_of(log10):
    return log10 * 3.321928094887362


def define():
    # einsum_benchmark, metadata.csv: log10 of operations of the better of opt_flops and opt_size, log2 of its size.
    network("queen5_5_4", coloring(queens(5)), [], 4, [log2_of(11.994936), 34.0])
    network("myciel5_3", coloring(mycielski(6)), [], 3, [log2_of(10.620144), 30.11])
    for qubits, published in ((27, [log2_of(9.127906), 27.0]), (30, [log2_of(10.030929), 30.0])):
        network(f"qft_{qubits}", *fourier(qubits), 2, published)
    # OMEinsumContractionOrdersBenchmark counts multiply-adds once: tc + 1 is log2 of our operations.
    for seed in range(3):
        draw = random.Random(seed)
        network(f"rg3_200_{seed}", independent_sets(range(200), regular(200, 3, draw)), [], 2, [31.16 + 1, 23.0])
        network(f"kings_40_{seed}", independent_sets(*kings(40, 1280, draw)), [], 2, [39.69 + 1, 28.0])
    for cycles in (8, 10, 12, 14, 20):
        network(f"sycamore_{cycles:02}", sycamore(cycles), [], 2)
    draw = random.Random(4)
    for rows, columns, extent in ((16, 16, 2), (25, 25, 2), (10, 10, 4)):
        network(f"lattice_{rows}x{columns}_{extent}", lattice(rows, columns), [], extent)
    network("regular_200_2", tensors_of(200, regular(200, 3, draw)), [], 2)
    network("cube_7", tensors_of(128, [(v, v ^ (1 << k)) for v in range(128) for k in range(7) if v < v ^ (1 << k)]),
            [], 2)
    network("maxcut_25_4_4", approximate_optimization(25, 4, 4, draw), [], 2)
    network("chain_1000", [[f"i{k}", f"i{k + 1}"] for k in range(1000)], ["i0", "i1000"],
            {f"i{k}": draw.randint(16, 128) for k in range(1001)})
    network("sat3_60_120", [[f"{v}"] for v in range(60)] +
            [[f"{v}" for v in draw.sample(range(60), 3)] for _ in range(120)], [], 2)


def main(folder, names):
    define()
    for name, (inputs, output, size, reference) in NETWORKS.items():
        if names and name not in names:
            continue
        extent = lambda label: size[label] if isinstance(size, dict) else size
        tensors = {f"T{k}": {"shape": [extent(label) for label in labels],
                             "data": {"random": "uniform", "low": 0.5, "high": 1.5, "seed": k}}
                   for k, labels in enumerate(inputs)}
        graph = {"eingraph": 1, "dtype": "f64", "tensors": tensors, "outputs": ["Z"],
                 "nodes": [{"name": "Z", "einsum": {"in": inputs, "out": output}, "inputs": list(tensors)}]}
        if reference:
            graph["x-reference"] = reference
        with open(f"{folder}/{name}.json", "w") as file:
            json.dump(graph, file)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
