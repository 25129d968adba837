"""The graph as a document: tensors, nodes, loops with their bodies, outputs; each of them on a line."""
from __future__ import annotations

import json
import os
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Tuple, Union

from ..array import Array, as_array
from ..dtypes import stored
from ..errors import refuse
from ..names import calling_frame
from ..node import Carried, Differentiation, Ein, Gradient, Leaf, Left, Loop, Node, Op, in_order
from ..ops.operands import letters
from ..sources import Csr
from .data import DataFiles, Json, largest_type, tensor_json
from .forms import subscripts, written
from .fusion import Fusion
from .naming import GraphNames
from .saved_files import check_kept, graph_path
from .scopes import Scopes
from .sharing import Shared

Outputs = Union[Array, Mapping[str, Any]]


class Given(NamedTuple):
    """What is to be given for an input when the graph is run."""

    shape: Tuple[int, ...]
    dtype: str
    sparse: bool

    @property
    def stored(self) -> Any:
        return stored(self.dtype)


class Document(NamedTuple):
    """A graph's text, the files beside it, and under which name of the graph each output stands.

    `sparse_arrays`: whether one of its matrices is a sparse array of SciPy's, as then its sparse results are.
    """

    text: str
    data: DataFiles
    outputs: Dict[str, str]
    inputs: Dict[str, Given]
    shapes: Dict[str, Tuple[int, ...]]
    sparse_arrays: bool


