"""Which nodes belong into the body of which loop: those that depend on what it carries, directly or not.

Example: in `loop(lambda x: A @ x, carry={"x": b}, times=3)` the product is of the body; A, and what is computed of A
alone, stands outside and is computed once.
"""
from __future__ import annotations

from typing import Dict, FrozenSet, Iterable, List, Optional, Sequence

from ..errors import refuse
from ..node import Carried, Left, Loop, Node

Loops = FrozenSet[Loop]


class Scopes:
    """Of all nodes in an order in which each comes after what it reads."""

    def __init__(self, order: Sequence[Node]):
        self.of: Dict[Node, Loops] = {}
        self._around: Dict[Loop, Loops] = {}
        for node in order:
            found: Loops = frozenset(loop for read in node.reads for loop in self.of[read])
            if isinstance(node, Carried) and node.loop is not None:
                found |= {node.loop}
            if isinstance(node, Left):
                found -= {node.loop}
                self._around[node.loop] = found
            self.of[node] = found

    def home(self, node: Node) -> Optional[Loop]:
        """The innermost loop whose body the node is of."""
        return self._innermost(self.of[node])

    def home_of_loop(self, loop: Loop) -> Optional[Loop]:
        return self._innermost(self._around[loop])

    def check_outputs(self, outputs: Iterable[Node]) -> None:
        for node in outputs:
            if self.of[node]:
                raise refuse("an output", "a value outside of loops", "one that a loop's body computes",
                             "carry it, and read what the loop leaves")

    def _innermost(self, loops: Loops) -> Optional[Loop]:
        inside: List[Loop] = [loop for loop in loops if loop in self._around]
        if len(inside) != len(loops):
            raise refuse("a loop", "its values read inside it", "one that is used outside",
                         "carry it, and read what the loop leaves")
        return max(inside, key=lambda loop: len(self._around[loop])) if inside else None
