"""Which EinSums become one node: transposes and new axes become labels of their readers, chains of functions one join.

Example: `((X[:, None, :] - Y[None, :, :])**2).sum(axis=2)` is made of five nodes and becomes
`"ik,jk->ij"` with the join `(x - y)^2`. What several nodes read, what has a name in the graph, and what would be
computed more often than before stays a node of its own. Types are kept: a join computes all of its parts in one type.
"""
from __future__ import annotations

from typing import Any, Dict, Iterable, List, NamedTuple, Optional, Set, Tuple, Union

from ..dtypes import common, kind
from ..expression import (Call, Expression, Index, Number, Operand, leaves, operand_names, product, replace, text)
from ..node import Ein, Labels, Leaf, Node
from .deltas import without_deltas
from .form import Form, as_form, constant_form, evaluations, is_constant
from .idioms import idiom
from .scopes import Scopes
from .sharing import Shared
from .simple import simplified

_LONGEST_JOIN = 100   # characters: what is longer is easier to read as two nodes
_MOST_OPERANDS = 6


class Fusion:
    """The form of each EinSum, in an order in which each comes after what it reads; `pinned` ones keep their place."""

    def __init__(self, shared: Shared, pinned: Set[Node], scopes: Scopes):
        self._shared, self._pinned, self._scopes = shared, pinned, scopes
        self.forms: Dict[Node, Form] = {}
        self._readers = _readers(shared, pinned)
        self._written = pinned | {read for node in shared.order if not isinstance(node, Ein)
                                  for read in shared.reads(node)}
        for node in shared.order:
            if isinstance(node, Ein):
                self.forms[node] = self._fused(node)
            elif isinstance(node, Leaf) and is_constant(node):
                self.forms[node] = constant_form(node)

    def reads(self, node: Node) -> List[Node]:
        """What the node reads when it is written."""
        form = self.forms.get(node)
        return self._shared.reads(node) if form is None else [read for read, _ in form.operands]

    def _fused(self, node: Ein) -> Form:
        form = as_form(node, self._shared)
        position = 0
        while position < len(form.operands):
            read = form.operands[position][0]
            looked_at = read in self.forms and not (form.is_view and self._leaves_view(node, read))
            taken = self._taken_up(node, form, position) if looked_at else None
            if taken is None:
                position += 1
            else:
                form = taken
        form = _tidy(form)
        return idiom(form, self.forms, self._read_once) or self._turned(node, form)

    def _leaves_view(self, node: Ein, read: Node) -> bool:
        """Whether a view stays one, for its readers to take up: `K.T` of K = X + b is read as K."""
        return node not in self._written and bool(self.forms[read].operands) and not self.forms[read].is_view

    def _read_once(self, node: Node, times: int = 1) -> bool:
        """Whether nobody but the node that is being formed reads it."""
        return node not in self._pinned and self._readers[node] == times

    def _taken_up(self, node: Ein, form: Form, position: int) -> Optional[Form]:
        """The form with an operand's form in its place, where that is as good."""
        read = form.operands[position][0]
        inner = self.forms[read]
        if not inner.is_map or read in self._pinned:
            return None
        free = inner.is_view or not inner.operands
        if isinstance(read, Leaf) and read.held is not None and not self._of_indices(form):
            return None  # the program has a name for it: it stays a tensor
        if isinstance(form.join, str):
            return _substituted(form, position, inner) if inner.is_view else None
        if not free:
            if self._readers[read] > 1 or self._scopes.of[read] != self._scopes.of[node] or form.path:
                return None
            again = form.aggregated and evaluations(inner.sizes, inner.out) < evaluations(form.sizes, form.sizes)
            if again and not (_is_scaled(inner) and _is_sum_of_products(form)):
                return None  # it would be computed again for each aggregated element
        taken = _substituted(form, position, inner)
        if taken is None or inner.is_view:
            return taken
        if len(taken.operands) > _MOST_OPERANDS or not _same_types(form, inner, taken):
            return None
        return taken if len(text(taken.tree, operand_names(len(taken.operands)))) <= _LONGEST_JOIN else None

    def _of_indices(self, form: Form) -> bool:
        """Whether all that it reads is computed of indices and numbers alone."""
        return all(read in self.forms and not self.forms[read].operands for read, _ in form.operands)

    def _turned(self, node: Ein, form: Form) -> Form:
        """A transposed or widened result of an aggregation, where nobody else reads it, is written by that node."""
        if not form.is_view or not self._readers.get(node, 0) and node not in self._pinned:
            return form
        read, labels = form.operands[0]
        inner = self.forms.get(read)
        if inner is None or inner.is_map or read in self._pinned or self._readers[read] > 1 or inner.path or inner.op:
            return form
        if not self._only_pinned(node) or len(set(labels)) != len(labels) or not set(labels) <= set(form.out):
            return form
        if self._scopes.of[read] != self._scopes.of[node] or any(
                form.sizes[label] != extent for label, extent in zip(labels, read.shape)):
            return form
        return _with_result(inner, dict(zip(labels, inner.out)), form)

    def _only_pinned(self, node: Node) -> bool:
        return node in self._pinned and self._readers.get(node, 0) == 0


