"""The form of an EinSum as it will be written, before that is decided of its readers.

Example: `as_form` of `A @ B` has the operands (A, ij) and (B, jk), the result ik and no join: the product.
"""
from __future__ import annotations

import math
from typing import Any, Dict, List, NamedTuple, Optional, Tuple, Union

from ..dtypes import common, kind
from ..expression import Expression, Number, product
from ..node import Ein, Labels, Leaf, Node
from ..ops.operands import letters
from .sharing import Shared

_KINDS = "biufc"


class Form(NamedTuple):
    """An EinSum as it will be written."""

    operands: Tuple[Tuple[Node, Labels], ...]
    out: Labels
    join: Union[Expression, str, None]
    agg: str
    sizes: Dict[str, int]
    dtype: str
    path: Optional[list]
    op: Optional[Tuple[str, Dict[str, Any]]] = None  # of one operand, where it is an op of the format

    @property
    def aggregated(self) -> List[str]:
        found = dict.fromkeys(label for _, labels in self.operands for label in labels)
        return [label for label in found if label not in self.out]

    @property
    def tree(self) -> Expression:
        assert not isinstance(self.join, str)
        return product(len(self.operands)) if self.join is None else self.join

    @property
    def is_map(self) -> bool:
        """Whether each element is computed of single elements."""
        return not self.aggregated and not isinstance(self.join, str) and self.op is None

    @property
    def is_view(self) -> bool:
        """Whether its elements are those of its operand, elsewhere or repeated."""
        return self.is_map and len(self.operands) == 1 and self.join is None and self.dtype == self.operands[0][0].dtype

    @property
    def number(self) -> Optional[Number]:
        """The number that all elements are, where they are one."""
        same = not self.operands and self.op is None and isinstance(self.join, Number)
        return self.join if same else None  # type: ignore[return-value]

    @property
    def compute_type(self) -> Optional[str]:
        """The type that the join runs in: the inputs' common one, widened to the result's."""
        if not self.operands:
            return None
        joint = common(*(node.dtype for node, _ in self.operands))
        wider = _KINDS.index(kind(self.dtype)) >= _KINDS.index(kind(joint))
        return common(joint, self.dtype) if wider else joint


def as_form(node: Ein, shared: Shared) -> Form:
    operands = tuple((shared.of(read), labels) for read, labels in node.operands)
    return Form(operands, node.out, node.join, node.agg, node.sizes, node.dtype, node.path)


def is_constant(node: Node) -> bool:
    """Whether a tensor is one number everywhere, which its readers can write in its place."""
    return (isinstance(node, Leaf) and node.data is not None and "fill" in node.data and not node.extra
            and not node.name and not isinstance(node.data["fill"], complex))


def constant_form(leaf: Leaf) -> Form:
    assert leaf.data is not None
    labels, value = letters(len(leaf.shape)), leaf.data["fill"]
    if isinstance(value, float) and value.is_integer() and abs(value) < 2.0 ** 31:
        value = int(value)
    return Form((), labels, Number(value), "sum", dict(zip(labels, leaf.shape)), leaf.dtype, None)


def evaluations(sizes: Dict[str, int], labels: Any) -> int:
    """How often a join over these labels is computed."""
    return math.prod(sizes[label] for label in labels)
