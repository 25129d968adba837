"""The graph as a document: tensors, nodes, loops with their bodies, outputs; each of them on a line."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from ..array import Array, as_array
from ..dtypes import stored
from ..errors import refuse
from ..node import Carried, Differentiation, Ein, Gradient, Leaf, Left, Loop, Node, Op, in_order
from .data import DataFiles, Json, largest_type, tensor_json
from .forms import written
from .fusion import Fusion
from .naming import Names, describing, is_plain
from .scopes import Scopes
from .sharing import Shared

Outputs = Union[Array, Mapping[str, Any]]


class Given(NamedTuple):
    """What is to be given for an input when the graph is run."""

    shape: Tuple[int, ...]
    stored: Any


class Document(NamedTuple):
    """A graph's text, the files beside it, and under which name of the graph each output stands."""

    text: str
    data: DataFiles
    outputs: Dict[str, str]
    inputs: Dict[str, Given]


def write_graph(outputs: Outputs, name: str = "graph", prefix: str = "", extra: Optional[Json] = None) -> Document:
    """The document for these outputs; `extra` are more entries of the graph (`mesh`, `sharding`, `parts`)."""
    if not isinstance(outputs, (Array, Mapping)):
        raise refuse("a graph", "an array, or outputs by name", repr(outputs), "name them: {'P': P}")
    named = {"result": outputs} if isinstance(outputs, Array) else dict(outputs)
    if not named:
        raise refuse("a graph", "an output or more", "none", "name them: {'P': P}")
    return _Writer({key: as_array(value).node for key, value in named.items()}, prefix).document(name, extra or {})


def graph_text(outputs: Outputs) -> str:
    """The graph that is made for these outputs, as it is written.

    >>> import einloom as el
    >>> A, B = el.input("A", (3, 4)), el.input("B", (4, 5))
    >>> print(el.graph_text({"C": el.exp(A @ B)}))
    { "eingraph": 1, "name": "graph", "dtype": "f64",
      "tensors": {
        "A": {"shape": [3, 4]},
        "B": {"shape": [4, 5]} },
      "nodes": [
        {"name": "product", "einsum": "ij,jk->ik", "inputs": ["A", "B"]},
        {"name": "C", "op": "exp", "inputs": ["product"]} ],
      "outputs": ["C"] }
    """
    return write_graph(outputs).text


def save(outputs: Outputs, path: "os.PathLike[str] | str", **extra: Any) -> List[str]:
    """Writes the graph for `einplan`, and files of tensors beside it; makes the folder. Gives its outputs' names there.

    Gradients and what loops leave keep the names that the graph gives them, as `g/X`.
    """
    if isinstance(outputs, (str, os.PathLike)):
        raise refuse("save", "outputs, then the graph's file", f"{os.fspath(outputs)!r} first",
                     f"write save(outputs, \"graph.json\"); elements are numpy.save({os.fspath(outputs)!r}, run(x))")
    path = os.fspath(path)
    stem = os.path.basename(path).partition(".")[0]
    document = write_graph(outputs, stem, prefix=f"{stem}.", extra=extra)
    folder = os.path.dirname(os.path.abspath(path))
    try:
        os.makedirs(folder, exist_ok=True)
        document.data.write(folder)
        with open(path, "w", encoding="utf-8") as file:
            file.write(document.text + "\n")
    except OSError as error:
        raise refuse("save", "a file that can be written", f"{path!r}, of which {error.strerror or error}",
                     "give another path") from error
    return list(dict.fromkeys(document.outputs.values()))