def _readers(shared: Shared, pinned: Set[Node]) -> Dict[Node, int]:
    """How many nodes read each one, those that read it through views too."""
    count: Dict[Node, int] = {node: 0 for node in shared.order}
    for node in reversed(shared.order):
        is_view = isinstance(node, Ein) and node not in pinned and as_form(node, shared).is_view
        through = count[node] if is_view else 1
        for read in set(shared.reads(node)):
            count[read] += through
    return count


def _substituted(form: Form, position: int, inner: Form) -> Optional[Form]:
    """The operand replaced by what it is computed of, in the labels of the reader."""
    _, labels = form.operands[position]
    renamed = dict(zip(inner.out, labels))
    if not isinstance(form.join, str):
        indexed = {leaf.label for leaf in leaves(inner.tree) if isinstance(leaf, Index)}
        if any(inner.sizes[label] != form.sizes[renamed[label]] for label in indexed):
            return None
    new = tuple((node, tuple(renamed[label] for label in cut)) for node, cut in inner.operands)
    operands = form.operands[:position] + new + form.operands[position + 1:]
    if not _covered(form, operands):
        return None
    if isinstance(form.join, str) or form.join is None and inner.join is None and new:
        return form._replace(operands=operands)
    grown = len(new) - 1

    def outer_leaf(leaf: Expression) -> Expression:
        if not isinstance(leaf, Operand):
            return leaf
        if leaf.position == position:
            return replace(inner.tree, inner_leaf)
        return Operand(leaf.position + grown) if leaf.position > position else leaf

    def inner_leaf(leaf: Expression) -> Expression:
        if isinstance(leaf, Operand):
            return Operand(leaf.position + position)
        return Index(renamed[leaf.label]) if isinstance(leaf, Index) else leaf

    return form._replace(operands=operands, join=replace(form.tree, outer_leaf))


def _covered(form: Form, operands: Iterable[Tuple[Node, Labels]]) -> bool:
    """Whether every aggregated label is still that of an axis with its whole extent."""
    whole = {label for node, labels in operands for label, extent in zip(labels, node.shape)
             if extent == form.sizes[label]}
    return all(label in whole for label in form.aggregated)


def _same_types(form: Form, inner: Form, taken: Form) -> bool:
    """Whether each part is computed in the type that it had: as a join's parts all are computed in one."""
    whole, before, of_inner = taken.compute_type, form.compute_type, inner.compute_type
    if of_inner is None:  # indices alone take the type of what they meet
        return whole == before or whole is None and inner.dtype in ("i64", "bool", form.dtype)
    others = [node for node, _ in form.operands if node.dtype != whole]
    if _marks(inner) and kind(of_inner) in "iu" and whole == "f64":
        return whole == before or len(form.operands) == 1
    if whole != of_inner or (inner.dtype not in (of_inner, "bool") and not _halves(inner.dtype, of_inner)):
        return False
    return whole == before or all(node.dtype == "bool" for node in others) and _compares(inner.tree)


