"""Contraction networks in the files of other tools: imported with and without their orders, compared with NumPy.

Instances are made here: chains, lattices, random graphs, labels in many operands, more labels than there are letters.
"""
import json
import random

import numpy as np
from files import files_below
from programs import compare


class Network:
    """Labels of operands and output, extents, operands, and an order as SSA pairs."""

    def __init__(self, inputs, output, extents, seed=0):
        self.inputs, self.output, self.extents = inputs, output, extents
        generator = np.random.default_rng(seed)
        self.operands = [generator.uniform(-1, 1, [extents[label] for label in term]) for term in inputs]
        self.ssa = greedy(inputs, output, extents)

    def contract(self):
        """By NumPy, two operands at a time."""
        terms, arrays = list(map(tuple, self.inputs)), list(self.operands)
        for a, b in self.ssa:
            left = [t for k, t in enumerate(terms) if t is not None and k not in (a, b)]
            kept = set(self.output).union(*left)
            out = tuple(sorted((set(terms[a]) | set(terms[b])) & kept, key=str))
            arrays.append(einsum([terms[a], terms[b]], [arrays[a], arrays[b]], out))
            terms.append(out)
            terms[a] = terms[b] = arrays[a] = arrays[b] = None
        return einsum([terms[-1]], [arrays[-1]], tuple(self.output))


def einsum(terms, arrays, out):
    """NumPy's, with labels of any kind."""
    number = {label: k for k, label in enumerate(dict.fromkeys(label for term in [*terms, out] for label in term))}
    given = [part for term, array in zip(terms, arrays) for part in (array, [number[label] for label in term])]
    return np.einsum(*given, [number[label] for label in out])


def greedy(inputs, output, extents):
    """An SSA path: always the pair that shares a label and whose result is smallest; then the rest."""
    live = {k: set(term) for k, term in enumerate(inputs)}
    path = []
    while len(live) > 1:
        best, linked = None, shares(live)
        for a in live:
            for b in live:
                if a < b and (live[a] & live[b] or not linked):
                    kept = set(output).union(*(term for k, term in live.items() if k not in (a, b)))
                    out = (live[a] | live[b]) & kept
                    size = np.prod([float(extents[label]) for label in out])
                    if best is None or size < best[0]:
                        best = (size, a, b, out)
        _, a, b, out = best
        live[len(inputs) + len(path)] = out
        del live[a], live[b]
        path.append((a, b))
    return path


def shares(live):
    """Whether any two terms have a label in common."""
    labels = [label for term in live.values() for label in term]
    return len(set(labels)) < len(labels)


def chain(count, extent, ends):
    labels = [f"l{k}" for k in range(count + 1)]
    return Network([[labels[k], labels[k + 1]] for k in range(count)], [labels[0], labels[-1]] if ends else [],
                   {label: extent + k % 3 for k, label in enumerate(labels[:-1])} | {labels[-1]: extent + count % 3})


def lattice(rows, columns, extent):
    """Each site a tensor, each bond a label."""
    inputs, extents = [], {}
    for i in range(rows):
        for j in range(columns):
            bonds = [f"v{i},{j}", f"v{i + 1},{j}", f"h[{i}].{j}", f"h[{i}].{j + 1}"]
            here = [i > 0, i + 1 < rows, j > 0, j + 1 < columns]
            inputs.append([bond for bond, there in zip(bonds, here) if there])
            extents |= {bond: extent for bond in inputs[-1]}
    return Network(inputs, [], extents, 1)


