"""Subscripts of einsums: letters, words, lists, with `...` written out.

Example: `parse("...i,ij", [3, 2])` gives the terms (p, q, i), (i, j) and the result (p, q, j): the axes that `...`
stands for get letters that are free.
"""
from __future__ import annotations

from typing import Any, Dict, List, Sequence, Tuple

from ..errors import refuse
from ..node import Labels
from .operands import letters

_DOTS = "..."


def parse(subscripts: Any, orders: Sequence[int]) -> Tuple[List[Labels], Labels]:
    """The labels of each operand and of the result.

    >>> parse("ij,jk->ik", [2, 2])
    ([('i', 'j'), ('j', 'k')], ('i', 'k'))
    >>> parse("batch d, d ff -> batch ff", [2, 2])[1]
    ('batch', 'ff')
    """
    terms, out = _split(subscripts)
    if len(terms) != len(orders):
        raise refuse("einsum", f"{len(orders)} terms, one for each operand", f"{len(terms)} in {subscripts!r}",
                     "separate terms by commas")
    named = {label for term in terms for label in term}
    longest = max([order - len(term) + 1 for term, order in zip(terms, orders) if _DOTS in term], default=0)
    dots = letters(max(longest, 0), sorted(named))
    whole = []
    for position, (term, order) in enumerate(zip(terms, orders)):
        stands_for = order - len(term) + 1
        if (stands_for < 0 if _DOTS in term else len(term) != order):
            raise refuse("einsum", f"as many labels as operand {position} has axes, {order}", f"{' '.join(term)!r}",
                         "name each axis, or write ... for those that stay")
        whole.append(_written_out(term, dots[longest - stands_for:] if _DOTS in term else ()))
    if out is None:
        return whole, dots + _implicit(terms)
    return whole, _written_out(out, dots)


def _split(subscripts: Any) -> Tuple[List[Labels], Any]:
    if isinstance(subscripts, dict):
        if not isinstance(subscripts.get("in"), (list, tuple)):
            raise refuse("einsum", "a list of labels for each operand under 'in'", f"{subscripts}", "write one")
        out = subscripts.get("out")
        return [tuple(map(str, term)) for term in subscripts["in"]], None if out is None else tuple(map(str, out))
    left, arrow, right = subscripts.partition("->")
    pieces = [piece.strip() for piece in left.split(",")]
    in_words = any(len(piece.split()) > 1 for piece in [*pieces, right.strip()])
    read = _words if in_words else _letters
    return [read(piece) for piece in pieces], read(right.strip()) if arrow else None


def _words(term: str) -> Labels:
    return tuple(term.split())


def _letters(term: str) -> Labels:
    before, dots, after = term.partition(_DOTS)
    return tuple(before) + ((_DOTS,) if dots else ()) + tuple(after)


def _written_out(term: Labels, dots: Labels) -> Labels:
    if _DOTS not in term:
        return tuple(term)
    place = term.index(_DOTS)
    return tuple(term[:place]) + tuple(dots) + tuple(term[place + 1:])


def _implicit(terms: Sequence[Labels]) -> Labels:
    found = [label for term in terms for label in term if label != _DOTS]
    return tuple(sorted(label for label in set(found) if found.count(label) == 1))


def extents(terms: Sequence[Labels], shapes: Sequence[Tuple[int, ...]], out: Labels, given: Dict[str, int],
            what: str) -> Dict[str, int]:
    """The extent of each label; axes of extent 1 are repeated."""
    sizes: Dict[str, int] = dict(given)
    for position, (term, shape) in enumerate(zip(terms, shapes)):
        for label, extent in zip(term, shape):
            known = sizes.setdefault(label, extent)
            if known == 1:
                sizes[label] = extent
            elif extent not in (1, known):
                raise refuse(what, "one extent for each label", f"label {label!r} is {known} and {extent} (operand "
                             f"{position})", "transpose an operand or rename the label")
    for label in out:
        if label not in sizes:
            raise refuse(what, f"the extent of label {label!r}, which only the result has", "none",
                         f"give sizes={{{label!r}: ...}}")
    return sizes