def _marks(inner: Form) -> bool:
    """Whether whole numbers are compared with an index or a number that f64 holds: then f64 does it exactly."""
    tree = inner.tree
    if isinstance(tree, Call) and tree.name == "where" and tree.args[1:] == (Number(1), Number(0)):
        tree = tree.args[0]
    if not isinstance(tree, Call) or tree.name not in ("==", "!=", "<", "<=", ">", ">="):
        return False
    return any(isinstance(one, Operand) and (isinstance(other, Index) or isinstance(other, Number)
                                             and isinstance(other.value, int) and abs(other.value) < 2 ** 53)
               for one, other in (tree.args, tree.args[::-1]))


def _is_scaled(inner: Form) -> bool:
    """Whether it is one operand times a number."""
    tree = inner.tree
    return (len(inner.operands) == 1 and isinstance(tree, Call) and tree.name == "*"
            and sorted(type(part).__name__ for part in tree.args) == ["Number", "Operand"])


def _is_sum_of_products(form: Form) -> bool:
    return form.agg == "sum" and all(not isinstance(part, Call) or part.name == "*" for part in _parts(form.tree))


def _parts(tree: Expression) -> Iterable[Expression]:
    yield tree
    if isinstance(tree, Call):
        for part in tree.args:
            yield from _parts(part)


def _halves(dtype: str, compute: str) -> bool:
    return dtype in ("f16", "bf16") and compute == dtype


def _compares(tree: Expression) -> bool:
    return isinstance(tree, Call) and tree.name in ("<", "<=", ">", ">=", "==", "!=", "&&", "||", "logical_not", "!",
                                                    "isnan", "isinf", "isfinite")


def _tidy(form: Form) -> Form:
    """One operand for a tensor that is read alike twice; no join where it is the product."""
    if form.join is None or isinstance(form.join, str):
        return form
    if form.operands and form.tree == product(len(form.operands)):
        return form._replace(join=None)
    first = {operand: place for place, operand in reversed(list(enumerate(form.operands)))}
    kept = sorted(first.values())
    moved = {place: kept.index(first[operand]) for place, operand in enumerate(form.operands)}
    join = replace(form.tree, lambda leaf: Operand(moved[leaf.position]) if isinstance(leaf, Operand) else leaf)
    join = simplified(join, real=kind(form.compute_type or "f64") != "c")
    tidy = _without_casts(without_deltas(
        form._replace(operands=tuple(form.operands[place] for place in kept), join=join)))
    return tidy._replace(join=None) if tidy.tree == product(len(kept)) and kept else tidy


def _without_casts(form: Form) -> Form:
    """Without conversions that the join makes anyway: of operands to its type, of truth values to the result's."""
    tree, compute = form.tree, form.compute_type
    if len(form.operands) == 1 and isinstance(tree, Call) and tree.args == (Operand(0),):
        return form  # a cast alone
    if isinstance(tree, Call) and tree.name == f"cast_{form.dtype}" and _compares(tree.args[0]):
        tree = tree.args[0]
    return form._replace(join=_cast_free(tree, f"cast_{compute}"))


def _cast_free(tree: Expression, cast: str) -> Expression:
    if not isinstance(tree, Call):
        return tree
    if tree.name == cast and isinstance(tree.args[0], Operand):
        return tree.args[0]
    return Call(tree.name, tuple(_cast_free(part, cast) for part in tree.args))


def _with_result(inner: Form, back: Dict[str, str], view: Form) -> Form:
    """The inner form with the axes of the view: those of its own, in another order, and new ones."""
    taken = set(inner.sizes)
    out: List[str] = []
    sizes = dict(inner.sizes)
    for label in view.out:
        if label in back:
            out.append(back[label])
            continue
        new = next(one for one in [label, *"abcdefghijklmnopqrstuvwxyz", *(f"axis{n}" for n in range(64))]
                   if one not in taken)
        taken.add(new)
        out.append(new)
        sizes[new] = view.sizes[label]
    return inner._replace(out=tuple(out), sizes=sizes)
