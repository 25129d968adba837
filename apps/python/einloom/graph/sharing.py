"""Nodes that compute the same from the same become one, as a person would have written it once.

Example: a stencil that reads `u[1:-1]` twice has one slice.
"""
from __future__ import annotations

from typing import Any, Dict, Hashable, List, Optional, Sequence

from ..node import Ein, Leaf, Left, Node, Op


class Shared:
    """The first of each kind of equal nodes stands for all of them."""

    def __init__(self, order: Sequence[Node]):
        self._first: Dict[Node, Node] = {}
        known: Dict[Hashable, Node] = {}
        self._begins = {begin for node in order if isinstance(node, Left) for begin in node.loop.begins}
        for node in order:
            key = self._key(node)
            first = node if key is None else known.setdefault(key, node)
            if node.held is not None and (first.held is None or first.held.rank < node.held.rank):
                first.held = node.held  # what the program calls one of them is the name of all
            self._first[node] = first
        self.order: List[Node] = [node for node in order if self._first[node] is node]

    def of(self, node: Node) -> Node:
        """The node that stands for this one."""
        return self._first[node]

    def reads(self, node: Node) -> List[Node]:
        return [self._first[read] for read in node.reads]

    def _is_plain(self, leaf: Leaf) -> bool:
        """Whether the program has no name for it, and no loop begins with it: two biases of zeros are two tensors."""
        return leaf.variable is None and leaf not in self._begins

    def _key(self, node: Node) -> Optional[Hashable]:
        if node.name:
            return None
        if isinstance(node, Ein):
            operands = tuple((self._first[read], labels) for read, labels in node.operands)
            return ("einsum", operands, node.out, node.join, node.agg, tuple(node.sizes.items()), node.dtype,
                    repr(node.path))
        if isinstance(node, Op):
            return (node.op, tuple(self._first[read] for read in node.inputs), node.shape, node.dtype,
                    _frozen(node.attributes))
        if isinstance(node, Leaf) and node.data is not None and "fill" in node.data and self._is_plain(node):
            return ("fill", repr(node.data), node.shape, node.dtype, repr(node.extra))
        return None


def _frozen(value: Any) -> str:
    return repr(sorted(value.items()))
