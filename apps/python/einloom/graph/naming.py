"""What nodes are called: as asked for, as the outputs are, as variables of the program are, or after what they compute.

Each name is given once: the second `x` is `x2`.
"""
from __future__ import annotations

import os
import re
from typing import Dict, Optional, Set

from ..expression import Call
from ..node import Ein, Leaf, Node, Op
from .fusion import Form

_WORDS = {"+": "total", "-": "difference", "*": "product", "/": "ratio", "neg": "negative", "^": "power", "<": "mask",
          "<=": "mask", ">": "mask", ">=": "mask", "==": "mask", "!=": "mask", "&&": "mask", "||": "mask",
          "where": "chosen"}
_LONGEST = 16


class Names:
    """Unique names. Those that are reserved first are kept as they are."""

    def __init__(self) -> None:
        self._taken: Set[str] = set()
        self._last: Dict[str, int] = {}

    def unique(self, wanted: str) -> str:
        """The name, or the name with a number behind it."""
        name, number = wanted, self._last.get(wanted, 1)
        while name in self._taken:
            number += 1
            name = f"{wanted}{number}"
        self._last[wanted] = number
        self._taken.add(name)
        return name


def describing(node: Node, form: Optional[Form], first_input: Optional[str]) -> str:
    """A name after what is computed: `scores_max` for the max of `scores`."""
    word = _word(node, form)
    if first_input and re.fullmatch(r"[A-Za-z]\w*", first_input) and len(first_input) + len(word) < _LONGEST:
        return f"{first_input}_{word}"
    return word


def _word(node: Node, form: Optional[Form]) -> str:
    if form is not None:
        return _form_word(form)
    if isinstance(node, Op):
        return {"reshape": "reshaped", "slice": "slice", "gather": "rows", "concat": "joined"}.get(node.op, node.op)
    if isinstance(node, Leaf) and node.data and "npy" in node.data:
        return os.path.basename(node.data["npy"]).partition(".")[0] or "tensor"
    return "tensor"


def _form_word(form: Form) -> str:
    if form.aggregated:
        return "product" if form.agg == "sum" and len(form.operands) > 1 else form.agg
    if isinstance(form.join, Call):
        name = form.join.name
        return _WORDS.get(name, name if not name.startswith("cast_") else name[5:])
    if form.is_view:
        return "T" if len(form.out) > 1 else "repeated"
    return "product" if len(form.operands) > 1 else "value"


def is_plain(node: Node) -> bool:
    """Whether a node can be called as an output is: not a gradient, and not what a loop carries or leaves."""
    return isinstance(node, (Ein, Op))
