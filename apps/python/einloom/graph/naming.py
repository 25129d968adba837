"""What nodes are called, each name given once. Where names come from, the first that there is:

1. what is asked for: inputs, which are given by name when the graph is run; then the outputs' keys; then `named`
2. the variable that holds the array (`names.py`); of a tensor also the variable of the array that it was made of
3. what it is for: W0 and W_next of a W that a loop carries, whether it `goes_on`, the `loss` of a gradient
4. what is computed, after what it is computed of: `scores_max`, `X_minus_m`, `XW`; else after its only reader: `P_sum`

Of several arrays that one variable held the last keeps the plain name. Those before it that another function made say
which: `P_exp`; a tensor that it began as is `P0`. Those that are made alike (turns of a loop, calls of one function)
are counted: x1, x2, x3. A name that is taken is counted too: the second `product` is `product2`.
"""
from __future__ import annotations

from functools import partial
from typing import Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ..errors import refuse
from ..names import PARAMETER, PLACE
from ..node import Carried, Differentiation, Ein, Gradient, Leaf, Left, Loop, Node, Op
from .bodies import Bodies
from .form import as_form
from .fusion import Fusion
from .scopes import Scopes
from .sharing import Shared
from .unique import UniqueNames, stem
from .words import describing, word

_MOST_PARTS = 4  # nodes between a part and the node that it is called after


