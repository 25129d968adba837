"""How one node is written: as an op with a plain name where it is one, else as an einsum.

Example: the form of `X.sum(axis=0)` is `{"op": "sum", "inputs": ["X"], "axes": [0]}`, that of `A @ B`
`{"einsum": "ij,jk->ik", "inputs": ["A", "B"]}`.
"""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence

from ..dtypes import common, kind, reduced_type
from ..expression import Call, Operand, operand_names, text
from ..node import Labels, Node
from .form import Form

Json = Dict[str, Any]
NameOf = Callable[[Node], str]
_OPS = {"+": "add", "-": "subtract", "*": "multiply", "/": "divide", "neg": "negative", "^": "power", "<": "less",
        "<=": "less_equal", ">": "greater", ">=": "greater_equal", "==": "equal", "!=": "not_equal",
        "&&": "logical_and", "||": "logical_or", "min": "minimum", "max": "maximum"}
_TRUTH = {"less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_and", "logical_or",
          "logical_not", "logical_xor", "isnan", "isinf", "isfinite"}
_REDUCTIONS = set("sum prod min max any all mean logsumexp var std norm count argmin argmax".split())


def written(form: Form, name_of: NameOf, zero: Callable[[str], str]) -> Json:
    """The node without its name. `zero` names a scalar for joins of indices alone, which read nothing."""
    inputs = [name_of(node) for node, _ in form.operands] or [zero(_index_type(form))]
    if form.op is not None:
        return {"op": form.op[0], "inputs": inputs, **form.op[1]}
    return _moved(form, inputs) or _reduced(form, inputs) or _function(form, inputs) or _einsum(form, inputs)


def _moved(form: Form, inputs: List[str]) -> Optional[Json]:
    """A transpose, or new axes of extent 1."""
    if not form.is_view:
        return None
    node, labels = form.operands[0]
    if len(set(labels)) != len(labels) or any(form.sizes[label] != extent for label, extent in zip(labels, node.shape)):
        return None
    order = [labels.index(label) for label in form.out if label in labels]
    if len(order) == len(form.out) and order != sorted(order):
        reversed_ = order == sorted(order, reverse=True)
        return {"op": "transpose", "inputs": inputs, **({} if reversed_ else {"axes": order})}
    if order == sorted(order) and len(order) < len(form.out) and all(
            form.sizes[label] == 1 for label in form.out if label not in labels):
        return {"op": "reshape", "inputs": inputs, "shape": [form.sizes[label] for label in form.out]}
    return None


def _reduced(form: Form, inputs: List[str]) -> Optional[Json]:
    """An aggregation of a tensor over axes."""
    if len(form.operands) != 1 or form.join is not None or not form.aggregated or form.agg not in _REDUCTIONS:
        return None
    node, labels = form.operands[0]
    if len(set(labels)) != len(labels) or any(form.sizes[label] != extent for label, extent in zip(labels, node.shape)):
        return None
    axes = [place for place, label in enumerate(labels) if label not in form.out]
    kept = [label for label in labels if label in form.out]
    keepdims = len(form.out) == len(labels) and len(kept) < len(labels) and all(
        got == label or place in axes and form.sizes[got] == 1 and got not in labels
        for place, (got, label) in enumerate(zip(form.out, labels)))
    if not keepdims and list(form.out) != kept:
        return None
    written_: Json = {"op": form.agg, "inputs": inputs}
    if len(axes) == 1:
        if len(labels) > 1 or form.agg in ("argmin", "argmax"):
            written_["axis"] = axes[0]
    elif len(axes) < len(labels):
        written_["axes"] = axes
    if keepdims:
        written_["keepdims"] = True
    if form.dtype != reduced_type(form.agg, node.dtype):
        written_["dtype"] = form.dtype
    return written_


def _function(form: Form, inputs: List[str]) -> Optional[Json]:
    """A function of whole tensors, which broadcast."""
    if not form.is_map or not form.operands or len(form.operands) == 1 and form.join is None:
        return None
    tree = form.tree
    if not isinstance(tree, Call) or tree.args != tuple(Operand(place) for place in range(len(form.operands))):
        return None
    if any(labels != form.out[len(form.out) - len(labels):] for _, labels in form.operands) or _uncovered(form):
        return None
    if max(len(labels) for _, labels in form.operands) < len(form.out):
        return None
    if tree.name.startswith("cast_"):
        return {"op": "cast", "inputs": inputs, "dtype": form.dtype}
    op = _OPS.get(tree.name, tree.name)
    expected = "bool" if op in _TRUTH else common(*(node.dtype for node, _ in form.operands))
    if op == "reciprocal" and kind(expected) in "iub":
        expected = "f64"  # a quotient; NumPy's is a whole number
    return {"op": op, "inputs": inputs, **({} if form.dtype == expected else {"dtype": form.dtype})}


def _einsum(form: Form, inputs: List[str]) -> Json:
    terms = _terms(form)
    found: Json = {"einsum": subscripts(terms, form.out), "inputs": inputs}
    seen = {label for term in terms for label in term}
    sizes = {label: form.sizes[label] for label in form.out if label not in seen}
    if sizes:
        found["sizes"] = sizes
    if isinstance(form.join, str):
        found["join"] = form.join
    elif form.join is not None:
        found["join"] = text(form.join, operand_names(len(form.operands)))
    if form.agg != "sum" and (form.aggregated or isinstance(form.join, str)):
        found["agg"] = form.agg
    if form.path:
        found["path"] = form.path
    if form.dtype != _default_type(form):
        found["dtype"] = form.dtype
    return found


def _terms(form: Form) -> List[Labels]:
    """The labels of each operand. An axis of extent 1 under a label that no other axis has in full gets its own."""
    uncovered = _uncovered(form)
    terms: List[Labels] = []
    taken = set(form.sizes)
    for node, labels in form.operands:
        term = []
        for label, extent in zip(labels, node.shape):
            if label in uncovered:
                label = next(one for one in [*"abcdefgh", *(f"unit{n}" for n in range(64))] if one not in taken)
                taken.add(label)
            term.append(label)
        terms.append(tuple(term))
    return terms or [()]


def _uncovered(form: Form) -> List[str]:
    whole = {label for node, labels in form.operands for label, extent in zip(labels, node.shape)
             if extent == form.sizes[label]}
    seen = {label for _, labels in form.operands for label in labels}
    return [label for label in seen if label not in whole]


def _index_type(form: Form) -> str:
    """The type in which a join of indices alone is computed."""
    return "i64" if kind(form.dtype) in "iub" else form.dtype


def _default_type(form: Form) -> str:
    joint = common(*(node.dtype for node, _ in form.operands)) if form.operands else _index_type(form)
    if form.agg in ("argmin", "argmax", "count"):
        return "i64"
    if form.agg == "mean" and kind(joint) in "iub" and form.aggregated:
        return "f64"
    if form.agg in ("var", "std", "norm") and form.aggregated:
        return {"c64": "f32", "c128": "f64"}.get(joint, joint)
    return joint


def subscripts(terms: Sequence[Labels], out: Labels) -> Any:
    labels = [label for term in [*terms, out] for label in term]
    if all(len(label) == 1 and label.isascii() and label.isalpha() for label in labels):
        return ",".join("".join(term) for term in terms) + "->" + "".join(out)
    if any(len(term) > 1 for term in [*terms, out]) and all(label.isidentifier() for label in labels):
        return ", ".join(" ".join(term) for term in terms) + " -> " + " ".join(out)
    return {"in": [list(term) for term in terms], "out": list(out)}
