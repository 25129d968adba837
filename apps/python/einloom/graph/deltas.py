"""Sums over a label that a factor ties to another one: `sum_j x[i, j]*where([j] == [k], 1, 0)` is x[i, k].

Example: `F @ eye(4) @ F.T` is `"ij,kj->ik"` of F and F.
"""
from __future__ import annotations

from typing import Iterable, List, NamedTuple, Optional

from ..expression import Call, Expression, Index, Number, replace
from ..node import Labels
from .form import Form


class Delta(NamedTuple):
    """A factor that is a number where two labels are equal, elsewhere 0: the first label is summed over."""

    summed: str
    other: str
    number: Number


def without_deltas(form: Form) -> Form:
    """The same sum, without the labels that such factors tie to others."""
    while form.agg == "sum" and form.join is not None and not isinstance(form.join, str) and form.aggregated:
        factors = list(_factors(form.tree))
        found = [(factor, delta) for factor in factors for delta in [_delta(factor, form)] if delta is not None]
        if not found or len(factors) == 1:
            break
        factor, delta = found[0]
        factors.remove(factor)
        form = _tied(form, delta, factors if delta.number.value == 1 else [delta.number, *factors])
    return form


def _factors(tree: Expression) -> Iterable[Expression]:
    if isinstance(tree, Call) and tree.name == "*":
        for part in tree.args:
            yield from _factors(part)
    else:
        yield tree


def _delta(factor: Expression, form: Form) -> Optional[Delta]:
    condition, number = factor, Number(1)  # type: Expression, Expression
    if isinstance(factor, Call) and factor.name == "where" and factor.args[2] == Number(0):
        condition, number = factor.args[:2]
    if not isinstance(number, Number) or not isinstance(condition, Call) or condition.name != "==":
        return None
    one, other = condition.args
    if not isinstance(one, Index) or not isinstance(other, Index) or form.sizes[one.label] != form.sizes[other.label]:
        return None
    for summed, kept in ((one.label, other.label), (other.label, one.label)):
        if summed in form.aggregated and summed != kept and _is_whole(form, summed):
            return Delta(summed, kept, number)
    return None


def _is_whole(form: Form, label: str) -> bool:
    """Whether no operand's axis under the label is of extent 1 and repeated."""
    return all(extent == form.sizes[label] for node, labels in form.operands
               for own, extent in zip(labels, node.shape) if own == label)


def _tied(form: Form, delta: Delta, factors: List[Expression]) -> Form:
    tree = factors[0]
    for factor in factors[1:]:
        tree = Call("*", (tree, factor))
    read = {label for _, labels in form.operands for label in labels}
    gone, kept = (delta.summed, delta.other) if delta.other in read else (delta.other, delta.summed)
    join = replace(tree, lambda leaf: Index(kept) if leaf == Index(gone) else leaf)

    def renamed(labels: Labels) -> Labels:
        return tuple(kept if label == gone else label for label in labels)

    return form._replace(operands=tuple((node, renamed(labels)) for node, labels in form.operands), join=join,
                         out=renamed(form.out), sizes={label: extent for label, extent in form.sizes.items()
                                                       if label != gone})