class GraphNames:
    """The names of one graph: of its nodes, loops and gradients, and of outputs that are another name of a node."""

    def __init__(self, order: Sequence[Node], shared: Shared, fusion: Fusion, scopes: Scopes):
        self._order, self._shared, self._fusion, self._scopes = order, shared, fusion, scopes
        self._unique = UniqueNames()
        self._bodies = Bodies(order, fusion, scopes)
        self.nodes: Dict[Node, str] = {}
        self.loops: Dict[Loop, str] = {}
        self.gradients: Dict[Differentiation, str] = {}
        self.aliases: Dict[str, Node] = {}
        self._by_program: Dict[Node, str] = {}
        self._readers: Dict[Node, List[Node]] = {}
        self._spoken: Dict[Node, str] = {}  # the variables of nodes that are called otherwise
        self._described: Set[Node] = set()  # whose names are those of functions of others

    def give(self, outputs: Mapping[str, Node], keyed: bool) -> Dict[str, str]:
        """Names everything; gives each output's name."""
        self._name_inputs()
        named = self._name_outputs(outputs, keyed)
        for node in self._order:
            if node.name and not isinstance(node, Carried):
                self._take(node, str(node.name))
        self._name_carried()
        self._name_variables()
        for node in self._order:
            if isinstance(node, Gradient):
                self._name_role(node.of_all.of, "loss")
            elif isinstance(node, Left) and node.loop.condition is not None:
                self._name_role(node.loop.condition, "goes_on")
        self._by_program = {node: name for node, name in self.nodes.items() if isinstance(node, (Ein, Op))}
        for node in self._order:
            for read in set(self._fusion.reads(node)):
                self._readers.setdefault(read, []).append(node)
        for node in self._order:
            if isinstance(node, Left):
                self._name_left(node)
            elif isinstance(node, Gradient):
                self._name_gradient(node)
            else:
                self._describe(node)
        return {key: named.get(key) or self.nodes[node] for key, node in outputs.items()}

    def _name_role(self, one: Node, role: str) -> None:
        node = self._shared.of(one)
        if isinstance(node, (Ein, Op)):
            self._take(node, role)

    def _describe(self, node: Node) -> None:
        if isinstance(node, Leaf):
            self._take(node, word(node, self._fusion))
        elif node not in self.nodes:
            found = describing(node, self._fusion, self._called(node), lambda read: read not in self._described)
            self._take(node, found or self._part_of(node))
            if isinstance(node, (Ein, Op)) and (found is None or len(self._fusion.reads(node)) == 1):
                self._described.add(node)

    def _called(self, node: Node) -> Dict[Node, str]:
        """What it reads, as the program calls it: the mean of the first h is h_mean, though that h is h_product, and
        what a loop leaves is called as what it carried."""
        return {read: read.key if isinstance(read, Left) else self._spoken.get(read, self.nodes.get(read, ""))
                for read in self._fusion.reads(node)}

    def _part_of(self, node: Node) -> str:
        """A name after the node that it is a part of, as the only reader or that one's: the next one with a name of
        the program. Else after the function alone."""
        called, whole = word(node, self._fusion), node
        for _ in range(_MOST_PARTS):
            readers = self._readers.get(whole, [])
            if len(readers) != 1:
                break
            whole = readers[0]
            if self._by_program.get(whole, "").isidentifier():
                return f"{self._by_program[whole]}_{called}"
        return called

    def further(self, wanted: str) -> str:
        """A name for something else, that bodies may read."""
        return self._unique.unique(wanted, lambda name: name not in self._bodies.carried)

    def _take(self, node: Node, wanted: str) -> None:
        if node not in self.nodes:
            self.nodes[node] = self._unique.unique(wanted, partial(self._bodies.can_be_called, node))

    def _name_inputs(self) -> None:
        """What is given when the graph is run keeps its name, whatever else would be called so."""
        for node in self._order:
            if _is_given(node):
                self.nodes[node] = self._unique.unique(str(node.name))
                if self.nodes[node] != node.name:
                    raise refuse("a graph", "a name of its own for each input", f"{node.name!r} twice",
                                 "make the input once and use it again")

    def _name_outputs(self, outputs: Mapping[str, Node], keyed: bool) -> Dict[str, str]:
        """Outputs are called after their keys; what has a name that must stay gets another one beside it."""
        named: Dict[str, str] = {}
        for key, node in outputs.items():
            wanted = str(key) if keyed else self._variable(node) or str(key)
            if node not in self.nodes and isinstance(node, (Ein, Op, Leaf)):
                self._take(node, wanted if keyed or not node.name else node.name)
                named[key] = self.nodes[node]
            elif keyed and self.nodes.get(node) != str(key):
                named[key] = self._unique.unique(wanted)
                self.aliases[named[key]] = node
        return named

    # Variables.

    def _name_variables(self) -> None:
        groups: Dict[Tuple[str, int], List[Node]] = {}
        lent = self._lent()
        for node in sorted(self._order, key=lambda one: one.serial):
            if isinstance(node, (Gradient, Left, Carried)):
                continue
            variable = self._variable(node) or lent.get(node)
            if variable:
                code = node.held.code if node.held is not None and node.held.variable == variable else None
                groups.setdefault((variable, id(code)), []).append(node)
        for (variable, _), members in groups.items():
            self._name_group(variable, members)

    def _variable(self, node: Node) -> Optional[str]:
        """What the program calls it: by the variable, by that of the elements, by a parameter."""
        held, source = node.held, node.source if isinstance(node, Leaf) else None
        if held is not None and (held.rank > PARAMETER or source is None):
            return held.variable
        return source

    def _lent(self) -> Dict[Node, str]:
        """Variables of new axes, repeats and transposes (`m = X.mean(axis=0, keepdims=True)`), which are part of their
        readers: what they show is called so."""
        found: Dict[Node, str] = {}
        written = set(self._order)
        for view in self._shared.order:
            if isinstance(view, Ein) and view not in written and view.held is not None:
                form = self._fusion.forms[view]
                if form.is_view:
                    read, labels = form.operands[0]
                    in_order = list(labels) == [label for label in form.out if label in labels]
                    if in_order or isinstance(read, (Ein, Op)):
                        found.setdefault(read, view.held.variable)
        for node in self._order:
            if isinstance(node, Ein) and node.held is None and as_form(node, self._shared).is_view:
                read = self._shared.of(node.operands[0][0])
                if read not in written and read.held is not None:  # it has become part of what shows it
                    found.setdefault(node, read.held.variable)
        return found

    def _name_group(self, variable: str, members: List[Node]) -> None:
        """The arrays that one variable held, in the order in which they were made."""
        words = {node: word(node, self._fusion) for node in members}
        last = words[members[-1]]
        alike = sum(each == last for each in words.values())
        number = 1
        for node in members:
            if node in self.nodes:
                continue
            taken = self._unique.has(variable) and not isinstance(node, Leaf)
            if words[node] == last and (alike > 1 or taken):
                free = partial(self._bodies.can_be_called, node)
                self.nodes[node], number = self._unique.numbered(variable, number, free)
            elif words[node] == last and not self._unique.has(variable):
                self._take(node, variable)
            else:
                first = f"{stem(variable)}0"
                begins = isinstance(node, Leaf) and not self._unique.has(first)
                self._take(node, first if begins else f"{variable}_{words[node]}")
                self._spoken[node] = variable

    # Loops and gradients.

    def _name_carried(self) -> None:
        """What loops carry keeps its name; W0 and W_next, what it begins as and what is handed on, unless the program
        has names of its own for them."""
        for left in self._order:
            if not isinstance(left, Left) or left.loop in self.loops:
                continue
            loop = left.loop
            self._name_loop(left)
            for carried, begin, following in zip(loop.carried, loop.begins, loop.nexts):
                name = self.nodes[carried] = self._name_within(loop, carried.key)
                self._name_handed(following, name, f"{name}_next")
                free = self._variable(self._shared.of(begin)) and not self._unique.has(name)
                free = free and self._bodies.can_be_called(self._shared.of(begin), name)
                self._name_handed(begin, name, name if free else f"{stem(name)}0")

    def _name_within(self, loop: Loop, key: str) -> str:
        """What is carried is called after its key, unless the body means something else by that."""
        means_other = key in self._bodies.carried_around(loop) or any(
            self.nodes.get(node) == key for node in self._bodies.near[loop])
        return self._unique.unique(key, lambda name: name != key) if means_other else key

    def _name_handed(self, one: Node, carried: str, role: str) -> None:
        """What begins or follows something carried, where the program calls it the same or nothing."""
        node = self._shared.of(one)
        only_listed = node.held is not None and node.held.rank == PLACE
        if isinstance(node, (Ein, Op, Leaf)) and (only_listed or self._variable(node) in (None, carried)):
            self._take(node, role)

    def _name_loop(self, left: Left) -> None:
        keys = {carried.key for carried in left.loop.carried}
        held = left.held.variable if left.held is not None else "loop"
        wanted = left.loop.name if left.loop.name != "loop" or held in keys else held
        self.loops[left.loop] = self._unique.unique(wanted, lambda name: name not in keys)

    def _name_left(self, left: Left) -> None:
        own = next(carried for carried in left.loop.carried if carried.key == left.key)
        self.nodes[left] = f"{self.loops[left.loop]}/{self.nodes[own]}"

    def _name_gradient(self, node: Gradient) -> None:
        together = node.of_all
        if together not in self.gradients:
            wanted = node.held.variable if node.held is not None else "grad"
            self.gradients[together] = self.further("grad" if self._unique.has(wanted) else wanted)
        self.nodes[node] = f"{self.gradients[together]}/{self.nodes[self._shared.of(node.by)]}"


def _is_given(node: Node) -> bool:
    return isinstance(node, Leaf) and node.array is None and node.data is None
