"""Names of one graph, each given once: the second `product` is `product2`, the second `W1` is `W1_2`."""
from __future__ import annotations

from typing import Callable, Dict, Set, Tuple

Free = Callable[[str], bool]  # whether a name can be had where it is wanted


class UniqueNames:
    """
    >>> names = UniqueNames()
    >>> names.unique("x"), names.unique("x"), names.numbered("x", 1)
    ('x', 'x2', ('x1', 2))
    """

    def __init__(self) -> None:
        self._taken: Set[str] = set()
        self._last: Dict[str, int] = {}

    def unique(self, wanted: str, free: Free = lambda _: True) -> str:
        """The name, or the name with a number behind it, from 2 on."""
        name, number = wanted, self._last.get(wanted, 1)
        while name in self._taken or not free(name):
            number += 1
            name = f"{stem(wanted)}{number}"
        self._last[wanted] = number
        self._taken.add(name)
        return name

    def numbered(self, wanted: str, number: int, free: Free = lambda _: True) -> Tuple[str, int]:
        """The name with the next free number, from this one on, and the number behind that."""
        name = f"{stem(wanted)}{number}"
        while name in self._taken or not free(name):
            number += 1
            name = f"{stem(wanted)}{number}"
        self._taken.add(name)
        return name, number + 1

    def has(self, name: str) -> bool:
        return name in self._taken


def stem(name: str) -> str:
    """What a number is written behind.

    >>> stem("x"), stem("W1")
    ('x', 'W1_')
    """
    return f"{name}_" if name[-1:].isdigit() else name
