"""Loops: a function of what is carried, run again and again by the ranks without coming back to Python.

The function is called once, with arrays that stand for what an iteration reads; what it returns is the body.
"""
from __future__ import annotations

import inspect
import warnings
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from .array import Array, as_array
from .checked import whole_number
from .draws import Draws, unseeded_since
from .errors import refuse
from .names import name_of_argument
from .node import Carried, Gradient, Leaf, Left, Loop, Node, in_order

Carry = Union[Mapping[str, Any], Sequence[Any], Array]
_LONGEST_NAME = 24
_STEPS = {"step", "one_step", "body", "iteration", "iterate", "update", "f"}  # names that say nothing of a loop


def loop(step: Callable[..., Any], carry: Carry, times: Optional[int] = None,
         while_: Union[None, str, Callable[..., Any]] = None, max: Optional[int] = None) -> Any:
    """Runs `step` again and again on what is carried, and gives the last values.

    `step` is called with the carried arrays, by name where its parameters are named so, and returns the next ones: an
    array, a tuple in the order of `carry`, or a dict by name. It ends after `times`, or as soon as `while_` is false:
    a function of the next values, or the name of another entry of the dict that step returns. One carried array gives
    one array, whether or not a dict names it; of more a dict gives a dict, a list or tuple a tuple.

    >>> import einloom as el
    >>> A, x = el.input("A", (3, 3)), el.input("x", (3,))
    >>> el.loop(lambda x: A @ x / el.max(abs(A @ x)), carry={"x": x}, times=10).shape
    (3,)
    """
    if not callable(step):
        raise refuse("loop", "a function of what is carried", repr(step), "give def step(x): ...")
    counts = (int, np.integer)
    if isinstance(carry, counts) and times is not None and not isinstance(times, counts):
        raise refuse("loop", "what is carried behind the step", f"the number {carry}",
                     f"write loop(step, carry={name_of_argument(times) or '...'}, times={carry})")
    begins = _named(step, carry)
    if not begins:
        raise refuse("loop", "one carried array or more", "none", "give carry={'x': x}")
    if times is not None and while_ is not None:
        raise refuse("loop", "times or while_", "both", f"give max={times} in place of times: the most iterations")
    if times is None and while_ is None:
        raise refuse("loop", "times or while_", "neither",
                     f"write times={max}" if max is not None else "write times=100")
    if while_ is not None and max is None:
        raise refuse("loop", "max beside while_: the most iterations", "none", "write max=1000")
    times = None if times is None else whole_number(times, "loop, times", 0)
    max = None if max is None else whole_number(max, "loop, max", 0)
    carried = {key: Carried(key, begin) for key, begin in begins.items()}
    draws = Draws([step, while_])
    returned = _called(step, {key: Array(node) for key, node in carried.items()})
    nexts, others = _next_values(returned, begins)
    condition = _condition(while_, nexts, others)
    _tell_the_same(list(carried.values()), [nexts[key].node for key in begins])
    computed = in_order([nexts[key].node for key in begins] + ([] if condition is None else [condition]))
    _tell_same_noise(draws.drawn(), unseeded_since(computed, min(one.serial for one in carried.values())),
                     times if times is not None else max)
    made = Loop(list(begins.values()), list(carried.values()), [nexts[key].node for key in begins], times, condition,
                max if times is None else None, _name_of(step))
    left = [Array(Left(made, position)) for position in range(len(begins))]
    if isinstance(carry, Mapping):
        return left[0] if len(left) == 1 else dict(zip(begins, left))
    return left[0] if _is_one(carry) else tuple(left)


def _name_of(step: Callable[..., Any]) -> str:
    """What a person would call the loop: its function, or the one that this stands in where it is only a step.

    >>> def power_iteration():
    ...     def step(x): ...
    ...     return step
    >>> _name_of(power_iteration()), _name_of(lambda x: x)
    ('power_iteration', 'loop')
    """
    around = [part.strip("_") for part in getattr(step, "__qualname__", "").split(".") if part.isidentifier()]
    while around and around[-1] in _STEPS:
        around.pop()
    return around[-1] if around and len(around[-1]) <= _LONGEST_NAME else "loop"


def _tell_the_same(carried: List[Carried], nexts: List[Node]) -> None:
    """Of a gradient that the step takes of a loss from outside: what the loop carries does not reach it."""
    first = min(one.serial for one in carried)
    for node in in_order(nexts):
        if isinstance(node, Gradient) and node.serial > first:
            if not any(isinstance(read, Carried) for read in in_order([node.of_all.of])):
                warnings.warn("loop: the step's gradient is the same in each iteration, since its loss was computed "
                              "outside of the step; compute the loss in the step, of what it is given",
                              UserWarning, stacklevel=3)
                return


