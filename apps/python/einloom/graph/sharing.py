"""Nodes that compute the same from the same become one, as a person would have written it once.

Example: a stencil that reads `u[1:-1]` twice has one slice.
"""
from __future__ import annotations

from typing import Any, Dict, Hashable, List, Optional, Sequence

from ..node import Ein, Leaf, Node, Op


class Shared:
    """The first of each kind of equal nodes stands for all of them."""

    def __init__(self, order: Sequence[Node]):
        self._first: Dict[Node, Node] = {}
        known: Dict[Hashable, Node] = {}
        for node in order:
            key = self._key(node)
            self._first[node] = node if key is None else known.setdefault(key, node)
        self.order: List[Node] = [node for node in order if self._first[node] is node]

    def of(self, node: Node) -> Node:
        """The node that stands for this one."""
        return self._first[node]

    def reads(self, node: Node) -> List[Node]:
        return [self._first[read] for read in node.reads]

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
        if isinstance(node, Leaf) and node.data is not None and "fill" in node.data:
            return ("fill", repr(node.data), node.shape, node.dtype, repr(node.extra))
        return None


def _frozen(value: Any) -> str:
    return repr(sorted(value.items()))