def write_graph(outputs: Outputs, name: str = "graph", prefix: str = "", extra: Optional[Json] = None,
                keyed: Optional[bool] = None) -> Document:
    """The document for these outputs; `extra` are more entries of the graph (`mesh`, `sharding`, `parts`).

    The keys of a dict are the outputs' names; with `keyed=False` they are only those of what has no other name.
    """
    if not isinstance(outputs, (Array, Mapping)):
        raise refuse("a graph", "an array, or outputs by name", repr(outputs), "name them: {'P': P}")
    named = {"result": outputs} if isinstance(outputs, Array) else dict(outputs)
    if not named:
        raise refuse("a graph", "an output or more", "none", "name them: {'P': P}")
    nodes = {key: as_array(value).node for key, value in named.items()}
    frame = calling_frame()
    for node in nodes.values():
        node.seen_from(frame)
    keyed = isinstance(outputs, Mapping) if keyed is None else keyed
    return _Writer(nodes, prefix, keyed).document(name, extra or {})


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
        {"name": "AB", "einsum": "ij,jk->ik", "inputs": ["A", "B"]},
        {"name": "C", "op": "exp", "inputs": ["AB"]} ],
      "outputs": ["C"] }
    """
    return write_graph(outputs).text


def save(outputs: Outputs, path: "os.PathLike[str] | str", **extra: Any) -> List[str]:
    """Writes the graph for `einplan`, and files of tensors beside it; makes the folder. Gives its outputs' names there.

    They are the keys; but where an input of the graph has that name, a number stands behind it.
    """
    if isinstance(outputs, (str, os.PathLike)):
        raise refuse("save", "outputs, then the graph's file", f"{os.fspath(outputs)!r} first",
                     f"write save(outputs, \"graph.json\"); elements are numpy.save({os.fspath(outputs)!r}, run(x))")
    path = graph_path(os.fspath(path), outputs)
    stem = os.path.basename(path).partition(".")[0]
    document = write_graph(outputs, stem, prefix=f"{stem}.", extra=extra)
    folder = os.path.dirname(os.path.abspath(path))
    try:
        check_kept(path, [os.path.join(folder, file) for file in document.data.files], document.data.read)
        os.makedirs(folder, exist_ok=True)
        document.data.write(folder)
        with open(path, "w", encoding="utf-8") as file:
            file.write(document.text + "\n")
    except OSError as error:
        raise refuse("save", "a file that can be written", f"{path!r}, of which {error.strerror or error}",
                     "give another path") from error
    return list(dict.fromkeys(document.outputs.values()))


class _Writer:
    def __init__(self, outputs: Dict[str, Node], prefix: str, keyed: bool):
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
        self._zeros: Dict[str, str] = {}
        self._data = DataFiles(prefix)
        self._names = GraphNames(self._order, self._shared, self._fusion, self._scopes)
        self._called = self._names.give(self._outputs, keyed)

    def document(self, name: str, extra: Json) -> Document:
        leaves = [node for node in self._order if isinstance(node, Leaf)]
        graph_type = largest_type(leaves)
        nodes = self._bodies()[None]
        tensors = {self._names.nodes[leaf]: tensor_json(leaf, self._names.nodes[leaf], graph_type, self._data.data_of)
                   for leaf in leaves}
        for node in self._order:
            if self._is_filled(node):
                tensors[self._names.nodes[node]] = self._filled(node, graph_type)
        for dtype, zero in self._zeros.items():
            tensors[zero] = {"shape": [], **({} if dtype == graph_type else {"dtype": dtype}), "data": {"fill": 0}}
        nodes += [{"name": key, **self._identity(node)} for key, node in self._names.aliases.items()]
        outputs = list(dict.fromkeys(self._called.values()))
        text = _graph_lines(name, graph_type, tensors, nodes, outputs, extra)
        inputs = {self._names.nodes[leaf]: Given(leaf.shape, leaf.dtype, bool(leaf.extra.get("sparse")))
                  for leaf in leaves if leaf.array is None and leaf.data is None}
        shapes = {key: node.shape for key, node in self._outputs.items()}
        sparse_arrays = any(isinstance(leaf.array, Csr) and leaf.array.is_array for leaf in leaves)
        return Document(text, self._data, self._called, inputs, shapes, sparse_arrays)

    def _needed(self, order: List[Node]) -> List[Node]:
        """Those of the nodes that are written: the others have become part of their readers."""
        needed = set(self._outputs.values())
        for node in reversed(order):
            if node in needed:
                needed.update(self._fusion.reads(node))
        return [node for node in order if node in needed]

    # Nodes.

    def _bodies(self) -> Dict[Optional[Loop], List[Json]]:
        """The nodes of the graph (under None) and of each loop's body."""
        bodies: Dict[Optional[Loop], List[Json]] = {None: []}
        done: set = set()
        for node in self._order:
            if isinstance(node, (Leaf, Carried)) or self._is_filled(node):
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
        found: Json = {"name": self._names.nodes[node]}
        if isinstance(node, Op):
            inputs = [self._names.nodes[read] for read in self._shared.reads(node)]
            return {**found, "op": node.op, "inputs": inputs, **node.attributes}
        return {**found, **written(self._fusion.forms[node], self._names.nodes.__getitem__, self._zero)}

    def _is_filled(self, node: Node) -> bool:
        """Whether it became one number everywhere: then it is a tensor, as `ones((3, 1))`."""
        return isinstance(node, Ein) and self._fusion.forms[node].number is not None

    def _filled(self, node: Node, graph_type: str) -> Json:
        number = self._fusion.forms[node].number
        assert number is not None
        return tensor_json(Leaf(node.shape, node.dtype, {"fill": number.value}), "", graph_type, self._data.data_of)

    def _identity(self, node: Node) -> Json:
        """An output beside what has a name that must stay: a gradient, what a loop leaves, an input, another output."""
        axes = letters(len(node.shape))
        return {"einsum": subscripts([axes], axes), "inputs": [self._names.nodes[node]]}

    def _name_of(self, node: Node) -> str:
        return self._names.nodes[self._shared.of(node)]

    def _zero(self, dtype: str) -> str:
        if dtype not in self._zeros:
            self._zeros[dtype] = self._names.further("zero")
        return self._zeros[dtype]

    def _grad_json(self, together: Differentiation) -> Json:
        return {"name": self._names.gradients[together],
                "grad": {"of": self._name_of(together.of), "wrt": [self._name_of(by) for by in together.wrt]}}

    def _loop_json(self, loop: Loop, body: List[Json]) -> Json:
        head: Json = {"times": loop.times} if loop.times is not None else {}
        if loop.condition is not None:
            head["while"] = self._name_of(loop.condition)
            if loop.most is not None:
                head["max"] = loop.most
        carry = {}
        for carried, begin, following in zip(loop.carried, loop.begins, loop.nexts):
            name, first, last = self._names.nodes[carried], self._name_of(begin), self._name_of(following)
            carry[name] = last if first == name else {"begin": first, "next": last}
        return {"name": self._names.loops[loop], "loop": {**head, "carry": carry, "body": body}}


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