def _tell_same_noise(drawn: bool, unseeded: Sequence[Leaf], times: Optional[int]) -> None:
    """Of random numbers that the step makes: it is called once, and they with it."""
    if not drawn and not unseeded:
        return
    first = unseeded[0] if unseeded else None
    shape = ", ".join(map(str, (times, *(first.shape if first else ("*shape",)))))
    kind = "" if first is None or first.data is None or first.data["random"] == "uniform" else ", kind='normal'"
    made = f"einloom.random(({shape}){kind})" if first else f"einloom.tensor(numpy.random.normal(size=({shape})))"
    warnings.warn(f"loop: the step's random numbers are made once, the same in each iteration; make those of all "
                  f"before, noise = {made}, carry a counter k that the step returns as k + 1, and read noise[k]",
                  UserWarning, stacklevel=3)


def _named(step: Callable[..., Any], carry: Carry) -> Dict[str, Node]:
    if isinstance(carry, Mapping):
        return {str(key): as_array(value).node for key, value in carry.items()}
    if isinstance(carry, (str, bytes)) or callable(carry):
        raise refuse("loop", "what is carried behind the step", repr(carry), "write loop(step, carry=..., times=...)")
    values = [carry] if _is_one(carry) else list(carry)
    names = _parameters(step)
    if len(names) < len(values):
        names = [f"carried{position}" for position in range(len(values))]
    return {name: as_array(value).node for name, value in zip(names, values)}


def _is_one(carry: Carry) -> bool:
    """Whether it is one array or number, and not several."""
    return isinstance(carry, (Array, np.ndarray)) or not hasattr(carry, "__iter__")


def _parameters(step: Callable[..., Any]) -> List[str]:
    try:
        found = inspect.signature(step).parameters.values()
    except (TypeError, ValueError):
        return []
    return [one.name for one in found if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)]


def _called(function: Callable[..., Any], values: Dict[str, Array]) -> Any:
    names = _parameters(function)
    _check_parameters(function, values)
    return function(**values) if set(values) <= set(names) else function(*values.values())


def _check_parameters(function: Callable[..., Any], values: Dict[str, Array]) -> None:
    """What is carried and nothing else is given to the function: by name, or in order."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return
    try:
        signature.bind(*values.values())
        return
    except TypeError:
        pass
    try:
        signature.bind(**values)
        return
    except TypeError:
        pass
    raise refuse("loop", f"a function of what is carried, ({', '.join(values)})", f"one of {signature}",
                 "carry what else it reads too, as a counter k that the step returns as k + 1, or read it from around")


def _next_values(returned: Any, begins: Dict[str, Node]) -> Tuple[Dict[str, Array], Dict[str, Any]]:
    if returned is None:
        raise refuse("loop", f"the next {', '.join(begins)}", "None, since the step returns nothing",
                     "end it with return and the next values")
    if isinstance(returned, Mapping):
        missing = [key for key in begins if key not in returned]
        if missing:
            raise refuse("loop", f"the next {', '.join(missing)}", f"{', '.join(map(str, returned))}",
                         "return it from the step")
        found = {key: as_array(returned[key]) for key in begins}
        others = {key: value for key, value in returned.items() if key not in begins}
    else:
        values = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        if len(values) != len(begins):
            raise refuse("loop", f"{len(begins)} next values ({', '.join(begins)})", f"{len(values)}",
                         "return one for each that is carried, in that order")
        found, others = dict(zip(begins, map(as_array, values))), {}
    for key, begin in begins.items():
        value = found[key].node
        if value.shape != begin.shape or value.dtype != begin.dtype:
            mend = ("convert it with .astype" if value.shape == begin.shape else
                    "transpose it (.T)" if value.shape == begin.shape[::-1] else
                    "begin with a value of that shape, or sum with keepdims=True to keep the axes")
            raise refuse(f"loop, the next {key!r}", f"shape {begin.shape} of {begin.dtype}, as it began",
                         f"shape {value.shape} of {value.dtype}", mend)
    return found, others


def _condition(while_: Any, nexts: Dict[str, Array], others: Dict[str, Any]) -> Optional[Node]:
    if while_ is None:
        return None
    if isinstance(while_, str):
        if while_ not in others and while_ not in nexts:
            raise refuse("loop, while_", "an entry that the step returns", f"{while_!r}",
                         "return it, or give a function")
        condition = as_array(others.get(while_, nexts.get(while_)))
    else:
        condition = as_array(_called(while_, nexts))
    if condition.shape:
        raise refuse("loop, while_", "a scalar", f"shape {condition.shape}", "use .any() or .all()")
    return condition.node
