"""What people write out by hand and the format has an op for: softmax, logsumexp and log_softmax.

Example: `E = exp(X - X.max(axis=1, keepdims=True))` and `E / E.sum(axis=1, keepdims=True)` are
`{"op": "softmax", "inputs": ["X"], "axes": [1]}`, where nobody else reads E. The parts are told by what they compute:
how the axes were kept, and which variables hold them, makes no difference.
"""
from __future__ import annotations

from typing import Callable, List, Mapping, NamedTuple, Optional, Tuple

from ..dtypes import kind
from ..expression import Call, Expression, Operand
from ..node import Labels, Node
from .form import Form

Forms = Mapping[Node, Form]
_X, _Y, _Z = Operand(0), Operand(1), Operand(2)


class Of(NamedTuple):
    """The tensor that an idiom is of, and which of its axes it runs over."""

    node: Node
    axes: Tuple[int, ...]


def idiom(form: Form, forms: Forms, read_once: Callable[..., bool]) -> Optional[Form]:
    """The op that this form is, if it is one whose parts nobody else reads."""
    if not form.is_map or not form.operands or kind(form.dtype) != "f":
        return None
    for name, find in (("softmax", _softmax), ("log_softmax", _log_softmax)):
        found = find(form, forms, read_once)
        if found is not None and found.node.dtype == form.dtype and len(found.node.shape) == len(form.out):
            of, axes = _unshifted(found, forms)
            return form._replace(operands=((of, form.out),), join=None, op=(name, {"axes": list(axes)}))
    found = _logsumexp(form, forms, read_once)
    return None if found is None or found.node.dtype != form.dtype else _aggregated(form, found)


def _aggregated(form: Form, found: Of) -> Optional[Form]:
    """logsumexp over the axes of a tensor; the form has the other axes, or all with extents of 1."""
    order, kept = len(found.node.shape), list(form.out)
    if len(kept) == order and all(form.sizes[kept[axis]] == 1 for axis in found.axes):
        kept = [label for axis, label in enumerate(kept) if axis not in found.axes]
    if len(kept) != order - len(found.axes):
        return None
    labels = tuple(f"axis{axis}" if axis in found.axes else kept.pop(0) for axis in range(order))
    sizes = {**form.sizes, **dict(zip(labels, found.node.shape))}
    return form._replace(operands=((found.node, labels),), join=None, agg="logsumexp", sizes=sizes)


def _unshifted(found: Of, forms: Forms) -> Of:
    """X of X - max(X): softmax subtracts the maximum itself."""
    inner = forms.get(found.node)
    if inner is None or not inner.is_map or len(inner.operands) != 2 or inner.tree != Call("-", (_X, _Y)):
        return found
    (of, labels), (highest, kept) = inner.operands
    same = labels == inner.out and of.dtype == inner.dtype and of.shape == found.node.shape
    return Of(of, found.axes) if same and _is_maximum(forms, highest, of, labels, kept) == found.axes else found


def _softmax(form: Form, forms: Forms, read_once: Callable[..., bool]) -> Optional[Of]:
    """E / sum(E) of E = exp(X - max(X)), or of exp(X); exp(X - logsumexp(X)), or of log_softmax(X)."""
    if form.operands[0][1] != form.out:
        return None
    logarithm = forms.get(form.operands[0][0])
    if form.tree == Call("exp", (_X,)) and logarithm is not None and read_once(form.operands[0][0]):
        name, attributes = logarithm.op or ("", {})
        return Of(logarithm.operands[0][0], tuple(attributes["axes"])) if name == "log_softmax" else None
    if form.tree == Call("exp", (Call("-", (_X, _Y)),)):
        return _less_logsumexp(form, forms, read_once)
    if form.tree != Call("/", (_X, _Y)):
        return None
    (powers, labels), (total, kept) = form.operands
    inner, summed = forms.get(powers), forms.get(total)
    if inner is None or summed is None or not read_once(powers, 2) or not read_once(total):
        return None
    if [read for read, _ in summed.operands] != [powers] or summed.join is not None or summed.agg != "sum":
        return None
    axes = _axes(summed, labels, kept)
    of = _exponent(inner, forms)
    return Of(of, axes) if of is not None and axes and _shifted_over(inner, forms, axes) else None


def _exponent(inner: Form, forms: Forms) -> Optional[Node]:
    """X of exp(X) or exp(X - max(X))."""
    if not inner.is_map or not inner.operands or inner.operands[0][1] != inner.out:
        return None
    if inner.tree not in (Call("exp", (_X,)), Call("exp", (Call("-", (_X, _Y)),))):
        return None
    return inner.operands[0][0]


def _shifted_over(inner: Form, forms: Forms, axes: Tuple[int, ...]) -> bool:
    """Whether what is subtracted, if anything is, is the maximum over the same axes."""
    if len(inner.operands) == 1:
        return True
    (of, labels), (highest, kept) = inner.operands
    return _is_maximum(forms, highest, of, labels, kept) == axes