class _Writer:
    def __init__(self, outputs: Dict[str, Node], prefix: str):
        order = in_order(list(outputs.values()))
        self._scopes = Scopes(order)
        self._scopes.check_outputs(outputs.values())
        self._shared = Shared(order)
        self._outputs = {key: self._shared.of(node) for key, node in outputs.items()}
        pinned = {*self._outputs.values(), *(node for node in order if node.name and isinstance(node, Ein))}
        for node in order:
            if isinstance(node, (Gradient, Left)):
                pinned.update(self._shared.reads(node))
        self._fusion = Fusion(self._shared, pinned, self._scopes)
        self._order = self._needed(self._shared.order)
        self._names: Dict[Node, str] = {}
        self._loop_names: Dict[Loop, str] = {}
        self._grad_names: Dict[Differentiation, str] = {}
        self._zeros: Dict[str, str] = {}
        self._unique = Names()
        self._data = DataFiles(prefix)
        self._name_all()

    def document(self, name: str, extra: Json) -> Document:
        leaves = [node for node in self._order if isinstance(node, Leaf)]
        graph_type = largest_type(leaves)
        nodes = self._bodies()[None]
        tensors = {self._names[leaf]: tensor_json(leaf, self._names[leaf], graph_type, self._data.data_of)
                   for leaf in leaves}
        for dtype, zero in self._zeros.items():
            tensors[zero] = {"shape": [], **({} if dtype == graph_type else {"dtype": dtype}), "data": {"fill": 0}}
        outputs = {key: self._names[node] for key, node in self._outputs.items()}
        text = _graph_lines(name, graph_type, tensors, nodes, list(dict.fromkeys(outputs.values())), extra)
        inputs = {self._names[leaf]: Given(leaf.shape, stored(leaf.dtype)) for leaf in leaves
                  if leaf.array is None and leaf.data is None}
        return Document(text, self._data, outputs, inputs)

    def _needed(self, order: List[Node]) -> List[Node]:
        """Those of the nodes that are written: the others have become part of their readers."""
        needed = set(self._outputs.values())
        for node in reversed(order):
            if node in needed:
                needed.update(self._fusion.reads(node))
        return [node for node in order if node in needed]

    # Names.

    def _name_all(self) -> None:
        self._name_inputs()
        for key, node in self._outputs.items():
            if node not in self._names and (is_plain(node) or isinstance(node, Leaf) and not node.name):
                self._names[node] = self._unique.unique(key)
        for node in self._order:
            if node.name and node not in self._names and not isinstance(node, Carried):
                self._names[node] = self._unique.unique(str(node.name))
        for node in self._order:
            if node.variable and node not in self._names and not isinstance(node, (Gradient, Left, Carried)):
                self._names[node] = self._unique.unique(node.variable)
        self._name_carried()
        for node in self._order:
            if isinstance(node, Left):
                self._name_loop(node)
        for node in self._order:
            if isinstance(node, Gradient):
                self._name_gradient(node)
            elif node not in self._names:
                form = self._fusion.forms.get(node)
                reads = [read for read in self._fusion.reads(node)]
                first = self._names.get(reads[0]) if len(reads) == 1 else None
                self._names[node] = self._unique.unique(describing(node, form, first))

    def _name_inputs(self) -> None:
        """What is given when the graph is run keeps its name, whatever else would be called so."""
        for node in self._order:
            if isinstance(node, Leaf) and node.array is None and node.data is None:
                self._names[node] = self._unique.unique(str(node.name))
                if self._names[node] != node.name:
                    raise refuse("a graph", "a name of its own for each input", f"{node.name!r} twice",
                                 "make the input once and use it again")

    def _name_carried(self) -> None:
        """What loops begin with and hand on, where the program has no name for it: W0 and W_next of W."""
        for left in self._order:
            if isinstance(left, Left):
                for carried, begin, following in zip(left.loop.carried, left.loop.begins, left.loop.nexts):
                    for one, name in ((begin, f"{carried.key}0"), (following, f"{carried.key}_next")):
                        node = self._shared.of(one)
                        if node not in self._names and not node.variable and isinstance(node, (Ein, Op, Leaf)):
                            self._names[node] = self._unique.unique(name)

    def _name_loop(self, left: Left) -> None:
        loop = left.loop
        if loop not in self._loop_names:
            keys = {carried.key for carried in loop.carried}
            wanted = left.made.variable if left.made and left.made.variable not in keys else None
            self._loop_names[loop] = self._unique.unique(wanted or "loop")
            for carried in loop.carried:
                self._names[carried] = self._unique.unique(carried.key)
        own = next(carried for carried in loop.carried if carried.key == left.key)
        self._names[left] = f"{self._loop_names[loop]}/{self._names[own]}"

    def _name_gradient(self, node: Gradient) -> None:
        together = node.of_all
        if together not in self._grad_names:
            keys = [key for key, output in self._outputs.items()
                    if isinstance(output, Gradient) and output.of_all is together]
            wanted = keys[0] if len(keys) == 1 and len(together.wrt) == 1 else node.made and node.made.variable
            self._grad_names[together] = self._unique.unique(wanted or "grad")
        self._names[node] = f"{self._grad_names[together]}/{self._names[self._shared.of(node.by)]}"

    # Nodes.

    def _bodies(self) -> Dict[Optional[Loop], List[Json]]:
        """The nodes of the graph (under None) and of each loop's body."""
        bodies: Dict[Optional[Loop], List[Json]] = {None: []}
        done: set = set()
        for node in self._order:
            if isinstance(node, (Leaf, Carried)):
                continue
            if isinstance(node, Left):
                if node.loop not in done:
                    done.add(node.loop)
                    home = self._scopes.home_of_loop(node.loop)
                    bodies.setdefault(home, []).append(self._loop_json(node.loop, bodies.get(node.loop, [])))
                continue
            home = self._scopes.home(node)
            if isinstance(node, Gradient):
                if node.of_all not in done:
                    done.add(node.of_all)
                    bodies.setdefault(home, []).append(self._grad_json(node.of_all))
                continue
            bodies.setdefault(home, []).append(self._node_json(node))
        return bodies

    def _node_json(self, node: Node) -> Json:
        found: Json = {"name": self._names[node]}
        if isinstance(node, Op):
            inputs = [self._names[read] for read in self._shared.reads(node)]
            return {**found, "op": node.op, "inputs": inputs, **node.attributes}
        return {**found, **written(self._fusion.forms[node], self._names.__getitem__, self._zero)}

    def _name_of(self, node: Node) -> str:
        return self._names[self._shared.of(node)]

    def _zero(self, dtype: str) -> str:
        if dtype not in self._zeros:
            self._zeros[dtype] = self._unique.unique("zero")
        return self._zeros[dtype]

    def _grad_json(self, together: Differentiation) -> Json:
        return {"name": self._grad_names[together],
                "grad": {"of": self._name_of(together.of), "wrt": [self._name_of(by) for by in together.wrt]}}

    def _loop_json(self, loop: Loop, body: List[Json]) -> Json:
        head: Json = {"times": loop.times} if loop.times is not None else {}
        if loop.condition is not None:
            head["while"] = self._name_of(loop.condition)
            if loop.most is not None:
                head["max"] = loop.most
        carry = {}
        for carried, begin, following in zip(loop.carried, loop.begins, loop.nexts):
            carry[self._names[carried]] = {"begin": self._name_of(begin), "next": self._name_of(following)}
        return {"name": self._loop_names[loop], "loop": {**head, "carry": carry, "body": body}}


