"""Gradients: `grad` nodes of the graph, which Einloom differentiates itself."""
from __future__ import annotations

from typing import Any, List, Sequence, Union

from .array import Array, as_array
from .dtypes import kind
from .errors import refuse
from .graph.sharing import Shared
from .names import calling_frame
from .node import Differentiation, Gradient, Node, in_order


def _refuse_plain(one: Any) -> None:
    """Numbers and other libraries' arrays: a graph holds copies of them, which nothing leads back to."""
    if isinstance(one, Array):
        return
    kind_of = type(one)
    name = "a NumPy array" if kind_of.__module__ == "numpy" else f"a {kind_of.__name__}"
    raise refuse("grad", "tensors that the loss is computed from", f"{name}, of which the loss has a copy",
                 "make it one before the loss is computed: W = el.tensor(W), then the loss, then grad(loss, W)")


def grad(of: Array, wrt: Union[Array, Sequence[Array]] = ()) -> Any:
    """The gradients of a real scalar by tensors: a list for a list, one for one.

    >>> import einloom as el
    >>> X = el.input("X", (3, 4))
    >>> (g,) = el.grad((X ** 2).sum(), [X])
    >>> g.shape
    (3, 4)
    """
    if callable(of) and not isinstance(of, Array):
        raise refuse("grad", "a real scalar that is computed from tensors", "a function",
                     "call it: grad(f(X), [X]) gives the gradients themselves")
    if isinstance(wrt, tuple) and not wrt:
        raise refuse("grad", "tensors to differentiate by", "none", "name them: grad(loss, [W])")
    loss = as_array(of).node
    if loss.shape or kind(loss.dtype) != "f":
        mend = ("sum it first" if loss.shape else "take abs(), real or imag of it" if kind(loss.dtype) == "c" else
                "compute it in real numbers: .astype('float64') where integers or truth values come in")
        raise refuse("grad", "a real scalar, shape ()", f"shape {loss.shape} of {loss.dtype}", mend)
    single = isinstance(wrt, Array)
    if isinstance(wrt, dict):
        raise refuse("grad", "a list of tensors", "a dict", "list them: grad(loss, list(tensors.values()))")
    if not single and (not hasattr(wrt, "__iter__") or hasattr(wrt, "shape")):
        _refuse_plain(wrt)
    wanted = [wrt] if single else list(wrt)
    for one in wanted:
        _refuse_plain(one)
    by = [as_array(one).node for one in wanted]
    for node in by:
        if kind(node.dtype) not in "fc":
            raise refuse("grad", "real or complex tensors", node.dtype, "convert with .astype before they are used")
    _check_read(loss, by)
    together = Differentiation(loss, by)
    found: List[Array] = [Array(Gradient(together, node)) for node in by]
    return found[0] if single else found


def _check_read(loss: Node, by: Sequence[Node]) -> None:
    """Whether the loss is computed of each of them."""
    order = in_order([loss])
    read = set(order)
    if all(node in read for node in by):
        return
    shared = Shared(in_order([loss, *by]))
    first = {shared.of(node) for node in order}
    for place, node in enumerate(by):
        if shared.of(node) not in first:
            node.seen_from(calling_frame())
            raise refuse("grad", "tensors that the scalar is computed of",
                         f"{node.variable or f'number {place}'} of shape {node.shape}, which it does not read",
                         "differentiate by the very tensor that it was computed of: W = el.tensor(...), then the "
                         "loss, then grad(loss, W); after W = W - step, W is another one")
