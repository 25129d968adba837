"""Names in the bodies of loops: a body has names of its own, but sees those around it.

Example: a body that carries x reads what the loop carries under that name, so nothing else that it has or reads can be
called x; what is elsewhere can.
"""
from __future__ import annotations

from typing import Dict, List, Sequence, Set

from ..node import Left, Loop, Node
from .fusion import Fusion
from .scopes import Scopes


class Bodies:
    """Which nodes the bodies of loops have or read: these cannot be called as what the loop carries."""

    def __init__(self, order: Sequence[Node], fusion: Fusion, scopes: Scopes):
        self._scopes = scopes
        self.near: Dict[Loop, Set[Node]] = {}
        self._loops: Dict[Node, List[Loop]] = {}
        self._lefts: Dict[Loop, Left] = {}
        for node in order:
            if isinstance(node, Left):
                self._lefts[node.loop] = node
                self.near.setdefault(node.loop, set())
            for loop in scopes.of[node]:
                self.near.setdefault(loop, set()).update([node, *fusion.reads(node)])
        for loop, nodes in self.near.items():
            for node in nodes:
                self._loops.setdefault(node, []).append(loop)
        self.carried = {carried.key for loop in self.near for carried in loop.carried}

    def can_be_called(self, node: Node, name: str) -> bool:
        """Whether no loop that has or reads the node carries something of that name."""
        return not any(carried.key == name for loop in self._loops.get(node, ()) for carried in loop.carried)

    def carried_around(self, loop: Loop) -> Set[str]:
        """What the loops carry in whose bodies it stands."""
        return {carried.key for other in self._scopes.of[self._lefts[loop]] for carried in other.carried}