# The text.

def _graph_lines(name: str, dtype: str, tensors: Json, nodes: List[Json], outputs: List[str], extra: Json) -> str:
    head = f'{{ "eingraph": 1, "name": {json.dumps(name)}, "dtype": "{dtype}",'
    lines = [head] + [f"  {json.dumps(key)}: {_line(value)}," for key, value in extra.items()]
    entries = [f"    {json.dumps(key, ensure_ascii=False)}: {_line(value)}" for key, value in tensors.items()]
    lines.append('  "tensors": {' + ("\n" + ",\n".join(entries) + " }," if entries else "},"))
    lines.append('  "nodes": [' + ("\n" + _node_lines(nodes, "    ") + " ]," if nodes else "],"))
    lines.append(f'  "outputs": {_line(outputs)} }}')
    return "\n".join(lines)


def _node_lines(nodes: List[Json], indent: str) -> str:
    return ",\n".join(indent + _node_line(node, indent) for node in nodes)


def _node_line(node: Json, indent: str) -> str:
    if "loop" not in node:
        return _line(node)
    head = {key: value for key, value in node["loop"].items() if key != "body"}
    body = _node_lines(node["loop"]["body"], indent + "  ")
    return (f'{{"name": {json.dumps(node["name"])}, "loop": {{{_line(head)[1:-1]}, "body": [\n{body} ]}}}}')


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
