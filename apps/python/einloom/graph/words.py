"""Names after what is computed, for nodes that the program has no name for: `scores_max`, `X_minus_m`, `XW`.

Products are written as the field does: `XW` of X @ W, `QKt` of Q @ K.T, `XtX` of X.T @ X.
"""
from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Optional, Sequence

from ..expression import Call, Number, Operand
from ..node import Ein, Leaf, Node, Op
from .form import Form
from .fusion import Fusion

_WORDS = {"+": "total", "-": "difference", "*": "product", "/": "ratio", "neg": "negative", "^": "power", "<": "mask",
          "<=": "mask", ">": "mask", ">=": "mask", "==": "mask", "!=": "mask", "&&": "mask", "||": "mask",
          "where": "chosen"}
_BETWEEN = {"+": "plus", "-": "minus", "/": "over", "*": "times"}
_OPS = {"reshape": "reshaped", "slice": "slice", "gather": "rows", "concat": "joined", "pad": "padded"}
_LONGEST = 20
_LETTERS = 3  # of names that are put beside one another


def describing(node: Node, fusion: Fusion, names: Mapping[Node, str], plain: Callable[[Node], bool]) -> Optional[str]:
    """A name after what is computed of what, if there is a short one; `plain` says whose names may be part of it."""
    form = fusion.forms.get(node) if isinstance(node, Ein) else None
    reads = fusion.reads(node)
    called = [names.get(read, "") for read in reads]
    found = None
    if called and all(name.isidentifier() for name in called) and all(map(plain, reads)):
        if len(reads) == 1 and (form is None or _is_of_one(form)):
            found = f"{called[0]}_{word(node, fusion)}"
        elif len(reads) == 2 and form is not None:
            found = _put_together(form, called)
    return found if found and len(found) <= _LONGEST else None


def _is_of_one(form: Form) -> bool:
    """Whether it is one function of one tensor: its sum, its exp, but not the mean of its squares."""
    if form.join is None:
        return True
    return not form.aggregated and isinstance(form.join, Call) and not any(
        isinstance(part, Call) for part in form.join.args)


def word(node: Node, fusion: Fusion) -> str:
    """The word for a function: `max`, `difference`, `product`."""
    if isinstance(node, Ein):
        return _form_word(fusion.forms[node])
    if isinstance(node, Op):
        return _OPS.get(node.op, node.op)
    if isinstance(node, Leaf) and node.data and "npy" in node.data:
        return os.path.basename(node.data["npy"]).partition(".")[0] or "tensor"
    if isinstance(node, Leaf) and node.data and "fill" in node.data:
        return _word_of_number(node.data["fill"])
    return "random" if isinstance(node, Leaf) and node.data and "random" in node.data else "tensor"


def _word_of_number(value: Any) -> str:
    return {0: "zeros", 1: "ones"}.get(value, "filled")


def _form_word(form: Form) -> str:
    if form.op is not None:
        return form.op[0]
    if form.number is not None:
        return _word_of_number(form.number.value)
    if form.aggregated:
        if form.agg == "sum" and form.join is None and [node.dtype for node, _ in form.operands] == ["bool"]:
            return "count"
        return "product" if form.agg == "sum" and form.join is None and len(form.operands) > 1 else form.agg
    if isinstance(form.join, Call):
        name = form.join.name
        if name == "max" and Number(0) in form.join.args:
            return "relu"
        if name in ("*", "/") and isinstance(form.join.args[1 if name == "/" else 0], Number):
            return "scaled"
        if name.startswith("cast_"):
            return name[len("cast_"):]
        return _WORDS.get(name, name)
    if form.is_view:
        labels = form.operands[0][1]
        in_order = list(labels) == [label for label in form.out if label in labels]
        new = [label for label in form.out if label not in labels]
        return "T" if not in_order else "repeated" if any(form.sizes[label] > 1 for label in new) else "reshaped"
    return "product" if len(form.operands) > 1 else "value"


def _put_together(form: Form, reads: Sequence[str]) -> Optional[str]:
    """The name of a product of two, or of an operator between two."""
    if form.agg == "sum" and form.aggregated and form.join is None:
        if reads[0] == reads[1] and len(reads[0]) > _LETTERS:
            return f"{reads[0]}_{'squared' if _in_chain(form) else 'gram'}"
        if any(len(name.rstrip("0123456789_")) > _LETTERS for name in reads):
            return "_".join(reads)
        return "".join(_transposed(form, place, name) for place, name in enumerate(reads))
    tree = form.join if form.join is not None else Call("*", (Operand(0), Operand(1)))
    if form.is_map and isinstance(tree, Call) and tree.args == (Operand(0), Operand(1)) and tree.name in _BETWEEN:
        return f"{reads[0]}_{_BETWEEN[tree.name]}_{reads[1]}"
    return None


def _in_chain(form: Form) -> bool:
    """Whether neither factor is transposed."""
    return all(not _transposed(form, place, "").endswith("t") for place in (0, 1))


def _transposed(form: Form, place: int, name: str) -> str:
    """Xt where the factor is transposed: its last axis but one is summed over in front, its last one behind."""
    _, labels = form.operands[place]
    summed = form.aggregated
    if len(labels) < 2 or len(summed) != 1 or summed[0] not in labels[-2:]:
        return name
    return name if labels[-1 if place == 0 else -2] == summed[0] else f"{name}t"