def random_graph(count, degree, extent, seed):
    """Of tensors that are joined at random, with two open labels."""
    chance = random.Random(seed)
    inputs, extents = [[] for _ in range(count)], {}
    for k in range(count * degree // 2):
        a = k % count
        b = chance.choice([other for other in range(count) if other != a])
        inputs[a].append(k)
        inputs[b].append(k)
        extents[k] = extent
    inputs[0].append(-1)
    inputs[1].append(-2)
    return Network(inputs, [-2, -1], extents | {-1: 3, -2: 2}, seed)


def factor_graph(variables, factors, seed):
    """Labels in many operands, one of them in the output."""
    chance = random.Random(seed)
    inputs = [chance.sample(range(variables), 3) for _ in range(factors)] + [[k] for k in range(variables)]
    return Network(inputs, [2], {k: 2 for k in range(variables)}, seed)


def symbol(k):
    """As opt_einsum makes labels: letters, then Unicode from 192 on without surrogates."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return letters[k] if k < 52 else chr(k + 140) if k + 140 < 0xd800 else chr(k + 140 + 2048)


# The files.

def as_text(network):
    names = {label: symbol(k) for k, label in enumerate(network.extents)}
    terms = ["".join(names[label] for label in term) for term in network.inputs]
    return ",".join(terms) + "->" + "".join(names[label] for label in network.output)


def linear(network):
    live, path = list(range(len(network.inputs))), []
    for k, (a, b) in enumerate(network.ssa):
        places = sorted((live.index(a), live.index(b)))
        path.append(places)
        for place in reversed(places):
            live.pop(place)
        live.append(len(network.inputs) + k)
    return path


def tree(network):
    made = dict(enumerate(range(len(network.inputs))))
    for k, (a, b) in enumerate(network.ssa):
        made[len(network.inputs) + k] = [made.pop(a), made.pop(b)]
    (root,) = made.values()
    return root


def nested(node):
    if isinstance(node, int):
        return {"isleaf": True, "tensorindex": node + 1}
    return {"isleaf": False, "eins": {"ixs": [], "iy": []}, "args": list(map(nested, node))}


def shapes(network):
    return [list(array.shape) for array in network.operands]


def as_opt_einsum(network):
    return {"einsum": as_text(network), "shapes": shapes(network), "path": linear(network), "dtype": "float64"}


def as_benchmark(network):
    path = {"opt_flops": {"path": linear(network), "log2_size": 1.0, "log10_flops": 1.0}}
    return {"format_string": as_text(network), "shapes": shapes(network), "dtype": "float64", "name": "made",
            "num_tensors": len(network.inputs), "paths": path}


def as_cotengra(network, **order):
    sizes = {str(label): extent for label, extent in network.extents.items()}
    return {"inputs": network.inputs, "output": network.output, "size_dict": sizes, "dtype": "float64"} | order


def as_omeinsum(network, **order):
    return {"label-type": "Any", "inputs": network.inputs, "output": network.output, "dtype": "float64",
            "size": {str(label): extent for label, extent in network.extents.items()}} | order


FORMS = {
    "opt_einsum": ("opt_einsum", as_opt_einsum),
    "einsum_benchmark": ("opt_einsum", as_benchmark),
    "cotengra, no order": ("cotengra", as_cotengra),
    "cotengra, path": ("cotengra", lambda n: as_cotengra(n, path=linear(n))),
    "cotengra, ssa_path": ("cotengra", lambda n: as_cotengra(n, ssa_path=n.ssa, sliced_inds=[next(iter(n.extents))])),
    "cotengra, tree": ("cotengra", lambda n: as_cotengra(n, tree=tree(n))),
    "omeinsum, flat": ("omeinsum", lambda n: as_omeinsum(n, slices=[])),
    "omeinsum, tree": ("omeinsum", lambda n: as_omeinsum(n, tree=nested(tree(n)))),
}


def steps(programs, network, expected, form, ranks):
    name, make = FORMS[form]
    document = make(network)
    with open("n.json", "w") as file:
        json.dump(document, file)
    inputs = []
    for k, array in enumerate(network.operands):
        np.save(f"T{k}.npy", array)
        inputs.append(f"T{k}=T{k}.npy")
    programs.run("eintool", "import", name, "n.json", "-o", "kept.json")
    programs.run("eintool", "import", name, "n.json", "--replan", "-o", "searched.json")
    yield "imported"
    results = [programs.results(graph, ranks, "result", inputs) for graph in ("kept.json", "searched.json")]
    yield "planned"
    for what, found in zip(("in the file's order", "in another order"), results):
        compare(what, found, expected, 1e-10)
    yield "equal"


def large_steps(programs, document, form, options):
    """Imported and planned alone. @param document  or its text"""
    with open("n.json", "w") as file:
        file.write(document if isinstance(document, str) else json.dumps(document))
    yield from planned_steps(programs, form, "n.json", options)


def planned_steps(programs, form, file, options):
    programs.run("eintool", "import", form, file, "-o", "g.json")
    yield "imported"
    programs.plan("g.json", 4, *options, "--dry-run")
    yield "planned"


def form_of(file):
    """Which tool wrote a file, by its keys; None: another one."""
    try:
        with open(file) as text:
            keys = set(json.load(text))
    except (ValueError, TypeError, OSError):
        return None
    if "shapes" in keys and keys & {"einsum", "format_string"}:
        return "opt_einsum"
    if {"inputs", "output", "size_dict"} <= keys:
        return "cotengra"
    if keys & {"size", "sizes", "size_dict"} and keys & {"einsum", "inputs"}:
        return "omeinsum"
    return None


def large_networks():
    """Name: form, document, options of einplan."""
    count = 5000
    labels = [f"{k}" for k in range(count + 1)]
    terms = [[labels[k], labels[k + 1]] for k in range(count)]
    deep = "[" * (count - 1) + "0" + "".join(f", {k}]" for k in range(1, count))  # deeper than json.dumps goes
    sizes = {label: 2 for label in labels}
    inputs, extents = [], {}
    for i in range(12):
        for j in range(12):
            inputs.append([f"{i},{j},v", f"{(i + 1) % 12},{j},v", f"{i},{j},h", f"{i},{(j + 1) % 12},h"])
            extents |= {label: 2 for label in inputs[-1]}
    text = ",".join(symbol(k) + symbol(k + 1) for k in range(count))
    return {
        "a chain of 5,000 in Unicode": ("opt_einsum", {"einsum": text + "->", "shapes": [[2, 2]] * count}, []),
        "a tree of 5,000 levels": ("cotengra", f'{{"inputs": {json.dumps(terms)}, "output": ["0"], "tree": {deep}, '
                                               f'"size_dict": {json.dumps(sizes)}}}', []),
        "a torus of 144": ("cotengra", {"inputs": inputs, "output": [], "size_dict": extents},
                           ["--memory", "1GiB", "--time-limit", "2"]),
    }


def check(programs, table, small, folder):
    made = {"chain": chain(7, 3, True), "lattice": lattice(3, 4, 2), "random graph": random_graph(14, 3, 2, 4),
            "factor graph": factor_graph(7, 9, 5), "62 labels": chain(62, 2, True)}
    if small:
        made = {name: made[name] for name in ("lattice", "factor graph", "62 labels")}
    expected = {name: network.contract() for name, network in made.items()}
    for number, form in enumerate(FORMS):
        for name, network in made.items():
            for ranks in programs.ranks([2] if small else [1, 4]):
                if not small or (number + len(name)) % 2 == 0:
                    table.take(form, f"{name}, {ranks} ranks", steps(programs, network, expected[name], form, ranks))
    for name, (form, document, options) in large_networks().items():
        table.take("large, planned alone", name, large_steps(programs, document, form, options))
    for file in files_below(folder, ".json"):
        form = form_of(file)
        if form:
            options = ["--memory", "16GiB", "--time-limit", "30"]
            table.take(f"{form} of the folder", file, planned_steps(programs, form, file, options))
