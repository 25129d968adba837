"""Nodes of the lazy graph, as they are made: immutable, each with a shape and the name of a type.

There are few kinds: leaves, EinSums (all functions, sums, products, transposes and broadcasts are such), ops that the
graph format has names for, gradients, and what loops carry and leave. Example: `X + 1` is
`Ein([(X, "ij")], "ij", join=x + 1)`. What becomes one node of the written graph is decided later, in `graph/`.
"""
from __future__ import annotations

import itertools
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

from . import names
from .checked import extents
from .expression import Expression

Labels = Tuple[str, ...]
_serials = itertools.count()
_ARRAYS = f"{__package__}.array"  # the class that programs hold nodes in


class Node:
    """A value of the graph. `name` is one that was asked for, `held` what the program called it when it was read."""

    __slots__ = ("shape", "dtype", "serial", "name", "held")

    def __init__(self, shape: Sequence[int], dtype: str, name: Optional[str] = None):
        self.shape = extents(shape)
        self.dtype = dtype
        self.serial = next(_serials)
        self.name = name
        self.held: Optional[names.Held] = None
        frame = names.calling_frame()
        for read in self.reads:
            read.seen_from(frame)

    def seen_from(self, frame: Any) -> None:
        """Takes the name of the variable that holds it, unless it has one."""
        if self.name is None and (self.held is None or self.held.rank <= names.PARAMETER) and frame is not None:
            self.held = names.holder(frame, self.is_node_of) or self.held

    def is_node_of(self, value: Any) -> bool:
        """Whether a value of the program is an array of this node."""
        return type(value).__module__ == _ARRAYS and value.node is self

    @property
    def reads(self) -> Sequence["Node"]:
        """The nodes that this one is computed from."""
        return ()

    @property
    def variable(self) -> Optional[str]:
        """The name that a person would give it."""
        return self.name or (self.held.variable if self.held else None)


class Leaf(Node):
    """A tensor: `data` as the graph has it, or elements in memory that are written to a file when they are needed.

    `source` is what the program calls those elements: X of `tensor(X)`.
    """

    __slots__ = ("data", "array", "extra", "source")

    def __init__(self, shape: Sequence[int], dtype: str, data: Optional[Dict[str, Any]] = None, array: Any = None,
                 extra: Optional[Dict[str, Any]] = None, name: Optional[str] = None, source: Optional[str] = None):
        self.data, self.array, self.extra, self.source = data, array, extra or {}, source
        super().__init__(shape, dtype, name)


class Ein(Node):
    """agg over the labels that `out` lacks of join(operands). A join that is a text stands as the caller wrote it.

    `join` None is the product. `sizes` has every label's extent; an operand's axis of extent 1 is repeated.
    """

    __slots__ = ("operands", "out", "join", "agg", "sizes", "path")

    def __init__(self, operands: Sequence[Tuple[Node, Labels]], out: Labels, dtype: str, sizes: Dict[str, int],
                 join: Union[Expression, str, None] = None, agg: str = "sum", path: Optional[List[Any]] = None,
                 name: Optional[str] = None):
        self.operands = tuple((node, tuple(labels)) for node, labels in operands)
        self.out, self.join, self.agg, self.sizes, self.path = tuple(out), join, agg, sizes, path
        super().__init__([sizes[label] for label in out], dtype, name)

    @property
    def reads(self) -> Sequence[Node]:
        return [node for node, _ in self.operands]

    @property
    def aggregated(self) -> List[str]:
        """Labels of operands that the result lacks, in the order in which they come."""
        found = dict.fromkeys(label for _, labels in self.operands for label in labels)
        return [label for label in found if label not in self.out]


class Op(Node):
    """An op of the graph format, with its attributes."""

    __slots__ = ("op", "inputs", "attributes")

    def __init__(self, op: str, inputs: Sequence[Node], shape: Sequence[int], dtype: str, /, **attributes: Any):
        self.op, self.inputs, self.attributes = op, tuple(inputs), attributes
        super().__init__(shape, dtype)

    @property
    def reads(self) -> Sequence[Node]:
        return self.inputs


class Differentiation:
    """A `grad` node: one loss, several tensors."""

    def __init__(self, of: Node, wrt: Sequence[Node]):
        self.of, self.wrt = of, tuple(wrt)


class Gradient(Node):
    """The gradient by one of them."""

    __slots__ = ("of_all", "by")

    def __init__(self, of_all: Differentiation, by: Node):
        self.of_all, self.by = of_all, by
        super().__init__(by.shape, by.dtype)

    @property
    def reads(self) -> Sequence[Node]:
        return [self.of_all.of, *self.of_all.wrt]


class Carried(Node):
    """What a loop's body reads under the name of something that is carried."""

    __slots__ = ("loop", "key")

    def __init__(self, key: str, begin: Node):
        self.key = key
        self.loop: Optional[Loop] = None
        super().__init__(begin.shape, begin.dtype, key)


class Loop:
    """A loop: what begins, what the body reads, what it hands on, when it ends, and the name of its function."""

    def __init__(self, begins: Sequence[Node], carried: Sequence[Carried], nexts: Sequence[Node],
                 times: Optional[int], condition: Optional[Node], most: Optional[int], name: str = "loop"):
        self.begins, self.carried, self.nexts = tuple(begins), tuple(carried), tuple(nexts)
        self.times, self.condition, self.most, self.name = times, condition, most, name
        for one in carried:
            one.loop = self


class Left(Node):
    """What a loop leaves: the last value of something that it carried."""

    __slots__ = ("loop", "key")

    def __init__(self, loop: Loop, position: int):
        self.loop, self.key = loop, loop.carried[position].key
        begin = loop.begins[position]
        super().__init__(begin.shape, begin.dtype)

    @property
    def reads(self) -> Sequence[Node]:
        condition = [self.loop.condition] if self.loop.condition is not None else []
        return [*self.loop.begins, *self.loop.nexts, *condition]


def in_order(roots: Sequence[Node]) -> List[Node]:
    """All that the roots need, each after what it reads; without recursion, so chains may be long."""
    order: Dict[Node, None] = {}
    stack: List[Tuple[Node, bool]] = [(root, False) for root in reversed(roots)]
    while stack:
        node, ready = stack.pop()
        if node in order:
            continue
        if ready:
            order[node] = None
        else:
            stack.append((node, True))
            stack.extend((read, False) for read in reversed(node.reads) if read not in order)
    return list(order)