def _is_maximum(forms: Forms, highest: Node, of: Node, labels: Labels, kept: Labels) -> Optional[Tuple[int, ...]]:
    """Over which axes it is the maximum of the tensor."""
    found = forms.get(highest)
    if found is None or found.agg != "max" or found.join is not None or [node for node, _ in found.operands] != [of]:
        return None
    return _axes(found, labels, kept)


def _axes(aggregation: Form, labels: Labels, kept: Labels) -> Optional[Tuple[int, ...]]:
    """The axes that an aggregation of one tensor runs over, if its result is read along the others of that tensor; it
    may have all axes, with extents of 1."""
    (_, own), = aggregation.operands
    out = tuple(label for label in aggregation.out if label in own)
    axes = tuple(place for place, label in enumerate(own) if label not in out)
    if not axes or len(set(own)) != len(own) or tuple(label for label in own if label in out) != out:
        return None
    if len(out) < len(aggregation.out):
        whole = len(aggregation.out) == len(own) and all(aggregation.sizes[aggregation.out[axis]] == 1 for axis in axes)
        return axes if whole and kept == labels else None
    return axes if kept == tuple(label for place, label in enumerate(labels) if place not in axes) else None


def _less_logsumexp(form: Form, forms: Forms, read_once: Callable[..., bool]) -> Optional[Of]:
    """X of a difference X - logsumexp(X)."""
    (of, labels), (total, kept) = form.operands
    inner = forms.get(total)
    if inner is None or inner.agg != "logsumexp" or inner.join is not None or not read_once(total):
        return None
    axes = _axes(inner, labels, kept) if [node for node, _ in inner.operands] == [of] else None
    return Of(of, axes) if axes else None


def _log_softmax(form: Form, forms: Forms, read_once: Callable[..., bool]) -> Optional[Of]:
    """X - logsumexp(X), X - max(X) - log(sum(exp(X - max(X)))), or X - log(sum(exp(X)))."""
    if form.operands[0][1] != form.out:
        return None
    others = form.operands[1:]
    if form.tree == Call("-", (_X, _Y)):
        return _less_logsumexp(form, forms, read_once)
    if form.tree == Call("-", (_X, Call("log", (_Y,)))):
        return _of_total(form.operands[0], None, others[0], forms, read_once)
    if form.tree == Call("-", (Call("-", (_X, _Y)), Call("log", (_Z,)))):
        return _of_total(form.operands[0], others[0], others[1], forms, read_once)
    return None


def _logsumexp(form: Form, forms: Forms, read_once: Callable[..., bool]) -> Optional[Of]:
    """max(X) + log(sum(exp(X - max(X)))), the terms in either order."""
    sums: List[Tuple[Expression, int]] = [(Call("+", (_X, Call("log", (_Y,)))), 0),
                                          (Call("+", (Call("log", (_X,)), _Y)), 1)]
    for tree, place in sums:
        if form.tree == tree and form.operands[0][1] == form.operands[1][1]:
            highest, total = form.operands[place][0], form.operands[1 - place][0]
            summed = forms.get(total)
            if summed is None or summed.agg != "sum" or not read_once(total) or len(summed.operands) != 2:
                return None
            if summed.is_map or isinstance(summed.join, str) or summed.tree != Call("exp", (Call("-", (_X, _Y)),)):
                return None
            (of, labels), (shift, kept) = summed.operands
            axes = _is_maximum(forms, shift, of, labels, kept)
            if shift is highest and axes and tuple(
                    label for label in labels if label in summed.out) == summed.out == kept:
                return Of(of, axes)
    return None


def _of_total(of: Tuple[Node, Labels], highest: Optional[Tuple[Node, Labels]], total: Tuple[Node, Labels],
              forms: Forms, read_once: Callable[..., bool]) -> Optional[Of]:
    """Where the total is the sum of exp of the tensor (less its maximum)."""
    summed = forms.get(total[0])
    if summed is None or summed.agg != "sum" or not read_once(total[0]) or summed.is_map or isinstance(
            summed.join, str) or not summed.operands or summed.operands[0][0] is not of[0]:
        return None
    shifted = Call("exp", (Call("-", (_X, _Y)) if highest else _X,))
    if summed.tree != shifted or len(summed.operands) != (2 if highest else 1):
        return None
    inside, own = summed.operands[0][1], summed.out
    axes = tuple(place for place, label in enumerate(inside) if label not in own)
    kept = tuple(label for place, label in enumerate(of[1]) if place not in axes)
    if not axes or total[1] != kept or tuple(label for label in inside if label in own) != own:
        return None
    if highest is not None and (summed.operands[1][0] is not highest[0] or highest[1] != kept or _is_maximum(
            forms, highest[0], of[0], *of[1:], kept) != axes):
        return None
    return Of(of[0], axes)
